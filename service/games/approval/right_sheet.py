"""Is this the right sheet? A check in words of each sheet that counts, after reading and before approval.

Until then reading is lexical (DESK-03): nothing here is asked or shown before the phase is judged. A sheet
from another season, power or phase once went out as 36 void orders. Each question is asked once a sheet; a
coordinator answers it, and nothing is changed by a question alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.calendar import PhaseKind
from adjudicator.outcome import Outcome, Resolution
from adjudicator.position import Position
from adjudicator.serialize import codec
from maps.variant import Variant
from reading import vocabulary
from service.facts.sheets import SheetFlag
from service.games.ballots import executed
from service.games.lines import SettledLine, lines_of
from service.games.phases import phase_of, phase_title, position_of
from service.store import records
from service.store.tables import LineState, PageRow, PhaseRow, PhaseState, SubmissionRow

RIGHT = "right sheet: "
"""Beginning of a flag of a sheet: a coordinator answered a question; its kind follows."""
_STRANGE_UNITS = 0.5
"""Share of a sheet's orders, 0..1, above which units that the power has not are asked about. Set by hand: one
or two such orders are a slip of the player's."""
_FEW = 0.5
"""Share of a power's units, 0..1, up to which few orders are asked about (LET-03: "by half")."""
_LEAST_UNITS = 2
_COUNTED = frozenset({LineState.AUTO, LineState.READ})


class QuestionKind(StrEnum):
    """Reasons to doubt a sheet: UNITS that its power has not, the SAME orders or picture as before, orders
    of ANOTHER_KIND of phase, FEW orders, or another YEAR in its heading than the form it was filed with."""

    UNITS = "units"
    SAME = "same"
    ANOTHER_KIND = "kind"
    FEW = "few"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class SheetQuestion:
    """One question about the sheet of a power (its id), in a sentence."""

    kind: QuestionKind
    power: str
    submission: int
    sentence: str


def open_questions(session: Session, phase: PhaseRow, variant: Variant) -> list[SheetQuestion]:
    """The questions about a judged phase that no one has answered, by power; none before it is judged."""
    if phase.state != PhaseState.READY or phase.resolution is None:
        return []
    sheets = executed(session, phase)
    lines = lines_of(session, list(sheets.values()))
    resolution, position = codec.load_resolution(phase.resolution), position_of(phase)
    questions: list[SheetQuestion] = []
    for power, key in sorted(sheets.items()):
        row = session.get_one(SubmissionRow, key)
        name = variant.powers[power].name
        asked = {
            QuestionKind.UNITS: _strange_units(power, name, resolution),
            QuestionKind.SAME: _same_as_before(session, phase, power, key, lines[key]),
            QuestionKind.ANOTHER_KIND: _another_kind(variant, phase, power, lines[key]),
            QuestionKind.FEW: _few(power, name, PhaseKind(phase.kind), position, resolution),
            QuestionKind.YEAR: _year(row, phase),
        }
        # Orders for units of others leave one's own without any: that is one question and not two.
        if asked[QuestionKind.UNITS]:
            asked[QuestionKind.FEW] = ""
        questions += [
            SheetQuestion(kind, power, key, sentence)
            for kind, sentence in asked.items() if sentence and f"{RIGHT}{kind}" not in row.flags]
    return questions


def answer(row: SubmissionRow, questions: Sequence[SheetQuestion]) -> None:
    """Note that a coordinator states about these questions that it is the right sheet."""
    answered = [f"{RIGHT}{question.kind}" for question in questions if question.submission == row.id]
    row.flags = [*row.flags, *(flag for flag in answered if flag not in row.flags)]


def _strange_units(power: str, name: str, resolution: Resolution) -> str:
    ordered: list[Outcome] = [outcome for outcome in resolution.outcomes if outcome.order.power == power]
    strange = sum(outcome.reason == "no_such_unit" for outcome in ordered)
    if not strange or strange <= _STRANGE_UNITS * len(ordered):
        return ""
    if strange == len(ordered):
        return f"Every order on it names a unit that {name} does not have."
    return f"{strange} of its {len(ordered)} orders name units that {name} does not have."


def _same_as_before(
    session: Session, phase: PhaseRow, power: str, key: int, lines: Sequence[SettledLine]
) -> str:
    """Whether it is the sheet that counted before: the same picture file, or the same orders in the last
    phase of this kind."""
    before = [row for row in records.phases(session, phase.game_id)
              if row.ordinal < phase.ordinal and row.state == PhaseState.SENT and row.resolution is not None]
    pictures = set(session.scalars(select(PageRow.original).where(PageRow.submission_id == key)))
    again = session.scalars(
        select(SubmissionRow).join(PageRow, PageRow.submission_id == SubmissionRow.id)
        .where(PageRow.original.in_(pictures), SubmissionRow.power == power,
               SubmissionRow.phase_id.in_([row.id for row in before]))).first()
    if again is not None:
        earlier = session.get_one(PhaseRow, again.phase_id)
        return f"Its picture is the same file that came for {phase_title(earlier)}."
    last = next((row for row in reversed(before) if row.kind == phase.kind), None)
    earlier_key = None if last is None else executed(session, last).get(power)
    if last is None or earlier_key is None:
        return ""
    orders, earlier_orders = _orders(lines), _orders(lines_of(session, [earlier_key])[earlier_key])
    # A power may well hold twice.
    moving = any(not order.endswith(" H") for order in orders)
    if len(orders) >= _LEAST_UNITS and moving and orders == earlier_orders:
        return f"Its orders are word for word those of {phase_title(last)}."
    return ""


def _orders(lines: Sequence[SettledLine]) -> frozenset[str]:
    return frozenset(line.order for line in lines if line.order is not None and line.state in _COUNTED)


def _another_kind(variant: Variant, phase: PhaseRow, power: str, lines: Sequence[SettledLine]) -> str:
    """Whether more lines are orders of another kind of phase than of this one."""
    kind = phase_of(phase).kind
    written = [line for line in lines if line.kind != "heading" and not line.struck and line.text.strip()]
    readable = sum(line.order is not None for line in written)
    for other in dict.fromkeys(step for _, step in variant.calendar.steps):
        strange = 0 if other is kind else sum(
            vocabulary.parse_typed(variant, other, power, line.text).complaint is None
            for line in written if line.order is None)
        if strange > readable:
            words = _WORDS.get(other, other.value)
            return f"{strange} of its lines are {words}, which do not belong to this phase."
    return ""


_WORDS: Mapping[PhaseKind, str] = {
    PhaseKind.MOVEMENT: "movement orders", PhaseKind.RETREAT: "retreats",
    PhaseKind.ADJUSTMENT: "builds or removals"}


def _few(power: str, name: str, kind: PhaseKind, position: Position, resolution: Resolution) -> str:
    if kind is not PhaseKind.MOVEMENT:
        return ""
    units = sum(unit.power == power for unit in position.units)
    ordered = units - sum(unit.power == power for unit in resolution.unordered)
    if units < _LEAST_UNITS or ordered > _FEW * units:
        return ""
    return f"It orders {ordered} of the {units} units of {name}."


def _year(row: SubmissionRow, phase: PhaseRow) -> str:
    if SheetFlag.YEAR_DIFFERS not in row.flags:
        return ""
    return f"Its heading names another year than {phase.year}, for which it was filed by hand."
