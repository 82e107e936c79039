"""Letters go out: once, in order, over every kind of refusal, with a real SMTP server on loopback."""

from __future__ import annotations

import io
import logging
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest
from PIL import Image
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import sessionmaker

from service.mail.sending.hold import retry
from service.mail.sending.outbox import CLAIM, PAUSES, Attachment, OutLetter, SendCounts, put, send_due
from service.mail.sending.smtp import MailEnvelope
from service.store import engine as store_engine
from service.store.letter_parts import finished
from service.store.tables import OutboxState
from tests.support.letters import LETTER, SENDER, noisy_picture, parsed, rows, send, smtp, to, write
from tests.support.servers.smtp_sink import Letter, SmtpSink
from tests.support.site import NOON, Site


def test_a_letter_arrives_as_written(any_site: Site, smtp_sink: SmtpSink) -> None:
    letter = replace(
        LETTER,
        html="<p>You hold <b>Kintyre</b>.</p>",
        replies_to=("<1@example.org>", "<2@example.org>"),
        list_name="Powick Bridge",
        # RFC 5321, 4.5.2: a line that begins with a dot must arrive with that dot, and only one.
        text="First line\n.leading dot\nÄrger – done\n",
        attachments=(
            Attachment("map.pdf", "application/pdf", b"%PDF-1.7 \x00\xff"),
            Attachment("results.png", "image/png", b"\x89PNG", content_id="results"),
        ),
    )
    assert write(any_site, letter) == [True]
    assert send(any_site, smtp_sink.port) == SendCounts(sent=1)
    (arrived,) = smtp_sink.letters
    assert (arrived.sender, arrived.recipients) == ("orders@galloper.example", ("montrose@example.org",))
    message = arrived.message
    assert message["From"] == SENDER
    assert message["To"] == "montrose@example.org"
    assert message["Date"].datetime == NOON
    assert message["Auto-Submitted"] == "auto-replied"
    assert message["X-Auto-Response-Suppress"] == "All"
    assert message["In-Reply-To"] == "<2@example.org>"
    assert message["References"] == "<1@example.org> <2@example.org>"
    assert message["List-Id"] == "<powick-bridge.galloper.example>"
    body = message.get_body(("plain",))
    assert body is not None
    assert body.get_content().replace("\r\n", "\n") == letter.text
    files = {
        attachment.get_filename(): (attachment.get_content(), attachment["Content-ID"])
        for attachment in message.iter_attachments()
    }
    assert files == {"map.pdf": (b"%PDF-1.7 \x00\xff", None), "results.png": (b"\x89PNG", "<results>")}
    (row,) = rows(any_site)
    assert (row.state, row.sent_at, row.tries, row.error) == (OutboxState.SENT, NOON, 1, None)
    assert row.message_id == message["Message-ID"]
    assert row.message_id.endswith("@galloper.example>")


def test_a_key_is_written_and_sent_once(any_site: Site, smtp_sink: SmtpSink) -> None:
    assert write(any_site, LETTER, replace(LETTER, text="other words")) == [True, False]
    assert send(any_site, smtp_sink.port) == SendCounts(sent=1)
    assert write(any_site, LETTER) == [False]
    assert send(any_site, smtp_sink.port) == SendCounts()
    assert len(smtp_sink.letters) == 1


def test_a_letter_of_a_transaction_that_failed_does_not_exist(site: Site, smtp_sink: SmtpSink) -> None:
    with site.store() as session:
        assert put(session, site.blobs, LETTER, sender=SENDER, now=NOON)
        session.rollback()
    assert send(site, smtp_sink.port) == SendCounts()
    assert smtp_sink.letters == []


def test_451_is_tried_again_with_growing_pauses_under_one_message_id(site: Site, smtp_sink: SmtpSink) -> None:
    attempts: list[Letter] = []

    def busy(letter: Letter) -> str:
        attempts.append(letter)
        return "451 4.3.0 montrose@example.org is busy"

    smtp_sink.at_data = busy
    write(site, LETTER)
    for pause in PAUSES:
        assert send(site, smtp_sink.port) == SendCounts(later=1)
        (row,) = rows(site)
        assert (row.state, row.due_at - site.clock.now()) == (OutboxState.QUEUED, pause)
        site.clock.advance(pause - timedelta(seconds=1))
        # Not before its time.
        assert send(site, smtp_sink.port) == SendCounts()
        site.clock.advance(timedelta(seconds=1))
    assert len({attempt.message["Message-ID"] for attempt in attempts}) == 1
    # With the server's own words, but without the address among them.
    assert row.error == 'the mail server answered 451 4.3.0: "... is busy"'
    smtp_sink.at_data = lambda _: None
    assert send(site, smtp_sink.port) == SendCounts(sent=1)
    assert smtp_sink.letters[0].message["Message-ID"] == attempts[0].message["Message-ID"]


def test_451_for_more_than_two_days_is_given_up_and_shown(site: Site, smtp_sink: SmtpSink) -> None:
    smtp_sink.at_rcpt = lambda _: "450 4.2.1 later"
    write(site, LETTER)
    started = site.clock.now()
    while send(site, smtp_sink.port).later:
        site.clock.set(rows(site)[0].due_at)
    (row,) = rows(site)
    assert row.state == OutboxState.FAILED
    assert row.error == 'the mail server answered 450 4.2.1: "later"; given up after 9 tries'
    # RFC 5321, 4.5.4.1, has a mail server try for four or five days; here a person hears of it after two.
    assert timedelta(hours=40) < site.clock.now() - started <= timedelta(hours=48)


def test_550_for_one_player_leaves_the_others_their_letters_once(site: Site, smtp_sink: SmtpSink) -> None:
    smtp_sink.at_rcpt = lambda address: "550 5.1.1 no such user" if address.startswith("ormond") else None
    write(site, to("montrose"), to("ormond"), to("argyll"))
    assert send(site, smtp_sink.port) == SendCounts(sent=2, failed=1)
    # Fault 31: one transaction for each recipient, or the one address refused would hold up the rest.
    assert [letter.recipients for letter in smtp_sink.letters] == [
        ("montrose@example.org",),
        ("argyll@example.org",),
    ]
    failed = rows(site)[1]
    assert failed.state == OutboxState.FAILED
    assert failed.error == 'the mail server answered 550 5.1.1: "no such user"'
    site.clock.advance(timedelta(days=1))
    assert send(site, smtp_sink.port) == SendCounts()

    smtp_sink.at_rcpt = lambda _: None
    with site.store.begin() as session:
        assert retry(session, failed.id, site.clock.now())
        assert not retry(session, rows(site)[0].id, site.clock.now())
    assert send(site, smtp_sink.port) == SendCounts(sent=1)


def test_a_connection_cut_after_the_mail_was_handed_over_means_possibly_twice(
    site: Site, smtp_sink: SmtpSink
) -> None:
    smtp_sink.cut_after_data = 1
    write(site, LETTER)
    assert send(site, smtp_sink.port) == SendCounts(later=1)
    (row,) = rows(site)
    assert (row.state, row.possibly_twice) == (OutboxState.QUEUED, True)
    site.clock.advance(timedelta(minutes=10))
    assert send(site, smtp_sink.port) == SendCounts(sent=1)
    # Fault 34: no one can know whether the first try arrived, so the second has the same Message-ID and is
    # marked.
    assert len({letter.message["Message-ID"] for letter in smtp_sink.letters}) == 1
    assert len(smtp_sink.letters) == 2
    assert rows(site)[0].possibly_twice


def test_cut_twice_it_is_left_to_a_person(site: Site, smtp_sink: SmtpSink) -> None:
    smtp_sink.cut_after_data = 9
    write(site, LETTER)
    assert send(site, smtp_sink.port) == SendCounts(later=1)
    site.clock.advance(timedelta(minutes=10))
    assert send(site, smtp_sink.port) == SendCounts(failed=1)
    assert "may have arrived" in (rows(site)[0].error or "")
    # Not even later: each further try might be one more copy in the same mailbox.
    site.clock.advance(timedelta(days=3))
    assert send(site, smtp_sink.port) == SendCounts()
    assert len(smtp_sink.letters) == 2


class Killed(BaseException):
    """The process ends here."""


def test_killed_after_the_servers_250_it_is_sent_once_more_and_marked(
    site: Site, smtp_sink: SmtpSink, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(site, LETTER)

    def die(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("service.mail.sending.outbox._end", die)
        with pytest.raises(Killed):
            send(site, smtp_sink.port)
    assert len(smtp_sink.letters) == 1
    assert rows(site)[0].state == OutboxState.SENDING
    # Another process may still be sending it.
    assert send(site, smtp_sink.port) == SendCounts()
    site.clock.advance(CLAIM)
    assert send(site, smtp_sink.port) == SendCounts()
    site.clock.advance(PAUSES[1])
    assert send(site, smtp_sink.port) == SendCounts(sent=1)
    assert rows(site)[0].possibly_twice
    assert len({letter.message["Message-ID"] for letter in smtp_sink.letters}) == 1


@pytest.mark.parametrize("seconds", [0.8, 2.5])
def test_a_letter_that_the_server_took_is_sent_once_though_nothing_can_be_stored_meanwhile(
    site: Site, smtp_sink: SmtpSink, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """Fault 28a. The disk was full for two seconds between the server's 250 and our note of it."""
    write(site, LETTER)
    monkeypatch.setattr(store_engine, "LOCK_SECONDS", 0)
    impatient = store_engine.open_engine(site.url)
    other = sqlite3.connect(str(impatient.url.database), isolation_level=None, check_same_thread=False)
    held = threading.Timer(seconds, other.rollback)

    def hold(_letter: Letter) -> None:
        other.execute("BEGIN IMMEDIATE")
        held.start()

    smtp_sink.at_data = hold
    try:
        # The round itself may end in the fault, when it renews its lease.
        with suppress(OperationalError):
            send_due(sessionmaker(impatient), site.blobs, smtp(smtp_sink.port), site.clock, sender=SENDER)
    finally:
        held.join()
        other.close()
        impatient.dispose()
    (row,) = rows(site)
    assert (row.state, row.tries, row.possibly_twice) == (OutboxState.SENT, 1, False)
    site.clock.advance(CLAIM + PAUSES[1])
    assert send(site, smtp_sink.port) == SendCounts()
    assert len(smtp_sink.letters) == 1


def test_552_is_sent_again_with_smaller_pictures_once(site: Site, smtp_sink: SmtpSink) -> None:
    # Noise, so that the picture cannot be made smaller but by fewer pixels.
    picture = noisy_picture(700)
    limit = len(picture) // 2
    sizes: list[int] = []

    def too_big(letter: Letter) -> str | None:
        sizes.append(len(letter.data))
        return "552 5.3.4 too big" if len(letter.data) > limit else None

    smtp_sink.at_data = too_big
    write(site, replace(LETTER, attachments=(Attachment("map.png", "image/png", picture),)))
    before = rows(site)[0].message_id
    assert send(site, smtp_sink.port) == SendCounts(sent=1, later=1)
    assert len(sizes) == 2
    (letter,) = smtp_sink.letters
    assert letter.message["Message-ID"] == before
    (part,) = letter.message.iter_attachments()
    with Image.open(io.BytesIO(part.get_content())) as small:
        small.load()
        assert small.format == "JPEG"
        assert 300 < small.width < 700


def test_what_stays_too_big_fails_and_is_shown(site: Site, smtp_sink: SmtpSink) -> None:
    smtp_sink.at_data = lambda _: "552 5.3.4 too big"
    write(site, LETTER)
    assert send(site, smtp_sink.port) == SendCounts(later=1, failed=1)
    assert "smaller version too" in (rows(site)[0].error or "")


def test_a_limit_that_the_server_announces_is_kept_without_asking(site: Site) -> None:
    # RFC 1870: the limit is in the answer to EHLO, so nothing too large need be carried over first.
    sink = SmtpSink(size_limit=200_000).start()
    try:
        write(site, replace(LETTER, attachments=(Attachment("map.pdf", "application/pdf", bytes(300_000)),)))
        assert send(site, sink.port) == SendCounts(sent=1, later=1)
        (letter,) = sink.letters
        assert list(letter.message.iter_attachments()) == []
        body = letter.message.get_body(("plain",))
        assert body is not None
        assert "Left out because it is too large for mail: map.pdf." in body.get_content()
    finally:
        sink.stop()


def test_a_letter_above_our_own_limit_is_made_smaller_at_once(site: Site) -> None:
    letter = replace(
        LETTER,
        attachments=(
            Attachment("a.png", "image/png", noisy_picture(600)),
            Attachment("note.txt", "text/plain", b"kept"),
        ),
    )
    with site.store.begin() as session:
        put(session, site.blobs, letter, sender=SENDER, now=NOON, max_bytes=600_000)
    data = finished(site.blobs, rows(site)[0])
    assert len(data) <= 600_000
    names = [attachment.get_filename() for attachment in parsed(data).iter_attachments()]
    assert names == ["a.jpg", "note.txt"]


@pytest.mark.parametrize(
    "change",
    [
        lambda letter: replace(letter, subject="Results\r\nBcc: everyone@example.org\r\n\r\n<script>"),
        lambda letter: replace(letter, subject="R" * 5000),
        lambda letter: replace(letter, list_name="Powick\r\nX-Evil: 1" * 40),
        lambda letter: replace(letter, replies_to=("<a@b>\r\nX-Evil: 1", "<ok@example.org>")),
        lambda letter: replace(letter, attachments=(Attachment('a"\r\nX-Evil: 1', "image/png", b"x"),)),
    ],
)
def test_line_ends_in_names_add_no_header(
    site: Site, smtp_sink: SmtpSink, change: Callable[[OutLetter], OutLetter]
) -> None:
    write(site, change(LETTER))
    assert send(site, smtp_sink.port) == SendCounts(sent=1)
    message = smtp_sink.letters[0].message
    assert message["Bcc"] is None
    assert message["X-Evil"] is None
    assert all("X-Evil" not in part for part in message.walk())
    assert smtp_sink.letters[0].recipients == ("montrose@example.org",)
    assert len(message["Subject"]) <= 200
    assert "\n" not in rows(site)[0].subject


@pytest.mark.parametrize("address", ["", "nobody", "a@b, c@d", "a@b\r\nBcc: c@d", "Name <a@b>"])
def test_a_recipient_that_is_no_single_address_is_our_fault(site: Site, address: str) -> None:
    with pytest.raises(ValueError, match="not a mail address"):
        write(site, replace(LETTER, recipient=address))
    assert rows(site) == []


def test_a_lost_message_is_shown_and_does_not_hold_up_the_next(site: Site, smtp_sink: SmtpSink) -> None:
    picture = (Attachment("a.png", "image/png", noisy_picture(60)),)
    write(site, replace(to("montrose"), attachments=picture), to("argyll"))
    site.blobs.path(rows(site)[0].files[0]["blob"]).unlink()
    assert send(site, smtp_sink.port) == SendCounts(sent=1, failed=1)
    assert "is missing" in (rows(site)[0].error or "")


class Odd:
    """A transport with an unforeseen fault for one recipient; it works for the others."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def send(self, envelope: MailEnvelope) -> None:
        if envelope.recipient.startswith("montrose"):
            raise ZeroDivisionError
        self.sent.append(envelope.recipient)

    def close(self) -> None:
        pass


def test_an_unforeseen_fault_holds_up_nobody_else_and_ends_with_a_person(site: Site) -> None:
    transport = Odd()
    write(site, to("montrose"), to("argyll"))
    counts = send_due(site.store, site.blobs, transport, site.clock, sender=SENDER)
    assert counts == SendCounts(sent=1, later=1)
    site.clock.advance(timedelta(minutes=10))
    assert send_due(site.store, site.blobs, transport, site.clock, sender=SENDER) == SendCounts(failed=1)
    assert transport.sent == ["argyll@example.org"]
    assert rows(site)[0].state == OutboxState.FAILED


def test_addresses_and_texts_stay_out_of_the_log(
    site: Site, smtp_sink: SmtpSink, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    smtp_sink.at_rcpt = lambda address: f"550 5.1.1 {address} unknown" if "ormond" in address else None
    write(site, to("montrose"), to("ormond"))
    send(site, smtp_sink.port)
    log_lines = [r.getMessage() for r in caplog.records if r.name.startswith("service")]
    assert log_lines
    assert not any("ormond@" in line or "montrose@" in line or "Kintyre" in line for line in log_lines)


def test_two_senders_at_a_time_send_each_letter_once(any_site: Site, smtp_sink: SmtpSink) -> None:

    write(any_site, *(to(f"p{n}") for n in range(12)))
    threads = [threading.Thread(target=send, args=(any_site, smtp_sink.port)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(letter.recipients[0] for letter in smtp_sink.letters) == sorted(
        f"p{n}@example.org" for n in range(12)
    )
