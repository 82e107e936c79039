"""Papers of a phase that do not count: which of them wait for the coordinator, and what letters say of them.

A paper waits if it would count once it was used, or if it may be a sheet. Results
cannot be approved before each is used, or refused with a reason (LET-01): ten players once read "No sheet was
received" of seven powers whose sheets were on file, set aside for a doubt about the year. """

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

import maps
from maps.variant import Variant
from service.facts.refusals import RefusalReason
from service.facts.sheets import Fate, because, held_because
from service.games.ballots import RankedSubmission, count, executed, first_counts, ranked
from service.games.mail_phases import NAMED_AHEAD, MailPhases
from service.store import records
from service.store.tables import (
    CorrespondenceRow,
    GameRow,
    IgnoredMailRow,
    MailRow,
    MailState,
    PhaseRow,
    PostalOriginalRow,
    SubmissionRow,
)

REFUSED = "refused: "
"""Beginning of the flag of a held sheet that a coordinator refused; the reason in their own words follows."""
NOT_SCANNED = "A letter was received by post, and no scan of it is on file."
DISCARDED, _LATE = "discarded", "late"
"""Stored reasons of mails: set aside by hand, and received after the deadline."""


class PaperKind(StrEnum):
    """Where a paper waits: HELD on file, in QUARANTINE, among the mails that a rule IGNORED, as a LETTER
    that names a sheet or has files, and has no photograph, or POSTED and noted without a scan."""

    HELD = "held"
    QUARANTINED = "quarantined"
    IGNORED = "ignored"
    LETTER = "letter"
    POSTED = "posted"


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper that waits: for which power (its id), since when, and why as half a sentence. `submission` is
    the key of a sheet on file, `mail` the SHA-256 of a mail, `player` whose letter it is; each may be
    None."""

    kind: PaperKind
    power: str
    received_at: datetime
    reason: str
    submission: int | None = None
    mail: str | None = None
    player: int | None = None


def refusal_of(flags: Iterable[object]) -> str | None:
    """Why a coordinator refused a held sheet, in their words; None if no one did."""
    return next((str(flag)[len(REFUSED):] for flag in flags if str(flag).startswith(REFUSED)), None)


def unsettled_papers(session: Session, phase: PhaseRow, variant: Variant) -> list[Paper]:
    """The papers that keep the results of a phase from being approved, by power and time."""
    window = _Window.of(session, phase, variant)
    papers = [*_held(session, phase), *_quarantined(session, window), *_ignored(session, window),
              *_letters(session, window), *_posted(session, phase)]
    return sorted(papers, key=lambda paper: (paper.power, paper.received_at, paper.kind))


def set_aside(session: Session, phase: PhaseRow, variant: Variant) -> dict[str, tuple[str, ...]]:
    """Of each power whose every paper was set aside: what was received and why it does not count, a sentence
    each without repeats. Powers with a sheet that counts, and powers of whom nothing came, are left out."""
    rows = records.submissions(session, phase.id)
    counting = count([ranked(row) for row in rows], phase.deadline, first=first_counts(session, phase))
    sentences: dict[str, list[str]] = {}
    for row in rows:
        sentences.setdefault(row.power, []).append(_sheet_sentence(row, phase))
    for letter in _without_scan(session, phase):
        sentences.setdefault(letter.power, []).append(NOT_SCANNED)
    for power, sentence in _mail_sentences(session, _Window.of(session, phase, variant)):
        sentences.setdefault(power, []).append(sentence)
    return {power: tuple(dict.fromkeys(group)) for power, group in sentences.items() if power not in counting}


def quarantined_powers(
    session: Session, games: Sequence[GameRow], load: Callable[[str], Variant] = maps.load
) -> dict[int, tuple[str, ...]]:
    """The powers (ids) of whom a mail in quarantine came for a phase, by phase. One question to the database,
    and two more for each game that a mail touches."""
    mails = session.scalars(select(MailRow).where(MailRow.state == MailState.QUARANTINED)).all()
    named = {mail.verdict_fields.get("game") for mail in mails}
    senders = {mail.sender for mail in mails if mail.sender}
    touched = set(records.games_of_senders(session, senders)) if senders else set()
    by_phase: dict[int, list[str]] = {}
    for game in games:
        if game.name not in named and game.id not in touched:
            continue
        phases = MailPhases.of(session, game, load(game.variant))
        for mail in mails:
            phase = phases.phase_of(session, mail)
            if phase is not None:
                by_phase.setdefault(phase.id, []).extend(phases.powers_of(session, mail))
    return {phase: tuple(dict.fromkeys(powers)) for phase, powers in by_phase.items()}


@dataclass(frozen=True, slots=True)
class _Window:
    """The mails of a phase, by the rule of `MailPhases`."""

    phase: PhaseRow
    game: MailPhases

    @classmethod
    def of(cls, session: Session, phase: PhaseRow, variant: Variant) -> _Window:
        return cls(phase, MailPhases.of(session, session.get_one(GameRow, phase.game_id), variant))

    def mails(self, session: Session, *states: MailState) -> list[MailRow]:
        """The mails of these ends that came for this phase."""
        query = select(MailRow).where(MailRow.state.in_(states), MailRow.received_at <= self.phase.deadline)
        before = [each.deadline for each in self.game.phases if each.ordinal < self.phase.ordinal]
        if len(before) >= NAMED_AHEAD:
            query = query.where(MailRow.received_at > before[-NAMED_AHEAD])
        rows = session.scalars(query.order_by(MailRow.received_at))
        return [row for row in rows if self._is_this(self.game.phase_of(session, row))]

    def has(self, received_at: datetime, powers: Collection[str] = ()) -> bool:
        """Whether what came at that instant from these powers, and names no phase, is of this phase."""
        return self._is_this(self.game.first(self.game.ahead(received_at), powers))

    def _is_this(self, phase: PhaseRow | None) -> bool:
        return phase is not None and phase.id == self.phase.id


def _held(session: Session, phase: PhaseRow) -> list[Paper]:
    rows = waiting_sheets(
        records.submissions(session, phase.id), phase.deadline, first=first_counts(session, phase))
    return [Paper(PaperKind.HELD, row.power, row.received_at, held_because([str(flag) for flag in row.flags]),
                  submission=row.id) for row in rows]


def waiting_sheets(
    rows: Sequence[SubmissionRow], deadline: datetime, *, first: bool
) -> list[SubmissionRow]:
    """Of the sheets of a phase those on hold that would count if they were released and that no one
    refused."""
    submissions = [ranked(row) for row in rows]
    # What seems to bring no orders displaces nothing, and a person looks at it where nothing else came
    # (ARR-03).
    counting = count(submissions, deadline, first=first)
    return [row for row in rows if row.fate == Fate.HELD and refusal_of(row.flags) is None
            and not (RefusalReason.NO_PHOTO in row.flags and row.power in counting)
            and _would_count(row.id, submissions, deadline, first=first)]


def _would_count(
    key: int, submissions: Sequence[RankedSubmission], deadline: datetime, *, first: bool
) -> bool:
    """Whether a held sheet would be the one that counts if it were released."""
    # A dark photograph that its sender took again is settled by the second: no one need look at it.
    released = [replace(each, held=False) if each.id == key else each for each in submissions]
    return any(ballot.submission.id == key for ballot in count(released, deadline, first=first).values())


def _quarantined(session: Session, window: _Window) -> list[Paper]:
    on_file = _photographs_on_file(session, window.phase)
    return [
        Paper(PaperKind.QUARANTINED, power, mail.received_at, _reason(mail.reason), mail=mail.sha256)
        for mail in window.mails(session, MailState.QUARANTINED)
        for power in window.game.powers_of(session, mail)
        # Sent again after the refusal, it is on file: there is nothing left to decide (PHA-05).
        if (power, _photographs(mail)) not in on_file
    ]


def _photographs_on_file(session: Session, phase: PhaseRow) -> set[tuple[str, tuple[str, ...]]]:
    """The photographs of each mail from which a sheet of this phase was filed, with its power."""
    rows = session.execute(
        select(SubmissionRow.power, MailRow).join(MailRow, MailRow.sha256 == SubmissionRow.sha256)
        .where(SubmissionRow.phase_id == phase.id)).all()
    return {(power, photographs) for power, mail in rows if (photographs := _photographs(mail))}


def _photographs(mail: MailRow) -> tuple[str, ...]:
    """The digests of a judged mail's photographs."""
    return tuple(mail.verdict_fields.get("photo_keys", ()))


def _ignored(session: Session, window: _Window) -> list[Paper]:
    rows = session.execute(
        select(IgnoredMailRow, MailRow).join(MailRow, MailRow.sha256 == IgnoredMailRow.sha256)
        .where(IgnoredMailRow.ended_at.is_(None))).all()
    return [
        Paper(PaperKind.IGNORED, power, mail.received_at, _reason(row.reason), mail=mail.sha256)
        for row, mail in rows if window.has(mail.received_at, window.game.seats.get(row.player_id, ()))
        for power in window.game.seats.get(row.player_id, ())
    ]


def _letters(session: Session, window: _Window) -> list[Paper]:
    """Letters without a photograph that name a sheet or have files which no one opened."""
    rows = session.execute(
        select(CorrespondenceRow, MailRow).join(MailRow, MailRow.sha256 == CorrespondenceRow.sha256)
        .where(CorrespondenceRow.done_at.is_(None),
               or_(CorrespondenceRow.game_id == window.phase.game_id,
                   CorrespondenceRow.game_id.is_(None)))).all()
    return [
        Paper(PaperKind.LETTER, power, mail.received_at, "no photograph came with it", mail=mail.sha256,
              player=row.player_id)
        for row, mail in rows
        if window.has(mail.received_at, window.game.seats.get(row.player_id, ())) and _may_be_sheet(row, mail)
        for power in window.game.seats.get(row.player_id, ())
    ]


def _without_scan(session: Session, phase: PhaseRow) -> list[PostalOriginalRow]:
    """The letters by post of which only the arrival was noted, not after the day of the deadline."""
    return list(session.scalars(select(PostalOriginalRow).where(
        PostalOriginalRow.phase_id == phase.id, PostalOriginalRow.ended_at.is_(None),
        PostalOriginalRow.submission_id.is_(None), PostalOriginalRow.received <= phase.deadline.date(),
    ).order_by(PostalOriginalRow.id)))


def _posted(session: Session, phase: PhaseRow) -> list[Paper]:
    """Letters by post without a scan, of powers of which nothing counts: their orders are on that paper."""
    counting = executed(session, phase)
    return [Paper(PaperKind.POSTED, letter.power, letter.made_at, "no scan of it is on file")
            for letter in _without_scan(session, phase) if letter.power not in counting]


def _may_be_sheet(row: CorrespondenceRow, mail: MailRow) -> bool:
    return bool(row.files) or mail.verdict_fields.get("season") is not None


def _sheet_sentence(row: SubmissionRow, phase: PhaseRow) -> str:
    if row.received_at > phase.deadline:
        return "A sheet was received after the deadline and does not count."
    reason = refusal_of(row.flags) or held_because([str(flag) for flag in row.flags])
    return f"A sheet was received and set aside: {reason.rstrip('.')}."


def _mail_sentences(session: Session, window: _Window) -> list[tuple[str, str]]:
    """The fate of mails from which no sheet was filed, each with the power it is from."""
    sentences = [
        (power, f"A mail was received and set aside: {_reason(mail.reason, mail)}.")
        for mail in window.mails(session, MailState.QUARANTINED, MailState.REFUSED, MailState.IGNORED)
        # A late one belongs to the phase whose deadline it missed, not to the one that was open when it came.
        if mail.reason != _LATE and (mail.state != MailState.IGNORED or mail.reason == DISCARDED)
        for power in window.game.powers_of(session, mail)
    ]
    letters = session.scalars(
        select(MailRow).join(CorrespondenceRow, CorrespondenceRow.sha256 == MailRow.sha256)
        .where(MailRow.received_at <= window.phase.deadline)).all()
    sentences += [
        (power, "A mail was received without a photograph of a sheet.")
        for mail in letters
        if window.has(mail.received_at, window.game.powers_of(session, mail))
        and mail.verdict_fields.get("season") is not None
        for power in window.game.powers_of(session, mail)
    ]
    late = session.scalars(select(MailRow).where(
        MailRow.reason == _LATE, MailRow.received_at > window.phase.deadline)).all()
    for mail in late:
        verdict, phase = mail.verdict_fields, window.phase
        if (verdict.get("season"), verdict.get("year"), verdict.get("kind")) == (
                phase.season, phase.year, phase.kind):
            sentences += [(power, "A sheet was received after the deadline and does not count.")
                     for power in window.game.powers_of(session, mail)]
    return sentences


def _reason(code: str | None, mail: MailRow | None = None) -> str:
    if code == DISCARDED and mail is not None:
        code = mail.verdict_fields.get("reason")
    return because(str(code), "it could not be used")
