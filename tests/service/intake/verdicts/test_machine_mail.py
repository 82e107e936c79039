"""A player's mail is never taken for a machine's because of its words, and a machine's is (BOX-06)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from service.mail.message import read_mail
from service.mail.reports import Evidence, ReportKind
from tests.support.mail_builder import (
    FIXTURES,
    MONTROSE,
    SUBJECT,
    judge,
    mail,
    multipart,
    part,
    picture,
    text,
)
from tests.support.opening import own_probe

LETTER = "<letter-results.4b7d72d13cdb7f5de4d5c7d5@w3k.example>"
QMAIL = (
    "Hi. This is the qmail-send program at mx.example.\r\nI'm afraid I wasn't able to deliver your message "
    "to the following addresses.\r\nThis is a permanent error; I've given up. Sorry it didn't work out."
    "\r\n\r\n"
    "<orders@w3k.example>:\r\nSorry, no mailbox here by that name. (#5.1.1)\r\n\r\n--- Below this line is a "
    "copy of the message.\r\n"
)
STATUS = (
    b"Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\n"
    b"Final-Recipient: rfc822; orders@w3k.example\r\nAction: failed\r\nStatus: 5.1.1\r\n"
)
NOTICE = b"Content-Type: message/rfc822\r\n\r\n" + mail(
    "Undelivered Mail Returned to Sender", "MAILER-DAEMON@mx.example", stamps=[],
    body=multipart([text(QMAIL), STATUS], "multipart/report; report-type=delivery-status", "inner"),
)  # fmt: skip
SHEET = part(picture())
MACHINE_REASONS = {"bounce", "receipt", "auto_reply"}


def accepted() -> list[Path]:
    indexes = [FIXTURES / "index.json", *sorted((FIXTURES / "world").glob("*/index.json"))]
    return [
        index.parent / case["file"]
        for index in indexes
        for case in json.loads(index.read_text(encoding="utf-8"))["cases"]
        if case["expect"]["verdict"] == "accepted"
    ]


@pytest.mark.parametrize("path", accepted(), ids=lambda path: path.stem)
def test_no_genuine_mail_has_a_mark_of_a_machine(path: Path) -> None:
    letter = read_mail(path.read_bytes(), own_probe())
    assert letter.report is None
    assert not letter.machine
    assert not letter.machine.by_server


@pytest.mark.parametrize(
    "subject",
    [
        "Undelivered Mail Returned to Sender",
        "Undeliverable: Powick Bridge",
        "Fwd: Undelivered Mail Returned to Sender",
        "Re: Delivery Status Notification (Failure)",
        "failure notice",
        "Unzustellbar: Powick Bridge",
        SUBJECT,
    ],
)
@pytest.mark.parametrize(
    "parts",
    [
        [text(QMAIL), SHEET],
        [text(), NOTICE, SHEET],
        [text(), STATUS, SHEET],
        # A player asks what it means. There is no sheet in it, and the coordinator must read it.
        [text("This came back, what now?\r\n\r\n" + QMAIL)],
    ],
    ids=["quoted", "forwarded", "as-parts", "no-sheet"],
)
@pytest.mark.parametrize("to", ["orders@w3k.example", f"orders+{LETTER[1:-1]}"])
def test_a_player_who_writes_about_a_bounce_is_heard(subject: str, parts: list[bytes], to: str) -> None:
    verdict = judge(mail(subject, parts=parts, headers=[f"To: {to}"]))
    assert verdict.reason is None or verdict.reason.value not in MACHINE_REASONS
    if subject == SUBJECT and SHEET in parts:
        assert verdict.reason is None


@pytest.mark.parametrize(("headers", "is_report"), [([], False), (["Auto-Submitted: auto-generated"], True)])
def test_words_of_a_bounce_are_a_server_s_where_a_program_says_that_it_wrote_them(
    headers: list[str], is_report: bool
) -> None:
    """RFC 3834, 5: the name in From may be anybody's."""
    notice = mail("Hello", "someone@else.example", headers=headers, parts=[text(QMAIL)])
    report = read_mail(notice, own_probe()).report
    assert (report is not None) is is_report
    if report is not None:
        assert (report.kind, report.evidence) == (ReportKind.BOUNCE, Evidence.SERVER)


def test_a_player_whose_address_is_the_postmasters_is_heard() -> None:
    verdict = judge(mail("failure notice", "postmaster@mailbox.example", parts=[text(QMAIL), SHEET]))
    assert verdict.reason is not None
    # No one has registered this address, and server, subject and words agree: a bounce.
    assert verdict.reason.value == "bounce"
    own = judge(mail(SUBJECT, from_lines=[f"From: Postmaster <{MONTROSE}>"], parts=[text(QMAIL), SHEET]))
    assert own.reason is None


@pytest.mark.parametrize(
    ("subject", "headers", "reason"),
    [
        # RFC 3834 and what programs wrote before it.
        ("Away", ["Auto-Submitted: auto-replied (vacation)"], "auto_reply"),
        ("Away", ["Precedence: auto_reply"], "auto_reply"),
        ("Away", ["X-Autoreply: yes"], "auto_reply"),
        ("Away", ["X-Apple-Action: VACATION"], "auto_reply"),
        ("away from my mail", ["Precedence: junk", "X-Loop: g@mailbox.example"], "auto_reply"),
        ("Out", ["X-Auto-Response-Suppress: All", "X-MS-Exchange-Inbox-Rules-Loop: g@x"], "auto_reply"),
        ("Results", ["Precedence: junk"], "auto_reply"),
        # By the subject alone.
        ("Automatic reply: Results", [], "auto_reply"),
        ("Out of Office: Results", [], "auto_reply"),
        ("=?utf-8?Q?R=C3=A9ponse_automatique_:_Results?=", [], "auto_reply"),
        ("Abwesenheitsnotiz: Results", [], "auto_reply"),
        ("Automatische Antwort: Results", [], "auto_reply"),
        ("Respuesta automática: Results", [], "auto_reply"),
        ("自動応答: Results", [], "auto_reply"),
        ("自动回复: Results", [], "auto_reply"),
        # Programs that ask the sender to prove himself.
        ("Results (verify)", ["X-BoxTrapper-Match: white"], "auto_reply"),
        ("Please confirm your message", ["X-Delivery-Agent: TMDA/1.1.12 (Macallan)"], "auto_reply"),
        ("Re: Results (verification)", [], "auto_reply"),
        # A person's.
        ("Out of office work I have no time: three more days, please?", [], None),
        ("Re: Automatic reply: Results", [], None),
        ("Away until Monday, please wait for me", [], None),
        ("Results", ["X-Auto-Response-Suppress: OOF"], None),
        ("Results", ["Precedence: bulk"], None),
        ("Results", ["Auto-Submitted: no"], None),
        ("Results", ["X-Apple-Action: MOVE_TO_FOLDER/INBOX"], None),
        ("Results", ["X-Autoreply: no"], None),
    ],
)
def test_automatic_answers_are_ignored_and_persons_are_not(
    subject: str, headers: list[str], reason: str | None
) -> None:
    verdict = judge(mail(subject, parts=[text("I am away.")], headers=headers))
    assert (verdict.reason if verdict.reason in MACHINE_REASONS else None) == reason


def test_a_picture_in_a_vacation_answer_is_no_sheet_and_a_sheet_is_no_vacation_answer() -> None:
    answer = mail("Automatic reply: Results", headers=[f"In-Reply-To: {LETTER}"])
    assert judge(answer).reason == "auto_reply"
    # An answer to no one's letter with a photograph: a person wrote the odd subject.
    assert judge(mail("Automatic reply: Results")).reason != "auto_reply"
