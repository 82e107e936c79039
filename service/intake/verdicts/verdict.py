"""The verdict on one mail, and the facts about it that later mails need."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from adjudicator.calendar import Phase, PhaseKind
from grammar.headings.values import HeadingComplaint
from service.facts.files import FileOutcome
from service.facts.refusals import RefusalReason
from service.games.ballots import RankedSubmission
from service.mail.authentication.verdict import Authentication
from service.mail.reports import DeliveryReport


class VerdictKind(StrEnum):
    """The verdict on a mail. Rejected: does not count by itself. Ignored: never answered."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The fate of a mail, with all that receipts, quarantine and the desk need.

    The fields of the subject are canonical, as far as they could be read, also in a rejection. `photos`:
    photographs that open. `sender`: the one address in From, or None. `reply_to`: the registered address to
    answer, None if no one may be answered. `alert`: the coordinator is informed at once. `duplicate_of`:
    the earlier mail that this one repeats. `before`: the sheet on file that counted until this one came.
    `report`: a bounce or read receipt. `subject`: as received, decoded. `complaint`: what was wrong with the
    subject. `trailing`: words after the version. `authentication`: who proved the sender or why no one
    did; None where it was not asked. `files`: what becomes of each file of the mail. """

    verdict: VerdictKind
    reason: RefusalReason | None = None
    game: str | None = None
    power: str | None = None
    season: str | None = None
    year: int | None = None
    kind: PhaseKind | None = None
    version: int | None = None
    photos: int = 0
    flags: frozenset[str] = frozenset()
    sender: str | None = None
    reply_to: str | None = None
    alert: bool = False
    duplicate_of: str | None = None
    before: RankedSubmission | None = None
    report: DeliveryReport | None = None
    subject: str = ""
    complaint: HeadingComplaint | None = None
    trailing: str = ""
    authentication: Authentication | None = None
    files: tuple[FileOutcome, ...] = ()

    @property
    def phase_type(self) -> str | None:
        """The kind of orders as the contract spells it: Movement, Retreat, Adjustment."""
        return None if self.kind is None else self.kind.value.capitalize()

    @property
    def phase(self) -> Phase:
        """The phase of an accepted sheet. Raises ValueError where the subject does not name it whole."""
        if self.year is None or self.season is None or self.kind is None:
            raise ValueError("the subject does not name a whole phase")
        return Phase(self.year, self.season, self.kind)

    @property
    def sheet_key(self) -> tuple[str | None, str | None, str | None, int | None, PhaseKind | None]:
        """The fields that name a sheet, without its version (VER-05)."""
        return (self.game, self.power, self.season, self.year, self.kind)


@dataclass(frozen=True, slots=True)
class EarlierMail:
    """A judged and authenticated mail. `ref`: the caller's key for it. `photo_keys` and `message_id`: as in
    IncomingMail."""

    ref: str
    sender: str
    received_at: datetime
    photo_keys: tuple[str, ...]
    verdict: Verdict
    message_id: str | None = None
