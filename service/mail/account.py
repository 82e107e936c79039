"""The site's mailbox and relay as the settings say now: both are replaced while the site runs, when a
password or a server changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from threading import Lock, local
from typing import Generic, TypeVar

from service.config import MailIn, MailOut
from service.mail.access.login import Login
from service.mail.mailbox.source import MailboxLocation, MailSource, RawMail, Signal, WaitingMail
from service.mail.sending.smtp import FolderTransport, MailEnvelope, SmtpTransport, Transport

IN_CHANGEABLE = frozenset({
    "host", "port", "tls", "user", "password", "oauth", "folder", "done_folder", "quarantine_folder",
    "max_bytes", "keep_alive_seconds",
})
OUT_CHANGEABLE = frozenset({"host", "port", "starttls", "user", "password", "oauth", "return_by_letter"})
"""Settings of `mail_in` and `mail_out` that may change while the site runs: how the two servers are reached.
Whose stamps are believed and who sends are read at the start alone."""


def open_source(settings: MailIn, *, login: Login | None = None, until: float | None = None) -> MailSource:
    """The mailbox of the settings. `until`: when whatever it does has to end (`time.monotonic`)."""
    if settings.kind == "maildir":
        from service.mail.mailbox.maildir import MaildirSource

        return MaildirSource(settings)
    from service.mail.mailbox.imap import ImapSource

    return ImapSource(settings, login=login, until=until)


def open_transport(settings: MailOut, *, login: Login | None = None) -> Transport:
    """The way out of the settings."""
    return (FolderTransport(Path(settings.path)) if settings.kind == "folder"
            else SmtpTransport(settings, login=login))


class MailAccount:
    """How the mail servers are reached at present, with one `Login` each. Safe to share between threads.

    A change gives new logins, so that what was refused is tried at once; connections are opened again at
    their next use.
    """

    def __init__(self, mail_in: MailIn, mail_out: MailOut) -> None:
        self._lock = Lock()
        self.generation = 0
        self._set(mail_in, mail_out)

    def _set(self, mail_in: MailIn, mail_out: MailOut) -> None:
        self.mail_in, self.mail_out = mail_in, mail_out
        self.login_in, self.login_out = Login(mail_in, "mail_in"), Login(mail_out, "mail_out")

    def change(self, mail_in: MailIn, mail_out: MailOut) -> bool:
        """Take over what may change; whether anything did."""
        new_in = self.mail_in.model_copy(update={name: getattr(mail_in, name) for name in IN_CHANGEABLE})
        new_out = self.mail_out.model_copy(update={name: getattr(mail_out, name) for name in OUT_CHANGEABLE})
        with self._lock:
            if (new_in, new_out) == (self.mail_in, self.mail_out):
                return False
            self._set(new_in, new_out)
            self.generation += 1
        return True

    def needs_restart(self, mail_in: MailIn, mail_out: MailOut) -> tuple[str, ...]:
        """The names of changed settings that are read at the start alone."""
        return (*(f"mail_in.{name}" for name in type(mail_in).model_fields
                  if name not in IN_CHANGEABLE and getattr(mail_in, name) != getattr(self.mail_in, name)),
                *(f"mail_out.{name}" for name in type(mail_out).model_fields
                  if name not in OUT_CHANGEABLE and getattr(mail_out, name) != getattr(self.mail_out, name)))

    def source(self, until: float | None = None) -> MailSource:
        """The mailbox, by the settings of this moment."""
        with self._lock:
            return open_source(self.mail_in, login=self.login_in, until=until)

    def transport(self) -> Transport:
        """The way out, by the settings of this moment."""
        with self._lock:
            return open_transport(self.mail_out, login=self.login_out)


Door = TypeVar("Door", MailSource, Transport)


class _Current(Generic[Door]):
    """What was opened by the settings of this moment; opened again after they changed."""

    def __init__(self, account: MailAccount, open_door: Callable[[], Door]) -> None:
        self._account = account
        self._open: Callable[[], Door] = open_door
        self._door: Door | None = None
        self._generation = -1

    def door(self) -> Door:
        generation = self._account.generation
        if self._door is None or generation != self._generation:
            old, self._door, self._generation = self._door, self._open(), generation
            if old is not None:
                old.close()
        return self._door

    def close(self) -> None:
        if self._door is not None:
            self._door.close()


class LiveSource:
    """The mailbox for as long as the site runs; see MailSource."""

    def __init__(self, account: MailAccount) -> None:
        self._current: _Current[MailSource] = _Current(account, account.source)

    @property
    def name(self) -> str:
        """See MailSource."""
        return self._current.door().name

    def list_waiting(self, since: datetime | None = None) -> Sequence[WaitingMail]:
        """See MailSource."""
        return self._current.door().list_waiting(since)

    def from_lines(self, waiting_mails: Sequence[WaitingMail]) -> Mapping[MailboxLocation, bytes]:
        """See MailSource."""
        return self._current.door().from_lines(waiting_mails)

    def headers(self, waiting_mails: Sequence[WaitingMail]) -> Mapping[MailboxLocation, bytes]:
        """See MailSource."""
        return self._current.door().headers(waiting_mails)

    def fetch(self, waiting: WaitingMail) -> RawMail | None:
        """See MailSource."""
        return self._current.door().fetch(waiting)

    def move_to_done(self, places: Sequence[MailboxLocation]) -> Mapping[MailboxLocation, MailboxLocation]:
        """See MailSource."""
        return self._current.door().move_to_done(places)

    def list_done(self, seen: str, since: datetime) -> tuple[Sequence[WaitingMail], str]:
        """See MailSource."""
        return self._current.door().list_done(seen, since)

    def marks(self) -> Sequence[bytes]:
        """See MailSource."""
        return self._current.door().marks()

    def put_mark(self, note: bytes) -> None:
        """See MailSource."""
        self._current.door().put_mark(note)

    def count_before(self, since: datetime) -> int:
        """See MailSource."""
        return self._current.door().count_before(since)

    def quarantine(self, place: MailboxLocation) -> None:
        """See MailSource."""
        self._current.door().quarantine(place)

    def wait(self, seconds: float, stop: Signal) -> None:
        """See MailSource."""
        self._current.door().wait(seconds, stop)

    def close(self) -> None:
        """See MailSource."""
        self._current.close()


class LiveTransport:
    """The way out for as long as the site runs; see Transport. Each thread has its own connection."""

    def __init__(self, account: MailAccount) -> None:
        self._account = account
        self._local = local()

    def send(self, envelope: MailEnvelope) -> None:
        """See Transport."""
        self._current().door().send(envelope)

    def close(self) -> None:
        """See Transport."""
        self._current().close()

    def _current(self) -> _Current[Transport]:
        current: _Current[Transport] | None = getattr(self._local, "current", None)
        if current is None:
            current = self._local.current = _Current(self._account, self._account.transport)
        return current
