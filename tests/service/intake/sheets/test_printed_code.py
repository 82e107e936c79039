"""The code of a printed sheet against what the sheet was filed as (LET-12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from adjudicator.calendar import Phase, PhaseKind
from grammar.headings.sheet_code import SheetCode, code_of, code_text, parse_code
from ocr.page import Page, PrintedSheet
from service.facts.sheets import held_because
from service.intake.sheets.printed_code import by_page_number
from tests.service.intake.sheets.test_read_submission import HEADING, ORDERS, Desk, page, recognized
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.site import Site
from tests.support.table import COORDINATOR, SERVER, address, open_table

MONTROSE = address("Montrose")
SUMMER = Phase(1642, "Summer", PhaseKind.MOVEMENT)


@pytest.fixture
def desk(site: Site) -> Desk:
    return Desk(open_table(site))


def printed(code: SheetCode | str, lines: Sequence[str] = (*HEADING, *ORDERS)) -> Page:
    letters = code if isinstance(code, str) else code_text(code)
    return replace(page(lines), printed=PrintedSheet(letters, 4))


def own(desk: Desk, number: int = 1) -> SheetCode:
    return code_of(desk.table.game, "Montrose", SUMMER, number)


def test_a_code_that_agrees_beats_a_heading_that_was_misread(desk: Desk) -> None:
    """Without a code the same heading, read clearly, would hold the sheet."""
    wrong = ("The Crown", "Powick Bridge", "Autumn 1643 Retreat Orders", *ORDERS)
    row = desk.read(desk.mailed(), {picture(90): (recognized(printed(own(desk), wrong)),)})
    assert row.fate == "counts"
    row = desk.read(desk.mailed(91, 2), {picture(91): (recognized(page(wrong)),)})
    assert (row.fate, row.flags) == ("held", ["heading_disagrees"])


@pytest.mark.parametrize("code", [
    ("powick-bridge", "Argyll", SUMMER), ("powick-bridge", "Montrose", Phase(1642, "Autumn", SUMMER.kind)),
    ("powick-bridge", "Montrose", Phase(1643, "Summer", SUMMER.kind)),
    # More years apart than a digit is misread by: a code is not misread.
    ("powick-bridge", "Montrose", Phase(1672, "Summer", SUMMER.kind)),
    ("powick-bridge", "Montrose", Phase(1642, "Summer", PhaseKind.RETREAT)),
    ("edgehill", "Montrose", SUMMER),
])  # fmt: skip
def test_a_sheet_printed_for_something_else_is_held_with_a_sentence(
    desk: Desk, code: tuple[str, str, Phase]
) -> None:
    """An old sheet that was copied, or another power's: never silently another's, and never lost. The code
    holds it although its heading and its subject agree."""
    game = desk.table.game if code[0] == "powick-bridge" else code[0]
    row = desk.read(desk.mailed(), {picture(90): (recognized(printed(code_of(game, *code[1:]))),)})
    assert (row.fate, row.flags, row.power) == ("held", ["code_disagrees"], "Montrose")
    assert held_because(row.flags) == "the code on the sheet and the mail's subject disagree"
    assert len(desk.lines(row.id)) == len(HEADING) + len(ORDERS)
    assert desk.table.written_letters()[1:] == [("held", MONTROSE), ("coordinator_notice", COORDINATOR)]
    words = desk.table.words(desk.table.letters("held")[0])
    assert "the sheet was printed for another power, phase or game" in words
    assert "Argyll" not in words


def test_a_code_is_kept_with_its_page_and_told_in_the_record(desk: Desk) -> None:
    row = desk.read(desk.mailed(), {picture(90): (recognized(printed(own(desk))),)})
    (stored,) = desk.pages(row.id)
    assert parse_code(stored.code or "") == own(desk)


@pytest.mark.parametrize("letters", ["", "https://example.org/prize", "GALLOPER1:x"])
def test_a_sheet_whose_code_is_none_of_ours_is_judged_by_its_heading(desk: Desk, letters: str) -> None:
    row = desk.read(desk.mailed(), {picture(90): (recognized(printed(letters)),)})
    assert row.fate == "counts"
    assert [stored.code for stored in desk.pages(row.id)] == [None]


def test_files_are_put_in_the_order_of_their_page_numbers() -> None:
    def codes(*pages: int) -> dict[str, SheetCode]:
        return {f"file {index}": code_of("g", "p", SUMMER, number) for index, number in enumerate(pages)}

    files = ["file 0", "file 1", "file 2"]
    assert by_page_number(codes(3, 1, 2), files) == ["file 1", "file 2", "file 0"]
    assert by_page_number(codes(1, 2, 3), files) == files
    # Photographed twice, or a plain sheet among them: the mail's own order is.
    assert by_page_number(codes(2, 1, 1), files) == files
    assert by_page_number(codes(3, 1), files) == files
    other = {**codes(3, 1, 2), "file 1": code_of("g", "q", SUMMER, 1)}
    assert by_page_number(other, files) == files


def test_two_photographs_in_the_wrong_order_are_turned_round(desk: Desk) -> None:
    """The order of orders matters: of two for one unit the later counts."""
    raw = mail(
        desk.table.subject("Montrose", 1), MONTROSE,
        parts=[text("Two sheets."), part(picture(90)), part(picture(91))],
        stamps=[stamp(MONTROSE.rpartition("@")[2], "pass", SERVER)])
    desk.table.take(raw, desk.table.phase().opens_at)
    key = desk.table.submissions()[-1].id
    row = desk.read(key, {
        picture(90): (recognized(printed(own(desk, 2), (*HEADING, ORDERS[1]))),),
        picture(91): (recognized(printed(own(desk, 1), (*HEADING, ORDERS[0]))),)})
    assert row.fate == "counts"
    codes = [parse_code(stored.code or "") for stored in desk.pages(key)]
    assert [code and code.page for code in codes] == [1, 2]
    orders = [line.text for line in desk.lines(key) if line.kind == "order"]
    assert orders == [ORDERS[0], ORDERS[1]]
