"""A root in four words, to be copied by hand and read out (docs/record.md, "A root in four words"). Pure."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from grammar.headings.root_words import COUNT, WORDS

ROUNDS = 100_000
"""Of PBKDF2. Two records whose roots have the same words can be sought by whoever keeps both: that takes
about four million tries, and each try costs this much."""
BITS = 11
"""What each word is worth."""


@lru_cache(maxsize=512)
def root_words(root: str) -> str:
    """The four words of a root (64 hexadecimal digits), with blanks between them."""
    drawn = hashlib.pbkdf2_hmac("sha256", root.encode(), b"galloper words", ROUNDS, dklen=8)
    number = int.from_bytes(drawn, "big") >> (64 - COUNT * BITS)
    places = [(number >> shift) % (1 << BITS) for shift in range((COUNT - 1) * BITS, -1, -BITS)]
    return " ".join(WORDS[place] for place in places)
