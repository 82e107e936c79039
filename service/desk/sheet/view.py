"""The page of one sheet: its lines, its heading, and the other versions of the same power."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from sqlalchemy.orm import Session

import maps
from grammar.headings.sheet import SheetHeading, parse_sheet_heading
from reading.vocabulary import known_game
from service.facts.sheets import Fate, SheetFlag, held_because
from service.games import ballots
from service.games.approval.papers import refusal_of
from service.games.ballots import Ballot, count
from service.games.decisions import own_lines
from service.games.lines import SettledLine, line_numbers, lines_of
from service.store import records
from service.store.tables import GameRow, LineState, PhaseRow, SubmissionRow


@dataclass(frozen=True, slots=True)
class Version:
    """One sheet of a power: when and how it came, and whether it counts, with the reason in a sentence."""

    id: int
    number: int | None
    submission: SubmissionRow
    executed: bool
    why: str
    late: bool

    @property
    def name(self) -> str:
        """Its name for people: "v2", or "without number"."""
        return "without number" if self.number is None else f"v{self.number}"


@dataclass(frozen=True, slots=True)
class Difference:
    """One row of two sheets side by side. `sign` and `word` say the same: "=" same, "≠" changed, "−" only on
    the left, "+" only on the right."""

    sign: str
    word: str
    left: str
    right: str


def versions(session: Session, phase: PhaseRow, power: str) -> list[Version]:
    """Every sheet of a power in a phase, in order of receipt; superseded and late ones too (VER-04)."""
    # The same count as at the deadline, so that the page shows why a sheet counts or not (VER-04).
    own_versions = ballots.on_file(session, phase.id, power)
    first = ballots.first_counts(session, phase)
    ballot = count(own_versions, phase.deadline, first=first).get(power)
    return [
        Version(row.id, row.version, row, ballot is not None and ballot.submission.id == row.id,
                _why(row, ballot, phase, first=first), row.received_at > phase.deadline)
        for row in records.submissions(session, phase.id, power)
    ]


def _why(row: SubmissionRow, ballot: Ballot | None, phase: PhaseRow, *, first: bool) -> str:
    # Late comes first: no version number and no choice helps a sheet that came late.
    if row.received_at > phase.deadline:
        return "received after the deadline, so it cannot count"
    if ballot is not None and ballot.submission.id == row.id:
        # in some games nothing that was sent can be changed.
        by_rule = f"the {'first sheet' if first else 'latest version'} in time"
        return "chosen by the coordinator" if SheetFlag.CHOSEN in row.flags else by_rule
    losers = () if ballot is None else ballot.losers
    loser = next((loser for loser in losers if loser.submission.id == row.id), None)
    if loser is not None and refusal_of(row.flags) is None:
        return loser.why
    if row.fate == Fate.HELD and refusal_of(row.flags) is not None:
        return f"refused by the coordinator: {refusal_of(row.flags)}"
    if row.fate == Fate.HELD:
        return f"held, because {held_because([str(flag) for flag in row.flags])}; it is not settled yet"
    return "it does not count"


def numbered(session: Session, submission_id: int) -> list[tuple[str, SettledLine]]:
    """The lines of `own_lines` with their numbers on the sheet, "" for a line of the heading."""
    numbers = line_numbers(lines_of(session, [submission_id])[submission_id])
    return [(numbers.get(line.id, ""), line) for line in own_lines(session, submission_id)]


def differences(left: Sequence[SettledLine], right: Sequence[SettledLine]) -> list[Difference]:
    """The orders of two sheets, line against line in their own order; headings and remarks are left out."""
    ours, theirs = _texts(left), _texts(right)
    rows: list[Difference] = []
    for change, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if change == "equal":
            rows += [Difference("=", "same", text, text) for text in ours[a:b]]
            continue
        for ours_text, theirs_text in zip_longest(ours[a:b], theirs[c:d], fillvalue=""):
            rows.append(Difference(*_sign(ours_text, theirs_text), ours_text, theirs_text))
    return rows


def _sign(left: str, right: str) -> tuple[str, str]:
    if left and right:
        return "≠", "changed"
    return ("−", "only here") if left else ("+", "only there")


def _texts(lines: Sequence[SettledLine]) -> list[str]:
    return [
        # A void line has two readings or none, so its words are compared and not an order.
        f"{line.text} (void)" if line.state is LineState.VOID else line.order or line.text
        for line in lines if line.state is not LineState.NOT_ORDER
    ]


def heading_fields(session: Session, phase: PhaseRow, submission: SubmissionRow, lines: Sequence[SettledLine],
                   name_of: Callable[[str, str], str]) -> list[tuple[str, str, str]]:
    """Each field of the heading: its name, what the sheet states ("" if it has nothing), what it is filed
    as."""
    game = session.get_one(GameRow, phase.game_id)
    heading = _heading(game, lines)
    return [
        ("Game", heading.game or "", game.name),
        ("Power", heading.power or "", name_of(game.variant, submission.power)),
        ("Season", heading.season or "", phase.season),
        ("Year", str(heading.year or ""), str(phase.year)),
        ("Kind", "" if heading.kind is None else heading.kind.value, phase.kind),
        (
            "Version", "" if heading.requested_version is None else str(heading.requested_version),
            "" if submission.version is None else str(submission.version),
        ),
    ]


def _heading(game: GameRow, lines: Sequence[SettledLine]) -> SheetHeading:
    try:
        known = known_game(maps.load(game.variant), game.name, game.aliases)
    except maps.MapError:
        return SheetHeading()
    return parse_sheet_heading([line.text for line in lines if line.kind == "heading"], [known])
