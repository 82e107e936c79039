"""Bounces and read receipts: what they say, and which of our mails they are about (RFC 3464, RFC 8098)."""

from __future__ import annotations

import pytest

from service.mail.message import read_mail
from service.mail.reports import DeliveryReport, Outcome, ReportKind
from tests.support.mail_builder import mail, multipart, part, text
from tests.support.opening import own_probe

OURS = "<results.1@w3k.example>"


def status(*lines: str) -> bytes:
    return (
        "Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\n" + "\r\n".join(lines)
    ).encode()


def report(
    *parts: bytes, kind: str = "delivery-status", headers: tuple[str, ...] = ()
) -> DeliveryReport | None:
    body = multipart([text(), *parts], f"multipart/report; report-type={kind}")
    return read_mail(mail(body=body, headers=headers), own_probe()).report


def returned(kind: str, head: str) -> bytes:
    return f"Content-Type: {kind}\r\n\r\n{head}\r\n".encode()


@pytest.mark.parametrize(
    ("parts", "headers"),
    [
        ((returned("text/rfc822-headers", f"Subject: x\r\nMessage-ID:\r\n {OURS}"),), ()),
        ((returned("message/rfc822", f"Message-ID: {OURS}\r\nSubject: x\r\n\r\nbody"),), ()),
        ((), (f"In-Reply-To: {OURS}",)),
        ((), (f"References: <older@w3k.example> {OURS}",)),
        ((returned("text/rfc822-headers", "Subject: x"),), (f"In-Reply-To: {OURS}",)),
    ],
)
def test_the_mail_a_bounce_is_about(parts: tuple[bytes, ...], headers: tuple[str, ...]) -> None:
    bounce = report(status("Action: failed", "Status: 5.1.1"), *parts, headers=headers)
    assert bounce is not None
    assert (bounce.kind, bounce.message_id) == (ReportKind.BOUNCE, OURS)


@pytest.mark.parametrize(
    ("lines", "outcome", "enhanced", "recipients"),
    [
        (
            ["Final-Recipient: rfc822; a@b.example", "Action: failed", "Status: 5.2.2"],
            "failed", "5.2.2", ["a@b.example"],
        ),
        # RFC 3464: comments may follow the keyword.
        (["Action: Delayed (will retry)", "Status: 4.4.1 (timed out)"], "delayed", "4.4.1", []),
        # What we wrote to is the original address; the final one is where its server sent it on.
        (
            ["Original-Recipient: rfc822;c@d.example", "Final-Recipient: rfc822;e@f.example",
             "Action: failed"],
            "failed", None, ["c@d.example"],
        ),
        (["Action: !!", "Status: 99.99"], "failed", None, []),
        # Given up after days of a passing trouble: the action decides.
        (["Action: failed", "Status: 4.4.7"], "failed", "4.4.7", []),
        (["Final-Recipient: rfc822; a@b.example", "Status: 4.4.1"], "delayed", "4.4.1", ["a@b.example"]),
        # OpenSMTPD's own word.
        (["Final-Recipient: rfc822; <a@b.example>", "Action: error"], "failed", None, ["a@b.example"]),
        # Of several recipients those that failed are named.
        (
            ["Final-Recipient: rfc822; a@b.example", "Action: delivered", "Status: 2.0.0", "",
             "Final-Recipient: rfc822; c@d.example", "Action: delayed", "Status: 4.0.0", "",
             "Final-Recipient: rfc822; e@f.example", "Action: failed", "Status: 5.0.0", "",
             "Final-Recipient: rfc822; g@h.example", "Action: failed", "Status: 5.1.1"],
            "failed", "5.0.0", ["e@f.example", "g@h.example"],
        ),
    ],
)  # fmt: skip
def test_what_a_bounce_says(
    lines: list[str], outcome: str, enhanced: str | None, recipients: list[str]
) -> None:
    bounce = report(status(*lines))
    assert bounce == DeliveryReport(
        ReportKind.BOUNCE, (), Outcome(outcome), enhanced, tuple(recipients)
    )


def test_a_report_of_delivery_is_a_receipt() -> None:
    delivered = report(status("Final-Recipient: rfc822; a@b.example", "Action: relayed", "Status: 2.0.0"))
    assert delivered is not None
    assert (delivered.kind, delivered.outcome) == (ReportKind.RECEIPT, Outcome.DELIVERED)


def test_a_status_part_in_base64_is_read() -> None:
    # RFC 3464 needs 7 bit; it is read in base64 all the same.
    coded = part(
        b"Reporting-MTA: dns; x\r\n\r\nFinal-Recipient: rfc822;a@b.example\r\nAction: delayed\r\n"
        b"Status: 4.7.1\r\n", "message/delivery-status", "s",
    )  # fmt: skip
    assert report(coded) == DeliveryReport(
        ReportKind.BOUNCE, (), Outcome.DELAYED, "4.7.1", ("a@b.example",)
    )


def test_reports_for_addresses_outside_ascii() -> None:
    """RFC 6533; Postfix writes it to every peer that offers SMTPUTF8."""
    said = status("Final-Recipient: utf-8; ärger@b.example", "Action: failed", "Status: 5.1.1", "",
                  "Final-Recipient: rfc822; a@b.example", "Action: failed", "Status: 5.1.1")
    bounce = report(
        said.replace(b"/delivery-status", b"/global-delivery-status"),
        returned("message/global-headers", f"Subject: x\r\nMessage-ID: {OURS}\r\n"),
    )
    assert bounce == DeliveryReport(
        ReportKind.BOUNCE, (OURS,), Outcome.FAILED, "5.1.1", ("ärger@b.example", "a@b.example")
    )


def test_receipts() -> None:
    notice = returned(
        "message/disposition-notification", f"Original-Message-ID: {OURS}\r\nDisposition: x; displayed"
    )
    assert report(notice, kind="disposition-notification") == DeliveryReport(ReportKind.RECEIPT, (OURS,))
    assert report(kind="disposition-notification") == DeliveryReport(ReportKind.RECEIPT)
    assert report(notice, kind="") == DeliveryReport(ReportKind.RECEIPT, (OURS,))


@pytest.mark.parametrize(
    "body",
    [
        multipart([text(), status("Action: failed")]),
        multipart([text()], "multipart/report; report-type=feedback-report"),
        multipart([text()], "multipart/report"),
        b"Content-Type: multipart/report; report-type=feedback-report\r\n\r\nno parts",
        text(),
    ],
)
def test_other_mail_is_no_report(body: bytes) -> None:
    assert read_mail(mail(body=body), own_probe()).report is None


def test_a_complaint_about_spam_is_no_bounce() -> None:
    """RFC 5965: a person called a letter of ours spam. It arrived, and no one is to be informed
    otherwise."""
    complaint = report(
        b"Content-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nVersion: 1\r\n",
        returned("message/rfc822", f"Message-ID: {OURS}\r\nSubject: x\r\n\r\nbody"),
        kind="feedback-report")
    assert complaint is not None
    assert (complaint.kind, complaint.outcome, complaint.message_id) == (ReportKind.RECEIPT, None, OURS)
