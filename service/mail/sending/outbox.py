"""Letters go out: first a row in the transaction of the event that causes them, then a socket.

Nothing is sent exactly once over a mail connection. A letter is claimed before it is sent. If no one knows
whether the server took it, it is sent once more under the same Message-ID and marked as possibly sent twice,
and after that a person decides. Addresses and texts are never logged.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from email.utils import parseaddr
from functools import reduce
from hashlib import sha256
from html import escape
from secrets import token_hex
from threading import Event
from time import sleep

from sqlalchemy import select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from service.clock import Clock
from service.mail.sending import hold, present_address
from service.mail.sending.compose import (
    BEHIND,
    LINKED,
    Addressee,
    Attachment,
    OutLetter,
    Say,
    attachment_count,
    compose,
    language_of,
    message_id,
    one_line,
    say_english,
    shrink,
)
from service.mail.sending.connections import RENEW_SECONDS, Connection, Connections
from service.mail.sending.smtp import (
    DeliveryUnknown,
    FolderTransport,
    MailEnvelope,
    MailTooLarge,
    ServerUnavailable,
    SmtpRefused,
    SmtpTransport,
    Transport,
    TryAgainLater,
)
from service.store import records
from service.store.blobs import BlobError, Blobs
from service.store.engine import Store
from service.store.letter_parts import LetterParts, finished, keep
from service.store.tables import AccessLinkRow, OutboxRow, OutboxState

__all__ = [
    "Attachment",
    "FolderTransport",
    "OutLetter",
    "PreparedLetter",
    "SendCounts",
    "ServerUnavailable",
    "SmtpTransport",
    "Transport",
    "file",
    "prepare",
    "put",
    "send_due",
]  # fmt: skip

log = logging.getLogger(__name__)

PAUSES = tuple(timedelta(minutes=m) for m in (1, 5, 30, 120, 240, 480, 720, 1200))
"""Time before each further try after a 4xx: 48 hours in all, then a person is informed."""

_PLAYERS_OWN: Mapping[str, Addressee] = {}
LETTER_LINK = "letter"
"""`AccessLinkRow.opens` of a link to the files of a letter."""
LINK_DAYS = timedelta(days=60)
"""Life of the link to files that were too large for a letter."""

GIVE_UP = timedelta(hours=48)
"""Time for which a server may be away, from the first failure of a letter."""
CLAIM = timedelta(minutes=10)
"""A claim older than this belongs to a process that died."""

STORE_PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Seconds before each further try to store that a letter was sent. With the time that each try may wait for a
held database, they end before CLAIM does."""

_TWICE = ("it was sent twice and never confirmed; it may have arrived. Ask the player before sending it "
          "again")


@dataclass(frozen=True, slots=True)
class SendCounts:
    """The letters of one round by outcome. `down`: "", or the sentence that shows why nothing can be sent."""

    sent: int = 0
    later: int = 0
    failed: int = 0
    down: str = ""

    def __add__(self, other: SendCounts) -> SendCounts:
        return SendCounts(self.sent + other.sent, self.later + other.later, self.failed + other.failed,
                          self.down or other.down)


@dataclass(frozen=True, slots=True)
class PreparedLetter:
    """A letter made and kept by parts, ready for its row. `link` opens its files on the site, with the player
    and the last moment, or is None."""

    letter: OutLetter
    parts: LetterParts
    message_id: str
    link: tuple[str, int, datetime] | None = None


def put(
    session: Session,
    blobs: Blobs,
    letter: OutLetter,
    *,
    sender: str,
    now: datetime,
    max_bytes: int = 8_000_000,
    reply_to: str = "",
    base_url: str = "",
    say: Say = say_english,
) -> bool:
    """Write a letter in the caller's transaction; False if its key is known, and then nothing changes. The
    rest as in `prepare`."""
    if session.scalar(select(OutboxRow.id).where(OutboxRow.key == letter.key)) is not None:
        return False
    return file(session, prepare(session, blobs, letter, sender=sender, now=now, max_bytes=max_bytes,
                                 reply_to=reply_to, base_url=base_url, say=say), now)


def prepare(
    session: Session,
    blobs: Blobs,
    letter: OutLetter,
    *,
    sender: str,
    now: datetime,
    max_bytes: int = 8_000_000,
    reply_to: str = "",
    base_url: str = "",
    say: Say = say_english,
) -> PreparedLetter:
    """Make a letter and keep its files, before any transaction that writes.

    `reply_to`: the order address, if it is not the sender's. Files that are too large for mail, and those
    that the letter has behind a link anyway, are left out, and the letter has a link to them on the site at
    `base_url`, unless that is "". `say` puts the sentences about them into the letter's language.
    """
    player = records.player_of(session, letter.recipient)
    token, until = token_hex(32), now + LINK_DAYS
    url = f"{base_url}/public/letter/{token}" if base_url and player is not None else ""
    if letter.linked:
        letter = _with_link(letter, url, until, say)
    finished = compose(letter, sender, now, reply_to=reply_to)
    sent, behind = finished, tuple[Attachment, ...]()
    if len(finished) > max_bytes:
        sent = shrink(finished, max_bytes, say=say)
        if attachment_count(sent) != len(letter.attachments):
            behind = letter.attachments
            if url:
                here = say(language_of(letter.html), BEHIND, until=until)
                sent = shrink(finished, max_bytes, f"{here}\n\n    {url}", say)
    parts = keep(blobs, sent)
    behind = (*behind, *letter.linked)
    if not url or not behind or player is None:
        return PreparedLetter(letter, parts, message_id(letter, sender))
    linked = tuple({"at": None, "blob": blobs.put(file.data), "name": file.name, "type": file.media_type}
                   for file in behind)
    return PreparedLetter(letter, replace(parts, files=(*parts.files, *linked)), message_id(letter, sender),
                          (token, player.id, until))


def _with_link(letter: OutLetter, url: str, until: datetime, say: Say) -> OutLetter:
    """The letter with a sentence on where its linked files are; with the files themselves where no page can
    show them."""
    if not url:
        return replace(letter, attachments=(*letter.attachments, *letter.linked), linked=())
    lead = say(language_of(letter.html), LINKED, until=until)
    html = letter.html and letter.html.replace(
        "</main>", f'<p>{escape(lead)} <a href="{escape(url)}">{escape(url)}</a></p>\n</main>', 1)
    return replace(letter, text=f"{letter.text.rstrip()}\n\n{lead}\n\n    {url}\n", html=html)


def file(session: Session, prepared: PreparedLetter, now: datetime) -> bool:
    """Write the row of a prepared letter in the caller's transaction; False if its key is known."""
    letter, reader = prepared.letter, present_address.reader_of(session, prepared.letter)
    added = records.insert_once(
        session,
        OutboxRow,
        key=letter.key,
        kind=letter.kind,
        game_id=letter.game_id,
        phase_id=letter.phase_id,
        recipient=letter.recipient,
        player_id=reader.player_id,
        power=reader.power,
        subject=one_line(letter.subject),
        message=prepared.parts.message,
        words=prepared.parts.words,
        files=list(prepared.parts.files),
        message_id=prepared.message_id,
        state=OutboxState.QUEUED,
        tries=0,
        rank=letter.rank,
        due_at=now,
        possibly_twice=False,
        shrunk=False,
    )
    if added and prepared.link is not None:
        token, player_id, until = prepared.link
        row = session.scalars(select(OutboxRow.id).where(OutboxRow.key == letter.key)).one()
        session.add(AccessLinkRow(
            token_hash=sha256(token.encode()).hexdigest(), player_id=player_id, opens=LETTER_LINK,
            made_at=now, until=until, letter_id=row))
        session.flush()
    return added


def send_due(
    store: Store, blobs: Blobs, transport: Transport, clock: Clock, *, sender: str,
    not_sent: Callable[[Session, OutboxRow], None] | None = None, connections: Connections | None = None,
    addressees: Mapping[str, Addressee] = _PLAYERS_OWN, say: Say = say_english,
) -> SendCounts:
    """Send every letter that is due, by rank and in the order they were written. Safe in several processes at
    a time.

    Each goes to an address its player has now; `not_sent` reports one that failed, or that no one is to
    get, to a person, in the transaction that ends it. `addressees`: whose a letter of each kind is; of a kind
    that is not named, the player's own. `connections`: those of the site, one where none are named; as many
    letters are handed over at the same time as this process gets of them, and none where other processes have
    them all. `transport` has one for each thread.

    While the server is away, letters keep their place and are sent in order once it is back. While a person
    holds them back (`hold`), nothing is sent.
    """
    round_ = _Round(store, blobs, transport, clock, sender, not_sent, addressees, say)
    _release_dead_claims(round_)
    site_connections, total = connections or Connections(store), SendCounts()
    while True:
        with store() as session:
            due = len(records.letters_to_send(session, clock.now()))
        taken = site_connections.take(due) if due else []
        if not taken:
            return total
        counts = _run_round(replace(round_, is_over=Event()), site_connections, taken)
        total += counts
        # What was written while these were given back found none free.
        if counts.down or not (counts.sent or counts.failed):
            return total


def _run_round(
    round_: _Round, connections: Connections, taken: Sequence[Connection]
) -> SendCounts:
    """Send on the connections that this process has, and give them back."""
    try:
        with ThreadPoolExecutor(len(taken), thread_name_prefix="galloper-letters") as threads:
            parts = [threads.submit(round_.send, connection) for connection in taken]
            try:
                while wait(parts, RENEW_SECONDS).not_done:
                    connections.renew(taken)
            except BaseException:
                round_.is_over.set()
                raise
    finally:
        connections.give_back(taken)
    # Each part has ended; one that failed has claimed at most one letter, whose claim ends by itself.
    return reduce(lambda total, counts: total + counts, (part.result() for part in parts))


@dataclass(frozen=True, slots=True)
class _Round:
    """One round of sending, for one thread or several."""

    store: Store
    blobs: Blobs
    transport: Transport
    clock: Clock
    sender: str
    not_sent: Callable[[Session, OutboxRow], None] | None
    addressees: Mapping[str, Addressee]
    say: Say
    is_over: Event = field(default_factory=Event)

    def send(self, connection: Connection) -> SendCounts:
        """Send until nothing is due, the server is away, or another process has this connection."""
        sent = postponed = failed = 0
        try:
            while True:
                # Before the claim: a claimed letter is not to wait.
                connection.wait(self.is_over)
                if self.is_over.is_set() or connection.is_lost.is_set():
                    break
                row = _claim_next(
                    self.store, self.blobs, self.clock.now(), self.not_sent, self.addressees)
                if row is None:
                    break
                # A letter that no one is to get has ended with its claim.
                if row.state != OutboxState.SENDING:
                    failed += row.state == OutboxState.FAILED
                    continue
                connection.count_letter()
                try:
                    state = _send(self, row)
                except ServerUnavailable as down:
                    self.is_over.set()
                    _give_back(self, row, str(down))
                    return SendCounts(sent, postponed, failed, str(down))
                sent += state is OutboxState.SENT
                postponed += state is OutboxState.QUEUED
                failed += state is OutboxState.FAILED
        finally:
            self.transport.close()
        return SendCounts(sent, postponed, failed)


def _claim_next(
    store: Store, blobs: Blobs, now: datetime, not_sent: Callable[[Session, OutboxRow], None] | None,
    addressees: Mapping[str, Addressee],
) -> OutboxRow | None:
    with store.begin() as session:
        # Asked before each letter, so that a pause stops a round that has begun.
        if hold.current_hold(session) is not None:
            return None
        while (letter_id := records.next_letter(session, now)) is not None:
            # On SQLite another sender may have been faster since.
            if records.claim(
                session,
                OutboxRow,
                OutboxRow.id == letter_id,
                OutboxRow.state == OutboxState.QUEUED,
                state=OutboxState.SENDING,
                tries=OutboxRow.tries + 1,
                claimed_until=now + CLAIM,
            ):
                row = session.get_one(OutboxRow, letter_id, populate_existing=True)
                ended = present_address.bring_up_to_date(
                    session, blobs, row, now, addressees.get(row.kind, Addressee.PLAYER))
                if ended is not None and ended.is_missed and not_sent is not None:
                    not_sent(session, row)
                session.flush()
                session.expunge(row)
                return row
    return None


def _release_dead_claims(round_: _Round) -> None:
    """End the claims of processes that died before they stored the server's answer."""
    with round_.store.begin() as session:
        dead = records.letters_with_dead_claims(session, round_.clock.now())
        for row in dead:
            session.expunge(row)
    for row in dead:
        _unclear(round_, row, "Galloper stopped while it was being sent")


def _send(round_: _Round, row: OutboxRow) -> OutboxState:
    try:
        data = finished(round_.blobs, row)
        round_.transport.send(
            MailEnvelope(parseaddr(round_.sender)[1], row.recipient, row.message_id, data))
    except TryAgainLater as error:
        return _again(round_, row, error)
    except DeliveryUnknown as error:
        return _unclear(round_, row, str(error))
    except MailTooLarge as error:
        return _smaller(round_, row, data, str(error))
    except (SmtpRefused, BlobError) as error:
        return _end(round_, row, OutboxState.FAILED, for_log=getattr(error, "for_log", ""), error=str(error))
    except ServerUnavailable:
        raise
    except Exception as error:
        # It is unknown how far an unforeseen fault came, and the next letter must not wait for it.
        return _unclear(round_, row, f"an unforeseen fault ({type(error).__name__})")
    return _end_as_sent(round_, row, round_.clock.now())


def _end_as_sent(round_: _Round, row: OutboxRow, sent_at: datetime) -> OutboxState:
    """End a letter that the server took, once the database can be written. Raises DBAPIError if it cannot for
    minutes; the letter is then sent once more when its claim ends."""
    # Before, a disk that was full for two seconds at that instant made the player a second letter.
    for pause in STORE_PAUSES:
        with suppress(DBAPIError):
            return _end(round_, row, OutboxState.SENT, sent_at=sent_at, error=None)
        log.warning("letter %d (%s) was sent, and the database cannot be written yet", row.id, row.kind)
        sleep(pause)
    return _end(round_, row, OutboxState.SENT, sent_at=sent_at, error=None)


def _end(
    round_: _Round, row: OutboxRow, state: OutboxState, *, for_log: str = "", **values: object
) -> OutboxState:
    # The error may quote the server, which quotes addresses; the log has its numbers alone.
    with round_.store.begin() as session:
        is_ended = records.claim(
            session,
            OutboxRow,
            OutboxRow.id == row.id,
            OutboxRow.state == OutboxState.SENDING,
            state=state,
            claimed_until=None,
            **values,
        )
        if is_ended and state is OutboxState.FAILED and round_.not_sent is not None:
            round_.not_sent(session, session.get_one(OutboxRow, row.id, populate_existing=True))
    if state is OutboxState.FAILED:
        log.warning("letter %d (%s) could not be sent: %s", row.id, row.kind,
                    for_log or values.get("error"))
    return state


def _again(round_: _Round, row: OutboxRow, answer: TryAgainLater) -> OutboxState:
    if row.tries > len(PAUSES):
        given_up = f"; given up after {row.tries} tries"
        return _end(round_, row, OutboxState.FAILED, for_log=f"{answer.for_log}{given_up}",
                    error=f"{answer}{given_up}")
    return _end(round_, row, OutboxState.QUEUED, error=str(answer),
                due_at=round_.clock.now() + PAUSES[row.tries - 1])


def _unclear(round_: _Round, row: OutboxRow, error: str) -> OutboxState:
    if row.possibly_twice:
        return _end(round_, row, OutboxState.FAILED, error=_TWICE)
    return _end(round_, row, OutboxState.QUEUED, error=error, possibly_twice=True,
                due_at=round_.clock.now() + PAUSES[1])


def _smaller(round_: _Round, row: OutboxRow, data: bytes, error: str) -> OutboxState:
    if row.shrunk:
        return _end(round_, row, OutboxState.FAILED, error=f"{error}, and its smaller version too")
    # The record names the letter as it was written, so those bytes stay.
    round_.blobs.put(data)
    parts = keep(round_.blobs, shrink(data, len(data) // 4, say=round_.say))
    linked = [file for file in row.files if file["at"] is None]
    return _end(round_, row, OutboxState.QUEUED, error=error, shrunk=True, message=parts.message,
                words=parts.words, files=[*parts.files, *linked], due_at=round_.clock.now())


def _give_back(round_: _Round, row: OutboxRow, error: str) -> None:
    """Return the claim of a letter while the server is away. After `GIVE_UP` the letter fails.

    The try does not count, and the letter keeps its place.
    """
    # The two days begin at the first failure: a letter that waited for us, or for a person, is not given up
    # at its first try.
    is_first_failure, now = row.error is None, round_.clock.now()
    is_given_up = not is_first_failure and now - row.due_at > GIVE_UP
    _end(
        round_,
        row,
        OutboxState.FAILED if is_given_up else OutboxState.QUEUED,
        tries=row.tries - 1,
        due_at=now if is_first_failure else row.due_at,
        error=f"{error} Given up after two days." if is_given_up else error,
    )
