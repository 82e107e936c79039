"""Faults of mail going out that need a whole turn or a killed process (docs/faults.md)."""

from __future__ import annotations

import signal
import subprocess
import sys
from datetime import datetime, timedelta

import pytest

from service.mail.sending.connections import LEASE
from service.mail.sending.outbox import CLAIM, GIVE_UP, PAUSES, SendCounts
from service.notices.results import ResultsAnnouncer
from service.store.tables import OutboxState, PhaseState, SubmissionRow
from tests.support.letters import LETTER, rows, send, to, write
from tests.support.mails import wait_for
from tests.support.servers.dovecot import free_port
from tests.support.servers.smtp_sink import SmtpSink
from tests.support.site import Site
from tests.support.table import Table, open_table

HALF_HOUR = timedelta(minutes=30)
HOURS = timedelta(hours=5)


@pytest.fixture
def table(site: Site) -> Table:
    opened = open_table(site)
    opened.announce = ResultsAnnouncer(opened.writer, drawing=False)
    opened.takes_letters = False
    return opened


def test_33_a_mail_server_away_for_two_hours_holds_up_no_judging_and_letters_leave_in_order(
    table: Table,
) -> None:
    """Fault 33."""
    port = free_port()
    phase = table.phase()
    table.take(table.mail("Montrose"), phase.opens_at)
    with table.site.store.begin() as session:
        session.get_one(SubmissionRow, 1).read_at = phase.opens_at
    table.site.clock.set(phase.deadline + timedelta(minutes=1))
    assert send(table.site, port).down
    # The receipt could not leave, and yet the phase closes: judging never waits for mail.
    table.close_phase(phase.id)
    table.approve_phase(phase.id, "ada")
    assert table.phase().state == PhaseState.SENT
    for _ in range(4):
        table.site.clock.advance(HALF_HOUR)
        assert send(table.site, port).down
    written = [row.message_id for row in rows(table.site)]
    assert [row.kind for row in rows(table.site)] == ["receipt", *["final_results"] * 10]
    sink = SmtpSink(port=port).start()
    try:
        assert send(table.site, port) == SendCounts(sent=len(written))
    finally:
        sink.stop()
    assert [letter.message["Message-ID"] for letter in sink.letters] == written
    # An unreachable server is not an attempt; otherwise two hours would use up a letter's tries.
    assert {row.tries for row in rows(table.site)} == {1}
    assert not any(row.possibly_twice for row in rows(table.site))


def test_a_server_that_greylists_for_hours_gets_the_letter_once_and_holds_up_no_other(
    site: Site, smtp_sink: SmtpSink
) -> None:
    """MBX-06. A greylisting server knows a letter by sender and receiver: it answers 451 until hours have
    passed since it first saw them."""
    first_seen: dict[str, datetime] = {}

    def greylist(address: str) -> str | None:
        now = site.clock.now()
        if not address.startswith("montrose") or now - first_seen.setdefault(address, now) >= HOURS:
            return None
        return "451 4.7.1 Greylisted, please come back later"

    smtp_sink.at_rcpt = greylist
    write(site, to("montrose"), to("argyll"))
    begun = site.clock.now()
    assert send(site, smtp_sink.port) == SendCounts(sent=1, later=1)
    while not all(row.state == OutboxState.SENT for row in rows(site)):
        assert site.clock.now() - begun < GIVE_UP
        site.clock.advance(timedelta(minutes=10))
        assert send(site, smtp_sink.port).failed == 0
    assert [letter.recipients for letter in smtp_sink.letters] == [
        ("argyll@example.org",), ("montrose@example.org",)]
    # At the second try after the server would have taken it, at the latest.
    assert HOURS <= site.clock.now() - begun <= HOURS + timedelta(hours=4)
    assert not any(row.possibly_twice for row in rows(site))


PROGRAM = """
import os, signal, sys
from pathlib import Path
from service.mail.sending import outbox
from service.clock import SimulatedClock
from service.store.blobs import Blobs
from service.record.sessions import sessions
from service.store.engine import open_engine
from datetime import datetime
from tests.support.letters import SENDER, smtp
url, blobs, port, now = sys.argv[1:]
outbox._end = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)
clock = SimulatedClock(datetime.fromisoformat(now))
outbox.send_due(sessions(open_engine(url)), Blobs(Path(blobs)), smtp(int(port)), clock, sender=SENDER)
"""


@pytest.mark.slow
def test_34_a_process_killed_between_the_servers_yes_and_our_record_sends_at_most_twice_and_says_so(
    site: Site, smtp_sink: SmtpSink
) -> None:
    """Fault 34, by a real SIGKILL."""
    write(site, LETTER)
    arguments = [site.url, str(site.blobs.root), str(smtp_sink.port), site.clock.now().isoformat()]
    completed_process = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], check=False, capture_output=True, timeout=60
    )
    assert completed_process.returncode == -signal.SIGKILL, completed_process.stderr.decode()[-2000:]
    assert len(smtp_sink.letters) == 1
    assert rows(site)[0].state == OutboxState.SENDING
    assert send(site, smtp_sink.port) == SendCounts()  # its claim may still be alive
    # Only now is it certain that the other process is dead.
    site.clock.advance(CLAIM)
    assert send(site, smtp_sink.port) == SendCounts()
    site.clock.advance(PAUSES[1])
    # Its connection is free some seconds later by the real clock, which no simulated one moves (SCA-04).
    assert wait_for(lambda: send(site, smtp_sink.port) == SendCounts(sent=1), 2 * LEASE.total_seconds())
    (row,) = rows(site)
    assert (row.state, row.possibly_twice) == (OutboxState.SENT, True)
    assert [letter.message["Message-ID"] for letter in smtp_sink.letters] == [row.message_id] * 2
