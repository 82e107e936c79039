"""What Results shows besides the orders: lots, ownership, builds and removals due (desk plan, "Results")."""

from __future__ import annotations

from dataclasses import replace

import pytest

import maps
from adjudicator.geo import Region
from adjudicator.outcome import Resolution
from adjudicator.position import Dislodgement
from adjudicator.units import Unit
from service.desk import page_data
from service.games.phase_summary import Aftermath, Supply, aftermath
from service.games.results import ShownPower
from service.store.tables import PhaseState
from tests.support.desk_table import open_desk
from tests.support.site import Site
from tests.support.table import open_table

VARIANT = maps.load("standard")
START = VARIANT.start
PARIS, MARSEILLES, BELGIUM, MUNICH = (
    next(key for key, item in VARIANT.board.provinces.items() if item.name == name)
    for name in ("Paris", "Marseilles", "Belgium", "Munich"))
FRANCE, GERMANY = (
    next(key for key, item in VARIANT.powers.items() if item.name.title() == name)
    for name in ("France", "Germany")
)
FRENCH, GERMAN = VARIANT.powers[FRANCE].name, VARIANT.powers[GERMANY].name


def test_what_changed_hands_and_what_is_due_is_told_power_by_power() -> None:
    """OWN, ADJ: France takes Belgium and Munich; Germany is one centre short of its units, France two units
    short."""
    centres = dict(START.centres)
    centres[FRANCE] = centres[FRANCE] | {BELGIUM, MUNICH}
    centres[GERMANY] = centres[GERMANY] - {MUNICH}
    summary = aftermath(
        VARIANT, START, Resolution((), replace(START, centres=centres), adjust={FRANCE: 2, GERMANY: -1})
    )
    rows = {row.power: row for row in summary.supply}
    assert rows[FRENCH] == Supply(FRENCH, 5, 3, ("Belgium", "Munich"), (), 2)
    assert rows[GERMAN] == Supply(GERMAN, 2, 3, (), ("Munich",), -1)
    # Every power of the board has its row, changed or not.
    assert len(rows) == 7
    assert summary.sections == ()


def test_a_phase_that_moves_nothing_of_supply_has_no_table() -> None:
    assert aftermath(VARIANT, START, Resolution((), START)) == Aftermath()


def test_units_drawn_by_lot_stand_in_the_order_drawn_each_with_its_power() -> None:
    first, two = Unit(FRANCE, "A", Region(PARIS)), Unit(FRANCE, "A", Region(MARSEILLES))
    summary = aftermath(VARIANT, START, Resolution((), START, removed_by_lot=(two, first), lots_used=2))
    assert summary.sections == ((("Removed by lot, in the order "
                            "drawn"), (f"Army Marseilles ({FRENCH})", f"Army Paris ({FRENCH})")),)
    assert summary.lots_used == 2


def test_beaten_units_a_victory_and_an_open_draw_are_named() -> None:
    unit = Unit(FRANCE, "A", Region(PARIS))
    beaten = (Dislodgement(unit, MARSEILLES),)
    sections = dict(aftermath(VARIANT, START, Resolution(
        (), replace(START, dislodged=beaten), dislodged=beaten, winner=GERMANY,
        draw_open_to=(FRANCE, GERMANY))).sections)
    dislodged = f"Army Paris ({FRENCH}), dislodged by the attack from Marseilles"
    assert sections["Dislodged, to retreat or disband"] == (dislodged,)
    assert sections["Victory"] == (GERMAN,)
    assert sections["A draw is open to"] == (FRENCH, GERMAN)


def test_the_page_shows_it_once_judged_and_not_before(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    table = open_table(site)
    left = Aftermath((("Removed by lot, in the order drawn", ("Army Paris (France)",)),), (
        Supply("France", 5, 3, ("Belgium",), (), 2), Supply("Germany", 2, 3, (), ("Munich",), -1)), 2)
    monkeypatch.setattr(page_data, "judged_powers", lambda *_: (ShownPower("France", ()),))
    monkeypatch.setattr(page_data, "aftermath", lambda *_: left)
    desk = open_desk(table)
    first = table.phase(1)
    assert "After these orders" not in desk.text(f"/results/{first.id}")
    table.set_phase(1, state=PhaseState.READY)
    page_text = desk.text(f"/results/{first.id}")
    assert "Removed by lot, in the order drawn: Army Paris (France)." in page_text
    assert "2 numbers of the tape of lots were used" in page_text
    assert "France 5 3 Belgium — 2 builds" in page_text
    assert "Germany 2 3 — Munich 1 removal" in page_text
