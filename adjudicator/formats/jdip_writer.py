"""Writes jDip's saved game: a graph of its Java objects (`jsx`), packed with gzip, with its map in it."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from typing import Any

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.formats import classic
from adjudicator.formats.classic import map_name
from adjudicator.formats.datc_cases import JDIP_WORDS, PROGRAM
from adjudicator.formats.game_log import GameBoard, GameLog, LoggedPhase, Written
from adjudicator.formats.jdip_words import (
    ADJECTIVES,
    COASTS,
    ON_LAND,
    ORDER,
    PHASE_TYPE,
    SEASON,
    UNCHANGED_YEARS,
    UNIT_TYPES,
    WING_COAST,
    WORLD,
    YEARS,
)
from adjudicator.formats.jsx import (
    JavaArray,
    JavaList,
    JavaObject,
    Primitive,
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
from adjudicator.position import Position
from adjudicator.units import Unit, UnitRef


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
            letter: plain_object(f"{WORLD}Unit$Type", internalName=word)
            for letter, word in UNIT_TYPES.items()
        }
        self._powers = {
            power: plain_object(
                f"{WORLD}Power",
                names=JavaArray("java.lang.String", [power.title()]),
                isActive=truth(True),
                adjective=ADJECTIVES.get(power, power.title()),
            )
            for power in board.context.powers
        }
        self._provinces = self._all_provinces()
        self._map = plain_object(
            f"{WORLD}Map",
            powers=JavaArray(f"{WORLD}Power", list(self._powers.values())),
            provinces=JavaArray(f"{WORLD}Province", list(self._provinces.values())),
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
                    f"{WORLD}VictoryConditions",
                    numSCForVictory=integer(self._board.context.victory),
                    maxYearsNoSCChange=integer(UNCHANGED_YEARS),
                    maxGameTimeYears=integer(YEARS),
                    initialYear=integer(start.year),
                ),
            ),
            (
                "_variant_info_",
                plain_object(
                    f"{WORLD}World$VariantInfo",
                    variantName=variant,
                    mapName=variant,
                    symbolsName=None,
                    variantVersion=Primitive("float", "1.0"),
                    symbolsVersion=Primitive("float", "0.0"),
                    ruleOptions=plain_object(f"{WORLD}RuleOptions", optionMap=hash_map([])),
                ),
            ),
        ]
        # The map first: all provinces are known before a unit is in one.
        return plain_object(
            f"{WORLD}World", map=self._map, turnStates=sorted_map(turns), nonTurnData=hash_map(about)
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
                f"{WORLD}Province",
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
                f"{WORLD}Province$Adjacency", adjLoc=hash_map(self._neighbours(province_id, built))
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
                kind = ON_LAND if movement == LAND else COASTS[region.coast]
                pairs.append(
                    (
                        self._coast(kind),
                        self._places(
                            [
                                (
                                    provinces[step.province],
                                    ON_LAND if movement == LAND else COASTS[step.coast],
                                )
                                for step in steps
                            ]
                        ),
                    )
                )
        wings = self._places([(provinces[name], WING_COAST) for name in touching])
        return [*pairs, (self._coast(WING_COAST), wings)]

    def _places(self, places: list[tuple[JavaObject, tuple[str, str, int]]]) -> JavaArray:
        return JavaArray(
            f"{WORLD}Location",
            [
                plain_object(f"{WORLD}Location", province=province, coast=self._coast(coast))
                for province, coast in places
            ],
        )

    def _coast(self, words: tuple[str, str, int]) -> JavaObject:
        name, abbreviation, index = words
        return self._coasts.setdefault(
            words, plain_object(f"{WORLD}Coast", name=name, abbreviation=abbreviation, index=integer(index))
        )

    def _coast_of(self, kind: str, region: Region) -> JavaObject:
        return self._coast(ON_LAND if kind == "A" else COASTS[region.coast])

    def _place(self, kind: str, region: Region) -> JavaObject:
        return plain_object(
            f"{WORLD}Location", province=self._provinces[region.province], coast=self._coast_of(kind, region)
        )

    def _phase(self, phase: Phase) -> JavaObject:
        word, place = PHASE_TYPE[phase.kind]
        season = SEASON[classic.season_letter(self._board, phase)]
        return plain_object(
            f"{WORLD}Phase",
            seasonType=plain_object(f"{WORLD}Phase$SeasonType", position=integer(season)),
            yearType=plain_object(f"{WORLD}Phase$YearType", year=integer(phase.year)),
            phaseType=plain_object(f"{WORLD}Phase$PhaseType", constName=word, position=integer(place)),
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
            # A void order may name a unit that is not there, which jDip cannot hold; it is as a remark.
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
            f"{WORLD}TurnState",
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
        return plain_object(f"{ORDER}result.Result", power=self._powers[power], message=message)

    def _result(self, power: str, order: JavaObject, is_success: bool, why: str) -> JavaObject:
        key, place = ("SUCCESS", 20) if is_success else ("FAILURE", 30)
        result = f"{ORDER}result."
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
        built = plain_object(f"{WORLD}Position", powerMap=None, provArray=None, map=self._map)
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
                                f"{WORLD}Position$PowerData",
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
            f"{WORLD}Position$ProvinceData",
            [
                JavaObject(
                    [
                        (
                            f"{WORLD}Position$ProvinceData",
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
                f"{WORLD}Unit",
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
            [(f"{ORDER}Order", entries, []), *((f"{ORDER}{word}", fields, []) for word, fields in classes)]
        )


def _standing(position: Position, reference: UnitRef, *, is_beaten: bool = False) -> Unit:
    beaten = [d.unit for d in position.dislodged]
    units = beaten if is_beaten else [*position.units, *beaten]
    return next(unit for unit in units if unit.region.province == reference.region.province)
