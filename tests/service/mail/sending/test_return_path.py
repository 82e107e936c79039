"""A return address for each letter: from the relay to the bounce and back to the letter."""

from __future__ import annotations

import pytest

from service.config import MailOut
from service.mail.sending.outbox import SendCounts, SmtpTransport, send_due
from service.store.tables import MailState, OutboxState
from tests.support.letters import SENDER, rows
from tests.support.servers.smtp_sink import SmtpSink
from tests.support.site import Site
from tests.support.table import COORDINATOR, Table, address, open_table

MONTROSE = address("Montrose")


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def bounce(to: str, header: str = "To") -> bytes:
    """A bounce that quotes nothing of the letter."""
    return (
        f"Return-Path: <>\r\nFrom: MAILER-DAEMON@mx.example\r\n{header}: {to}\r\nSubject: Undelivered "
        f"Mail\r\n"
        'MIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; '
        'boundary="cut"\r\n\r\n'
        "--cut\r\nContent-Type: text/plain\r\n\r\nNo.\r\n"
        "--cut\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\n"
        f"Final-Recipient: rfc822; {MONTROSE}\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n--cut--\r\n"
    ).encode()


def sent(table: Table, sink: SmtpSink, *, by_letter: bool) -> str:
    """Montrose's receipt leaves; to whom it would be returned."""
    table.take(table.mail("Montrose"), table.phase().opens_at)
    leaving = MailOut(
        host="127.0.0.1", port=sink.port, starttls=False, sender=SENDER, return_by_letter=by_letter
    )
    site = table.site
    assert send_due(
        site.store, site.blobs, SmtpTransport(leaving, seconds=5), site.clock, sender=SENDER
    ) == SendCounts(sent=1)
    return sink.letters[0].sender


@pytest.mark.parametrize(
    "header", ["To", "Delivered-To", "X-Original-To", "Envelope-To", "X-Envelope-To", "X-Delivered-To"]
)
def test_a_bounce_that_brings_nothing_of_the_letter_is_known_by_where_it_goes(
    table: Table, smtp_sink: SmtpSink, header: str
) -> None:
    to = sent(table, smtp_sink, by_letter=True)
    assert to.startswith("orders+receipt.")
    assert to.endswith("@galloper.example")
    # Only the envelope has the letter's own address; what players see and answer does not change.
    assert smtp_sink.letters[0].message["From"] == SENDER
    # Servers on the way change the case of an address.
    row = table.take(bounce(to.upper(), header), table.phase().opens_at)
    assert (row.state, row.reason) == (MailState.IGNORED, "bounce")
    assert rows(table.site)[0].state == OutboxState.FAILED
    assert [recipient for _, recipient in table.written_letters()] == [MONTROSE, COORDINATOR]


def test_without_the_setting_letters_return_to_the_sender(table: Table, smtp_sink: SmtpSink) -> None:
    assert sent(table, smtp_sink, by_letter=False) == "orders@galloper.example"


@pytest.mark.parametrize(
    "to", ["orders+receipt.0123456789abcdef01234567@galloper.example", "orders+x@galloper.example", "orders+"]
)
def test_an_address_that_names_no_letter_changes_none(table: Table, smtp_sink: SmtpSink, to: str) -> None:
    sent(table, smtp_sink, by_letter=True)
    table.take(bounce(to), table.phase().opens_at)
    table.take(bounce(to) + b"\r\n", table.phase().opens_at)
    letter, notice = rows(table.site)
    assert letter.state == OutboxState.SENT
    # Montrose's address failed, so the coordinator hears of it, once.
    assert (notice.kind, notice.recipient) == ("coordinator_notice", COORDINATOR)
    assert "the report does not name the letter" in table.words(notice)
    assert MONTROSE not in table.words(notice)
