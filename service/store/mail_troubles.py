"""Mails that the mail server does not hand out or does not let go: remembered, so that a look neither ends at
them nor requests them every time.

Like `service.store.records`, every function takes the caller's session and never commits.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from service.store import records
from service.store.columns import MailTroubleKind
from service.store.records import PlaceLike
from service.store.tables_mailbox import MailTroubleRow

PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60))
"""Time before a mail is tried again, after its first, second ... try; the last one repeats."""

UNREAD = (MailTroubleKind.UNFETCHED, MailTroubleKind.AWAY)
"""Kinds of mails whose bytes we do not have: whether they count no one can know."""


def rests(session: Session, place: PlaceLike, now: datetime) -> bool:
    """Whether this mail is not to be tried again yet."""
    row = session.get(MailTroubleRow, _key(place))
    return row is not None and row.due_at > now


def is_known(session: Session, place: PlaceLike) -> bool:
    """Whether this mail is remembered as one in trouble."""
    return session.get(MailTroubleRow, _key(place)) is not None


def note(
    session: Session, place: PlaceLike, kind: MailTroubleKind, why: str, now: datetime, *,
    size: int | None = None, received_at: datetime | None = None,
) -> bool:
    """Remember a failed try; whether it was the first of this mail."""
    row = session.get(MailTroubleRow, _key(place))
    is_new = row is None and records.insert_once(
        session, MailTroubleRow, account=place.account, folder=place.folder, uidvalidity=place.uidvalidity,
        uid=place.uid, kind=kind, why=why, since=now, tries=1, due_at=now + PAUSES[0], size=size,
        received_at=received_at)
    if row is not None:
        row.kind, row.why, row.tries = kind, why, row.tries + 1
        row.due_at = now + PAUSES[min(row.tries, len(PAUSES)) - 1]
        session.flush()
    return is_new


def end(session: Session, place: PlaceLike) -> None:
    """The mail of this place is not a trouble any more."""
    row = session.get(MailTroubleRow, _key(place))
    if row is not None:
        session.delete(row)
        session.flush()


def fetched(session: Session, place: PlaceLike, size: int, received_at: datetime) -> None:
    """A mail came in: from its place, or put back there by a person under another UID."""
    end(session, place)
    # A move keeps stamp and size. Of a mail that is still in its place these prove nothing.
    session.execute(delete(MailTroubleRow).where(
        MailTroubleRow.account == place.account, MailTroubleRow.kind == MailTroubleKind.AWAY,
        MailTroubleRow.size == size, MailTroubleRow.received_at == received_at))


def end_of_look(session: Session, places: Sequence[PlaceLike]) -> None:
    """After a look that listed these mails: the others are not in the folder any more. They are in no
    person's way; one that was never read is away."""
    listed = {_key(place) for place in places}
    rows = session.scalars(
        select(MailTroubleRow).where(MailTroubleRow.kind != MailTroubleKind.AWAY)).all()
    for row in rows:
        if _key(row) in listed:
            continue
        if row.kind == MailTroubleKind.UNMOVED:
            session.delete(row)
        else:
            row.kind = MailTroubleKind.AWAY
    session.flush()


def of_kind(session: Session, kind: MailTroubleKind) -> list[MailTroubleRow]:
    """The mails in trouble of one kind, oldest first."""
    return list(session.scalars(select(MailTroubleRow).where(MailTroubleRow.kind == kind)
                                .order_by(MailTroubleRow.since, MailTroubleRow.uid)))


def unread_between(session: Session, first: datetime, last: datetime) -> int:
    """Mails stamped between two instants, both included, that could not be fetched."""
    return session.scalar(select(func.count()).select_from(MailTroubleRow).where(
        MailTroubleRow.kind.in_(UNREAD), MailTroubleRow.received_at.between(first, last))) or 0


def _key(place: PlaceLike) -> tuple[str, str, str, str]:
    return place.account, place.folder, place.uidvalidity, place.uid
