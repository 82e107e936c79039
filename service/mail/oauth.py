"""Access tokens for mail servers that take them instead of a password (RFC 6749; XOAUTH2 at the mail server).

A token is kept in memory until shortly before it ends, and is never logged.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from threading import Lock
from time import monotonic
from urllib.parse import urlsplit

from service.config import OAuth

SECONDS = 15.0
EARLY = 60.0
"""Seconds before its end, from which a token is not used any more."""
USUAL_LIFE = 600.0
"""Seconds for which a token is used if its provider does not say how long it lives."""


class NoToken(Exception):
    """The provider gives no token; the sentence names it and the setting."""


class Tokens:
    """The tokens of one login. Safe to share between threads. `setting`: its name in the settings file
    ("mail_in.oauth")."""

    def __init__(self, settings: OAuth, setting: str, *, now: Callable[[], float] = monotonic) -> None:
        self._settings = settings
        self._setting = setting
        self._now = now
        self._refresh = settings.refresh_token
        self._token = ""
        self._until = 0.0
        self._lock = Lock()

    def token(self) -> str:
        """A token that is good for `EARLY` seconds at least. Raises NoToken."""
        with self._lock:
            if not self._token or self._now() >= self._until:
                self._ask()
            return self._token

    def forget(self) -> None:
        """Drop the token, because the mail server refused it. The next call of `token` asks for another."""
        with self._lock:
            self._token = ""

    def _ask(self) -> None:
        answer = self._answer()
        token, lifetime = answer.get("access_token"), answer.get("expires_in")
        if not isinstance(token, str) or not token or not token.isascii():
            raise NoToken(self._sentence("no access_token"))
        self._token = token
        # RFC 6749, 5.1 has a number; some providers send it as text.
        is_number = isinstance(lifetime, (int, float, str)) and str(lifetime).isdigit()
        seconds = float(str(lifetime)) if is_number else USUAL_LIFE
        self._until = self._now() + max(0.0, seconds - EARLY)
        # RFC 6749, 6: some providers give a new refresh token each time, and the old one ends.
        renewed = answer.get("refresh_token")
        if isinstance(renewed, str) and renewed:
            self._refresh = renewed

    def _answer(self) -> dict[str, object]:
        settings = self._settings
        # RFC 6749, 4.4: without a refresh token the application asks in its own name. Exchange Online wants
        # that of programs that no person uses.
        grant = "refresh_token" if self._refresh else "client_credentials"
        form = {
            "client_id": settings.client_id, "client_secret": settings.client_secret,
            "scope": settings.scope, "grant_type": grant, "refresh_token": self._refresh,
        }
        body = urllib.parse.urlencode({key: value for key, value in form.items() if value}).encode()
        accept = {"Accept": "application/json"}
        # The settings take https addresses only.
        request = urllib.request.Request(settings.token_url, body, accept)  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as response:  # noqa: S310
                answer = json.loads(response.read(1_000_000))
        except urllib.error.HTTPError as error:
            raise NoToken(self._sentence(_fault(error))) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise NoToken(self._sentence(type(reason).__name__)) from None
        if not isinstance(answer, dict):
            raise NoToken(self._sentence("no JSON object"))
        return answer

    def _sentence(self, reason: str) -> str:
        host = urlsplit(self._settings.token_url).hostname
        return f"The provider {host} gives no access token ({reason}); check {self._setting} and the network."


def _fault(error: urllib.error.HTTPError) -> str:
    """The provider's error code (RFC 6749, 5.2), else the HTTP status."""
    # One of a few plain words; anything else is a stranger's text, which the status page must not show.
    try:
        word = json.loads(error.read(100_000)).get("error")
    except (OSError, ValueError, AttributeError):
        word = None
    return (
        word
        if isinstance(word, str) and word.replace("_", "").isalpha() and len(word) < 60
        else str(error.code)
    )


def tokens_of(settings: OAuth | None, setting: str) -> Tokens | None:
    """The tokens of a login, or None if it uses a password."""
    return None if settings is None else Tokens(settings, setting)


def xoauth2(user: str, token: str) -> str:
    """The client's first answer in XOAUTH2, before base64."""
    return f"user={user}\1auth=Bearer {token}\1\1"
