"""A sheet that lists only changes to a version that it names: a person takes the orders of the units it does
not name over from that version, with a reason (Q-09). The machine merges nothing."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from adjudicator.calendar import PhaseKind
from adjudicator.orders import UnitOrder
from maps.variant import Variant
from reading.vocabulary import parse_typed
from service.desk.reading.shape import make_room
from service.games import decisions
from service.games.decisions import Act, Decision, DecisionKind
from service.games.lines import SettledLine
from service.games.refused import Refused
from service.store.tables import LineRow, LineState, PageRow

SEVERAL = "; "
SAYING = frozenset({LineState.AUTO, LineState.READ})
NOTHING = "Nothing was changed: this sheet names every unit that has an order on the other one."
NOT_READ = ("Nothing was changed: first read every line of this sheet, so that it is known which units it "
            "names.")


def left_out(
    variant: Variant, kind: PhaseKind, power: str, own_lines: Sequence[SettledLine],
    named: Sequence[SettledLine]
) -> list[SettledLine]:
    """The lines of the named version (`named`) that order a unit which the sheet (`own_lines`) does not
    mention, in order. A line that nobody could read mentions each unit that it may name."""
    # A line that nobody could read is void and its unit holds, so no older order may fill the gap.
    known = {place for line in own_lines for place in _places(variant, kind, power, line)}
    return [line for line in named if line.state in SAYING and line.order is not None
            and (units := _places(variant, kind, power, line)) and not units & known]


def take_over(
    session: Session, act: Act, page: PageRow, own_lines: Sequence[SettledLine], taken: Sequence[SettledLine],
    box: Sequence[Sequence[float]],
) -> int:
    """Add these lines below the sheet's own on its last page, as decisions of this person; their number, 0
    if this act was filed before. `U` at the desk takes all of them back. Raises Refused."""
    # An unread line may name any unit, so it is not known which ones the sheet leaves out.
    if any(line.needs_a_person for line in own_lines):
        raise Refused(NOT_READ)
    if not taken:
        raise Refused(NOTHING)
    if not decisions.begin(session, act, DecisionKind.DECIDE):
        return 0
    last = max((line.ordinal for line in own_lines if line.page_id == page.id), default=-1)
    make_room(session, page.id, last, len(taken))
    # Added as a person's decisions: the machine merges nothing, and undo takes them all back.
    rows = [
        LineRow(
            page_id=page.id, ordinal=last + offset, box=[list(point) for point in box], kind=decisions.PART,
            text=line.text, confidence=0.0, status=LineState.NOT_ORDER, candidates=[],
        )
        for offset, line in enumerate(taken, start=1)
    ]
    session.add_all(rows)
    session.flush()
    decisions.end(session, act, [
        Decision(row.id, LineState.READ, line.text, line.order) for row,
        line in zip(rows, taken, strict=True)])
    return len(rows)


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
