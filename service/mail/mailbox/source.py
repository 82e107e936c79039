"""A mailbox as the site sees it: mails that wait, their places, and what may go wrong (`MailSource`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from adjudicator.errors import UserFacingError

HEADER_BYTES = 65_536
"""Bytes that are fetched of a mail that is too large, at most."""


class MailboxError(UserFacingError):
    """The mailbox cannot be used now. The sentence shows which server and what to check."""


class MailFault(UserFacingError):
    """The server cannot hand out this one mail; others may be fetched."""


class MailCut(MailFault):
    """The transfer of this mail broke off again and again. It stays where it is and is tried again later."""


class MoveRefused(MailFault):
    """The server refuses to move mails. The sentence states to which folder, and the server's code."""


@dataclass(frozen=True, slots=True)
class MailboxLocation:
    """The place of a mail. A folder with another `uidvalidity` is another folder, even under the same name
    (RFC 9051, 2.3.1.1)."""

    account: str
    folder: str
    uidvalidity: str
    uid: str


@dataclass(frozen=True, slots=True)
class WaitingMail:
    """A mail in the mailbox, not yet fetched. `received_at`: the receiving server's stamp in UTC (SUB-09).
    `size`: bytes."""

    place: MailboxLocation
    size: int
    received_at: datetime


@dataclass(frozen=True, slots=True)
class RawMail:
    """A mail's bytes as they came. `is_whole` is False if it was too large; `data` then starts its header."""

    data: bytes
    is_whole: bool


class Signal(Protocol):
    """Something that ends a wait; a `threading.Event` is one."""

    def is_set(self) -> bool: ...
    def wait(self, timeout: float | None = None) -> bool: ...


class MailSource(Protocol):
    """A mailbox, for one thread at a time. Every method may raise MailboxError; the next call begins again.
    `name`: account and folder."""

    @property
    def name(self) -> str: ...

    def list_waiting(self, since: datetime | None = None) -> Sequence[WaitingMail]:
        """The mails that wait now, oldest first, read or unread; those from before the day of `since` (UTC)
        are left out."""

    def from_lines(self, waiting_mails: Sequence[WaitingMail]) -> Mapping[MailboxLocation, bytes]:
        """The From headers of mails, as header blocks, without a trace on the server. A mail that is gone is
        left out."""

    def headers(self, waiting_mails: Sequence[WaitingMail]) -> Mapping[MailboxLocation, bytes]:
        """The beginnings of mails, at least their headers, without a trace on the server. A mail that is gone
        is left out."""

    def fetch(self, waiting: WaitingMail) -> RawMail | None:
        """The bytes, without a trace on the server; None if the mail is gone. Raises MailFault."""

    def move_to_done(self, places: Sequence[MailboxLocation]) -> Mapping[MailboxLocation, MailboxLocation]:
        """Move mails to the folder of those taken in; the new place of each, where the server names it. A
        mail that is gone is not an error. Raises MoveRefused."""

    def list_done(self, seen: str, since: datetime) -> tuple[Sequence[WaitingMail], str]:
        """The mails in the folder of those taken in, newest first, and a word for this state of the folder.
        Mails that were there at the state `seen` ("" for none) or came before the day of `since` may be left
        out."""

    def marks(self) -> Sequence[bytes]:
        """The mails of that folder that may be its mark (`service.mail.mailbox.mark`)."""

    def put_mark(self, note: bytes) -> None:
        """Add a mark to that folder and remove the others. Raises MoveRefused."""

    def count_before(self, since: datetime) -> int:
        """How many mails `list_waiting` leaves out."""

    def quarantine(self, place: MailboxLocation) -> None:
        """Move a mail that could not be taken in to a folder where a person finds it. Raises MoveRefused."""

    def wait(self, seconds: float, stop: Signal) -> None:
        """Return when a mail may have arrived, when the time is over or when `stop` is set."""

    def close(self) -> None:
        """Leave; never raises."""
