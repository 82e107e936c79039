"""The link of a player is for them alone (SEC-05, DESK-02): it opens the sheets that they sent, also before
the deadline, so a coordinator who reads it in a letter would have a way around the seal."""

from __future__ import annotations

import pytest

from service.clock import SimulatedClock
from service.store import records
from service.store.tables import AddressRow
from tests.support.desk_table import DeskTable, open_desk
from tests.support.site import Site
from tests.support.table import address, open_table

BASE = "https://orders.example.org"


@pytest.fixture
def desk(site: Site) -> DeskTable:
    return open_desk(open_table(site), base_url=BASE, wall=SimulatedClock(site.clock.now()))


def test_no_page_of_the_desk_shows_the_link_of_a_player(desk: DeskTable) -> None:
    """A coordinator requests a link in a player's name, and looks for it among the letters."""
    desk.client.post("/public/entry", data={"mail": address("Montrose")})
    (row,) = desk.table.letters("link")
    assert f"{BASE}/public/me/" in desk.table.words(row)  # its reader has it
    for path in ("/", "/letters", f"/letters/{row.id}", "/log", "/log?q=link", "/health"):
        assert "/public/me/" not in desk.page(path), path
    assert "their own link" in desk.text(f"/letters/{row.id}")
    assert desk.client.get(f"/letters/{row.id}/part/0").status_code == 403


def test_a_link_goes_to_the_spelling_that_is_registered(desk: DeskTable) -> None:
    """ARR-06: another spelling counts for a sender whose proof passed, and a form proves nothing."""
    registered = "marie.rich@gmail.com"
    with desk.table.site.store.begin() as session:
        player = records.player_of(session, address("Montrose"))
        assert player is not None
        session.add(AddressRow(email=registered, player_id=player.id))
    desk.client.post("/public/entry", data={"mail": "MarieRich+x@googlemail.com"})
    (row,) = desk.table.letters("link")
    assert row.recipient == registered
