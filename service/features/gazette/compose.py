"""A year of a game put into words, in one language, by phrases from `templates/features/gazette/<code>.toml`.

Chance comes with the facts: a seed of the game. So the same year reads the same wherever it is printed, and
no two years of a game have the same headline, motto, weather or omen until all are used up.
Every kind of statement has several phrases with the same blanks, so that years do not repeat each other.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from adjudicator.calendar import Phase
from service.feature import TEMPLATES
from service.features.gazette.reports import LIST_MARK
from service.features.gazette.values import Dispatch, Gazette, Section, Statement, YearFacts
from service.letters.language import ENGLISH, Language, in_sentence, language
from service.letters.outcomes import translatable
from service.letters.render import CHART

MOST = 14
"""Dispatches of a number: what two columns of one page hold next to the chart, with the names of w3k."""
MOST_OF_A_KIND = 4
"""Of one kind in a number: a year of thirty standoffs is a year with a few of them in it."""
_MONTHS = {
    "Winter": ("December", "January", "February"), "Spring": ("March", "April", "May"),
    "Summer": ("June", "July", "August"), "Autumn": ("Fall", "September", "October", "November", "Harvest"),
}

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


def compose(facts: YearFacts, code: str) -> Gazette:
    """The gazette of a year in the language of a code."""
    return _Composer(facts, phrases(code), language(code)).gazette()


@dataclass(slots=True)
class _Composer:
    facts: YearFacts
    phrases: Phrases
    language: Language
    _used: Counter[str] = field(default_factory=Counter)

    def gazette(self) -> Gazette:
        facts, words = self.facts, self.phrases.words
        chosen = self._chosen()
        lead = max(chosen, key=lambda statement: statement.weight, default=None)
        first, last = facts.seasons
        return Gazette(
            title=words["title"], number=filled(words["number"], {"number": str(facts.number)}),
            motto=self._yearly("motto", self.phrases.mottos),
            headline=self._yearly("headline", self.phrases.headlines if chosen else self.phrases.quiet),
            lead=None if lead is None else self._dispatch(lead),
            sections=tuple(self._sections([each for each in chosen if each is not lead])),
            facts=facts,
            omen=self._yearly("omen", self.phrases.omens) if facts.has_omens else "",
            words={
                **words, "chart": self.language.say(CHART),
                "subtitle": filled(words["subtitle"], {"game": facts.game}),
                "span": _season(last) if _season(first) == _season(last) else filled(
                    words["span"], {"first": _season(first), "last": _season(last)}),
                "imprint": filled(words["imprint" if facts.has_omens else "imprint_plain"],
                                  {"game": facts.game})},
            code=self.language.code)

    def _chosen(self) -> list[Statement]:
        """The weightiest statements, in playing order; among equals, those that chance picks."""
        chance = random.Random(f"{self.facts.seed} {self.facts.number} chosen")  # noqa: S311 - no secret
        ranked = sorted(range(len(self.facts.statements)),
                        key=lambda index: (-self.facts.statements[index].weight, chance.random()))
        chosen: list[int] = []
        kinds: Counter[str] = Counter()
        known: set[object] = set()
        for index in ranked:
            statement = self.facts.statements[index]
            kind = statement.kind
            # Two that stood each other off, or are allied, are one piece of news.
            news = (kind, statement.source.phase, frozenset(statement.values.values()))
            if kinds[kind] < MOST_OF_A_KIND and len(chosen) < MOST and news not in known:
                kinds[kind] += 1
                known.add(news)
                chosen.append(index)
        return [self.facts.statements[index] for index in sorted(chosen)]

    def _sections(self, statements: Sequence[Statement]) -> list[Section]:
        by_season: dict[str, list[Statement]] = {}
        for statement in statements:
            by_season.setdefault(self._seasons[statement.source.phase], []).append(statement)
        return [Section(season, tuple(map(self._dispatch, in_season)),
                        self._weather(season, place) if self.facts.has_omens else "")
                for place, (season, in_season) in enumerate(by_season.items())]

    @property
    def _seasons(self) -> Mapping[int, str]:
        return {phase: _season(season) for phase, season in self.facts.phases.items()}

    def _dispatch(self, statement: Statement) -> Dispatch:
        """A statement in the next phrase of its kind: each is used once before one is used again."""
        lines = self.phrases.statements[statement.kind]
        order = self._shuffled(f"{statement.kind} {self.facts.number}", lines)
        line = order[self._used[statement.kind] % len(order)]
        self._used[statement.kind] += 1
        facts = self.facts
        values = {}
        for name, value in statement.values.items():
            names = value.split(LIST_MARK)
            if name == "note":  # a sentence of the judge
                names = [str(self.language.value(translatable(value)))]
            values[name] = self.language.join(names)
            values[f"the_{name}"] = self.language.join([in_sentence(each, facts.articled) for each in names])
        second = {name for name, value in statement.values.items()
                  if LIST_MARK in value or value in facts.plurals or value.startswith(facts.fleets)}
        words = filled(line, values, second)
        return Dispatch(words[:1].upper() + words[1:], statement)

    def _weather(self, season: str, place: int) -> str:
        kind = next((kind for kind, months in _MONTHS.items()
                     if season.split(maxsplit=1)[0] in (kind, *months)), "")
        lines = self._shuffled(f"weather {kind}", self.phrases.weather[kind])
        # Months of one season take turns: three a year.
        return lines[(3 * self.facts.number + place) % len(lines) if kind != season.split(maxsplit=1)[0]
                     else self.facts.number % len(lines)]

    def _yearly(self, name: str, lines: Sequence[str]) -> str:
        return self._shuffled(name, lines)[self.facts.number % len(lines)]

    def _shuffled(self, name: str, lines: Sequence[str]) -> list[str]:
        """The lines in an order that is the game's own."""
        order = list(lines)
        random.Random(f"{self.facts.seed} {name}").shuffle(order)  # noqa: S311 - no secret
        return order


def _season(phase: Phase) -> str:
    return f"{phase.season} {phase.year}"
