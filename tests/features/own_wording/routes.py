"""The addresses and acts of the feature, for tests that walk every route and act."""

from __future__ import annotations

from service.features.own_wording.reword import RewordLetter

# The words of letters, with a preview that opens no sheet.
ROUTES = {"/previews/{game_id}/{kind}/wording": ("get", "post")}
WHO = {"/previews/{game_id}/{kind}/wording": {"coordinator of it"}}
REFUSED = {"RewordLetter": RewordLetter("nowhere", "receipt", "en", {})}

IN_ENGLISH = dict.fromkeys(
    ("features/own_wording/pages.py", "features/own_wording/reword.py"), "coordinators read it")
