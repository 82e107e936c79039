"""Edges of a line that is taken as it stands: every word a keyword, a name or a number, spelled as listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grammar.compose import Forms
from grammar.lattice import Edge
from grammar.lexicon import COAST, NUMBER, PLACE, Lexicon, Name
from grammar.words import Word

PIECE_COST = 0.01
"""What each piece costs, so that one long name is cheaper than two short ones (Q-44)."""
PREFIX_COST = 0.02
"""What the first letters of a name cost that stand for it."""
_PASS = 0.001
"""What a sign or a remark costs that is passed over."""
_INSIDE = frozenset("-().")
"""Signs that may stand inside a name: St. Petersburg, Ashby-de-la-Zouch, Portland (Dorset)."""

DOUBT_WORDS = frozenset(
    [
        "not",
        "no",
        "never",
        "dont",
        "doesnt",
        "wont",
        "cannot",
        "cant",
        "if",
        "unless",
        "or",
        "either",
        "neither",
        "nor",
        "else",
        "otherwise",
        "when",
        "whenever",
        "while",
        "until",
        "till",
        "before",
        "after",
        "should",
        "would",
        "could",
        "might",
        "may",
        "maybe",
        "perhaps",
        "possibly",
        "instead",
        "except",
        "without",
        "rather",
        "ignore",
        "disregard",
        "cancel",
        "cancelled",
        "void",
        "only",
        "depending",
        "assuming",
        "provided",
        "whether",
        "but",
        "unlike",
        "than",
    ]
)
"""Words that turn an order into a condition, a choice or its contrary; a line with one is never guessed
at."""


def edges(found: Sequence[Word], forms: Forms, lexicon: Lexicon) -> dict[int, list[Edge]]:
    """Every piece of a line that the grammar could take, by the word it starts at."""
    table: dict[int, list[Edge]] = {n: [] for n in range(len(found))}
    for at, word in enumerate(found):
        here = table[at]
        for text in {word.text, word.base}:
            if text in forms.keywords:
                here.append(Edge(at, at + 1, forms.keywords[text], text, PIECE_COST))
        if word.text.isdecimal() and len(word.text) < 4 and int(word.text) > 0:
            here.append(Edge(at, at + 1, NUMBER, int(word.text), PIECE_COST))
        if word.text in {"a", "an"}:
            here.append(Edge(at, at + 1, NUMBER, 1, PIECE_COST))
        if word.text == "player" and at + 1 < len(found):
            name = found[at + 1].base
            here.append(
                Edge(
                    at, at + 2, "A_POWER", f"Player {name.upper() if len(name) == 1 else name.title()}",
                    PIECE_COST
                )
            )
        names = names_at(found, at, lexicon)
        here += [Edge(at, end, name.terminal, name.value, PIECE_COST) for end, name in names]
        if not any(end == at + 1 for end, _ in names) and word.text not in forms.keywords:
            region = None if word.text in DOUBT_WORDS else lexicon.beginning(word.text)
            if region is not None:
                here.append(Edge(at, at + 1, PLACE, region, PREFIX_COST))
        here += _passed(found, at, forms, lexicon)
    return table


def names_at(found: Sequence[Word], at: int, lexicon: Lexicon) -> list[tuple[int, Name]]:
    """Every listed name that starts at a word, with the place after it. A coast may start at the comma before
    it."""
    if found[at].text == "," and at + 1 < len(found):
        return [(end, name) for end, name in names_at(found, at + 1, lexicon) if name.terminal == COAST]
    hits: list[tuple[int, Name]] = []
    node: Mapping[str, Any] = lexicon.tree
    depth = 0
    for n in range(at, len(found)):
        word = found[n]
        below = node.get(word.text)
        possessive = below is None and word.base != word.text
        if possessive:
            below = node.get(word.base)  # it ends a name: "Newcastle's"
        if below is not None:
            node = below
            closed = depth == 1 and n + 1 < len(found) and found[n + 1].text == ")"
            if closed or not depth:
                hits += [(n + 1 + closed, name) for name in node.get("", ())]
        depth += (word.text == "(") - (word.text == ")")
        if possessive or depth < 0 or (below is None and (n == at or word.text not in _INSIDE)):
            break
    return hits


def _passed(found: Sequence[Word], at: int, forms: Forms, lexicon: Lexicon) -> list[Edge]:
    """Signs without meaning, and remarks in parentheses (ORD-07)."""
    text = found[at].text
    if text in {".", '"', "“", "”", "„", "*", "!", ":", "`"}:
        return [Edge(at, at + 1, None, None, _PASS)]
    if text in {"(", ")"} and _convoyed(
        found[at + 1 : at + 3] if text == "(" else found[max(0, at - 2) : at]
    ):
        return [Edge(at, at + 1, None, None, _PASS)]
    if text != "(":
        return []
    depth = 0
    for n in range(at, len(found)):
        depth += (found[n].text == "(") - (found[n].text == ")")
        if depth == 0:
            inner = found[at + 1 : n]
            marked = len(inner) == 1 and inner[0].text in forms.marks
            ordered = marked or _matters(inner, lexicon) or _convoyed(inner) or _named(found, at, n, lexicon)
            return [] if ordered else [Edge(at, n + 1, None, None, _PASS)]
    return []


_LONGEST_NAME = 6
"""Words of a name before the parentheses that are part of it."""


def _named(found: Sequence[Word], at: int, closed: int, lexicon: Lexicon) -> bool:
    """Do the parentheses end a name, as in "Portland (Sea)"? Then they are no remark on Portland, which is
    land too."""
    starts = range(max(0, at - _LONGEST_NAME), at)
    return any(end > closed for start in starts for end, _ in names_at(found, start, lexicon))


def _convoyed(inner: Sequence[Word]) -> bool:
    """Is "by convoy" all that stands in the parentheses? Then it is part of the order."""
    return [w.text for w in inner] in (["by", "convoy"], ["via", "convoy"])


_HARMLESS = (["no", "change"], ["no", "changes"])
"""Remarks that hold a word of doubt and cast none."""


def _matters(remark: Sequence[Word], lexicon: Lexicon) -> bool:
    """Does a remark change the order before it? A bare place or coast, a doubt or a condition does."""
    if [w.text for w in remark] in _HARMLESS:
        return False
    if any(w.text in DOUBT_WORDS for w in remark):
        return True
    return bool(remark) and any(
        end == len(remark) and name.terminal in {PLACE, COAST} for end, name in names_at(remark, 0, lexicon))
