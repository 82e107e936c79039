"""Bretwalda through the service: the opening winter is judged and sent, then a spring with boats (BRE-01,
BRE-02, BRE-10)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from adjudicator.calendar import PhaseKind
from service.notices.results import ResultsAnnouncer
from service.store.tables import PhaseState
from tests.support.site import Site
from tests.support.table import Table, open_table


@pytest.fixture
def table(site: Site) -> Table:
    opened = open_table(site, slug="bretwalda")
    opened.announce = ResultsAnnouncer(opened.writer, drawing=False)
    return opened


def _finish(table: Table, number: int) -> str:
    """Judge and approve a phase; the results letter that went out last."""
    phase = table.phase(number)
    table.site.clock.set(phase.deadline + timedelta(minutes=1))
    table.close_phase(phase.id)
    table.approve_phase(phase.id, "ada")
    row = next(
        letter
        for letter in reversed(table.letters())
        if letter.phase_id == phase.id and letter.kind.endswith("_results")
    )
    return table.words(row)


def test_the_opening_winter_and_a_spring_are_judged_and_told(table: Table) -> None:
    assert table.phase().kind == PhaseKind.ADJUSTMENT
    assert (table.phase().season, table.phase().year) == ("Winter", 620)
    table.file(
        "Gwynedd",
        ["Build B Denbigh", "Build F Caernarfon", "Build F Aberystwyth", "Home Denbigh - Aberystwyth"],
    )
    table.file("Mercia", ["Build A Shrewsbury", "Build A Tamworth"])
    words = _finish(table, 1)
    assert table.outcomes() == {
        ("Gwynedd", "Build B Denbigh"): "succeeds", ("Gwynedd", "Build F Caernarfon"): "succeeds",
        ("Gwynedd", "Build F Aberystwyth"): "illegal", ("Gwynedd", "Home Denbigh - Aberystwyth"): "illegal",
        ("Mercia", "Build A Shrewsbury"): "succeeds", ("Mercia", "Build A Tamworth"): "succeeds"}
    assert "Aberystwyth is no port, and fleets are built in ports only" in words
    assert "Boat Bunch Denbigh" in words

    table.site.clock.set(table.phase(2).opens_at)
    table.open_phase(table.phase(2).id)
    assert table.phase(2).state == PhaseState.OPEN
    assert (table.phase(2).season, table.phase(2).year) == ("Spring", 621)
    table.file("Gwynedd", ["B Denbigh - Chester (db)", "F Caernarfon - Irish Sea"], number=2)
    table.file("Mercia", ["A Shrewsbury - Powys"], number=2)
    words = _finish(table, 2)
    assert ("✓ Boat Bunch Denbigh moves to Chester (db); its boats are left behind. (rules, Boat "
            "bunches)") in words
    assert {str(unit) for unit in table.resolution(2).position.units} == {
        "Gwynedd A Che", "Gwynedd F IRI", "Mercia A Pow", "Mercia A Tam"}
