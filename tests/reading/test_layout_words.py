"""INK-11: what the headings of lists, tables and ditto marks say is put into the rows below them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import maps
from adjudicator.calendar import PhaseKind
from ocr.decoding.ctc import free_words
from ocr.page import Box, Posteriors, Row
from reading.layout_words import list_heads, with_layout_words
from reading.page import PageReader
from reading.put_in import put_in
from reading.vocabulary import known_game, vocabulary_of

BOX = Box(((0, 0), (400, 0), (400, 40), (0, 40)))
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz :;-\"'."
VOCABULARY = vocabulary_of(maps.load("w3k"), PhaseKind.MOVEMENT)


def ink(text: str) -> Posteriors:
    """Clear ink: a frame for each letter, blank paper behind it, and twelve frames for a tabulator."""
    columns = [column for letter in text
               for column in ([0] * 5 + [LETTERS.index(" ") + 1] + [0] * 6 if letter == "\t"
                              else [LETTERS.index(letter) + 1, 0])]
    probs = np.full((len(columns), 1 + len(LETTERS)), 1e-5, np.float32)
    probs[range(len(columns)), columns] = 1 - 1e-5 * len(LETTERS)
    return Posteriors(np.log(probs), LETTERS)


def rows(*texts: str, indents: tuple[int, ...] = ()) -> list[Row]:
    return [
        Row(BOX, " ".join(text.split()), 0.99, 0.1, 0.8, float(indent), posteriors=ink(text))
        for text, indent in zip(texts, indents or (0,) * len(texts), strict=True)]


def put(*texts: str, indents: tuple[int, ...] = ()) -> list[tuple[str, str]]:
    """The text in the ink of each row, and the kind ticked next to it."""
    again = with_layout_words(rows(*texts, indents=indents), VOCABULARY.lexicon, VOCABULARY.starts)
    return [(" ".join(word.text for word in free_words(row.posteriors)), row.tick)
            for row in again if row.posteriors is not None]


def test_a_heading_gives_the_kind_of_the_orders_below_it() -> None:
    assert put("Armies", "Bute - Lorn", "Lorn holds", "Fleets", "Lundy holds")[1:] == [
        ("Bute - Lorn", "A"), ("Lorn holds", "A"), ("Fleets", ""), ("Lundy holds", "F")]


def test_a_heading_in_the_middle_of_the_sheet_is_one() -> None:
    """INK-11. Below "Inverness H" at the margin, "FLEETS" was no heading, and its fleets were armies."""
    sheet = ("Armies", "Bute - Lorn", "Lorn H", "FLEETS", "Lundy holds")
    assert put(*sheet, indents=(4, 0, 0, 4, 0))[1:] == [
        ("Bute - Lorn", "A"), ("Lorn H", "A"), ("FLEETS", ""), ("Lundy holds", "F")]


def test_a_heading_of_a_verb_in_the_middle_of_the_sheet_is_one() -> None:
    """INK-11. Below "A Kent" in the margin, "Supports" and "Convoys" ended that order."""
    sheet = ("Supports:", "A Kent: A Essex - Suffolk", "convoys", "F Sole: A Essex - Suffolk")
    assert put(*sheet, indents=(4, 0, 4, 0))[3][0] == "F Sole C A Essex - Suffolk"


def test_a_verb_alone_that_is_no_heading_ends_the_list() -> None:
    """INK-11. Convoys below "Convoy." were supports (seed 9903)."""
    assert put("Supports:", "A Kent: A Essex - Suffolk", "Convoy.", "F Sole: A Fife - Angus")[3][0] == (
        "F Sole : A Fife - Angus")


def test_a_heading_that_is_not_read_ends_the_list() -> None:
    assert put("Armies", "Bute - Lorn", "Flee ts -", "Lundy holds")[1:] == [
        ("Bute - Lorn", "A"), ("Flee ts -", ""), ("Lundy holds", "")]


def test_a_row_that_goes_on_gets_no_kind() -> None:
    assert put("Armies", "Bute -", "Lorn", indents=(0, 0, 0))[2] == ("Lorn", "")
    assert put("Armies", "Bute holds", "fast", indents=(0, 0, 1))[2] == ("fast", "")


@pytest.mark.parametrize(("head", "text", "read"), [
    ("Supports:", "A Kent: A Essex - Suffolk", "A Kent S A Essex - Suffolk"),
    ("Convoys:", "F Sole: A Essex - Suffolk", "F Sole C A Essex - Suffolk"),
    ("Supports:", "A Kent; A Essex - Suffolk", "A Kent S A Essex - Suffolk"),
    ("Holds:", "A Kent", "A Kent H"), ("Holds:", "A Kent H", "A Kent H"),
    ("Supports:", "A Kent S A Essex", "A Kent S A Essex"),
])
def test_a_heading_gives_the_verb(head: str, text: str, read: str) -> None:
    assert put(head, text)[1][0] == read


def test_the_last_cell_of_a_table_is_where_a_unit_goes() -> None:
    assert [text for text, _ in put("Unit\tFrom\tTo", "A\tKent\tSurrey", "F\tLundy\tH")[1:]] == [
        "A Kent - Surrey", "F Lundy H"]


def test_a_row_below_the_heading_of_a_table_is_of_it_though_its_unit_was_not_seen() -> None:
    assert put("Unit\tFrom\tTo", "A\tKent\tSurrey", "Fife\tAngusx")[2][0] == "Fife - Angusx"


def test_without_a_heading_three_rows_show_a_table() -> None:
    table = ("A\tKent\tSurrey", "F\tSole\tLundy", "A\tFife\tAngusx")
    assert [text for text, _ in put(*table)] == ["A Kent - Surrey", "F Sole - Lundy", "A Fife - Angusx"]
    assert [text for text, _ in put(*table[:2])] == ["A Kent Surrey", "F Sole Lundy"]


def test_a_ditto_mark_is_the_unit_above() -> None:
    assert [text for text, _ in put("A Kent - Surrey", '" Fife - Angus', '" Cork H')] == [
        "A Kent - Surrey", "A Fife - Angus", "A Cork H"]


def test_a_letter_that_is_hard_to_read_is_as_hard_where_it_is_repeated() -> None:
    """INK-10. The A of a row was in doubt, and below it a ditto mark made a sure one of it (seed 9903)."""
    above, ditto = rows("A Kent - Surrey", '" Fife - Angus')
    assert above.posteriors is not None
    doubtful = above.posteriors.log_probs.copy()
    doubtful[0, [LETTERS.index(letter) + 1 for letter in "AF"]] = np.log((0.55, 0.44))
    above = replace(above, posteriors=replace(above.posteriors, log_probs=doubtful))
    _, again = with_layout_words([above, ditto], VOCABULARY.lexicon, VOCABULARY.starts)
    assert again.posteriors is not None
    assert again.text == "A Fife - Angus"
    assert np.allclose(again.posteriors.log_probs[0], doubtful[0])


@pytest.mark.parametrize(("above", "row", "indent"), [
    ("Army Kent converts to", "Fleets", 0), ("Army Kent converts to", "Fleets", 2),
    ("Army Kent", "supports", 0)])
def test_the_end_of_an_order_heads_no_list(above: str, row: str, indent: int) -> None:
    """An order must never vanish as a heading."""
    heads = list_heads(rows(above, row, indents=(0, indent)), VOCABULARY.lexicon, VOCABULARY.starts)
    assert heads == (None, None)


def test_a_row_without_posteriors_stays_as_it_is() -> None:
    row = Row(BOX, "Kent", 0.9)
    assert put_in(row, "A ", "A Kent", lambda _: (0, 0)) is row


def test_an_order_in_a_list_has_its_kind_and_the_heading_passes() -> None:
    from ocr.layout.wrap import as_line
    from ocr.page import Page

    lines = tuple(as_line([row]) for row in rows("Armies:", "Lorn holds", "Mull - Skye"))
    variant = maps.load("w3k")
    read = PageReader(VOCABULARY).read_page(Page(1, 0, 0.0, lines), [known_game(variant)])
    assert [(line.kind, line.order) for line in read.lines] == [
        ("heading", None), ("order", "A Lorn H"), ("order", "A Mull - Skye")]
    assert all(line.status.value != "open" for line in read.lines)


def test_what_reads_as_a_move_below_supports_waits() -> None:
    from ocr.layout.wrap import as_line
    from ocr.page import Page

    lines = tuple(as_line([row]) for row in rows("Supports:", "A Mull - Skye"))
    read = PageReader(VOCABULARY).read_page(Page(1, 0, 0.0, lines), [known_game(maps.load("w3k"))])
    assert read.lines[1].status.value == "open"
