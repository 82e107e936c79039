"""Samples of the receipt for a letter that came by post."""

from __future__ import annotations

from service.features.post.receipt import RECEIPT_POSTED, PostedFacts
from service.letters.facts import GameInfo, Recipient
from service.letters.render import letter
from service.mail.sending.compose import OutLetter
from tests.support.letters_samples import AT, CLOSING, MOVEMENT


def every_letter(game: GameInfo, to: Recipient, nasty: str) -> dict[str, OutLetter]:
    """Kind, or kind and what is special about it, to a letter."""
    return {
        "receipt_posted": letter(RECEIPT_POSTED, game, to, PostedFacts(
            "7", MOVEMENT, AT, CLOSING, 2, f"12 March{nasty}")),
        "receipt_posted ticked": letter(RECEIPT_POSTED, game, to, PostedFacts(
            "8", MOVEMENT, AT, CLOSING, has_scan=False)),
        "receipt_posted late": letter(RECEIPT_POSTED, game, to, PostedFacts(
            "9", MOVEMENT, AT, CLOSING, is_late=True)),
    }
