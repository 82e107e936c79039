"""The verdict on one mail, and the facts about it that later mails need."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from adjudicator.calendar import PhaseKind
from grammar.headings.values import HeadingComplaint
from service.mail.authentication.verdict import Authentication
from service.mail.reports import DeliveryReport


class VerdictKind(StrEnum):
    """What happens to a mail. Rejected: does not count by itself. Ignored: never answered."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    IGNORED = "ignored"


class RefusalReason(StrEnum):
    """Why a mail is ignored or rejected."""

    # From a machine or sent twice: ignored.
    OWN_MAIL = "own_mail"
    BOUNCE = "bounce"
    RECEIPT = "receipt"
    AUTO_REPLY = "auto_reply"
    DUPLICATE = "duplicate"

    # In the order of the tests in `rules`: rejected.
    BAD_FROM = "bad_from"
    AUTH_FAILED = "auth_failed"
    AUTH_UNAVAILABLE = "auth_unavailable"
    SUBJECT_UNPARSED = "subject_unparsed"
    UNKNOWN_GAME = "unknown_game"
    AMBIGUOUS_GAME = "ambiguous_game"
    UNKNOWN_POWER = "unknown_power"
    AMBIGUOUS_POWER = "ambiguous_power"
    SENDER_NOT_POWER = "sender_not_power"
    UNKNOWN_SENDER = "unknown_sender"
    PHASE_TYPE_MISMATCH = "phase_type_mismatch"
    WRONG_PHASE = "wrong_phase"
    LATE = "late"
    ENCRYPTED = "encrypted"
    TOO_LARGE = "too_large"
    BAD_IMAGE = "bad_image"
    NO_PHOTO = "no_photo"
    NOT_BOLD = "not_bold"
    FIRST_BY_POST = "first_by_post"

    # Known only later, from the reading of the sheet or at the desk.
    TOO_DARK = "too_dark"
    BLURRED = "blurred"
    CUT_OFF = "cut_off"
    BLANK = "blank"
    NOT_A_SHEET = "not_a_sheet"
    HEADING_DISAGREES = "heading_disagrees"
    CODE_DISAGREES = "code_disagrees"
    ONLY_CHANGES = "only_changes"
    VERSION_UNCLEAR = "version_unclear"
    READER_FAILED = "reader_failed"
    COULD_NOT_BE_HANDLED = "could_not_be_handled"


class Note(StrEnum):
    """The flags that the intake adds to those of the heading."""

    GAME_MISSING = "game_missing"
    YEAR_MISSING = "year_missing"
    TYPE_MISSING = "type_missing"
    PHOTO_UNREADABLE = "photo_unreadable"
    # What is wrong with a photograph at first sight (`ocr.image.first_look.PhotoTrouble`).
    PHOTO_DARK = "photo_dark"
    PHOTO_BLURRED = "photo_blurred"
    PHOTO_CUT_OFF = "photo_cut_off"
    PHOTO_NO_WRITING = "photo_no_writing"
    VERSION_CONFLICT = "version_conflict"
    SUPERSEDED = "superseded"
    NOT_FIRST = "not_first"
    TYPED = "typed"
    """The orders were typed into the mail; the page on file is a drawing of that text."""


PHOTO_DOUBTS = frozenset({Note.PHOTO_DARK, Note.PHOTO_BLURRED, Note.PHOTO_CUT_OFF, Note.PHOTO_NO_WRITING})
"""What a first look finds wrong with a photograph, which may be readable all the same."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a mail, with all that receipts, quarantine and the desk need.

    The fields of the subject are canonical, as far as they could be read, also in a rejection. `photos`:
    photographs that open. `sender`: the one address in From, or None. `reply_to`: the registered address to
    answer, None if nobody may be answered. `alert`: the coordinator is told at once. `duplicate_of`: the
    earlier mail that this one repeats. `version_on_file`: the highest version accepted before for this sheet.
    `report`: a bounce or read receipt. `subject`: as received, decoded. `complaint`: what was wrong with the
    subject. `trailing`: words after the version. `authentication`: who proved the sender or why nobody did;
    None where it was not asked.
    """

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
    version_on_file: int | None = None
    report: DeliveryReport | None = None
    subject: str = ""
    complaint: HeadingComplaint | None = None
    trailing: str = ""
    authentication: Authentication | None = None

    @property
    def is_for_quarantine(self) -> bool:
        """Whether the coordinator must decide about the mail, since it does not count by itself."""
        return self.verdict is VerdictKind.REJECTED

    @property
    def phase_type(self) -> str | None:
        """The kind of orders as the contract spells it: Movement, Retreat, Adjustment."""
        return None if self.kind is None else self.kind.value.capitalize()

    @property
    def sheet_key(self) -> tuple[str | None, str | None, str | None, int | None, PhaseKind | None]:
        """The fields that name a sheet, without its version (VER-05)."""
        return (self.game, self.power, self.season, self.year, self.kind)


@dataclass(frozen=True, slots=True)
class EarlierMail:
    """A judged and authenticated mail. `ref`: the caller's key for it. `photo_keys`: as in IncomingMail."""

    ref: str
    sender: str
    received_at: datetime
    photo_keys: tuple[str, ...]
    verdict: Verdict
