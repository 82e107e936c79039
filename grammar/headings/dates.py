"""Season, year, kind of paper and version among the words of a heading."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import OSA

from adjudicator.calendar import PhaseKind
from grammar.headings.tokens import Token

_SYNONYMS = {"fall": "autumn", "autumn": "fall"}
_KINDS = {
    **dict.fromkeys(("movement", "movements", "move", "moves"), PhaseKind.MOVEMENT),
    **dict.fromkeys(("retreat", "retreats"), PhaseKind.RETREAT),
    **dict.fromkeys(
        ("adjustment", "adjustments", "build", "builds", "removal", "removals"), PhaseKind.ADJUSTMENT),
}
_ORDERS = frozenset({"order", "orders"})
_VERSION = frozenset({"v", "ver", "vers", "version", "versions", "vn"})
_NUMBER = frozenset({"no", "nr", "number"})
_BETWEEN = re.compile(r"[\s.:#=-]|\b(?:no|nr|number)\b")
"""What may be between the word "version" and its number."""
_NUMBER_WORDS = {word: number for number, word in enumerate((
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve"))}
# Least likenesses, 0..1: of a season beside a year, of a season elsewhere, of a kind of paper.
_NEAR_YEAR, _ELSEWHERE, _MIN_KIND_LIKENESS = 0.65, 0.75, 0.75
_TIE = 0.1
"""Likeness by which two seasons are too near each other to choose."""


@dataclass(frozen=True, slots=True)
class PhaseFields:
    """Season, year and kind, and the indices of the tokens they use.

    `season_corrected`, `kind_corrected`: it was misspelt. `unclear`: fields ("season", "year", "type") with
    two different values, or a number where the year should be that is no year.
    """

    season: str | None
    year: int | None
    kind: PhaseKind | None
    orders: bool
    indices: frozenset[int]
    season_corrected: bool = False
    kind_corrected: bool = False
    unclear: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VersionSpan:
    """A version number and the tokens [`first`, `last`) that it is written in."""

    number: int
    first: int
    last: int


def find_version(line: str, words: Sequence[Token], used: frozenset[int] = frozenset()) -> VersionSpan | None:
    """The first version instruction: v1, V1, v.1, ver 1, version 1, version one; None if there is none."""
    for index, mark in enumerate(words[:-1]):
        if mark.text not in _VERSION or used & {index, index + 1}:
            continue
        has_number_word = words[index + 1].text in _NUMBER and index + 2 < len(words)
        end = index + 2 if has_number_word else index + 1
        number = words[end]
        # Any other sign between them parts them, as in "v, 3".
        if _BETWEEN.sub("", line[mark.end:number.start].casefold()):
            continue
        # isdigit() is true of "²" too, which int() refuses.
        if number.text.isascii() and number.text.isdigit() and len(number.text) <= 9:
            return VersionSpan(int(number.text), index, end + 1)
        if number.text in _NUMBER_WORDS and len(mark.text) > 1:  # a lone "v" needs a figure
            return VersionSpan(_NUMBER_WORDS[number.text], index, end + 1)
    return None


def find_phase(line: str, words: Sequence[Token], seasons: Sequence[str],
               used: frozenset[int]) -> PhaseFields:
    """Season, year and kind among the tokens that no name uses."""
    free = [index for index in range(len(words)) if index not in used]
    years, year_indices, has_odd_number = _years(line, words, free)
    season_indices, season_names, season_corrected = _season(words, free, seasons, year_indices)
    kind_indices, kinds, kind_corrected = _kind(words, [n for n in free if n not in season_indices])
    orders = frozenset(index for index in free if words[index].text in _ORDERS)
    # "Spring 43" gives a year without its century: it is not taken, and it is not ignored either.
    beside_season = {index + step for index in season_indices for step in (-1, 1)} & set(free)
    has_short_year = any(len(words[n].text) == 2 and words[n].text.isdigit() for n in beside_season)
    is_unclear = {
        "season": len(season_names) > 1,
        "year": len(years) > 1 or (not years and (has_odd_number or has_short_year)),
        "type": len(kinds) > 1,
    }
    return PhaseFields(
        season=season_names[0] if len(season_names) == 1 else None,
        year=years[0] if len(years) == 1 else None,
        kind=kinds[0] if len(kinds) == 1 else None,
        orders=bool(orders),
        indices=frozenset(year_indices) | season_indices | kind_indices | orders,
        season_corrected=season_corrected,
        kind_corrected=kind_corrected,
        unclear=tuple(field for field, unclear in is_unclear.items() if unclear),
    )


def _years(line: str, words: Sequence[Token], free: Sequence[int]) -> tuple[list[int], list[int], bool]:
    """The years, the indices of their tokens, and whether there is a number too long for a year."""
    years: dict[int, None] = {}
    indices: list[int] = []
    has_odd_number = False
    for index in free:
        text = words[index].text
        if not (text.isascii() and text.isdigit()):
            continue
        # Bretwalda begins in 620; no game is played in a year of five figures.
        if 3 <= len(text) <= 4:
            years[int(text)] = None
            indices.append(index)
            # A winter's year may be written as 620/1; its second half is no field of its own.
            is_followed = index + 1 < len(words)
            if is_followed and re.fullmatch(r"\s*/\s*", line[words[index].end:words[index + 1].start]):
                indices.append(index + 1)
        elif len(text) > 4:
            has_odd_number = True
            indices.append(index)
    return list(years), indices, has_odd_number


def _season(words: Sequence[Token], free: Sequence[int], seasons: Sequence[str],
            years: Collection[int]) -> tuple[frozenset[int], list[str], bool]:
    """The indices of the season's tokens, the seasons they may mean, and whether it was misspelt."""
    known = {season.casefold(): season for season in seasons}
    if not known:
        return frozenset(), [], False
    for word, other in _SYNONYMS.items():
        if other in known:
            known.setdefault(word, known[other])
    beside_year = [index for index in free if index + 1 in years or index - 1 in years]
    exact = {index: known[words[index].text] for index in free if words[index].text in known}
    if exact:
        # A season's name may be part of another name; the one beside the year counts.
        chosen = {index: name for index, name in exact.items() if index in beside_year} or exact
        return frozenset(exact), list(dict.fromkeys(chosen.values())), False
    for indices, least in ((beside_year, _NEAR_YEAR), (free, _ELSEWHERE)):
        guess = _nearest_season(words, indices, known, least)
        if guess is not None:
            return frozenset({guess[0]}), list(guess[1]), True
    return frozenset(), [], False


def _nearest_season(words: Sequence[Token], indices: Sequence[int], known: Mapping[str, str],
                    least: float) -> tuple[int, tuple[str, ...]] | None:
    """The index of the word most like a season, and the seasons it is equally like."""
    best: tuple[float, int, tuple[str, ...]] | None = None
    for index in indices:
        text = words[index].text
        # A word for a kind of paper is no misspelt season.
        if len(text) < 3 or not text.isalpha() or text in _KINDS:
            continue
        likenesses = {
            name: max(_season_likeness(text, form) for form in known if known[form] == name)
            for name in dict.fromkeys(known.values())}
        top = max(likenesses.values())
        names = tuple(name for name, likeness in likenesses.items() if top - likeness < _TIE)
        if top >= least and (best is None or top > best[0]):
            best = (top, index, names)
    return None if best is None else best[1:]


def _season_likeness(text: str, form: str) -> float:
    if len(text) >= 3 and form.startswith(text):  # "Aut"
        return 0.9
    return OSA.normalized_similarity(text, form)


def _kind(words: Sequence[Token], free: Sequence[int]) -> tuple[frozenset[int], list[PhaseKind], bool]:
    """The indices of the kind's tokens, the kinds they may mean, and whether it was misspelt."""
    exact = {index: _KINDS[words[index].text] for index in free if words[index].text in _KINDS}
    if exact:
        return frozenset(exact), list(dict.fromkeys(exact.values())), False
    best: tuple[float, int, PhaseKind] | None = None
    for index in free:
        text = words[index].text
        # A short word is like a kind of paper too easily ("more", "move").
        if len(text) < 5 or not text.isalpha():
            continue
        likeness, form = max((OSA.normalized_similarity(text, form), form) for form in _KINDS)
        if likeness >= _MIN_KIND_LIKENESS and (best is None or likeness > best[0]):
            best = (likeness, index, _KINDS[form])
    if best is None:
        return frozenset(), [], False
    return frozenset({best[1]}), [best[2]], True
