"""The routes of the feature, for `tests/whole_site/test_seal_everywhere.py`."""

from __future__ import annotations

# Written from results that were sent, and from nothing else.
ROUTES = dict.fromkeys((
    "/public/{game_id}/gazette", "/public/{game_id}/gazette/{number}",
    "/public/{game_id}/gazette-{number}.pdf",
), ("get",))
