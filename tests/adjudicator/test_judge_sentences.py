"""Every sentence the judge can say, each brought about by orders, with the order that caused it.

The expected words are written here by hand from what happens on the board.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

import maps
from adjudicator import rules
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Order
from adjudicator.outcome import Outcome
from adjudicator.position import Dislodgement, Memory, Position
from adjudicator.ruleset import Ruleset
from adjudicator.units import Unit, UnitRef
from tests.adjudicator.terse import order

VARIANTS = {slug: maps.load(slug) for slug in ("standard", "w3k")}
SPRING = Phase(1643, "Spring", PhaseKind.MOVEMENT)
RETREATS = Phase(1643, "Spring", PhaseKind.RETREAT)
WINTER = Phase(1644, "Winter", PhaseKind.ADJUSTMENT)


@dataclass(frozen=True)
class Scene:
    """A position, orders as "POWER: text", and what is stated about the order at `order_index`, caused by the
    one at `cause`.

    `beaten`: a unit, where its attacker came from, and where it may go.
    """

    units: str
    orders: Sequence[str]
    says: str
    order_index: int = 0
    cause: int | None = None
    phase: Phase = SPRING
    board: str = "standard"
    centres: Mapping[str, str] = field(default_factory=dict)
    beaten: Sequence[tuple[str, str, str]] = ()
    contested: str = ""
    memory: Memory = field(default_factory=Memory)
    choices: Mapping[str, object] = field(default_factory=dict)

    def rules(self, citations: Mapping[str, object]) -> Ruleset:
        # Choices are those of w3k: the standard rules have none.
        module = "w3k" if self.choices else self.board
        return rules.load(module, self.choices, citations)

    def outcome(self, citations: Mapping[str, object] | None = None) -> tuple[list[Order], Outcome]:
        units = frozenset(_unit(text) for text in _split(self.units))
        beaten = tuple(
            Dislodgement(_unit(text), origin, may_retreat=frozenset(Region.of(p) for p in _split(free)))
            for text, origin, free in self.beaten)
        centres = {power: frozenset(_split(owned)) for power, owned in self.centres.items()}
        position = Position(
            self.phase, units, centres, beaten, frozenset(_split(self.contested)), self.memory
        )
        written = [_order(text) for text in self.orders]
        context = VARIANTS[self.board].context()
        resolution = judge(context, self.rules(citations or {}), position, written, Lots((0,) * 9))
        return written, resolution.outcomes[self.order_index]


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


SHORT = {"E": "ENGLAND", "F": "FRANCE", "G": "GERMANY", "I": "ITALY", "R": "RUSSIA"}


def _unit(text: str) -> Unit:
    match = re.fullmatch(r"(.+?) ([AF]) (.+)", text)
    assert match is not None
    return Unit(SHORT.get(match[1], match[1]), match[2], Region.of(match[3]))


def _order(text: str) -> Order:
    power, _, words = text.partition(": ")
    power = SHORT.get(power, power)
    # A unit without its kind, which canonical text cannot say.
    if words.startswith("? "):
        blank = order(power, "A " + words[2:])
        unit = getattr(blank, "unit", None)
        assert isinstance(unit, UnitRef)
        return replace(blank, unit=UnitRef(None, unit.region))  # type: ignore[call-arg]
    return order(power, words)


# Pandin's paradox: DATC 6.F.16.
PANDIN = ["E: F LON S F WAL - ENG", "E: F WAL - ENG", "F: A BRE - LON", "F: F ENG C A BRE - LON",
          "G: F NTH S F BEL - ENG", "G: F BEL - ENG"]
PANDINS = "E F LON, E F WAL, F A BRE, F F ENG, G F NTH, G F BEL"

MOVEMENT: dict[str, Scene] = {
    "holds": Scene("F A PAR", ["F: A PAR H"], "holds"),
    "moves": Scene("F A PAR", ["F: A PAR - BUR"], "moves to Burgundy"),
    "moves_in": Scene(
        "F A PAR, F A MAR, G A BUR",
        ["F: A PAR - BUR", "F: A MAR S A PAR - BUR", "G: A BUR H"],
        "moves to Burgundy, where Army Burgundy is dislodged (2 against 1)",
        cause=2,
    ),
    # Two against one: Paris with the support of Marseilles, and Munich alone. Burgundy was empty.
    "moves_first": Scene(
        "F A PAR, F A MAR, G A MUN",
        ["F: A PAR - BUR", "F: A MAR S A PAR - BUR", "G: A MUN - BUR"],
        "moves to Burgundy; Army Munich is kept out (2 against 1)",
    ),
    "carried_first": Scene(
        "E A LON, E F NTH, E F ENG, G A HOL",
        ["E: A LON - BEL", "E: F NTH C A LON - BEL", "E: F ENG S A LON - BEL", "G: A HOL - BEL"],
        "carried to Belgium; Army Holland is kept out (2 against 1)",
    ),
    "dislodged": Scene(
        "F A PAR, F A MAR, G A BUR, G A MUN",
        ["F: A PAR - BUR", "F: A MAR S A PAR - BUR", "G: A BUR S A MUN"],
        "dislodged by Army Paris",
        order_index=2,
        cause=0,
    ),
    "holder_dislodged": Scene(
        "F A PAR, F A MAR, G A BUR",
        ["F: A PAR - BUR", "F: A MAR S A PAR - BUR", "G: A BUR H"],
        "dislodged by Army Paris",
        order_index=2,
        cause=0,
    ),
    "support_given": Scene(
        "F A PAR, F A MAR",
        ["F: A PAR - BUR", "F: A MAR S A PAR - BUR"],
        "support given to Army Paris",
        order_index=1,
        cause=0,
    ),
    "carried": Scene("E A LON, E F NTH", ["E: A LON - BEL", "E: F NTH C A LON - BEL"], "carried to Belgium"),
    "convoy_given": Scene(
        "E A LON, E F NTH",
        ["E: A LON - BEL", "E: F NTH C A LON - BEL"],
        "convoy given to Army London",
        order_index=1,
        cause=0,
    ),
    "carried_in": Scene(
        "E A LON, E F NTH, E F ENG, G A BEL",
        ["E: A LON - BEL", "E: F NTH C A LON - BEL", "E: F ENG S A LON - BEL"],
        "carried to Belgium, where Army Belgium is dislodged (2 against 1)",
    ),
    "support_cut": Scene(
        "F A PAR, F A MAR, I A PIE",
        ["F: A PAR - BUR", "F: A MAR S A PAR - BUR", "I: A PIE - MAR"],
        "support cut by Army Piedmont's attack on Marseilles",
        order_index=1,
        cause=2,
    ),
    "paradox": Scene(
        PANDINS,
        PANDIN,
        "disrupted: the convoy of Army Brest depends on a fight that Army Brest itself would decide",
        order_index=3,
        cause=2,
    ),
    "convoy_failed": Scene(
        PANDINS, PANDIN, ("not carried: the convoy of Fleet English Channel fails"), order_index=2, cause=3
    ),
    "paradox_holds": Scene(
        PANDINS,
        PANDIN,
        "stood off: the convoy of Fleet English Channel and the attack on it depend on each other, so both "
        "fail",
        order_index=5,
        cause=3,
        choices={"convoy_paradox": "all_hold"},
    ),
    "own_unit_stays": Scene(
        "F A PAR, F A BUR",
        ["F: A PAR - BUR", "F: A BUR H"],
        "stood off: Army Burgundy is of the same power and stays",
        cause=1,
    ),
    "bounced_off": Scene(
        "F A PAR, G A BUR",
        ["F: A PAR - BUR", "G: A BUR H"],
        "stood off by Army Burgundy (1 against 1)",
        cause=1,
    ),
    "bounced_head_on": Scene(
        "F A PAR, G A BUR",
        ["F: A PAR - BUR", "G: A BUR - PAR"],
        "stood off by Army Burgundy, which comes the other way (1 against 1)",
        cause=1,
    ),
    "beaten_off": Scene(
        "F A PAR, G A BUR, G A MUN",
        ["F: A PAR - BUR", "G: A BUR H", "G: A MUN S A BUR"],
        "beaten back by Army Burgundy (1 against 2)",
        cause=1,
    ),
    # DATC 6.E.1: the loser is dislodged, and has not stood anybody off.
    "beaten_head_on": Scene(
        "F A PAR, G A BUR, G A PIC",
        ["F: A PAR - BUR", "G: A BUR - PAR", "G: A PIC S A BUR - PAR"],
        "beaten by Army Burgundy, which comes the other way (1 against 2)",
        cause=1,
    ),
    "bounced_with": Scene(
        "F A PAR, G A MUN",
        ["F: A PAR - BUR", "G: A MUN - BUR"],
        "stood off at Burgundy by Army Munich",
        cause=1,
    ),
    "beaten_to": Scene(
        "F A PAR, G A MUN, G A RUH",
        ["F: A PAR - BUR", "G: A MUN - BUR", "G: A RUH S A MUN - BUR"],
        "kept out: Army Munich enters Burgundy with more strength",
        cause=1,
    ),
    "no_chain": Scene(
        "E A LON, E F NTH",
        ["E: A LON - BEL", "E: F NTH H"],
        "not carried: no whole chain of fleets was ordered to convoy to Belgium",
    ),
    "fleet_lost": Scene(
        "E A LON, E F NTH, G F HOL, G F HEL",
        ["E: A LON - BEL", "E: F NTH C A LON - BEL", "G: F HOL - NTH", "G: F HEL S F HOL - NTH"],
        "not carried: Fleet North Sea was dislodged by Fleet Holland",
        cause=2,
    ),
    "moves_away": Scene(
        "F A GAS, F A MAR",
        ["F: A MAR - BUR", "F: A GAS S A MAR"],
        "unmatched: this supports Army Marseilles in place, and it was ordered to move",
        order_index=1,
        cause=0,
    ),
    "not_supported_there": Scene(
        "F A PAR, F A MAR",
        ["F: A PAR H", "F: A MAR S A PAR - BUR"],
        "unmatched: Army Paris was not ordered to go to Burgundy",
        order_index=1,
        cause=0,
    ),
    "not_convoyed_there": Scene(
        "E A LON, E F NTH",
        ["E: A LON H", "E: F NTH C A LON - BEL"],
        "unmatched: Army London was not ordered to go to Belgium",
        order_index=1,
        cause=0,
    ),
    "goes_over_land": Scene(
        "E A NWY, R A SWE, F F SKA",
        ["E: A NWY - SWE", "R: A SWE - NWY", "F: F SKA C A NWY - SWE"],
        "unmatched: Army Norway goes over land",
        order_index=2,
        cause=0,
    ),
    "no_movement_order": Scene(
        "F A PAR", ["F: Build A PAR"], ("void: no such order is given in a movement season")
    ),
    "no_unit": Scene("F A PAR", ["F: A BUR H"], "void: there is no Army Burgundy"),
    "not_ones_own": Scene("F A PAR", ["G: A PAR H"], "void: Army Paris does not belong to Germany"),
    "ordered_already": Scene(
        "F A PAR",
        ["F: A PAR H", "F: A PAR - BUR"],
        ("void: Army Paris has an order already"),
        order_index=1,
        cause=0,
        choices={"double_orders": "first"},
    ),
    "two_orders": Scene(
        "F A PAR",
        ["F: A PAR H", "F: A PAR - BUR"],
        "void: two different orders were written for Army Paris, so it holds",
        cause=1,
    ),
    "there_already": Scene("F A PAR", ["F: A PAR - PAR"], "void: Army Paris is there already"),
    "no_fleets": Scene(
        "E A LON", ["E: A LON - BEL"], "void: no fleets are on a route from London to Belgium"
    ),
    "not_enterable": Scene("F A PAR", ["F: A PAR - ENG"], "void: Army Paris cannot enter English Channel"),
    "out_of_reach": Scene("F A PAR", ["F: A PAR - MUN"], "void: Army Paris cannot reach Munich"),
    "which_coast": Scene(
        "F F MAO", ["F: F MAO - SPA"], ("void: Spain has more than one coast and none is named")
    ),
    "wrong_coast": Scene(
        "F F GAS", ["F: F GAS - SPA/SC"], ("void: Fleet Gascony cannot reach Spain (South Coast)")
    ),
    "target_cannot_go": Scene(
        "F A MAR, G A MUN", ["F: A MAR S A MUN - GAS"], ("void: Army Munich could not go to Gascony")
    ),
    "nobody_to_support": Scene(
        "F A MAR", ["F: A MAR S A BUR"], ("void: there is no unit in Burgundy to support")
    ),
    "supports_itself": Scene("F A PAR", ["F: A PAR S A PAR"], "void: Army Paris cannot support itself"),
    "supports_own_attacker": Scene(
        "F A PAR, G A BUR",
        ["F: A PAR S A BUR - PAR"],
        "void: Army Paris cannot support an attack on its own place",
    ),
    "support_out_of_reach": Scene(
        "F A PAR, G A MUN",
        ["F: A PAR S A MUN - RUH"],
        "void: Army Paris cannot go to Ruhr, so it cannot support there",
    ),
    "no_carrier": Scene(
        "F A PAR, E A LON",
        ["F: A PAR C A LON - BEL"],
        "void: Army Paris cannot convoy: only a fleet at sea can",
    ),
    "nobody_to_convoy": Scene(
        "E F NTH", ["E: F NTH C A LON - BEL"], ("void: there is no unit in London to convoy")
    ),
    "cannot_be_convoyed": Scene(
        "E F NTH, E F LON", ["E: F NTH C F LON - BEL"], "void: Fleet London cannot be convoyed to Belgium"
    ),
    "off_the_way": Scene(
        "E A LON, E F ENG, E F IRI",
        ["E: F IRI C A LON - BEL"],
        "void: every route from London to Belgium could do without Fleet Irish Sea",
    ),
}

LONDON, FORT = "The Crown A London", "Argyll A Carrickfergus Castle"
KINGDOMS: dict[str, Scene] = {
    name: replace(scene, board="w3k") for name, scene in {
        "under_orders": Scene(
            LONDON, ["The Crown: A London H", ("The Crown: A London proxy "
                                               "Argyll"), "Argyll: A London - Surrey"],
            "void: Army London is under the orders of Argyll", cause=2),
        "handed_over": Scene(LONDON, ["The Crown: A London proxy Argyll"],
                             "given: Army London is under the orders of Argyll this season"),
        "given_to_oneself": Scene(LONDON, ["The Crown: A London proxy The Crown"],
                                  "void: Army London can be put under the orders of another power only"),
        "given_twice": Scene(LONDON, ["The Crown: A London proxy Argyll", "The Crown: A London proxy Ormond"],
                             "void: Army London is given to more than one power, so to none"),
        "given_on": Scene(LONDON, ["The Crown: A London proxy Argyll", "Argyll: A London proxy Ormond"],
                          "void: Army London is under the orders of Argyll, who cannot pass it on",
                          order_index=1),
        "not_ones_to_give": Scene(
            LONDON, ["Argyll: A London proxy Ormond"],
            "void: Army London does not belong to Argyll, who cannot give it away"),
        "conversion_begun": Scene(FORT, [("Argyll: A Carrickfergus Castle converts "
                                          "to F")], "conversion begun (1 of 2)",
                                  centres={"Argyll": "Carrickfergus Castle"}),
        "conversion_completed": Scene(
            FORT, ["Argyll: A Carrickfergus Castle converts to F"],
            "conversion completed: now Fleet Carrickfergus Castle",
            centres={"Argyll": "Carrickfergus Castle"},
            memory=Memory(frozenset({Unit("Argyll", "A", Region("Carrickfergus Castle"))}))),
        "conversion_disrupted": Scene(
            FORT + ", Ormond A Antrim",
            ["Argyll: A Carrickfergus Castle converts to F", "Ormond: A Antrim - Carrickfergus Castle"],
            "conversion disrupted by Army Antrim's attack on Carrickfergus Castle", cause=1,
            centres={"Argyll": "Carrickfergus Castle"}),
        "convert_no_centre": Scene("The Crown A Surrey", ["The Crown: A Surrey converts to F"],
                                   "void: Surrey is no supply centre, and units convert in one"),
        "convert_inland": Scene("The Crown A Worcestershire", ["The Crown: A Worcestershire converts to F"],
                                "void: Worcestershire is not on the coast, and units convert on it",
                                centres={"The Crown": "Worcestershire"}),
        "convert_not_owned": Scene(
            FORT, ["Argyll: A Carrickfergus Castle converts to F"],
            "void: Argyll does not own Carrickfergus Castle yet, and units convert in a centre of their own"),
        "convert_same_kind": Scene(FORT, ["Argyll: A Carrickfergus Castle converts to A"],
                                   "void: Army Carrickfergus Castle can only become a unit of the other kind",
                                   centres={"Argyll": "Carrickfergus Castle"}),
        "convert_coast": Scene(
            "Montrose A Sutherland", ["Montrose: A Sutherland converts to F"],
            "void: Sutherland has more than one coast, and none of them is named for the new fleet",
            centres={"Montrose": "Sutherland"}),
        "owner_retreats_it": Scene(
            "", ["Newcastle: A Staffordshire R Cheshire", "Montrose: A Staffordshire disbands"],
            "void: Newcastle, who owns Army Staffordshire, ordered its retreat", order_index=1, cause=0,
            phase=RETREATS,
            beaten=[("Newcastle A Staffordshire", "Shropshire", "Cheshire")],
            memory=Memory(proxies=frozenset({("Staffordshire", "Montrose")}))),
        "supply_given": Scene("", [("Argyll: Send 1 supply to "
                                    "Ormond")], "given: 1 supply to Ormond", phase=WINTER,
                              centres={"Argyll": "Fife"}),
        "send_to_another": Scene("", ["Argyll: Send 1 supply to Argyll"],
                                 "void: supply is sent to another power, one or more at a time", phase=WINTER,
                                 centres={"Argyll": "Fife"}),
        "sends_too_much": Scene("", ["Argyll: Send 2 supply to Ormond"], ("void: Argyll owns 1 centre and "
                                                                          "cannot send 2"),
                                phase=WINTER, centres={"Argyll": "Fife"}),
        "sends_more": Scene("", ["Argyll: Send 1 supply to Ormond", "Argyll: Send 2 supply to Hamilton"],
                            "void: Argyll owns 2 centres and has sent 1, so it cannot send 2 more",
                            order_index=1,
                            phase=WINTER,
                            centres={"Argyll": "Fife, Edinburgh"}),
        "no_supply_left": Scene("Argyll A Ayr", ["Argyll: Send 1 supply to Ormond"],
                                "void: Argyll has no supply left to send", phase=WINTER,
                                centres={"Argyll": "Fife"}),
        "less_supply_left": Scene("Argyll A Ayr", ["Argyll: Send 2 supply to Ormond"],
                                  "void: Argyll has 1 supply left and cannot send 2", phase=WINTER,
                                  centres={"Argyll": "Fife, Edinburgh"}),
        "struck": Scene("Argyll A Ayr", ["Argyll: Build A Fife", "Argyll: Remove A Ayr"],
                        "void: the removal of Army Ayr is struck, because builds are listed beside it",
                        order_index=1,
                        cause=0, phase=WINTER,
                        centres={"Argyll": "Fife"}),
    }.items()
}

FROM_BURGUNDY = [("F A BUR", "MUN", "PAR, GAS")]
RETREAT: dict[str, Scene] = {
    name: replace(scene, phase=RETREATS, beaten=scene.beaten or FROM_BURGUNDY) for name, scene in {
        "retreats": Scene("", ["F: A BUR R PAR"], "retreats to Paris"),
        "disbanded": Scene("", ["F: A BUR disbands"], "Army Burgundy is disbanded"),
        "retreats_meet": Scene(
            "", ["F: A BUR R GAS", "F: A SPA R GAS"],
            "stood off: Army Spain retreats to Gascony too, so each is disbanded",
            cause=1, beaten=[*FROM_BURGUNDY, ("F A SPA", "POR", "GAS")]),
        "no_retreat_order": Scene("", ["F: A BUR H"], "void: only retreats and disbandings are ordered now"),
        "not_dislodged": Scene("F A PAR", ["F: ? PAR R GAS"], ("void: France's unit in Paris was not "
                                                               "dislodged")),
        "not_ones_retreat": Scene("", ["G: A BUR R PAR"], "void: Army Burgundy does not belong to Germany"),
        "two_retreats": Scene("", ["F: A BUR R PAR", "F: A BUR R GAS"],
                              "void: two different orders were written for Army Burgundy, so it is disbanded",
                              cause=1),
        "no_such_way": Scene("", ["F: A BUR R BRE"], ("void: Army Burgundy cannot go to Brest, so it is "
                                                      "disbanded")),
        "attackers_origin": Scene(
            "", ["F: A BUR R MUN"],
            ("void: Army Burgundy may not retreat to Munich, where the attack on it came from, so it is "
             "disbanded")),
        "place_taken": Scene("G A RUH", ["F: A BUR R RUH"],
                             ("void: Army Burgundy may not retreat to Ruhr, where Army Ruhr is, so it is "
                              "disbanded")),
        "standoff_there": Scene(
            "", ["F: A BUR R MAR"],
            "void: Army Burgundy may not retreat to Marseilles, left empty by a standoff, so it is disbanded",
            contested="MAR"),
        "retreat_barred": Scene("", ["F: A BUR R BEL"], ("void: Army Burgundy may not retreat to Belgium, so "
                                                         "it is disbanded")),
        "retreat_coast": Scene(
            "", ["F: F MAO R SPA"],
            ("void: Fleet Mid-Atlantic Ocean may retreat to more than one coast of Spain and none is named, "
             "so it is disbanded"),
            beaten=[("F F MAO", "IRI", "SPA/NC, SPA/SC")]),
    }.items()
}

ADJUSTMENT: dict[str, Scene] = {
    name: replace(scene, phase=Phase(1901, "Winter", PhaseKind.ADJUSTMENT))
    for name, scene in {
        "built": Scene("", ["FRANCE: Build A PAR"], "built: Army Paris", centres={"FRANCE": "PAR"}),
        "removed": Scene("FRANCE A BUR", ["FRANCE: Remove A BUR"], "removed: Army Burgundy"),
        "waived": Scene(
            "", ["FRANCE: Waive"], "waived: no unit is built for it", centres={"FRANCE": "PAR"}
        ),
        "no_adjustment_order": Scene(
            "FRANCE A BUR", ["FRANCE: A BUR H"], "void: no such order is given in an adjustment season"
        ),
        "nothing_to_build": Scene(
            "FRANCE A BUR",
            ["FRANCE: Build A PAR"],
            ("void: France has no supply left for another unit"),
            centres={"FRANCE": "PAR"},
        ),
        "no_such_place": Scene(
            "", ["FRANCE: Build A Atlantis"], "void: there is no Atlantis", centres={"FRANCE": "PAR"}
        ),
        "no_centre": Scene(
            "", ["FRANCE: Build A BUR"], ("void: Burgundy is no supply centre"), centres={"FRANCE": "PAR"}
        ),
        "no_home_centre": Scene(
            "", ["FRANCE: Build A SPA"], "void: Spain is no home centre of France", centres={"FRANCE": "SPA"}
        ),
        "centre_not_owned": Scene(
            "", ["FRANCE: Build A PAR"], ("void: France does not own Paris"), centres={"FRANCE": "BRE"}
        ),
        "centre_occupied": Scene(
            "GERMANY A PAR",
            ["FRANCE: Build A PAR"],
            "void: Army Paris is in Paris",
            centres={"FRANCE": "PAR"},
        ),
        "kind_cannot_stand": Scene(
            "", ["FRANCE: Build F PAR"], "void: a fleet cannot be in Paris", centres={"FRANCE": "PAR"}
        ),
        "build_coast": Scene(
            "",
            ["RUSSIA: Build F STP"],
            "void: a fleet in St Petersburg needs one of its coasts named",
            centres={"RUSSIA": "STP"},
        ),
        "no_own_unit": Scene("FRANCE A BUR", ["FRANCE: Remove A PIC"], "void: France has no Army Picardy"),
        "removed_already": Scene(
            "FRANCE A BUR",
            ["FRANCE: Remove A BUR", "FRANCE: Remove A BUR"],
            "void: Army Burgundy is removed already",
            order_index=1,
        ),
        "nothing_to_remove": Scene(
            "FRANCE A BUR",
            ["FRANCE: Remove A BUR"],
            ("void: France need not remove any more"),
            centres={"FRANCE": "PAR"},
        ),
    }.items()
}
SCENES = {**MOVEMENT, **KINGDOMS, **RETREAT, **ADJUSTMENT}


def test_every_sentence_has_its_scene() -> None:
    known = {name for variant in VARIANTS.values() for name in variant.rules.SENTENCES}
    # No board here has a unit that may not attack or retreat: `test_judge_traits` has it, and the note on a
    # unit's wrong word.
    assert known - set(SCENES) == {"may_not_attack", "never_retreats", "misnamed"}
    assert set(SCENES) <= known


@pytest.mark.parametrize("name", SCENES)
def test_what_is_said_and_who_caused_it(name: str) -> None:
    scene = SCENES[name]
    written, outcome = scene.outcome()
    assert outcome.why == scene.says
    # The cause is the order itself, so that results can lead to its line.
    assert outcome.cause == (None if scene.cause is None else written[scene.cause])


@pytest.mark.parametrize("scene", [
    # Both are shores, but no one carries a fleet.
    Scene("E F LON", ["E: F LON - NWY"], "void: Fleet London cannot reach Norway"),
    # No shore, but a convoy is what the order requests.
    Scene("G A MUN", ["G: A MUN - UKR via convoy"], "void: no fleets are on a route from Munich to Ukraine"),
])
def test_fleets_are_missing_only_where_they_could_help(scene: Scene) -> None:
    assert scene.outcome()[1].why == scene.says


@pytest.mark.parametrize("name", SCENES)
def test_the_board_s_citation_stands_behind_the_sentence(name: str) -> None:
    scene = SCENES[name]
    _, outcome = scene.outcome({name: "page 4"})
    assert outcome.why == f"{scene.says} (page 4)"


def test_a_coast_that_a_support_names_is_in_its_sentence() -> None:
    scene = Scene("F F MAO, F A MAR", ["F: F MAO - SPA/NC", "F: A MAR S F MAO - SPA/SC"], "", order_index=1)
    sentence = "unmatched: Fleet Mid-Atlantic Ocean was not ordered to go to Spain (South Coast)"
    assert scene.outcome()[1].why == sentence
