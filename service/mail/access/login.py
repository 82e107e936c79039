"""One login of the site: its access tokens, and the pause after it was refused.

Providers lock an account whose password is tried again and again. So everything in this process that logs in
as the same user shares one `Login`, and after a refusal no one tries before its time, or before the
settings change. """

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from time import monotonic

from service.config import MailIn, MailOut
from service.mail.access.oauth import Tokens, tokens_of

PAUSES = (60.0, 300.0, 900.0, 3600.0)
"""Seconds before the next try after the first, second ... refusal; the last one repeats."""


class LoginPaused(Exception):
    """The login was refused, and the time of the next try has not come. The text is the refusal's."""


class Login:
    """Safe to share between threads. `setting`: its table in the settings file ("mail_in")."""

    def __init__(
        self, settings: MailIn | MailOut, setting: str, *, now: Callable[[], float] = monotonic
    ) -> None:
        self.tokens: Tokens | None = tokens_of(settings.oauth, f"{setting}.oauth")
        self._now = now
        self._lock = Lock()
        self._refusals = 0
        self._tokens_refused = 0
        self._next_at = 0.0
        self._sentence = ""

    def check(self) -> None:
        """Return if the login may be tried. Raises LoginPaused."""
        with self._lock:
            if self._now() < self._next_at:
                raise LoginPaused(self._sentence)

    def refused(self, sentence: str) -> str:
        """Note that the server refused; the sentence with the time until the next try."""
        with self._lock:
            # Two connections that were refused together count once.
            if self._now() >= self._next_at:
                pause = PAUSES[min(self._refusals, len(PAUSES) - 1)]
                self._refusals += 1
                self._next_at = self._now() + pause
                minutes = round(pause / 60)
                self._sentence = (
                    f"{sentence} The next try is {minutes} minute{'' if minutes == 1 else 's'} later, or as "
                    "soon as the settings change: providers lock accounts that try too often.")
            return self._sentence

    def refused_token(self, sentence: str) -> str:
        """Note that the server refused the token that was given; as `refused` from the second time on."""
        # A token may be taken back before its time; the next try has a fresh one.
        with self._lock:
            self._tokens_refused += 1
            is_first = self._tokens_refused == 1
        if self.tokens is not None:
            self.tokens.forget()
        return sentence if is_first else self.refused(sentence)

    def accepted(self) -> None:
        """Note that the server let us in."""
        with self._lock:
            self._refusals = self._tokens_refused = 0
            self._next_at, self._sentence = 0.0, ""

    @property
    def is_refused(self) -> bool:
        """Whether the newest try was refused."""
        with self._lock:
            return self._refusals > 0
