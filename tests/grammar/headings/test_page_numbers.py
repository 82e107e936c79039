"""The numbers of pages as people write them (ARR-04)."""

from __future__ import annotations

import pytest

from grammar.headings.page_numbers import count_of_pages, page_number


@pytest.mark.parametrize(("text", "expected"), [
    ("page 1 of 2", (1, 2)), ("Page 2/2", (2, 2)), ("(p. 3 of 12)", (3, 12)), ("Sheet 2 out of 3", (2, 3)),
    ("Blatt 1 von 2", (1, 2)), ("Seite 2/4", (2, 4)), ("feuille 1 sur 2", (1, 2)), ("side 2 of 2", (2, 2)),
    ("page 2", None), ("1/2", None), ("page 3 of 2", None), ("page 0 of 2", None), ("page 1 of 45", None),
    ("Summer 1645 Movement", None), ("stage 1 of 2", None),
])
def test_a_page_says_which_it_is_of_how_many(text: str, expected: tuple[int, int] | None) -> None:
    assert page_number(text) == expected


def test_pages_that_disagree_give_no_count() -> None:
    assert count_of_pages(["page 1 of 2", "Army Kent holds", "page 2 of 2"]) == 2
    assert count_of_pages(["page 1 of 2", "page 2 of 3"]) == 0
    assert count_of_pages(["Army Kent holds"]) == 0
