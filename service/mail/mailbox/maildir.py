"""A mailbox in a Maildir folder, where a local mail server delivers. It behaves like the one on IMAP."""

from __future__ import annotations

import mailbox
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import monotonic

from service.config import MailIn
from service.mail.mailbox.source import (
    HEADER_BYTES,
    MailboxError,
    MailboxLocation,
    MoveRefused,
    RawMail,
    Signal,
    WaitingMail,
)

_POLL_SECONDS = 0.5


class MaildirSource:
    """The Maildir at `mail_in.path`. A file's unique name is its UID; its time of change is the receipt."""

    def __init__(self, settings: MailIn) -> None:
        self._root = Path(settings.path)
        self._settings = settings
        self._listed: frozenset[str] = frozenset()

    def list_waiting(self) -> Sequence[WaitingMail]:
        """See MailSource."""
        waiting_mails = []
        files = self._files()
        self._listed = frozenset(map(_unique, files))
        for path in files:
            try:
                status = path.stat()
            except FileNotFoundError:
                continue
            place = MailboxLocation("maildir", str(self._root), "maildir", _unique(path))
            received_at = datetime.fromtimestamp(status.st_mtime, UTC)
            waiting_mails.append(WaitingMail(place, status.st_size, received_at))
        return sorted(waiting_mails, key=lambda mail: (mail.received_at, mail.place.uid))

    def fetch(self, waiting: WaitingMail) -> RawMail | None:
        """See MailSource."""
        path = self._find(waiting.place)
        if path is None:
            return None
        try:
            if waiting.size <= self._settings.max_bytes:
                return RawMail(path.read_bytes(), is_whole=True)
            with path.open("rb") as file:
                start = file.read(HEADER_BYTES)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise MailboxError(
                f"{path.parent} cannot be read ({error.strerror}); check its permissions."
            ) from error
        header_ends = [end for mark in (b"\r\n\r\n", b"\n\n") if (end := start.find(mark)) >= 0]
        return RawMail(start[: min(header_ends)] + b"\n\n" if header_ends else start, is_whole=False)

    def move_to_done(self, places: Sequence[MailboxLocation]) -> None:
        """See MailSource."""
        for place in places:
            self._move(place, self._settings.done_folder)

    def quarantine(self, place: MailboxLocation) -> None:
        """See MailSource."""
        self._move(place, self._settings.quarantine_folder)

    def wait(self, seconds: float, stop: Signal) -> None:
        """See MailSource. Looks twice a second."""
        end = monotonic() + seconds
        # A mail that cannot be moved is no news: it would have this look again without a pause.
        while (not stop.is_set() and self._listed.issuperset(map(_unique, self._files()))
               and (remaining := end - monotonic()) > 0):
            stop.wait(min(remaining, _POLL_SECONDS))

    def newest_headers(self, most: int) -> list[bytes]:
        """The beginnings of the newest mails, newest first, also of those that were taken in."""
        done = self._root / f".{self._settings.done_folder}"
        paths = [*self._files(), *(done.glob("cur/*") if done.is_dir() else ())]
        newest = sorted(paths, key=lambda path: path.stat().st_mtime, reverse=True)[:most]
        return [path.open("rb").read(HEADER_BYTES) for path in newest]

    def server_time(self) -> datetime | None:
        """The time by which the files of this folder are stamped; None if no file can be written.

        On a disk of another machine that is its clock. On a disk of our own it is our clock and proves
        nothing: mails and deadlines then go by one clock, and only NTP can say whether it is right.
        """
        # Nobody looks for mail in `tmp`: a delivery is written there and then moved to `new`.
        try:
            with NamedTemporaryFile(dir=self._root / "tmp", prefix="galloper-clock-") as probe:
                return datetime.fromtimestamp(os.fstat(probe.fileno()).st_mtime, UTC)
        except OSError:
            return None

    def close(self) -> None:
        """See MailSource."""

    def _files(self) -> list[Path]:
        try:
            # Both folders, since another program may have opened a mail, which moves it to `cur`. Not by
            # `mailbox.Maildir`: it hands out parsed messages, and the standard parser raises on some headers.
            return [
                path
                for folder in ("new", "cur")
                for path in (self._root / folder).iterdir()
                if not path.name.startswith(".")
            ]
        except OSError as error:
            raise MailboxError(
                f"{self._root} is no Maildir that can be read ({error.strerror}); check mail_in.path."
            ) from error

    def _find(self, place: MailboxLocation) -> Path | None:
        return next((path for path in self._files() if _unique(path) == place.uid), None)

    def _move(self, place: MailboxLocation, folder: str) -> None:
        path = self._find(place)
        if path is None:
            return
        target = self._root / f".{folder}"
        try:
            if not target.is_dir():
                mailbox.Maildir(str(self._root), create=False).add_folder(folder)
            path.replace(target / "cur" / f"{place.uid}:2,S")
        except FileNotFoundError:
            return
        except OSError as error:
            raise MoveRefused(
                f"{target} cannot be written ({error.strerror}); check its permissions"
            ) from error


def _unique(path: Path) -> str:
    """The part of a Maildir name that stays when flags change."""
    return path.name.partition(":")[0]
