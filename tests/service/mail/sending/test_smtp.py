"""The transports: a relay that is away or requests encryption, and a folder."""

from __future__ import annotations

import ssl
from datetime import timedelta
from pathlib import Path

import pytest

from service.config import MailOut
from service.mail.sending.outbox import (
    FolderTransport,
    SendCounts,
    ServerUnavailable,
    SmtpTransport,
    send_due,
)
from service.mail.sending.smtp import MailEnvelope
from service.store.tables import OutboxState
from tests.support.letters import LETTER, SENDER, parsed, rows, send, to, write
from tests.support.servers.certificates import make_certificate
from tests.support.servers.dovecot import free_port
from tests.support.servers.smtp_sink import SmtpSink
from tests.support.site import Site


def test_while_the_server_is_away_letters_keep_their_turn(site: Site, smtp_sink: SmtpSink) -> None:
    nowhere = free_port()
    write(site, to("montrose"))
    for step in range(4):
        state = send(site, nowhere)
        assert state.down.startswith(f"There is no answer from 127.0.0.1:{nowhere}; check mail_out.host")
        site.clock.advance(timedelta(minutes=30))
        write(site, to(f"later{step}"))
    assert send(site, smtp_sink.port) == SendCounts(sent=5)
    assert [letter.recipients[0].partition("@")[0] for letter in smtp_sink.letters] == [
        "montrose",
        "later0",
        "later1",
        "later2",
        "later3",
    ]
    # Fault 33: a relay that is away costs a letter no try; it is not the letter that failed.
    assert {r.tries for r in rows(site)} == {1}


def test_a_server_away_for_more_than_two_days_is_shown_as_failed(site: Site) -> None:
    write(site, LETTER)
    nowhere = free_port()
    assert send(site, nowhere).down
    site.clock.advance(timedelta(hours=47))
    assert send(site, nowhere).down
    assert rows(site)[0].state == OutboxState.QUEUED
    site.clock.advance(timedelta(hours=2))
    assert send(site, nowhere).down
    assert rows(site)[0].state == OutboxState.FAILED
    assert (rows(site)[0].error or "").endswith("Given up after two days.")


def test_a_letter_that_lay_here_for_days_is_not_given_up_at_its_first_try(
    site: Site, smtp_sink: SmtpSink
) -> None:
    """Galloper was away itself, or a person held the letters back; and then the server is away for a
    moment."""
    write(site, LETTER)
    # The two days of a mail server that is away begin when it was first found away, not when the letter was
    # written.
    site.clock.advance(timedelta(days=4))
    assert send(site, free_port()).down
    assert rows(site)[0].state == OutboxState.QUEUED
    site.clock.advance(timedelta(minutes=1))
    assert send(site, smtp_sink.port) == SendCounts(sent=1)


def test_a_server_without_the_encryption_we_ask_for_gets_nothing(site: Site, smtp_sink: SmtpSink) -> None:
    transport = SmtpTransport(
        MailOut(host="127.0.0.1", port=smtp_sink.port, starttls=True, sender=SENDER), seconds=5
    )
    write(site, LETTER)
    outcome = send_due(site.store, site.blobs, transport, site.clock, sender=SENDER)
    assert "mail_out.starttls" in outcome.down
    # An attacker on the line can strike STARTTLS from the server's answer; sending in the clear would obey
    # them.
    assert smtp_sink.letters == []
    assert rows(site)[0].state == OutboxState.QUEUED


def test_a_folder_gets_one_file_a_letter_in_the_order_of_sending(site: Site, tmp_path: Path) -> None:
    transport = FolderTransport(tmp_path / "out")
    write(site, to("montrose"), to("argyll"))
    assert send_due(site.store, site.blobs, transport, site.clock, sender=SENDER) == SendCounts(sent=2)
    files = sorted((tmp_path / "out").iterdir())
    assert [parsed(f.read_bytes())["To"] for f in files] == ["montrose@example.org", "argyll@example.org"]
    assert all(f.name.startswith(f"000{n}-results.") for n, f in enumerate(files, start=1))
    again = rows(site)[0]
    transport.send(MailEnvelope("a@b", again.recipient, again.message_id, b"same again"))
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_a_folder_that_cannot_be_written_is_down(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ServerUnavailable, match=r"check mail_out\.path"):
        FolderTransport(tmp_path / "file").send(MailEnvelope("a@b", "c@d", "<x@y>", b"x"))


def test_letters_leave_encrypted_when_the_certificate_is_trusted_and_not_at_all_otherwise(
    site: Site, tmp_path: Path
) -> None:
    certificate = make_certificate(tmp_path)
    sink = SmtpSink(certificate=certificate).start()
    try:
        over = MailOut(host="localhost", port=sink.port, starttls=True, sender=SENDER)
        write(site, LETTER)
        doubtful = SmtpTransport(over, seconds=5)
        outcome = send_due(site.store, site.blobs, doubtful, site.clock, sender=SENDER)
        assert "certificate" in outcome.down
        trusting = SmtpTransport(
            over, seconds=5, context=ssl.create_default_context(cafile=str(certificate[0]))
        )
        assert send_due(site.store, site.blobs, trusting, site.clock, sender=SENDER) == SendCounts(sent=1)
    finally:
        sink.stop()
