"""The saved game of the Python package `diplomacy`: JSON, a game a line.

The form is that of `diplomacy.utils.export` (1.1.2): `id`, `map`, `rules`, and `phases`, each with `name`,
`state`, `orders`, `results` and `messages`. Our own key `galloper` has what the package would drop: void
orders, and units that the rules removed although no unit ordered it. The package reads past a key that it
does not know. """

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.formats import classic
from adjudicator.formats.classic import adjustment, build_sites, map_name
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
from adjudicator.geo import Region
from adjudicator.orders import Convoy, Move, Order, Remove, SupportMove, UnitOrder
from adjudicator.outcome import Outcome, Resolution, Result
from adjudicator.position import Dislodgement, Position
from adjudicator.units import Unit, UnitRef

PROGRAM = "diplomacy"
OWN_KEY = "galloper"
_LETTER = {PhaseKind.MOVEMENT: "M", PhaseKind.RETREAT: "R", PhaseKind.ADJUSTMENT: "A"}
_KIND = {letter: kind for kind, letter in _LETTER.items()}
_PHASE = re.compile(r"([SFW])(\d{1,4})([MRA])")
_UNIT = re.compile(r"\*?([AF]) (\S+)")
_COMPLETED = "COMPLETED"
_WORDS = OrderWords(
    region=str, dash=" - ", via=" VIA", retreat="{unit} R {to}", build="{} B", remove="{unit} D"
)
_RESULTS = {
    "bounced": "bounce",
    "no_convoy": "no convoy",
    "cut": "cut",
    "dislodged": "dislodged",
    "unmatched": "void",
    "paradox": "disrupted",
}
"""Our reasons in the package's words."""


# Writing
# ----------------------------------------------------------------------------------------------------------


def write(board: GameBoard, log: GameLog, *, lossy: bool = False) -> Written:
    """The game as a line of JSON. Raises FormatFault for a board that the package has no map of, and, unless
    `lossy`, for an order that it has no word for."""
    name = map_name(board, classic.DIPLOMACY_MAPS, PROGRAM)
    left_out = classic.unspoken(log)
    classic.refuse_losses(left_out, lossy=lossy)
    writer = _Writer(board, log, name)
    phases = list(writer.phases())
    data: dict[str, Any] = {"id": log.name, "map": name, "rules": [], "phases": phases}
    extra = {key: value for key, value in (("void", writer.void), ("removed", writer.removed)) if value}
    if extra:
        data[OWN_KEY] = extra
    notes = (
        [f"{len(writer.void)} void orders are under {OWN_KEY!r}: the package would refuse them."]
        if writer.void
        else []
    )
    if writer.removed:
        notes.append(
            f"{len(writer.removed)} removals by the rules are written as orders, and marked under "
            f"{OWN_KEY!r}."
        )
    return Written((json.dumps(data) + "\n").encode(), tuple(left_out), tuple(notes))


class _Writer:
    """The phases of one game. `void` and `removed` fill up as they are written, each a line such as
    "S1901M FRANCE: A PAR H"."""

    def __init__(self, board: GameBoard, log: GameLog, name: str) -> None:
        self._board, self._log, self._map = board, log, name
        self._hash = _StateHash(board)
        self._influence = _Influence(board)
        self.void: list[str] = []
        self.removed: list[str] = []

    def phases(self) -> Iterator[dict[str, Any]]:
        last = len(self._log.phases) - 1
        for index, phase in enumerate(self._log.phases):
            self._influence.follow(phase.position)
            if index < last and classic.is_idle(self._board, phase.position):
                self._note_void(phase, self._name(phase.position.phase))
                continue
            is_over = index == last and self._log.is_over
            name = _COMPLETED if is_over else self._name(phase.position.phase)
            orders, results = self._orders(phase, name) if phase.resolution is not None else ({}, {})
            yield {
                "name": name,
                "state": self._state(phase.position, name, index),
                "orders": orders,
                "results": results,
                "messages": [],
            }

    def _name(self, phase: Phase) -> str:
        return f"{classic.season_letter(self._board, phase)}{phase.year:04}{_LETTER[phase.kind]}"

    def _state(self, position: Position, name: str, index: int) -> dict[str, Any]:
        powers = self._board.context.powers
        is_winter = position.phase.kind is PhaseKind.ADJUSTMENT and name != _COMPLETED
        homes = {
            power: sorted(p.id for p in self._board.context.board.provinces.values() if p.home == power)
            for power in powers
        }
        due = {power: adjustment(self._board, position, power) if is_winter else 0 for power in powers}
        position = classic.without_stranded(position)
        beaten = {power: [d for d in position.dislodged if d.unit.power == power] for power in powers}
        return {
            # The package needs some time, ever later; the real one is no unit's business.
            "timestamp": index,
            "zobrist_hash": self._hash.of(position, homes),
            "note": "",
            "name": name,
            "game_id": self._log.name,
            "map": self._map,
            "rules": [],
            "units": {p: _units(position, p) + [f"*{_unit(d.unit)}" for d in beaten[p]] for p in powers},
            "retreats": {
                p: {_unit(d.unit): sorted(map(str, d.may_retreat)) for d in beaten[p]} for p in powers
            },
            "centers": {p: sorted(position.centres.get(p, ())) for p in powers},
            "homes": homes,
            "influence": self._influence.of_powers(),
            "civil_disorder": dict.fromkeys(powers, 0),
            "builds": {
                p: {"count": due[p], "homes": build_sites(self._board, position, p) if due[p] > 0 else []}
                for p in powers
            },
        }

    def _orders(self, phase: LoggedPhase, name: str) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        """The orders by power, and the results by unit."""
        assert phase.resolution is not None
        self._note_void(phase, name)
        powers = self._board.context.powers
        orders: dict[str, list[str]] = {power: [] for power in powers}
        results: dict[str, list[str]] = {_unit(unit): [] for unit in _standing(phase.position)}
        lines = OrderWriter(_WORDS, phase.position)
        convoyed = _convoyed_by_own_fleet(phase.resolution)
        for outcome in phase.resolution.outcomes:
            order = outcome.order
            if outcome.result is Result.VOID or not isinstance(order, classic.SPOKEN_ORDERS):
                continue
            # The package carries an army overseas only where the order states "via".
            by_convoy = isinstance(order, Move) and (
                order.via_convoy
                or order.unit.region.province in convoyed
                or not self._is_step(phase.position, order)
            )
            orders[order.power].append(lines.text(self._settled(phase.position, order), by_convoy=by_convoy))
            if isinstance(order, UnitOrder):
                results[lines.unit(order.unit)] = _result_words(outcome)
        for unit in (*phase.resolution.removed_by_disorder, *phase.resolution.removed_by_lot):
            orders[unit.power].append(f"{_unit(unit)} D")
            self.removed.append(f"{name} {unit.power}: {_unit(unit)} D")
        return orders, results

    def _note_void(self, phase: LoggedPhase, name: str) -> None:
        # As the sheet states: an order for a fleet where an army stands must not become one for the army.
        lines = OrderWriter(_WORDS, None)
        outcomes = phase.resolution.outcomes if phase.resolution is not None else ()
        self.void += [
            f"{name} {o.order.power}: {lines.text(o.order, by_convoy=getattr(o.order, 'via_convoy', False))}"
            for o in outcomes
            if o.result is Result.VOID and isinstance(o.order, classic.SPOKEN_ORDERS)
        ]

    def _settled(self, position: Position, order: Order) -> Order:
        """The order with the coast that the judge took, where only one was meant. The package takes a support
        only to a coast that the supporting unit can reach, or without a coast."""
        if not isinstance(order, (Move, SupportMove)):
            return order
        unit = next(u for u in position.units if u.region.province == order.unit.region.province)
        regions = self._board.context.tables.steps(unit.kind, unit.region).get(order.to.province, ())
        if order.to in regions:
            return order
        is_meant = isinstance(order, Move) and len(regions) == 1
        return replace(order, to=regions[0] if is_meant else Region(order.to.province))

    def _is_step(self, position: Position, order: Move) -> bool:
        unit = next(u for u in position.units if u.region.province == order.unit.region.province)
        return order.to.province in self._board.context.tables.steps(unit.kind, unit.region)


def _convoyed_by_own_fleet(resolution: Resolution) -> frozenset[str]:
    """Provinces of the units whose own power ordered a fleet to convoy them where they go (DATC 4.A.3)."""
    convoys = {
        (o.order.power, o.order.target.region.province, o.order.to.province)
        for o in resolution.outcomes
        if isinstance(o.order, Convoy) and o.result is not Result.VOID
    }
    return frozenset(
        o.order.unit.region.province
        for o in resolution.outcomes
        if isinstance(o.order, Move)
        and (o.order.power, o.order.unit.region.province, o.order.to.province) in convoys
    )


def _result_words(outcome: Outcome) -> list[str]:
    words = [] if outcome.reason is None else [_RESULTS.get(outcome.reason, "")]
    if outcome.dislodged:
        words.append("dislodged")
    return list(dict.fromkeys(word for word in words if word))


def _standing(position: Position) -> list[Unit]:
    if position.phase.kind is PhaseKind.RETREAT:
        return [d.unit for d in position.dislodged]
    return [] if position.phase.kind is PhaseKind.ADJUSTMENT else sorted(position.units)


def _unit(unit: Unit) -> str:
    return f"{unit.kind} {unit.region}"


def _units(position: Position, power: str) -> list[str]:
    return sorted(_unit(unit) for unit in position.units if unit.power == power)


class _Influence:
    """Which power was in a land province last, or owned it at first: the colour of the package's map."""

    def __init__(self, board: GameBoard) -> None:
        self._board = board
        self._of: dict[str, str] = {
            p.id: p.home for p in board.context.board.provinces.values() if p.home is not None
        }

    def follow(self, position: Position) -> None:
        """Enter the units of the next position."""
        for unit in position.units:
            if not self._board.context.board.provinces[unit.region.province].is_sea:
                self._of[unit.region.province] = unit.power

    def of_powers(self) -> dict[str, list[str]]:
        return {
            power: sorted(place for place, holder in self._of.items() if holder == power)
            for power in self._board.context.powers
        }


class _StateHash:
    """The package's check number of a state: a random number for each fact, all combined by exclusive or.
    The numbers come from Python's own generator, begun with a number that the centres give."""

    def __init__(self, board: GameBoard) -> None:
        provinces = board.context.board.provinces.values()
        places = sorted({p.id for p in provinces} | {f"{p.id}/{c.id}" for p in provinces for c in p.coasts})
        self._places = {place: index for index, place in enumerate(places)}
        self._powers = {power: index for index, power in enumerate(sorted(board.context.powers))}
        joined = "-".join(board.context.board.centres())
        seed = 12345 + len(places) + sum(ord(letter) * 7**index for index, letter in enumerate(joined))
        chance = Random(seed % 2**32)  # noqa: S311 no secret: the package's fixed table

        def table(rows: int) -> list[list[int]]:
            return [[chance.randint(1, 2**63 - 1) for _ in places] for _ in range(rows)]

        count = len(self._powers)
        # In the package's order, as the numbers follow each other.
        self._kind, self._unit, self._beaten_kind, self._beaten, self._centre, self._home = (
            table(rows) for rows in (2, count, 2, count, count, count)
        )

    def of(self, position: Position, homes: Mapping[str, list[str]]) -> str:
        """The number of a position, as text."""
        number = 0
        for unit in position.units:
            number ^= self._fact(unit, self._kind, self._unit)
        for beaten in position.dislodged:
            number ^= self._fact(beaten.unit, self._beaten_kind, self._beaten)
        for table, owned in ((self._centre, position.centres), (self._home, homes)):
            for power, places in owned.items():
                for place in places:
                    number ^= table[self._powers[power]][self._places[place]]
        return str(number)

    def _fact(self, unit: Unit, kinds: list[list[int]], units: list[list[int]]) -> int:
        place = self._places[str(unit.region)]
        return kinds["AF".index(unit.kind)][place] ^ units[self._powers[unit.power]][place]


# Reading
# ----------------------------------------------------------------------------------------------------------


def read(board: GameBoard, data: bytes) -> tuple[GameLog, ...]:
    """The games of a file, one a line. Orders that cannot be read are noted with their phase.

    Raises FormatFault naming the line and the phase: for what is no such game, a map that is not this board,
    an unknown power, unit or place.
    """
    if len(data) > MAX_BYTES:
        raise FormatFault(
            f"The file has {len(data):,} bytes, more than the {MAX_BYTES:,} allowed for a saved game; it "
            f"was not read."
        )
    map_name(board, classic.DIPLOMACY_MAPS, PROGRAM)
    try:
        lines = data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise FormatFault(f"The file is not UTF-8 text (byte {error.start}); nothing was read.") from None
    games = [
        _game(board, _json(line, number), f"line {number}")
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    if not games:
        raise FormatFault("The file is empty; a saved game of diplomacy is a line of JSON.")
    return tuple(games)


def _json(line: str, number: int) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FormatFault(
            f"Line {number} is not JSON ({error}); a saved game of diplomacy is one line of JSON."
        ) from None


def _game(board: GameBoard, data: Any, where: str) -> GameLog:
    game = _object(data, where)
    wanted_map = classic.DIPLOMACY_MAPS[board.slug]
    if game.get("map", wanted_map) != wanted_map:
        raise FormatFault(
            f"{where}: the game is played on the map {str(game['map'])[:40]!r}, and "
            f"{board.slug} is {wanted_map!r} there."
        )
    reader = _Reader(board)
    phases: list[LoggedPhase] = []
    is_over = False
    for index, item in enumerate(_list(game.get("phases"), f"{where}, phases")):
        place = f"{where}, phases[{index}]"
        phase = _object(item, place)
        name = phase.get("name")
        if name == "FORMING":
            continue
        if name == _COMPLETED:
            is_over = True
            moment = _after(board, phases[-1].position.phase) if phases else board.context.start
        else:
            moment = _phase(board, name, place)
        if moment is None:
            raise FormatFault(f"{place}: the game is over before its first phase.")
        phases.append(reader.phase(phase, moment, f"{place} ({name})"))
    if not phases:
        raise FormatFault(f"{where}: the game has no phase.")
    extra = game.get(OWN_KEY)
    if extra is not None:
        phases = list(_with_void(board, phases, _object(extra, f"{where}, {OWN_KEY}"), where))
    name = game.get("id")
    return GameLog(name if isinstance(name, str) else where, board.slug, tuple(phases), is_over)


def _after(board: GameBoard, phase: Phase) -> Phase:
    return board.context.calendar.phase_after(phase)


def _phase(board: GameBoard, name: object, where: str) -> Phase:
    match = _PHASE.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        raise FormatFault(f"{where}: {str(name)[:40]!r} is not a phase such as S1901M.")
    season, year, kind = match.groups()
    phase = Phase(int(year), classic.season_named(board, season), _KIND[kind])
    if (phase.season, phase.kind) not in board.context.calendar.steps:
        raise FormatFault(f"{where}: there is no phase {name}.")
    return phase


class _Reader:
    """Reads the phases of one game."""

    def __init__(self, board: GameBoard) -> None:
        self._board = board
        self._names = BoardNames(board)

    def phase(self, data: Mapping[str, Any], moment: Phase, where: str) -> LoggedPhase:
        state = _object(data.get("state"), f"{where}, state")
        position = self._position(state, moment, where)
        orders: list[Order] = []
        unread: list[str] = []
        for power, texts in self._by_power(data.get("orders"), f"{where}, orders"):
            for text in _list(texts, f"{where}, orders"):
                if not isinstance(text, str):
                    raise FormatFault(f"{where}: an order of {power} is not text.")
                try:
                    order = read_order(self._names, power, text, moment.kind)
                except UnreadOrder:
                    unread.append(f"{power}: {text[:80]}")
                    continue
                if order is not None:
                    orders.append(order)
        return LoggedPhase(position, tuple(orders), unread=tuple(unread))

    def _by_power(self, data: Any, where: str) -> Iterator[tuple[str, Any]]:
        for name, value in _object({} if data is None else data, where).items():
            power = self._names.power(name)
            if power is None:
                raise FormatFault(f"{where}: there is no power {name[:40]!r} on {self._board.slug}.")
            yield power, value

    def _position(self, state: Mapping[str, Any], moment: Phase, where: str) -> Position:
        units: dict[str, Unit] = {}
        beaten: dict[Unit, frozenset[Region]] = {}
        retreats = {
            power: _object(value, f"{where}, retreats")
            for power, value in self._by_power(state.get("retreats"), f"{where}, retreats")
        }
        for power, texts in self._by_power(state.get("units"), f"{where}, units"):
            for text in _list(texts, f"{where}, units"):
                unit = self._unit(power, text, where)
                if str(text).startswith("*"):
                    offered = retreats.get(power, {}).get(str(text)[1:], [])
                    beaten[unit] = frozenset(self._region(place, where) for place in _list(offered, where))
                elif units.setdefault(unit.region.province, unit) is not unit:
                    raise FormatFault(f"{where}: two units are in {unit.region.province}.")
        centres: dict[str, frozenset[str]] = {power: frozenset() for power in self._board.context.powers}
        for power, places in self._by_power(state.get("centers"), f"{where}, centers"):
            centres[power] = frozenset(self._centre(place, where) for place in _list(places, where))
        dislodged = tuple(Dislodgement(unit, "", may_retreat=beaten[unit]) for unit in sorted(beaten))
        return Position(moment, frozenset(units.values()), centres, dislodged)

    def _unit(self, power: str, text: Any, where: str) -> Unit:
        match = _UNIT.fullmatch(text) if isinstance(text, str) and len(text) < 40 else None
        region = self._names.region(match[2]) if match else None
        if match is None or region is None:
            raise FormatFault(f"{where}: {str(text)[:40]!r} is not a unit of {self._board.slug}.")
        if region not in self._board.context.tables.stands[match[1]].get(region.province, ()):
            raise FormatFault(f"{where}: {text!r} cannot be there.")
        return Unit(power, match[1], region)

    def _region(self, text: Any, where: str) -> Region:
        region = self._names.region(text) if isinstance(text, str) else None
        if region is None:
            raise FormatFault(f"{where}: there is no place {str(text)[:40]!r} on {self._board.slug}.")
        return region

    def _centre(self, text: Any, where: str) -> str:
        province = self._region(text, where).province
        if not self._board.context.board.provinces[province].centre:
            raise FormatFault(f"{where}: {province} is not a supply centre.")
        return province


def _with_void(
    board: GameBoard, phases: list[LoggedPhase], extra: Mapping[str, Any], where: str
) -> Iterator[LoggedPhase]:
    """The phases with what our own key states: void orders are back, removals by the rules are not orders."""
    names = BoardNames(board)
    void, removed = (_own_lines(extra.get(key), f"{where}, {OWN_KEY}.{key}") for key in ("void", "removed"))
    for phase in phases:
        name = (
            f"{classic.season_letter(board, phase.position.phase)}{phase.position.phase.year:04}"
            + (_LETTER[phase.position.phase.kind])
        )
        orders = [o for o in phase.orders if not _is_removed(o, removed.get(name, ()))]
        for power, text in void.get(name, ()):
            known = names.power(power)
            try:
                order = (
                    read_order(names, known, text, phase.position.phase.kind) if known is not None else None
                )
            except UnreadOrder:
                order = None
            if order is not None:
                orders.append(order)
        yield replace(phase, orders=tuple(orders))


def _own_lines(value: Any, where: str) -> Mapping[str, list[tuple[str, str]]]:
    lines: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for line in _list([] if value is None else value, where):
        head, _, text = str(line).partition(": ")
        phase, _, power = head.partition(" ")
        lines[phase].append((power, text))
    return lines


def _is_removed(order: Order, removed: list[tuple[str, str]] | tuple[()]) -> bool:
    return isinstance(order, Remove) and (order.power, f"{_reference(order.unit)} D") in removed


def _reference(unit: UnitRef) -> str:
    return f"{unit.kind} {unit.region}"


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FormatFault(f"{where}: an object is missing there, so this is not a saved game of diplomacy.")
    return value


def _list(value: Any, where: str) -> list[Any]:
    # The package writes null for a power whose orders are not set.
    if value is None:
        return []
    if not isinstance(value, list):
        raise FormatFault(f"{where}: a list is missing there, so this is not a saved game of diplomacy.")
    return value
