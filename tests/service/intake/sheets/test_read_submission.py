"""One filed sheet to lines, with a prepared recognizer: pages, doubt, headings that disagree, photographs
that cannot be read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from ocr.engines import finetuned
from ocr.engines.hand import Hand
from ocr.page import Box, Page, Reading, ReadLine, Status, Strike, UnreadableReason
from reading.review import ReviewLimits
from service.facts.sheets import held_because
from service.games.approval.papers import waiting_sheets
from service.games.ballots import executed
from service.games.lines import lines_of
from service.intake import filing
from service.intake.sheets.read_submission import SubmissionReader
from service.intake.sheets.recognizer import LessonPage, RecognizedPage
from service.notices.answers.replies import Replies
from service.store import records
from service.store.tables import EventRow, GameRow, LineRow, LineState, PageRow, SubmissionRow
from tests.support.mail_builder import mail, part, pdf, picture, stamp, text
from tests.support.site import Site
from tests.support.table import COORDINATOR, SERVER, Table, address, open_table, sheet_picture

MONTROSE = address("Montrose")
HEADING = ("Finn Sterne", "Montrose", "Powick Bridge", "Summer 1642 Movement Orders", "v1")
ORDERS = ("Fleet Orkney moves to the Pentland Firth", "Army Aberdeen moves to The Mearns")


def page(lines: Sequence[str | tuple[str, float]], number: int = 1, rotation: int = 0) -> Page:
    """A page whose lines are read as given, each with a score."""
    read = [(line, 0.99) if isinstance(line, str) else line for line in lines]
    return Page(number, rotation, 0.0, tuple(
        ReadLine(Box(((50.04, y), (700, y), (700, y + 40), (50, y + 40))), (), words, score, Strike())
        for y, (words, score) in zip(range(100, 100 + 60 * len(read), 60), read, strict=True)
    ))  # fmt: skip


def recognized(*pages: Page) -> RecognizedPage:
    return RecognizedPage(sheet_picture(), Reading(Status.READ, pages=pages))


def unusable(reason: UnreadableReason) -> RecognizedPage:
    return RecognizedPage(
        None if reason is UnreadableReason.NOT_AN_IMAGE else sheet_picture(), Reading(Status.UNUSABLE, reason)
    )


@dataclass
class Shown:
    """A recognizer that returns prepared pages for each file, and counts its calls."""

    recognized_pages: Mapping[bytes, tuple[RecognizedPage, ...]]
    looks: int = 0

    def recognize(self, data: bytes, name: str) -> tuple[RecognizedPage, ...]:
        self.looks += 1
        return self.recognized_pages[data]


@dataclass
class WithHands(Shown):
    """A recognizer that reads with hands, and notes them."""

    hands: list[Hand] = field(default_factory=list)

    def learn(self, pages: Sequence[LessonPage]) -> Hand | None:
        return None

    def with_hand(self, hand: Hand) -> WithHands:
        self.hands.append(hand)
        return self


@dataclass
class Desk:
    """A table with a reader whose recognizer is prepared; `settled`: the phases that it reported."""

    table: Table
    settled: list[int] = field(default_factory=list)

    def read(
        self, submission_id: int, recognized_pages: Mapping[bytes, tuple[RecognizedPage, ...]]
    ) -> SubmissionRow:
        self.reader(Shown(recognized_pages)).read({"submission": submission_id})
        return self.paper(submission_id)

    def reader(self, recognizer: Shown) -> SubmissionReader:
        site = self.table.site
        return SubmissionReader(
            store=site.store, blobs=site.blobs, clock=site.clock, recognizer=recognizer, load=self.table.load,
            replies=Replies(self.table.writer), on_read=self.settled.append, limits=ReviewLimits(),
        )  # fmt: skip

    def mailed(self, shade: int = 90, version: int | None = 1) -> int:
        """The id of a sheet of Montrose as the intake files it, with one small picture. `version`: None for a
        subject without any."""
        subject = self.table.subject("Montrose", version or 1)
        if version is None:
            subject = subject.rpartition(" - ")[0]
        self.table.take(self.table.mail("Montrose", shade, subject=subject), self.table.phase().opens_at)
        return self.table.submissions()[-1].id

    def paper(self, key: int) -> SubmissionRow:
        with self.table.site.store() as session:
            return session.get_one(SubmissionRow, key)

    def lines(self, key: int) -> list[LineRow]:
        with self.table.site.store() as session:
            return list(session.scalars(
                select(LineRow).join(PageRow).where(PageRow.submission_id == key)
                .order_by(PageRow.ordinal, LineRow.ordinal)
            ))  # fmt: skip

    def pages(self, key: int) -> list[PageRow]:
        with self.table.site.store() as session:
            return records.pages(session, key)

    def counting(self) -> dict[str, int]:
        with self.table.site.store() as session:
            return executed(session, records.phases(session, self.table.game)[0])


@pytest.fixture
def desk(site: Site) -> Desk:
    return Desk(open_table(site))


def test_a_sheet_becomes_heading_and_orders(desk: Desk) -> None:
    submission_id = desk.mailed()
    row = desk.read(submission_id, {picture(90): (recognized(page([*HEADING, *ORDERS], rotation=90)),)})
    assert (row.fate, row.flags, row.instruction) == ("counts", [], 1)
    assert row.read_at == desk.table.site.clock.now()
    lines = desk.lines(submission_id)
    assert [line.kind for line in lines] == ["heading"] * 5 + ["order"] * 2
    assert [line.status for line in lines] == [LineState.NOT_ORDER] * 5 + [LineState.AUTO] * 2
    assert [line.order for line in lines[5:]] == ["F Orkney - Pentland Firth", "A Aberdeen - The Mearns"]
    assert lines[0].box == [[50, 100], [700, 100], [700, 140], [50, 140]]
    (page_row,) = desk.pages(submission_id)
    assert (page_row.rotation, page_row.note) == (90, None)
    assert desk.table.site.blobs.read(page_row.upright or "") == sheet_picture()
    assert desk.settled == [desk.table.phase().id]
    assert [kind for kind, _ in desk.table.written_letters()] == ["receipt"]


def test_a_recognizer_without_hands_reads_a_player_who_has_one(desk: Desk) -> None:
    submission_id = desk.mailed()
    shown = Shown({picture(90): (recognized(page([*HEADING, *ORDERS])),)})
    reader = replace(desk.reader(shown), hand_of=lambda _session, _player: Hand(b"", finetuned.SHA256))
    reader.read({"submission": submission_id})
    assert (desk.paper(submission_id).fate, desk.paper(submission_id).hand) == ("counts", None)


def test_a_player_s_sheet_is_read_with_their_hand(desk: Desk) -> None:
    """INK-13: with that of the player who sent it."""
    submission_id = desk.mailed()
    hands = defaultdict[int | None, Hand](lambda: Hand(b"", finetuned.SHA256))
    recognizer = WithHands({picture(90): (recognized(page([*HEADING, *ORDERS])),)})
    reader = replace(desk.reader(recognizer), hand_of=lambda _session, player: hands[player])
    reader.read({"submission": submission_id})
    sheet = desk.paper(submission_id)
    assert recognizer.hands == [hands[sheet.player_id]]
    assert sheet.hand == hands[sheet.player_id].digest


def test_in_a_game_that_asks_for_it_a_person_looks_at_every_order(desk: Desk) -> None:
    """The desk plan: "auto" only where the confidence reaches the game's threshold."""
    with desk.table.site.store.begin() as session:
        game = session.get_one(GameRow, desk.table.game)
        game.options = {**game.options, "auto_score": 2.0}
    submission_id = desk.mailed()
    desk.read(submission_id, {picture(90): (recognized(page([*HEADING, *ORDERS])),)})
    assert [line.status for line in desk.lines(submission_id) if line.kind == "order"] == [LineState.OPEN] * 2


def test_a_word_in_doubt_leaves_its_line_open_with_candidates(desk: Desk) -> None:
    submission_id = desk.mailed()
    doubtful = page([*HEADING, ("Army Aberden mowes to The Meams", 0.6)])
    desk.read(submission_id, {picture(90): (recognized(doubtful),)})
    line = desk.lines(submission_id)[-1]
    assert line.status == LineState.OPEN
    assert line.text == "Army Aberden mowes to The Meams"
    assert line.candidates[0]["order"] == "A Aberdeen - The Mearns"


def test_a_paper_is_read_once(desk: Desk) -> None:
    submission_id = desk.mailed()
    recognizer = Shown({picture(90): (recognized(page([*HEADING, *ORDERS])),)})
    desk.reader(recognizer).read({"submission": submission_id})
    desk.reader(recognizer).read({"submission": submission_id})
    assert recognizer.looks == 1
    assert len(desk.lines(submission_id)) == 7
    desk.reader(recognizer).read({"submission": 999})
    assert recognizer.looks == 1


def test_a_pdf_of_two_pages_is_two_pages_in_their_order_before_the_next_file(desk: Desk) -> None:
    """SUB-10, SUB-11: a PDF is split; its pages and the next file are one submission."""
    table, sheets = desk.table, pdf(2)
    raw = mail(
        table.subject("Montrose"), MONTROSE, stamps=[stamp("montrose.example", server=SERVER)],
        parts=[text(), part(sheets, "application/pdf", "sheets.pdf"), part(picture(210))],
    )  # fmt: skip
    table.take(raw, table.phase().opens_at)
    submission_id = table.submissions()[0].id
    desk.read(submission_id, {
        sheets: (recognized(page([*HEADING, ORDERS[0]])), recognized(page([ORDERS[1]]))),
        picture(210): (recognized(page(["Army Blair Castle moves to Atholl"])),),
    })  # fmt: skip
    pages = desk.pages(submission_id)
    assert [page_row.ordinal for page_row in pages] == [0, 1, filing.PAGES_PER_FILE]
    assert [table.site.blobs.read(page_row.original) for page_row in pages] == [sheets, sheets, picture(210)]
    assert [line.order for line in desk.lines(submission_id) if line.order] == [
        "F Orkney - Pentland Firth", "A Aberdeen - The Mearns", "A Blair Castle - Atholl",
    ]  # fmt: skip


def test_two_sheets_on_one_photograph_are_two_pages(desk: Desk) -> None:
    submission_id = desk.mailed()
    two_sheets = recognized(page([*HEADING, ORDERS[0]], 1), page([ORDERS[1]], 2))
    desk.read(submission_id, {picture(90): (two_sheets,)})
    assert [page_row.ordinal for page_row in desk.pages(submission_id)] == [0, 1]
    assert sum(line.order is not None for line in desk.lines(submission_id)) == 2


# Held


@pytest.mark.parametrize(
    "heading",
    [
        ("Ormond", "Powick Bridge", "Summer 1642 Movement Orders"),
        ("Montrose", "Powick Bridge", "Autumn 1642 Movement Orders"),
        ("Montrose", "Powick Bridge", "Summer 1642 Retreat Orders"),
    ],
)
def test_a_sheet_that_disagrees_with_its_subject_is_held_and_both_are_told(
    desk: Desk, heading: tuple[str, ...]
) -> None:
    submission_id = desk.mailed()
    row = desk.read(submission_id, {picture(90): (recognized(page([*heading, *ORDERS])),)})
    assert (row.fate, row.flags) == ("held", ["heading_disagrees"])
    # HEAD-03: a sheet is never moved to another power.
    assert row.power == "Montrose"
    assert desk.counting() == {}
    assert desk.table.written_letters()[1:] == [("held", MONTROSE), ("coordinator_notice", COORDINATOR)]
    assert "do not agree" in desk.table.words(desk.table.letters("held")[0])
    assert desk.settled == [desk.table.phase().id]


@pytest.mark.parametrize(
    "heading", [(), ("Charles",), ("Montrose", "Summer"), ("James Graham", "Summer 1642")]
)
def test_a_sheet_that_says_less_is_not_held(desk: Desk, heading: tuple[str, ...]) -> None:
    row = desk.read(desk.mailed(), {picture(90): (recognized(page([*heading, *ORDERS])),)})
    assert (row.fate, row.flags) == ("counts", [])


def test_a_sheet_of_only_changes_is_held_and_the_version_before_counts(desk: Desk) -> None:
    first = desk.mailed(30, 1)
    desk.read(first, {picture(30): (recognized(page([*HEADING, *ORDERS])),)})
    second = desk.mailed(60, 2)
    # A sheet counts as a whole, so a list of changes must not replace the version before.
    changes = [*HEADING[:4], "Only changes, otherwise as before", ORDERS[1]]
    row = desk.read(second, {picture(60): (recognized(page(changes)),)})
    assert (row.fate, row.flags) == ("held", ["only_changes"])
    assert desk.counting() == {"Montrose": first}
    words = desk.table.words(desk.table.letters("held")[0])
    assert "only changes" in words
    assert "do not agree" not in words


def test_a_page_of_two_in_a_mail_of_its_own_waits_and_displaces_nothing(desk: Desk) -> None:
    """ARR-04: the second page of two mails was the whole sheet."""
    first, second = desk.mailed(30, 1), desk.mailed(60, 1)
    lines = [[*HEADING[:4], f"page {number} of 2", ORDERS[number - 1]] for number in (1, 2)]
    rows = [desk.read(first, {picture(30): (recognized(page(lines[0])),)}),
            desk.read(second, {picture(60): (recognized(page(lines[1])),)})]
    assert [(row.fate, "pages_missing" in row.flags) for row in rows] == [("held", True)] * 2
    assert desk.counting() == {}
    assert "one of several pages" in desk.table.words(desk.table.letters("held")[0])


@pytest.mark.parametrize("second", ["page 2 of 2", "The rest"])
def test_two_pages_in_one_mail_are_one_sheet(desk: Desk, second: str) -> None:
    first_page = recognized(page([*HEADING[:4], "page 1 of 2", ORDERS[0]]))
    key = desk.mailed(30, 1)
    row = desk.read(key, {picture(30): (first_page, recognized(page([second, ORDERS[1]])))})
    assert (row.fate, desk.counting()) == ("counts", {"Montrose": key})


LOGO = ["Rich & Daughters", "Surveyors, 4 Market Place"]


def test_a_logo_is_kept_and_what_was_on_file_counts(desk: Desk) -> None:
    """ARR-03: a logo was version 2, and its lines waited at the desk."""
    first, second = desk.mailed(30, 1), desk.mailed(60, 2)
    desk.read(first, {picture(30): (recognized(page([*HEADING, *ORDERS])),)})
    row = desk.read(second, {picture(60): (recognized(page(LOGO)),)})
    assert (row.fate, row.flags) == ("held", ["no_photo"])
    assert desk.counting() == {"Montrose": first}
    (letter,) = desk.table.letters("rejection")
    words = desk.table.words(letter)
    assert "no heading and no order was found on it" in words
    assert "The sheet that you sent before still counts." in words
    with desk.table.site.store() as session:
        (logo,) = records.pages(session, second)
        assert (logo.note, logo.upright is not None) == ("no_sheet", True)
        assert waiting_sheets(records.submissions(session, row.phase_id), row.received_at, first=False) == []


def test_a_logo_that_came_alone_waits_for_a_person(desk: Desk) -> None:
    """A turn may hang on it, and nothing else of its power counts."""
    key = desk.mailed(30, 1)
    row = desk.read(key, {picture(30): (recognized(page(LOGO)),)})
    with desk.table.site.store() as session:
        (waiting,) = waiting_sheets(
            records.submissions(session, row.phase_id), row.received_at, first=False)
    assert waiting.id == key


def test_a_page_that_could_not_be_read_came_with_its_sheet_all_the_same(desk: Desk) -> None:
    dark = RecognizedPage(None, Reading(Status.UNUSABLE, UnreadableReason.TOO_DARK))
    key = desk.mailed(30, 1)
    row = desk.read(key, {picture(30): (recognized(page([*HEADING[:4], "page 1 of 2", ORDERS[0]])), dark)})
    assert "pages_missing" not in row.flags


def test_a_logo_beside_a_sheet_adds_no_line(desk: Desk) -> None:
    key = desk.mailed(30, 1)
    row = desk.read(key, {picture(30): (
        recognized(page(LOGO)), recognized(page([*HEADING, *ORDERS])))})
    assert (row.fate, desk.counting()) == ("counts", {"Montrose": key})
    with desk.table.site.store() as session:
        assert [page.note for page in records.pages(session, key)] == ["no_sheet", None]
        assert not [line for line in lines_of(session, [key])[key] if "Rich" in line.text]


# Versions the sheet requests


def test_a_sheet_that_calls_itself_final_waits_where_another_could_count(desk: Desk) -> None:
    """WRD-05: what is plainly said about its version and not understood is for the coordinator."""
    heading = [*HEADING[:4], "Final version"]
    first = desk.mailed(30, None)
    row = desk.read(first, {picture(30): (recognized(page([*heading, *ORDERS])),)})
    assert row.fate == "counts"  # nothing that it could replace
    second = desk.mailed(60, 2)
    desk.read(second, {picture(60): (recognized(page([*HEADING[:4], "v2", *ORDERS])),)})
    third = desk.mailed(90, None)
    row = desk.read(third, {picture(90): (recognized(page([*heading, *ORDERS])),)})
    assert row.fate == "held"
    assert "version_unclear" in row.flags
    assert desk.counting() == {"Montrose": second}
    assert "is marked final" in desk.table.words(desk.table.letters("held")[0])


def test_a_misread_number_never_puts_an_old_sheet_above_a_new_one(desk: Desk) -> None:
    # Seen on a real sheet: "v1" in a player's hand was read as "v7" with a score of 0.75.
    first = desk.mailed(30, 1)
    row = desk.read(first, {picture(30): (recognized(page([*HEADING[:4], ("v7", 0.75), *ORDERS])),)})
    assert (row.instruction, row.flags) == (None, [])
    second = desk.mailed(60, 2)
    desk.read(second, {picture(60): (recognized(page([*HEADING[:4], "v2", *ORDERS])),)})
    assert desk.counting() == {"Montrose": second}


def test_a_faint_number_is_no_instruction_even_where_the_subject_has_none(desk: Desk) -> None:
    bare = desk.table.subject("Montrose").removesuffix(" - v1")
    desk.table.take(desk.table.mail("Montrose", 30, subject=bare), desk.table.phase().opens_at)
    first = desk.table.submissions()[0].id
    row = desk.read(first, {picture(30): (recognized(page([*HEADING[:4], ("v7", 0.75), *ORDERS])),)})
    assert row.instruction is None
    second = desk.mailed(60, 2)
    desk.read(second, {picture(60): (recognized(page([*HEADING[:4], "v2", *ORDERS])),)})
    assert desk.counting() == {"Montrose": second}


def test_a_clear_number_that_is_not_the_subjects_is_marked_and_the_subjects_counts(desk: Desk) -> None:
    first = desk.mailed(30, 1)
    row = desk.read(first, {picture(30): (recognized(page([*HEADING[:4], "v7", *ORDERS])),)})
    assert (row.instruction, row.flags, row.fate) == (None, ["version_disagrees"], "counts")
    second = desk.mailed(60, 2)
    desk.read(second, {picture(60): (recognized(page([*HEADING[:4], "Version 2", *ORDERS])),)})
    assert desk.counting() == {"Montrose": second}


@pytest.mark.parametrize(("number", "asks"), [(3, 3), (7, None)])
def test_where_the_subject_has_no_number_the_sheets_own_counts_if_it_comes_next(
    desk: Desk, number: int, asks: int | None
) -> None:
    """VER-02, PHA-06: a misread digit, however clear, puts no sheet above those that come later."""
    second = desk.mailed(60, 2)
    desk.read(second, {picture(60): (recognized(page([*HEADING[:4], "Version 2", *ORDERS])),)})
    bare = desk.mailed(30, None)
    row = desk.read(bare, {picture(30): (recognized(page([*HEADING[:4], f"Version {number}", *ORDERS])),)})
    assert (row.version, row.instruction) == (None, asks)
    # The coordinator is asked where the machine's number is not believed.
    assert ("version_disagrees" in row.flags) == (asks is None)
    assert desk.counting() == {"Montrose": bare if asks else second}


# Photographs that cannot be used


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (UnreadableReason.TOO_DARK, "too dark"),
        (UnreadableReason.BLURRED, "too blurred"),
        (UnreadableReason.BLANK, "No writing"),
        (UnreadableReason.NOT_A_SHEET, "does not show a sheet"),
        (UnreadableReason.NOT_AN_IMAGE, "cannot be opened"),
        (UnreadableReason.TOO_LARGE, "too large"),
    ],
)
def test_an_unusable_photograph_tells_its_sender_how_to_mend_it(
    desk: Desk, reason: UnreadableReason, words: str
) -> None:
    submission_id = desk.mailed()
    row = desk.read(submission_id, {picture(90): (unusable(reason),)})
    assert row.fate == "held"
    assert desk.table.written_letters()[1:] == [("rejection", MONTROSE)]
    letter_text = desk.table.words(desk.table.letters("rejection")[0])
    assert words in letter_text
    assert desk.table.subject("Montrose", 2) in letter_text
    assert desk.pages(submission_id)[0].note == str(reason)
    assert desk.lines(submission_id) == []
    assert desk.settled == [desk.table.phase().id]


def test_an_unusable_version_does_not_replace_the_good_one_before(desk: Desk) -> None:
    first = desk.mailed(30, 1)
    desk.read(first, {picture(30): (recognized(page([*HEADING, *ORDERS])),)})
    second = desk.mailed(60, 2)
    desk.read(second, {picture(60): (unusable(UnreadableReason.TOO_DARK),)})
    assert desk.counting() == {"Montrose": first}
    words = desk.table.words(desk.table.letters("rejection")[0])
    assert "The sheet that you sent before still counts." in words
    assert desk.table.subject("Montrose", 3) in words


def test_the_number_to_send_again_with_is_above_every_version_on_file(desk: Desk) -> None:
    """LET-01: a dark version 1 behind a good version 3 was asked for again as version 2."""
    good = desk.mailed(30, 3)
    desk.read(good, {picture(30): (recognized(page([*HEADING, *ORDERS])),)})
    desk.read(desk.mailed(60, 1), {picture(60): (unusable(UnreadableReason.TOO_DARK),)})
    assert desk.table.subject("Montrose", 4) in desk.table.words(desk.table.letters("rejection")[0])


def test_the_only_sheet_is_not_told_that_another_counts(desk: Desk) -> None:
    """LET-01: "a version you sent before still counts" was told of none."""
    desk.read(desk.mailed(), {picture(90): (unusable(UnreadableReason.TOO_DARK),)})
    words = desk.table.words(desk.table.letters("rejection")[0])
    assert "No other sheet of yours counts for this phase." in words
    assert "still counts" not in words


@pytest.mark.parametrize("is_dark", [True, False])
def test_after_the_deadline_nobody_is_asked_for_a_new_version(desk: Desk, is_dark: bool) -> None:
    """LET-01: a sheet of the last minute is read after the deadline; a new version would come too late."""
    key = desk.mailed()
    desk.table.site.clock.set(desk.table.phase().deadline + timedelta(minutes=1))
    wrong = [HEADING[0], "Argyll", *HEADING[2:], *ORDERS]
    desk.read(key, {picture(90): (unusable(UnreadableReason.TOO_DARK) if is_dark else
                                  recognized(page(wrong)),)})
    assert desk.paper(key).fate == "held"
    assert desk.table.letters("rejection") == []
    words = desk.table.words(desk.table.letters("held")[0])
    assert "The deadline has passed, so no new version can count." in words
    assert "send a new version" not in words


def test_one_bad_page_beside_a_good_one_is_noted_and_the_paper_counts(desk: Desk) -> None:
    table = desk.table
    raw = mail(
        table.subject("Montrose"), MONTROSE, stamps=[stamp("montrose.example", server=SERVER)],
        parts=[text(), part(picture(30)), part(picture(60))],
    )  # fmt: skip
    table.take(raw, table.phase().opens_at)
    submission_id = table.submissions()[0].id
    row = desk.read(submission_id, {
        picture(30): (unusable(UnreadableReason.BLURRED),),
        picture(60): (recognized(page([*HEADING, *ORDERS])),),
    })  # fmt: skip
    assert row.fate == "counts"
    assert [page_row.note for page_row in desk.pages(submission_id)] == ["blurred", None]
    assert [kind for kind, _ in table.written_letters()] == ["receipt"]


# Failures


def test_a_paper_whose_reading_fails_is_held_and_everyone_concerned_is_told(desk: Desk) -> None:
    first = desk.mailed(30, 1)
    desk.read(first, {picture(30): (recognized(page([*HEADING, *ORDERS])),)})
    second = desk.mailed(60, 2)
    desk.settled.clear()
    reader = desk.reader(Shown({}))
    reader.give_up({"submission": second}, "MemoryError: while reading Army Aberdeen")
    row = desk.paper(second)
    assert (row.fate, row.flags) == ("held", ["reader_failed"])
    assert row.read_at is not None
    assert desk.counting() == {"Montrose": first}
    assert desk.table.written_letters()[2:] == [("held", MONTROSE), ("coordinator_notice", COORDINATOR)]
    # Nothing else would check whether the turn can be judged now.
    assert desk.settled == [desk.table.phase().id]
    with desk.table.site.store() as session:
        event = session.scalars(select(EventRow).where(EventRow.what == "reading_failed")).one()
    assert event.detail == {"submission": second, "fault": "MemoryError"}
    reader.give_up({"submission": second}, "MemoryError: again")
    reader.give_up({"submission": first}, "MemoryError: of one that was read")
    assert len(desk.table.letters()) == 4
    assert desk.paper(first).fate == "counts"


# Doubts about the heading (LET-02)


@pytest.mark.parametrize(
    ("heading", "fate"),
    [
        # One field that the reader corrected is as often its own slip.
        (("Ormund", "Powick Bridge", "Summer 1642 Movement Orders"), "counts"),
        # The sheet of the issue: another power and another season, each of them corrected.
        (("Ormund", "Powick Bridge", "Autum 1642 Movement Orders"), "held"),
        (("Ormund", "Powick Bridge", "Summer I643 Movement Orders"), "held"),
        # 1642 read as 1612 is a misread digit, whatever else is dim.
        (("Ormund", "Powick Bridge", "Summer 1612 Movement Orders"), "counts"),
    ],
)
def test_several_mild_doubts_that_all_point_away_hold_a_sheet(
    desk: Desk, heading: tuple[str, ...], fate: str
) -> None:
    row = desk.read(desk.mailed(), {picture(90): (recognized(page([*heading, *ORDERS])),)})
    assert row.fate == fate


def another_game(desk: Desk, name: str) -> None:
    with desk.table.site.store.begin() as session:
        session.add(GameRow(id=name.lower().replace(" ", "-"), name=name, variant="standard", options={},
                            created_at=desk.table.site.clock.now()))


def test_another_games_name_on_a_sheet_is_noticed(desk: Desk) -> None:
    another_game(desk, "Marston Moor")
    heading = ("Montrose", "Marston Moor", "Summer 1642 Movement Orders")
    row = desk.read(desk.mailed(), {picture(90): (recognized(page([*heading, *ORDERS])),)})
    assert (row.fate, row.flags) == ("held", ["heading_disagrees"])


def test_a_game_called_like_this_one_with_a_word_more_is_not_another(desk: Desk) -> None:
    another_game(desk, "Powick Bridge rehearsal")
    row = desk.read(desk.mailed(), {picture(90): (recognized(page([*HEADING, *ORDERS])),)})
    assert (row.fate, row.flags) == ("counts", [])


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        (("Montrose", "Powick Bridge", "Summer 1643 Movement Orders"), ("counts", ["year_differs"])),
        (("Montrose", "Powick Bridge", "Autumn 1643 Movement Orders"), ("held", ["form_disagrees"])),
    ],
)
def test_what_a_person_chose_in_a_form_is_not_held_for_its_year_alone(
    desk: Desk, heading: tuple[str, ...], expected: tuple[str, list[str]]
) -> None:
    """And a letter that came by post has no mail's subject in its reasons."""
    key = desk.mailed()
    with desk.table.site.store.begin() as session:
        row = session.get_one(SubmissionRow, key)
        row.sha256, row.flags = None, ["posted"]
    row = desk.read(key, {picture(90): (recognized(page([*heading, *ORDERS])),)})
    assert (row.fate, [flag for flag in row.flags if flag != "posted"]) == expected
    assert "subject" not in held_because([str(flag) for flag in row.flags])
