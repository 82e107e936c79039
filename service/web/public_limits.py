"""Limits on the cost of strangers (SEC-05): requests by address, and pictures that are drawn once and not for
each of them."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass, field

from fastapi import HTTPException, Request
from fastapi.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.feature import takes_photographs
from service.web.networks import LOOPBACK, network_of

AT_ONCE = 120
"""Requests of one address for public pages that are answered at once: a page and its pictures are ten."""
A_SECOND = 2.0
"""And this many a second after that."""
_MOST_ADDRESSES = 20_000
_MOST_PICTURES = 500
_MOST_BYTES = 80_000_000
MOST_OF_A_STRANGER = 400_000
"""Bytes of a form that needs no sign-in; the largest is one that was stored while a person signs in again."""
MOST_OF_A_SHEET = 27_000_000
"""Bytes of a form with the photographs of one sheet; what comes by mail is held to as much
(`service.intake.verdicts.rules.MOST_BYTES`)."""
MOST_OF_A_FORM = 80_000_000
"""Bytes of any form; the largest has scans of letters."""
BOTH_LENGTHS = ("This request gives its length in two ways, so its end is unclear. Nothing was changed.\n")
TOO_LARGE = "This is larger than any form of this site. Nothing was changed: go back, and send less."
TOO_LARGE_SHEET = ("Nothing was sent: 25 MB are the most for all photographs together. Send fewer, or "
                   "smaller ones.")
"""The sentence for a sheet by a page that is too large; the size is
`service.intake.verdicts.rules.MOST_BYTES`."""
DRAWN_OR_AWAITED = 20
"""Requests for pictures that are not drawn yet: half of the threads that the desk has for everybody."""
DRAWING = ("Many pictures are being drawn at this moment. Nothing is wrong with this one: reload in half a "
           "minute.")
SLOWLY = ("Too many requests came from your address. Nothing is wrong with the page: wait a minute and "
          "reload.")


def address_of(request: Request) -> str:
    """The address that a request comes from; "" where its server passes on none."""
    return request.client.host if request.client is not None else ""


@dataclass(slots=True)
class RateLimit:
    """How much each address has left, in this process. `now`: seconds of a clock that only goes on."""

    at_once: int = AT_ONCE
    a_second: float = A_SECOND
    now: Callable[[], float] = time.monotonic
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def allows(self, address: str) -> bool:
        """Whether one more request of this address is answered; it is counted."""
        network, now = network_of(address), self.now()
        if network == LOOPBACK:
            return True
        with self._lock:
            left, then = self._left.pop(network, (float(self.at_once), now))
            left = min(float(self.at_once), left + (now - then) * self.a_second)
            self._left[network] = (max(left - 1, 0.0), now)
            # Invented addresses cannot fill the memory: the one that was seen least lately is forgotten.
            if len(self._left) > _MOST_ADDRESSES:
                self._left.popitem(last=False)
            return left >= 1


OPEN_TO_STRANGERS = ("/public/", "/api/", "/sign-in", "/alive", "/metrics")


async def limit_strangers(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    """Answer 429 where an address requests too many pages that are open to strangers."""
    limit: RateLimit = request.app.state.public_limit
    if request.url.path.startswith(OPEN_TO_STRANGERS) and not limit.allows(address_of(request)):
        return _refusal(request, 429, SLOWLY, {"Retry-After": "60"})
    return await call_next(request)


def _refusal(request: Request, status: int, sentence: str, headers: Mapping[str, str]) -> Response:
    """A page in the reader's language for a browser at a page for players, and else the sentence alone.
    No one is looked up for it: it is to cost little."""
    if request.url.path.startswith("/public/") and "text/html" in request.headers.get("accept", ""):
        page: Response = request.app.state.public_error_page(request, status, sentence, (), False)
        page.headers.update(headers)
        return page
    return PlainTextResponse(sentence + "\n", status, dict(headers))


@dataclass(slots=True)
class DrawnOnce:
    """Pictures by what is on them, drawn by one request while others wait for it. `at_once`: how many may
    wait: each holds a thread, of which the desk has forty for everybody."""

    at_once: int = DRAWN_OR_AWAITED
    _pictures: OrderedDict[Hashable, bytes] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _drawing: threading.Lock = field(default_factory=threading.Lock)
    _waiting: int = 0

    def get(self, key: Hashable, draw: Callable[[], bytes]) -> bytes:
        """The picture of this key, drawn if it is not here. Raises 503 where too many wait for pictures."""
        with self._lock:
            if key in self._pictures:
                self._pictures.move_to_end(key)
                return self._pictures[key]
            if self._waiting >= self.at_once:
                raise HTTPException(503, DRAWING, {"Retry-After": "30"})
            self._waiting += 1
        try:
            # One drawing at a time: a map takes a second of a processor, and strangers may ask for all.
            with self._drawing:
                with self._lock:
                    picture = self._pictures.get(key)
                return self._keep(key, draw()) if picture is None else picture
        finally:
            with self._lock:
                self._waiting -= 1

    def _keep(self, key: Hashable, picture: bytes) -> bytes:
        with self._lock:
            self._pictures[key] = picture
            while len(self._pictures) > 1 and (
                len(self._pictures) > _MOST_PICTURES or sum(map(len, self._pictures.values())) > _MOST_BYTES
            ):
                self._pictures.popitem(last=False)
        return picture


class BodyLimit:
    """Refuses what is too large to be one of our forms, before it is held in memory (an ASGI application)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and end it with 413 once it has too many bytes."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = _most_of(str(scope["path"]))
        headers = dict(scope["headers"])
        length = headers.get(b"content-length", b"")
        # Anyone who is before us may have cut the stream elsewhere (RFC 9112, 6.1), and the first of the two
        # sizes would pass for the second.
        if length and b"transfer-encoding" in headers:
            await PlainTextResponse(BOTH_LENGTHS, 400, {"Connection": "close"})(scope, receive, send)
            return
        # The server limits a body to its declared size; browsers declare it for every form.
        if length.isdigit():
            fits, again = int(length) <= most, receive
        else:
            fits, again = await _read_whole(receive)
        if fits:
            await self._app(scope, again, send)
            return
        sentence = TOO_LARGE_SHEET if takes_photographs(str(scope["path"])) else TOO_LARGE
        await _refusal(Request(scope), 413, sentence, {"Connection": "close"})(scope, again, send)


def _most_of(path: str) -> int:
    if takes_photographs(path):
        return MOST_OF_A_SHEET
    return MOST_OF_A_STRANGER if path.startswith(("/sign-in", "/public/")) else MOST_OF_A_FORM


async def _read_whole(receive: Receive) -> tuple[bool, Receive]:
    """Whether a body without a size is as small as a stranger's form, and a door that gives it once more."""
    messages, size = [], 0
    while True:
        message = await receive()
        messages.append(message)
        size += len(message.get("body", b""))
        if size > MOST_OF_A_STRANGER or message["type"] != "http.request" or not message.get("more_body"):
            break

    async def again() -> Message:
        return messages.pop(0) if messages else await receive()

    return size <= MOST_OF_A_STRANGER, again
