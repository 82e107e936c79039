"""Mail servers that go away, refuse IDLE, or answer a letter in odd ways (BOX-07)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError

from service.mail.mailbox.imap import ImapSource
from service.mail.mailbox.ingest import IngestCounts
from service.mail.mailbox.source import MailboxError
from service.mail.sending.outbox import PAUSES, SendCounts
from service.mail.sending.smtp import server_words
from service.store.tables import OutboxState
from tests.support.letters import LETTER, rows, send, to, write
from tests.support.mails import simple
from tests.support.servers.dovecot import Dovecot
from tests.support.servers.mailboxes import imap_settings, mails, take
from tests.support.servers.proxy import Proxy
from tests.support.servers.smtp_sink import Letter, SmtpSink
from tests.support.site import Site


@pytest.mark.slow
def test_a_server_that_says_bye_in_idle_is_left_and_found_again(site: Site, dovecot: Dovecot) -> None:
    """BOX-07: Dovecot states BYE to those who wait when it is stopped in order."""
    source = ImapSource(imap_settings(dovecot))
    assert take(site, source) == IngestCounts()
    threading.Timer(0.3, dovecot.stop).start()
    started = time.monotonic()
    with pytest.raises(MailboxError, match="was lost"):
        source.wait(60, threading.Event())
    assert time.monotonic() - started < 20
    dovecot.start()
    dovecot.append(simple(1))
    assert take(site, source) == IngestCounts(new=1)
    source.close()


def test_a_line_that_goes_dead_in_idle_is_noticed_at_the_keep_alive(dovecot: Dovecot) -> None:
    """BOX-07: nothing is refused and nothing is stated any more."""
    between = Proxy(dovecot.imap).start()
    try:
        settings = imap_settings(dovecot).model_copy(
            update={"port": between.port, "keep_alive_seconds": 1})
        source = ImapSource(settings, read_seconds=0.5)
        source.list_waiting()
        threading.Timer(0.3, setattr, (between, "silent", True)).start()
        started = time.monotonic()
        with pytest.raises(MailboxError, match="does not answer in time"):
            source.wait(60, threading.Event())
        assert time.monotonic() - started < 10
    finally:
        between.stop()


def test_a_server_that_offers_idle_and_refuses_it_is_polled_without_an_alarm(
    site: Site, dovecot: Dovecot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BOX-07."""
    asked: list[str] = []

    def refuse(_client: IMAPClient) -> None:
        asked.append("IDLE")
        raise IMAPClientError("Unexpected IDLE response: BAD IDLE not allowed")

    monkeypatch.setattr(IMAPClient, "idle", refuse)
    source = ImapSource(imap_settings(dovecot))
    for _ in range(3):
        assert take(site, source) == IngestCounts()
        source.wait(0.1, threading.Event())
    assert asked == ["IDLE"]
    dovecot.append(simple(1))
    assert take(site, source) == IngestCounts(new=1)
    source.close()


@pytest.mark.slow
def test_two_pollers_on_one_mailbox_take_each_mail_in_once(site: Site, dovecot: Dovecot) -> None:
    """BOX-07: two processes of one site."""
    for number in range(30):
        dovecot.append(simple(number))
    faults: list[Exception] = []

    def poll() -> None:
        source = ImapSource(imap_settings(dovecot))
        try:
            for _ in range(4):
                take(site, source)
        except Exception as error:
            faults.append(error)
        finally:
            source.close()

    threads = [threading.Thread(target=poll) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert faults == []
    assert len(mails(site)) == 30
    assert dovecot.contents() == []
    keys = [key for _name, key, _payload in site.jobs.queue]
    assert sorted(keys) == sorted(f"mail:{row.sha256}" for row in mails(site))


def test_451_for_long_and_then_550_ends_in_sight_of_the_coordinator(
    site: Site, smtp_sink: SmtpSink, caplog: pytest.LogCaptureFixture
) -> None:
    """BOX-07: one Message-ID, bounded tries, and the server's words without the address."""
    caplog.set_level(logging.DEBUG)
    answers = ["451 4.7.1 <montrose@example.org>: greylisted, try again in 300 seconds"] * 5
    answers += ["550 5.7.1 montrose@example.org: refused by local policy; see https://mail.example/why"]
    attempts: list[Letter] = []

    def answer(letter: Letter) -> str:
        attempts.append(letter)
        return answers[len(attempts) - 1]

    smtp_sink.at_data = answer
    write(site, LETTER)
    for pause in PAUSES[:5]:
        assert send(site, smtp_sink.port) == SendCounts(later=1)
        assert rows(site)[0].error == (
            'the mail server answered 451 4.7.1: "...: greylisted, try again in 300 seconds"')
        site.clock.advance(pause)
    assert send(site, smtp_sink.port) == SendCounts(failed=1)
    (row,) = rows(site)
    assert (row.state, row.tries) == (OutboxState.FAILED, 6)
    assert row.error == (
        'the mail server answered 550 5.7.1: "... refused by local policy; see https://mail.example/why"')
    assert len({attempt.message["Message-ID"] for attempt in attempts}) == 1
    # Nothing more is tried by itself, and the log has the numbers alone.
    site.clock.advance(timedelta(days=3))
    assert send(site, smtp_sink.port) == SendCounts()
    lines = [record.getMessage() for record in caplog.records if record.name.startswith("service")]
    assert any("550 5.7.1" in line for line in lines)
    assert not any("montrose" in line or "policy" in line for line in lines)


@pytest.mark.parametrize(("said", "kept"), [
    (b"5.1.1 The email account that you tried to reach does not exist.",
     "The email account that you tried to reach does not exist."),
    (b"4.7.0 [192.0.2.1] limited\r\nfrom=<a@b.example> to=c@d.example", "[192.0.2.1] limited ... ..."),
    (b"x" * 500, "x" * 160 + "..."),
    (b"\x1b[31mred\x00", "[31mred"),
    (b"5.7.1 <half an address@example", "..."),
    (b"", ""),
])
def test_a_servers_words_are_one_short_line_without_addresses(said: bytes, kept: str) -> None:
    """BOX-07."""
    assert server_words(said) == kept


@pytest.fixture
def between(smtp_sink: SmtpSink) -> Iterator[Proxy]:
    proxy = Proxy(smtp_sink.port).start()
    yield proxy
    proxy.stop()


def test_421_in_the_middle_costs_that_letter_a_pause_and_the_next_one_a_new_connection(
    site: Site, smtp_sink: SmtpSink, between: Proxy
) -> None:
    """BOX-07: RFC 5321, 3.8: after 421 the server ends the connection."""
    said: list[str] = []

    def busy(_letter: Letter) -> str | None:
        said.append("")
        return "421 4.3.2 shutting down" if len(said) == 1 else None

    smtp_sink.at_data = busy
    write(site, to("montrose"), to("argyll"))
    assert send(site, between.port) == SendCounts(sent=1, later=1)
    assert between.connections == 2
    site.clock.advance(PAUSES[0])
    assert send(site, between.port) == SendCounts(sent=1)
    assert [letter.recipients[0].partition("@")[0] for letter in smtp_sink.letters] == ["argyll", "montrose"]
    assert not any(row.possibly_twice for row in rows(site))


def test_a_relay_that_drops_the_line_after_its_yes_has_the_letter_once(
    site: Site, smtp_sink: SmtpSink, between: Proxy
) -> None:
    """BOX-07: 250 counts, whether or not QUIT is answered."""
    taken: list[Letter] = []

    def take_it(letter: Letter) -> str:
        taken.append(letter)
        return f"250 2.0.0 taken as {len(taken)}"

    smtp_sink.at_data = take_it
    between.close_after = b"taken as"
    write(site, to("montrose"), to("argyll"))
    assert send(site, between.port) == SendCounts(sent=2)
    assert [(row.state, row.possibly_twice, row.error) for row in rows(site)] == [
        (OutboxState.SENT, False, None)] * 2
    assert (len(taken), between.connections) == (2, 2)


def test_a_relay_that_refuses_data_keeps_the_letter_for_later_or_ends_it(
    site: Site, smtp_sink: SmtpSink
) -> None:
    """BOX-07: it took sender and recipient; nothing was handed over, so nothing can arrive twice."""
    smtp_sink.at_data_command = lambda: "451 4.3.1 no room"
    write(site, to("montrose"), to("argyll"))
    assert send(site, smtp_sink.port) == SendCounts(later=2)
    assert {row.error for row in rows(site)} == {'the mail server answered 451 4.3.1: "no room"'}
    site.clock.advance(PAUSES[0])
    smtp_sink.at_data_command = lambda: "554 5.7.1 no thanks"
    assert send(site, smtp_sink.port) == SendCounts(failed=2)
    assert {(row.state, row.possibly_twice) for row in rows(site)} == {(OutboxState.FAILED, False)}
