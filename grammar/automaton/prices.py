"""How rare a word is on an order sheet, in nats: what a reader asks of the ink before it believes the word.

Guesses in round figures from the wording of the handbook and of common play, not measured on any sheet: words
of every sheet cost nothing, words a sheet may have cost a little, and words that mostly come of a bad reading
cost much. One reading of the ink against another is what they weigh; no power, place or unit of a game has a
price of its own, but its rank among spellings.
"""

from __future__ import annotations

from collections.abc import Mapping

from grammar.lexicon import COAST, KIND, NUMBER, PLACE, POWER, Name, Rank

FULL_STOP, SIGN, OWN_NUMBER, POSSESSIVE = 0.5, 2.0, 3.0, 1.0
"""A full stop at the end, one or a comma that means nothing within, a line's own number or bullet, an s
without its tick."""
REMARK_LETTER = 1.5
"""A letter of a remark in parentheses, which may be any."""
PREFIX_PRICE = 4.0
"""The first letters of a name that stand for it although nobody listed them, beside the name's own price."""
KINDLESS, KINDLESS_TARGET = 5.0, 1.5
"""An order's unit without its kind, and any other unit: players write the first, the second may go without
(ORD-04)."""
MAX_SPREAD = 16.0
"""Two ways to read the same text that differ by more are one."""

_COMMON = frozenset(
    (
        "-",
        "to",
        "moves",
        "move",
        "holds",
        "hold",
        "h",
        "supports",
        "support",
        "s",
        "convoys",
        "convoy",
        "c",
        "stands",
        "retreats",
        "r",
        "disbands",
        "disband",
        "build",
        "remove",
        "send",
        "converts",
        "proxy",
        "/",
        "attacks",
        "enters",
        "into",
        "supply",
        "unit",
        "units",
        "under",
        "orders",
        "command",
        "of",
        "offered",
        "is",
        "the",
        "by",
        "via",
        "d",
        "retreat",
    )
)
_USUAL = 0.3
_SELDOM = 2.0
_ODD: Mapping[str, float] = {
    "my": 5.0, "our": 5.0, "its": 5.0, "their": 5.0, "his": 5.0, "her": 5.0, ";": 6.0, ".": 6.0, ",": 4.0,
    ":": 4.0, "and": 3.0, "(": 2.0,
    ")": 0.5, "=": 4.0, "i": 4.0, "in": 3.0, "at": 3.0, "on": 3.0, "from": 4.0, "a": 1.5, "an": 1.5,
    "order": 1.0,
}
_RANKS = {Rank.NAME: 0.0, Rank.ALIAS: 1.0, Rank.ABBREVIATION: 1.5, Rank.SHORTENED: 3.0}
_NAMED = {PLACE: 1.5, POWER: 1.5, KIND: 0.3, COAST: 1.0, NUMBER: 1.0}


def word_price(word: str) -> float:
    """The price of a word or sign of the order forms."""
    return _USUAL if word in _COMMON else _ODD.get(word, _SELDOM)


def name_price(name: Name) -> float:
    """The price of a name, by what it is and the rank of its spelling."""
    return _NAMED.get(name.terminal, _SELDOM) + _RANKS[name.rank]
