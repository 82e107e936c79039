"""Which sheet counts: the latest version of each power, decided by one sort key (VER-01..05, Q-08), and all
that is stated about versions from it: what a new sheet replaces, which number the next one needs, which
number read from ink is believed (PHA-06). Every receipt, page and proposal calls this."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
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
    the subject or None, `instruction` the number that the sheet itself requests or None. `posted` marks a
    letter that came by post. `held` sheets wait for the coordinator and never count; `held_for` shows why in
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
        """The version that the sheet itself requests, else the one it ranks as."""
        return self.numbered if self.instruction is None else self.instruction

    @property
    def named_version(self) -> int | None:
        """The number that people know it by; None if it has none."""
        return self.version if self.instruction is None else self.instruction

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
    """A sheet that does not count, and the sentence that shows why."""

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
        return f"held{loser.held_for and f', because {loser.held_for}'}; it is not settled yet"
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
    """Why a sheet that requests a lower version than the winner does not count."""
    if winner.wanted_version > winner.numbered:
        return "the sheet that counts asks for preference in its text"
    if loser.wanted_version < loser.numbered:
        return "its text asks for a lower version than the one that counts has"
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


BEHIND = frozenset({SheetFlag.SUPERSEDED, SheetFlag.NOT_FIRST})
"""Of a sheet that did not count when it came, since another did."""
ARRIVAL_MARKS = BEHIND | {SheetFlag.VERSION_CONFLICT}


@dataclass(frozen=True, slots=True)
class Arrival:
    """The relation of a sheet to those of its power that came before it. `before`: the one that counted until
    then, or None. `marks`: what the sheet is marked with: whether it counts behind that one, and whether its
    number came before."""

    before: RankedSubmission | None
    marks: frozenset[SheetFlag]


def arrival(
    sheet: RankedSubmission, earlier: Iterable[RankedSubmission], deadline: datetime, *, first: bool = False
) -> Arrival:
    """How a sheet that came in time is to the `earlier` ones of its power. `first` as for `count`."""
    # A sheet in time ends a coordinator's choice (`records.add_submission`).
    rivals = [replace(rival, chosen=False) for rival in earlier]
    before = count(rivals, deadline, first=first).get(sheet.power)
    after = count([*rivals, sheet], deadline, first=first).get(sheet.power)
    marks = set()
    if before is not None and after is not None and after.submission is not sheet:
        marks.add(SheetFlag.NOT_FIRST if first else SheetFlag.SUPERSEDED)
    if not first and sheet.version is not None and any(rival.version == sheet.version for rival in rivals):
        marks.add(SheetFlag.VERSION_CONFLICT)
    return Arrival(None if before is None else before.submission, frozenset(marks))


def version_after(on_file: Iterable[RankedSubmission]) -> int:
    """The number that a power's next sheet needs: one above every sheet `on_file`, held and late ones too."""
    # By its own words as well: a sheet below those would not count.
    return max((max(sheet.numbered, sheet.wanted_version) for sheet in on_file), default=0) + 1


def believed_version(read: int | None, on_file: Iterable[RankedSubmission]) -> int | None:
    """A version that a machine read from clear ink, if it is at most one above what is `on_file`; else
    None."""
    # "v1" was read as "v7", which put an old sheet above every later one.
    return None if read is None or read > version_after(on_file) else read


def on_file(session: Session, phase_id: int, power: str) -> list[RankedSubmission]:
    """Every sheet of a power in a phase."""
    return [sheet for sheet in ranked_submissions(session, phase_id) if sheet.power == power]


def next_version(session: Session, phase_id: int, power: str) -> int:
    """`version_after` what is on file."""
    return version_after(on_file(session, phase_id, power))


def arrival_of(session: Session, submission: SubmissionRow, phase: PhaseRow) -> Arrival:
    """The relation of a filed sheet to those of its power that were filed before it."""
    sheets = on_file(session, phase.id, submission.power)
    return arrival(ranked(submission), [sheet for sheet in sheets if sheet.id < submission.id],
                   phase.deadline, first=first_counts(session, phase))


def ranked_submissions(session: Session, phase_id: int) -> list[RankedSubmission]:
    """Every submission of a phase, ready to be counted."""
    return [
        ranked(row)
        for row in session.scalars(select(SubmissionRow).where(SubmissionRow.phase_id == phase_id))
    ]


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
