"""A reading next to its ink (DSK-04): the writer's own letters, differences that matter, and never "sure" for
a reading that leaves most of the ink unexplained."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ocr.decoding.open_reasons import PHRASES, SENTENCES, OpenReason
from service.desk.reading.candidates import ShownReading, shown
from service.desk.reading.ink import LEAST_COVERED, covered, in_own_letters, letter_width
from service.store.tables import LineRow
from tests.support.desk_site import DeskSite

# `galloper read --variant w3k demo/data/w3k/summer-hamilton-v1.jpg`, lines 5 to 10 of the page: text and box.
# In the fourth the name behind "R" is smeared.
SMEARED = [
    ("F Arran & Bute - Firth of Clyde", [[241, 524], [835, 556], [832, 620], [237, 590]]),
    ("A Linlithgowshire s A Stirling Castle - Stirlingshire",
     [[236, 584], [1224, 638], [1221, 708], [231, 655]]),
    ("A Stirling Castle - Stirlingshire", [[222, 646], [821, 681], [817, 748], [218, 713]]),
    ("A Glasgow - H", [[225, 708], [734, 730], [730, 792], [220, 770]]),
    ("F Dunbar - Firth of Forth", [[220, 765], [710, 790], [706, 849], [216, 824]]),
    ("A Ayr - Kyle & Carrick", [[213, 820], [644, 842], [640, 908], [208, 887]]),
]
CANDIDATES: list[dict[str, Any]] = [
    {"text": "a glasgow - h", "order": "A Glasgow H", "score": 0.9577},
    {"text": "A Glasgow - Rswieewne", "order": None, "score": 0.0212},
    {"text": "a glasgow - renfrewshire", "order": "A Glasgow - Renfrewshire", "score": 0.0114},
]



def marks(reading: ShownReading) -> list[str]:
    return [word for word, differs in reading.words if differs]


def test_one_letter_for_a_smeared_name_is_not_sure() -> None:
    """The bar was full and the word "sure"; the smear that hides "enfrewshire" was half of the line."""
    width = letter_width([line for line in SMEARED if line[0] != "A Glasgow - H"])
    covers = [covered(str(each["text"]), SMEARED[3][1], width) for each in CANDIDATES]
    assert covers[0] < LEAST_COVERED
    assert covers[2] > 0.8
    first, *others = shown(CANDIDATES, "A Glasgow - H", covers)
    assert first.share < 0.5
    assert {reading.sure for reading in (first, *others)} == {"unsure"}
    for text, box in SMEARED:
        width = letter_width([line for line in SMEARED if line[0] != text])
        if text != "A Glasgow - H":
            assert covered(text, box, width) > 0.85


def test_few_lines_tell_nothing_of_a_writers_letters() -> None:
    assert letter_width(SMEARED[:2]) is None
    assert covered("A Fife H", SMEARED[0][1], None) == 1.0


@pytest.mark.parametrize(("text", "ink", "own"), [
    ("a glasgow - renfrewshire", "A Glasgow - H", "A Glasgow - Renfrewshire"),
    ("army fife holds", "Army Fite holds", "Army Fife holds"),
    ("f tham - lym", "F THAM - LYN", "F THAM - LYM"), ("a fife h", "", "a fife h"),
    ("A Fife H", "a fife h", "A Fife H"), ("army corn into kent", "Armp Co into", "Army Corn into kent"),
])
def test_a_reading_has_the_capitals_of_its_writer(text: str, ink: str, own: str) -> None:
    assert in_own_letters(text, ink) == own


def test_what_orders_the_same_does_not_differ() -> None:
    """ "army" against "Army" is not a difference, and neither is another word for the same order."""
    first, second, third = shown([
        {"text": "army fife moves to mar", "order": "A Fife - Mar", "score": 0.6},
        {"text": "Army Fife moves into Mar.", "order": "A Fife - Mar", "score": 0.2},
        {"text": "army fife moves to moray", "order": "A Fife - Moray", "score": 0.1}])
    assert (marks(first), marks(second), marks(third)) == (["mar"], [], ["moray"])
    (only,) = shown([{"text": "army fife holds", "order": "A Fife H", "score": 0.6}])
    assert marks(only) == []


def test_every_reason_has_a_phrase_shorter_than_its_sentence() -> None:
    assert set(PHRASES) == set(SENTENCES) == set(OpenReason)
    assert all(len(PHRASES[reason]) < len(SENTENCES[reason]) for reason in OpenReason)
    assert max(len(phrase) for phrase in PHRASES.values()) < 30


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskSite]:
    desk_site = DeskSite(tmp_path)
    desk_site.sign_in()
    yield desk_site
    desk_site.close()


def test_one_phrase_says_why_and_a_key_shows_the_rest(desk: DeskSite) -> None:
    with desk.store.begin() as session:
        session.get_one(LineRow, 3).why_open = ["unsure", "odd_order", "unknown_name"]
    page = desk.page("/desk/7?line=3")
    summary = page.partition('<summary data-do="why">')[2].partition("</summary>")[0]
    assert summary == '<kbd>W</kbd> Unknown name <span class="dim">and 2 more</span>'
    inside = page.partition("</summary>")[2]
    for reason in (OpenReason.UNSURE, OpenReason.ODD_ORDER, OpenReason.UNKNOWN_NAME):
        assert SENTENCES[reason] in page
    assert '<details class="why-open">' in page
    assert inside


def test_a_reading_that_leaves_ink_over_says_so(desk: DeskSite) -> None:
    with desk.store.begin() as session:
        for number, (text, box) in enumerate(SMEARED):
            session.add(LineRow(id=50 + number, page_id=1, ordinal=50 + number, kind="order", text=text,
                                status="auto", confidence=0.99, box=box, candidates=[], order="A Fife H"))
        row = session.get_one(LineRow, 3)
        row.text, row.box, row.candidates = "A Glasgow - H", SMEARED[3][1], CANDIDATES
    page = desk.text("/desk/7?line=3")
    assert "Ink left over" in page
    assert "A Glasgow - H A Glasgow H unsure" in page
    assert "A Glasgow - Renfrewshire" in page
