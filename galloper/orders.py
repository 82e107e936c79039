"""Orders as values, in text and in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adjudicator import orders
from adjudicator.serialize.case_fields import CaseFault
from adjudicator.serialize.order_json import write_order
from galloper.boards import Board, as_board
from galloper.errors import OrderError
from grammar.print import canonical, prose


class Order:
    """One order of one power, as it was written. Nothing is known of its legality: that is the judge's
    business. Make orders by `parse_order`, by `Order.from_json`, or by giving text or JSON to a game.

    Orders of one board are equal if they say the same.
    """

    __slots__ = ("board", "inner")

    def __init__(self, board: Board, inner: orders.Order) -> None:
        self.board = board
        # The line of a sheet is not part of an order: the same order from text and from JSON must be equal.
        self.inner = inner if inner.line is None else replace(inner, line=None)

    @classmethod
    def from_json(cls, board: str | Board, data: Mapping[str, Any]) -> Order:
        """The order in an object of the JSON of `adjudicate` (docs/contract.md), with its `power`. Raises
        OrderError, which begins with the field at fault."""
        order_board = as_board(board)
        try:
            inner = order_board.cases.read_order(data)
        except CaseFault as fault:
            raise OrderError(f"{fault.below('order')}.") from fault
        return cls(order_board, inner)

    @property
    def power(self) -> str:
        """The id of the power on whose sheet the order is written."""
        return self.inner.power

    @property
    def word(self) -> str:
        """What kind of order it is, as in JSON: "move", "support_hold", "build" ..."""
        return self.inner.WORD

    @property
    def text(self) -> str:
        """Canonical text with full names: "A Paris - Burgundy". Parsing it gives the order back."""
        return canonical(self.inner, self.board.inner.board)

    @property
    def prose(self) -> str:
        """The order in the handbook's words: "Army Paris moves to Burgundy"."""
        variant = self.board.inner
        names = {power.id: power.name for power in variant.powers.values()}
        return prose(self.inner, variant.board, variant.kinds, names)

    def to_json(self) -> dict[str, Any]:
        """The order as an object of the JSON of `adjudicate`; inverse of `from_json`."""
        return {"power": self.power, **write_order(self.inner)}

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Order {self.power}: {self.text}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Order):
            return NotImplemented
        return self.board == other.board and self.inner == other.inner

    def __hash__(self) -> int:
        return hash(self.inner)
