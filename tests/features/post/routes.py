"""The pages and acts of the feature, and what else of it tests of the core must know."""

from __future__ import annotations

from datetime import date, time
from typing import cast

from service.features.post.postal_mail import LogLetter, PostalMail, PostedLetter, TakeLetterBack
from tests.features.post import scenes

DOORS = {"post": scenes.post_room}
# Letters by the powers that they are of, and pictures of the tray for anyone who put them there.
ROUTES = {
    "/post": ("get", "post"), "/post/scans/{scan_id}.jpg": ("get",),
    **dict.fromkeys(
        ("/post/scans", "/post/scans/file", "/post/scans/take-out", "/post/{posted_id}/untick"), ("post",)),
}
_BY_GAME = {"reader of it", "coordinator of it", "of no game"}
WHO = {
    "/post": _BY_GAME, "/post/scans": _BY_GAME, "/post/scans/file": _BY_GAME,
    "/post/scans/take-out": _BY_GAME, "/post/scans/{scan_id}.jpg": _BY_GAME,
    "/post/{posted_id}/untick": {"coordinator of it"},
}
PAGES = {"/post": "the names of games"}
PAGES_OF_EVERY_GAME = {"/post": "the phases in play"}
LETTERS_THAT_ANSWER = {"receipt_posted": "has come by post"}
REFUSED = {
    "LogLetter": LogLetter(
        cast("PostalMail", None), PostedLetter(1, "Montrose", date(2999, 1, 1), time(7)), ()),
    "TakeLetterBack": TakeLetterBack(1),
}
"""A letter of the future, and one that was never logged."""
IN_ENGLISH = dict.fromkeys(
    ("features/post/pages.py", "features/post/postal_mail.py", "features/post/scans.py"),
    "coordinators read it")
HONEST_ACTS_WHILE_OPEN = {"posts": scenes.posts}
KEEPER_ACTS = {"logs a letter by post": scenes.logs, "ticks a letter by post": scenes.ticks}
SETTLED_IN_ONE_GAME = {"letters by post": scenes.settles_letters_of_one_game}
CHEATS = {cheat.name: cheat for cheat in scenes.CHEATS}
QUICK_CHEATS = dict.fromkeys((
    "a letter by post is typed in once all sheets are open", "the same, and the results say nothing of it"))
