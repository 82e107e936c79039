"""Informs other programs that results are out: a signed POST without content, or a notice by apprise
(BEY-06).

The body names the game, the phase and the instant; what the results say has to be fetched, with a token or as
a player. An address that does not answer is tried again for a day. What was delivered, and what failed, is in
the log; an address itself is in neither, since it may hold a secret. The page Health shows which do not get
through.

Each address has its own thread and none of the queue's workers: anyone who lets us wait holds up no mail,
no deadline, no letter and no other address.
"""

from __future__ import annotations

import hmac
import http.client
import ipaddress
import json
import logging
import socket
import ssl
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from importlib import import_module
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import select
from sqlalchemy.orm import Session, load_only

from service.clock import Clock
from service.config import Notice, Settings, Webhook
from service.facts.events import Event
from service.games.options import options_of
from service.games.phases import phase_of, phase_title
from service.operations.findings import Finding, FindingState, ago
from service.operations.health import Check, Observation
from service.store import records
from service.store.engine import Store
from service.store.tables import EventRow, GameRow, PhaseRow

log = logging.getLogger(__name__)
SECONDS = 15.0
"""Between two looks."""
APPROVED = Event.RESULTS_APPROVED
DELIVERED, FAILED = Event.WEBHOOK_DELIVERED, Event.WEBHOOK_FAILED
"""The events of the site."""
TURNS = tuple(timedelta(minutes=minutes) for minutes in (0, 1, 5, 30, 120, 360, 720, 1380))
"""After the results: when an address is tried that has not answered yet."""
PATIENCE = 10.0
"""Seconds that an address has to answer, however it spends them."""
SIGNATURE = "Galloper-Signature"

Resolve = Callable[[str, int], Sequence[str]]

NAME = "Webhooks"
SHOWN_FOR = timedelta(days=2)
"""An address that was taken out of the settings is forgotten after this."""
ADVICE = ("Check that the address in the settings still takes messages; a changed address counts as a new "
          "one. Results were sent, and players got their letters. The site tries for a day after the "
          "results, and this entry disappears after two days.")


class NotDelivered(Exception):
    """An address did not take the message; the reason in a few words, without the address."""


def mark_of(hook: Webhook | Notice) -> str:
    """The mark of an address in keys and in the log."""
    return sha256(hook.url.encode()).hexdigest()[:12]


def place_of(hook: Webhook | Notice) -> str:
    """An address for Health and the log: the end of a host's name, since its beginning may be a
    secret as its path may, or the kind of a service."""
    parts = urlsplit(hook.url)
    if isinstance(hook, Notice):
        return f"a notice by {parts.scheme}"
    labels = str(parts.hostname).split(".")
    return f"a webhook at {'…' if len(labels) > 2 else ''}{'.'.join(labels[-2:])}"


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
        raise NotDelivered("its name does not resolve") from None


_UNICAST = ipaddress.ip_network("2000::/3")
_SPECIAL = tuple(map(ipaddress.ip_network, (
    "192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48",
    "3fff::/20")))
"""Of the blocks that the standard library calls global: relays and tunnels that lead to other addresses, and
what is for documents alone (IANA's registries of special-purpose addresses)."""


def is_public(address: str) -> bool:
    """Whether an address is one machine's on the public network, and no other address is packed into it."""
    parsed = ipaddress.ip_address(address)
    if not parsed.is_global or parsed.is_multicast or parsed.is_reserved or (
            parsed.version == 6 and parsed not in _UNICAST):
        return False
    return not any(parsed in network for network in _SPECIAL)


@dataclass(frozen=True, slots=True)
class Poster:
    """Posts over HTTPS to public addresses only. `resolve`, `context` and `is_allowed` are for tests."""

    resolve: Resolve = addresses_of
    context: ssl.SSLContext | None = None
    is_allowed: Callable[[str], bool] = is_public

    def __call__(self, hook: Webhook, body: bytes, seconds: int) -> None:
        """Post one message, signed at `seconds` of Unix time. Raises NotDelivered."""
        parts = urlsplit(hook.url)
        host, port = str(parts.hostname), parts.port or 443
        addresses = self.resolve(host, port)
        # All of them: a name with one public and one private address leads inside at the second try.
        if not addresses or not all(map(self.is_allowed, addresses)):
            raise NotDelivered("its name resolves to a private address")
        connection = _Pinned(host, port, addresses[0], self.context or ssl.create_default_context())
        path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
        # A timeout of a socket is for each of its waits: an answer letter by letter would never end.
        end = threading.Timer(PATIENCE, connection.cut)
        end.daemon = True
        begun = monotonic()
        end.start()
        try:
            connection.request("POST", path, body, {
                "Content-Type": "application/json", "User-Agent": "Galloper", SIGNATURE: signed(
                    hook.secret, seconds, body)})
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as fault:
            raise NotDelivered(_reason(fault, monotonic() - begun)) from None
        finally:
            end.cancel()
            connection.close()
        # A redirect is an answer like any other: it may lead inside.
        if not 200 <= status < 300:
            elsewhere = ", and redirects are not followed" if 300 <= status < 400 else ""
            raise NotDelivered(f"it answered {status}{elsewhere}")


def _reason(fault: Exception, seconds: float) -> str:
    """Why an address did not take a message after so many seconds, in words that lead to what is to be
    mended."""
    # What the cut socket raises depends on what it was doing.
    if isinstance(fault, TimeoutError) or seconds >= PATIENCE:
        return f"it did not answer within {PATIENCE:g} seconds"
    if isinstance(fault, ssl.SSLCertVerificationError):
        return "its certificate is not trusted"
    if isinstance(fault, ConnectionRefusedError):
        return "it refused the connection"
    return f"it did not answer ({type(fault).__name__})"


def send_notice(notice: Notice, body: bytes) -> None:
    """Inform a person by apprise, in one sentence. Raises NotDelivered."""
    try:
        # An extra, and heavy: it supports a hundred services.
        library = import_module("apprise")
    except ImportError:
        raise NotDelivered('the package apprise is not installed; pip install "galloper[notices]"') from None
    # It would log the address, which may hold a secret.
    logging.getLogger("apprise").setLevel(logging.CRITICAL)
    news, sender = json.loads(body), library.Apprise()
    if not sender.add(notice.url):
        raise NotDelivered("apprise does not support this address")
    # Plain text: no service is to make a link or a tag of the name of a game.
    if not sender.notify(title="Results are out", body=f"{news['game']}: {news['phase']}",
                         body_format=library.NotifyFormat.TEXT):
        raise NotDelivered("the service refused it")


def tell(hook: Webhook | Notice, body: bytes, seconds: int) -> None:
    """Deliver to one address, at `seconds` of Unix time. Raises NotDelivered."""
    if isinstance(hook, Notice):
        send_notice(hook, body)
    else:
        Poster()(hook, body, seconds)


class _Pinned(http.client.HTTPSConnection):
    """A connection to the address that was checked: the name is not asked for again."""

    def __init__(self, host: str, port: int, address: str, context: ssl.SSLContext) -> None:
        super().__init__(host, port, timeout=PATIENCE, context=context)
        self._address, self._tls, self._end = address, context, monotonic() + PATIENCE

    def connect(self) -> None:
        """See http.client."""
        raw = socket.create_connection((self._address, self.port), max(0.1, self._end - monotonic()))
        # At hand before anything is stated, so that `cut` ends the greeting too.
        self.sock = self._tls.wrap_socket(raw, server_hostname=self.host, do_handshake_on_connect=False)
        self.sock.do_handshake()

    def cut(self) -> None:
        """End it, from another thread: anyone who waits for an answer gets an OSError."""
        if self.sock is not None:
            with suppress(OSError):
                # Not the shutdown of TLS, which would wait for the other side.
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


@dataclass(frozen=True, slots=True)
class _Message:
    """The notice that is due for one address now: the event, at which of its `TURNS`, and the body."""

    event: int
    turn: int
    body: bytes


@dataclass(slots=True)
class Webhooks:
    """The addresses of a site, and their notices."""

    store: Store
    clock: Clock
    hooks: Sequence[Webhook | Notice]
    post: Callable[[Any, bytes, int], None] | None = None
    _threads: dict[str, threading.Thread] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _ends: threading.Event = field(default_factory=threading.Event)

    def look(self) -> int:
        """Begin to deliver to every address what is due for it, or due again; how many were begun with. An
        address with a delivery under way is left alone."""
        begun = 0
        for hook in self.hooks:
            mark = mark_of(hook)
            with self._lock:
                if self._ends.is_set() or mark in self._threads:
                    continue
                messages = self._due(mark)
                if not messages:
                    continue
                thread = threading.Thread(
                    target=self._tell_all, args=(hook, messages), name="galloper-webhook", daemon=True)
                self._threads[mark] = thread
                thread.start()
            begun += 1
        return begun

    def wait_idle(self, timeout_seconds: float) -> bool:
        """Wait until no delivery is under way; False when that took longer than the timeout."""
        end = monotonic() + timeout_seconds
        with self._lock:
            threads = list(self._threads.values())
        for thread in threads:
            thread.join(max(0.0, end - monotonic()))
        return not any(thread.is_alive() for thread in threads)

    def renew(self, settings: Settings) -> None:
        """Take over, while the site runs, who is informed: an address in wrong hands ends at once."""
        self.hooks = (*settings.webhooks, *settings.notices)

    def stop(self) -> None:
        """Begin no more, and wait for what goes on."""
        self._ends.set()
        self.wait_idle(PATIENCE + 1)

    def _tell_all(self, hook: Webhook | Notice, messages: Sequence[_Message]) -> None:
        mark = mark_of(hook)
        try:
            for message in messages:
                # The others come at the next look: an address that is away is asked once.
                if self._ends.is_set() or not self._tell(hook, mark, message):
                    return
        except Exception:
            log.exception("a webhook was not delivered; it is tried again")
        finally:
            with self._lock:
                del self._threads[mark]

    def _tell(self, hook: Webhook | Notice, mark: str, message: _Message) -> bool:
        """Deliver one notice to one address; whether it was accepted."""
        detail: dict[str, Any] = {"event": message.event, "hook": mark}
        try:
            (self.post or tell)(hook, message.body, int(self.clock.now().timestamp()))
        except NotDelivered as fault:
            log.info("a webhook was not delivered: %s", fault)
            self._log(FAILED, detail | {"turn": message.turn, "why": str(fault), "place": place_of(hook)})
            return False
        self._log(DELIVERED, detail)
        return True

    def _due(self, mark: str) -> list[_Message]:
        """The notices that are due for an address now, the oldest first."""
        now = self.clock.now()
        messages = []
        with self.store() as session:
            delivered = {int(detail["event"]) for detail in self._details(session, DELIVERED, mark, now)}
            tried: dict[int, int] = {}
            for detail in self._details(session, FAILED, mark, now):
                event_id = int(detail["event"])
                tried[event_id] = max(tried.get(event_id, -1), int(detail["turn"]))
            for event in session.scalars(select(EventRow).where(
                    EventRow.what == APPROVED, EventRow.at > now - timedelta(days=1)).order_by(EventRow.id)):
                turn = sum(event.at + pause <= now for pause in TURNS) - 1
                if event.id not in delivered and turn > tried.get(event.id, -1) and not _rehearses(
                        session, event):
                    messages.append(_Message(event.id, turn, _body(session, event, mark)))
        return messages

    def _details(self, session: Session, kind: str, mark: str, now: datetime) -> list[dict[str, Any]]:
        rows = session.scalars(select(EventRow.detail).where(
            EventRow.what == kind, EventRow.at > now - timedelta(days=2)))
        return [detail for detail in rows if detail["hook"] == mark]

    def _log(self, event: Event, detail: dict[str, Any]) -> None:
        with self.store.begin() as session:
            records.log_event(session, self.clock.now(), event, detail=detail)


def _body(session: Session, event: EventRow, mark: str) -> bytes:
    # The log has a phase's bare words; a program looks for it by those of the API, or by its number.
    named = event.detail.get("phase")
    # Without boards, which are most of a row.
    phases = session.scalars(select(PhaseRow).where(PhaseRow.game_id == event.game_id).options(load_only(
        PhaseRow.ordinal, PhaseRow.year, PhaseRow.season, PhaseRow.kind)))
    row = next((row for row in phases if str(phase_of(row)) == named), None)
    return json.dumps({
        "event": "results", "game": event.game_id, "phase": named if row is None else phase_title(row),
        "number": None if row is None else row.ordinal,
        "sent_at": event.at.astimezone(UTC).isoformat(), "id": f"{event.id}-{mark}",
    }, sort_keys=True).encode()


def _rehearses(session: Session, event: EventRow) -> bool:
    game = session.get(GameRow, event.game_id)
    return game is None or options_of(game).is_rehearsal


def webhook_finding(session: Session, now: datetime) -> Finding:
    """How many notices of which game do not get through to which address, since when and why."""
    rows = session.execute(
        select(EventRow.what, EventRow.at, EventRow.detail)
        .where(EventRow.what.in_((DELIVERED, FAILED)), EventRow.at > now - SHOWN_FOR)
        .order_by(EventRow.id)).all()
    delivered = {(detail["hook"], detail["event"]) for kind, _, detail in rows if kind == DELIVERED}
    troubles: dict[tuple[str, str], list[tuple[datetime, int, str]]] = defaultdict(list)
    names = _games(session, {int(detail["event"]) for kind, _, detail in rows if kind == FAILED})
    for kind, tried_at, detail in rows:
        if kind == FAILED and (detail["hook"], detail["event"]) not in delivered:
            game = names.get(int(detail["event"]), "a game that is gone")
            whose = str(detail.get("place") or f"the address with the mark {detail['hook']}")
            troubles[game, whose].append((tried_at, int(detail["event"]), str(detail["why"])))
    if not troubles:
        return Finding(NAME, FindingState.WELL,
                       "Every notice that results are out was delivered, or none is set up.")
    sentences = []
    for (game, whose), tries in sorted(troubles.items()):
        count, first, why = len({event for _, event, _ in tries}), tries[0][0], tries[-1][2]
        end = " and was given up" if now - first > TURNS[-1] else ""
        sentences.append(f"{game}: {count} notice{'' if count == 1 else 's'} to {whose} failed, "
                         f"first tried {ago(now - first)}{end}; the last time {why}.")
    oldest = min(event for tries in troubles.values() for _, event, _ in tries)
    return Finding(NAME, FindingState.TROUBLE, " ".join(sentences), ADVICE, str(oldest))


def _games(session: Session, events: set[int]) -> dict[int, str]:
    """The name of the game whose results each event is about."""
    rows = session.execute(select(EventRow.id, GameRow.name).join(GameRow, GameRow.id == EventRow.game_id)
                           .where(EventRow.id.in_(events)))
    return {row.id: row.name for row in rows}


def _check(observation: Observation) -> Finding:
    return webhook_finding(observation.session, observation.now)


CHECK = Check(NAME, _check, (
    "programs and people that subscribed to notices do not learn of results. Players got their letters."))
"""Do the addresses that asked for it hear that results are out?"""
