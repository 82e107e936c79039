"""Letters to the coordinator that strangers cause: few, however many mails come (MBX-03)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from sqlalchemy import func, select

from service.games.acts.act import ActTable, perform
from service.intake.quarantine import DiscardMail
from service.notices import outside_notices
from service.record.entries import MOST_OF_STRANGERS
from service.store.tables import EntryRow, MailState, OutsideNoticeRow
from tests.support.mail_builder import mail, stamp
from tests.support.site import Site
from tests.support.table import COORDINATOR, SERVER, Table, address

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


def forged(table: Table, number: int) -> bytes:
    """A mail with a player's address that the mail server did not find genuine."""
    return mail(table.subject("Montrose", number), address("Montrose"), stamps=[
        stamp("montrose.example", "fail", server=SERVER)])


def look(table: Table) -> bool:
    with table.site.store.begin() as session:
        return outside_notices.send_due(session, table.writer)


def test_a_hundred_and_fifty_forged_mails_bring_two_letters_in_two_hours(table: Table) -> None:
    """150 letters, and a relay with 500 a day was closed for receipts."""
    table.site.clock.set(table.phase().opens_at)
    for number in range(150):
        row = table.take(forged(table, number), table.site.clock.now())
        assert row.state == MailState.QUARANTINED
    assert table.written_letters() == [("coordinator_notice", COORDINATOR)]
    # Not before an hour is over, however often it is looked at.
    for _ in range(59):
        table.site.clock.advance(MINUTE)
        assert not look(table)
    table.site.clock.advance(MINUTE)
    assert look(table)
    assert not look(table)
    first, gathered = table.letters()
    assert "149 more mails need you" in table.words(gathered)
    words = " ".join(table.words(gathered).split())
    assert "149 times: A mail needs you" in words
    assert words.count(f"{address('Montrose')} (not proved): Powick Bridge - Montrose") == 20
    assert "and 129 before these" in words
    assert first.key != gathered.key


def test_a_day_of_flood_brings_a_letter_an_hour(table: Table) -> None:
    table.site.clock.set(table.phase().opens_at)
    for number in range(24 * 6):
        table.take(forged(table, number), table.site.clock.now())
        table.site.clock.advance(10 * MINUTE)
        look(table)
    assert 20 <= len(table.letters()) <= 25


def test_a_relay_of_a_hundred_letters_a_day_brings_a_tenth_of_them(table: Table) -> None:
    table.site.clock.set(table.phase().opens_at)
    writer = replace(table.writer, sender=replace(table.writer.sender, letters_a_day=100))
    written = 0
    for number in range(24 * 2):
        table.take(forged(table, number), table.site.clock.now())
        table.site.clock.advance(30 * MINUTE)
        with table.site.store.begin() as session:
            written += outside_notices.send_due(session, writer)
    # The first left at once.
    assert 1 + written <= 10
    with table.site.store() as session:
        waiting = session.scalar(select(func.count()).select_from(OutsideNoticeRow).where(
            OutsideNoticeRow.told_at.is_(None)))
    assert waiting is not None
    assert waiting < 6


def test_a_notice_after_a_quiet_hour_leaves_at_once(table: Table) -> None:
    table.site.clock.set(table.phase().opens_at)
    table.take(forged(table, 1), table.site.clock.now())
    table.site.clock.advance(HOUR)
    table.take(forged(table, 2), table.site.clock.now())
    assert len(table.letters()) == 2
    assert not look(table)


def entered(site: Site, game: str) -> int:
    with site.store() as session:
        return session.scalar(select(func.count()).select_from(EntryRow).where(
            EntryRow.game_id == game, EntryRow.what == "mail")) or 0


def test_the_record_of_a_game_enters_so_many_mails_of_strangers_a_day(table: Table) -> None:
    """Anybody may write a game's name into a subject; a player's mail is entered however many came before."""
    now = table.phase().opens_at
    table.site.clock.set(now)
    rows = [table.take(forged(table, number), now) for number in range(MOST_OF_STRANGERS + 10)]
    assert entered(table.site, table.game) == MOST_OF_STRANGERS
    table.take(table.mail("Argyll"), now)
    assert entered(table.site, table.game) == MOST_OF_STRANGERS + 1
    # One on which a person acts is entered, and stays so.
    with table.site.store.begin() as session:
        why = "Its sender is not the player whose name it has."
        perform(DiscardMail(rows[-1].sha256, why), ActTable(session, "Ada", now))
    assert entered(table.site, table.game) == MOST_OF_STRANGERS + 2
    table.site.clock.advance(timedelta(days=1, minutes=1))
    table.take(forged(table, 900), table.site.clock.now())
    assert entered(table.site, table.game) == MOST_OF_STRANGERS + 3
