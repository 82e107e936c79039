"""A game's own wording of its letters: a sentence of ours replaced by one of the coordinator's, language by
language (BEY-07)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OwnWording:
    """The sentences that a game words by itself: (language, message, words)."""

    sentences: tuple[tuple[str, str, str], ...] = ()

    @classmethod
    def of_option(cls, stored: Mapping[str, Mapping[str, str]]) -> OwnWording:
        """The wording that a game's row keeps, by language and message."""
        return cls(tuple((code, message, words) for code, by_message in sorted(stored.items())
                         for message, words in sorted(by_message.items())))

    def of(self, code: str) -> dict[str, str]:
        """Words by message, in one language."""
        return {message: words for language_code, message, words in self.sentences if language_code == code}


OUR_WORDING = OwnWording()
"""The wording of a game that never reworded anything."""
