"""One question to a provider's token endpoint (RFC 6749, 3.2), and what may go wrong with it."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping

from service.mail.time_limit import LineLimits, TimeLimit, limited, limited_context

SECONDS = 15.0
_MOST_BYTES = 1_000_000


class TokenRefused(Exception):
    """The provider answered with an error (RFC 6749, 5.2). `code`: its word, or the HTTP status."""

    def __init__(self, code: str, status: int) -> None:
        super().__init__(code)
        self.code = code
        self.status = status


class NoAnswer(Exception):
    """The provider did not answer, or with something that is not a JSON object; the text is a word for
    why."""


def ask(url: str, form: Mapping[str, str], *, seconds: float = SECONDS) -> dict[str, object]:
    """Post a form and return the JSON object; `seconds` is the limit for all of it. Empty values are left
    out. Raises TokenRefused, NoAnswer."""
    body = urllib.parse.urlencode({key: value for key, value in form.items() if value}).encode()
    # The settings take https addresses only, and loopback.
    request = urllib.request.Request(url, body, {"Accept": "application/json"})  # noqa: S310
    try:
        answer = json.loads(_read_in_time(request, seconds))
    except urllib.error.HTTPError as error:
        raise TokenRefused(_word(error), error.code) from None
    except (OSError, ValueError, RecursionError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise NoAnswer(type(reason).__name__) from None
    if not isinstance(answer, dict):
        raise NoAnswer("no JSON object")
    return answer


def _read_in_time(request: urllib.request.Request, seconds: float) -> bytes:
    """The body of the answer. Raises TimeoutError if the whole of it takes longer."""
    limit = TimeLimit(LineLimits(command_seconds=seconds))
    context = limited_context(None)

    class Plain(http.client.HTTPConnection):
        def connect(self) -> None:
            super().connect()
            self.sock = limited(self.sock, limit)

    class Encrypted(http.client.HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            self.sock = limited(self.sock, limit)

    class PlainDoor(urllib.request.HTTPHandler):
        def http_open(self, asked: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(Plain, asked)

    class EncryptedDoor(urllib.request.HTTPSHandler):
        def https_open(self, asked: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(Encrypted, asked, context=context)

    opener = urllib.request.build_opener(PlainDoor(), EncryptedDoor(context=context))
    with opener.open(request, timeout=seconds) as response:
        body = response.read(_MOST_BYTES)
    return bytes(body)


def _word(error: urllib.error.HTTPError) -> str:
    """The provider's error code, else the HTTP status."""
    # One of a few plain words; anything else is a stranger's text, which the status page must not show.
    try:
        word = json.loads(error.read(100_000)).get("error")
    except (OSError, ValueError, AttributeError, RecursionError, http.client.HTTPException):
        word = None
    is_plain = isinstance(word, str) and word.replace("_", "").isalpha() and word.isascii() and len(word) < 60
    return str(word) if is_plain else str(error.code)
