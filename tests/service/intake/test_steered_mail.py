"""What goes out cannot be steered by what came in (SEC-07): no header, no loop, no more out than in."""

from __future__ import annotations

from datetime import timedelta
from email.header import Header

import pytest

from adjudicator.calendar import Phase, PhaseKind
from service.store.tables import OutboxRow
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.site import Site
from tests.support.table import SERVER, Table, address, open_table

NEVER = Phase(1700, "Summer", PhaseKind.RETREAT)
"""A phase that this game does not have: a sheet for it is refused."""
MONTROSE, VICTIM = address("Montrose"), "victim@elsewhere.example"
HOSTILE = "\r\nBcc: victim@elsewhere.example\r\nSubject: owned\r\n\r\n<script>owned()</script>"


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def sent(
    table: Table,
    subject: str,
    *headers: str,
    body: str = "See the sheet.",
    name: str = "a.jpg",
    shade: int = 90,
) -> list[OutboxRow]:
    """The letters that one mail of Montrose's brings."""
    before = len(table.letters())
    raw = mail(
        subject,
        MONTROSE,
        headers=headers,
        stamps=[stamp(MONTROSE.rpartition("@")[2], "pass", SERVER)],
        parts=[text(body), part(picture(shade), name=name)],
    )
    table.take(raw, table.site.clock.now())
    return table.letters()[before:]


@pytest.mark.parametrize("wrong", [
    "{subject} {encoded}", "{encoded}", "{encoded} {subject}", "{retreats} {encoded}",
], ids=["behind", "alone", "before", "of another phase"])  # fmt: skip
def test_no_part_of_a_mail_becomes_a_header_or_a_recipient(table: Table, wrong: str) -> None:
    """Line ends hidden in an encoded subject (RFC 2047), in the name of a file, in Message-ID and
    References."""
    encoded = Header(HOSTILE, "utf-8").encode().replace("\n", "\r\n")
    subject = wrong.format(
        subject=table.subject("Montrose"), encoded=encoded, retreats=table.subject("Montrose", 1, NEVER)
    )
    letters = sent(
        table,
        subject,
        f"Message-ID: <a@b>{Header(HOSTILE, 'utf-8').encode()}",
        f"References: <x>\r\n {encoded}",
        f"Reply-To: {VICTIM}",
        f"Return-Path: <{VICTIM}>",
        f"Disposition-Notification-To: {VICTIM}",
        f"Cc: {VICTIM}",
        body=HOSTILE,
        name=f"a{encoded}.jpg",
    )
    assert letters
    to_sender = [letter for letter in letters if letter.recipient == MONTROSE]
    assert len(to_sender) <= 1
    for letter in letters:
        assert letter.recipient != VICTIM
        message = table.message(letter)
        assert [value for key, value in message.items() if key.lower() in {"bcc", "cc"}] == []
        assert len(message.get_all("Subject", [])) == len(message.get_all("To", [])) == 1
        assert "\n" not in message["Subject"].replace("\r\n ", "")
        assert VICTIM not in str(message["To"]) + str(message["Reply-To"]) + str(message["From"])
        html = message.get_body(("html",))
        assert html is None or "<script" not in html.get_content()


@pytest.mark.parametrize(("changes", "answers"), [(False, 1), (True, 5)])
def test_two_machines_that_answer_each_other_stop(table: Table, changes: bool, answers: int) -> None:
    """A machine that marks its answers in no way, and answers every letter with another of its own: with the
    same picture it is a repeat from the second on, with a new one each time it gets the five of a day."""
    answered = 0
    for number in range(12):
        letters = sent(
            table,
            f"Re: {table.subject('Montrose', 1, NEVER)}",
            body=f"Away {number}",
            shade=90 + 3 * number if changes else 90,
        )
        to_machine = [letter for letter in letters if letter.recipient == MONTROSE]
        assert len(to_machine) <= 1
        answered += len(to_machine)
        table.site.clock.advance(timedelta(minutes=10))
    assert answered == answers
    # The coordinator is informed once, not once a mail.
    assert len(table.letters("coordinator_notice")) <= 1


@pytest.mark.parametrize(
    "marked", ["Auto-Submitted: auto-replied", "Auto-Submitted: auto-generated", "X-Autoreply: yes"]
)
def test_a_machine_that_says_so_is_answered_not_once(table: Table, marked: str) -> None:
    letters = sent(table, f"Re: {table.subject('Montrose', 1, NEVER)}", marked)
    assert [letter for letter in letters if letter.recipient == MONTROSE] == []


def test_our_own_letters_ask_machines_not_to_answer(table: Table) -> None:
    """RFC 3834, section 5, and what Exchange heeds."""
    letters = sent(table, table.subject("Montrose", 1, NEVER), "Message-ID: <one@montrose.example>")
    (letter,) = [row for row in letters if row.recipient == MONTROSE]
    message = table.message(letter)
    assert message["Auto-Submitted"] == "auto-replied"
    assert message["X-Auto-Response-Suppress"] == "All"
