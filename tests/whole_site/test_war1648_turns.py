"""1648 through the service: two months and the builds that follow, and what players are informed (TYW-02,
TYW-05, TYW-10, TYW-14)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from adjudicator.calendar import Phase, PhaseKind
from service.notices.results import ResultsAnnouncer
from service.store.tables import PhaseRow, PhaseState
from tests.support.site import Site
from tests.support.table import Table, open_table


@pytest.fixture
def table(site: Site) -> Table:
    opened = open_table(site, slug="war1648")
    opened.announce = ResultsAnnouncer(opened.writer, drawing=False)
    return opened


def _row(table: Table, season: str) -> PhaseRow:
    return next(row for row in table.phases() if row.season == season and row.kind != "retreat")


def _number(table: Table, season: str) -> int:
    return 1 + [row.id for row in table.phases()].index(_row(table, season).id)


def _play(table: Table, season: str, **sheets: list[str]) -> None:
    row = _row(table, season)
    if row.state != PhaseState.OPEN:
        table.site.clock.set(row.opens_at)
        table.open_phase(row.id)
    for power, orders in sheets.items():
        table.file(power.replace("_", " "), orders, number=_number(table, season))
    table.site.clock.set(row.deadline + timedelta(minutes=1))
    table.close_phase(row.id)
    table.approve_phase(row.id, "ada")


def _told(table: Table, kind: str, power: str) -> str:
    name = f"{power.lower()}.example"
    return next(table.words(row) for row in reversed(table.letters(kind)) if row.recipient.endswith(name))


@pytest.mark.slow
def test_april_to_june(table: Table) -> None:
    assert [row.season for row in table.phases()[:6]] == ["April", "April", "May", "May", "June", "July"]
    subject = table.subject("Spain", 1, Phase(1618, "June", PhaseKind.ADJUSTMENT))
    assert subject == "Powick Bridge - Spain - June 1618 - Adjustment Orders - v1"
    _play(table, "April", Spain=["Start in Leon", "A Leon - Portugal"], Sweden=["F Stockholm converts"],
          Austria=["A Vienna - Bavaria", "F Styria - Venice"])
    assert table.outcomes() == {
        ("Spain", "Start in Leon"): "succeeds", ("Spain", "A Leon - Portugal"): "succeeds",
        ("Sweden", "F Stockholm converts"): "completed", ("Austria", "A Vienna - Bavaria"): "succeeds",
        ("Austria", "F Styria - Venice"): "succeeds",
    }  # fmt: skip
    _play(table, "May")
    words = _told(table, "final_results", "spain")
    assert "Spain: 5 centres, 3 units. Gained Portugal. May build 2 units." in words
    letter_text = _told(table, "adjustment", "austria")
    assert "Austria may build 2 units in June 1618." in letter_text
    # What is only true of games in which supply is sent and removals are drawn is left out.
    assert "sends supply" not in letter_text
    assert "on one sheet" not in letter_text
    _play(table, "June", Spain=["Lend Portugal to Austria"], Austria=["Build A Vienna", "Build M Styria"])
    assert table.outcomes(_number(table, "June")) == {
        ("Spain", "Lend Portugal to Austria"): "succeeds", ("Austria", "Build A Vienna"): "succeeds",
        ("Austria", "Build M Styria"): "succeeds",
    }  # fmt: skip
    july = table.position(_number(table, "July"))
    assert ("loan", "Portugal", "Spain", "Austria") in july.memory.notes
    assert "Austria M Styria" in {str(unit) for unit in july.units}
