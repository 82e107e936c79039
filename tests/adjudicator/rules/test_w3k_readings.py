"""The other readings of the handbook: each named choice of part H judged both ways. Each test names its
own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import maps
from adjudicator import rules
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Order
from adjudicator.outcome import Resolution
from adjudicator.position import Memory, Position
from adjudicator.units import Unit
from tests.adjudicator.terse import orders

VARIANT = maps.load("w3k")
SUMMER = Phase(1643, "Summer", PhaseKind.MOVEMENT)
AUTUMN = Phase(1643, "Autumn", PhaseKind.MOVEMENT)
WINTER = Phase(1644, "Winter", PhaseKind.ADJUSTMENT)
Centres = Mapping[str, Sequence[str]]


def _units(*texts: str) -> frozenset[Unit]:
    units = set()
    for text in texts:
        power, kind, place = next(
            (text[:index], text[index + 1], text[index + 3 :])
            for index in range(len(text))
            if text[index : index + 3] in {" A ", " F "}
        )
        units.add(Unit(power, kind, Region.of(place)))
    return frozenset(units)


def _judged(phase: Phase, units: Sequence[str], written: Sequence[Order], centres: Centres | None = None,
            begun: Sequence[str] = (), **choices: str) -> Resolution:
    owned = {power: frozenset(places) for power, places in (centres or {}).items()}
    position = Position(phase, _units(*units), owned, memory=Memory(_units(*begun)))
    return judge(VARIANT.context(), rules.load("w3k", choices), position, list(written), Lots((0,) * 9))


def _results(resolution: Resolution) -> list[str]:
    return [f"{o.result} {o.reason}" if o.reason else str(o.result) for o in resolution.outcomes]


def _standing(resolution: Resolution) -> set[str]:
    return set(map(str, resolution.position.units))


def test_support_of_a_unit_that_moves_may_be_chosen_to_follow_it() -> None:
    """Q-15: support to hold, given to a unit that moves."""
    # Ashby and Shropshire both border Staffordshire, and Cheshire borders Shropshire.
    units = ["The Crown A Shropshire", "The Crown A Cheshire", "Newcastle A Staffordshire"]
    written = orders(The_Crown=["A Shropshire - Staffordshire", "A Cheshire S A Shropshire"])
    assert _results(_judged(SUMMER, units, written)) == ["fails bounced", "fails unmatched"]
    follows = _judged(SUMMER, units, written, support_of_mover="follows")
    assert _results(follows) == ["succeeds", "succeeds"]
    assert [str(d.unit) for d in follows.dislodged] == ["Newcastle A Staffordshire"]


def test_support_follows_nobody_where_it_could_not_go() -> None:
    """Q-15. Shropshire does not border Ashby."""
    units = ["The Crown A Staffordshire", "The Crown A Shropshire"]
    written = orders(The_Crown=[("A Staffordshire - Ashby-de-la-Zouch "
                                 "Castle"), "A Shropshire S A Staffordshire"])
    assert _results(_judged(SUMMER, units, written, support_of_mover="follows")) == [
        "succeeds",
        "fails unmatched",
    ]


def test_support_of_another_move_follows_nobody() -> None:
    """Q-15 is about support to hold: Cheshire backs a move to Staffordshire that is not made."""
    units = ["The Crown A Shropshire", "The Crown A Cheshire"]
    written = orders(
        The_Crown=["A Shropshire - Denbighshire", "A Cheshire S A Shropshire - Staffordshire"])
    assert _results(_judged(SUMMER, units, written, support_of_mover="follows")) == [
        "succeeds", "fails unmatched"]


def test_a_move_to_where_the_unit_stands_goes_nowhere() -> None:
    """DATC 6.A.2, also where a way overseas counts without fleets (Q-17): it holds, and may be supported."""
    units = ["Newcastle A Kent", "Newcastle A Sussex"]
    written = orders(Newcastle=["A Kent - Kent via convoy", "A Sussex S A Kent"])
    assert _results(_judged(SUMMER, units, written)) == ["void illegal", "succeeds"]


def test_a_way_overseas_without_fleets_may_be_chosen_to_be_no_move() -> None:
    """Q-17: then the unit holds and may be supported where it stands (DATC 6.D.32)."""
    units = [
        "Newcastle A Caernarfonshire",
        "Newcastle A Denbighshire",
        "The Crown A Harlech Castle",
        "The Crown A Merioneth",
    ]
    written = orders(
        Newcastle=["A Caernarfonshire - Dublin & the Pale", "A Denbighshire S A Caernarfonshire"],
        The_Crown=["A Harlech Castle - Caernarfonshire", "A Merioneth S A Harlech Castle - Caernarfonshire"])
    by_map = _judged(SUMMER, units, written)
    assert _results(by_map) == ["fails no_convoy", "fails unmatched", "succeeds", "succeeds"]
    by_fleets = _judged(SUMMER, units, written, impossible_move="by_fleets")
    assert _results(by_fleets) == ["void illegal", "succeeds", "fails bounced", "succeeds"]


def test_a_fleet_that_goes_too_far_is_no_move() -> None:
    """Q-17 is about units that may be carried: a fleet out of reach holds and may be supported."""
    units = ["Newcastle F Caernarfonshire", "Newcastle A Denbighshire", "The Crown A Harlech Castle"]
    written = orders(
        Newcastle=["F Caernarfonshire - Dublin & the Pale", "A Denbighshire S F Caernarfonshire"],
        The_Crown=["A Harlech Castle - Caernarfonshire"])
    assert _results(_judged(SUMMER, units, written)) == ["void illegal", "succeeds", "fails bounced"]


PARADOX = orders(
    The_Crown=["A Caernarfonshire - Dublin & the Pale"],
    Argyll=["F Irish Sea C A Caernarfonshire - Dublin & the Pale"],
    Confederacy=["F Dublin & the Pale S F Morecombe Bay - Irish Sea", "F Morecombe Bay - Irish Sea"])
PARADOXICAL = ["The Crown A Caernarfonshire", "Argyll F Irish Sea", "Confederacy F Dublin & the Pale",
               "Confederacy F Morecombe Bay"]


def test_a_paradox_may_be_chosen_to_hold_everybody() -> None:
    """Q-18: the army would cut the support of the attack that breaks its convoy (DATC 6.F.14)."""
    # By Szykman's rule the convoy is out and the attack goes in; where all hold, nothing moves at all.
    szykman = _judged(SUMMER, PARADOXICAL, PARADOX)
    assert [str(o.result) for o in szykman.outcomes] == ["fails", "fails", "succeeds", "succeeds"]
    assert _standing(szykman) == {"The Crown A Caernarfonshire", ("Confederacy F Dublin & the "
                                                                  "Pale"), "Confederacy F Irish Sea"}
    held = _judged(SUMMER, PARADOXICAL, PARADOX, convoy_paradox="all_hold")
    assert _standing(held) == set(PARADOXICAL)
    assert held.dislodged == ()
    assert (_results(held)[0], _results(held)[3]) == ("fails bounced", "fails bounced")


def test_a_conversion_may_be_chosen_not_to_outlast_the_winter() -> None:
    """Q-20."""
    fort, centres = ["Argyll A Carrickfergus Castle"], {"Argyll": ["Carrickfergus Castle"]}
    for choice, left in (("goes_on", set(fort)), ("begins_again", set())):
        winter = _judged(WINTER, fort, [], centres, begun=fort, conversion_over_winter=choice)
        assert set(map(str, winter.position.memory.converting)) == left
    summer = _judged(SUMMER, fort, orders(Argyll=["A Carrickfergus Castle converts to F"]), centres,
                     conversion_over_winter="begins_again")
    assert set(map(str, summer.position.memory.converting)) == set(fort)


def test_a_missing_coast_may_be_chosen_to_be_the_first() -> None:
    """Q-22: the first by name."""
    # Of Sutherland's North Coast and East Coast the East comes first: by name, not by the table.
    centres = {"Montrose": ["Sutherland"]}
    build = orders(Montrose=["Build F Sutherland"])
    assert _results(_judged(WINTER, [], build, centres)) == ["void illegal"]
    assert _standing(_judged(WINTER, [], build, centres, missing_coast="first")) == {
        "Montrose F Sutherland/East Coast"
    }
    army = ["Montrose A Sutherland"]
    convert = orders(Montrose=["A Sutherland converts to F"])
    assert _results(_judged(SUMMER, army, convert, centres, begun=army)) == ["void illegal"]
    resolution = _judged(SUMMER, army, convert, centres, begun=army, missing_coast="first")
    assert _results(resolution) == ["succeeds completed"]
    assert _standing(resolution) == {"Montrose F Sutherland/East Coast"}
    named = orders(Montrose=["Build F Sutherland/North Coast"])
    assert _standing(_judged(WINTER, [], named, centres, missing_coast="first")) == {
        "Montrose F Sutherland/North Coast"
    }


def test_a_proxy_may_be_chosen_to_be_given_on() -> None:
    """Q-24: the last in the chain orders the unit, and no one twice."""
    written = orders(
        The_Crown=["A London proxy Manchester"], Manchester=["A London proxy Cumberland"],
        Cumberland=["A London - Surrey"])
    crown = ["The Crown A London"]
    assert _results(_judged(SUMMER, crown, written)) == ["succeeds", "void illegal", "void no_such_unit"]
    allowed = _judged(SUMMER, crown, written, proxy_of_proxy="allowed")
    assert _results(allowed) == ["succeeds", "succeeds", "succeeds"]
    assert _standing(allowed) == {"The Crown A Surrey"}
    circle = [*written[:2], *orders(Cumberland=["A London proxy Manchester"])]
    assert _results(_judged(SUMMER, crown, circle, proxy_of_proxy="allowed"))[:2] == ["succeeds", "succeeds"]
    stranger = [written[0], *orders(Cumberland=["A London proxy Ormond"])]
    assert _results(_judged(SUMMER, crown, stranger, proxy_of_proxy="allowed")) == [
        "succeeds",
        "void no_such_unit",
    ]


def test_supply_may_be_chosen_to_be_sent_from_surplus_only() -> None:
    """Q-27: what is over once the own units are supplied."""
    units, send = ["Argyll A Glasgow", "Argyll A Ayr"], ["Send 1 supply to Hamilton"]
    # Two centres and two units leave nothing over.
    poor = {"Argyll": ["Fife", "Edinburgh"]}
    any_owned = _judged(WINTER, units, orders(Argyll=send), poor, supply_sent="any_owned")
    assert (_results(any_owned), len(any_owned.removed_by_lot)) == (["succeeds"], 1)
    assert _results(_judged(WINTER, units, orders(Argyll=send), poor)) == ["void no_supply"]
    # Three and two leave one, which the first line spends.
    rich = {"Argyll": ["Fife", "Edinburgh", "Stirling Castle"]}
    written = orders(Argyll=["Build A Fife", *send])
    any_owned = _judged(WINTER, units, written, rich, supply_sent="any_owned")
    assert (_results(any_owned), len(any_owned.removed_by_lot)) == (["succeeds", "succeeds"], 1)
    surplus = _judged(WINTER, units, written, rich)
    assert (_results(surplus), surplus.removed_by_lot) == (["succeeds", "void no_supply"], ())
    surplus = _judged(WINTER, units, written[::-1], rich)
    assert (_results(surplus), surplus.removed_by_lot) == (["succeeds", "void no_supply"], ())


def test_a_build_that_fails_leaves_its_supply_to_a_send_below_it() -> None:
    """ADJ-07 and Q-27: no one builds in a centre of another."""
    written = orders(Argyll=["Build A Cork", "Send 1 supply to Hamilton"])
    judged = _judged(WINTER, ["Argyll A Glasgow"], written, {"Argyll": ["Fife", "Edinburgh"]})
    assert _results(judged)[0].startswith("void")
    assert _results(judged)[1] == "succeeds"


def test_only_a_unit_for_which_nobody_wrote_is_without_an_order() -> None:
    """A unit with two orders that contradict each other was ordered, though it carries out none (Q-11)."""
    units = ["The Crown A London", "The Crown A Kent", "The Crown A York"]
    written = orders(The_Crown=["A London - Surrey", "A York H", "A York - Durham"])
    assert list(map(str, _judged(SUMMER, units, written).unordered)) == ["The Crown A Kent"]
    every = [*written, *orders(The_Crown=["A Kent H"])]
    assert not _judged(SUMMER, units, every).unordered


def test_a_send_from_surplus_asks_for_no_removal() -> None:
    """Q-27: there is a centre to spare, so nothing has to go."""
    centres = {"Argyll": ["Glasgow", "Ayr", "Stirling Castle"], "Hamilton": ["Edinburgh"]}
    written = orders(Argyll=["Send 1 supply to Hamilton", "Remove A Glasgow"])
    resolution = _judged(WINTER, ["Argyll A Glasgow"], written, centres)
    assert _results(resolution) == ["succeeds", "void illegal"]
    assert _standing(resolution) == {"Argyll A Glasgow"}


def test_what_is_sent_above_leaves_nothing_to_a_build_and_a_removal_feeds_a_send_below() -> None:
    """Q-26 and Q-27: the first send takes the only centre to spare, the build has none, and the unit that
    goes feeds the second."""
    centres = {"Argyll": ["Glasgow", "Ayr"], "Hamilton": ["Edinburgh"]}
    written = orders(Argyll=[
        "Send 1 supply to Hamilton", "Build A Ayr", "Remove A Glasgow", "Send 1 supply to Hamilton"])
    resolution = _judged(WINTER, ["Argyll A Glasgow"], written, centres)
    assert _results(resolution) == ["succeeds", "void no_supply", "succeeds", "succeeds"]
    assert _standing(resolution) == set()


def test_supply_received_may_be_sent_on_beside_what_builds_above_use() -> None:
    """Q-27 and Q-28 together: what is received is spent in the order listed too."""
    centres = {"Hamilton": ["Stirling Castle"], "Ormond": ["Cork"]}
    written = orders(
        Hamilton=["Build A Stirling Castle", "Send 1 supply to Argyll"], Ormond=["Send 1 supply to Hamilton"])
    assert _results(_judged(WINTER, [], written, centres)) == ["succeeds", "void no_supply", "succeeds"]
    assert _results(_judged(WINTER, [], written, centres, supply_sent_on="yes")) == ["succeeds"] * 3


def test_supply_received_may_be_chosen_to_be_sent_on() -> None:
    """Q-28: in the same Winter."""
    # Hamilton owns one centre and is sent one; it sends two on, before its own supply is listed as sent.
    centres = {"Hamilton": ["Stirling Castle"], "Ormond": ["Cork"]}
    written = orders(Hamilton=["Send 2 supply to Argyll"], Ormond=["Send 1 supply to Hamilton"])
    assert _results(_judged(WINTER, [], written, centres)) == ["void no_supply", "succeeds"]
    assert _results(_judged(WINTER, [], written, centres, supply_sent_on="yes")) == ["succeeds", "succeeds"]
    circle = orders(Hamilton=["Send 2 supply to Argyll"], Argyll=["Send 1 supply to Hamilton"])
    assert _results(_judged(WINTER, [], circle, centres, supply_sent_on="yes")) == [
        "void no_supply",
        "void no_supply",
    ]


ALL = sorted(VARIANT.board.centres())
CAPITALS = ["London", "Glasgow", "Belfast"]
FIFTY_FIVE = [*CAPITALS, *(centre for centre in ALL if centre not in CAPITALS)][:55]


def test_victory_may_be_chosen_to_wait_for_the_winter() -> None:
    """Q-29."""
    centres = {"Argyll": FIFTY_FIVE}
    for choice, autumn, winter in (("autumn", "Argyll", None), ("winter", None, "Argyll")):
        assert _judged(AUTUMN, [], [], centres, victory_tested=choice).winner == autumn
        assert _judged(WINTER, [], [], centres, victory_tested=choice).winner == winter


def test_a_draw_may_be_chosen_to_end_the_game_at_once() -> None:
    """Q-30."""
    assert not rules.load("w3k", {}).draw_ends_game()
    assert rules.load("w3k", {"draw": "at_once"}).draw_ends_game()


def test_a_unit_of_mercy_may_be_chosen_to_convert() -> None:
    """Q-38: in any coastal centre where it is; a power that owns a centre still needs to own that one."""
    fort, convert = ["Argyll A Carrickfergus Castle"], orders(Argyll=["A Carrickfergus Castle converts to F"])
    for centres, usual, mercy in (
        ({}, "void illegal", "succeeds begun"),
        ({"Argyll": ["Fife"]}, "void illegal", "void illegal"),
    ):
        owned: Centres = centres
        assert _results(_judged(SUMMER, fort, convert, owned)) == [usual]
        assert _results(_judged(SUMMER, fort, convert, owned, mercy_converts="yes")) == [mercy]


@pytest.mark.parametrize(("choice", "units_left"), [("greater", 1), ("added", 2)])
def test_mercy_may_be_chosen_to_come_on_top_of_supply_received(choice: str, units_left: int) -> None:
    """Q-39: two units, no centre, one supply sent."""
    units = ["Hamilton A Mar", "Hamilton A Ayr", "Argyll A Fife"]
    written = orders(Argyll=["Send 1 supply to Hamilton"])
    left = _judged(WINTER, units, written, {"Argyll": ["Fife", "Edinburgh"]}, mercy_supply=choice)
    assert sum(text.startswith("Hamilton") for text in _standing(left)) == units_left


def test_every_choice_has_a_test_of_its_other_reading() -> None:
    """A choice no one judged by is only a word in a table."""
    folder = Path(__file__).parent
    source = "".join((folder / f"test_w3k_{name}.py").read_text("utf-8") for name in ("choices", "readings"))
    for key, answers in type(VARIANT.rules).CHOICES.items():
        assert key in source, key
        assert all(answer in source for answer in answers[1:]), key


def test_a_void_send_spends_nothing_of_what_a_build_above_another_send_takes() -> None:
    """Q-27: of three centres one builds, so two are left, whatever was written above it and is void."""
    sheet = ["Send 3 supply to The Crown", "Build A London", "Send 3 supply to Ormond"]
    resolution = _judged(WINTER, [], orders(**{"The Crown": sheet}),
                         {"The Crown": ["London", "Oxford", "Bristol"]})
    assert _results(resolution) == ["void illegal", "succeeds", "void no_supply"]
