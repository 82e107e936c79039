"""The number of a page as its writer gave it: "page 2 of 2", "Blatt 1/3", "feuille 2 sur 2" (ARR-04)."""

from __future__ import annotations

import re
from collections.abc import Iterable

MOST_PAGES = 20
"""The highest number that counts: a higher one is rather a year or a reference."""
_NUMBER = re.compile(
    r"(?:^|[\s(\[-])(?:pages?|pg|p|sheets?|sides?|seite|blatt|feuille)[ .:]*(\d{1,2})"
    r"\s*(?:/|of|out of|von|de|sur)\s*(\d{1,2})(?!\d)", re.IGNORECASE)


def page_number(text: str) -> tuple[int, int] | None:
    """Which page of how many a line names; None if it names none."""
    found = _NUMBER.search(text)
    if found is None:
        return None
    number, count = int(found[1]), int(found[2])
    return (number, count) if 1 <= number <= count <= MOST_PAGES else None


def count_of_pages(texts: Iterable[str]) -> int:
    """How many pages a sheet has by its own lines; 0 where none of them names it, or two disagree."""
    counts = {number[1] for text in texts if (number := page_number(text)) is not None}
    return counts.pop() if len(counts) == 1 else 0
