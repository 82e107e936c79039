"""LET-15: search over games, players, mails, letters and lines, and nothing of a sealed sheet."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from service.clock import SimulatedClock
from service.store import records
from service.store.tables import LineRow, MailRow, MailState, PlayerRow
from tests.support.desk_table import DeskTable, open_desk
from tests.support.site import Site
from tests.support.table import open_table


@pytest.fixture
def desk(site: Site) -> DeskTable:
    # A separate clock, so that no one is signed out by the thirteen days of a phase.
    return open_desk(open_table(site), wall=SimulatedClock(site.clock.now()))


def test_games_players_mails_and_lines_are_found_by_their_words(desk: DeskTable) -> None:
    table = desk.table
    sheet = table.file("Manchester", ("A Lindsey - Kesteven & Holland",))
    now = table.site.clock.now()
    with table.site.store.begin() as session:
        records.add_mail(session, "ab" * 32, 10, now, now)
        mail = session.get_one(MailRow, "ab" * 32)
        mail.state, mail.verdict = MailState.IGNORED, {"subject": "Orders for 100% of us", "power": "Argyll"}
        player = session.scalars(select(PlayerRow).order_by(PlayerRow.id)).first()
        assert player is not None
        name = player.name
    table.site.clock.set(table.phase().deadline)
    table.close_phase(table.phase().id)
    assert 'href="/games/powick-bridge">Powick Bridge</a>' in desk.page("/log?q=POWICK")
    assert f"{name}</a>" in desk.page(f"/log?q={name}")
    # A per cent sign is a letter like any other, not "anything".
    assert "Orders for 100% of us" in desk.text("/log?q=100%25 orders")
    assert "Nothing has “200%”" in desk.text("/log?q=200%25")
    found = desk.page("/log?q=kesteven lindsey")
    assert f'href="/sheet/{sheet}"' in found
    assert "Manchester, Summer 1642 Movement, Powick Bridge" in found
    assert "Type at least two letters" in desk.text("/log?q=k")
    # The log's own entries are searched too, and the page had another address.
    assert "In the log" in desk.text("/log?q=phase_closed")
    assert desk.client.get("/search?q=a b").headers["location"] == "/log?q=a+b"


def test_nothing_of_a_sealed_sheet_is_found(desk: DeskTable) -> None:
    """DESK-02: not even that a sheet has a word."""
    desk.table.file("Manchester", ("A Lindsey - Kesteven & Holland",))
    with desk.table.site.store() as session:
        assert session.scalar(select(func.count()).select_from(LineRow))
    desk.table.site.clock.set(desk.table.phase().deadline - timedelta(hours=1))
    assert "Nothing has “kesteven”" in desk.text("/log?q=kesteven")


def test_a_second_reader_does_not_search(site: Site) -> None:
    desk = open_desk(open_table(site), "second reader")
    assert "coordinator&#39;s" in desk.page("/log?q=powick", 403)
