"""A verdict in words: what happened, what is safe, what to do. For receipts, refusals and the desk."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce

from adjudicator.calendar import Phase
from service.facts.refusals import RefusalReason
from service.facts.sheets import SheetFlag
from service.games.ballots import RankedSubmission
from service.intake.verdicts.context import GameContext, IntakeContext, NextSheet
from service.intake.verdicts.verdict import Verdict, VerdictKind
from service.letters.language import Sentence

_MAIL_STORED = "Your mail is stored unchanged."
_REST_UNCHANGED = "Nothing you sent before has changed."
_MACHINE = "This receipt is automatic; no person has read your sheet yet."


@dataclass(frozen=True, slots=True)
class Explanation:
    """Three sentences, each may be "", and a filled-in subject line to copy."""

    problem: str
    reassurance: str = ""
    remedy: str = ""
    subject: str = ""


_FIELDS = {
    "game": "the game", "power": "the power", "season": "the season", "year": "the year",
    "type": "the kind of orders",
}
"""The contents of a subject, by the names that a complaint gives its fields."""

# About the picture alone: it counts as it is, and no one is asked what it states (SUB-07).
_PHOTO_NOTES: dict[SheetFlag, Sentence] = {
    SheetFlag.PHOTO_CUT_OFF: Sentence(
        "Writing seems to run over the edge of your photograph. The sheet counts as it is; while there "
        "is time, photograph it again with all four corners in view and send that as a new version."),
    SheetFlag.PHOTO_DARK: Sentence(
        "Your photograph is dark. The sheet counts as it is; while there is time, photograph it again in "
        "daylight and send that as a new version."),
    SheetFlag.PHOTO_BLURRED: Sentence(
        "Your photograph is blurred. The sheet counts as it is; while there is time, hold still, "
        "photograph it again and send that as a new version."),
    SheetFlag.PHOTO_NO_WRITING: Sentence(
        "There seems to be a photograph without writing in your mail. It is stored; while there is time, "
        "check that it shows the written side of the right sheet, and if not, send that side as a new "
        "version."),
}


def fixed_sentences() -> Iterator[str]:
    """The sentences without blanks, for the catalogues (`tools.catalogue`)."""
    yield from (_MAIL_STORED, _REST_UNCHANGED, _MACHINE, *_FIELDS.values())
    yield from (reason.problem for reason in RefusalReason)
    yield from (reason.remedy for reason in RefusalReason if reason.remedy)


def explain(verdict: Verdict, context: IntakeContext) -> Explanation:
    """The words for a verdict. They have nothing of another player and nothing of the board (NON-02)."""
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
        return Explanation(verdict.reason.problem, reassurance, "You need not do anything. No answer is "
            "sent.")
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
    notes = arrival_notes(verdict.flags, verdict.before, verdict.version)
    if SheetFlag.PHOTO_UNREADABLE in verdict.flags:
        notes.append(Sentence(
            "At least one more picture in the mail could not be opened; send it again if it matters."))
    notes += [sentence for flag, sentence in _PHOTO_NOTES.items() if flag in verdict.flags]
    return Sentence.of(*notes)


def arrival_notes(
    marks: Collection[str], before: RankedSubmission | None, version: int | None
) -> list[Sentence]:
    """What its player must know of how a sheet with this version stands to those on file
    (`service.games.ballots.Arrival`)."""
    notes: list[Sentence] = []
    if SheetFlag.NOT_FIRST in marks:
        notes.append(Sentence(
            "In this game the first sheet counts, and one of yours was received before. This one is stored, "
            "and counts only if the first cannot be read."
        ))
    if SheetFlag.SUPERSEDED in marks:
        notes.append(_counts_before(before))
    elif SheetFlag.VERSION_CONFLICT in marks:
        notes.append(Sentence("A different version %(number)s was received before; the later one counts.",
                              number=version))
    return notes


def _counts_before(sheet: RankedSubmission | None) -> Sentence:
    number = None if sheet is None else sheet.named_version
    if sheet is None or number is None:
        return Sentence("Another sheet is on file and counts before it; send it again with a higher number "
                        "if this one should count.")
    if sheet.posted:
        return Sentence("Version %(number)s, which came by post, is on file and counts before it; send it "
                        "again with a higher number if this one should count.", number=number)
    return Sentence("Version %(number)s is on file and counts before it; send it again with a higher number "
                    "if this one should count.", number=number)


def _problem(verdict: Verdict) -> str:
    sentence = Sentence(verdict.reason.problem) if verdict.reason is not None else ""
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
    return Sentence.of(sentence, Sentence('It has "%(words)s".', words=complaint.written))


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
            return _open_now(verdict, context)
        case RefusalReason.SUBJECT_UNPARSED if not subject_line(verdict, context):
            return _subject_choices(verdict, context)
        case None:
            return ""
        case reason:
            return Sentence(reason.remedy) if reason.remedy else ""


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


def _open_now(verdict: Verdict, context: IntakeContext) -> str:
    """What the sender is asked for now, or next: a phase that asks only others is none of theirs."""
    game = _game(verdict, context)
    if game is not None and game.is_over:
        return Sentence("The game is over and takes no more orders. Thank you for playing.")
    due = [] if game is None else [
        sheet for own, power in _seats(verdict, context) if own is game
        if (sheet := game.next_sheet(power)) is not None]
    if game is not None and game.deadline is not None and any(sheet.opens is None for sheet in due):
        return Sentence(
            "Open now: %(phase)s, until %(instant)s.", phase=game.open_phase, instant=game.deadline)
    for sheet in due:
        if sheet.is_due:
            return Sentence(
                "No orders of yours are asked for now. %(phase)s opens once the results before it are sent; "
                "a sheet that comes before is kept and counts then.", phase=sheet.phase)
        if sheet.opens is not None:
            return Sentence(
                "No orders of yours are asked for now. %(phase)s opens %(instant)s; a sheet that comes "
                "before is kept and counts then.", phase=sheet.phase, instant=sheet.opens)
    return Sentence("No phase is open now; the calendar says when the next one is.")


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


def sheet_meant(verdict: Verdict, seat: tuple[GameContext, str]) -> NextSheet | None:
    """The sheet that a seat's player is to send: for the announced phase that the mail names, else for what
    its power is asked for next; None if nothing is."""
    game, power = seat
    named = game.early_sheet(verdict.phase, power) if SheetFlag.EARLY in verdict.flags else None
    return named or game.next_sheet(power)


def _subject(verdict: Verdict, seat: tuple[GameContext, str]) -> str:
    """The subject of the sheet that a seat's player is to send; "" if there is none."""
    (game, power), sheet = seat, sheet_meant(verdict, seat)
    return "" if sheet is None else canonical_subject(game.name, power, sheet.phase, sheet.version)


def _seats(verdict: Verdict, context: IntakeContext) -> list[tuple[GameContext, str]]:
    """The sender's own seats that may be meant: those of the named game and power, as far as they are
    named."""
    sender = verdict.sender or ""
    # A game or power that the sender does not play has nothing, so all seats of the sender stay possible.
    named = _game(verdict, context)
    games = [named] if named is not None and named.registered_address(sender) else list(context.games)
    seats = [
        (game, power) for game in games for power in game.players if game.registered_address(sender, power)
    ]
    return [seat for seat in seats if seat[1] == verdict.power] or seats
