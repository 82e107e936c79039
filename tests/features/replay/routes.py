"""The routes of the feature, for `tests/whole_site/test_seal_everywhere.py`."""

from __future__ import annotations

# Plates of phases whose results were sent, and of no other.
ROUTES = dict.fromkeys((
    "/public/{game_id}/war", "/public/{game_id}/war/key.svg", "/public/{game_id}/war/after.svg",
    "/public/{game_id}/war/{number}.svg", "/public/{game_id}/war-{year}.pdf", "/public/{game_id}/war.pdf",
), ("get",))
