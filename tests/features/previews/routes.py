"""The routes of the feature, for tests that walk every route, and its page of a letter, for a look at it."""

from __future__ import annotations

# A preview opens no sheet.
ROUTES = dict.fromkeys(("/previews/{game_id}/{kind}", "/previews/{game_id}/{kind}.html"), ("get",))
WHO = {route: {"coordinator of it"} for route in ROUTES}
# Drawn in seconds, from the board and the players alone.
DRAWN = dict.fromkeys(ROUTES, "each kind of letter")
LETTER = {"preview": "/previews/powick-bridge/{kind}?power=Argyll"}

IN_ENGLISH = dict.fromkeys(("features/previews/pages.py",), "coordinators read it")
