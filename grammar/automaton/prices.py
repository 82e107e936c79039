"""How rare a word is on an order sheet, in nats: the ink that a reader needs before it accepts the word.

Guesses in round figures from the wording of the handbook and of common play, not measured on any sheet. Words
of every sheet cost nothing, words a sheet may have cost a little, and words that mostly come of a bad reading
cost much. The prices only compare one reading of the ink with another. No power, place or unit of a game has
a separate price; only its rank among spellings counts.
"""

from __future__ import annotations

from collections.abc import Mapping

from grammar.lexicon import COAST, KIND, NUMBER, PLACE, POWER, Name, Rank
from grammar.words import SAME_SIGN, fold

SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789 -/()&+,;.:=*!"
"""The characters that count. A letter is any case and accent of it, a dash any dash or arrow; ticks are
passed over."""

SYMBOLS = {sign: number for number, sign in enumerate(SIGNS)}
"""Number of the symbol of each sign."""
SPACE = SYMBOLS[" "]

# "#1" numbers a line as "(1" does.
_SAME_SIGN = SAME_SIGN | {"➔": "-", "،": ",", "#": "("}


def sign_of(letter: str) -> str | None:
    """The one of `SIGNS` that a character counts as; empty for a tick, None for a character that no order
    holds."""
    sign = _SAME_SIGN.get(letter, fold(letter))
    return sign if sign in {"", *SIGNS} else None


FULL_STOP, SIGN, OWN_NUMBER, OWNER = 0.5, 2.0, 3.0, 1.0
"""A full stop at the end; a full stop or comma without meaning inside; a line's own number or bullet; an s
without its apostrophe."""
REMARK_LETTER = 1.5
"""A letter of a remark in parentheses, which may be any."""
PREFIX_PRICE = 4.0
"""The first letters of a name that represent it although no one listed them, on top of the name's
price."""
KINDLESS, KINDLESS_TARGET = 5.0, 1.5
"""An order's unit without its kind, and any other unit: players write the first, the second may go without
(ORD-04)."""
MAX_SPREAD = 16.0
"""Of several ways to read the same text, one that costs more than the cheapest by this is dropped."""

_RARE_PRICE = 2.0
_WORD_PRICES: Mapping[str, float] = dict.fromkeys((
    "-", "to", "moves", "move", "holds", "hold", "h", "supports", "support", "s", "convoys", "convoy", "c",
    "stands", "retreats", "r", "disbands", "disband", "build", "remove", "send", "converts", "proxy", "/",
    "attacks", "enters", "into", "supply", "unit", "units", "under", "orders", "command", "of", "offered",
    "is", "the", "by", "via", "d", "retreat"), 0.3) | {
    # Short words and signs that free reading finds by accident.
    "my": 5.0, "our": 5.0, "its": 5.0, "their": 5.0, "his": 5.0, "her": 5.0, ";": 6.0, ".": 6.0, ",": 4.0,
    ":": 4.0, "and": 3.0, "(": 2.0, ")": 0.5, "=": 4.0, "i": 4.0, "in": 3.0, "at": 3.0, "on": 3.0,
    "from": 4.0, "a": 1.5, "an": 1.5, "order": 1.0,
}
_BY_RANK = {Rank.NAME: 0.0, Rank.ALIAS: 1.0, Rank.ABBREVIATION: 1.5, Rank.SHORTENED: 3.0}
_BY_TERMINAL = {PLACE: 1.5, POWER: 1.5, KIND: 0.3, COAST: 1.0, NUMBER: 1.0}


def word_price(word: str) -> float:
    """The price, in nats, of a word or sign of the order forms."""
    return _WORD_PRICES.get(word, _RARE_PRICE)


def name_price(name: Name) -> float:
    """The price, in nats, of a name, by what it is and the rank of its spelling."""
    return _BY_TERMINAL.get(name.terminal, _RARE_PRICE) + _BY_RANK[name.rank]
