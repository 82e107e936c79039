"""A verdict in words: what happened, what is safe, what to do. For receipts, refusals and the desk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce

from adjudicator.calendar import Phase
from service.intake.verdicts.context import GameContext, IntakeContext
from service.intake.verdicts.verdict import RefusalReason, Verdict, VerdictKind
from service.letters.language import Sentence

_MAIL_STORED = "Your mail is kept unchanged."
_REST_UNCHANGED = "Nothing you sent before has changed."
_MACHINE = "This is a machine's receipt; nobody has read it."
# 25 MiB are allowed; the smaller 25 MB are named, so that nobody who keeps to them is refused.
_LIMIT = "at most 20 photographs and 25 MB in one mail"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Three sentences, each may be "", and a filled-in subject line to copy."""

    problem: str
    reassurance: str = ""
    remedy: str = ""
    subject: str = ""


_PROBLEMS: dict[RefusalReason, str] = {
    RefusalReason.OWN_MAIL: "This is one of our own mails, which came back.",
    RefusalReason.BOUNCE: "One of our mails could not be delivered, or was delayed.",
    RefusalReason.RECEIPT: "A program says that one of our mails was opened.",
    RefusalReason.AUTO_REPLY: "This is an automatic answer.",
    RefusalReason.DUPLICATE: "The same mail was received before.",
    RefusalReason.BAD_FROM: "The mail does not have exactly one sender's address.",
    RefusalReason.AUTH_FAILED: "Our mail server could not confirm that the mail comes from its sender.",
    RefusalReason.AUTH_UNAVAILABLE: "The sender's domain did not answer, so the mail's signature could not "
                                    "be checked.",
    RefusalReason.SUBJECT_UNPARSED: "The subject line does not name game, power, season and kind of orders.",
    RefusalReason.UNKNOWN_GAME: "The subject names no game that we know.",
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
                             "bold text counts."),
    RefusalReason.FIRST_BY_POST: "In this game the first orders of a season must be posted.",
    RefusalReason.TOO_DARK: "The photograph is too dark to read.",
    RefusalReason.BLURRED: "The photograph is too blurred to read.",
    RefusalReason.CUT_OFF: "Part of the sheet is outside the photograph.",
    RefusalReason.BLANK: "No writing was found on the photograph.",
    RefusalReason.NOT_A_SHEET: "The photograph does not show a sheet of paper with writing.",
    RefusalReason.HEADING_DISAGREES: "The heading on the sheet and the subject of the mail do not agree.",
    RefusalReason.CODE_DISAGREES: ("The sheet was printed for another power, phase or game than the subject "
                                   "of the mail names: the code on it says so."),
    RefusalReason.ONLY_CHANGES: "The sheet says that it lists only changes, and a sheet counts as a whole.",
    RefusalReason.VERSION_UNCLEAR: "The sheet calls itself final or another version, without a number.",
    RefusalReason.READER_FAILED: "The photograph arrived, but the machine that reads it failed.",
    RefusalReason.COULD_NOT_BE_HANDLED: ("Your mail and everything attached to it are safe, but our machine "
                                         "could not open it."),
}

_FIELDS = {
    "game": "the game", "power": "the power", "season": "the season", "year": "the year",
    "type": "the kind of orders",
}
"""What a subject says, by the names that a complaint gives its fields."""

_REMEDIES: dict[RefusalReason, str] = {
    RefusalReason.BAD_FROM: "Send it again from one address.",
    RefusalReason.AUTH_FAILED: "The coordinator decides. No answer was sent.",
    RefusalReason.AUTH_UNAVAILABLE: "The coordinator decides. No answer was sent.",
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
    RefusalReason.NO_PHOTO: "Photograph the sheet and attach it to a new mail.",
    RefusalReason.NOT_BOLD: ("Send it again with each order in bold, or between ** and **."),
    RefusalReason.FIRST_BY_POST: "Post the sheet; this picture is kept as a revision.",
    RefusalReason.TOO_DARK: ("Lay the sheet flat in daylight, all four corners in view, and photograph it "
                             "again."),
    RefusalReason.BLURRED: "Lay the sheet flat in daylight, hold still, and photograph it again.",
    RefusalReason.CUT_OFF: "Photograph it again with all four corners in view.",
    RefusalReason.BLANK: "Photograph the written side, flat and in daylight.",
    RefusalReason.NOT_A_SHEET: ("Lay the sheet flat in daylight, all four corners in view, and photograph it "
                                "again."),
    RefusalReason.HEADING_DISAGREES: ("The coordinator will look at both. It is faster to send a new version "
                                      "in which they agree."),
    RefusalReason.CODE_DISAGREES: ("The coordinator will look at it. It is faster to send a new version on "
                                   "the sheet of this phase, or on plain paper."),
    RefusalReason.ONLY_CHANGES: ("The coordinator will look at it. It is faster to send a new version with "
                                 "all orders on it."),
    RefusalReason.VERSION_UNCLEAR: ("The coordinator will look at it. It is faster to send it again with the "
                                    "next version number in the subject."),
    RefusalReason.READER_FAILED: ("The coordinator will look at it. It is faster to send a new version with "
                                  "another photograph."),
    RefusalReason.COULD_NOT_BE_HANDLED: ("The coordinator will look at it. To be sure that your orders "
                                         "count, photograph the sheet and send it again as JPEG before the "
                                         "deadline."),
    RefusalReason.LATE: "Orders for the next phase are taken until its own deadline.",
}


# About the picture alone: it counts as it is, and nobody is asked what it says (SUB-07).
_PHOTO_NOTES: dict[str, Sentence] = {
    "photo_cut_off": Sentence(
        "Writing seems to run over the edge of your photograph. The sheet counts as it is; while there "
        "is time, photograph it again with all four corners in view and send that as a new version."),
    "photo_dark": Sentence(
        "Your photograph is dark. The sheet counts as it is; while there is time, photograph it again in "
        "daylight and send that as a new version."),
    "photo_blurred": Sentence(
        "Your photograph is blurred. The sheet counts as it is; while there is time, hold still, "
        "photograph it again and send that as a new version."),
    "photo_no_writing": Sentence(
        "There seems to be a photograph without writing in your mail. It is kept; while there is time, look "
        "whether it shows the written side of the right sheet, and if not, send that as a new version."),
}


def fixed_sentences() -> Iterator[str]:
    """The sentences without blanks, for the catalogues (`tools.catalogue`)."""
    yield from (_MAIL_STORED, _REST_UNCHANGED, _MACHINE, *_PROBLEMS.values(), *_REMEDIES.values(),
                *_FIELDS.values())


def explain(verdict: Verdict, context: IntakeContext) -> Explanation:
    """The words for a verdict. They say nothing of another player and nothing of the board (NON-02)."""
    if verdict.reason is None and verdict.verdict is VerdictKind.REJECTED:
        return Explanation(
            "The mail could not be handled.",
            _MAIL_STORED,
            "The coordinator finds it in quarantine, with its raw bytes.",
        )
    if verdict.reason is None:
        reassurance = Sentence.of(Sentence(_MAIL_STORED), Sentence(_MACHINE))
        return Explanation(_received(verdict), reassurance, _notes(verdict))
    if verdict.verdict is VerdictKind.IGNORED:
        earlier = verdict.duplicate_of
        reassurance = "" if earlier is None else f"The earlier one counts ({earlier})."
        return Explanation(_PROBLEMS[verdict.reason], reassurance, "You need do nothing. No answer is sent.")
    reassurance = Sentence.of(Sentence(_MAIL_STORED), Sentence(_REST_UNCHANGED))
    return Explanation(
        _problem(verdict), reassurance, _remedy(verdict, context), subject_line(verdict, context)
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
    notes: list[Sentence] = []
    if "not_first" in verdict.flags:
        notes.append(Sentence(
            "In this game the first sheet counts, and one of yours was received before. This one is kept, "
            "and counts only if the first cannot be read."
        ))
    if "superseded" in verdict.flags:
        notes.append(Sentence(
            "Version %(number)s is on file and counts before it; send it again with a higher number if this "
            "one should count.", number=verdict.version_on_file))
    if "version_conflict" in verdict.flags:
        notes.append(Sentence("A different version %(number)s was received before; the later one counts.",
                              number=verdict.version))
    if (
        "version_missing" in verdict.flags
        and verdict.version_on_file is not None
        and "not_first" not in verdict.flags
    ):
        notes.append(Sentence("Version %(number)s is on file; number this one higher if it should count.",
                              number=verdict.version_on_file))
    if "photo_unreadable" in verdict.flags:
        notes.append(Sentence(
            "At least one more picture in the mail could not be opened; send it again if it matters."))
    notes += [sentence for flag, sentence in _PHOTO_NOTES.items() if flag in verdict.flags]
    return Sentence.of(*notes)


def _problem(verdict: Verdict) -> str:
    sentence = Sentence(_PROBLEMS[verdict.reason]) if verdict.reason is not None else ""
    complaint = verdict.complaint
    if complaint is None:
        return sentence
    if complaint.missing:
        return Sentence("The subject does not name %(fields)s.", fields=_listed(complaint.missing))
    if complaint.candidates:
        names = reduce(lambda joined, other: Sentence("%(first)s or %(other)s", first=joined, other=other),
                       complaint.candidates)
        return Sentence.of(sentence, Sentence("It may be %(names)s.", names=names))
    if not complaint.written:
        return sentence
    return Sentence.of(sentence, Sentence('It says "%(words)s".', words=complaint.written))


def _listed(fields: Sequence[str]) -> str:
    """Fields of a subject in a row: "the power, the season and the kind of orders"."""
    *others, last = [Sentence(_FIELDS[field]) for field in fields]
    if not others:
        return last
    first = reduce(lambda joined, other: Sentence("%(first)s, %(other)s", first=joined, other=other), others)
    return Sentence("%(first)s and %(last)s", first=first, last=last)


def _remedy(verdict: Verdict, context: IntakeContext) -> str:
    match verdict.reason:
        case RefusalReason.UNKNOWN_GAME | RefusalReason.AMBIGUOUS_GAME:
            # Only the sender's own games: a stranger learns of none.
            sender = verdict.sender or ""
            game_names = [game.name for game in context.games if game.registered_address(sender)]
            if not game_names:
                return Sentence("Use the game's full name.")
            return Sentence("Use one of: %(games)s.", games=", ".join(game_names))
        case RefusalReason.PHASE_TYPE_MISMATCH | RefusalReason.WRONG_PHASE:
            return _open_now(_game(verdict, context))
        case RefusalReason.SUBJECT_UNPARSED if not subject_line(verdict, context):
            return _subject_choices(verdict, context)
        case None:
            return ""
        case reason:
            remedy = _REMEDIES.get(reason, "")
            return Sentence(remedy) if remedy else ""


def _subject_choices(verdict: Verdict, context: IntakeContext) -> str:
    """The remedy if several subjects fit. For a player of two games each is named, not guessed (SUBJ-07)."""
    fitting = [_subject(verdict, seat) for seat in _seats(verdict, context)]
    lines = [line for line in fitting if line]
    if not lines:
        return Sentence(
            "Send it again with game, power, season with its year and kind of orders in the subject.")
    choices = reduce(
        lambda joined, other: Sentence("%(first)s; or %(other)s", first=joined, other=other), lines)
    return Sentence("Send it again with one of these subjects: %(subjects)s", subjects=choices)


def _game(verdict: Verdict, context: IntakeContext) -> GameContext | None:
    return next((game for game in context.games if game.name == verdict.game), None)


def _open_now(game: GameContext | None) -> str:
    if game is not None and game.is_over:
        return Sentence("The game is over and takes no more orders. Thank you for playing.")
    if game is None or game.open_phase is None or game.deadline is None:
        return Sentence("No phase is open now; the calendar says when the next one is.")
    return Sentence("Open now: %(phase)s, until %(instant)s.", phase=game.open_phase, instant=game.deadline)


def gmt(moment: datetime) -> str:
    """An instant (UTC) as letters write it: "Sun 23 Mar 2025, 07:00 GMT"."""
    return f"{moment:%a} {moment.day} {moment:%b %Y, %H:%M} GMT"


def subject_line(verdict: Verdict, context: IntakeContext) -> str:
    """A subject to copy, filled in from the sender's own registration; "" if more than one would fit."""
    seat = seat_meant(verdict, context)
    return "" if seat is None else _subject(verdict, seat)


def seat_meant(verdict: Verdict, context: IntakeContext) -> tuple[GameContext, str] | None:
    """The sender's own seat that a mail is about, as game and power's name; None if several may be meant."""
    seats = _seats(verdict, context)
    return seats[0] if len(seats) == 1 else None


def canonical_subject(game: str, power: str, phase: Phase, version: int) -> str:
    """The accepted form, as in every mail of ours (SUBJ-01)."""
    return (f"{game} - {power} - {phase.season} {phase.year} - {phase.kind.value.capitalize()} Orders - "
            f"v{version}")


def _subject(verdict: Verdict, seat: tuple[GameContext, str]) -> str:
    """The subject for a seat's open phase; "" if none is open."""
    game, power = seat
    number = verdict.version if verdict.version is not None else 1
    return "" if game.open_phase is None else canonical_subject(game.name, power, game.open_phase, number)


def _seats(verdict: Verdict, context: IntakeContext) -> list[tuple[GameContext, str]]:
    """The sender's own seats that may be meant: those of the named game and power, as far as they are
    named."""
    sender = verdict.sender or ""
    # A game or power that the sender does not play says nothing, so all seats of the sender stay possible.
    named = _game(verdict, context)
    games = [named] if named is not None and named.registered_address(sender) else list(context.games)
    seats = [
        (game, power) for game in games for power in game.players if game.registered_address(sender, power)
    ]
    return [seat for seat in seats if seat[1] == verdict.power] or seats
