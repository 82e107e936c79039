"""Access tokens for mail servers that take them instead of a password (RFC 6749; XOAUTH2 at the mail server).

A token is stored in memory until shortly before it ends, and is never logged.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from time import monotonic
from urllib.parse import urlsplit

from service.config import OAuth
from service.mail.access.token_endpoint import SECONDS, NoAnswer, TokenRefused, ask


def write_secret(path: Path, secret: str) -> None:
    """Put a secret into a file in place of an older one, with mode 0600 from its first byte on. Raises
    OSError; then the older one is as it was."""
    # `mkstemp` makes it 0600 whatever the umask is; renaming is the only change that anybody can see.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(secret + "\n")
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def read_secret(path: Path) -> str:
    """The secret in a file, without blanks around it. Raises OSError, UnicodeDecodeError."""
    return path.read_text("utf-8").strip()


log = logging.getLogger(__name__)

EARLY = 60.0
"""Seconds before its end, from which a token is not used any more."""
USUAL_LIFE = 600.0
"""Seconds for which a token is used if its provider does not show how long it lives."""


class NoToken(Exception):
    """The provider gives no token; the sentence names it and the setting. `is_refused`: it answered, and will
    answer so until the settings change or the owner of the mailbox allows it again."""

    def __init__(self, sentence: str, *, is_refused: bool = False) -> None:
        super().__init__(sentence)
        self.is_refused = is_refused


class Tokens:
    """The tokens of one login. Safe to share between threads. `setting`: its name in the settings file
    ("mail_in.oauth")."""

    def __init__(
        self, settings: OAuth, setting: str, *, now: Callable[[], float] = monotonic, seconds: float = SECONDS
    ) -> None:
        self._seconds = seconds
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
        """Drop the token, because the mail server refused it. The next call of `token` requests another."""
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
        if isinstance(renewed, str) and renewed and renewed != self._refresh:
            self._refresh = renewed
            self._keep(renewed)

    def _keep(self, renewed: str) -> None:
        """Put a renewed refresh token into its file, or the next start would have one that has ended."""
        if not self._settings.refresh_token_file:
            return
        try:
            write_secret(Path(self._settings.refresh_token_file), renewed)
        except OSError as error:
            log.warning("%s: the renewed refresh token could not be stored "
                        "(%s)", self._setting, error.strerror)

    def _read_files(self) -> str:
        """The client's secret; the refresh token is read too, since a new login counts from now on."""
        settings = self._settings
        path = settings.refresh_token_file
        try:
            self._refresh = read_secret(Path(path)) if path else self._refresh
            path = settings.client_secret_file
            return read_secret(Path(path)) if path else settings.client_secret
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "no text"
            raise NoToken(f"{path} cannot be read ({reason}); check {self._setting}, or run galloper login "
                          "again.", is_refused=True) from None

    def _answer(self) -> dict[str, object]:
        settings = self._settings
        secret = self._read_files()
        # RFC 6749, 4.4: without a refresh token the application requests in its own name. Exchange Online
        # needs that of programs that no one uses.
        grant = "refresh_token" if self._refresh else "client_credentials"
        form = {
            "client_id": settings.client_id, "client_secret": secret,
            "scope": settings.scope, "grant_type": grant, "refresh_token": self._refresh,
        }
        try:
            return ask(settings.token_url, form, seconds=self._seconds)
        except TokenRefused as refused:
            # RFC 6749, 5.2: 400 and 401 are about the client; others, such as 429 and 503, pass.
            is_refused = refused.status in {400, 401, 403}
            raise NoToken(self._sentence(refused.code), is_refused=is_refused) from None
        except NoAnswer as fault:
            raise NoToken(self._sentence(str(fault))) from None

    def _sentence(self, reason: str) -> str:
        host = urlsplit(self._settings.token_url).hostname
        return f"The provider {host} gives no access token ({reason}); check {self._setting} and the network."


def tokens_of(settings: OAuth | None, setting: str) -> Tokens | None:
    """The tokens of a login, or None if it uses a password."""
    return None if settings is None else Tokens(settings, setting)


def xoauth2(user: str, token: str) -> str:
    """The client's first answer in XOAUTH2, before base64."""
    return f"user={user}\1auth=Bearer {token}\1\1"
