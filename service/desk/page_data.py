"""Data of a phase and its board for the desk's pages: typed words as orders, words to complete, results,
which are grouped with failures first.

Every function takes a phase's id and `load`, which gives a board by its name. Reading is lexical: none of the
functions for typed lines looks at the position (DESK-03). Results are read only after the phase is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from adjudicator.calendar import PhaseKind
from adjudicator.outcome import Result
from adjudicator.serialize import codec
from maps.variant import Variant
from reading import completions, vocabulary
from reading.completions import Completions
from service.games import phase_summary
from service.games.approval import papers
from service.games.ballots import executed
from service.games.lines import lines_of
from service.games.options import options_of
from service.games.phase_summary import Aftermath
from service.games.phases import position_of
from service.games.results import ShownOrder, ShownPower, show
from service.games.rulings import as_written
from service.store.tables import GameRow, PhaseRow

Load = Callable[[str], Variant]

_GROUPS = (
    ("fails", "Failed", "✗", (Result.FAILS,)), ("void", "Void", "○", (Result.VOID,)),
    ("succeeds", "Succeeded", "✓", (Result.SUCCEEDS,)),
)


@dataclass(frozen=True, slots=True)
class TypedLine:
    """The meaning of a typed line: canonical text of its order, or None and a sentence that shows why."""

    order: str | None
    complaint: str = ""


def typed_line(session: Session, phase_id: int, load: Load, power: str, text: str) -> TypedLine:
    """A line as a person typed it, parsed by its words alone."""
    variant, kind = _board(session, phase_id, load)
    parsed = vocabulary.parse_typed(variant, kind, power, text)
    if parsed.complaint is not None:
        return TypedLine(None, parsed.complaint.message)
    return TypedLine(vocabulary.printed(parsed.orders, variant.board))


def suggested_readings(
    session: Session, phase_id: int, load: Load, power: str, text: str
) -> list[dict[str, object]]:
    """Readings of a misread text by words alone, best first, as a line stores its candidates."""
    variant, kind = _board(session, phase_id, load)
    return completions.suggest(variant, kind, power, text)


def words_to_complete(session: Session, phase_id: int, load: Load) -> Completions:
    """The words that the edit box completes."""
    return completions.words_of(*_board(session, phase_id, load))


def judged_powers(session: Session, phase_id: int, load: Load) -> tuple[ShownPower, ...]:
    """The results of a phase in words, by power; empty before it is judged."""
    phase = session.get_one(PhaseRow, phase_id)
    if phase.resolution is None:
        return ()
    chosen = executed(session, phase)
    by_sheet = lines_of(session, list(chosen.values()))
    lines = {power: by_sheet[submission_id] for power, submission_id in chosen.items()}
    variant = _board(session, phase_id, load)[0]
    return show(variant, codec.load_resolution(phase.resolution), lines,
                papers.set_aside(session, phase, variant))


def aftermath(session: Session, phase_id: int, load: Load) -> Aftermath:
    """The results of a judged phase besides its orders; empty before it is judged."""
    phase = session.get_one(PhaseRow, phase_id)
    if phase.resolution is None:
        return Aftermath()
    variant, _ = _board(session, phase_id, load)
    position = position_of(phase)
    return phase_summary.aftermath(variant, position, codec.load_resolution(phase.resolution))


def _board(session: Session, phase_id: int, load: Load) -> tuple[Variant, PhaseKind]:
    phase = session.get_one(PhaseRow, phase_id)
    game = session.get_one(GameRow, phase.game_id)
    return as_written(load(game.variant), options_of(game)), PhaseKind(phase.kind)


@dataclass(frozen=True, slots=True)
class Group:
    """Orders of one power with the same result. `kind` is a CSS class, `title` and `sign` are for people."""

    kind: str
    title: str
    sign: str
    orders: tuple[ShownOrder, ...]


@dataclass(frozen=True, slots=True)
class PowerGroups:
    """One power's results, without empty groups."""

    shown: ShownPower
    groups: tuple[Group, ...]


def grouped(power: ShownPower) -> PowerGroups:
    """A power's orders by result, failures first."""
    groups = tuple(
        Group(kind, title, sign, tuple(order for order in power.orders if Result(order.result) in results))
        for kind, title, sign, results in _GROUPS
    )
    return PowerGroups(power, tuple(group for group in groups if group.orders))


def totals(powers: Sequence[ShownPower]) -> dict[str, int]:
    """Counts over all powers: orders by result, lines no one could read ("unread"), units without an order
    ("without_order")."""
    ends = [Result(order.result) for power in powers for order in power.orders]
    counts = {
        title.lower(): sum(ends.count(result) for result in results) for _, title, _, results in _GROUPS
    }
    return counts | {
        "orders": len(ends), "unread": sum(len(power.void) for power in powers),
        "without_order": sum(len(power.without_order) for power in powers),
    }
