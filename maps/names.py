"""Spellings: when two of them are one, and what a loosely written name may mean."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from adjudicator.geo import Region
from maps.variant import NameRow, Spelling

# How alike, 0 to 1, a name must be to be offered to a person who wrote something else.
SUGGEST_FROM = 0.6
SUGGESTIONS = 5

_RANK = {Spelling.NAME: 0, Spelling.ALIAS: 1, Spelling.ABBREVIATION: 2}


@lru_cache(maxsize=8192)
def normalize(text: str) -> str:
    """One form for all spellings a reader takes for the same: case, accents, hyphens, apostrophes, dots, a
    leading article and the sign & make no difference (ORD-07)."""
    # NFKD parts accents from their letters: "Connaċhta" and "Connachta" are one spelling.
    bare = unicodedata.normalize("NFKD", text.replace("&", " and "))
    bare = "".join(c for c in bare if not unicodedata.combining(c)).casefold()
    # Dropped, not turned into blanks: "St. Andrew's" is one word less otherwise.
    bare = re.sub(r"['’`.]", "", bare)
    words = re.sub(r"[^0-9a-z]+", " ", bare).split()
    # A place may be called "The" by itself, as one of `diplomacy`'s maps shows with "And".
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    return " ".join(words)


def regions_named(names: Iterable[NameRow], text: str) -> tuple[Region, ...]:
    """Every region `text` may represent, surest spelling first; empty when it is not a spelling of this
    board.

    More than one only for a spelling the board declares ambiguous (Q-44).
    """
    normalized = normalize(text)
    rows = sorted(
        (row for row in names if normalize(row.text) == normalized), key=lambda row: _RANK[row.spelling]
    )
    return tuple(dict.fromkeys(row.region for row in rows))


def suggestions(names: Iterable[NameRow], text: str) -> tuple[str, ...]:
    """Up to five full spellings that look like `text`, best first. Abbreviations are not offered."""
    # An abbreviation is like half of the others: "Lon" is one letter from "Lan".
    by_form = {normalize(row.text): row.text for row in names if row.spelling is not Spelling.ABBREVIATION}
    close = difflib.get_close_matches(normalize(text), list(by_form), SUGGESTIONS, SUGGEST_FROM)
    return tuple(by_form[form] for form in close)
