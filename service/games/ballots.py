"""Which sheet counts: the latest version of each power, decided by one sort key (VER-01..05, Q-08)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.sheets import Fate, SheetFlag, held_because
from service.games.options import options_of
from service.store.tables import GameRow, PhaseRow, SubmissionRow


@dataclass(frozen=True, slots=True)
class RankedSubmission:
    """One submission, with what decides whether it counts.

    `id` is the submission's key, `received_at` the receiving server's stamp in UTC, `version` the number in
    the subject or None, `instruction` the number that the sheet itself asks for or None. `posted` marks a
    letter that came by post. `held` sheets wait for the coordinator and never count; `held_for` says why in
    half a sentence, or is "". `chosen` is set when the coordinator named this sheet as the one to execute.
    """

    id: int
    power: str
    received_at: datetime
    version: int | None = None
    instruction: int | None = None
    posted: bool = False
    held: bool = False
    chosen: bool = False
    held_for: str = ""

    @property
    def numbered(self) -> int:
        """The version it ranks as."""
        # A mailed sheet without a number is version 1, so that the latest of a player who never numbers
        # counts. A letter by post without one is version 0: it comes before everything mailed.
        return (0 if self.posted else 1) if self.version is None else self.version

    @property
    def wanted_version(self) -> int:
        """The version that the sheet itself asks for, else the one it ranks as."""
        return self.numbered if self.instruction is None else self.instruction

    def rank(self) -> tuple[bool, int, int, datetime, int]:
        """The one sort key: coordinator's choice, instruction on the sheet, version, receipt, order of
        arrival."""
        # The id comes last because two mails may carry the same stamp, which has whole seconds.
        return (self.chosen, self.wanted_version, self.numbered, self.received_at, self.id)

    def earliness(self) -> tuple[bool, float, int]:
        """The sort key where the first sheet counts: coordinator's choice, then the earliest (Q-60)."""
        return (self.chosen, -self.received_at.timestamp(), -self.id)


@dataclass(frozen=True, slots=True)
class Loser:
    """A sheet that does not count, and the sentence that says why."""

    submission: RankedSubmission
    why: str


@dataclass(frozen=True, slots=True)
class Ballot:
    """The one sheet of a power that counts, and every other with its reason, in order of arrival."""

    power: str
    submission: RankedSubmission
    losers: tuple[Loser, ...]


def _why(loser: RankedSubmission, winner: RankedSubmission, *, first: bool) -> str:
    """The first step of the sort key at which the loser ranks lower, in words."""
    if loser.held:
        return f"held{loser.held_for and f', because {loser.held_for}'}; nobody has settled it"
    if winner.chosen and not loser.chosen:
        return "the coordinator chose another version, with a reason on record"
    if first:
        return "the first sheet counts in this game, and this one was received later"
    if (loser.wanted_version, loser.numbered) == (winner.wanted_version, winner.numbered):
        return "a sheet with the same version number was received later"
    if loser.wanted_version == winner.wanted_version:
        return "replaced by a higher version"
    return _asked(loser, winner)


def _asked(loser: RankedSubmission, winner: RankedSubmission) -> str:
    """Why a sheet that asks for a lower version than the winner does not count."""
    if winner.wanted_version > winner.numbered:
        return "the sheet that counts asks by its own words to be preferred"
    if loser.wanted_version < loser.numbered:
        return "its own words ask for a lower version than the one that counts has"
    if loser.posted and loser.version is None:
        return "a letter by post without a number comes before every version that is mailed"
    return "replaced by a higher version"


def count(
    submissions: Iterable[RankedSubmission], deadline: datetime, *, first: bool = False
) -> dict[str, Ballot]:
    """The ballot of each power that has one. `first`: whether the first sheet counts, and not the latest
    version (Q-60).

    The order of `submissions` is irrelevant. A power whose every sheet is held has no ballot.
    """
    by_power: dict[str, list[RankedSubmission]] = {}
    for submission in submissions:
        # SUB-13: a sheet stamped after the deadline takes no part. At the deadline it is in time.
        if submission.received_at <= deadline:
            by_power.setdefault(submission.power, []).append(submission)
    ballots = {}
    for power, power_submissions in sorted(by_power.items()):
        standing = [p for p in power_submissions if not p.held]
        if standing:
            winner = max(standing, key=RankedSubmission.earliness if first else RankedSubmission.rank)
            ballots[power] = _ballot(power, power_submissions, winner, first=first)
    return ballots


def _ballot(
    power: str, submissions: Sequence[RankedSubmission], winner: RankedSubmission, *, first: bool
) -> Ballot:
    others = sorted((p for p in submissions if p is not winner), key=lambda p: (p.received_at, p.id))
    return Ballot(power, winner, tuple(Loser(p, _why(p, winner, first=first)) for p in others))


def ranked_submissions(session: Session, phase_id: int) -> list[RankedSubmission]:
    """Every submission of a phase, ready to be counted."""
    return [
        ranked(row)
        for row in session.scalars(select(SubmissionRow).where(SubmissionRow.phase_id == phase_id))
    ]


def next_versions(session: Session, phase_ids: Collection[int]) -> dict[int, dict[str, int]]:
    """Of each phase, power to the version of its next sheet: above all that is on file, whether it counts or
    not. Phases and powers without a sheet are left out; their next one is version 1."""
    versions: dict[int, dict[str, int]] = {}
    for row in session.scalars(select(SubmissionRow).where(SubmissionRow.phase_id.in_(phase_ids))):
        sheet, of_phase = ranked(row), versions.setdefault(row.phase_id, {})
        # By its own words a sheet may rank above its number.
        of_phase[row.power] = max(of_phase.get(row.power, 1), sheet.numbered + 1, sheet.wanted_version + 1)
    return versions


def next_version(session: Session, phase_id: int, power: str) -> int:
    """The version of a power's next sheet for a phase, as every letter and form proposes it."""
    return next_versions(session, [phase_id]).get(phase_id, {}).get(power, 1)


def ranked(row: SubmissionRow) -> RankedSubmission:
    return RankedSubmission(
        id=row.id, power=row.power, received_at=row.received_at, version=row.version,
        instruction=row.instruction,
        posted=row.sha256 is None, held=row.fate == Fate.HELD, chosen=SheetFlag.CHOSEN in row.flags,
        held_for=held_because([str(flag) for flag in row.flags]),
    )


def executed(session: Session, phase: PhaseRow) -> dict[str, int]:
    """Power to the submission that counts."""
    ballots = count(ranked_submissions(session, phase.id), phase.deadline, first=first_counts(session, phase))
    return {power: ballot.submission.id for power, ballot in ballots.items()}


def first_counts(session: Session, phase: PhaseRow) -> bool:
    """Whether the first sheet of a power counts in the phase's game, and not the latest version."""
    # in Brittania nothing that was sent can be edited, so later sheets do not count there.
    return options_of(session.get_one(GameRow, phase.game_id)).first_counts
