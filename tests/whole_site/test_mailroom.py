"""The whole way round on real servers: mail in by LMTP with IDLE waiting, work in the queue, a letter out by
SMTP."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from service.clock import SystemClock
from service.config import MailIn, MailOut
from service.jobs import DbosJobs, Payload
from service.mail.mailbox.imap import ImapSource
from service.mail.mailbox.ingest import WORK, IngestCounts, take_in, watch
from service.mail.sending.outbox import OutLetter, SmtpTransport, put, send_due
from service.scheduler import LETTERS, Schedule
from service.store import records
from service.store.tables import MailState
from tests.support.mails import simple, wait_for
from tests.support.servers.dovecot import PASSWORD, USER, Dovecot
from tests.support.servers.mailboxes import taken_in
from tests.support.servers.smtp_sink import SmtpSink
from tests.support.site import Site

SENDER = "orders@galloper.example"
Start = Callable[[Site], None]


@pytest.fixture
def start_room(dovecot: Dovecot, smtp_sink: SmtpSink) -> Iterator[Start]:
    endings: list[Callable[[], None]] = []

    def start(site: Site) -> None:
        clock, jobs = SystemClock(), DbosJobs(site.engine, poll_seconds=0.1)
        transport = SmtpTransport(
            MailOut(host="127.0.0.1", port=smtp_sink.port, starttls=False, sender=SENDER)
        )

        def answer(payload: Payload) -> None:
            letter = OutLetter(
                f"receipt:{payload['mail']}", "receipt", "player@example.org", "Received", "Thank you.\n"
            )
            with site.store.begin() as session:
                # A job may run again after a crash; only the run that ends the mail writes the letter.
                if records.end_mail(session, payload["mail"], MailState.USED):
                    put(session, site.blobs, letter, sender=SENDER, now=clock.now())

        def letters(_: Payload) -> None:
            send_due(site.store, site.blobs, transport, clock, sender=SENDER)

        jobs.register(WORK, answer)
        jobs.register(LETTERS, letters)
        source = ImapSource(
            MailIn(host="127.0.0.1", port=dovecot.imap, tls=False, user=USER, password=PASSWORD)
        )
        stop, reports = threading.Event(), list[str]()

        def take() -> IngestCounts:
            return take_in(source, site.store, site.blobs, jobs, clock)

        poller = threading.Thread(target=watch, args=(source, take, stop, reports.append, 120.0))
        schedule = Schedule(clock, site.store, jobs)
        jobs.start()
        schedule.start()
        poller.start()
        endings.extend([stop.set, poller.join, schedule.stop, jobs.stop])
        assert wait_for(lambda: reports)
        time.sleep(0.2)  # into IDLE

    yield start
    for ending in endings:
        ending()


def test_a_mail_is_answered_within_seconds_and_once(
    any_site: Site, dovecot: Dovecot, smtp_sink: SmtpSink, start_room: Start
) -> None:
    start_room(any_site)
    begun = time.monotonic()
    dovecot.deliver(simple(1, size=80_000))
    assert wait_for(lambda: smtp_sink.letters, 60)
    assert time.monotonic() - begun < 40
    dovecot.append(taken_in(dovecot)[0])  # the same bytes again
    dovecot.deliver(simple(2))
    assert wait_for(lambda: len(smtp_sink.letters) == 2, 60)
    assert wait_for(lambda: dovecot.contents() == [])
    # A second letter would have left by now.
    time.sleep(1)
    assert len(smtp_sink.letters) == 2
    assert [letter.recipients for letter in smtp_sink.letters] == [("player@example.org",)] * 2


def test_thirty_mails_at_once_give_thirty_letters(
    site: Site, dovecot: Dovecot, smtp_sink: SmtpSink, start_room: Start
) -> None:
    for number in range(30):
        dovecot.deliver(simple(number))
    start_room(site)
    assert wait_for(lambda: len(smtp_sink.letters) >= 30, 200)
    time.sleep(0.5)
    assert len({letter.message["Message-ID"] for letter in smtp_sink.letters}) == len(smtp_sink.letters) == 30
