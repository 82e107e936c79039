"""Tells other programs that results are out: a signed POST without content, or a notice by apprise (BEY-06).

The body names the game, the phase and the instant; what the results say has to be fetched, with a token or as
a player. An address that does not answer is tried again for a day. What was told, and what failed, is in the
log; an address itself is in neither, since it may hold a secret.
"""

from __future__ import annotations

import hmac
import http.client
import ipaddress
import json
import logging
import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.clock import Clock
from service.config import Notice, Webhook
from service.games.game_clock import is_rehearsal
from service.jobs import Jobs
from service.store import records
from service.store.engine import Store
from service.store.tables import EventRow, GameRow

log = logging.getLogger(__name__)
WORK = "webhook"
"""Work that tells one address: {"event": id, "hook": mark, "turn": number}."""
SECONDS = 15.0
"""Between two looks."""
APPROVED = "results_approved"
DELIVERED, FAILED = "webhook_delivered", "webhook_failed"
"""The events of the site."""
TURNS = tuple(timedelta(minutes=minutes) for minutes in (0, 1, 5, 30, 120, 360, 720, 1380))
"""After the results: when an address is tried that has not answered yet."""
PATIENCE = 10.0
"""Seconds that an address has to answer."""
SIGNATURE = "Galloper-Signature"

Resolve = Callable[[str, int], Sequence[str]]


class NotDelivered(Exception):
    """An address did not take the message; the reason in a few words, without the address."""


def mark_of(hook: Webhook | Notice) -> str:
    """What stands for an address in keys and in the log."""
    return sha256(hook.url.encode()).hexdigest()[:12]


def signed(secret: str, seconds: int, body: bytes) -> str:
    """The header: "t=SECONDS,v1=HMAC", of "SECONDS.BODY" by SHA-256 (RFC 2104), so that neither can be
    changed and an old message is known."""
    digest = hmac.new(secret.encode(), f"{seconds}.".encode() + body, sha256).hexdigest()
    return f"t={seconds},v1={digest}"


def addresses_of(host: str, port: int) -> list[str]:
    """The addresses of a host by DNS. Raises NotDelivered."""
    try:
        return sorted({str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)})
    except OSError:
        raise NotDelivered("its name is not known") from None


@dataclass(frozen=True, slots=True)
class Poster:
    """Posts over HTTPS to public addresses only. `resolve`, `context` and `is_allowed` are for tests."""

    resolve: Resolve = addresses_of
    context: ssl.SSLContext | None = None
    is_allowed: Callable[[str], bool] = lambda address: ipaddress.ip_address(address).is_global

    def __call__(self, hook: Webhook, body: bytes, seconds: int) -> None:
        """Post one message, signed at `seconds` of Unix time. Raises NotDelivered."""
        parts = urlsplit(hook.url)
        host, port = str(parts.hostname), parts.port or 443
        addresses = self.resolve(host, port)
        # All of them: a name with one public and one private address leads inside at the second try.
        if not addresses or not all(map(self.is_allowed, addresses)):
            raise NotDelivered("its name leads to a private address")
        connection = _Pinned(host, port, addresses[0], self.context or ssl.create_default_context())
        path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
        try:
            connection.request("POST", path, body, {
                "Content-Type": "application/json", "User-Agent": "Galloper", SIGNATURE: signed(
                    hook.secret, seconds, body)})
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as fault:
            raise NotDelivered(f"it did not answer ({type(fault).__name__})") from None
        finally:
            connection.close()
        # A redirect is an answer like any other: it may lead inside.
        if not 200 <= status < 300:
            raise NotDelivered(f"it answered {status}")


def send_notice(notice: Notice, body: bytes) -> None:
    """Tell somebody by apprise, in one sentence. Raises NotDelivered."""
    try:
        # An extra, and heavy: it knows a hundred services.
        library = import_module("apprise")
    except ImportError:
        raise NotDelivered('the package apprise is not installed; pip install "galloper[notices]"') from None
    # It would log the address, which may hold a secret.
    logging.getLogger("apprise").setLevel(logging.CRITICAL)
    news, sender = json.loads(body), library.Apprise()
    if not sender.add(notice.url):
        raise NotDelivered("apprise does not know such an address")
    # Plain text: no service is to make a link or a tag of the name of a game.
    if not sender.notify(title="Results are out", body=f"{news['game']}: {news['phase']}",
                         body_format=library.NotifyFormat.TEXT):
        raise NotDelivered("the service did not take it")


def tell(hook: Webhook | Notice, body: bytes, seconds: int) -> None:
    """Tell one address, at `seconds` of Unix time. Raises NotDelivered."""
    if isinstance(hook, Notice):
        send_notice(hook, body)
    else:
        Poster()(hook, body, seconds)


class _Pinned(http.client.HTTPSConnection):
    """A connection to the address that was checked: the name is not asked for again."""

    def __init__(self, host: str, port: int, address: str, context: ssl.SSLContext) -> None:
        super().__init__(host, port, timeout=PATIENCE, context=context)
        self._address, self._tls = address, context

    def connect(self) -> None:
        """See http.client."""
        raw = socket.create_connection((self._address, self.port), self.timeout)
        self.sock = self._tls.wrap_socket(raw, server_hostname=self.host)


@dataclass(frozen=True, slots=True)
class Webhooks:
    """The addresses of a site, and what is told them."""

    store: Store
    jobs: Jobs
    clock: Clock
    hooks: Sequence[Webhook | Notice]
    post: Callable[[Any, bytes, int], None] = tell

    def look(self) -> int:
        """Enqueue what is to be told, or told again; how many jobs are due."""
        if not self.hooks:
            return 0
        now, count = self.clock.now(), 0
        with self.store.begin() as session:
            delivered = self._delivered(session, now)
            for event in session.scalars(select(EventRow).where(
                    EventRow.what == APPROVED, EventRow.at > now - timedelta(days=1))):
                turn = sum(event.at + pause <= now for pause in TURNS) - 1
                for hook in self.hooks:
                    mark = mark_of(hook)
                    if turn >= 0 and (event.id, mark) not in delivered and not _rehearses(session, event):
                        self.jobs.enqueue(session, WORK, f"{WORK}:{event.id}:{mark}:{turn}", {
                            "event": event.id, "hook": mark, "turn": turn})
                        count += 1
        return count

    def run(self, payload: dict[str, Any]) -> None:
        """The job: tell one address, once."""
        now = self.clock.now()
        with self.store() as session:
            event = session.get(EventRow, int(payload["event"]))
            hook = next((each for each in self.hooks if mark_of(each) == payload["hook"]), None)
            if event is None or hook is None or (event.id, payload["hook"]) in self._delivered(session, now):
                return
            body = json.dumps({
                "event": "results", "game": event.game_id, "phase": event.detail.get("phase"),
                "sent_at": event.at.astimezone(UTC).isoformat(), "id": f"{event.id}-{payload['hook']}",
            }, sort_keys=True).encode()
        detail = {"event": event.id, "hook": payload["hook"]}
        try:
            self.post(hook, body, int(now.timestamp()))
        except NotDelivered as fault:
            log.info("a webhook was not delivered: %s", fault)
            self._log(now, FAILED, detail | {"turn": payload["turn"], "why": str(fault)})
        else:
            self._log(now, DELIVERED, detail)

    def _delivered(self, session: Session, now: datetime) -> set[tuple[int, str]]:
        rows = session.scalars(select(EventRow.detail).where(
            EventRow.what == DELIVERED, EventRow.at > now - timedelta(days=2)))
        return {(int(detail["event"]), str(detail["hook"])) for detail in rows}

    def _log(self, now: datetime, event: str, detail: dict[str, Any]) -> None:
        with self.store.begin() as session:
            records.log_event(session, now, event, detail=detail)


def _rehearses(session: Session, event: EventRow) -> bool:
    game = session.get(GameRow, event.game_id)
    return game is None or is_rehearsal(game.options)
