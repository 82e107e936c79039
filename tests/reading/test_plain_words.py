"""A word that is plainly written is never corrected to the nearest name (INK-03), and each open line shows
why it is open (INK-04)."""

from __future__ import annotations

from dataclasses import replace

import pytest

import maps
from adjudicator.calendar import PhaseKind
from grammar.order_traits import are_near, are_spelled_alike
from ocr.decoding.open_reasons import SENTENCES, OpenReason
from ocr.page import Alternative, Row
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.status import LineState
from reading.vocabulary import known_game, lexicon_of, parse_typed, vocabulary_of
from tests.support import inked
from tests.support.inked import page

VARIANT = maps.load("w3k")


def read(text: str | Row) -> InterpretedLine:
    reader = PageReader(vocabulary_of(VARIANT, PhaseKind.MOVEMENT))
    texts = ("Montrose", "Summer 1642 Movement Orders", "Army London moves to Surrey", text)
    return reader.read_page(page(texts), [known_game(VARIANT)]).lines[-1]


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("Army Leinster holds", "Leicestershire & Rutland"),
        ("A Kend H", "Kent"),
        ("Army Cornhill moves to Surrey", "Cornwall"),
    ],
)
def test_a_plain_word_that_is_no_name_stays_open_with_both_shown(
    text: str, nearest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Perfectly clear: the recogniser is as sure of each letter as of those of real neat print.
    monkeypatch.setattr(inked, "SURE", 0.9998)
    line = read(text)
    assert line.status is LineState.OPEN
    assert OpenReason.UNKNOWN_NAME in line.why_open
    offered = [(candidate["text"], candidate["order"]) for candidate in line.candidates]
    assert (text, None) in offered[:2]
    # INK-14: a word that the ink does not explain is never said to be sure.
    assert all(float(str(candidate["score"])) <= 0.5 for candidate in line.candidates)
    assert any(nearest in str(order) for _, order in offered)
    assert sum(float(str(candidate["score"])) for candidate in line.candidates) <= 1.001


@pytest.mark.parametrize(("also", "status"), [("K", LineState.AUTO), ("X", LineState.OPEN)])
def test_a_letter_of_a_code_waits_where_two_look_and_one_of_them_sees_another(
    also: str, status: LineState
) -> None:
    """INK-03: of "ESY", "ESX" and "ESK" only the last is a code. That the ink may be a K is enough to take it
    where both say so."""
    place = "A ESK H".index("K")
    other = Alternative("A ESY H", 0.9, "other", inked.ink("A ESY H", {place: also}))
    first = inked.ink("A ESY H", {place: "K"})
    line = read(replace(inked.row("A ESK H", 3), posteriors=first, alternatives=(other,)))
    assert line.order == "A Eskdale H"
    assert line.status is status


def assert_waits(line: InterpretedLine, reason: OpenReason, status: LineState) -> None:
    """The line has this state, and if it is open, for this reason among others."""
    assert line.status is status
    assert (reason in line.why_open) is (status is LineState.OPEN)


@pytest.mark.parametrize(
    ("text", "status"),
    [("Army Wexford moves to Stow", LineState.OPEN), ("Army Baden moves to Kent", LineState.OPEN),
     ("Army Wexford moves to Stew", LineState.AUTO), ("Army Bade moves to Kent", LineState.AUTO)],
)
def test_a_word_of_no_list_is_no_beginning_of_a_name(text: str, status: LineState) -> None:
    """INK-03. "Baden" passed as Badenoch, and "Stow" as The Stewartry: what such a name loses was not looked
    at."""
    line = read(text)
    assert_waits(line, OpenReason.UNKNOWN_NAME, status)


@pytest.mark.parametrize(
    ("text", "status"), [("A Surrey S A SelDen", LineState.OPEN), ("A Surrey S A Sel-Den", LineState.AUTO)]
)
def test_a_word_of_no_list_is_no_way_from_code_to_code(text: str, status: LineState) -> None:
    """INK-03. "Selden", for a place that no list has, passed as a move from Tweeddale to Denbighshire."""
    line = read(text)
    assert line.order == "A Surrey S A Tweeddale & Ettrick - Denbighshire"
    assert_waits(line, OpenReason.UNKNOWN_NAME, status)


@pytest.mark.parametrize(
    ("text", "status"),
    [("A Surrey S A Kentmeve - York", LineState.OPEN), ("A Surrey S A Kentmove - York", LineState.AUTO)],
)
def test_a_word_of_no_list_is_not_parted_into_a_name_and_a_word(text: str, status: LineState) -> None:
    """INK-03. "Kentmere", a place of no list in a joined hand, passed as "Kent move"."""
    line = read(text)
    assert line.order == "A Surrey S A Kent - York"
    assert_waits(line, OpenReason.UNKNOWN_NAME, status)


@pytest.mark.parametrize("text", ["Pleet Dorset holds", "Fleet Dorset bolds"])
def test_a_badly_written_word_of_the_order_is_no_name_of_no_list(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inked, "SURE", 0.9998)
    line = read(text)
    assert (line.status, line.order, line.why_open) == (LineState.AUTO, "F Dorset H", ())
    # What represents a name is not let off so.
    assert OpenReason.UNKNOWN_NAME in read(text.replace("Dorset", "Borsek")).why_open


@pytest.mark.parametrize(
    ("text", "nearest", "reasons"),
    [
        # The ink also shows the beginning of a sea's name, "Loug".
        ("Lough", "Louth", (OpenReason.UNKNOWN_NAME, OpenReason.UNSURE)),
        ("Orford", "Oxford", (OpenReason.UNKNOWN_NAME, OpenReason.UNSURE)),
        ("Lowth", "Louth", (OpenReason.UNSURE,)),
        ("Oxfond", "Oxford", ()),
    ],
)
def test_a_word_of_other_names_is_no_misspelt_name(
    text: str, nearest: str, reasons: tuple[OpenReason, ...]
) -> None:
    """Three places are Ridings and Reading is none of them, but passed at .965 where "Riding" was written.
    The letters here are not so clear that a name's loss tells."""
    line = read(f"Army Kent moves to {text}")
    assert line.order == f"A Kent - {nearest}"
    assert line.why_open == reasons


def test_a_plain_order_says_nothing() -> None:
    line = read("Army Leicestershire holds")
    assert (line.status, line.why_open) == (LineState.AUTO, ())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Fleet Irish Sea convoys Fleet Kent to Essex", OpenReason.ODD_ORDER),
        ("Army Kent converts to Army", OpenReason.ODD_ORDER),
        ("Army Kent moves to Surrey if it is empty", OpenReason.NOT_UNDERSTOOD),
        ("Please ignore the above", OpenReason.NOT_PLAIN),
        ("Army socks, 3 pairs", OpenReason.NOT_UNDERSTOOD),
    ],
)
def test_an_open_line_says_why(text: str, reason: OpenReason) -> None:
    line = read(text)
    assert line.status is LineState.OPEN
    assert reason in line.why_open


def test_each_reason_has_a_sentence() -> None:
    assert set(SENTENCES) == set(OpenReason)
    assert all(sentence.endswith(".") for sentence in SENTENCES.values())


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        ("A Cork H", "A County Cork H", True),
        ("A Derby H", "A Derbyshire H", True),
        ("A Kent H", "A Surrey H", False),
    ],
)
def test_articles_and_endings_make_no_order_far(text: str, other: str, *, expected: bool) -> None:
    ours, theirs = (parse_typed(VARIANT, PhaseKind.MOVEMENT, "", order).orders for order in (text, other))
    assert ours, text
    assert theirs, other
    assert are_near(ours, theirs, lexicon_of(VARIANT)) is expected


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        ("army furness holds", "army the farnes holds", True),
        ("army galloway holds", "army galway holds", True),
        ("army kent holds", "army surrey holds", False),
    ],
)
def test_articles_and_endings_make_no_spelling_far(text: str, other: str, *, expected: bool) -> None:
    # "Furness" is a short name of Westmorland & Furness: the full names are far apart and the words are not.
    assert are_spelled_alike(text, other) is expected
