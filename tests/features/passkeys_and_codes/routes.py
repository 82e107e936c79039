"""The addresses of the feature, for tests that walk every route."""

from __future__ import annotations

from tests.features.passkeys_and_codes.in_a_browser import a_device_signs_in_for_its_person

_OWN = ("/account/app", "/account/app/confirm", "/account/app/remove", "/account/passkey",
        "/account/passkey/begin", "/account/passkey/remove")
# Whoever signs in has no session yet.
WITHOUT_SESSION = dict.fromkeys(("/sign-in/passkey", "/sign-in/passkey/begin"), "signing in")
ROUTES = dict.fromkeys((*_OWN, *WITHOUT_SESSION), ("post",))
WHO = {path: {"reader", "operator", "reader of it", "coordinator of it", "of no game"} for path in _OWN}
IN_A_BROWSER = {"a device signs in for its person": a_device_signs_in_for_its_person}
EVENTS_BESIDE_ACTS = {"features/passkeys_and_codes/pages.py": 4}
IN_ENGLISH = dict.fromkeys(
    ("features/passkeys_and_codes/__init__.py", "features/passkeys_and_codes/pages.py",
     "features/passkeys_and_codes/passkeys.py"), "coordinators read it")
