"""Headings of lists among orders ("Armies:", "Supports"), headings of tables, and ditto marks (INK-11)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rapidfuzz.distance import OSA

from grammar.lexicon import KIND, KindWord, Lexicon
from grammar.words import words

_BEFORE = frozenset(("my", "our", "the", "all", "of"))
_BEHIND = frozenset(("orders", "list"))
_VERBS = {
    "-": ("moves", "move", "moving", "movements"), "H": ("holds", "hold", "holding"),
    "S": ("supports", "support", "supporting"), "C": ("convoys", "convoy", "convoying")}
_LISTS = frozenset((
    "moves", "moving", "movements", "holds", "holding", "supports", "supporting", "convoys", "convoying"))
"""Words that head a list without a colon behind them; an order may go on in a row of another."""
_TABLE = (
    frozenset(("unit", "units", "type", "kind")),
    frozenset(("from", "place", "where", "province", "at", "location")),
    frozenset(("to", "order", "orders", "what", "does", "action", "target")))
_LONG = 5
"""Letters of a word from which one may be misread."""
_COLON = re.compile(r"[:;]\W*$")
_TITLE = re.compile(r"\W*[A-Z].*[^.]$")
_DITTO = re.compile(r"\s*(?:[\"“”„‟″]|['’`´,]{2}|\|\||//)[\s.,]*(?=\w)")


@dataclass(frozen=True, slots=True)
class ListHead:
    """What a heading mentions the orders below it. `kind`: the letter of their units, or empty. `verb`: "-"
    for moves, "H", "S", "C", or empty; both are empty in the heading of a table."""

    kind: str = ""
    verb: str = ""

    @property
    def is_table(self) -> bool:
        """True for the heading of a table of units, their places, and where they go."""
        return not (self.kind or self.verb)


def list_head(text: str, lexicon: Lexicon) -> ListHead | None:
    """The heading of a list, read; None for other text."""
    line = [word.text for word in words(text) if word.text.isalpha()]
    if len(line) == len(_TABLE) and all(
        any(_is_same(word, known) for known in column) for word, column in zip(line, _TABLE, strict=True)
    ):
        return ListHead()
    line = [word for word in line if word not in _BEFORE]
    line = line[:-1] if len(line) > 1 and line[-1] in _BEHIND else line
    if len(line) != 1:
        return None
    word, has_colon = line[0], _COLON.search(text) is not None
    for name in lexicon.names:
        if (name.terminal == KIND and isinstance(name.value, KindWord) and len(name.text) > 1
                and (has_colon or name.value.plural) and _is_same(word, name.text)):
            return ListHead(kind=name.value.letter)
    # "holds." is the end of "If possible ..., otherwise holds.", and no heading is written so.
    is_title = has_colon or _TITLE.match(text) is not None
    return next((
        ListHead(verb=verb) for verb, forms in _VERBS.items() for form in forms
        if (is_title or verb != "H") and (has_colon or form in _LISTS) and _is_same(word, form)), None)


def ditto_end(text: str) -> int:
    """The index of the first character after a ditto mark that a line begins with; 0 without one."""
    mark = _DITTO.match(text)
    return mark.end() if mark else 0


def _is_same(word: str, known: str) -> bool:
    # A "Fleet" is not a list of fleets with its end misread.
    return word == known or (
        word[-1] == known[-1] and min(len(word), len(known)) >= _LONG and OSA.distance(word, known) <= 1)
