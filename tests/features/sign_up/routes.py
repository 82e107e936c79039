"""The routes and acts of the feature, for tests of the core that look at all there are."""

from __future__ import annotations

from service.features.sign_up.offer_acts import DrawPowers, EndOffer, OfferGame, TakeOffList

# Games that have not begun have no sheets.
ROUTES = {
    **dict.fromkeys((
        "/new-games/{offer_id}/begin", "/new-games/{offer_id}/draw", "/new-games/{offer_id}/end",
        "/new-games/{offer_id}/remove"), ("post",)),
    "/public/sign-up": ("get",), "/public/sign-up/{offer_id}/lots": ("get",),
    **dict.fromkeys(
        ("/new-games", "/public/sign-up/{offer_id}", "/public/sign-up/{offer_id}/{secret}"), ("get", "post")),
}
WHO: dict[str, set[str]] = {
    "/new-games": set(), "/new-games/{offer_id}/begin": set(), "/new-games/{offer_id}/draw": set(),
    "/new-games/{offer_id}/end": set(), "/new-games/{offer_id}/remove": set(),
}
CHOOSES_BOARDS = {"/new-games": "of the game that is offered"}
WITHOUT_SESSION = {
    "/public/sign-up/{offer_id}": "it only mails a link",
    "/public/sign-up/{offer_id}/{secret}": "a secret of its own",
}
IN_ENGLISH = dict.fromkeys(
    ("features/sign_up/offer_acts.py", "features/sign_up/power_lots.py"), "coordinators read it")
REFUSED = {
    "offer": OfferGame("", "w3k", "2031-01-01"), "draw": DrawPowers("nowhere"),
    "remove": TakeOffList("nowhere", 7), "end": EndOffer("nowhere"),
}
