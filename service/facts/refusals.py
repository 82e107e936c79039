"""Why a mail is refused, or a sheet held: each reason once, with all its words."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class RefusalReason(StrEnum):
    """Why a mail is ignored or rejected, or a sheet waits.

    Each has its persisted word; `because`, the half sentence after "held, because"; `problem`, the sentence
    for the sender; and `remedy`, what the sender can do, "" where that depends on the mail or nothing can be
    done (`service.intake.verdicts.explanations`).
    """

    because: str
    problem: str
    remedy: str

    def __new__(cls, word: str, because: str = "", problem: str = "", remedy: str = "") -> Self:
        reason = str.__new__(cls, word)
        reason._value_ = word
        reason.because, reason.problem, reason.remedy = because, problem, remedy
        return reason

    # From a machine or sent twice: ignored.
    OWN_MAIL = (
        "own_mail",
        "it looks like one of our own letters, returned",
        "This is one of our own mails, returned.",
    )
    BOUNCE = (
        "bounce",
        "it looks like a report about a letter of ours",
        "One of our mails could not be delivered, or was delayed.",
    )
    RECEIPT = (
        "receipt",
        "it looks like a read receipt for a letter of ours",
        "This is a read receipt for one of our mails.",
    )
    AUTO_REPLY = (
        "auto_reply",
        "its headers mark it as sent by a program",
        "This is an automatic answer.",
    )
    DUPLICATE = (
        "duplicate",
        "the same pictures came before under the same subject",
        "The same mail was received before.",
    )

    # In the order of the tests in `service.intake.verdicts.rules`: rejected.
    BAD_FROM = (
        "bad_from",
        "its sender's address cannot be read",
        "The mail does not have exactly one sender's address.",
        "Send it again from a single address.",
    )
    AUTH_FAILED = (
        "auth_failed",
        "its sender could not be proved",
        "Our mail server could not confirm that the mail comes from its sender.",
        "The coordinator decides. No answer was sent.",
    )
    AUTH_UNAVAILABLE = (
        "auth_unavailable",
        "its sender's domain did not answer",
        "The sender's domain did not answer, so the mail's signature could not be checked.",
        "The coordinator decides. No answer was sent.",
    )
    SUBJECT_UNPARSED = (
        "subject_unparsed",
        "its subject could not be understood",
        "The subject line does not name game, power, season and kind of orders.",
        "Send it again with the subject written as below.",
    )
    UNKNOWN_GAME = (
        "unknown_game",
        "its subject does not name a game that runs here",
        "The subject does not name a game of this site.",
    )
    AMBIGUOUS_GAME = (
        "ambiguous_game",
        "its subject fits several games",
        "The subject may mean more than one game.",
    )
    UNKNOWN_POWER = (
        "unknown_power",
        "its subject does not name a power of the game",
        "The subject does not name a power of this game.",
        "Use your power's name; if you changed address, write to the coordinator.",
    )
    AMBIGUOUS_POWER = (
        "ambiguous_power",
        "its subject fits several powers",
        "The subject may mean more than one power.",
        "Send it again with your power's full name.",
    )
    SENDER_NOT_POWER = (
        "sender_not_power",
        "its sender does not command this power",
        "Your address is not registered for the power the subject names.",
        "Use your own power's name; if you changed address, write to the coordinator.",
    )
    UNKNOWN_SENDER = (
        "unknown_sender",
        "its sender's address is not registered",
        "The sender's address is not registered in this game.",
        "Write from your registered address; if you changed it, write to the coordinator.",
    )
    PHASE_TYPE_MISMATCH = (
        "phase_type_mismatch",
        "its kind of orders fits no open phase",
        "That kind of orders does not belong to that season.",
    )
    WRONG_PHASE = (
        "wrong_phase",
        "its season fits no open phase",
        "The phase the subject names is not open.",
    )
    LATE = (
        "late",
        "it came after the deadline",
        "The mail was received after the deadline, so it is not executed.",
        "Orders for the next phase are taken until its own deadline.",
    )
    ENCRYPTED = (
        "encrypted",
        "it is encrypted",
        "The mail or its attachment is encrypted, and we have no key to it.",
        "Send it again without encryption, the picture as JPEG or PDF without a password.",
    )
    TOO_LARGE = (
        "too_large",
        "it is too large",
        "The mail is too large.",
        "Send at most 20 photographs and 25 MB in one mail, as JPEG or PDF.",
    )
    BAD_IMAGE = (
        "bad_image",
        "its picture cannot be opened",
        "The attached picture cannot be opened.",
        "Send the picture again as JPEG or PDF, at most 20 photographs and 25 MB in one mail.",
    )
    NO_PHOTO = (
        "no_photo",
        "it has no picture of a sheet",
        "No picture of a sheet was found in the mail; text in the message is not read.",
        "Photograph the sheet and attach it to a new mail.",
    )
    NOT_BOLD = (
        "not_bold",
        "its orders were typed and are not in bold",
        "No picture of a sheet was found in the mail, and nothing in it is bold: only bold text counts.",
        "Send it again with each order in bold, or between ** and **.",
    )
    FIRST_BY_POST = (
        "first_by_post",
        "the first orders must come by post",
        "In this game the first orders of a season must be posted.",
        "Post the sheet; this picture is stored as a revision.",
    )

    # Seen only later, in the reading of the sheet or at the desk.
    TOO_DARK = (
        "too_dark",
        "the photograph is too dark",
        "The photograph is too dark to read.",
        "Lay the sheet flat in daylight, all four corners in view, and photograph it again.",
    )
    BLURRED = (
        "blurred",
        "the photograph is blurred",
        "The photograph is too blurred to read.",
        "Lay the sheet flat in daylight, hold still, and photograph it again.",
    )
    CUT_OFF = (
        "cut_off",
        "the sheet is cut off",
        "Part of the sheet is outside the photograph.",
        "Photograph it again with all four corners in view.",
    )
    BLANK = (
        "blank",
        "no writing was found on the sheet",
        "No writing was found on the photograph.",
        "Photograph the written side, flat and in daylight.",
    )
    NOT_A_SHEET = (
        "not_a_sheet",
        "no sheet was found in the photograph",
        "The photograph does not show a sheet of paper with writing.",
        "Lay the sheet flat in daylight, all four corners in view, and photograph it again.",
    )
    HEADING_DISAGREES = (
        "heading_disagrees",
        "the sheet's heading and the mail's subject disagree",
        "The heading on the sheet and the subject of the mail do not agree.",
        "The coordinator will look at both. It is faster to send a new version in which they agree.",
    )
    ANSWER_DISAGREES = (
        "answer_disagrees",
        "it answers a letter, and its subject or heading names another game, power or phase",
        ("Your mail answers a letter of ours, and your subject or the heading on your sheet names another "
         "game, power or phase than that letter and the phase that is open."),
        ("The coordinator will look at it. It is faster to send a new version with the whole subject in a "
         "new mail."),
    )
    CODE_DISAGREES = (
        "code_disagrees",
        "the code on the sheet and the mail's subject disagree",
        ("By the code on it, the sheet was printed for another power, phase or game than the subject of the "
         "mail names."),
        ("The coordinator will look at it. It is faster to send a new version on the sheet of this phase, "
         "or on plain paper."),
    )
    ONLY_CHANGES = (
        "only_changes",
        "the sheet gives only changes to an earlier one",
        "The sheet lists only changes, but each sheet replaces the one before as a whole.",
        "The coordinator will look at it. It is faster to send a new version with all orders on it.",
    )
    PAGES_MISSING = (
        "pages_missing",
        "it is one of several pages, and the others are not in its mail",
        "The sheet is marked as one of several pages, and the others are not in this mail.",
        ("The coordinator will look at it, and at your other mails. It is faster to send all pages in one "
         "mail, as a new version."),
    )
    VERSION_UNCLEAR = (
        "version_unclear",
        "it is marked final or another version, without a number",
        "The sheet is marked final or another version, without a number.",
        ("The coordinator will look at it. It is faster to send it again with the next version number in "
         "the subject."),
    )
    READER_FAILED = (
        "reader_failed",
        "the machine failed to read it",
        "The photograph arrived, but the machine failed to read it.",
        "The coordinator will look at it. It is faster to send a new version with another photograph.",
    )
    COULD_NOT_BE_HANDLED = (
        "could_not_be_handled",
        "the machine could not open it",
        "Your mail and everything attached to it are safe, but our machine could not open it.",
        ("The coordinator will look at it. To be sure that your orders count, photograph the sheet and "
         "send it again as JPEG before the deadline."),
    )
