"""The answers to a player are in their own file and in no one else's (section 3 of the desk plan: own
receipts, own sheets and versions of this phase, the digest of each; NON-02)."""

from __future__ import annotations

import pytest

from adjudicator.calendar import Phase, PhaseKind
from service.clock import SimulatedClock
from tests.service.public.test_entry import BASE, visit
from tests.support.desk_table import DeskTable, open_desk
from tests.support.site import Site
from tests.support.table import open_table

NEVER = Phase(1700, "Summer", PhaseKind.RETREAT)
"""A phase that this game does not have: a sheet for it is refused."""


@pytest.fixture
def desk(site: Site) -> DeskTable:
    opened = open_desk(open_table(site), base_url=BASE, wall=SimulatedClock(site.clock.now()))
    opened.client.cookies.clear()
    return opened


def test_ones_own_receipts_and_refusals_are_listed_and_no_others(desk: DeskTable) -> None:
    table = desk.table
    first = table.take(table.mail("Montrose", 40), table.phase().opens_at)
    second = table.take(
        table.mail("Montrose", 80, subject=table.subject("Montrose", 2)), table.phase().opens_at
    )
    table.take(
        table.mail("Montrose", 120, subject=table.subject("Montrose", 3, NEVER)), table.phase().opens_at
    )
    other = table.take(table.mail("Argyll", 160), table.phase().opens_at)
    page = visit(desk, "Montrose").get(f"/public/{table.game}/file").text
    for version in (1, 2):
        assert f"Powick Bridge - Montrose - Summer 1642 - Movement Orders - v{version} received" in page
    (refused,) = table.letters("rejection")
    assert refused.subject in page
    assert first.sha256 in page
    assert second.sha256 in page
    assert other.sha256 not in page
    assert "Argyll" not in page
    theirs = visit(desk, "Argyll").get(f"/public/{table.game}/file").text
    assert "Powick Bridge - Argyll - Summer 1642 - Movement Orders - v1 received" in theirs
    assert "Montrose" not in theirs


def test_a_refusal_of_a_mail_that_names_no_game_is_in_the_file_of_whoever_had_it(desk: DeskTable) -> None:
    """The subject names no known game, and the sender plays one: it is refused in that game's name."""
    table = desk.table
    table.take(table.mail("Montrose", 40, subject=("Nasby - Montrose - Summer 1642 - Movement Orders - "
                                                   "v1")), table.phase().opens_at)
    (refused,) = table.letters("rejection")
    assert refused.game_id == table.game
    assert refused.subject in visit(desk, "Montrose").get(f"/public/{table.game}/file").text
    assert refused.subject not in visit(desk, "Argyll").get(f"/public/{table.game}/file").text


def test_a_calendar_of_all_ones_games_is_answered_unchanged_and_has_each_deadline_under_its_games_identity(
    desk: DeskTable,
) -> None:
    """CAL-16: the personal feed answers a program that asks again with "not modified", and a program that
    follows both feeds sees each deadline once."""
    table = desk.table
    page = visit(desk, "Montrose").get("/public/me").text
    path = page.partition(f"{BASE}/public/calendar/")[2].partition(".ics")[0]
    assert len(path) == 32
    first = desk.client.get(f"/public/calendar/{path}.ics")
    again = desk.client.get(f"/public/calendar/{path}.ics", headers={"If-None-Match": first.headers["etag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    game = desk.client.get(f"/public/{table.game}/calendar.ics")
    uids = [
        sorted(line for line in answer.text.splitlines() if line.startswith("UID:"))
        for answer in (first, game)
    ]
    assert uids[0] == uids[1]
    assert len(set(uids[0])) == len(table.phases())
