"""Passkeys in place of the password of the desk, and codes of an app next to it (README.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from service.feature import FactorCheck, Feature, Slot

if TYPE_CHECKING:
    from fastapi import APIRouter, Request
    from sqlalchemy.orm import Session

CODE_WANTED = "Write the code that your app shows, and the password once more."
WRONG_CODE = "This code is wrong or was used already. Wait for the next one, and write it with the password."
NOTICES = {
    "passkey-added": ("Your device has a passkey for this site. At the next sign-in, choose it instead of "
                      "the password."),
    "passkey-removed": "This passkey no longer works here. You can remove it from your device too.",
    "app-added": "From now on each sign-in needs a code of your app.",
    "app-removed": "Signing in needs no code any more.",
}


def _routers() -> Sequence[APIRouter]:
    from service.features.passkeys_and_codes import pages

    return (pages.router,)


def _second_factor(session: Session, person: str, code: str, now: datetime) -> FactorCheck:
    from service.features.passkeys_and_codes import code_app

    if code_app.check(session, person, code, now):
        return FactorCheck(passes=True)
    return FactorCheck(passes=False, sentence=WRONG_CODE if code else CODE_WANTED)


def _forget_user(session: Session, person: str) -> None:
    from service.features.passkeys_and_codes import code_app, passkeys

    # A new password opens the door again for anyone who lost their app or their device. A key that another
    # person added opens nothing any more.
    code_app.remove(session, person)
    passkeys.remove_all(session, person)


def _account(_request: Request, session: Session, values: Mapping[str, Any]) -> Mapping[str, object]:
    from service.features.passkeys_and_codes import code_app, passkeys

    person = values["visitor"].name
    return {"keys": [(passkeys.form_key(row), row) for row in passkeys.own_keys(session, person)],
            "has_app": code_app.is_asked_for(session, person), "secret": "", "address": ""}


FEATURE = Feature(
    "passkeys_and_codes", routers=_routers, second_factor=_second_factor, forget_user=_forget_user,
    tables=("code_apps", "passkeys", "passkey_challenges"), slot_values={Slot.ACCOUNT: _account},
    notices=NOTICES, slots={
        Slot.SIGN_IN: "passkeys_and_codes/sign_in.html",
        Slot.SECOND_FACTOR: "passkeys_and_codes/code_field.html",
        Slot.ACCOUNT: "passkeys_and_codes/account.html"})
