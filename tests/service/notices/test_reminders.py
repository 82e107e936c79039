"""Reminders before a deadline: to whom, when, how often, and what is not in them (OUT-11)."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from adjudicator.geo import Region
from adjudicator.position import Dislodgement
from adjudicator.serialize import codec
from adjudicator.units import Unit
from service import scheduler
from service.games.acts.deadlines import MoveDeadline
from service.notices import reminders
from service.notices.letter_context import LetterContext
from service.notices.reminders import Reminders
from service.store.tables import AddressRow, PhaseState, PlayerRow, PostalOriginalRow, SeatRow, SubmissionRow
from tests.support.acting import do
from tests.support.mail_builder import mail, stamp, text
from tests.support.site import Site
from tests.support.table import KINDS, SERVER, Table, address, autumn_1642, open_table

ASKED = ("Montrose", "Ormond")


@pytest.fixture
def table(site: Site) -> Table:
    """A game in which two players asked to be reminded."""
    opened = open_table(site)
    ask(opened, *ASKED)
    base = replace(opened.writer.sender, base_url="https://orders.example.org")
    writer = Reminders(LetterContext(site.blobs, site.clock, opened.load, base, KINDS))

    def remind(payload: dict[str, object]) -> None:
        with site.store.begin() as session:
            writer.put_due(session, int(str(payload["phase"])))

    site.jobs.register(scheduler.REMIND, remind)
    for name in (scheduler.LETTERS, scheduler.OPEN, scheduler.DEADLINE):
        site.jobs.register(name, lambda _: None)
    return opened


def ask(table: Table, *powers: str) -> None:
    with table.site.store.begin() as session:
        for power in powers:
            seat = session.get_one(SeatRow, (table.game, power))
            session.get_one(PlayerRow, seat.player_id).reminders = True


def look(table: Table, before: timedelta, number: int = 1) -> None:
    """One look of the scheduler, this long before a deadline."""
    table.site.clock.set(table.phase(number).deadline - before)
    scheduler.due_now(table.site.clock, table.site.store, table.site.jobs)
    table.site.jobs.run()


def reminded(table: Table) -> list[str]:
    return sorted(row.recipient for row in table.letters("reminder"))


def test_who_asked_and_has_nothing_on_file_is_reminded_twice(table: Table) -> None:
    """OUT-11: 48 h and 12 h before the deadline, each once however often the scheduler looks. Q-45: a player
    who did not ask gets none."""
    # A second too early: the limit of 48 hours itself belongs to the reminder.
    look(table, timedelta(hours=48, seconds=1))
    assert reminded(table) == []
    for hours in (48, 47, 30, 12.01):
        look(table, timedelta(hours=hours))
    assert reminded(table) == sorted(address(power) for power in ASKED)
    for hours in (12, 11, 1):
        look(table, timedelta(hours=hours))
    assert reminded(table) == sorted(2 * [address(power) for power in ASKED])
    look(table, timedelta())
    assert len(reminded(table)) == 4


def test_who_sent_a_sheet_or_a_letter_is_left_alone(table: Table) -> None:
    table.file("Montrose", ["A Inverness H"])
    with table.site.store.begin() as session:
        phase = table.phase()
        session.add(PostalOriginalRow(phase_id=phase.id, power="Ormond", received=phase.opens_at.date(),
                                      made_at=phase.opens_at, made_by="ada"))
    look(table, timedelta(hours=40))
    assert reminded(table) == []


def test_who_sent_what_does_not_count_is_reminded_and_told_what_came(table: Table) -> None:
    """LET-01: a player whose only sheet was set aside got no reminder, and one whose mail was refused read
    that nothing had arrived."""
    key = table.file("Montrose", ["A Inverness H"], version=2)
    with table.site.store.begin() as session:
        row = session.get_one(SubmissionRow, key)
        row.fate, row.flags = "held", ["too_dark"]
    bare = mail(table.subject("Ormond"), address("Ormond"), parts=[text("My orders follow.")],
                stamps=[stamp("ormond.example", server=SERVER)])
    table.take(bare, table.phase().opens_at)
    look(table, timedelta(hours=40))
    words = {row.recipient: table.words(row) for row in table.letters("reminder")}
    montrose, ormond = words[address("Montrose")], words[address("Ormond")]
    assert "No sheet of Montrose counts yet" in montrose
    assert "A sheet was received and set aside: the photograph is too dark." in montrose
    assert table.subject("Montrose", 3) in montrose
    assert "A mail was received and set aside: it has no picture of a sheet." in ormond
    assert "has arrived yet" not in montrose + ormond


def test_a_moved_deadline_reminds_anew(table: Table) -> None:
    look(table, timedelta(hours=40))
    phase = table.phase()
    to = phase.deadline + timedelta(days=5)
    do(table, MoveDeadline(table.game, phase.id, to.date().isoformat(), f"{to:%H:%M}",
                           "The post is on strike.", later=True), "ada")
    look(table, timedelta(hours=60))
    assert len(reminded(table)) == 2
    look(table, timedelta(hours=40))
    assert len(reminded(table)) == 4


def test_who_asks_late_is_still_reminded(table: Table) -> None:
    look(table, timedelta(hours=40))
    ask(table, "Argyll")
    look(table, timedelta(hours=30))
    assert address("Argyll") in reminded(table)
    assert len(reminded(table)) == 3


def test_a_reminder_says_nothing_of_the_game(table: Table) -> None:
    """OUT-11, NON-02: no unit, no region, no other power, no one's address; a calendar, and how to end
    it."""
    look(table, timedelta(hours=12))
    row = next(row for row in table.letters("reminder") if row.recipient == address("Montrose"))
    words, message = table.words(row), table.message(row)
    assert not re.search(r"\b(Army|Fleet|A|F)\b", words)
    # Mar is a region too, and so is Montrose.
    without = words.replace(f"{table.phase().deadline:%d %b %Y}", "").replace("Montrose", "")
    for province in table.variant.board.provinces.values():
        assert not re.search(rf"\b{re.escape(province.name)}\b", without), province.name
    for power in table.variant.powers.values():
        assert power.name == "Montrose" or power.name not in words
    assert "https://orders.example.org/public/powick-bridge/calendar.ics" in words
    assert "https://orders.example.org/public/entry" in words
    assert "Time left: 12 hours." in words
    assert "Powick Bridge - Montrose - Summer 1642 - Movement Orders - v1" in words
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Precedence"] == "bulk"
    assert message["In-Reply-To"] is None
    assert not list(message.iter_attachments())


def test_of_retreats_only_those_who_must_retreat_are_reminded(site: Site) -> None:
    table = open_table(site, position=autumn_1642())
    ask(table, "Newcastle", "Ormond")
    beaten = Dislodgement(Unit("Newcastle", "A", Region("Kesteven & Holland")), "Lindsey")
    position = replace(table.position(1), dislodged=(beaten,))
    table.set_phase(2, state=PhaseState.OPEN, position=codec.dump_position(position))
    site.clock.set(table.phase(2).deadline - timedelta(hours=10))
    with site.store() as session:
        assert list(reminders.silent(session, table.phase(2))) == ["Newcastle"]
    table.set_phase(2, position=None)
    with site.store() as session:
        assert list(reminders.silent(session, table.phase(2))) == []


def test_a_player_of_two_addresses_is_reminded_at_both(table: Table) -> None:
    with table.site.store.begin() as session:
        key = session.scalars(
            select(AddressRow.player_id).where(AddressRow.email == address("Montrose"))
        ).one()
        session.add(AddressRow(email="second@montrose.example", player_id=key))
    look(table, timedelta(hours=12))
    assert {"second@montrose.example", address("Montrose")} <= set(reminded(table))
