"""PHA-05: a mail that answers a letter of ours is for the seat of that letter and the phase that is open."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from sqlalchemy import update

from adjudicator.calendar import Phase, PhaseKind
from service.games.approval.papers import Paper, unsettled_papers
from service.mail.sending import outbox
from service.mail.sending.compose import Attachment, OutLetter
from service.store import records
from service.store.tables import (
    AddressRow,
    MailRow,
    MailState,
    OutboxRow,
    PhaseRow,
    PhaseState,
    SeatRow,
    SubmissionRow,
)
from tests.service.intake.sheets.test_read_submission import HEADING, ORDERS, Desk, page, recognized
from tests.support.mail_builder import mail, part, pdf, picture, stamp, text
from tests.support.site import Site
from tests.support.table import COORDINATOR, ORDERS as ORDER_ADDRESS, SERVER, Table, address, open_table

MONTROSE, ARGYLL = address("Montrose"), address("Argyll")
DAY = timedelta(days=1)
AUTUMN = Phase(1642, "Autumn", PhaseKind.MOVEMENT)
RESULTS = "Powick Bridge - Montrose - Summer 1642 - Final Results"
MAP = picture(200, "PNG", 900, 900)


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def letter_to(
    table: Table, recipient: str = MONTROSE, subject: str = RESULTS, attached: Sequence[Attachment] = ()
) -> OutboxRow:
    """A letter of the game in the outbox, as every letter gets there."""
    letter = OutLetter(
        key=f"powick-bridge/test/{recipient}/{subject}", kind="final_results", recipient=recipient,
        subject=subject, text="The results.", attachments=tuple(attached), game_id=table.game)
    with table.site.store.begin() as session:
        assert outbox.put(session, table.site.blobs, letter, sender=f"Galloper <{ORDER_ADDRESS}>",
                          now=table.site.clock.now())
    return next(row for row in table.letters("final_results") if row.key == letter.key)


def autumn_is_open(table: Table) -> None:
    table.set_phase(1, state=PhaseState.SENT)
    table.set_phase(2, state=PhaseState.SENT)
    table.set_phase(3, state=PhaseState.OPEN)


def answer(
    table: Table, letter: OutboxRow, *, subject: str = "", sender: str = MONTROSE, shade: int = 90,
    header: str = "In-Reply-To: {id}", files: Sequence[bytes] | None = None, number: int = 1,
    result: str = "pass", phase: int = 3, days: int = 1,
) -> MailRow:
    """A player's answer to a letter arrives and is judged."""
    raw = mail(
        subject or f"Re: {letter.subject}", sender,
        headers=[f"Message-ID: <{number}@players.example>", header.format(id=letter.message_id)],
        parts=[text(f"Here it is, {number}."), *([part(picture(shade))] if files is None else files)],
        stamps=[stamp(sender.rpartition("@")[2], result, SERVER)])
    return table.take(raw, table.phase(phase).opens_at + days * DAY)


def filed(table: Table) -> list[tuple[str, int, int | None]]:
    """Power, ordinal of the phase and version of each sheet on file."""
    ordinals = {row.id: row.ordinal for row in table.phases()}
    return [(row.power, ordinals[row.phase_id], row.version) for row in table.submissions()]


@pytest.mark.parametrize("header", [
    "In-Reply-To: {id}", "References: <first@players.example> {id}",
    "References: {id} <mine@players.example>\r\nIn-Reply-To: <mine@players.example>"])
@pytest.mark.parametrize("files", [(part(picture()),), (part(pdf(2), "application/pdf", "orders.pdf"),)])
def test_a_sheet_that_answers_results_is_for_the_open_phase(
    table: Table, header: str, files: Sequence[bytes]
) -> None:
    """PHA-05: the subject of the letter itself is nothing that the player named."""
    letter = letter_to(table)
    autumn_is_open(table)
    row = answer(table, letter, header=header, files=files)
    assert (row.state, row.reason) == (MailState.USED, None)
    assert filed(table) == [("Montrose", 3, 1)]
    assert table.letters("rejection") == []
    (receipt,) = table.letters("receipt")
    assert "Autumn 1642 Movement Orders" in table.words(receipt)


def test_the_next_version_is_given_where_the_answer_names_none(table: Table) -> None:
    """PHA-05, PHA-06: an answer to a receipt, whose subject has the number of the sheet before."""
    table.take(table.mail("Montrose", 30), table.phase().opens_at)
    (receipt,) = table.letters("receipt")
    answer(table, receipt, phase=1, number=1)
    answer(table, receipt, phase=1, number=2, shade=60, subject=f"AW: {receipt.subject} v7")
    assert filed(table) == [("Montrose", 1, 1), ("Montrose", 1, 2), ("Montrose", 1, 7)]
    assert "Once it is read it replaces version 1" in table.words(table.letters("receipt")[1])
    # The same mail in another envelope is the same sheet and no third version.
    again = answer(table, receipt, phase=1, number=3)
    assert (again.state, again.reason) == (MailState.IGNORED, "duplicate")


def test_an_answer_to_a_refusal_with_the_same_photograph_counts(table: Table) -> None:
    """PHA-05: it was ignored in silence, since the same pictures came before."""
    row = table.take(table.mail("Montrose", subject="Powick Bridge - Montrose"), table.phase().opens_at)
    assert row.reason == "subject_unparsed"
    (refusal,) = table.letters("rejection")
    assert [paper.power for paper in papers(table)] == ["Montrose"]
    # Another picture may be another sheet, and the coordinator looks.
    assert answer(table, refusal, phase=1, shade=60, number=2).state == MailState.USED
    assert [paper.power for paper in papers(table)] == ["Montrose"]
    assert answer(table, refusal, phase=1).state == MailState.USED
    assert filed(table) == [("Montrose", 1, 1), ("Montrose", 1, 2)]
    # What was refused is on file now: it blocked the results until a person discarded it.
    assert papers(table) == []


@pytest.mark.parametrize(("words", "sheets"), [
    ("Here it is:\n**5 Grain for Defense of Essex**", [("Red", 2, 1)]),
    # In this game the first sheet counts, and a compliment must not be it.
    ("That was **very** good", [])])
def test_typed_orders_that_answer_results_are_for_the_open_phase(
    site: Site, words: str, sheets: list[tuple[str, int, int | None]]
) -> None:
    """PHA-05, WSB-02: the subject of our letter was taken for theirs, and they were a turn late."""
    table, red = open_table(site, slug="brittania"), address("Red")
    letter = letter_to(table, red, "Powick Bridge - Red - Harvest 601 - Final Results")
    table.set_phase(1, state=PhaseState.SENT)
    table.set_phase(2, state=PhaseState.OPEN)
    raw = mail(f"Re: {letter.subject}", red, headers=[f"In-Reply-To: {letter.message_id}"],
               parts=[text(words)], stamps=[stamp(red.partition("@")[2], server=SERVER)])
    table.take(raw, table.phase(2).opens_at + DAY)
    assert filed(table) == sheets


def papers(table: Table) -> list[Paper]:
    """What keeps the results of the first phase from leaving."""
    with table.site.store() as session:
        return unsettled_papers(session, session.get_one(PhaseRow, table.phase().id), table.variant)


def test_a_refused_mail_that_is_sent_again_is_answered_again(table: Table) -> None:
    """PHA-05: never silence; a copy that a server hands over twice has the Message-ID of the first."""
    def sent(number: int, note: str) -> MailRow:
        raw = mail("my orders", MONTROSE, headers=[f"Message-ID: <{number}@montrose.example>"],
                   parts=[text(note), part(picture())], stamps=[stamp("montrose.example", server=SERVER)])
        return table.take(raw, table.phase().opens_at)

    assert [sent(1, "a").reason, sent(2, "b").reason, sent(2, "c").reason] == [
        "subject_unparsed", "subject_unparsed", "duplicate"]
    assert len(table.letters("rejection")) == 2


def test_our_own_map_in_an_answer_is_no_sheet(table: Table) -> None:
    """PHA-05: programs that quote a letter send its pictures back. "Thanks!" would replace the sheet on
    file."""
    letter = letter_to(table, attached=[Attachment("map.png", "image/png", MAP, "map")])
    autumn_is_open(table)
    ours = part(MAP, "image/png", "map.png", "inline")
    answer(table, letter, files=[ours])
    assert filed(table) == []
    answer(table, letter, files=[ours, part(picture())], number=2)
    assert filed(table) == [("Montrose", 3, 1)]
    assert "Photographs: 1" in table.words(table.letters("receipt")[0])


def test_the_id_of_another_players_letter_routes_nothing(table: Table) -> None:
    """PHA-05: the cheat. A Message-ID is not a secret: anyone who is quoted to has it."""
    letter = letter_to(table)
    autumn_is_open(table)
    row = answer(table, letter, sender=ARGYLL)
    assert (row.state, row.reason) == (MailState.QUARANTINED, "subject_unparsed")
    forged = answer(table, letter, result="fail", number=2)
    assert (forged.state, forged.reason) == (MailState.QUARANTINED, "auth_failed")
    stranger = answer(table, letter, sender="mallory@else.example", number=3)
    assert stranger.state == MailState.QUARANTINED
    notice = letter_to(table, COORDINATOR)
    assert answer(table, notice, number=4).reason == "subject_unparsed"
    assert filed(table) == []


def test_who_left_the_seat_is_not_routed_to_it(table: Table) -> None:
    letter = letter_to(table)
    autumn_is_open(table)
    with table.site.store.begin() as session:
        argyll = records.seats(session, table.game)["Argyll"]
        # Montrose's old address is now another player's.
        session.execute(update(AddressRow).where(AddressRow.email == MONTROSE).values(player_id=argyll))
    assert answer(table, letter).reason == "subject_unparsed"


def test_a_subject_that_names_another_phase_is_refused_with_what_is_open(table: Table) -> None:
    """PHA-05: what the player names himself is never overruled in silence."""
    letter = letter_to(table)
    autumn_is_open(table)
    row = answer(table, letter, subject="Re: Autumn 1650 Retreat Orders")
    assert (row.state, row.reason) == (MailState.REFUSED, "wrong_phase")
    words = table.words(table.letters("rejection")[0])
    assert "Open now: Autumn 1642 Movement" in words
    assert "Powick Bridge - Montrose - Autumn 1642 - Movement Orders - v1" in words


def read(table: Table, lines: Sequence[str]) -> SubmissionRow:
    sheet = table.submissions()[-1].id
    return Desk(table).read(sheet, {picture(): (recognized(page([*lines, *ORDERS])),)})


def test_a_heading_for_another_phase_holds_the_sheet(table: Table) -> None:
    """PHA-05, HEAD-03."""
    letter = letter_to(table)
    autumn_is_open(table)
    answer(table, letter)
    # The sheet of the season before, sent again by mistake.
    row = read(table, HEADING)
    assert (row.fate, "answer_disagrees" in row.flags) == ("held", True)
    assert "Your mail answers a letter of ours" in table.words(table.letters("held")[0])


def test_a_heading_that_agrees_counts(table: Table) -> None:
    letter = letter_to(table)
    autumn_is_open(table)
    answer(table, letter)
    row = read(table, ["Powick Bridge", "Montrose", "Autumn 1642", "Movement Orders"])
    assert (row.fate, row.version) == ("counts", 1)


def test_a_subject_that_names_another_seat_than_the_letter_holds_the_sheet(table: Table) -> None:
    """PHA-05: a player of two powers answers the letter of one with the subject of the other."""
    letter = letter_to(table)
    with table.site.store.begin() as session:
        montrose = records.seats(session, table.game)["Montrose"]
        session.get_one(SeatRow, (table.game, "Argyll")).player_id = montrose
    row = answer(table, letter, subject=table.subject("Argyll"), phase=1)
    assert (row.state, filed(table)) == (MailState.USED, [("Argyll", 1, 1)])
    sheet = read(table, ["Powick Bridge", "Argyll", "Summer 1642", "Movement Orders"])
    assert (sheet.fate, "answer_disagrees" in sheet.flags) == ("held", True)
