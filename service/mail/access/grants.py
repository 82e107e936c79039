"""How the owner of a mailbox allows Galloper to use it: by a code typed in elsewhere (RFC 8628), or by a
browser that comes back with a code (RFC 8252, RFC 7636). Each ends with a refresh token.
"""

from __future__ import annotations

import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from http.server import BaseHTTPRequestHandler, HTTPServer
from time import monotonic
from urllib.parse import parse_qs, urlencode, urlsplit

from adjudicator.errors import UserFacingError
from service.mail.access.token_endpoint import NoAnswer, TokenRefused, ask

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
LONGEST_WAIT = 1800.0
"""Seconds for which a code is waited for at most, whatever the provider states."""
_LONGEST_PAUSE = 60.0
_SHOWN = re.compile(r"[\x21-\x7e]{1,300}")
_REFUSED = {"access_denied", "authorization_declined"}
_ENDED = {"expired_token", "code_expired", "bad_verification_code"}

_PAGE = b"<!doctype html><title>Galloper</title><p>You can close this page and go back to the terminal.</p>"
_MOST_REQUESTS = 50
"""Requests of others, such as for an icon, before waiting ends."""


class LoginFailed(UserFacingError):
    """The owner's permission was not given or not understood; the sentence shows what to do."""


@dataclass(frozen=True, slots=True)
class Client:
    """A program as registered at a provider by the coordinator: its client id and perhaps a secret.
    `device_url` is "" where the provider takes no typed code for mail; `extra` goes with the browser."""

    token_url: str
    scope: str
    client_id: str
    client_secret: str = ""
    authorize_url: str = ""
    device_url: str = ""
    extra: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class DeviceCode:
    """What the owner types in, and where; `interval` and `life` are seconds."""

    user_code: str
    address: str
    secret: str
    interval: float
    life: float


def begin_device_login(client: Client) -> DeviceCode:
    """Ask for a code (RFC 8628, 3.1). Raises LoginFailed."""
    answer = _asked(client.device_url, {"client_id": client.client_id, "scope": client.scope})
    # Google writes verification_url, from before the RFC.
    address = _text(answer, "verification_uri") or _text(answer, "verification_url")
    user_code, secret = _text(answer, "user_code"), _text(answer, "device_code")
    # Both are shown on a terminal, and the address is opened.
    is_plain = all(_SHOWN.fullmatch(part.replace(" ", "")) for part in (address, user_code))
    if not is_plain or not secret or urlsplit(address).scheme != "https":
        raise LoginFailed("The provider's answer has no code and address to show; nothing was stored. Check "
                          "the provider and the client id, and try again.")
    return DeviceCode(user_code, address, secret, _seconds(answer.get("interval"), 5.0),
                      min(_seconds(answer.get("expires_in"), 900.0), LONGEST_WAIT))


def wait_for_owner(
    client: Client, code: DeviceCode, *, sleep: Callable[[float], None], now: Callable[[], float]
) -> str:
    """Ask until the owner has typed the code in (RFC 8628, 3.4 and 3.5); the refresh token. Raises
    LoginFailed."""
    pause, end = max(1.0, code.interval), now() + code.life
    form = {"grant_type": DEVICE_GRANT, "device_code": code.secret, "client_id": client.client_id,
            "client_secret": client.client_secret}
    while now() + pause <= end:
        sleep(pause)
        try:
            return _refresh_token(ask(client.token_url, form), client)
        except TokenRefused as refused:
            if refused.code in _REFUSED:
                raise LoginFailed("Permission was refused; nothing was stored. Run galloper login again and "
                                  "grant it.") from None
            if refused.code in _ENDED:
                break
            if refused.code == "slow_down":
                pause = min(pause + 5.0, _LONGEST_PAUSE)
            elif refused.code != "authorization_pending" and refused.status < 500:
                raise LoginFailed(_unusable(refused.code)) from None
        except NoAnswer:
            # RFC 8628, 3.5: after a time-out ask less often.
            pause = min(pause * 2, _LONGEST_PAUSE)
    raise LoginFailed("The code was not entered in time; nothing was stored. Run galloper login again.")


@dataclass(frozen=True, slots=True)
class BrowserLogin:
    """One login by browser. `address` is opened by the owner; `state` and `verifier` are known to this
    process alone."""

    address: str
    redirect: str
    state: str
    verifier: str


def begin_browser_login(
    client: Client, redirect: str, secret: Callable[[int], str] = secrets.token_urlsafe
) -> BrowserLogin:
    """The address to open, with a challenge (RFC 7636, 4.2: S256)."""
    state, verifier = secret(32), secret(64)
    challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    query = {
        "client_id": client.client_id, "redirect_uri": redirect, "response_type": "code",
        "scope": client.scope, "state": state, "code_challenge": challenge,
        "code_challenge_method": "S256", **dict(client.extra),
    }
    return BrowserLogin(f"{client.authorize_url}?{urlencode(query)}", redirect, state, verifier)


def finish_browser_login(client: Client, login: BrowserLogin, came_back: str) -> str:
    """The refresh token for the address with which the browser came back. Raises LoginFailed."""
    try:
        query = parse_qs(urlsplit(came_back.strip()).query, max_num_fields=50)
    except ValueError:
        query = {}
    values = {name: texts[0] for name, texts in query.items() if len(texts) == 1}
    # First of all: a code with another state is the answer to another person's question (RFC 8252, 8.9).
    if not compare_digest(values.get("state", "").encode(), login.state.encode()):
        raise LoginFailed("The browser returned the answer of another login, so it was not used; nothing "
                          "was stored. Run galloper login again, and open only the address that it prints.")
    if "error" in values:
        raise LoginFailed("Permission was refused; nothing was stored. Run galloper login again and grant "
                          "it.")
    if not values.get("code"):
        raise LoginFailed("The browser returned no code; nothing was stored. Run galloper login "
                          "again.")
    answer = _asked(client.token_url, {
        "grant_type": "authorization_code", "code": values["code"], "redirect_uri": login.redirect,
        "client_id": client.client_id, "client_secret": client.client_secret,
        "code_verifier": login.verifier,
    })
    return _refresh_token(answer, client)


def _asked(url: str, form: Mapping[str, str]) -> dict[str, object]:
    try:
        return ask(url, form)
    except TokenRefused as refused:
        raise LoginFailed(_unusable(refused.code)) from None
    except NoAnswer as fault:
        raise LoginFailed(f"The provider {urlsplit(url).hostname} does not answer ({fault}); nothing was "
                          "stored. Check the network and try again.") from None


def _unusable(code: str) -> str:
    return (f"The provider refused the login ({code}); nothing was stored. Check the client id and its "
            "secret, and that the program has the right to mail, see docs/how-to/prepare-a-mailbox.md.")


def _refresh_token(answer: Mapping[str, object], client: Client) -> str:
    granted = _text(answer, "scope").split()
    wanted = [scope for scope in client.scope.split() if scope.startswith("https://")]
    # Google's page has a tick for each scope, and a login without the one for mail would be of no use.
    if granted and not set(wanted) & set(granted):
        raise LoginFailed("The provider's answer does not allow mail; nothing was stored. Run galloper "
                          "login again and tick every permission.")
    token = _text(answer, "refresh_token")
    if not _SHOWN.fullmatch(token[:300]) or not token.isascii() or len(token) > 10_000 or " " in token:
        raise LoginFailed("The provider gave no refresh token; nothing was stored. Remove the program from "
                          "the account's connected apps, and run galloper login again.")
    return token


def _text(answer: Mapping[str, object], name: str) -> str:
    value = answer.get(name)
    return value if isinstance(value, str) else ""


def _seconds(value: object, usual: float) -> float:
    # RFC 8628 has a number; some providers send it as text. True is a number for Python.
    text = str(value)
    return float(text) if text.isascii() and text.isdigit() and 0 < int(text[:9]) < 10**8 else usual


class LoopbackListener:
    """Listens on 127.0.0.1 alone, at a port that the system chooses, until one answer came."""

    def __init__(self, *, seconds: float = 600.0, now: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds
        self._now = now
        self._came_back = ""
        listener = self

        class Handler(BaseHTTPRequestHandler):
            # A client that sends nothing is let go.
            timeout = 5.0

            def do_GET(self) -> None:
                # Another name for this machine, as a page of a stranger may give it, is not an answer to us.
                is_ours = self.headers.get("Host", "") == f"127.0.0.1:{listener.port}"
                query = parse_qs(urlsplit(self.path).query)
                is_answer = is_ours and "state" in query and urlsplit(self.path).path == "/"
                if is_answer:
                    listener._came_back = self.path
                self.send_response(200 if is_answer else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(_PAGE if is_answer else b"")

            # The address has the code in it, and http.server would write it to standard error.
            def log_message(self, *_: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def redirect(self) -> str:
        """The address to which the browser is sent back."""
        return f"http://127.0.0.1:{self.port}/"

    def wait(self) -> str:
        """The address with which the browser came back, "" if it did not in time. The port is closed then."""
        end = self._now() + self._seconds
        try:
            for _ in range(_MOST_REQUESTS):
                self._server.timeout = max(0.0, end - self._now())
                if self._came_back or not self._server.timeout:
                    break
                self._server.handle_request()
        finally:
            self._server.server_close()
        return self._came_back
