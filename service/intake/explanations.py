"""What is said about a verdict: what happened, what is safe, what to do. For receipts, refusals and the
desk."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from adjudicator.calendar import Phase
from service.intake.context import GameContext, IntakeContext
from service.intake.verdict import RefusalReason, Verdict, VerdictKind

_KEPT = "Your mail is kept as it came."
_STANDS = "Nothing you sent before has changed."
_LIMIT = "at most 20 photographs and 25 MB in one mail"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Three sentences, each may be empty, and a filled-in subject line to copy."""

    problem: str
    reassurance: str = ""
    remedy: str = ""
    subject: str = ""


_WHAT: dict[RefusalReason, str] = {
    RefusalReason.OWN_MAIL: "This is a mail of our own that came back.",
    RefusalReason.BOUNCE: "A mail of ours could not be delivered, or was delayed.",
    RefusalReason.RECEIPT: "A program says that a mail of ours was opened.",
    RefusalReason.AUTO_REPLY: "An automatic answer.",
    RefusalReason.DUPLICATE: "The same mail was received before.",
    RefusalReason.BAD_FROM: "The mail does not have exactly one sender's address.",
    RefusalReason.AUTH_FAILED: ("The sender's address could not be proved by the server it claims to come "
                                "from."),
    RefusalReason.SUBJECT_UNPARSED: "The subject line does not name game, power, season and kind of orders.",
    RefusalReason.UNKNOWN_GAME: "The subject names no game that is known here.",
    RefusalReason.AMBIGUOUS_GAME: "The subject may mean more than one game.",
    RefusalReason.UNKNOWN_POWER: "The subject names no power of this game.",
    RefusalReason.AMBIGUOUS_POWER: "The subject may mean more than one power.",
    RefusalReason.SENDER_NOT_POWER: "Your address is not registered for the power the subject names.",
    RefusalReason.UNKNOWN_SENDER: "The sender's address is not registered in this game.",
    RefusalReason.PHASE_TYPE_MISMATCH: "That kind of orders does not belong to that season.",
    RefusalReason.WRONG_PHASE: "The phase the subject names is not open.",
    RefusalReason.LATE: "The mail was received after the deadline, so it is not executed.",
    RefusalReason.ENCRYPTED: "The mail or its attachment is encrypted, and we have no key to it.",
    RefusalReason.TOO_LARGE: "The mail is too large.",
    RefusalReason.BAD_IMAGE: "The attached picture cannot be opened.",
    RefusalReason.NO_PHOTO: "No picture of a sheet was found in the mail; text in the message is not read.",
    RefusalReason.NOT_BOLD: ("No picture of a sheet was found in the mail, and nothing in it is bold: only "
                             "bold "
                      "text counts."),
    RefusalReason.FIRST_BY_POST: "In this game the first orders of a season must be posted.",
    RefusalReason.TOO_DARK: "The photograph is too dark to read.",
    RefusalReason.BLURRED: "The photograph is too blurred to read.",
    RefusalReason.CUT_OFF: "Part of the sheet is outside the photograph.",
    RefusalReason.BLANK: "No writing was found on the photograph.",
    RefusalReason.NOT_A_SHEET: "The photograph does not show a sheet of paper with writing.",
    RefusalReason.HEADING_DISAGREES: "The heading on the sheet and the subject of the mail do not agree.",
    RefusalReason.ONLY_CHANGES: "The sheet says that it lists only changes, and a sheet counts as a whole.",
    RefusalReason.READER_FAILED: "The photograph arrived whole, and the machine that reads it failed.",
    RefusalReason.COULD_NOT_BE_HANDLED: ("We have your mail and what is attached to it safe, and our "
                                         "machine could "
                                  "not open it."),
}

_MEND: dict[RefusalReason, str] = {
    RefusalReason.BAD_FROM: "Send it again from one address.",
    RefusalReason.AUTH_FAILED: "The coordinator decides; nobody has been answered.",
    RefusalReason.SUBJECT_UNPARSED: "Send it again with the subject written as below.",
    RefusalReason.UNKNOWN_POWER: "Use your power's name; if you changed address, write to the coordinator.",
    RefusalReason.AMBIGUOUS_POWER: "Send it again with your power's full name.",
    RefusalReason.SENDER_NOT_POWER: ("Use your own power's name; if you changed address, write to the "
                                     "coordinator."),
    RefusalReason.UNKNOWN_SENDER: ("Write from your registered address; if you changed it, write to the "
                                   "coordinator."),
    RefusalReason.ENCRYPTED: ("Send it again without encryption, the picture as JPEG or PDF without a "
                              "password."),
    RefusalReason.TOO_LARGE: f"Send {_LIMIT}, as JPEG or PDF.",
    RefusalReason.BAD_IMAGE: f"Send the picture again as JPEG or PDF, {_LIMIT}.",
    RefusalReason.NO_PHOTO: "Photograph the sheet and attach it to a mail with the same subject.",
    RefusalReason.NOT_BOLD: ("Send it again with each order in bold, or between ** and **, and with the same "
                      "subject."),
    RefusalReason.FIRST_BY_POST: "Post the sheet; this picture is kept as a revision.",
    RefusalReason.TOO_DARK: ("Lay the sheet flat in daylight, all four corners in view, and photograph it "
                             "again."),
    RefusalReason.BLURRED: "Lay the sheet flat in daylight, hold still, and photograph it again.",
    RefusalReason.CUT_OFF: "Photograph it again with all four corners in view.",
    RefusalReason.BLANK: "Photograph the written side, flat and in daylight.",
    RefusalReason.NOT_A_SHEET: ("Lay the sheet flat in daylight, all four corners in view, and photograph it "
                                "again."),
    RefusalReason.HEADING_DISAGREES: ("The coordinator looks at both; a new version with both alike settles "
                                      "it at "
                               "once."),
    RefusalReason.ONLY_CHANGES: ("The coordinator looks at it; a new version with every order on it settles "
                                 "it at "
                          "once."),
    RefusalReason.READER_FAILED: ("The coordinator looks at it; a new version with another photograph "
                                  "settles it at "
                           "once."),
    RefusalReason.COULD_NOT_BE_HANDLED: "The coordinator looks at it. So that your orders surely count, "
                                        "photograph "
                                 "the sheet and send it "
                                 "again as JPEG before the deadline.",
    RefusalReason.LATE: "Orders for the next phase are taken until its own deadline.",
}


def explain(verdict: Verdict, context: IntakeContext) -> Explanation:
    """The words for a verdict. Nothing of another player and nothing of the board is in them (NON-02)."""
    if verdict.reason is None and verdict.verdict is VerdictKind.REJECTED:
        return Explanation(
            "The mail could not be handled.",
            _KEPT,
            "The coordinator finds it in quarantine, with its raw bytes.",
        )
    if verdict.reason is None:
        return Explanation(
            _received(verdict), f"{_KEPT} This is a machine's receipt; nobody has read it.", _notes(verdict)
        )
    if verdict.verdict is VerdictKind.IGNORED:
        standing = "" if verdict.duplicate_of is None else f"The earlier one stands ({verdict.duplicate_of})."
        return Explanation(_WHAT[verdict.reason], standing, "Nothing has to be done; nobody is answered.")
    return Explanation(
        _what(verdict), f"{_KEPT} {_STANDS}", _mend(verdict, context), subject_line(verdict, context)
    )


def _received(verdict: Verdict) -> str:
    version = "without a version number" if verdict.version is None else f"version {verdict.version}"
    pages = "1 photograph" if verdict.photos == 1 else f"{verdict.photos} photographs"
    return f"Received: {phase_words(verdict)} of {verdict.power} in {verdict.game}, {version}, {pages}."


def phase_words(verdict: Verdict) -> str:
    """The phase of a verdict as players write it: "Autumn 1644 Retreat Orders"."""
    parts = (verdict.season, None if verdict.year is None else str(verdict.year), verdict.phase_type)
    return " ".join(part for part in (*parts, "Orders") if part)


def _notes(verdict: Verdict) -> str:
    notes = []
    if "not_first" in verdict.flags:
        notes.append(
            "In this game the first paper counts, and one of yours was received before: this one is kept, "
            "and counts only if the first cannot be read."
        )
    if "superseded" in verdict.flags:
        notes.append(
            f"Version {verdict.version_on_file} is on file and counts before it; send it again with a "
            f"higher number "
            f"if this one should count."
        )
    if "version_conflict" in verdict.flags:
        notes.append(f"A different version {verdict.version} was received before; the later one counts.")
    if (
        "version_missing" in verdict.flags
        and verdict.version_on_file is not None
        and "not_first" not in verdict.flags
    ):
        notes.append(f"Version {verdict.version_on_file} is on file; number this one higher if it should "
                     f"count.")
    if "photo_unreadable" in verdict.flags:
        notes.append(
            "At least one more picture in the mail could not be opened; send it again if it matters."
        )
    return " ".join(notes)


def _what(verdict: Verdict) -> str:
    said = _WHAT[verdict.reason] if verdict.reason is not None else ""
    if verdict.complaint is not None:
        return f"{said} {verdict.complaint.message[:1].upper()}{verdict.complaint.message[1:]}."
    return said


def _mend(verdict: Verdict, context: IntakeContext) -> str:
    match verdict.reason:
        case RefusalReason.UNKNOWN_GAME | RefusalReason.AMBIGUOUS_GAME:
            own = [game.name for game in context.games if game.registered_address(verdict.sender or "")]
            return f"Use one of: {', '.join(own)}." if own else "Use the game's full name."
        case RefusalReason.PHASE_TYPE_MISMATCH | RefusalReason.WRONG_PHASE:
            return _open_now(_game(verdict, context))
        case RefusalReason.SUBJECT_UNPARSED if not subject_line(verdict, context):
            return _one_of(verdict, context)
        case None:
            return ""
        case reason:
            return _MEND.get(reason, "")


def _one_of(verdict: Verdict, context: IntakeContext) -> str:
    """What to write where no one subject can be offered: a player of two games is not guessed at
    (SUBJ-07)."""
    fitting = [_subject(verdict, seat) for seat in _seats(verdict, context)]
    lines = [line for line in fitting if line]
    if not lines:
        return "Send it again with game, power, season with its year and kind of orders in the subject."
    return f"Send it again with one of these subjects: {'; or '.join(lines)}"


def _game(verdict: Verdict, context: IntakeContext) -> GameContext | None:
    return next((game for game in context.games if game.name == verdict.game), None)


def _open_now(game: GameContext | None) -> str:
    if game is None or game.open_phase is None or game.deadline is None:
        return "No phase is open now; the calendar says when the next one is."
    return f"Open now: {game.open_phase}, until {gmt(game.deadline)}."


def gmt(moment: datetime) -> str:
    """An instant (UTC) as players are told it: "Sun 23 Mar 2025, 07:00 GMT"."""
    return f"{moment:%a} {moment.day} {moment:%b %Y, %H:%M} GMT"


def subject_line(verdict: Verdict, context: IntakeContext) -> str:
    """A subject to copy, filled in from the sender's own registration; "" where more than one would fit."""
    seat = seat_meant(verdict, context)
    return "" if seat is None else _subject(verdict, seat)


def seat_meant(verdict: Verdict, context: IntakeContext) -> tuple[GameContext, str] | None:
    """The sender's own seat that a mail is about, as its game and the power's name; None where more than one
    may be meant."""
    seats = _seats(verdict, context)
    return seats[0] if len(seats) == 1 else None


def canonical_subject(game: str, power: str, phase: Phase, version: int) -> str:
    """The accepted form, as every mail of ours writes it (SUBJ-01)."""
    return (f"{game} - {power} - {phase.season} {phase.year} - {phase.kind.value.capitalize()} Orders - "
            f"v{version}")


def _subject(verdict: Verdict, seat: tuple[GameContext, str]) -> str:
    """The subject of a seat's open phase; "" where none is open."""
    game, power = seat
    number = verdict.version if verdict.version is not None else 1
    return "" if game.open_phase is None else canonical_subject(game.name, power, game.open_phase, number)


def _seats(verdict: Verdict, context: IntakeContext) -> list[tuple[GameContext, str]]:
    """The sender's own seats that may be meant: of the game and the power that the mail names, as far as it
    does."""
    sender = verdict.sender or ""
    named = _game(verdict, context)
    games = [named] if named is not None and named.registered_address(sender) else list(context.games)
    seats = [
        (game, power) for game in games for power in game.players if game.registered_address(sender, power)
    ]
    return [seat for seat in seats if seat[1] == verdict.power] or seats
