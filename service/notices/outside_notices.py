"""Notices that anybody with a mail program can cause: the first at once, the others gathered in one letter.

A forged mail costs its sender nothing, and a relay that lets 500 letters out in a day would be closed by such
notices for receipts. So at most one of them leaves in an hour, and where the relay's limit is known
(`mail_out.per_day`) at most a tenth of it in a day. Each comes through `note`; `send_due` writes what was
gathered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from service.notices.coordinator_notices import NoticeFacts, notify
from service.notices.letter_context import LetterContext
from service.store import records
from service.store.tables import OutsideNoticeRow

SECONDS = 60.0
"""Between two looks at what was gathered."""
GAP = timedelta(hours=1)
"""Between two letters."""
SHARE = 10
"""These letters may be one in so many of those that the relay lets out in a day."""
SHOWN = 20
"""Mails that a letter lists; the desk has them all."""
KEPT = timedelta(days=2)
"""How long a notice is remembered, so that it is written once."""


def note(session: Session, letters: LetterContext, facts: NoticeFacts, *, mark: str = "") -> None:
    """Write a notice now if none was written lately, or keep it for the next letter; once for its key.
    `mark`: the first line of one that is written now."""
    now = letters.clock.now()
    is_first = _may_write(session, letters, now) and not _waiting(session)
    if records.insert_once(
            session, OutsideNoticeRow, key=facts.key, at=now, event=facts.event, about=_about(facts),
            link=facts.link, told_at=now if is_first else None) and is_first:
        notify(session, letters, None, facts, mark=mark)


def send_due(session: Session, letters: LetterContext) -> bool:
    """Write one letter about all notices that wait, if it is time; whether it was written."""
    now = letters.clock.now()
    session.execute(delete(OutsideNoticeRow).where(OutsideNoticeRow.told_at < now - KEPT))
    waiting = _waiting(session)
    if not waiting or not _may_write(session, letters, now):
        return False
    count = len(waiting)
    base = letters.sender.base_url.rstrip("/")
    notify(session, letters, None, NoticeFacts(
        key=f"gathered-{now:%Y-%m-%dT%H%M}", since=waiting[0].at,
        event=f"{count} more {'mail needs' if count == 1 else 'mails need'} you.",
        link=f"{base}/?show=mails" if base else "", items=_items(waiting),
        consequence="none of them counts. They stay where they are, unchanged; the desk lists them all. "
        "Such mails are collected into one letter an hour, so that other letters are not delayed."))
    for row in waiting:
        row.told_at = now
    return True


def _may_write(session: Session, letters: LetterContext, now: datetime) -> bool:
    newest = session.scalar(select(func.max(OutsideNoticeRow.told_at)))
    limit = letters.sender.letters_a_day
    gap = max(GAP, timedelta(days=1) / max(1, limit // SHARE)) if limit else GAP
    return newest is None or newest <= now - gap


def _waiting(session: Session) -> Sequence[OutsideNoticeRow]:
    return session.scalars(select(OutsideNoticeRow).where(OutsideNoticeRow.told_at.is_(None))
                           .order_by(OutsideNoticeRow.at, OutsideNoticeRow.key)).all()


def _about(facts: NoticeFacts) -> str:
    mail = facts.mail
    if mail is None:
        return ""
    sender = mail.sender or "an address that cannot be read"
    proof = "" if mail.is_proved else " (not proved)"
    return f"{sender}{proof}: {mail.subject or '(no subject)'}"


def _items(waiting: Sequence[OutsideNoticeRow]) -> tuple[str, ...]:
    """What happened, how often, and the newest mails."""
    counts = Counter(row.event for row in waiting)
    kinds = [f"{count} times: {event}" if count > 1 else event for event, count in counts.most_common(SHOWN)]
    mails = [f"{row.at:%-d %b, %H:%M} GMT, {row.about}" for row in waiting if row.about]
    left = len(mails) - SHOWN
    return (*kinds, *mails[-SHOWN:], *((f"and {left} before these",) if left > 0 else ()))
