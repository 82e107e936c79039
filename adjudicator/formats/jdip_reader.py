"""Reads jDip's saved game: a graph of its Java objects (`jsx`), packed with gzip."""

from __future__ import annotations

from collections.abc import Iterator

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.formats import classic
from adjudicator.formats.classic import map_name
from adjudicator.formats.datc_cases import PROGRAM
from adjudicator.formats.game_log import MAX_BYTES, BoardNames, FormatFault, GameBoard, GameLog, LoggedPhase
from adjudicator.formats.jdip_words import COASTS, PHASE_TYPE, UNIT_TYPES
from adjudicator.formats.jsx import Graph, Node, from_xml
from adjudicator.geo import LAND, SEA, Region
from adjudicator.orders import (
    Build,
    Convoy,
    Disband,
    Hold,
    Move,
    Order,
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
)
from adjudicator.phases.dislodgements import retreat_regions
from adjudicator.position import Dislodgement, Position
from adjudicator.units import Unit, UnitRef


def read(board: GameBoard, data: bytes) -> tuple[GameLog, ...]:
    """The game of a file. Raises FormatFault for what is not a game of jDip, and for a map that is not this
    board's."""
    if len(data) > MAX_BYTES:
        raise FormatFault(
            f"The file has {len(data):,} bytes, more than the {MAX_BYTES:,} allowed for a saved game; it "
            "was not read."
        )
    variant = map_name(board, classic.JDIP_VARIANTS, PROGRAM)
    graph = from_xml(data)
    reader = _Reader(board, graph)
    named = reader.variant()
    if named and named.casefold() != variant.casefold():
        raise FormatFault(f"The game is played on {named[:40]!r}, and {board.slug} is {variant!r} in jDip.")
    phases = tuple(reader.phases())
    if not phases:
        raise FormatFault("The game has no phase.")
    return (GameLog("jdip", board.slug, phases, reader.is_over),)


class _Reader:
    """Reads one game."""

    def __init__(self, board: GameBoard, graph: Graph) -> None:
        self._board, self._graph = board, graph
        self._names = BoardNames(board)
        self.is_over = False

    def variant(self) -> str:
        """The name of jDip's variant; "" where the file leaves it out."""
        for key, value in self._graph.pairs(self._graph.field(self._graph.root, "nonTurnData")):
            if key.attributes.get("value") == "_variant_info_":
                return self._graph.text(value, "variantName")
        raise FormatFault("The file does not name the variant of jDip.")

    def phases(self) -> Iterator[LoggedPhase]:
        """The phases, in the order of the file."""
        provinces = [
            self._region(node)
            for node in self._graph.items(self._graph.field(self._graph.root, "map", "provinces"))
        ]
        before: LoggedPhase | None = None
        for _, turn in self._graph.pairs(self._graph.field(self._graph.root, "turnStates", "m")):
            position = self._position(turn, provinces, before)
            before = LoggedPhase(position, tuple(self._orders(turn)))
            self.is_over = self._graph.text(turn, "isEnded") == "true"
            yield before

    def _phase(self, turn: Node) -> Phase:
        graph = self._graph
        word = graph.text(turn, "phase", "phaseType", "constName")
        kind = next((kind for kind, (name, _) in PHASE_TYPE.items() if name == word), None)
        year, season = (
            graph.text(turn, "phase", "yearType", "year"),
            graph.text(turn, "phase", "seasonType", "position"),
        )
        if kind is None or not year.isdecimal() or len(year) > 4 or season not in {"1000", "2000"}:
            raise FormatFault(f"There is no phase {word[:20]} of {season[:8]} {year[:8]} in jDip.")
        letter = "W" if kind is PhaseKind.ADJUSTMENT else "S" if season == "1000" else "F"
        return Phase(int(year), classic.season_named(self._board, letter), kind)

    def _region(self, province: Node) -> Region | None:
        """Our province for one of jDip's; None for one that is not on our board, such as Switzerland."""
        graph = self._graph
        names = [
            graph.text(province, "fullName"),
            *(node.attributes.get("value", "") for node in graph.items(graph.field(province, "shortNames"))),
        ]
        return next((region for name in names if (region := self._names.region(name)) is not None), None)

    def _power(self, node: Node) -> str | None:
        if node.tag == "null":
            return None
        names = self._graph.items(self._graph.field(node, "names"))
        power = self._names.power(names[0].attributes.get("value", "")) if names else None
        if power is None:
            raise FormatFault("The game has a power that is not on this board.")
        return power

    def _position(self, turn: Node, provinces: list[Region | None], before: LoggedPhase | None) -> Position:
        graph, moment = self._graph, self._phase(turn)
        units: list[Unit] = []
        beaten: list[Unit] = []
        centres: dict[str, set[str]] = {power: set() for power in self._board.context.powers}
        data = graph.items(graph.field(turn, "position", "provArray"))
        for region, entry in zip(provinces, data, strict=False):
            if entry.tag == "null":
                continue
            for name, standing in (("unit", units), ("dislodgedUnit", beaten)):
                node = graph.field(entry, name)
                if node.tag != "null":
                    standing.append(self._unit(node, region, moment))
            owner = self._power(graph.field(entry, "SCOwner"))
            if owner is not None and region is not None:
                centres[owner].add(region.province)
        dislodged = tuple(self._dislodged(unit, units, before) for unit in sorted(beaten))
        owned_centres = {power: frozenset(owned) for power, owned in centres.items()}
        return Position(moment, frozenset(units), owned_centres, dislodged)

    def _dislodged(self, unit: Unit, units: list[Unit], before: LoggedPhase | None) -> Dislodgement:
        """Where a unit may go is not in the file; it follows from the moves of the phase before."""
        moves = [order for order in (before.orders if before else ()) if isinstance(order, Move)]
        taken = {u.region.province for u in units}
        place = unit.region.province
        winner = next((u for u in units if u.region.province == place), None)
        attack = next(
            (m for m in moves if winner is not None and m.to.province == place and m.power == winner.power),
            None,
        )
        origin = "" if attack is None else attack.unit.region.province
        aims = [m.to.province for m in moves]
        contested = {aim for aim in aims if aims.count(aim) > 1 and aim not in taken}
        steps = (
            ()
            if winner is None
            else self._board.context.board.near(place, LAND if winner.kind == "A" else SEA)
        )
        by_convoy = attack is not None and (attack.via_convoy or origin not in steps)
        return Dislodgement(
            unit,
            origin,
            by_convoy,
            retreat_regions(self._board.context, unit, origin, taken | contested, by_convoy=by_convoy),
        )

    def _kind(self, node: Node) -> str:
        word = self._graph.text(node, "internalName")
        kind = next((letter for letter, name in UNIT_TYPES.items() if name == word), None)
        if kind is None:
            raise FormatFault(f"The game has a unit {word[:20]!r}, and this board has armies and fleets.")
        return kind

    def _coast(self, node: Node) -> str | None:
        letters = self._graph.text(node, "abbreviation")
        return next((coast for coast, (_, word, _) in COASTS.items() if word == letters), None)

    def _unit(self, node: Node, region: Region | None, moment: Phase) -> Unit:
        graph = self._graph
        power, kind = self._power(graph.field(node, "owner")), self._kind(graph.field(node, "type"))
        place = None if region is None else Region(region.province, self._coast(graph.field(node, "coast")))
        if (
            power is None
            or place is None
            or place not in self._board.context.tables.stands[kind].get(place.province, ())
        ):
            raise FormatFault(f"{moment}: a unit of the game is where no unit can be on this board.")
        return Unit(power, kind, place)

    def _orders(self, turn: Node) -> Iterator[Order]:
        for key, entries in self._graph.pairs(self._graph.field(turn, "orderMap")):
            power = self._power(key)
            for node in self._graph.items(entries):
                order = None if power is None else self._order(power, node)
                if order is not None:
                    yield order

    def _place(self, node: Node, *names: str) -> Region:
        location = self._graph.field(node, *names)
        region = self._region(self._graph.field(location, "province"))
        if region is None:
            raise FormatFault("An order of the game names a province that is not on this board.")
        return Region(region.province, self._coast(self._graph.field(location, "coast")))

    def _order(self, power: str, node: Node) -> Order | None:
        graph, word = self._graph, node.attributes.get("class", "").rpartition(".")[2]
        if word == "Waive":
            return None
        kind, source = self._kind(graph.field(node, "srcUnitType")), self._place(node, "src")
        unit = UnitRef(kind, source)
        own_words = {"Hold": Hold, "Disband": Disband, "Remove": Remove}
        if word in own_words:
            return own_words[word](power=power, unit=unit)
        if word == "Build":
            return Build(power=power, kind=kind, region=source)
        if word in {"Move", "Retreat"}:
            goal = self._place(node, "dest")
            if word == "Retreat":
                return Retreat(power=power, unit=unit, to=goal)
            return Move(
                power=power, unit=unit, to=goal, via_convoy=graph.text(node, "_isViaConvoy") == "true"
            )
        return self._order_for_another(power, unit, node, word)

    def _order_for_another(self, power: str, unit: UnitRef, node: Node, word: str) -> Order:
        if word not in {"Support", "Convoy"}:
            raise FormatFault(f"The game has an order {word[:20]!r}, which this board does not know.")
        graph, short = self._graph, {"Support": "sup", "Convoy": "convoy"}[word]
        kind = self._kind(graph.field(node, f"{short}UnitType"))
        target = UnitRef(kind, self._place(node, f"{short}Src"))
        if graph.field(node, f"{short}Dest").tag == "null":
            return SupportHold(power=power, unit=unit, target=target)
        goal = self._place(node, f"{short}Dest")
        return (SupportMove if word == "Support" else Convoy)(power=power, unit=unit, target=target, to=goal)
