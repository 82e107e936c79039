"""Season, year, kind of paper and version among the words of a heading."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import OSA

from adjudicator.calendar import PhaseKind
from grammar.headings.tokens import Token

_SYNONYMS = {"fall": "autumn", "autumn": "fall"}
_KINDS = {
    **dict.fromkeys(("movement", "movements", "move", "moves"), PhaseKind.MOVEMENT),
    **dict.fromkeys(("retreat", "retreats"), PhaseKind.RETREAT),
    **dict.fromkeys(
        ("adjustment", "adjustments", "build", "builds", "removal", "removals"), PhaseKind.ADJUSTMENT
    ),
}
_ORDERS = frozenset({"order", "orders"})
_VERSION = frozenset({"v", "ver", "vers", "version", "versions", "vn"})
_BETWEEN = re.compile(r"[\s.:#=-]|\b(?:no|nr|number)\b")
_COUNTS = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
}
_NEAR_YEAR = 0.65
_ALONE = 0.75
_TYPE_CLEAR = 0.75


@dataclass(frozen=True, slots=True)
class PhaseFields:
    """Season, year and kind with the token numbers they cover.

    `corrected`: the season or the kind was misspelt. `unclear`: two different seasons, years or kinds,
    or a number where the year should be that is no year.
    """

    season: str | None
    year: int | None
    kind: PhaseKind | None
    orders: bool
    places: frozenset[int]
    season_corrected: bool = False
    kind_corrected: bool = False
    unclear: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VersionSpan:
    """A version number and the tokens that say it."""

    number: int
    first: int
    last: int


def find_version(
    line: str, words: Sequence[Token], taken: frozenset[int] = frozenset()
) -> VersionSpan | None:
    """The first version instruction: v1, V1, v.1, ver 1, version 1, version one; None where there is none."""
    for at, mark in enumerate(words[:-1]):
        if mark.text not in _VERSION or taken & {at, at + 1}:
            continue
        end = at + 2 if words[at + 1].text in {"no", "nr", "number"} and at + 2 < len(words) else at + 1
        number = words[end]
        if _BETWEEN.sub("", line[mark.end : number.start].casefold()):
            continue
        if number.text.isascii() and number.text.isdigit() and len(number.text) <= 9:
            return VersionSpan(int(number.text), at, end + 1)
        if number.text in _COUNTS and len(mark.text) > 1:
            return VersionSpan(_COUNTS[number.text], at, end + 1)
    return None


def find_phase(
    line: str, words: Sequence[Token], seasons: Sequence[str], taken: frozenset[int]
) -> PhaseFields:
    """Season, year and kind among the tokens that no name has taken."""
    free = [at for at in range(len(words)) if at not in taken]
    years, year_places, odd = _years(line, words, free)
    season_at, season, corrected = _season(words, free, seasons, year_places)
    kind_at, kind, kind_corrected = _kind(words, [at for at in free if at not in season_at])
    orders = frozenset(at for at in free if words[at].text in _ORDERS)
    unclear: list[str] = []
    if len(season) > 1:
        unclear.append("season")
    beside = {at + step for at in season_at for step in (-1, 1)}
    # "Spring 43" gives a year, but not which century's: it is neither taken nor passed over
    short = any(len(words[at].text) == 2 and words[at].text.isdigit() for at in beside & set(free))
    if len(years) > 1 or (not years and (odd or short)):
        unclear.append("year")
    if len(kind) > 1:
        unclear.append("type")
    return PhaseFields(
        season=season[0] if len(season) == 1 else None,
        year=years[0] if len(years) == 1 else None,
        kind=kind[0] if len(kind) == 1 else None,
        orders=bool(orders),
        places=frozenset(year_places) | season_at | kind_at | orders,
        season_corrected=corrected,
        kind_corrected=kind_corrected,
        unclear=tuple(unclear),
    )


def _years(line: str, words: Sequence[Token], free: Sequence[int]) -> tuple[list[int], list[int], bool]:
    years: dict[int, None] = {}
    places: list[int] = []
    odd = False
    for at in free:
        text = words[at].text
        if not (text.isascii() and text.isdigit()):
            continue
        if 3 <= len(text) <= 4:
            years[int(text)] = None
            places.append(at)
            # a winter's year may be written as 620/1; its second half is no field of its own
            if at + 1 < len(words) and re.fullmatch(r"\s*/\s*", line[words[at].end : words[at + 1].start]):
                places.append(at + 1)
        elif len(text) > 4:
            odd = True
            places.append(at)
    return list(years), places, odd


def _season(
    words: Sequence[Token], free: Sequence[int], seasons: Sequence[str], years: Sequence[int]
) -> tuple[frozenset[int], list[str], bool]:
    known = {season.casefold(): season for season in seasons}
    if not known:
        return frozenset(), [], False
    for word, other in _SYNONYMS.items():
        if other in known:
            known.setdefault(word, known[other])
    plain = {at: known[words[at].text] for at in free if words[at].text in known}
    if plain:
        beside = {at: name for at, name in plain.items() if at + 1 in years or at - 1 in years}
        chosen = beside or plain
        return frozenset(plain), list(dict.fromkeys(chosen.values())), False
    beside_year = [at for at in free if at + 1 in years or at - 1 in years]
    for places, least in ((beside_year, _NEAR_YEAR), (free, _ALONE)):
        guess = _nearest_season(words, places, known, least)
        if guess is not None:
            return frozenset({guess[0]}), list(guess[1]), True
    return frozenset(), [], False


def _nearest_season(
    words: Sequence[Token], places: Sequence[int], known: dict[str, str], least: float
) -> tuple[int, tuple[str, ...]] | None:
    best: tuple[float, int, tuple[str, ...]] | None = None
    for at in places:
        text = words[at].text
        if len(text) < 3 or not text.isalpha() or text in _KINDS:
            continue
        likes = {
            name: max(_like_season(text, form) for form in known if known[form] == name)
            for name in dict.fromkeys(known.values())
        }
        top = max(likes.values())
        names = tuple(name for name, like in likes.items() if top - like < 0.1)
        if top >= least and (best is None or top > best[0]):
            best = (top, at, names)
    return None if best is None else best[1:]


def _like_season(text: str, form: str) -> float:
    if len(text) >= 3 and form.startswith(text):
        return 0.9
    return OSA.normalized_similarity(text, form)


def _kind(words: Sequence[Token], free: Sequence[int]) -> tuple[frozenset[int], list[PhaseKind], bool]:
    plain = {at: _KINDS[words[at].text] for at in free if words[at].text in _KINDS}
    if plain:
        return frozenset(plain), list(dict.fromkeys(plain.values())), False
    best: tuple[float, int, PhaseKind] | None = None
    for at in free:
        text = words[at].text
        if len(text) < 5 or not text.isalpha():
            continue
        like, form = max((OSA.normalized_similarity(text, form), form) for form in _KINDS)
        if like >= _TYPE_CLEAR and (best is None or like > best[0]):
            best = (like, at, _KINDS[form])
    if best is None:
        return frozenset(), [], False
    return frozenset({best[1]}), [best[2]], True
