"""jDip's saved game: a graph of its Java objects (`jsx`), packed with gzip, with its map in it.

The classes and fields are those of jDip 1.6 and 1.7: `dip.world.World` with a `TurnState` for each phase,
which has its `Position`, orders and results.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from typing import Any

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.formats import classic
from adjudicator.formats.board_names import BoardNames
from adjudicator.formats.classic import map_name
from adjudicator.formats.datc_cases import JDIP_WORDS, PROGRAM
from adjudicator.formats.game_log import (
    MAX_BYTES,
    FormatFault,
    GameBoard,
    GameLog,
    LoggedPhase,
    Written,
)
from adjudicator.formats.jsx import (
    Graph,
    JavaArray,
    JavaList,
    JavaObject,
    Node,
    Primitive,
    from_xml,
    hash_map,
    integer,
    plain_object,
    sorted_map,
    to_xml,
    truth,
)
from adjudicator.formats.order_text import OrderWriter
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
    UnitOrder,
)
from adjudicator.outcome import Result
from adjudicator.phases.dislodgements import retreat_regions
from adjudicator.position import Dislodgement, Position
from adjudicator.units import Unit, UnitRef

_WORLD = "dip.world."
_ORDER = "dip.order."
_SEASON = {"S": 1000, "F": 2000, "W": 2000}
_PHASE_TYPE = {
    PhaseKind.MOVEMENT: ("movement", 100),
    PhaseKind.RETREAT: ("retreat", 200),
    PhaseKind.ADJUSTMENT: ("adjustment", 300),
}
_COASTS = {
    None: ("Single", "xc", 3),
    "NC": ("North Coast", "nc", 4),
    "SC": ("South Coast", "sc", 5),
    "WC": ("West Coast", "wc", 6),
    "EC": ("East Coast", "ec", 7),
}
_ON_LAND, _WING = ("None", "mv", 2), ("Wing", "wx", 1)
_UNIT_TYPES = {"A": "army", "F": "fleet"}
_ADJECTIVES = {
    "AUSTRIA": "Austrian",
    "ENGLAND": "English",
    "FRANCE": "French",
    "GERMANY": "German",
    "ITALY": "Italian",
    "RUSSIA": "Russian",
    "TURKEY": "Turkish",
}
YEARS, UNCHANGED_YEARS = 35, 7
"""jDip's own limits of a Standard game, which it asks for."""


# Writing
# ----------------------------------------------------------------------------------------------------------


def write(board: GameBoard, log: GameLog, *, lossy: bool = False) -> Written:
    """The game as bytes that jDip opens. Raises FormatFault for a board that jDip has not, and, unless
    `lossy`, for an order that it has no word for."""
    variant = map_name(board, classic.JDIP_VARIANTS, PROGRAM)
    left_out = classic.unspoken(log)
    classic.refuse_losses(left_out, lossy=lossy)
    data = gzip.compress(
        to_xml(_Writer(board).world(log, variant)).encode("ascii", "xmlcharrefreplace"), mtime=0
    )
    return Written(data, tuple(left_out))


class _Writer:
    """Makes the objects of one game: each power, province and coast once."""

    def __init__(self, board: GameBoard) -> None:
        self._board = board
        self._coasts: dict[tuple[str, str, int], JavaObject] = {}
        self._types = {
            letter: plain_object(f"{_WORLD}Unit$Type", internalName=word)
            for letter, word in _UNIT_TYPES.items()
        }
        self._powers = {
            power: plain_object(
                f"{_WORLD}Power",
                names=JavaArray("java.lang.String", [power.title()]),
                isActive=truth(True),
                adjective=_ADJECTIVES.get(power, power.title()),
            )
            for power in board.context.powers
        }
        self._provinces = self._all_provinces()
        self._map = plain_object(
            f"{_WORLD}Map",
            powers=JavaArray(f"{_WORLD}Power", list(self._powers.values())),
            provinces=JavaArray(f"{_WORLD}Province", list(self._provinces.values())),
        )

    def world(self, log: GameLog, variant: str) -> JavaObject:
        """The whole game."""
        turns: list[tuple[JavaObject, JavaObject]] = []
        holders: dict[str, str] = {}
        last = len(log.phases) - 1
        for index, phase in enumerate(log.phases):
            holders |= {unit.region.province: unit.power for unit in phase.position.units}
            if index < last and classic.is_idle(self._board, phase.position):
                continue
            moment = self._phase(phase.position.phase)
            is_end = index == last and log.is_over
            turns.append((moment, self._turn(moment, phase, holders, is_end=is_end)))
        start = self._board.context.start
        assert start is not None
        about: list[tuple[Any, Any]] = [
            (
                "_victory_conditions_",
                plain_object(
                    f"{_WORLD}VictoryConditions",
                    numSCForVictory=integer(self._board.context.victory),
                    maxYearsNoSCChange=integer(UNCHANGED_YEARS),
                    maxGameTimeYears=integer(YEARS),
                    initialYear=integer(start.year),
                ),
            ),
            (
                "_variant_info_",
                plain_object(
                    f"{_WORLD}World$VariantInfo",
                    variantName=variant,
                    mapName=variant,
                    symbolsName=None,
                    variantVersion=Primitive("float", "1.0"),
                    symbolsVersion=Primitive("float", "0.0"),
                    ruleOptions=plain_object(f"{_WORLD}RuleOptions", optionMap=hash_map([])),
                ),
            ),
        ]
        # The map first: all provinces are known before a unit stands in one.
        return plain_object(
            f"{_WORLD}World", map=self._map, turnStates=sorted_map(turns), nonTurnData=hash_map(about)
        )

    def _all_provinces(self) -> dict[str, JavaObject]:
        built: dict[str, JavaObject] = {}
        spellings: dict[str, list[str]] = {}
        for text, region in self._board.spellings.items():
            if region.coast is None and text.isascii():
                spellings.setdefault(region.province, []).append(text.lower())
        for index, province in enumerate(self._board.context.board.provinces.values()):
            names = dict.fromkeys([province.id.lower(), *spellings.get(province.id, [])])
            names.pop(province.name.lower(), None)
            built[province.id] = plain_object(
                f"{_WORLD}Province",
                fullName=province.name,
                shortNames=JavaArray("java.lang.String", list(names) or [province.id.lower()]),
                index=integer(index),
                isConvoyableCoast=truth(False),
                adjacency=None,
                supplyCenter=truth(province.centre),
                borders=None,
            )
        for province_id, province_object in built.items():
            province_object.parts[0][1]["adjacency"] = plain_object(
                f"{_WORLD}Province$Adjacency", adjLoc=hash_map(self._neighbours(province_id, built))
            )
        return built

    def _neighbours(
        self, province: str, provinces: Mapping[str, JavaObject]
    ) -> list[tuple[JavaObject, JavaArray]]:
        """For each coast of a province, and for the land, the places one step away."""
        board = self._board.context.board
        pairs = []
        touching: dict[str, None] = {}
        for movement in (LAND, SEA):
            for region in board.regions(province, movement):
                steps = sorted(board.neighbours(region, movement))
                touching |= dict.fromkeys(step.province for step in steps)
                kind = _ON_LAND if movement == LAND else _COASTS[region.coast]
                pairs.append(
                    (
                        self._coast(kind),
                        self._places(
                            [
                                (
                                    provinces[step.province],
                                    _ON_LAND if movement == LAND else _COASTS[step.coast],
                                )
                                for step in steps
                            ]
                        ),
                    )
                )
        return [*pairs, (self._coast(_WING), self._places([(provinces[name], _WING) for name in touching]))]

    def _places(self, places: list[tuple[JavaObject, tuple[str, str, int]]]) -> JavaArray:
        return JavaArray(
            f"{_WORLD}Location",
            [
                plain_object(f"{_WORLD}Location", province=province, coast=self._coast(coast))
                for province, coast in places
            ],
        )

    def _coast(self, words: tuple[str, str, int]) -> JavaObject:
        name, abbreviation, index = words
        return self._coasts.setdefault(
            words, plain_object(f"{_WORLD}Coast", name=name, abbreviation=abbreviation, index=integer(index))
        )

    def _coast_of(self, kind: str, region: Region) -> JavaObject:
        return self._coast(_ON_LAND if kind == "A" else _COASTS[region.coast])

    def _place(self, kind: str, region: Region) -> JavaObject:
        return plain_object(
            f"{_WORLD}Location", province=self._provinces[region.province], coast=self._coast_of(kind, region)
        )

    def _phase(self, phase: Phase) -> JavaObject:
        word, place = _PHASE_TYPE[phase.kind]
        season = _SEASON[classic.season_letter(self._board, phase)]
        return plain_object(
            f"{_WORLD}Phase",
            seasonType=plain_object(f"{_WORLD}Phase$SeasonType", position=integer(season)),
            yearType=plain_object(f"{_WORLD}Phase$YearType", year=integer(phase.year)),
            phaseType=plain_object(f"{_WORLD}Phase$PhaseType", constName=word, position=integer(place)),
        )

    def _turn(
        self, moment: JavaObject, phase: LoggedPhase, holders: Mapping[str, str], *, is_end: bool
    ) -> JavaObject:
        orders: dict[str, list[JavaObject]] = {}
        results = []
        resolution = phase.resolution
        for outcome in () if resolution is None else resolution.outcomes:
            if not isinstance(outcome.order, classic.SPOKEN_ORDERS):
                continue
            # A void order may name a unit that is not there, which jDip cannot hold; it stands as a remark.
            if outcome.result is Result.VOID:
                text = OrderWriter(JDIP_WORDS, None).text(outcome.order)
                results.append(self._remark(outcome.order.power, f"Void order: {text}. {outcome.why}"))
                continue
            order = self._order(phase.position, outcome.order)
            orders.setdefault(outcome.order.power, []).append(order)
            is_success = outcome.result is Result.SUCCEEDS
            # The sentence of our results, which all have seen.
            results.append(self._result(outcome.order.power, order, is_success, outcome.why))
        changed = False if resolution is None else resolution.position.centres != phase.position.centres
        return plain_object(
            f"{_WORLD}TurnState",
            phase=moment,
            resultList=JavaList(results),
            orderMap=hash_map(
                [(self._powers[power], JavaList(entries)) for power, entries in orders.items()]
            ),
            isSCOwnerChanged=truth(changed),
            position=self._position(phase.position, holders),
            isEnded=truth(is_end),
            isResolved=truth(resolution is not None),
        )

    def _remark(self, power: str, message: str) -> JavaObject:
        return plain_object(f"{_ORDER}result.Result", power=self._powers[power], message=message)

    def _result(self, power: str, order: JavaObject, is_success: bool, why: str) -> JavaObject:
        key, place = ("SUCCESS", 20) if is_success else ("FAILURE", 30)
        result = f"{_ORDER}result."
        return JavaObject(
            [
                (f"{result}Result", {"power": self._powers[power], "message": why}, []),
                (
                    f"{result}OrderResult",
                    {
                        "resultType": plain_object(
                            f"{result}OrderResult$ResultType", key=key, ordering=integer(place)
                        ),
                        "order": order,
                    },
                    [],
                ),
            ]
        )

    def _position(self, position: Position, holders: Mapping[str, str]) -> JavaObject:
        built = plain_object(f"{_WORLD}Position", powerMap=None, provArray=None, map=self._map)
        fields = built.parts[0][1]
        alive = {unit.power for unit in position.units} | {
            p for p, owned in position.centres.items() if owned
        }
        fields["powerMap"] = hash_map(
            [
                (
                    self._powers[power],
                    JavaObject(
                        [
                            (
                                f"{_WORLD}Position$PowerData",
                                {"isEliminated": truth(power not in alive), "this$0": built},
                                [],
                            )
                        ]
                    ),
                )
                for power in self._powers
            ]
        )
        units = {unit.region.province: unit for unit in position.units}
        beaten = {d.unit.region.province: d.unit for d in classic.without_stranded(position).dislodged}
        owner = {centre: power for power, owned in position.centres.items() for centre in owned}
        fields["provArray"] = JavaArray(
            f"{_WORLD}Position$ProvinceData",
            [
                JavaObject(
                    [
                        (
                            f"{_WORLD}Position$ProvinceData",
                            {
                                "unit": self._unit(units.get(province.id)),
                                "dislodgedUnit": self._unit(beaten.get(province.id)),
                                "SCOwner": self._powers.get(owner.get(province.id, "")),
                                "SCHomePower": self._powers.get(province.home or ""),
                                "lastOccupier": self._powers.get(holders.get(province.id, "")),
                                "this$0": built,
                            },
                            [],
                        )
                    ]
                )
                for province in self._board.context.board.provinces.values()
            ],
        )
        return built

    def _unit(self, unit: Unit | None) -> JavaObject | None:
        return (
            None
            if unit is None
            else plain_object(
                f"{_WORLD}Unit",
                type=self._types[unit.kind],
                owner=self._powers[unit.power],
                coast=self._coast_of(unit.kind, unit.region),
            )
        )

    def _order(self, position: Position, order: Order) -> JavaObject:
        if isinstance(order, Build):
            return self._of_class("Build", order.power, order.kind, order.region)
        assert isinstance(order, UnitOrder)
        unit = _standing(position, order.unit, is_beaten=position.phase.kind is PhaseKind.RETREAT)
        words = {Hold: "Hold", Disband: "Disband", Remove: "Remove"}
        match order:
            case Move() | Retreat():
                goal = order.to
                choices = self._board.context.tables.stands[unit.kind].get(goal.province, ())
                if goal not in choices and choices:
                    goal = next(
                        (
                            r
                            for r in self._board.context.tables.steps(unit.kind, unit.region).get(
                                goal.province, ()
                            )
                        ),
                        choices[0],
                    )
                via = isinstance(order, Move) and order.via_convoy
                is_step = goal.province in self._board.context.tables.steps(unit.kind, unit.region)
                move = (
                    "Move",
                    {
                        "dest": self._place(unit.kind, goal),
                        "convoyRoutes": None,
                        "_isViaConvoy": truth(via),
                        "_isConvoyIntent": truth(via or not is_step),
                        "_isAdjWithPossibleConvoy": truth(False),
                        "_fmtIsAdjWithConvoy": truth(False),
                        "_hasLandRoute": truth(is_step),
                    },
                )
                last = [("Retreat", {"evalResult": None})] if isinstance(order, Retreat) else []
                return self._of_classes(order.power, unit.kind, unit.region, [move, *last])
            case SupportHold() | SupportMove():
                other = _standing(position, order.target)
                goal_place = self._place(other.kind, order.to) if isinstance(order, SupportMove) else None
                return self._of_class(
                    "Support",
                    order.power,
                    unit.kind,
                    unit.region,
                    supSrc=self._place(other.kind, other.region),
                    supDest=goal_place,
                    supUnitType=self._types[other.kind],
                    narrowingOrder=None,
                    supPower=self._powers[other.power],
                )
            case Convoy():
                other = _standing(position, order.target)
                return self._of_class(
                    "Convoy",
                    order.power,
                    unit.kind,
                    unit.region,
                    convoySrc=self._place(other.kind, other.region),
                    convoyDest=self._place(other.kind, order.to),
                    convoyUnitType=self._types[other.kind],
                    convoyPower=self._powers[other.power],
                )
            case _:
                return self._of_class(words[type(order)], order.power, unit.kind, unit.region)

    def _of_class(self, word: str, power: str, kind: str, region: Region, **fields: Any) -> JavaObject:
        return self._of_classes(power, kind, region, [(word, fields)])

    def _of_classes(
        self, power: str, kind: str, region: Region, classes: list[tuple[str, dict[str, Any]]]
    ) -> JavaObject:
        entries = {
            "power": self._powers[power],
            "src": self._place(kind, region),
            "srcUnitType": self._types[kind],
        }
        return JavaObject(
            [(f"{_ORDER}Order", entries, []), *((f"{_ORDER}{word}", fields, []) for word, fields in classes)]
        )


def _standing(position: Position, reference: UnitRef, *, is_beaten: bool = False) -> Unit:
    beaten = [d.unit for d in position.dislodged]
    units = beaten if is_beaten else [*position.units, *beaten]
    return next(unit for unit in units if unit.region.province == reference.region.province)


# Reading
# ----------------------------------------------------------------------------------------------------------


def read(board: GameBoard, data: bytes) -> tuple[GameLog, ...]:
    """The game of a file. Raises FormatFault for what is no game of jDip, and for a map that is not this
    board's."""
    if len(data) > MAX_BYTES:
        raise FormatFault(
            f"The file has {len(data):,} bytes, and no saved game has more than {MAX_BYTES:,}; it was not "
            f"read."
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
        raise FormatFault("The file does not say which variant of jDip the game is.")

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
        kind = next((kind for kind, (name, _) in _PHASE_TYPE.items() if name == word), None)
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
        kind = next((letter for letter, name in _UNIT_TYPES.items() if name == word), None)
        if kind is None:
            raise FormatFault(f"The game has a unit {word[:20]!r}, and this board has armies and fleets.")
        return kind

    def _coast(self, node: Node) -> str | None:
        letters = self._graph.text(node, "abbreviation")
        return next((coast for coast, (_, word, _) in _COASTS.items() if word == letters), None)

    def _unit(self, node: Node, region: Region | None, moment: Phase) -> Unit:
        graph = self._graph
        power, kind = self._power(graph.field(node, "owner")), self._kind(graph.field(node, "type"))
        place = None if region is None else Region(region.province, self._coast(graph.field(node, "coast")))
        if (
            power is None
            or place is None
            or place not in self._board.context.tables.stands[kind].get(place.province, ())
        ):
            raise FormatFault(f"{moment}: a unit of the game stands where none can on this board.")
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
