"""Passkeys in a real browser with Chromium's own virtual device (SEC-04): add one, sign in with it, and be
refused once it is removed. `tests/browser/test_feature_walks.py` runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.browser.conftest import Desk


def a_device_signs_in_for_its_person(chromium: Any, desk: Desk) -> None:
    from tests.browser.test_desk_reading import _violations as violations

    # A number is not a name of a site to a browser; "localhost" is.
    address = desk.address.replace("127.0.0.1", "localhost")
    context = chromium.new_context(viewport={"width": 360, "height": 800})
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.on("console", lambda line: faults.append(line.text) if "Content Security" in line.text else None)
    devices = context.new_cdp_session(page)
    devices.send("WebAuthn.enable")
    device = devices.send("WebAuthn.addVirtualAuthenticator", {"options": {
        "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
        "isUserVerified": True, "automaticPresenceSimulation": True}})["authenticatorId"]

    def keys() -> list[dict[str, Any]]:
        return list(devices.send("WebAuthn.getCredentials", {"authenticatorId": device})["credentials"])

    page.goto(f"{address}/sign-in?to=%2Faccount")
    page.locator("#name").fill("Ada")
    page.locator("#password").fill("correct horse")
    page.keyboard.press("Enter")
    page.wait_for_url("**/account")
    assert violations(page) == []
    page.locator("#label").fill("A telephone")
    page.locator("#own-password").fill("a wrong word")
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_text("the password is wrong").wait_for()
    assert keys() == []
    page.locator("#own-password").fill("correct horse")
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_text("Your device has a passkey for this site").wait_for()
    assert page.get_by_text("not used yet").count() == 1
    (key,) = keys()
    assert (key["rpId"], key["isResidentCredential"], key["userName"]) == ("localhost", True, "Ada")
    page.locator("details.menu > summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in")

    page.goto(f"{address}/sign-in?to=%2Faccount")
    assert violations(page) == []
    # Not this time: the person takes their finger away.
    devices.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": False})
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.get_by_text("Nothing was changed; try again").wait_for()
    devices.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": True})
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url("**/account")
    assert page.get_by_text("last used").count() >= 1
    page.get_by_role("button", name="Remove A telephone").click()
    page.get_by_text("This passkey no longer works here").wait_for()
    context.clear_cookies()
    page.goto(f"{address}/sign-in")
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.get_by_text("This passkey was not accepted").wait_for()
    assert faults == []
    context.close()
