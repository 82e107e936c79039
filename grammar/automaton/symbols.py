"""The characters that count in an automaton, and which of them a letter of a network is."""

from __future__ import annotations

from grammar.words import SAME_SIGN, fold

SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789 -/()&+,;.:=*!"
"""The characters that count. A letter is any case and accent of it, a dash any dash or arrow; ticks are
passed over."""

SYMBOLS = {sign: number for number, sign in enumerate(SIGNS)}
"""Number of the symbol of each sign."""
SPACE = SYMBOLS[" "]

_SAME_SIGN = SAME_SIGN | {"➔": "-", "،": ","}


def sign_of(letter: str) -> str | None:
    """The one of `SIGNS` that a character counts as; empty for a tick, None for a character that no order
    holds."""
    sign = _SAME_SIGN.get(letter, fold(letter))
    return sign if sign in {"", *SIGNS} else None
