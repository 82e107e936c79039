"""Typed orders to values. Needs the packages lark and rapidfuzz."""

from __future__ import annotations

from adjudicator.calendar import PhaseKind
from galloper.boards import Board, as_board
from galloper.errors import OrderError
from galloper.libraries import needed_for
from galloper.orders import Order

_NEAR = 0.7
"""Least likeness, 0..1, of an order that is suggested for a text that is none; as in `grammar.parse`."""


def parse_order(text: str, *, board: str | Board, power: str, phase: str = "movement") -> Order:
    """The order in one line of text, in the handbook's language or in short form: "Army Paris moves to
    Burgundy", "A Par - Bur".

    `power` is the one on whose sheet the line is; `phase` is "movement", "retreat", "adjustment", or the
    board's own kind. Small slips of spelling are forgiven where one order is clearly meant. Raises OrderError
    if the line is not an order or gives several, BoardError for an unknown board or power, and
    MissingLibraryError without the grammar's packages.
    """
    orders = _parse_line(text, as_board(board), power, phase)
    # "Armies Kent and Surrey hold" is one line and two orders; to take the first would lose one.
    if len(orders) > 1:
        raise OrderError(f"The line gives {len(orders)} orders; parse_orders takes it.", text)
    return orders[0]


def parse_orders(text: str, *, board: str | Board, power: str, phase: str = "movement") -> tuple[Order, ...]:
    """The orders of a text of several lines; a line may give several ("Armies Kent and Surrey hold"), and
    empty lines are passed over. Raises as `parse_order`; the sentence names the line."""
    orders: list[Order] = []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        # Counted all the same: the number in a fault is that of the text as it was given.
        if not line.strip():
            continue
        try:
            orders += _parse_line(line, as_board(board), power, phase)
        except OrderError as fault:
            where = f"Line {number}: " if len(lines) > 1 else ""
            raise OrderError(f"{where}{fault}", line, fault.span, fault.suggestions) from fault
    return tuple(orders)


def _parse_line(text: str, board: Board, power: str, phase: str) -> tuple[Order, ...]:
    with needed_for("Parsing an order"):
        from grammar.print import canonical_line
        from reading.vocabulary import parse_typed

    variant = board.inner
    kinds = tuple(dict.fromkeys(kind.value for _, kind in variant.calendar.steps))
    if phase not in kinds:
        raise OrderError(f"The board {board.name} has no phase {phase!r}; it has {', '.join(kinds)}.")
    parsed = parse_typed(variant, PhaseKind(phase), board.power(power), text)
    # The grammar goes on after a fault and offers what is near; here a guess must never become an order.
    if parsed.complaint is not None:
        near = tuple(canonical_line(candidate.orders, variant.board) for candidate in parsed.candidates
                     if candidate.score >= _NEAR)
        raise OrderError(f"{text.strip()[:80]!r} is not an order: {parsed.complaint.message}", text,
                         parsed.complaint.span, near)
    return tuple(Order(board, order) for order in parsed.orders)
