"""jDip's text of test cases, the form of its DATC files (`datc_v2.4_06.txt`): a case a phase.

Its reader is jDip's `TestSuite`: `VARIANT_ALL`, then for each case `CASE`, `PRESTATE_SETPHASE`, `PRESTATE`,
`PRESTATE_SUPPLYCENTER_OWNERS`, `PRESTATE_DISLODGED`, `PRESTATE_RESULTS`, `ORDERS`, `POSTSTATE` or
`POSTSTATE_SAME`, `POSTSTATE_DISLODGED` and `END`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.formats import classic
from adjudicator.formats.classic import map_name
from adjudicator.formats.game_log import (
    MAX_BYTES,
    BoardNames,
    FormatFault,
    GameBoard,
    GameLog,
    LoggedPhase,
    Written,
)
from adjudicator.formats.order_text import OrderWords, OrderWriter, UnreadOrder, read_order
from adjudicator.geo import LAND, Region
from adjudicator.orders import Move, Order, UnitOrder
from adjudicator.outcome import Resolution, Result
from adjudicator.phases.dislodgements import retreat_regions
from adjudicator.position import Dislodgement, Position
from adjudicator.units import Unit

PROGRAM = "jDip"
_SEASONS = {"S": "Spring", "F": "Fall", "W": "Fall"}
_LETTERS = {"spring": "S", "fall": "F"}
_KINDS = {PhaseKind.MOVEMENT: "Movement", PhaseKind.RETREAT: "Retreat", PhaseKind.ADJUSTMENT: "Adjustment"}
_KIND = {word.casefold(): kind for kind, word in _KINDS.items()} | {"build": PhaseKind.ADJUSTMENT}
_PHASE = re.compile(
    r"(spring|fall)[ ,]+(\d{1,4})[ ,]+\(?(movement|retreat|adjustment|build)\)?", re.IGNORECASE
)
_KEYS = (
    "PRESTATE_SUPPLYCENTER_OWNERS",
    "PRESTATE_DISLODGED",
    "PRESTATE_RESULTS",
    "PRESTATE_SETPHASE",
    "PRESTATE",
    "ORDERS",
    "POSTSTATE_DISLODGED",
    "POSTSTATE_SAME",
    "POSTSTATE",
)
MAX_CASES = 20_000


def jdip_place(region: Region) -> str:
    """A region in jDip's form: "stp/sc"."""
    return str(region).lower()


JDIP_WORDS = OrderWords(
    region=jdip_place,
    dash="-",
    via=" via convoy",
    retreat="{unit}-{to}",
    build="Build {}",
    remove="Remove {unit}",
)


# Writing
# ----------------------------------------------------------------------------------------------------------


def write(board: GameBoard, log: GameLog, *, lossy: bool = False) -> Written:
    """A case for each judged phase. Raises FormatFault for a board that jDip has not, and, unless `lossy`,
    for an order that it has no word for."""
    variant = map_name(board, classic.JDIP_VARIANTS, PROGRAM)
    left_out = classic.unspoken(log)
    classic.refuse_losses(left_out, lossy=lossy)
    lines = [f"VARIANT_ALL {variant}"]
    before: LoggedPhase | None = None
    for phase in log.phases:
        if phase.resolution is not None and not classic.is_idle(board, phase.position):
            lines += ["", *_case(board, phase, before)]
        before = phase
    if len(lines) == 1:
        raise FormatFault("No phase of this game can be written as a case yet; nothing was written.")
    return Written(("\n".join(lines) + "\n").encode(), tuple(left_out))


def _case(board: GameBoard, phase: LoggedPhase, before: LoggedPhase | None) -> Iterator[str]:
    assert phase.resolution is not None
    position, resolution = phase.position, phase.resolution
    yield f"CASE {position.phase}"
    yield f"PRESTATE_SETPHASE {jdip_phase(board, position.phase)}"
    yield from _listed("PRESTATE", [_unit(unit) for unit in sorted(position.units)])
    owners = sorted((power, centre) for power, owned in position.centres.items() for centre in owned)
    # The kind of unit is only there because jDip reads a unit.
    yield from _listed(
        "PRESTATE_SUPPLYCENTER_OWNERS",
        [
            _unit(Unit(power, _any_kind(board, centre), _any_region(board, centre)))
            for power, centre in owners
        ],
    )
    position = classic.without_stranded(position)
    if position.dislodged:
        yield from _listed("PRESTATE_DISLODGED", [_unit(d.unit) for d in position.dislodged])
        if before is not None and before.resolution is not None:
            lines = OrderWriter(JDIP_WORDS, before.position)
            yield from _listed(
                "PRESTATE_RESULTS",
                [
                    f"{'SUCCESS' if o.result is Result.SUCCEEDS and not o.dislodged else 'FAILURE'}: "
                    f"{_power(o.order.power)}: {_text(lines, o.order)}"
                    for o in before.resolution.outcomes
                    if o.result is not Result.VOID and isinstance(o.order, classic.SPOKEN_ORDERS)
                ],
            )
    yield from _listed("ORDERS", list(_orders(position, resolution)))
    yield from _listed("POSTSTATE", [_unit(unit) for unit in sorted(resolution.position.units)])
    # jDip destroys a unit at once that has nowhere to go.
    beaten = [_unit(d.unit) for d in resolution.dislodged if d.may_retreat]
    if beaten:
        yield from _listed("POSTSTATE_DISLODGED", beaten)
    yield "END"


def _orders(position: Position, resolution: Resolution) -> Iterator[str]:
    """The orders. A void order that misnames its unit, or comes second, is a comment: jDip would mend it and
    carry it out."""
    lines, as_written = OrderWriter(JDIP_WORDS, position), OrderWriter(JDIP_WORDS, None)
    owner = {u.region.province: u.power for u in (*position.units, *(d.unit for d in position.dislodged))}
    spoken = [o for o in resolution.outcomes if isinstance(o.order, classic.SPOKEN_ORDERS)]
    named = Counter(o.order.unit.region.province for o in spoken if isinstance(o.order, UnitOrder))
    for outcome in spoken:
        order = outcome.order
        text = _text(lines, order)
        if outcome.result is Result.VOID and isinstance(order, UnitOrder):
            place = order.unit.region.province
            written = _text(as_written, order)
            if written != text or owner.get(place) != order.power or named[place] > 1:
                yield f"# void: {_power(order.power)}: {written}"
                continue
        yield f"{_power(order.power)}: {text}"


def jdip_phase(board: GameBoard, phase: Phase) -> str:
    """A phase in jDip's words: "Fall 1901, Adjustment" for our Winter."""
    return f"{_SEASONS[classic.season_letter(board, phase)]} {phase.year}, {_KINDS[phase.kind]}"


def _any_region(board: GameBoard, province: str) -> Region:
    stands = board.context.tables.stands
    return (stands["A"].get(province) or stands["F"][province])[0]


def _any_kind(board: GameBoard, province: str) -> str:
    return "A" if board.context.tables.stands["A"].get(province) else "F"


def _text(lines: OrderWriter, order: Order) -> str:
    return lines.text(order, by_convoy=isinstance(order, Move) and order.via_convoy)


def _listed(key: str, lines: list[str]) -> Iterator[str]:
    yield key
    yield from (f"\t{line}" for line in lines)


def _unit(unit: Unit) -> str:
    return f"{_power(unit.power)}: {unit.kind} {jdip_place(unit.region)}"


def _power(power: str) -> str:
    return power.title()


# Reading
# ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Case:
    """One case as its lines, by key."""

    name: str
    phase: str = ""
    key: str = ""
    is_same: bool = False
    lists: dict[str, list[str]] = field(default_factory=dict)

    def take(self, word: str, tail: str, line: str) -> bool:
        """Enter a line; False if it belongs to no key."""
        if word in _KEYS:
            self.key = word
            self.is_same |= word == "POSTSTATE_SAME"
            self.phase = tail if word == "PRESTATE_SETPHASE" else self.phase
            self.lists.setdefault(word, [])
        elif self.key:
            self.lists[self.key].append(line)
        return bool(self.key)


def read(board: GameBoard, data: bytes) -> tuple[GameLog, ...]:
    """Each case as a game of one judged phase and the board after it; the case's name is the game's.

    Case and blanks make no difference, `#` begins a comment. Raises FormatFault with the line or the case.
    """
    if len(data) > MAX_BYTES:
        raise FormatFault(
            f"The file has {len(data):,} bytes, more than the {MAX_BYTES:,} allowed for a file of cases; it "
            "was not read."
        )
    map_name(board, classic.JDIP_VARIANTS, PROGRAM)
    names = BoardNames(board)
    games = []
    for case in _cases(board, data.decode("utf-8", "replace")):
        try:
            games.append(_game(board, names, case))
        except FormatFault as fault:
            # The other cases are none the worse for it.
            games.append(GameLog(case.name, board.slug, (), is_over=True, faults=(str(fault),)))
        if len(games) > MAX_CASES:
            raise FormatFault(f"The file has more than {MAX_CASES:,} cases; split it.")
    if not games:
        raise FormatFault("There is no CASE in the file, so it is not a file of jDip's test cases.")
    return tuple(games)


def _cases(board: GameBoard, text: str) -> Iterator[_Case]:
    case: _Case | None = None
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.partition("#")[0].strip()
        word, *rest = line.split(None, 1)[:2] or [""]
        word, tail = word.upper(), "".join(rest).strip()
        if word == "VARIANT_ALL":
            _check_variant(board, tail, number)
        elif word == "CASE":
            case = _Case(tail[:200] or f"line {number}")
        elif line and case is None:
            raise FormatFault(f"Line {number}: {line[:40]!r} is outside a CASE.")
        elif word == "END" and case is not None:
            yield case
            case = None
        elif line and case is not None and not case.take(word, tail, line):
            raise FormatFault(f"Line {number}: {line[:40]!r} belongs to no part of its CASE.")
    if case is not None:
        raise FormatFault(f"CASE {case.name} has no END.")


def _check_variant(board: GameBoard, name: str, number: int) -> None:
    variant_name = classic.JDIP_VARIANTS[board.slug]
    if name.casefold() != variant_name.casefold():
        raise FormatFault(
            f"Line {number}: the cases are of {name[:40]!r}, and {board.slug} is {variant_name!r} there."
        )


def _game(board: GameBoard, names: BoardNames, case: _Case) -> GameLog:
    read_lines = _CaseReader(board, names, case)
    moment = read_lines.moment()
    standing = read_lines.units("PRESTATE")
    dislodged, contested = read_lines.beaten(standing)
    position = Position(moment, frozenset(standing), read_lines.centres(), dislodged, contested)
    orders: list[Order] = []
    unread: list[str] = []
    for line in case.lists.get("ORDERS", ()):
        try:
            order = read_lines.order(line, moment.kind)
        except UnreadOrder:
            unread.append(line[:80])
        else:
            orders += [] if order is None else [order]
    after = standing if case.is_same else read_lines.units("POSTSTATE")
    then = tuple(Dislodgement(unit, "") for unit in read_lines.units("POSTSTATE_DISLODGED"))
    phases = (
        LoggedPhase(position, tuple(orders), unread=tuple(unread)),
        LoggedPhase(Position(moment, frozenset(after), {}, then)),
    )
    return GameLog(case.name, board.slug, phases, is_over=True)


def _parts(line: str) -> tuple[str, str]:
    """The power of a line and the rest. jDip's own files leave the colon out at times."""
    power, colon, rest = line.partition(":")
    if not colon:
        power, _, rest = line.strip().partition(" ")
    return power.strip(), rest.strip()


class _CaseReader:
    """The lines of one case as values. Raises FormatFault with the case's name."""

    def __init__(self, board: GameBoard, names: BoardNames, case: _Case) -> None:
        self._board, self._names, self._case = board, names, case

    def moment(self) -> Phase:
        """The phase; that of the opening where the case names none."""
        if not self._case.phase:
            assert self._board.context.start is not None
            return self._board.context.start
        match = _PHASE.fullmatch(self._case.phase)
        if match is None:
            raise self._fault(f"{self._case.phase[:40]!r} is not a phase such as Spring 1901, Movement")
        season, year, word = (part.casefold() for part in match.groups())
        kind = _KIND[word]
        letter = "W" if kind is PhaseKind.ADJUSTMENT else _LETTERS[season]
        return Phase(int(year), classic.season_named(self._board, letter), kind)

    def units(self, key: str) -> list[Unit]:
        """The units under a key, sorted."""
        return sorted(self._unit(line) for line in self._case.lists.get(key, ()))

    def centres(self) -> dict[str, frozenset[str]]:
        """Owners and their centres; where the case names none, each power has its homes, as jDip takes it."""
        centres: dict[str, frozenset[str]] = dict.fromkeys(self._board.context.powers, frozenset())
        if "PRESTATE_SUPPLYCENTER_OWNERS" not in self._case.lists:
            for province in self._board.context.board.provinces.values():
                if province.home is not None:
                    centres[province.home] |= {province.id}
        for unit in self.units("PRESTATE_SUPPLYCENTER_OWNERS"):
            centres[unit.power] |= {unit.region.province}
        return centres

    def beaten(self, standing: list[Unit]) -> tuple[tuple[Dislodgement, ...], frozenset[str]]:
        """The dislodged units with where they may go, and the provinces that a standoff left empty: both
        follow from the results of the phase before."""
        moves: dict[bool, list[Move]] = {True: [], False: []}
        for line in self._case.lists.get("PRESTATE_RESULTS", ()):
            result, _, rest = line.partition(":")
            try:
                order = self.order(rest, PhaseKind.MOVEMENT)
            except UnreadOrder:
                raise self._fault(f"{line[:60]!r} is not an order with its result") from None
            if isinstance(order, Move):
                moves[result.strip().casefold() == "success"].append(order)
        taken = {unit.region.province for unit in standing}
        aims = Counter(move.to.province for move in moves[False])
        contested = frozenset(place for place, count in aims.items() if count > 1 and place not in taken)
        came_from = {move.to.province: move for move in moves[True]}
        dislodged = []
        for unit in self.units("PRESTATE_DISLODGED"):
            attack = came_from.get(unit.region.province)
            origin = "" if attack is None else attack.unit.region.province
            steps = self._board.context.board.near(unit.region.province, LAND)
            by_convoy = (
                attack is not None and attack.unit.kind == "A" and (attack.via_convoy or origin not in steps)
            )
            dislodged.append(
                Dislodgement(
                    unit,
                    origin,
                    by_convoy,
                    retreat_regions(
                        self._board.context, unit, origin, taken | contested, by_convoy=by_convoy
                    ),
                )
            )
        return tuple(dislodged), contested

    def order(self, line: str, kind: PhaseKind) -> Order | None:
        """The order in "France: A par-bur". Raises UnreadOrder."""
        power, text = _parts(line)
        known = self._names.power(power)
        if known is None:
            raise UnreadOrder(line)
        return read_order(self._names, known, text, kind)

    def _unit(self, line: str) -> Unit:
        power, text = _parts(line)
        known = self._names.power(power)
        letter, _, place = text.partition(" ")
        kind = {"a": "A", "army": "A", "f": "F", "fleet": "F"}.get(letter.casefold())
        region = self._names.region(place if kind else text)
        stands = self._board.context.tables.stands
        # Some of jDip's lists of centres name no kind of unit.
        kinds = (kind,) if kind else ("A", "F")
        if known is not None and region is not None:
            for letter in kinds:
                places = stands[letter].get(region.province, ())
                if region in places:
                    return Unit(known, letter, region)
                if len(places) == 1:
                    return Unit(known, letter, places[0])
        raise self._fault(f"{line[:60]!r} is not a unit on {self._board.slug}")

    def _fault(self, message: str) -> FormatFault:
        return FormatFault(f"CASE {self._case.name}: {message}.")
