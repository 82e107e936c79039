"""The mark of a mailbox: which site reads it, and how often that site was started on it.

The mark is a short mail in the folder of the mails that were taken in, so every mail server can hold it, a
move to another provider carries it along, and a person can delete it. `claim` writes it at each start;
`check` compares one that another start left (`ingest.take_in` hands it every new mail of that folder).

- The mark of another site: this one takes nothing in.
- A higher count than the database's: a copy of this site was started later, so this one takes nothing in.
- A process on the same database raises the count there first, so it joins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from secrets import token_hex

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.clock import Clock
from service.mail.headers import split_headers
from service.mail.mailbox.source import MailboxError, MailSource
from service.store import records
from service.store.engine import Store
from service.store.tables import EventRow, MailboxMarkRow

SUBJECT = "Galloper: the mark of this mailbox"
"""Subject of the mail; a mailbox is searched for it at each start."""
MOST_BYTES = 4_000
"""A larger mail is not a mark."""
SENDER = b"galloper@galloper.invalid"
"""In its From field."""
MARGIN = timedelta(days=1)
"""Mails that came this long before the site was made are still taken in: clocks and zones differ."""

_FIELD = "x-galloper-site"
_VALUE = re.compile(r"([0-9a-f]{32}) ([0-9]{1,9})")


class MailboxTaken(MailboxError):
    """Another site, or a later copy of this one, reads the mailbox."""


@dataclass(frozen=True, slots=True)
class Mark:
    """`site`: 32 hexadecimal digits, drawn once for a database. `starts`: 1 or more."""

    site: str
    starts: int


def note_of(mark: Mark, at: datetime) -> bytes:
    """The mail that holds a mark."""
    words = (
        "One Galloper site reads this mailbox, and this mail is its mark. Please leave it here: a second "
        "site, or a forgotten copy of the same one, sees it and takes no mail away. If that site is gone for "
        "good, delete this mail; the next site that is started marks the mailbox for itself.")
    return "\r\n".join([
        f"Subject: {SUBJECT}", f"From: Galloper <{SENDER.decode()}>", f"Date: {format_datetime(at)}",
        f"Message-ID: <mark.{mark.site}.{mark.starts}@galloper.invalid>",
        f"X-Galloper-Site: {mark.site} {mark.starts}", "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=us-ascii", "", words, "",
    ]).encode("ascii")


def mark_in(raw: bytes) -> Mark | None:
    """The mark that a mail holds, or None."""
    headers, _ = split_headers(raw)
    # What a server delivered has a Received line on top: a stranger's mail is not a mark, whatever it holds.
    if len(raw) > MOST_BYTES or headers.all("received"):
        return None
    values = [_VALUE.fullmatch(value.strip()) for value in headers.all(_FIELD)]
    match values:
        case [re.Match() as value]:
            return Mark(value[1], int(value[2]))
        case _:
            return None


def is_mark(raw: bytes) -> bool:
    """Whether a mail is the mark of some site."""
    return mark_in(raw) is not None


def row_of(session: Session, mailbox: str) -> MailboxMarkRow | None:
    """The stored mark on a mailbox (`MailSource.name`); None before the first start
    on it."""
    return session.get(MailboxMarkRow, mailbox)


def compared(session: Session, mailbox: str, state: str) -> None:
    """Note up to which state of the folder of mails taken in every mail is known."""
    records.claim(session, MailboxMarkRow, MailboxMarkRow.name == mailbox, done_seen=state)


def claim(source: MailSource, store: Store, clock: Clock) -> int:
    """Mark the mailbox for this start of the site. Returns how many mails lie there from before the site, 0
    unless this is its first start on a mailbox. Raises MailboxTaken if the mailbox is another site's.

    1. Note site and first day, once for a database.
    2. Refuse a mailbox with another site's mark.
    3. Raise the count above the database's and the mailbox's, in the database first: a process that looks
       between the two finds the lower count in the mailbox, which is not a copy.
    4. Write the mark.
    """
    name = source.name
    with store.begin() as session:
        # One number for the database, whichever of its mailboxes was first.
        drawn = session.scalars(select(MailboxMarkRow.site)).first() or token_hex(16)
        records.insert_once(
            session, MailboxMarkRow, name=name, site=drawn, starts=0, since=_since(session, clock),
            done_seen="")
        row = session.get_one(MailboxMarkRow, name)
        site, since = row.site, row.since
    marks = [mark for mark in map(mark_in, source.marks()) if mark is not None]
    if any(mark.site != site for mark in marks):
        raise MailboxTaken(ANOTHER_SITE)
    with store.begin() as session:
        row = session.get_one(MailboxMarkRow, name, with_for_update=True)
        is_first = row.starts == 0
        row.starts = max([row.starts, *(mark.starts for mark in marks)]) + 1
        mark = Mark(site, row.starts)
    source.put_mark(note_of(mark, clock.now()))
    return source.count_before(since) if is_first else 0


def _since(session: Session, clock: Clock) -> datetime:
    """Midnight (UTC) of a day before the site was made."""
    made_at = session.scalar(select(func.min(EventRow.at))) or clock.now()
    day = (min(made_at, clock.now()) - MARGIN).astimezone(UTC)
    return day.replace(hour=0, minute=0, second=0, microsecond=0)


def check(session: Session, mailbox: str, mark: Mark) -> None:
    """Compare a mark of a mailbox with the database's. Raises MailboxTaken."""
    row = row_of(session, mailbox)
    if row is None:
        return
    if mark.site != row.site:
        raise MailboxTaken(ANOTHER_SITE)
    if mark.starts > row.starts:
        raise MailboxTaken(LATER_COPY)


ANOTHER_SITE = (
    "Another Galloper site reads this mailbox, so this site takes no mail from it. Give each site its own "
    f"mailbox or folder. If the other site is gone for good, delete the mail “{SUBJECT}” in the folder for "
    "received mails, and start this site again.")
LATER_COPY = (
    "A copy of this site was started on this mailbox later, so this site receives no mail and closes no "
    "deadline. Stop this one. If it is the right one, stop the copy and start this one again; mails that "
    "the copy received are then brought back.")
