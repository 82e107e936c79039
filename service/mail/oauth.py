"""Access tokens for mail servers that take them in place of a password (RFC 6749; the servers' side is called
XOAUTH2).

With a refresh token that grant is used; without one the application asks in its own name (client
credentials), as Exchange Online wants it of programs that nobody sits at. A token is kept until shortly
before it ends, in memory only, and is never logged.
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
"""Seconds before its end from which a token is not used any more."""
USUAL_LIFE = 600.0
"""Seconds that a token is used whose provider does not say how long it lives."""


class NoToken(Exception):
    """The provider gives no token; the sentence names it and the setting."""


class Tokens:
    """The tokens of one login. Safe to share between threads. `setting` is how the settings call it
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
        """A token that is good for a minute at least. Raises NoToken."""
        with self._lock:
            if not self._token or self._now() >= self._until:
                self._ask()
            return self._token

    def forget(self) -> None:
        """The server refused the token: the next one is asked for anew."""
        with self._lock:
            self._token = ""

    def _ask(self) -> None:
        answer = self._answer()
        token, life = answer.get("access_token"), answer.get("expires_in")
        if not isinstance(token, str) or not token or not token.isascii():
            raise NoToken(self._sentence("no access_token"))
        self._token = token
        seconds = float(life) if isinstance(life, (int, float, str)) and str(life).isdigit() else USUAL_LIFE
        self._until = self._now() + max(0.0, seconds - EARLY)
        # Some providers give a new refresh token each time and let the old one end.
        renewed = answer.get("refresh_token")
        if isinstance(renewed, str) and renewed:
            self._refresh = renewed

    def _answer(self) -> dict[str, object]:
        s = self._settings
        form = {"client_id": s.client_id, "client_secret": s.client_secret, "scope": s.scope}
        form |= {"grant_type": "refresh_token", "refresh_token": self._refresh} if self._refresh else {
            "grant_type": "client_credentials"}
        body = urllib.parse.urlencode({key: value for key, value in form.items() if value}).encode()
        request = urllib.request.Request(s.token_url, body, {"Accept": "application/json"})  # noqa: S310 https by the setting's form
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as response:  # noqa: S310
                said = json.loads(response.read(1_000_000))
        except urllib.error.HTTPError as error:
            raise NoToken(self._sentence(_fault(error))) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise NoToken(self._sentence(type(reason).__name__)) from None
        if not isinstance(said, dict):
            raise NoToken(self._sentence("no JSON object"))
        return said

    def _sentence(self, reason: str) -> str:
        host = urlsplit(self._settings.token_url).hostname
        return f"The provider {host} gives no access token ({reason}); check {self._setting} and the network."


def _fault(error: urllib.error.HTTPError) -> str:
    """The provider's word for it (RFC 6749, 5.2), which is one of a few plain ones, or the status."""
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
    """The tokens of a login, or None where a password is used."""
    return None if settings is None else Tokens(settings, setting)


def xoauth2(user: str, token: str) -> str:
    """What the client says first, before its encoding."""
    return f"user={user}\1auth=Bearer {token}\1\1"
