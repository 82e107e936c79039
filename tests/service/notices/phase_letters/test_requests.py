"""LET-06: letters ask for what there is: retreats with what is barred and why, builds that can be built, and
the receipt of a letter that came by post."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Move, Order, SupportMove
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.units import Unit, UnitRef
from maps.variant import Variant
from service.letters import render
from service.letters.facts import Closing, GameInfo, Recipient
from service.notices.phase_letters.requests import ADJUSTMENT, adjustment_facts, units_to_retreat
from service.notices.results import ResultsAnnouncer
from tests.support.site import Site
from tests.support.table import Table, autumn_1642, open_table

GAME = GameInfo("powick-bridge", "Powick Bridge", "Wars of the Three Kingdoms", "orders@example.org", "Ada")
TO = Recipient("graham@example.org", "Montrose")
CLOSING = Closing(Phase(1902, "Autumn", PhaseKind.ADJUSTMENT), datetime(2027, 5, 1, tzinfo=UTC))


def place(variant: Variant, name: str) -> str:
    return next(province.id for province in variant.board.provinces.values() if province.name == name)


def unit(variant: Variant, text: str) -> UnitRef:
    kind, _, name = text.partition(" ")
    return UnitRef(kind, Region(place(variant, name)))


def judged(variant: Variant, units: dict[str, list[str]], orders: list[Order]) -> Resolution:
    standing = frozenset(
        Unit(power, ref.kind or "A", ref.region) for power, texts in units.items()
        for ref in (unit(variant, text) for text in texts))
    position = Position(Phase(1901, "Autumn", PhaseKind.MOVEMENT), standing, variant.start.centres)
    return judge(variant.context(), variant.rules, position, orders, Lots(()))


@pytest.fixture(scope="module")
def classic() -> Variant:
    return maps.load("standard")


def test_a_retreat_says_where_the_attack_came_from_and_what_a_standoff_bars(classic: Variant) -> None:
    """By hand on the classic board: Bohemia is beaten from Munich, and Venice and Vienna stand each other off
    in Tyrolia. Galicia is left, and is not named (RET-04); Vienna holds a unit."""
    def move(power: str, origin: str, to: str) -> Move:
        return Move(power=power, unit=unit(classic, origin), to=Region(place(classic, to)))

    germany, austria, italy = (
        next(power.id for power in classic.powers.values() if power.name == name)
        for name in ("Germany", "Austria", "Italy"))
    resolution = judged(
        classic,
        {germany: ["A Munich", "A Silesia"], austria: ["A Bohemia", "A Vienna"], italy: ["A Venice"]},
        [move(germany, "A Munich", "Bohemia"),
         SupportMove(power=germany, unit=unit(classic, "A Silesia"), target=unit(classic, "A Munich"),
                     to=Region(place(classic, "Bohemia"))),
         move(austria, "A Vienna", "Tyrolia"), move(italy, "A Venice", "Tyrolia")])
    (beaten,) = units_to_retreat(classic, resolution, austria)
    assert (beaten.words, beaten.beaten_from) == ("Army Bohemia", "Munich")
    assert beaten.barred == (
        "Munich is barred: the attack came from there.",
        "Tyrolia is barred: units stood each other off there this season.")
    assert beaten.examples == ("Army Bohemia retreats to ...", "Army Bohemia disbands")
    assert units_to_retreat(classic, resolution, germany) == []


def test_the_request_carries_it_and_lists_no_place_that_is_free(site: Site) -> None:
    table = open_table(site, position=autumn_1642())
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    table.file("Manchester", ["A Lindsey - Kesteven & Holland", "A Norfolk S A Lindsey - Kesteven & Holland"])
    finish(table)
    words = table.words(table.letters("retreat_request")[0])
    assert "It was dislodged by the attack from Lindsey." in words
    assert "Lindsey is barred: the attack came from there." in words
    assert "Write for example: Army Kesteven & Holland retreats to ..., or: Army Kesteven & Holland " in words
    assert "Newark" not in words


def finish(table: Table, number: int = 1) -> None:
    phase = table.phase(number)
    table.site.clock.set(max(phase.deadline, table.site.clock.now()))
    table.close_phase(phase.id)
    table.approve_phase(phase.id, "ada")


def test_an_offer_is_no_larger_than_the_places_that_are_free(classic: Variant) -> None:
    """England owns five centres, has three units, and two of its home centres are occupied: one build."""
    england = next(power.id for power in classic.powers.values() if power.name == "England")
    names = ("London", "Liverpool", "Edinburgh", "Norway", "Belgium")
    centres = {england: frozenset(place(classic, name) for name in names)}
    units = frozenset(Unit(england, ref.kind or "A", ref.region) for ref in (
        unit(classic, text) for text in ("A London", "A Liverpool", "A Norway")))
    position = Position(CLOSING.phase, units, centres)
    facts = adjustment_facts(classic, 2, CLOSING, "", england, position)
    assert (facts.count, facts.places, facts.may_send_supply) == (2, 1, False)
    free = replace(position, units=units - {Unit(england, "A", Region(place(classic, "London")))})
    assert adjustment_facts(classic, 2, CLOSING, "", england, free).places is None
    assert not adjustment_facts(classic, 0, CLOSING, "", england, position).is_due


def test_a_demand_offers_no_builds_and_who_owns_nothing_no_supply(site: Site) -> None:
    variant = maps.load("w3k")
    power = next(iter(variant.powers))
    nothing = replace(variant.start, centres={}, phase=Phase(1643, "Winter", PhaseKind.ADJUSTMENT))
    facts = adjustment_facts(variant, -2, CLOSING, "", power, nothing)
    assert not facts.may_send_supply
    assert adjustment_facts(variant, 1, CLOSING, "", power, variant.start).may_send_supply


def test_who_has_nothing_to_build_learns_that_supply_may_come(site: Site) -> None:
    """LET-06. In a played Winter a power read that it has nothing to build, and built with what was sent."""
    variant = maps.load("w3k")
    facts = adjustment_facts(variant, 0, CLOSING, "", next(iter(variant.powers)), variant.start)
    assert (facts.may_send_supply, facts.may_receive_supply, facts.is_due) == (False, True, True)
    words = " ".join(render.letter(ADJUSTMENT, GAME, TO, facts, phase=CLOSING.phase).text.split())
    assert "With supply that is sent to you, you may have more units." in words
    assert "You need send nothing. If you send a sheet, it must come before" in words
