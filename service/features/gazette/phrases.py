"""The phrases of the gazette in one language, from `templates/features/gazette/<code>.toml`.

Every kind of statement has several phrases with the same blanks, so that years do not repeat each other.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache

from service.feature import TEMPLATES
from service.letters.language import ENGLISH, in_sentence

_BLANK = re.compile(r"\{(\w+)(?::([^{}|]*)\|([^{}|]*))?\}")


@dataclass(frozen=True, slots=True)
class Phrases:
    """One language. `statements`: kind to its phrases; `weather`: kind of season to sentences, with those
    that fit any season under ""; `words`: the fixed words of the page."""

    code: str
    statements: Mapping[str, tuple[str, ...]]
    headlines: tuple[str, ...]
    quiet: tuple[str, ...]
    mottos: tuple[str, ...]
    omens: tuple[str, ...]
    weather: Mapping[str, tuple[str, ...]]
    words: Mapping[str, str]


@cache
def phrases(code: str) -> Phrases:
    """The phrases of a language; English for one that has no file."""
    folder = TEMPLATES / "gazette"
    file = folder / f"{code}.toml"
    if not code.isalpha() or not file.is_file():
        file = folder / f"{ENGLISH}.toml"
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return Phrases(
        code, {kind: tuple(lines) for kind, lines in table["statements"].items()},
        tuple(table["headlines"]), tuple(table["quiet"]), tuple(table["mottos"]), tuple(table["omens"]),
        {season: tuple(lines) for season, lines in table["weather"].items()}, table["words"])


def blanks(phrase: str) -> frozenset[str]:
    """The names of a phrase's blanks."""
    return frozenset(match[1] for match in _BLANK.finditer(phrase))


def filled(phrase: str, values: Mapping[str, str], second: Collection[str] = ()) -> str:
    """A phrase with its blanks filled; one that is written {the_power} takes its article
    (`language.in_sentence`) where `values` has no such name.

    A blank written {power:was|were} becomes the first word, or the second where the blank is among `second`:
    those whose values are grammatically plural, or fleets. Raises KeyError for a blank without a value."""
    def fill(match: re.Match[str]) -> str:
        name = match[1]
        if match[2] is not None:
            return match[3] if name in second else match[2]
        if name.startswith("the_") and name not in values:
            return in_sentence(values[name.removeprefix("the_")])
        return values[name]

    return _BLANK.sub(fill, phrase)
