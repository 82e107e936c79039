"""The calendar of a game as a page and as a feed: for anyone, with nothing secret (CAL-13, CAL-16)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest
from fastapi.testclient import TestClient
from ical.calendar_stream import IcsCalendarStream

from service.clock import SimulatedClock
from service.games.acts.deadlines import MoveDeadline
from service.public import calendar
from service.store.tables import PhaseState, PlayerRow, SeatRow
from tests.support.acting import do
from tests.support.desk_table import open_desk
from tests.support.public_site import visitor
from tests.support.site import Site
from tests.support.table import Table, open_table


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site, start=date(2027, 3, 1))


@pytest.fixture
def client(site: Site) -> Iterator[TestClient]:
    with visitor(site) as visiting:
        yield visiting


def test_feed_has_a_year_of_deadlines_in_utc(table: Table, client: TestClient) -> None:
    answer = client.get(f"/public/{table.game}/calendar.ics")
    assert answer.headers["content-type"].startswith("text/calendar")
    events = IcsCalendarStream.calendar_from_ics(answer.text).events
    assert [e.dtstart for e in events] == [p.deadline for p in table.phases()]
    last = events[-1].dtstart
    assert isinstance(last, datetime)
    assert last - table.phases()[0].opens_at >= timedelta(days=49)
    assert all(e.uid and e.uid.endswith("@orders.example.org") for e in events)


def test_a_game_that_is_over_has_no_deadline_ahead(table: Table, client: TestClient) -> None:
    """CAL-16, BEY-07: neither in a calendar that comes back for it, nor on its page, nor at the desk."""
    desk = open_desk(table, wall=SimulatedClock(table.site.clock.now()))
    assert "Powick Bridge" in desk.text("/deadlines")
    table.site.clock.set(table.phase().deadline + timedelta(minutes=1))
    table.close_phase(table.phase().id)
    assert table.phase().state == PhaseState.READY
    for row in table.phases():
        table.set_phase(row.ordinal, state=PhaseState.SENT)
    events = IcsCalendarStream.calendar_from_ics(client.get(f"/public/{table.game}/calendar.ics").text).events
    assert [event.dtstart for event in events] == [table.phase().deadline], "what was played stays"
    page = client.get(f"/public/{table.game}/calendar").text
    assert not [row for row in table.phases() if f"{row.deadline:%Y-%m-%dT%H:%M}" in page]
    assert "Powick Bridge" not in desk.text("/deadlines")


def test_client_that_asks_every_second_is_told_unchanged(table: Table, client: TestClient) -> None:
    first = client.get(f"/public/{table.game}/calendar.ics")
    again = client.get(f"/public/{table.game}/calendar.ics", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert "max-age" in again.headers["cache-control"]


def test_a_client_that_asks_every_second_costs_one_drawing(table: Table, client: TestClient) -> None:
    """It may heed no mark at all: the feed is written once for its deadlines, and a minute of asking takes no
    second of the processor."""
    calendar._tagged_feed.cache_clear()
    begun = time.process_time()
    for _ in range(60):
        assert client.get(f"/public/{table.game}/calendar.ics").status_code == 200
    assert calendar._tagged_feed.cache_info().misses == 1
    # 100 ms of processor for each request; a program that asks every second then takes a tenth of a core.
    assert (time.process_time() - begun) / 60 < 0.1


def test_moved_deadline_is_a_new_feed_with_the_same_identities(
    site: Site, table: Table, client: TestClient
) -> None:
    """CAL-15."""
    before = client.get(f"/public/{table.game}/calendar.ics")
    phase = table.phases()[0]
    to = phase.deadline + timedelta(days=2)
    do(table, MoveDeadline(table.game, phase.id, to.date().isoformat(), f"{to:%H:%M}", "Storm at sea",
                           later=True))
    after = client.get(
        f"/public/{table.game}/calendar.ics", headers={"If-None-Match": before.headers["etag"]}
    )
    assert after.status_code == 200
    old, new = (IcsCalendarStream.calendar_from_ics(a.text).events for a in (before, after))
    assert [e.uid for e in old] == [e.uid for e in new]
    # Calendar programs replace an event only if its UID is the same and its SEQUENCE is higher.
    assert {e.sequence for e in new} == {1}
    assert "moved" in client.get(f"/public/{table.game}/calendar").text


def test_player_has_one_feed_for_all_games(site: Site, table: Table, client: TestClient) -> None:
    with site.store.begin() as session:
        player = PlayerRow(name="Ada Lovelace", zone="Europe/London", feed="a-long-random-part")
        session.add(player)
        session.flush()
        power = next(iter(table.variant.powers))
        seat = session.get(SeatRow, (table.game, power))
        if seat is None:
            session.add(SeatRow(game_id=table.game, power=power, player_id=player.id))
        else:
            seat.player_id = player.id
    answer = client.get("/public/calendar/a-long-random-part.ics")
    assert len(IcsCalendarStream.calendar_from_ics(answer.text).events) == len(table.phases())
    assert "Ada" not in answer.text
    # CAL-16: no secret content.
    assert power not in answer.text


def test_page_says_gmt_and_how_to_subscribe(table: Table, client: TestClient) -> None:
    page = client.get(f"/public/{table.game}/calendar").text
    first = table.phases()[0].deadline.astimezone(UTC)
    assert f"{first:%a} {first.day} {first:%b}" in page
    assert "07:00 GMT" in page
    assert f"webcal://orders.example.org/public/{table.game}/calendar.ics" in page
    assert f"https://orders.example.org/public/{table.game}/calendar.ics" in page


@pytest.mark.parametrize(
    "address", ["/public/no-such/calendar.ics", "/public/no-such/calendar", "/public/calendar/x.ics"]
)
def test_unknown_calendar_says_what_to_do(client: TestClient, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 404
    assert "There is no such calendar here" in answer.text
