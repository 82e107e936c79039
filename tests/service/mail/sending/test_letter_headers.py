"""The headers of every letter: where to answer, what it answers, and that a machine wrote it (RFC 3834)."""

from __future__ import annotations

from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest

from ocr.page import UnreadableReason
from service.games.acts.results import ChangeCoordinator
from service.mail.sending.compose import OutLetter, compose
from service.notices.broadcasts import Broadcasts
from tests.service.intake.sheets.test_read_submission import (
    HEADING,
    MONTROSE,
    ORDERS,
    Desk,
    page,
    recognized,
    unusable,
)
from tests.support import letters_samples as samples
from tests.support.acting import do
from tests.support.features import of_features
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.site import Site
from tests.support.table import ORDERS as ORDER_ADDRESS, SERVER, SUMMER, Table, open_table

ROBOT = "Galloper <robot@w3k.example>"
ANSWERS = {"receipt", "receipt_late", "rejection", "held", *of_features("ANSWERS")}
"""Kinds of letters that answer a player's mail; all others leave by themselves."""
THEIRS = "<17@montrose.example>"


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def composed(name: str) -> EmailMessage:
    letter = samples.every_letter()[name]
    raw = compose(letter, ROBOT, samples.AT, reply_to="orders@w3k.example")
    return message_from_bytes(raw, policy=policy.default)


@pytest.mark.parametrize(
    "name", [name for name, letter in samples.every_letter().items() if letter.kind != "answer"])
def test_each_letter_says_where_to_answer_and_that_a_machine_wrote_it(name: str) -> None:
    message, kind = composed(name), samples.every_letter()[name].kind
    assert message["Reply-To"] == "orders@w3k.example"
    assert message["X-Auto-Response-Suppress"] == "All"
    # "receipt bare" answers a mail without a Message-ID, so there is nothing to refer to.
    answers = kind in ANSWERS and name not in {"receipt bare", "acknowledgement bare"}
    assert message["Auto-Submitted"] == ("auto-replied" if answers else "auto-generated")
    assert message["Precedence"] == (None if answers else "bulk")
    assert (message["In-Reply-To"] is not None) == answers


def test_a_game_without_a_latin_letter_has_a_list_too() -> None:
    letter = OutLetter("key", "receipt", "player@montrose.example", "Receipt", "Received.\n",
                       list_name="Мост у Повика")
    raw = compose(letter, ROBOT, samples.AT, reply_to="orders@w3k.example")
    assert message_from_bytes(raw, policy=policy.default)["List-Id"] == "<game.w3k.example>"


def test_each_letter_has_a_message_id_of_its_own_and_the_same_at_every_try() -> None:
    names = [name for name in samples.every_letter() if " " not in name]
    first = [composed(name)["Message-ID"] for name in names]
    assert len(set(first)) == len(first)
    assert [composed(name)["Message-ID"] for name in names] == first
    assert all(identifier.endswith("@w3k.example>") for identifier in first)


def test_answers_go_to_the_order_address_whoever_sends_the_letters(table: Table) -> None:
    writer = table.writer
    do(table, ChangeCoordinator(table.game, "Grace", "form"), "ada",
       circulars=Broadcasts(replace(writer, sender=replace(writer.sender, sender=ROBOT))))
    message = table.message(table.letters("announcement")[0])
    assert (message["From"], message["Reply-To"]) == (ROBOT, ORDER_ADDRESS)


def theirs(table: Table, subject: str) -> bytes:
    """Montrose's mail with a picture, under the Message-ID that answers must name."""
    return mail(
        subject,
        MONTROSE,
        headers=[f"Message-ID: {THEIRS}"],
        parts=[text("See the sheet."), part(picture(90))],
        stamps=[stamp("montrose.example", server=SERVER)],
    )


def test_a_refusal_and_a_late_receipt_stand_below_the_mail_they_answer(table: Table) -> None:
    phase = table.phase()
    table.take(theirs(table, "my moves"), phase.opens_at)
    table.take(theirs(table, table.subject("Montrose", 1, SUMMER)), phase.deadline.replace(second=1))
    answers = [row for row in table.letters() if row.recipient == MONTROSE]
    assert [row.kind for row in answers] == ["rejection", "receipt_late"]
    for row in answers:
        message = table.message(row)
        assert (message["In-Reply-To"], message["References"]) == (THEIRS, THEIRS), row.kind
        assert message["Auto-Submitted"] == "auto-replied"


@pytest.mark.parametrize("kind", ["rejection", "held"])
def test_what_the_reader_finds_wrong_is_told_below_the_mail_too(table: Table, kind: str) -> None:
    """A photograph too dark to read, and a sheet whose heading names another season than its subject."""
    table.take(theirs(table, table.subject("Montrose")), table.phase().opens_at)
    desk, submission_id = Desk(table), table.submissions()[-1].id
    other = page([*HEADING[:3], "Autumn 1642 Movement Orders", *ORDERS])
    too_dark = unusable(UnreadableReason.TOO_DARK)
    desk.read(submission_id, {picture(90): (too_dark if kind == "rejection" else recognized(other),)})
    (row,) = table.letters(kind)
    assert row.recipient == MONTROSE
    assert table.message(row)["In-Reply-To"] == THEIRS
    notices = table.letters("coordinator_notice")
    assert len(notices) == (kind == "held")
    assert not [notice for notice in notices if table.message(notice)["In-Reply-To"]], (
        "the coordinator wrote nothing that is answered"
    )
