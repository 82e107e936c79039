"""Dates of letters and addresses around a heading, which are not part of it (WOR-05).

"Oxford, 3 November 1648" and "5 Spring Gardens" have a year and a season that are not the game's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from grammar.headings.tokens import ORDINAL_ENDS, Token

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december")
_MONTH = frozenset((*_MONTHS, *(month[:3] for month in _MONTHS), "sept"))
_STREET = frozenset((
    "street", "st", "road", "rd", "lane", "ln", "avenue", "ave", "gardens", "garden", "close", "drive",
    "court", "crescent", "terrace", "grove", "mews", "row", "square", "way", "walk", "place", "hill", "park",
    "house", "cottage", "cottages", "flat", "gate", "rise", "view", "quay", "yard", "strasse", "rue", "weg"))
_NUMERIC_DATE = re.compile(
    r"(?<![\d/.-])(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d{1,2}-\d{1,2})(?![\d/-])|\b\d{1,2}:\d{2}\b")
_POSTCODE = re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b")
_LONGEST_STREET = 4
"""Words of a street's name behind the number of the house."""


def outside(line: str, words: Sequence[Token], seasons: Collection[str],
            used: frozenset[int] = frozenset()) -> frozenset[int]:
    """The indices of the tokens of a line that belong to a date or an address. `seasons` of the game in lower
    case: where months are seasons, a month is a date's only next to a day."""
    indices: set[int] = set()
    for match in (*_NUMERIC_DATE.finditer(line), *_POSTCODE.finditer(line)):
        indices |= {index for index, word in enumerate(words) if match.start() <= word.start < match.end()}
    for index, word in enumerate(words):
        if word.text in _MONTH and index not in used:
            indices |= _date_at(words, index, seasons, used)
        # "3rd version" is not a road with a number.
        elif word.text in _STREET and not (index and words[index - 1].end == word.start):
            indices |= _address_at(words, index, seasons, used)
    return frozenset(indices)


def _date_at(words: Sequence[Token], month: int, seasons: Collection[str],
             used: frozenset[int]) -> set[int]:
    """The tokens of a date with a month in words; none where it is a season's name."""
    before, after = month - 1, month + 1
    if before >= 0 and words[before].text == "of":
        before -= 1
    if before >= 1 and words[before].text in ORDINAL_ENDS:
        before -= 1
    indices = {month}
    if before >= 0 and before not in used and _is_day(words[before].text):
        indices |= set(range(before, month))
    elif after < len(words) and after not in used and _is_day(words[after].text) and (
            words[month].text not in seasons or _is_ordinal(words, after)):
        end = after + 1 + _is_ordinal(words, after)
        indices |= set(range(after, end))
        after = end
    elif words[month].text in seasons or len(words[month].text) == 3:
        return set()
    if after < len(words) and re.fullmatch(r"\d{2}|\d{4}", words[after].text):
        indices.add(after)
    return indices


def _is_ordinal(words: Sequence[Token], number: int) -> bool:
    return (number + 1 < len(words) and words[number + 1].text in ORDINAL_ENDS
            and words[number].end == words[number + 1].start)


def _is_day(text: str) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text) <= 31 and len(text) <= 2


def _address_at(words: Sequence[Token], street: int, seasons: Collection[str],
                used: frozenset[int]) -> set[int]:
    """The tokens of a street's name, with the number of the house if it has one; none where the word has
    neither a number nor a season before it."""
    for first in range(street - 1, max(-1, street - 1 - _LONGEST_STREET), -1):
        text = words[first].text
        if first not in used and text.isdigit() and len(text) <= 3:
            return set(range(first, street + 1))
        if words[first].hard and first != street - 1:
            break
    is_named_so = street and not words[street].hard and words[street - 1].text in seasons
    return {street - 1, street} if is_named_so else set()
