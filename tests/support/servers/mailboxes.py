"""Mailboxes of every kind as a test handles them, and what taking in left in the database."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from imapclient import IMAPClient
from sqlalchemy import select

from service.config import MailIn
from service.mail.mailbox.imap import ImapSource
from service.mail.mailbox.ingest import IngestCounts, take_in
from service.mail.mailbox.maildir import MaildirSource
from service.mail.mailbox.mark import is_mark
from service.mail.mailbox.source import MailboxLocation, MailSource, WaitingMail
from service.store.tables import MailboxLocationRow, MailRow
from tests.support.servers.dovecot import PASSWORD, USER, Dovecot, folder_contents
from tests.support.site import Site

STAMP = datetime(2026, 2, 27, 17, 59, 57, tzinfo=UTC)


class Mailbox(Protocol):
    """One kind of mailbox, as a test handles it."""

    def source(self, max_bytes: int = 100_000) -> MailSource: ...
    def deliver(self, raw: bytes, received_at: datetime = STAMP) -> None: ...
    def contents(self, folder: str) -> list[bytes]: ...


@dataclass
class ImapBox:
    settings: MailIn

    def source(self, max_bytes: int = 100_000) -> MailSource:
        return ImapSource(self.settings.model_copy(update={"max_bytes": max_bytes}))

    def deliver(self, raw: bytes, received_at: datetime = STAMP) -> None:
        with self._client() as client:
            client.append("INBOX", raw, msg_time=received_at)

    def contents(self, folder: str) -> list[bytes]:
        with self._client() as client:
            return folder_contents(client, folder)

    def _client(self) -> IMAPClient:
        client = IMAPClient("127.0.0.1", self.settings.port, ssl=False, timeout=10)
        client.login(self.settings.user, self.settings.password)
        return client


@dataclass
class MaildirBox:
    root: Path
    count: int = 0

    def source(self, max_bytes: int = 100_000) -> MailSource:
        return MaildirSource(MailIn(kind="maildir", path=str(self.root), max_bytes=max_bytes))

    def deliver(self, raw: bytes, received_at: datetime = STAMP) -> None:
        self.count += 1
        path = self.root / "new" / f"17.M{self.count}.host"
        path.write_bytes(raw)
        os.utime(path, (received_at.timestamp(), received_at.timestamp()))

    def contents(self, folder: str) -> list[bytes]:
        base = self.root if folder == "INBOX" else self.root / f".{folder}"
        return [p.read_bytes() for part in ("new", "cur") for p in sorted(base.glob(f"{part}/*"))]


class NoDoneFolder:
    """What a mailbox of a test answers about a folder of taken mails that it does not have."""

    name = "a mailbox of a test"

    def from_lines(self, waiting_mails: Sequence[WaitingMail]) -> Mapping[MailboxLocation, bytes]:
        return {}

    def headers(self, waiting_mails: Sequence[WaitingMail]) -> Mapping[MailboxLocation, bytes]:
        return {}

    def list_done(self, seen: str, since: datetime) -> tuple[Sequence[WaitingMail], str]:
        return (), ""

    def marks(self) -> Sequence[bytes]:
        return ()

    def put_mark(self, note: bytes) -> None:
        raise AssertionError("This mailbox has no folder for a mark.")

    def count_before(self, since: datetime) -> int:
        return 0


def imap_settings(server: Dovecot) -> MailIn:
    return MailIn(host="127.0.0.1", port=server.imap, tls=False, user=USER, password=PASSWORD)


def take(site: Site, source: MailSource) -> IngestCounts:
    return take_in(source, site.store, site.blobs, site.jobs, site.clock)


def mails(site: Site) -> Sequence[MailRow]:
    with site.store() as session:
        return session.scalars(select(MailRow).order_by(MailRow.received_at)).all()


def places(site: Site) -> Sequence[MailboxLocationRow]:
    with site.store() as session:
        return session.scalars(select(MailboxLocationRow)).all()


def taken_in(server: Dovecot) -> list[bytes]:
    """The raw mails of the folder of mails that were taken in, without the mark of its site."""
    return [raw for raw in server.contents("Galloper") if not is_mark(raw)]
