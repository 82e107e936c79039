"""How long mails are stored.

Photographs, mails and letters that a game's record names are part of the record and stay for ever. Mails
of no game, such as automatic replies, are deleted after the days that the settings name; without that setting
they are stored, too.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, String, cast, delete, exists, or_, select
from sqlalchemy.orm import Session, sessionmaker

from service.facts.events import Event
from service.intake.mail_handlers import SIGNED_UP
from service.store import records
from service.store.blobs import Blobs
from service.store.tables import (
    EntryRow,
    IgnoredMailRow,
    MailboxLocationRow,
    MailRow,
    MailState,
    OutboxRow,
    PageRow,
    ScanRow,
    ShelvedFileRow,
    ShelvedGameRow,
    SubmissionRow,
)

SECONDS = 6 * 3600.0
"""Between two looks."""
AT_ONCE = 200
"""Mails deleted in one transaction."""


def forget_strays(store: sessionmaker[Session], blobs: Blobs, days: int, now: datetime) -> int:
    """Delete ignored mails that were stored more than `days` ago and that no record names; how many."""
    deleted = 0
    # Rows go first, so a crash leaves at worst bytes that no one names.
    while keys := _forget_some(store, now - timedelta(days=days), now):
        deleted += len(keys)
        with store() as session:
            # The same bytes may have come in again between the two transactions.
            unnamed = [key for key in keys if not is_named(session, key)]
        for key in unnamed:
            blobs.remove(key)
    return deleted


def _forget_some(store: sessionmaker[Session], before: datetime, now: datetime) -> list[str]:
    with store.begin() as session:
        keys = list(
            session.scalars(
                select(MailRow.sha256)
                .where(_stray(before))
                .order_by(MailRow.stored_at)
                .limit(AT_ONCE)
                .with_for_update()
            )
        )
        if keys:
            session.execute(delete(IgnoredMailRow).where(IgnoredMailRow.sha256.in_(keys)))
            session.execute(delete(MailboxLocationRow).where(MailboxLocationRow.sha256.in_(keys)))
            session.execute(delete(MailRow).where(MailRow.sha256.in_(keys)))
            records.log_event(session, now, Event.STRAYS_FORGOTTEN, detail={"mails": len(keys)})
    return keys


def _stray(before: datetime) -> ColumnElement[bool]:
    """The condition: an ignored mail, or one that signed a person up, stored before `before`, that no record
    and no submission names."""
    is_entered = exists().where(EntryRow.what == "mail", EntryRow.fact == MailRow.sha256)
    # A sheet of a site that is older than its record has no entry for its mail.
    filed = exists().where(SubmissionRow.sha256 == MailRow.sha256)
    shelved = exists().where(ShelvedFileRow.blob == MailRow.sha256)
    # A mail of a sign-up is no longer needed either: the list has its facts, or had them deleted.
    signed_up = (MailRow.state == MailState.USED) & (MailRow.reason == SIGNED_UP)
    is_stray = (MailRow.state == MailState.IGNORED) | signed_up
    return is_stray & (MailRow.stored_at < before) & ~is_entered & ~filed & ~shelved


def is_named(session: Session, key: str) -> bool:
    """Whether any row names these bytes; one may have come in meanwhile."""
    rows = (
        MailRow.sha256 == key,
        or_(PageRow.original == key, PageRow.upright == key),
        or_(ScanRow.original == key, ScanRow.upright == key),
        (OutboxRow.message == key) & OutboxRow.words.is_(None),
        cast(OutboxRow.files, String).contains(key),
        ShelvedFileRow.blob == key,
        ShelvedGameRow.blob == key,
    )
    return any(session.scalar(select(exists().where(row))) for row in rows)
