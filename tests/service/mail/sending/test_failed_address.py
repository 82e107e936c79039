"""PHA-09: a dead address is named at once with its power and player, and what failed goes to the address of
now."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from service.games.acts.seats import AddAddress
from service.mail.sending.hold import RetryLetters
from service.mail.sending.outbox import SendCounts
from service.operations.health import Health
from service.operations.mailbox_status import MailboxStatus
from service.store.tables import OutboxState
from tests.service.mail.sending.test_present_address import NEW, OLD, POWER, answer, moved, recipients, send
from tests.support.acting import do
from tests.support.desk_table import open_desk
from tests.support.servers.smtp_sink import SmtpSink
from tests.support.table import COORDINATOR, Table

WHOSE = f"Player {POWER} (Powick Bridge, {POWER})"
CAUSE = "there is no such address (550 5.1.1)"


def refuse(sink: SmtpSink, *dead: str) -> None:
    """Have the relay refuse addresses at once, quoting them."""
    sink.at_rcpt = lambda address: f"550 5.1.1 <{address}> no such user" if address in dead else None


def test_a_dead_address_is_named_at_once(
    table: Table, smtp_sink: SmtpSink, caplog: pytest.LogCaptureFixture
) -> None:
    """PHA-09: in the coordinator's notice, in the inbox, at the game and at Health; the address in no letter
    and no log."""
    caplog.set_level(logging.DEBUG, "service")
    refuse(smtp_sink, OLD)
    moved(table)
    answer(table)
    # Two letters to one dead address bring one notice, in the round that refused them.
    assert send(table, smtp_sink) == SendCounts(sent=1, failed=2)
    assert recipients(smtp_sink) == [COORDINATOR]
    (notice,) = table.letters("coordinator_notice")
    words = " ".join(table.words(notice).split())
    assert WHOSE in words
    assert CAUSE in words
    own_log = [record.getMessage() for record in caplog.records if record.name.startswith("service")]
    assert OLD not in " ".join([words, *own_log])
    clock = table.site.clock
    health = Health(table.site.store, clock, MailboxStatus(clock), Path(), lambda: True).findings
    desk = open_desk(table, health=health)
    for page in ("/", "/health"):
        text = desk.text(page)
        assert f"{WHOSE}: 2 letters did not arrive: {CAUSE}." in text
        assert OLD not in text
    game = desk.text(f"/games/{table.game}")
    assert f"{OLD} ✗ 2 letters to it did not arrive: {CAUSE}" in game
    assert game.count("✗") == 1


def test_sent_again_it_goes_to_the_address_of_now(table: Table, smtp_sink: SmtpSink) -> None:
    """PHA-09: the coordinator adds the new address, and the dead one is still on the list."""
    refuse(smtp_sink, OLD)
    moved(table)
    answer(table)
    send(table, smtp_sink)
    smtp_sink.letters.clear()
    do(table, AddAddress(table.game, POWER, NEW))
    do(table, RetryLetters())
    assert send(table, smtp_sink) == SendCounts(sent=2)
    assert recipients(smtp_sink) == [NEW, NEW]
    assert [letter.message["To"] for letter in smtp_sink.letters] == [NEW, NEW]
    assert all(OLD.encode() not in letter.data for letter in smtp_sink.letters)
    assert "did not arrive" not in open_desk(table).text("/")


def test_sent_again_it_goes_to_no_address_that_has_it(table: Table, smtp_sink: SmtpSink) -> None:
    """PHA-09: the other address got the same letter, so the one that failed is tried again."""
    do(table, AddAddress(table.game, POWER, NEW))
    refuse(smtp_sink, OLD)
    moved(table)
    moved(table, to=NEW)
    send(table, smtp_sink)
    smtp_sink.letters.clear()
    refuse(smtp_sink)
    do(table, RetryLetters())
    assert send(table, smtp_sink) == SendCounts(sent=1)
    assert recipients(smtp_sink) == [OLD]
    assert {row.state for row in table.letters("deadline_moved")} == {OutboxState.SENT}
