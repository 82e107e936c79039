"""The routes of the feature and what else of it tests of the core must know."""

from __future__ import annotations

# A plain letter is no sheet: its player was told that nobody reads it as orders.
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
EVENTS_BESIDE_ACTS = {"features/correspondence/letters.py": 1}
"""Events of a person that are not entered by `perform` yet, for `tests/service/games/acts/test_every_act.py`;
it only shrinks."""
