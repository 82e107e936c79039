"""Papers of a phase that do not count: which of them wait for the coordinator, and what letters say of them.

A paper waits if it would count once it was used, or if nobody knows yet whether it is a sheet. Results cannot
be approved before each is used, or refused with a reason (LET-01): ten players once read "No sheet was
received" of seven powers whose sheets were on file, set aside for a doubt about the year.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from maps.variant import Variant
from service.facts.sheets import Fate, because, held_because
from service.games.ballots import RankedSubmission, count, executed, first_counts, ranked
from service.games.turns import AHEAD
from service.store import records
from service.store.tables import (
    CorrespondenceRow,
    GameRow,
    IgnoredMailRow,
    MailRow,
    MailState,
    PhaseRow,
    PhaseState,
    PostalOriginalRow,
    SeatRow,
    SubmissionRow,
)

REFUSED = "refused: "
"""Beginning of the flag of a held sheet that a coordinator refused; the reason in their own words follows."""
NOT_SCANNED = "A letter was received by post, and no scan of it is on file."
DISCARDED, _LATE = "discarded", "late"
"""Stored reasons of mails: set aside by hand, and received after the deadline."""
_PHASES_BEFORE = AHEAD + 1
"""How many phases ahead a mail may name one: all that are announced, and the one in play."""


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
    """Why a coordinator refused a held sheet, in their words; None if nobody did."""
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


@dataclass(frozen=True, slots=True)
class QuarantinedSeat:
    """A mail in quarantine of a known power (its name or id): when it came, and the number of the phase of
    the game that it names, or None."""

    received_at: datetime
    power: str
    phase: int | None


def quarantined_seats(session: Session, games: Sequence[GameRow]) -> dict[str, list[QuarantinedSeat]]:
    """Of each game the mails in quarantine of a known power. Three questions to the database, whatever the
    number of games."""
    mails = session.scalars(select(MailRow).where(MailRow.state == MailState.QUARANTINED)).all()
    if not mails:
        return {}
    seats = session.scalars(select(SeatRow).where(SeatRow.game_id.in_([game.id for game in games]))).all()
    phases: dict[tuple[str, _Named], int] = {
        (game_id, (season, year, kind)): ordinal for game_id, ordinal, season, year, kind in session.execute(
            select(PhaseRow.game_id, PhaseRow.ordinal, PhaseRow.season, PhaseRow.year, PhaseRow.kind)
            .where(PhaseRow.game_id.in_([game.id for game in games])))}
    mails_by_game: dict[str, list[QuarantinedSeat]] = {}
    for mail in mails:
        verdict = mail.verdict or {}
        player = records.player_of(session, mail.sender) if mail.sender else None
        for game in games:
            if verdict.get("game") not in {None, game.name}:
                continue
            named = verdict.get("power") if verdict.get("game") else None
            powers = [str(named)] if named else [
                seat.power for seat in seats
                if player is not None and (seat.game_id, seat.player_id) == (game.id, player.id)]
            phase = phases.get((game.id, _named(verdict))) if verdict.get("game") else None
            mails_by_game.setdefault(game.id, []).extend(
                QuarantinedSeat(mail.received_at, power, phase) for power in powers)
    return mails_by_game


_Named: TypeAlias = tuple[str | None, int | None, str | None]
"""Season, year and kind of a phase, as far as a subject gives them."""


def _named(verdict: Mapping[str, Any]) -> _Named:
    return verdict.get("season"), verdict.get("year"), verdict.get("kind")


@dataclass(frozen=True, slots=True)
class _Window:
    """The mails of a phase: received after `after` and not after its deadline, and those since `early_after`
    that name it. `later`: the phases after it, whose mails are not its own. `powers`: name to id; `seats`:
    player to the ids of their powers."""

    phase: PhaseRow
    later: frozenset[_Named]
    game: str
    after: datetime | None
    early_after: datetime | None
    powers: Mapping[str, str]
    seats: Mapping[int, tuple[str, ...]]

    @classmethod
    def of(cls, session: Session, phase: PhaseRow, variant: Variant) -> _Window:
        # A mail belongs to the first phase whose deadline it met. A phase that fell out took none.
        deadlines = session.scalars(
            select(PhaseRow.deadline)
            .where(PhaseRow.game_id == phase.game_id, PhaseRow.ordinal < phase.ordinal,
                   or_(PhaseRow.state != PhaseState.SENT, PhaseRow.position.is_not(None)))
            .order_by(PhaseRow.deadline.desc()).limit(_PHASES_BEFORE)).all()
        after = deadlines[0] if deadlines else None
        early_after = deadlines[-1] if len(deadlines) == _PHASES_BEFORE else None
        seats: dict[int, tuple[str, ...]] = {}
        for power, player in records.seats(session, phase.game_id).items():
            if player is not None:
                seats[player] = (*seats.get(player, ()), power)
        game = session.get_one(GameRow, phase.game_id)
        names = {power.name: power.id for power in variant.powers.values()}
        later = frozenset(
            (season, year, kind) for season, year, kind in session.execute(
                select(PhaseRow.season, PhaseRow.year, PhaseRow.kind)
                .where(PhaseRow.game_id == phase.game_id, PhaseRow.ordinal > phase.ordinal)))
        return cls(phase, later, game.name, after, early_after, names, seats)

    def mails(self, session: Session, *states: MailState) -> list[MailRow]:
        """The mails of these ends that came in time for this phase."""
        query = select(MailRow).where(MailRow.state.in_(states), MailRow.received_at <= self.phase.deadline)
        if self.early_after is not None:
            query = query.where(MailRow.received_at > self.early_after)
        return [row for row in session.scalars(query.order_by(MailRow.received_at)) if self.has(row)]

    def has(self, mail: MailRow) -> bool:
        """Whether a mail is of this phase: it names it, or came in its time and names no later one."""
        if mail.received_at > self.phase.deadline:
            return False
        verdict = mail.verdict or {}
        named = _named(verdict) if verdict.get("game") == self.game else None
        if named == (self.phase.season, self.phase.year, self.phase.kind):
            return True
        return named not in self.later and (self.after is None or mail.received_at > self.after)

    def powers_of(self, session: Session, mail: MailRow) -> tuple[str, ...]:
        """The powers that a mail is from: the one it names, else those of its proved sender."""
        verdict = mail.verdict or {}
        if verdict.get("game") not in {None, self.game}:
            return ()
        named = self.powers.get(str(verdict.get("power"))) if verdict.get("game") else None
        if named is not None:
            return (named,)
        player = records.player_of(session, mail.sender) if mail.sender else None
        return () if player is None else self.seats.get(player.id, ())


def _held(session: Session, phase: PhaseRow) -> list[Paper]:
    rows = waiting_sheets(
        records.submissions(session, phase.id), phase.deadline, first=first_counts(session, phase))
    return [Paper(PaperKind.HELD, row.power, row.received_at, held_because([str(flag) for flag in row.flags]),
                  submission=row.id) for row in rows]


def waiting_sheets(
    rows: Sequence[SubmissionRow], deadline: datetime, *, first: bool
) -> list[SubmissionRow]:
    """Of the sheets of a phase those on hold that would count if they were released and that nobody
    refused."""
    submissions = [ranked(row) for row in rows]
    return [row for row in rows if row.fate == Fate.HELD and refusal_of(row.flags) is None
            and _would_count(row.id, submissions, deadline, first=first)]


def _would_count(
    key: int, submissions: Sequence[RankedSubmission], deadline: datetime, *, first: bool
) -> bool:
    """Whether a held sheet would be the one that counts if it were released."""
    # A dark photograph that its sender took again is settled by the second: nobody need look at it.
    released = [replace(each, held=False) if each.id == key else each for each in submissions]
    return any(ballot.submission.id == key for ballot in count(released, deadline, first=first).values())


def _quarantined(session: Session, window: _Window) -> list[Paper]:
    return [
        Paper(PaperKind.QUARANTINED, power, mail.received_at, _reason(mail.reason), mail=mail.sha256)
        for mail in window.mails(session, MailState.QUARANTINED)
        for power in window.powers_of(session, mail)
    ]


def _ignored(session: Session, window: _Window) -> list[Paper]:
    rows = session.execute(
        select(IgnoredMailRow, MailRow).join(MailRow, MailRow.sha256 == IgnoredMailRow.sha256)
        .where(IgnoredMailRow.ended_at.is_(None))).all()
    return [
        Paper(PaperKind.IGNORED, power, mail.received_at, _reason(row.reason), mail=mail.sha256)
        for row, mail in rows if window.has(mail)
        for power in window.seats.get(row.player_id, ())
    ]


def _letters(session: Session, window: _Window) -> list[Paper]:
    """Letters without a photograph that name a sheet or have files which nobody opened."""
    rows = session.execute(
        select(CorrespondenceRow, MailRow).join(MailRow, MailRow.sha256 == CorrespondenceRow.sha256)
        .where(CorrespondenceRow.done_at.is_(None),
               or_(CorrespondenceRow.game_id == window.phase.game_id,
                   CorrespondenceRow.game_id.is_(None)))).all()
    return [
        Paper(PaperKind.LETTER, power, mail.received_at, "no photograph came with it", mail=mail.sha256,
              player=row.player_id)
        for row, mail in rows if window.has(mail) and _may_be_sheet(row, mail)
        for power in window.seats.get(row.player_id, ())
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
    return bool(row.files) or (mail.verdict or {}).get("season") is not None


def _sheet_sentence(row: SubmissionRow, phase: PhaseRow) -> str:
    if row.received_at > phase.deadline:
        return "A sheet was received after the deadline and does not count."
    reason = refusal_of(row.flags) or held_because([str(flag) for flag in row.flags])
    return f"A sheet was received and set aside: {reason.rstrip('.')}."


def _mail_sentences(session: Session, window: _Window) -> list[tuple[str, str]]:
    """What became of mails from which no sheet was filed, each with the power it is from."""
    sentences = [
        (power, f"A mail was received and set aside: {_reason(mail.reason, mail)}.")
        for mail in window.mails(session, MailState.QUARANTINED, MailState.REFUSED, MailState.IGNORED)
        # A late one belongs to the phase whose deadline it missed, not to the one that was open when it came.
        if mail.reason != _LATE and (mail.state != MailState.IGNORED or mail.reason == DISCARDED)
        for power in window.powers_of(session, mail)
    ]
    letters = session.scalars(
        select(MailRow).join(CorrespondenceRow, CorrespondenceRow.sha256 == MailRow.sha256)
        .where(MailRow.received_at <= window.phase.deadline)).all()
    sentences += [
        (power, "A mail was received without a photograph of a sheet.")
        for mail in letters
        if window.has(mail) and (mail.verdict or {}).get("season") is not None
        for power in window.powers_of(session, mail)
    ]
    late = session.scalars(select(MailRow).where(
        MailRow.reason == _LATE, MailRow.received_at > window.phase.deadline)).all()
    for mail in late:
        phase = window.phase
        if _named(mail.verdict or {}) == (phase.season, phase.year, phase.kind):
            sentences += [(power, "A sheet was received after the deadline and does not count.")
                     for power in window.powers_of(session, mail)]
    return sentences


def _reason(code: str | None, mail: MailRow | None = None) -> str:
    if code == DISCARDED and mail is not None:
        code = (mail.verdict or {}).get("reason")
    return because(str(code), "it could not be used")
