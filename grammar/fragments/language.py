"""What a language other than English brings to the order forms (WRD-07)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """One language. `name` is that of its fragment; `title` is what a person calls it.

    `order_words`: by the terminal of `sentences.lark` that they represent, folded words in all their forms;
    a word may represent several. `infinitive`: how a verb ends where it is last. `unit_words`: by the
    English name of a unit kind in lower case, its words, True for a plural. `coasts`: its names of coasts,
    with the English ones in lower case. `articles`: folded words that are where "the" may. `courtesies`:
    folded words that have nothing wherever they are. `elisions`: folded letters that a tick joins to the
    word after them ("l'armée"). `doubts`: folded words that make an order a condition, a choice or a
    denial, and `doubt_phrases` do so word after word. `reports`: forms of order words that show what was,
    or would be, and order nothing; a line that holds one is never guessed. `plain`: folded words of remarks
    that change no order (`grammar.plain_remarks`). `examples`: some orders of a movement phase, to show a
    player, with {a}, {b} for neighbouring provinces on a coast and {c} for the sea before them.
    """

    name: str
    title: str
    order_words: Mapping[str, frozenset[str]]
    infinitive: tuple[str, ...]
    unit_words: Mapping[str, Mapping[str, bool]]
    coasts: Mapping[str, str] = field(default_factory=dict)
    articles: frozenset[str] = frozenset()
    courtesies: frozenset[str] = frozenset()
    elisions: frozenset[str] = frozenset()
    doubts: frozenset[str] = frozenset()
    doubt_phrases: frozenset[tuple[str, ...]] = frozenset()
    reports: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    examples: tuple[str, ...] = ()


def by_terminal(texts: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Words by terminal, each terminal's written as one text."""
    return {terminal: frozenset(text.split()) for terminal, text in texts.items()}


def phrases(first: str, articles: Sequence[str], nouns: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """A word before each noun, with each article between them; "" for none."""
    return frozenset((first, *([article] if article else []), noun) for noun in nouns for article in articles)
