"""The routes and acts of the feature, for tests of the core that look at all there are."""

from __future__ import annotations

from service.features.ending.pages import AgreeToShow

# Of a game that is over, and of no other (`service.features.ending.pages`).
ROUTES = {
    **dict.fromkeys((
        "/public/{game_id}/end", "/public/{game_id}/end/{number}",
        "/public/{game_id}/end/{number}/{name}.png", "/public/{game_id}/end/{number}/otherwise/{index}"),
        ("get",)),
    "/public/{game_id}/end/agree": ("post",),
}
REFUSED = {"AgreeToShow": AgreeToShow("nowhere", ("Montrose",), agrees=True)}
