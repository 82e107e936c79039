"""Acts on the lines of a sheet: what a person decides of them, and lines that a person puts on it.

A line is added where the machine missed it, or, for a sheet that lists only changes to a version that it
names, with the orders of the units it does not name (Q-09); the machine merges nothing. Each such line is of
kind "part" and counts only while its decision does, so `U` at the desk removes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from adjudicator.calendar import PhaseKind
from adjudicator.orders import UnitOrder
from maps.variant import Variant
from reading.vocabulary import parse_typed
from service.facts.events import Event
from service.facts.options import ReviewMode
from service.games import decisions
from service.games.acts.act import Act, ActTable, LoggedEvent, ReasonedAct, perform
from service.games.acts.sheets import FiledSheet, filed_sheet
from service.games.agreement import Stage, two_readings
from service.games.decisions import KEY_LENGTH, Decision, DecisionKind, own_lines
from service.games.lines import PART, SettledLine, lines_by_id
from service.games.refused import Refused
from service.store import records
from service.store.tables import LineRow, LineState, SubmissionRow

Box = Sequence[Sequence[float]]
"""Four corners in pixels of the upright picture."""
SEVERAL = "; "
SAYING = frozenset({LineState.AUTO, LineState.READ})
NO_DIFFERENCE = "The two readings of this line agree. Nothing was changed."
NOTHING = "Nothing was changed: this sheet names every unit that has an order on the other one."
NOT_READ = ("Nothing was changed: first read every line of this sheet, so that its units are known.")




@dataclass(frozen=True, slots=True)
class AddLine(Act[int | None]):
    """Adds a line that the machine missed, as a person reads it. The outcome is the new line's id, None if
    the form was sent before.

    `key` is the browser's id of the request. `after`: the ordinal of the line above it, -1 for the top.
    """

    sheet: int
    page: int
    key: str
    box: Box
    after: int
    text: str
    order: str | None

    def check(self, table: ActTable) -> None:
        """Refuse a sheet that may not be changed."""
        filed_sheet(table.session, self.sheet)

    def change(self, table: ActTable) -> int | None:
        """Add it, with its decision."""
        session, filed = table.session, filed_sheet(table.session, self.sheet)
        act = _desk_act(table, filed, self.key)
        if not decisions.begin(session, act, DecisionKind.DECIDE):
            return None
        decisions.make_room(session, self.page, self.after, 1)
        # The text of the row is the machine's reading, which the second reader finds in the edit box; so what
        # the first one wrote must not be there.
        text = self.text if filed.phase.review == ReviewMode.NONE else ""
        row = _line(self.page, self.after + 1, self.box, text)
        session.add(row)
        session.flush()
        decisions.end(session, act, [Decision(row.id, LineState.READ, self.text, self.order)])
        return row.id

    def event(self, table: ActTable, outcome: int | None, letters: int) -> None:
        """None: the decision is entered in the record itself."""


@dataclass(frozen=True, slots=True)
class TakeOrdersOver(ReasonedAct[int]):
    """Adds the orders of the units that a sheet does not name from another version, `named`, below its own
    lines on its last page. The outcome is their number, 0 if the form was sent before.

    `key` is the browser's id of the request; `box`: where the lines are on that page.
    """

    sheet: int
    named: int
    key: str
    box: Box
    why: str

    def check(self, table: ActTable) -> None:
        """Refuse a version of another power, and a sheet that is not read or leaves nothing out."""
        filed, named = filed_sheet(table.session, self.sheet), table.session.get(SubmissionRow, self.named)
        if named is None or named.id == self.sheet or (
                named.phase_id, named.power) != (filed.phase.id, filed.row.power):
            raise Refused("Nothing was changed: choose another version of this power, of this phase.")
        if decisions.known(table.session, self.key[:KEY_LENGTH]):
            return
        # An unread line may name any unit, so it is not known which ones the sheet leaves out.
        if any(line.needs_a_person for line in own_lines(table.session, self.sheet)):
            raise Refused(NOT_READ)
        if not self._taken(table, filed):
            raise Refused(NOTHING)

    def change(self, table: ActTable) -> int:
        """Add the lines, with their decisions."""
        session, filed = table.session, filed_sheet(table.session, self.sheet)
        act = _desk_act(table, filed, self.key)
        if decisions.known(session, act.key):
            return 0
        taken, page = self._taken(table, filed), records.pages(session, self.sheet)[-1]
        decisions.begin(session, act, DecisionKind.DECIDE)
        last = max((line.ordinal for line in own_lines(session, self.sheet) if line.page_id == page.id),
                   default=-1)
        decisions.make_room(session, page.id, last, len(taken))
        rows = [_line(page.id, last + offset, self.box, line.text)
                for offset, line in enumerate(taken, start=1)]
        session.add_all(rows)
        session.flush()
        # Added as a person's decisions: the machine merges nothing, and undo takes them all back.
        decisions.end(session, act, [Decision(row.id, LineState.READ, line.text, line.order)
                                     for row, line in zip(rows, taken, strict=True)])
        return len(rows)

    def event(self, table: ActTable, outcome: int, letters: int) -> LoggedEvent | None:
        """Both sheets, the number of lines and the reason."""
        if not outcome:
            return None
        filed = filed_sheet(table.session, self.sheet)
        return LoggedEvent(Event.ORDERS_TAKEN_OVER, filed.phase.game_id, {
            "phase_id": filed.phase.id, "power": filed.row.power, "submission": self.sheet,
            "from": self.named, "lines": outcome, "why": self.reason})

    def _taken(self, table: ActTable, filed: FiledSheet) -> list[SettledLine]:
        return left_out(
            table.load(table.game(filed.phase.game_id).variant), PhaseKind(filed.phase.kind), filed.row.power,
            own_lines(table.session, self.sheet), own_lines(table.session, self.named))


@dataclass(frozen=True, slots=True)
class FileDecisions(Act[None]):
    """Files what a person decided of lines, as one act with one key. `versions`: line to the version that
    they saw. Raises `decisions.Overtaken` where one of them has changed since."""

    phase: int
    key: str
    decided: Sequence[Decision]
    versions: Mapping[int, str]
    kind: DecisionKind = DecisionKind.DECIDE

    def change(self, table: ActTable) -> None:
        """File them. A difference between two readers is an event, without what they read."""
        session, phase = table.session, table.any_phase(self.phase)
        act = decisions.ReviewAction(self.key[:KEY_LENGTH], phase.id, table.by, table.now)
        if phase.review == ReviewMode.NONE:
            decisions.file(session, act, self.decided, self.versions, self.kind)
            return
        # Only a difference that this act makes is entered; one that was there before is entered already.
        before = self._differing(session).keys()
        decisions.file(session, act, self.decided, self.versions, self.kind)
        for line_id, line in self._differing(session).items():
            if line_id not in before:
                perform(_NoteDifference(phase.id, line_id, tuple(sorted({vote.by for vote in line.votes}))),
                        table)

    def event(self, table: ActTable, outcome: None, letters: int) -> None:
        """None: decisions are entered in the record themselves."""

    def _differing(self, session: Session) -> dict[int, SettledLine]:
        lines = lines_by_id(session, [decision.line_id for decision in self.decided])
        return {line_id: line for line_id, line in lines.items() if line.stage is Stage.DIFFERS}


@dataclass(frozen=True, slots=True)
class _NoteDifference(Act[None]):
    """What a decision brought: two people have read a line differently."""

    phase: int
    line: int
    readers: tuple[str, ...]

    def change(self, table: ActTable) -> None:
        """Nothing: the decision is filed."""

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The line and its readers."""
        return LoggedEvent(Event.LINE_READ_DIFFERENTLY, table.any_phase(self.phase).game_id,
                     {"phase_id": self.phase, "line": self.line, "readers": list(self.readers)})


@dataclass(frozen=True, slots=True)
class CloseDifferences(Act[None]):
    """Makes lines void that two people read differently, with both readings stored for the results to print
    (Q-01). Raises `decisions.Overtaken` besides."""

    phase: int
    key: str
    lines: tuple[int, ...]
    versions: Mapping[int, str]

    def check(self, table: ActTable) -> None:
        """Refuse a line of which there are no two readings."""
        rows = lines_by_id(table.session, self.lines)
        if not self.lines or any(rows[line_id].stage is not Stage.DIFFERS for line_id in self.lines):
            raise Refused(NO_DIFFERENCE)

    def change(self, table: ActTable) -> None:
        """File the lines as void."""
        rows = lines_by_id(table.session, self.lines)
        closing = [
            # Unsettled differences are void: the unit holds, and the results print both readings.
            Decision(line_id, LineState.VOID, "\n".join(two_readings(rows[line_id].votes)), settles=True)
            for line_id in self.lines
        ]
        act = decisions.ReviewAction(self.key[:KEY_LENGTH], self.phase, table.by, table.now)
        decisions.file(table.session, act, closing, self.versions, DecisionKind.CLOSE)

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The number of lines."""
        return LoggedEvent(Event.DIFFERENCES_CLOSED, table.any_phase(self.phase).game_id,
                     {"phase_id": self.phase, "lines": len(self.lines)})


def left_out(
    variant: Variant, kind: PhaseKind, power: str, own_lines: Sequence[SettledLine],
    named: Sequence[SettledLine]
) -> list[SettledLine]:
    """The lines of the named version (`named`) that order a unit which the sheet (`own_lines`) does not
    mention, in order. A line that no one could read mentions each unit that it may name."""
    # A line that no one could read is void and its unit holds, so no older order may fill the gap.
    known = {place for line in own_lines for place in _places(variant, kind, power, line)}
    return [line for line in named if line.state in SAYING and line.order is not None
            and (units := _places(variant, kind, power, line)) and not units & known]


def _desk_act(table: ActTable, filed: FiledSheet, key: str) -> decisions.ReviewAction:
    return decisions.ReviewAction(key[:KEY_LENGTH], filed.phase.id, table.by, table.now)


def _line(page: int, ordinal: int, box: Box, text: str) -> LineRow:
    return LineRow(page_id=page, ordinal=ordinal, box=[list(point) for point in box], kind=PART,
                   text=text, confidence=0.0, status=LineState.NOT_ORDER, candidates=[])


def _places(variant: Variant, kind: PhaseKind, power: str, line: SettledLine) -> set[str]:
    """The provinces of the units that a line orders, or may order."""
    if line.state is LineState.VOID:
        texts = [
            *line.text.split("\n"),
            *(str(candidate["order"]) for candidate in line.candidates if candidate["order"]),
        ]
    elif line.state in SAYING and line.order is not None:
        texts = line.order.split(SEVERAL)
    else:
        texts = []
    return {
        order.unit.region.province
        for text in texts
        for order in parse_typed(variant, kind, power, text).orders
        if isinstance(order, UnitOrder)
    }
