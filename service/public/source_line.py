"""From an order in sent results back to its ink: how its line was read, who decided it, and its place on
which photograph. Nothing of a phase whose results are not sent, and nothing of a sheet that contains what
this player may not know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.outcome import Resolution
from adjudicator.serialize import codec
from maps.variant import Variant
from service import pictures
from service.games.approval import papers
from service.games.ballots import executed
from service.games.lines import SettledLine, line_numbers, lines_of
from service.games.results import ShownOrder, ShownPower, correction, redacted_for, show
from service.letters.language import Sentence
from service.letters.set_aside import translatable
from service.notices.attachments import turned, unshown
from service.notices.results_facts import concerned
from service.store import records
from service.store.tables import (
    CorrectionRow,
    EntryRow,
    GameRow,
    LineState,
    PageRow,
    PhaseRow,
    PhaseState,
    SubmissionRow,
)
from service.web.ports import BlobReader

CONTEXT = 2.0
"""Line heights that are shown above and below a line."""
_COUNTED = frozenset({LineState.AUTO, LineState.READ, LineState.VOID})


@dataclass(frozen=True, slots=True)
class Evidence:
    """The results of a phase as one player may know them. `lines` are the lines of each sheet that may be
    shown, by power id; `corrections` are those made after the results were sent."""

    phase: PhaseRow
    variant: Variant
    resolution: Resolution
    powers: tuple[ShownPower, ...]
    lines: Mapping[str, Sequence[SettledLine]]
    corrections: tuple[CorrectionRow, ...]

    @property
    def numbers(self) -> Mapping[int, str]:
        """The number of each line on its sheet by the line's id."""
        return {key: number for sheet in self.lines.values() for key, number in line_numbers(sheet).items()}


@dataclass(frozen=True, slots=True)
class InkPlace:
    """Where a line is. `version` of the sheet, None without a number. `box`: four corners in pixels of the
    upright photograph."""

    version: int | None
    page: PageRow
    box: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line that gave an order, or that no one could read. `number` is its number on the sheet.

    `correction`: a sentence if a person read the line differently from the machine, else "".
    `void_readings`: the readings of a void line, else "". `entries`: numbers of entries in the game's
    record, each with what it states.
    """

    line: SettledLine
    number: str
    power: str
    place: InkPlace
    correction: str
    orders: tuple[ShownOrder, ...]
    void_readings: str
    entries: tuple[tuple[int, str], ...]

    @property
    def sure(self) -> int:
        """The machine's confidence in its reading, in per cent."""
        return round(self.line.confidence * 100)


def evidence(session: Session, phase: PhaseRow, variant: Variant, seats: Sequence[str]) -> Evidence | None:
    """The results of a phase as a player with these seats may know them; None before they are sent, or if
    there are none."""
    if phase.state != PhaseState.SENT or phase.resolution is None:
        return None
    full_resolution = codec.load_resolution(phase.resolution)
    # A player with two powers sees what either may see: the view with more outcomes and fewer closed
    # sheets.
    resolution, hushed = max(
        (redacted_for(variant, full_resolution, seat) for seat in seats),
        key=lambda candidate: (len(candidate[0].outcomes), -len(candidate[1])),
    )
    chosen = executed(session, phase)
    by_sheet = lines_of(session, list(chosen.values()))
    # Were a sheet shown that has nothing of a hidden unit, its absence would mention the others (D66-06).
    lines = {power: [] if power in hushed else by_sheet[key] for power, key in chosen.items()}
    # Powers that owed orders in this phase; others are not listed, so no one looks for a lost sheet.
    due = concerned(phase, variant)
    corrected = session.scalars(
        select(CorrectionRow).where(CorrectionRow.phase_id == phase.id).order_by(CorrectionRow.id)
    )
    set_aside = translatable(papers.set_aside(session, phase, variant))
    return Evidence(
        phase, variant, resolution,
        tuple(power for power in show(variant, resolution, lines, set_aside)
              if power.sheet or power.power in due),
        lines, tuple(corrected),
    )


def ink(session: Session, evidence: Evidence, line_id: int) -> SourceLine | None:
    """One line of these results; None for a line that gave no order, or that the player may not see."""
    lines = {line.id: (power, line) for power, sheet in evidence.lines.items() for line in sheet}
    power, line = lines.get(line_id, ("", None))
    if line is None or line.state not in _COUNTED:
        return None
    page = session.get_one(PageRow, line.page_id)
    submission = session.get_one(SubmissionRow, page.submission_id)
    power_name = evidence.variant.powers[power].name
    results = next(results for results in evidence.powers if results.power == power_name)
    return SourceLine(
        line, evidence.numbers[line_id], results.power,
        InkPlace(submission.version, page, tuple((round(x), round(y)) for x, y in line.box)),
        correction(line),
        tuple(order for order in results.orders if order.line_id == line_id),
        dict(results.void).get(line_id, ""), _entries(session, evidence.phase, submission.id),
    )


def _entries(session: Session, phase: PhaseRow, submission_id: int) -> tuple[tuple[int, str], ...]:
    """Entries of the record about the sheet, its last reading, and the judging of the phase."""
    facts = (
        ("sheet", str(submission_id), Sentence("the sheet as it arrived")),
        ("reading", str(submission_id), Sentence("what was read on it, line by line")),
        ("judged", str(phase.id), Sentence("the judging of the phase")),
    )
    entries = []
    for kind, fact, words in facts:
        number = session.scalar(select(EntryRow.number).where(
            EntryRow.game_id == phase.game_id, EntryRow.what == kind,
            # The newest: a sheet may have been read again, and only its last reading counted.
            EntryRow.fact == fact).order_by(EntryRow.number.desc()).limit(1))
        entries += [] if number is None else [(number, words)]
    return tuple(entries)


def picture(
    session: Session, blobs: BlobReader, evidence: Evidence, source: SourceLine, *, context: bool
) -> bytes | None:
    """The ink of a line as JPEG, or with `context` the rows around it with the line framed. Lines that name
    the writer are painted over (Q-37). None if the page has no picture. Raises BlobError, and SheetUnusable
    for a stored picture that cannot be opened."""
    if source.place.page.upright is None:
        return None
    page_lines = [
        line for lines in evidence.lines.values() for line in lines if line.page_id == source.place.page.id
    ]
    data, corners = turned(blobs.read(source.place.page.upright), source.place.page, page_lines)
    # real names and home addresses on a sheet do not reach other players.
    hidden = unshown(page_lines, evidence.variant, session.get_one(GameRow, evidence.phase.game_id).name)
    away = {line.id for line in hidden}
    below = [line for line in page_lines if line.id not in away or line.kind == "heading"]
    keep = [point for line in below for point in corners[line.id]]
    return pictures.sheet_window(
        data, corners[source.line.id], keep, [corners[key] for key in away], CONTEXT if context else 0.0
    )


def phases(session: Session, game_id: str) -> list[PhaseRow]:
    """The phases of a game whose results were sent, newest first."""
    return [
        row
        for row in reversed(records.phases(session, game_id))
        if row.state == PhaseState.SENT and row.resolution is not None
    ]
