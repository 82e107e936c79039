"""The entries of the desk's inbox, in the order in which they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum, StrEnum

_LAST = datetime.max.replace(tzinfo=UTC)


class InboxKind(StrEnum):
    """The subject of an entry; each kind is a filter of the inbox, with its name in the address."""

    SITE = "site"
    LINES = "lines"
    RESULTS = "results"
    SHEETS = "sheets"
    MAILS = "mails"
    IGNORED = "ignored"
    LETTERS = "letters"
    ADDRESSES = "addresses"

    @property
    def words(self) -> str:
        """Its name on the page."""
        return _WORDS[self]


_WORDS = {
    InboxKind.SITE: "Alarms", InboxKind.LINES: "Lines", InboxKind.RESULTS: "Turns",
    InboxKind.SHEETS: "Sheets", InboxKind.MAILS: "Mails held", InboxKind.IGNORED: "Mails ignored",
    InboxKind.LETTERS: "Letters of players", InboxKind.ADDRESSES: "Failed addresses",
}


class Urgency(IntEnum):
    """How much waits for an entry, most first.

    ALARM: the site or a deadline is still. RESULTS: results are kept back. ANSWER: a player waits, or a
    sheet of an open phase does not count yet. LOOK: nothing is lost if it is left.
    """

    ALARM = 0
    RESULTS = 1
    ANSWER = 2
    LOOK = 3


@dataclass(frozen=True, slots=True)
class NextAct:
    """The action for an entry: the words of its button, and where that leads. `is_form`: it is sent there,
    and not only shown."""

    words: str
    address: str
    is_form: bool = False


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """Something that waits for a person.

    `title`: what waits; `about`: of which game, phase or person; `reason`: why, and what follows. The first
    of `acts` is the next act. `due`: the deadline that it should be done by, or None; `since`: when it began
    to wait, or None. `mail`: SHA-256 of a mail that may be discarded with others, or "".
    """

    kind: InboxKind
    urgency: Urgency
    title: str
    about: str
    reason: str
    acts: tuple[NextAct, ...]
    due: datetime | None = None
    since: datetime | None = None
    mail: str = ""

    @property
    def rank(self) -> tuple[int, datetime, datetime]:
        """By urgency, then by deadline, then by how long it waits."""
        return self.urgency, self.due or _LAST, self.since or _LAST
