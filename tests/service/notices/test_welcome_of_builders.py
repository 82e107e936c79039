"""The welcome of a game that opens with builds: no one has a unit, and everybody learns what to build
in (BRE-01, OUT-01)."""

from __future__ import annotations

import pytest

from service.notices.broadcasts import Broadcasts
from tests.support.site import Site
from tests.support.table import Table, address, open_table


@pytest.fixture(autouse=True)
def _no_map(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Broadcasts, "_map", lambda *_: [])


def welcomed(site: Site, slug: str) -> Table:
    table = open_table(site, slug=slug)
    with site.store.begin() as session:
        Broadcasts(table.writer).welcome(session, table.game)
    return table


@pytest.mark.slow
def test_bretwalda_tells_each_power_its_centres(site: Site) -> None:
    table = welcomed(site, "bretwalda")
    (letter,) = [row for row in table.letters("welcome") if row.recipient == address("Mercia")]
    words = table.words(letter)
    assert ("You have no unit yet. You own Gloucester, Shrewsbury, Tamworth and Warwick, and may build a "
            "unit in each.") in words
    assert "Mercia - Winter 620 - Adjustment Orders - v1" in words


def test_who_has_units_is_told_of_these(site: Site) -> None:
    table = welcomed(site, "britain1066")
    (letter,) = [row for row in table.letters("welcome") if row.recipient == address("The Scots")]
    words = table.words(letter)
    assert "Fleet Fife" in words
    assert "may build" not in words
