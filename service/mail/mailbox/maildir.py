"""A mailbox in a Maildir folder, where a local mail server delivers. It behaves like the one on IMAP."""

from __future__ import annotations

import mailbox
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import monotonic, time_ns

from service.config import MailIn
from service.mail.headers import split_headers
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
_SETTLING_NS = 2_000_000_000
_MARK = "galloper-mark-"
"""The beginning of the file's name of a mark."""


class MaildirSource:
    """The Maildir at `mail_in.path`. A file's unique name is its UID; its time of change is the receipt."""

    def __init__(self, settings: MailIn) -> None:
        self._root = Path(settings.path)
        self._settings = settings
        self._done = self._root / f".{settings.done_folder}"
        self._names: frozenset[str] = frozenset()
        self._from_lines: dict[MailboxLocation, bytes] = {}

    @property
    def name(self) -> str:
        """See MailSource."""
        return f"maildir/{self._root}"

    def list_waiting(self, since: datetime | None = None) -> Sequence[WaitingMail]:
        """See MailSource."""
        files = self._files()
        self._names = frozenset(map(_unique, files))
        mails = self._described(files, self._root)
        return sorted((mail for mail in mails if since is None or mail.received_at >= since),
                      key=lambda mail: (mail.received_at, mail.place.uid))

    def count_before(self, since: datetime) -> int:
        """See MailSource."""
        return sum(mail.received_at < since for mail in self._described(self._files(), self._root))

    @staticmethod
    def _described(files: Iterable[Path], folder: Path) -> list[WaitingMail]:
        waiting_mails = []
        for path in files:
            try:
                status = path.stat()
            except FileNotFoundError:
                continue
            place = MailboxLocation("maildir", str(folder), "maildir", _unique(path))
            received_at = datetime.fromtimestamp(status.st_mtime, UTC)
            waiting_mails.append(WaitingMail(place, status.st_size, received_at))
        return waiting_mails

    def from_lines(self, waiting_mails: Sequence[WaitingMail]) -> Mapping[MailboxLocation, bytes]:
        """See MailSource."""
        places = {mail.place for mail in waiting_mails}
        self._from_lines = {place: lines for place, lines in self._from_lines.items() if place in places}
        unknown = [mail for mail in waiting_mails if mail.place not in self._from_lines]
        self._from_lines |= {place: _from_lines(raw) for place, raw in self.headers(unknown).items()}
        return self._from_lines

    def headers(self, waiting_mails: Sequence[WaitingMail]) -> Mapping[MailboxLocation, bytes]:
        """See MailSource."""
        headers = {}
        files = {_unique(path): path for path in self._files()}
        for mail in waiting_mails:
            with suppress(OSError, KeyError), files[mail.place.uid].open("rb") as file:
                headers[mail.place] = file.read(HEADER_BYTES)
        return headers

    def list_done(self, seen: str, since: datetime) -> tuple[Sequence[WaitingMail], str]:
        """See MailSource."""
        folder = self._done / "cur"
        try:
            changed = folder.stat().st_mtime_ns
            state = str(changed)
            if state == seen:
                return (), seen
            mails = self._described(folder.iterdir(), self._done)
        except OSError:
            return (), ""
        # A clock ticks in steps of milliseconds: what follows in the same step leaves the time as it is.
        is_settled = time_ns() - changed > _SETTLING_NS
        newest_first = sorted(mails, key=lambda mail: mail.received_at, reverse=True)
        return [mail for mail in newest_first if mail.received_at >= since], state if is_settled else ""

    def marks(self) -> Sequence[bytes]:
        """See MailSource."""
        self._files()  # raises MailboxError for what is not a Maildir
        return [path.read_bytes() for path in self._done.glob(f"cur/{_MARK}*")]

    def put_mark(self, note: bytes) -> None:
        """See MailSource."""
        old = list(self._done.glob(f"cur/{_MARK}*"))
        try:
            self._make(self._settings.done_folder)
            (self._done / "tmp" / _MARK).write_bytes(note)
            (self._done / "tmp" / _MARK).replace(self._done / "cur" / f"{_MARK}{time_ns()}:2,S")
            for path in old:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise MoveRefused(
                f"{self._done} cannot be written ({error.strerror}); check its permissions") from error

    def fetch(self, waiting: WaitingMail) -> RawMail | None:
        """See MailSource."""
        folder = Path(waiting.place.folder)
        path = self._find(waiting.place) if folder == self._root else next(
            folder.glob(f"cur/{waiting.place.uid}*"), None)
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

    def move_to_done(self, places: Sequence[MailboxLocation]) -> Mapping[MailboxLocation, MailboxLocation]:
        """See MailSource."""
        for place in places:
            self._move(place, self._settings.done_folder)
        return {place: replace(place, folder=str(self._done)) for place in places}

    def quarantine(self, place: MailboxLocation) -> None:
        """See MailSource."""
        self._move(place, self._settings.quarantine_folder)

    def wait(self, seconds: float, stop: Signal) -> None:
        """See MailSource. Looks twice a second."""
        end = monotonic() + seconds
        # A mail that cannot be moved is not news: it would have this look again without a pause.
        while (not stop.is_set() and self._names.issuperset(map(_unique, self._files()))
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
        nothing: mails and deadlines then go by one clock, and only NTP can show whether it is right.
        """
        # No one looks for mail in `tmp`: a delivery is written there and then moved to `new`.
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
                f"{self._root} is not a readable Maildir ({error.strerror}); check mail_in.path."
            ) from error

    def _find(self, place: MailboxLocation) -> Path | None:
        return next((path for path in self._files() if _unique(path) == place.uid), None)

    def _make(self, folder: str) -> None:
        if not (self._root / f".{folder}").is_dir():
            mailbox.Maildir(str(self._root), create=False).add_folder(folder)

    def _move(self, place: MailboxLocation, folder: str) -> None:
        path = self._find(place)
        if path is None:
            return
        target = self._root / f".{folder}"
        try:
            self._make(folder)
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


def _from_lines(beginning: bytes) -> bytes:
    """The From fields of a mail, as a header block."""
    fields = split_headers(beginning)[0].all("from")
    return "".join(f"From: {value}\r\n" for value in fields).encode("utf-8", "surrogateescape") + b"\r\n"
