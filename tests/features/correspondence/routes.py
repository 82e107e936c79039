"""The routes of the feature and what else of it tests of the core must know."""

from __future__ import annotations

from typing import cast

from service.features.correspondence.letters import AnswerLetter, SettleLetters
from service.notices.letter_context import LetterContext

# A plain letter is not a sheet: its player was informed that no one reads it as orders.
ROUTES = {
    "/correspondence": ("get",), "/correspondence/{player_id}": ("get",),
    "/correspondence/{player_id}/answer": ("post",), "/correspondence/{player_id}/done": ("post",),
}
# Post, by the games that it touches.
_GAME = {"coordinator of it"}
WHO = {
    "/correspondence": {"reader of it", "coordinator of it", "of no game"},
    "/correspondence/{player_id}": _GAME, "/correspondence/{player_id}/answer": _GAME,
    "/correspondence/{player_id}/done": _GAME,
}
ANSWERS = {"acknowledgement": "it answers a mail"}
IN_ENGLISH = dict.fromkeys(
    ("features/correspondence/letters.py", "features/correspondence/pages.py"), "coordinators read it")
REFUSED = {
    "AnswerLetter": AnswerLetter(cast("LetterContext", None), 1, "Yes.", "0123456789"),
    "SettleLetters": SettleLetters(1),
}
"""Refused, since no one wrote a letter."""
