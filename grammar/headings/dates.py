"""Season, year and kind of paper among the words of a heading."""

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
KIND_WORDS = _ORDERS | _KINDS.keys()
"""Words that show what a sheet is."""
_SEASON_LETTERS = {"s": ("spring", "summer"), "f": ("fall", "autumn"), "a": ("autumn",), "w": ("winter",)}
_KIND_LETTERS = {"m": PhaseKind.MOVEMENT, "r": PhaseKind.RETREAT, "a": PhaseKind.ADJUSTMENT,
                 "b": PhaseKind.ADJUSTMENT}
"""Letters of the judges' short phases: F1644R, W1901A."""
# Least likenesses, 0..1: of a season next to a year, of a season elsewhere, of a kind of paper.
_NEAR_YEAR, _ELSEWHERE, _MIN_KIND_LIKENESS = 0.65, 0.75, 0.75
_TIE = 0.1
"""Likeness by which two seasons are too near each other to choose."""


@dataclass(frozen=True, slots=True)
class PhaseFields:
    """Season, year and kind, and the indices of the tokens they use.

    `season_corrected`, `kind_corrected`: it was misspelt. `unclear`: fields ("season", "year", "type") with
    two different values, or a number where the year should be that is not a year.
    """

    season: str | None
    year: int | None
    kind: PhaseKind | None
    orders: bool
    indices: frozenset[int]
    season_corrected: bool = False
    kind_corrected: bool = False
    unclear: tuple[str, ...] = ()


def find_phase(line: str, words: Sequence[Token], seasons: Sequence[str],
               used: frozenset[int]) -> PhaseFields:
    """Season, year and kind among the tokens that no name uses."""
    free = [index for index in range(len(words)) if index not in used]
    years, year_indices, has_odd_number = _years(line, words, free)
    short = _short_phase(words, free, seasons)
    if short is not None:
        return short
    season_indices, season_names, season_corrected = _season(words, free, seasons, year_indices)
    kind_indices, kinds, kind_corrected = _kind(words, [n for n in free if n not in season_indices])
    orders = frozenset(index for index in free if words[index].text in _ORDERS)
    # "Autumn 44" gives a year without its century, which the game's open phase has (`is_year`).
    beside_season = {index + step for index in season_indices for step in (-1, 1)} & set(free)
    short_years = [n for n in beside_season if len(words[n].text) == 2 and words[n].text.isdigit()]
    if not years and len(short_years) == 1 and not has_odd_number:
        years, year_indices = [int(words[short_years[0]].text)], [*year_indices, *short_years]
    has_short_year = bool(short_years)
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


def is_year(written: int, year: int) -> bool:
    """True if a year as written, perhaps without its century ('44), is this one."""
    return written == (year % 100 if written < 100 else year)


def _short_phase(words: Sequence[Token], free: Sequence[int], seasons: Sequence[str]) -> PhaseFields | None:
    """A phase as judges write it, A1644 or F1644R: a season's letter, the year, and the kind's letter."""
    known = {season.casefold(): season for season in seasons}
    for index in free:
        year = words[index].text
        if not (year.isascii() and year.isdigit() and 2 <= len(year) <= 4) or index == 0:
            continue
        letter, named = words[index - 1], []
        if letter.end == words[index].start:
            named = [known[name] for name in _SEASON_LETTERS.get(letter.text, ()) if name in known]
        # "S1642" may be Spring or Summer.
        if len(named) != 1:
            continue
        after, kind = index + 1, None
        if after < len(words) and words[after].start == words[index].end:
            kind = _KIND_LETTERS.get(words[after].text)
        used = {index - 1, index} | ({after} if kind is not None else set())
        rest = [n for n in free if n not in used]
        kind_indices, kinds, corrected = _kind(words, rest)
        orders = frozenset(n for n in rest if words[n].text in _ORDERS)
        kinds = list(dict.fromkeys([*([kind] if kind is not None else []), *([] if corrected else kinds)]))
        return PhaseFields(
            season=named[0], year=int(year), kind=kinds[0] if len(kinds) == 1 else None, orders=bool(orders),
            indices=frozenset(used) | kind_indices | orders,
            unclear=("type",) if len(kinds) > 1 else ())
    return None


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
            # A winter's year may be written as 620/1; its second half is not a separate field.
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
        # A season's name may be part of another name; the one next to the year counts.
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
        # A word for a kind of paper is not a misspelt season.
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
    if form.startswith(text):  # "Aut"
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
