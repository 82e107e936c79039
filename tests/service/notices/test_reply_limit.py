"""No one gets more than five answers a day, whatever the answers say. Nothing is lost: receipts go on, and
the coordinator sees every mail and every sheet (section 5 of the desk plan; NON-04)."""

from __future__ import annotations

import io
from datetime import timedelta

import pypdfium2
import pytest
from sqlalchemy import select

from service.desk import queries
from service.facts.refusals import RefusalReason
from service.games import ballots
from service.notices.answers.replies import Replies
from service.store.tables import MailState, PhaseRow, SeatRow, SubmissionRow
from tests.support.mail_builder import mail, stamp, text
from tests.support.site import Site
from tests.support.table import COORDINATOR, SERVER, SUMMER, Table, address, open_table, utc

MONTROSE = address("Montrose")
THIRTY, FIVE = 30, 5
LAST = "This is answer number 5 to you within a day."


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def read(table: Table, version: int, reason: RefusalReason, *, kind: str = "unusable") -> None:
    """A photograph arrives and cannot be used."""
    row = table.take(
        table.mail("Montrose", 100 + version, subject=table.subject("Montrose", version)),
        table.site.clock.now(),
    )
    post = Replies(table.writer)
    with table.site.store.begin() as session:
        submission = session.scalars(select(SubmissionRow).where(SubmissionRow.sha256 == row.sha256)).one()
        submission.fate, submission.flags = "held", [*submission.flags, str(reason)]
        (post.held if kind == "held" else post.unusable)(
            session, submission, session.get_one(PhaseRow, submission.phase_id), reason
        )


@pytest.mark.slow
def test_thirty_dark_photographs_bring_thirty_receipts_and_five_refusals(table: Table) -> None:
    for version in range(1, THIRTY + 1):
        read(table, version, RefusalReason.TOO_DARK)
        table.site.clock.advance(timedelta(minutes=1))
    assert len(table.letters("receipt")) == THIRTY
    refusals = table.letters("rejection")
    assert len(refusals) == FIVE
    assert [LAST in table.words(row) for row in refusals] == [False, False, False, False, True]
    (notice,) = table.letters("coordinator_notice")
    assert notice.recipient == COORDINATOR
    assert MONTROSE not in table.words(notice)
    assert "Montrose" not in table.words(notice)
    with table.site.store() as session:
        # The desk's list of what is held, before the results: every one of them.
        submissions = ballots.ranked_submissions(session, table.phase().id)
        assert len([submission for submission in submissions if submission.held]) == THIRTY


def test_a_day_later_the_next_one_is_answered(table: Table) -> None:
    for version in range(1, FIVE + 2):
        read(table, version, RefusalReason.BLURRED)
    # The last refusal, and so all five, is now more than a day old.
    table.site.clock.advance(timedelta(days=1, seconds=1))
    read(table, FIVE + 2, RefusalReason.BLURRED)
    assert len(table.letters("rejection")) == FIVE + 1


def test_answers_of_every_kind_are_counted_together_and_another_player_apart(table: Table) -> None:
    for version in range(1, 4):
        read(table, version, RefusalReason.HEADING_DISAGREES, kind="held")
    for version in range(4, 10):
        read(table, version, RefusalReason.CUT_OFF)
    assert (len(table.letters("held")), len(table.letters("rejection"))) == (3, 2)
    bare = mail(
        table.subject("Argyll"),
        address("Argyll"),
        parts=[text("A Fife H")],
        stamps=[stamp("argyll.example", server=SERVER)],
    )
    table.take(bare, table.site.clock.now())
    assert table.letters("rejection")[-1].recipient == address("Argyll")


def test_a_held_sheet_beyond_the_fifth_answer_still_goes_to_the_coordinator(table: Table) -> None:
    for version in range(1, 9):
        read(table, version, RefusalReason.ONLY_CHANGES, kind="held")
    assert len(table.letters("held")) == FIVE
    notices = table.letters("coordinator_notice")
    held_notices = [
        table.words(notice) for notice in notices if "A sheet of Montrose is held" in table.words(notice)]
    assert len(held_notices) == 8
    # BOX-10: whose mail, what about, and what follows if nothing is done.
    for words in (f"From: {address('Montrose')} (Player Montrose)", "Subject: Powick Bridge", ", Montrose",
                  "If you do nothing, it does not count, and the power has no other sheet."):
        assert words in held_notices[0], words


def test_late_and_empty_mails_beyond_the_fifth_lie_in_quarantine(table: Table) -> None:
    """A mail without an answer must not be filed as "refused with an answer"."""
    after = utc("2027-03-14 07:00") + timedelta(seconds=1)
    states = [
        table.take(table.mail("Montrose", version, subject=table.subject("Montrose", version)), after).state
        for version in range(1, 9)
    ]
    assert len(table.letters("receipt_late")) == FIVE
    assert states == FIVE * [MailState.REFUSED] + 3 * [MailState.QUARANTINED]
    with table.site.store() as session:
        assert len(queries.quarantine(session)) == 3


# The blank sheet that goes with a refusal
# ---------------------------------------------------------------------------


def sheet(table: Table) -> str:
    """The words on the one file of the only refusal; "" if it has none."""
    (row,) = table.letters("rejection")
    files = list(table.message(row).iter_attachments())
    assert ("to print and write on" in table.words(row)) == bool(files)
    if not files:
        return ""
    (only,) = files
    assert str(only.get_filename()) in table.words(row)
    return " ".join(
        page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(io.BytesIO(only.get_content()))
    )


def bare(table: Table, subject: str) -> bytes:
    return mail(
        subject, MONTROSE, parts=[text("A Fife H")], stamps=[stamp("montrose.example", server=SERVER)]
    )


@pytest.mark.parametrize("subject", [
    "Montrose, Summer, my moves", "Powick Bridge - Montrose - Summer 1642 - Movement Orders - v1",
    "Powick Bridge - Argyll - Summer 1642 - Movement",
])
def test_a_refusal_brings_the_blank_sheet_of_the_senders_own_power(table: Table, subject: str) -> None:
    """OUT-03, section 5: whatever the subject states, the sheet is for the sender's own power and the open
    phase."""
    table.take(bare(table, subject), table.phase().opens_at)
    words = sheet(table)
    for part in ("Montrose", "Powick Bridge", f"{SUMMER} Orders"):
        assert part in words
    assert "Argyll" not in words


def test_a_dark_photograph_brings_it_too(table: Table) -> None:
    read(table, 1, RefusalReason.TOO_DARK)
    assert "Montrose" in sheet(table)


def test_a_player_of_two_powers_is_not_guessed_at_and_promised_no_sheet(table: Table) -> None:
    """SUBJ-07."""
    with table.site.store.begin() as session:
        player_id = session.get_one(SeatRow, (table.game, "Montrose")).player_id
        session.get_one(SeatRow, (table.game, "Argyll")).player_id = player_id
    table.take(bare(table, "my moves, v1"), table.phase().opens_at)
    assert sheet(table) == ""
