"""The pages and acts of the feature, for tests that walk every page, route and act."""

from __future__ import annotations

ROUTES = {"/hands": ("get",), "/hands/forget": ("post",)}
# Of the site's coordinators alone.
WHO: dict[str, set[str]] = {"/hands": set(), "/hands/forget": set()}
PAGES = {"/hands": "names of players"}
NEVER_REFUSED = {"ForgetHand": "nothing hinders it"}

IN_ENGLISH = dict.fromkeys(("features/player_hand/pages.py",), "coordinators read it")
