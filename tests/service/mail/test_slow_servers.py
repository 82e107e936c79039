"""Servers that answer a byte at a time, or not at all: no command takes longer than its limit (BOX-07)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.config import MailOut
from service.mail.mailbox.imap import ImapSource
from service.mail.mailbox.ingest import IngestCounts
from service.mail.mailbox.source import MailboxError
from service.mail.sending.outbox import SendCounts, SmtpTransport, send_due
from service.mail.time_limit import LineLimits
from service.store.tables import OutboxState
from tests.support.letters import LETTER, SENDER, rows, write
from tests.support.mails import simple
from tests.support.servers.certificates import make_certificate
from tests.support.servers.dovecot import Dovecot
from tests.support.servers.mailboxes import imap_settings, take
from tests.support.servers.proxy import Proxy
from tests.support.servers.smtp_sink import SmtpSink
from tests.support.site import Site

SHORT = LineLimits(command_seconds=0.5, bytes_per_second=1_000_000)
"""A command ends after half a second; a byte comes every tenth of one, so that no single read is late."""
DRIP = 0.1
LATE = 5.0
"""Seconds: far above the limit, and far below what the answers would take."""


@pytest.fixture
def proxy(dovecot: Dovecot) -> Iterator[Proxy]:
    between = Proxy(dovecot.imap).start()
    yield between
    between.stop()


def slow_source(dovecot: Dovecot, proxy: Proxy) -> ImapSource:
    settings = imap_settings(dovecot).model_copy(update={"port": proxy.port})
    return ImapSource(settings, limits=SHORT)


@pytest.mark.parametrize("moment", ["greeting", "listing", "body"])
def test_a_mail_server_that_drips_is_left_after_the_time_of_one_command(
    site: Site, dovecot: Dovecot, proxy: Proxy, moment: str
) -> None:
    """BOX-07: a byte a second held the poller for six minutes."""
    dovecot.append(simple(1, size=3000))
    source = slow_source(dovecot, proxy)
    if moment != "greeting":
        source.list_waiting()
        proxy.drip_after = {"listing": b"SEARCH", "body": b"BODY["}[moment]
    proxy.drip = DRIP
    started = time.monotonic()
    with pytest.raises(MailboxError, match="does not answer in time"):
        take(site, source)
    assert 0.4 < time.monotonic() - started < LATE
    # The next look begins again.
    proxy.drip = 0
    assert take(site, source) == IngestCounts(new=1)
    source.close()


def test_a_large_mail_on_a_slow_but_honest_line_comes_through(
    site: Site, dovecot: Dovecot, proxy: Proxy
) -> None:
    """BOX-07: its limit grows with its bytes."""
    dovecot.append(simple(1, size=900_000))
    source = ImapSource(imap_settings(dovecot).model_copy(update={"port": proxy.port}),
                        limits=LineLimits(command_seconds=0.5, bytes_per_second=300_000))
    source.list_waiting()
    # One and a half seconds, three times the limit of a command without bytes.
    proxy.pace = 800_000
    started = time.monotonic()
    assert take(site, source) == IngestCounts(new=1)
    assert time.monotonic() - started > 0.9
    source.close()


def test_whatever_a_look_still_has_to_do_ends_at_its_last_instant(
    site: Site, dovecot: Dovecot, proxy: Proxy
) -> None:
    """BOX-07: a deadline waits for the mailbox for a bounded time, however many commands each of which is
    quick."""
    for number in range(40):
        dovecot.append(simple(number))
    source = ImapSource(imap_settings(dovecot).model_copy(update={"port": proxy.port}),
                        until=time.monotonic() + 0.7)
    proxy.pace = 2000
    started = time.monotonic()
    with pytest.raises(MailboxError, match="does not answer in time"):
        take(site, source)
    assert time.monotonic() - started < LATE
    source.close()


@pytest.fixture
def sending(smtp_sink: SmtpSink) -> Iterator[Proxy]:
    between = Proxy(smtp_sink.port).start()
    yield between
    between.stop()


def slow_transport(port: int, **more: object) -> SmtpTransport:
    settings = MailOut.model_validate(
        {"host": "127.0.0.1", "port": port, "starttls": False, "sender": SENDER, **more})
    return SmtpTransport(settings, limits=SHORT)


def test_a_relay_whose_greeting_drips_is_left_and_the_letter_keeps_its_place(
    site: Site, sending: Proxy, smtp_sink: SmtpSink
) -> None:
    """BOX-07."""
    sending.drip = DRIP
    write(site, LETTER)
    started = time.monotonic()
    outcome = send_due(site.store, site.blobs, slow_transport(sending.port), site.clock, sender=SENDER)
    assert 0.4 < time.monotonic() - started < LATE
    assert "does not answer in time" in outcome.down
    assert [(row.state, row.tries) for row in rows(site)] == [(OutboxState.QUEUED, 0)]
    sending.drip = 0
    outcome = send_due(site.store, site.blobs, slow_transport(sending.port), site.clock, sender=SENDER)
    assert outcome == SendCounts(sent=1)


@pytest.mark.parametrize(("answer", "is_handed_over"), [(b"354", False), (b"taken as", True)])
def test_a_relay_that_drips_its_last_answer_may_have_the_letter_and_it_is_marked(
    site: Site, sending: Proxy, smtp_sink: SmtpSink, answer: bytes, is_handed_over: bool
) -> None:
    """BOX-07: after the mail was handed over it is unknown whether it was taken; before that it was not."""
    smtp_sink.at_data = lambda _letter: "250 2.0.0 taken as 5f2c8d1e"
    sending.drip, sending.drip_after = DRIP, answer
    write(site, LETTER)
    started = time.monotonic()
    outcome = send_due(site.store, site.blobs, slow_transport(sending.port), site.clock, sender=SENDER)
    assert 0.4 < time.monotonic() - started < LATE
    assert bool(outcome.down) is not is_handed_over
    (row,) = rows(site)
    assert (row.state, row.possibly_twice) == (OutboxState.QUEUED, is_handed_over)


def test_a_relay_that_never_answers_starttls_is_left(
    site: Site, sending: Proxy, smtp_sink: SmtpSink, tmp_path: Path
) -> None:
    """BOX-07."""
    secure = SmtpSink(certificate=make_certificate(tmp_path)).start()
    between = Proxy(secure.port, drip=DRIP, drip_after=b"Ready to start TLS").start()
    try:
        write(site, LETTER)
        started = time.monotonic()
        outcome = send_due(site.store, site.blobs, slow_transport(between.port, starttls=True), site.clock,
                           sender=SENDER)
        assert 0.4 < time.monotonic() - started < LATE
        assert "does not answer in time" in outcome.down
        assert secure.letters == []
    finally:
        between.stop()
        secure.stop()
