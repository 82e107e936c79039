"""The addresses of the feature, for tests that walk every route."""

from __future__ import annotations

from datetime import UTC, datetime

from service.features.passkeys_and_codes.code_app import ConfirmCodeApp
from service.features.passkeys_and_codes.passkeys import AddPasskey, Place, RemovePasskey
from tests.features.passkeys_and_codes.in_a_browser import a_device_signs_in_for_its_person

_OWN = ("/account/app", "/account/app/confirm", "/account/app/remove", "/account/passkey",
        "/account/passkey/begin", "/account/passkey/remove")
# Anyone who signs in has no session yet.
WITHOUT_SESSION = dict.fromkeys(("/sign-in/passkey", "/sign-in/passkey/begin"), "signing in")
ROUTES = dict.fromkeys((*_OWN, *WITHOUT_SESSION), ("post",))
WHO = {path: {"reader", "operator", "reader of it", "coordinator of it", "of no game"} for path in _OWN}
IN_A_BROWSER = {"a device signs in for its person": a_device_signs_in_for_its_person}
_AT = datetime(2027, 3, 1, 12, tzinfo=UTC)
REFUSED = {
    "AddPasskey": AddPasskey(Place("localhost", "http://localhost", "A site"), b"", "{}", "", _AT),
    "RemovePasskey": RemovePasskey("0123"),
    "ConfirmCodeApp": ConfirmCodeApp("000000", _AT),
}
NEVER_REFUSED = {"RemoveCodeApp": "whoever has no app is asked for no code"}
IN_ENGLISH = dict.fromkeys(
    ("features/passkeys_and_codes/__init__.py", "features/passkeys_and_codes/code_app.py",
     "features/passkeys_and_codes/pages.py",
     "features/passkeys_and_codes/passkeys.py"), "coordinators read it")
