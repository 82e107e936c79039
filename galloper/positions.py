"""Positions, and what becomes of one when its phase is judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from types import MappingProxyType
from typing import Any, TypeAlias

from adjudicator import judge as judges, legal_orders as legality, outcome, position as judged
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.lots import Lots
from adjudicator.outcome import Result
from adjudicator.phases.year_end import builds_due
from adjudicator.serialize.answers import answer, write_position
from adjudicator.serialize.case_fields import CaseFault
from galloper.boards import Board, as_board
from galloper.errors import LotsError, OrderError, PositionError
from galloper.orders import Order
from galloper.parsing import parse_orders
from galloper.units import Dislodgement, Unit, dislodgement_of, unit_of

# Phases and results are the judge's own values: `galloper` takes them from here (`galloper.own_names`).
__all__ = [
    "LegalOrder", "OrderLike", "Outcome", "Phase", "PhaseKind", "Position", "Resolution", "Result",
    "SheetLike",
]

OrderLike: TypeAlias = "Order | str | Mapping[str, Any]"
"""An order as a value, as text, or as an object of JSON; `power` may be left out where it is known."""
SheetLike: TypeAlias = "OrderLike | Iterable[OrderLike]"
"""The orders of one power: a text of several lines, a single order, or the orders one by one."""


class Position:
    """A board between two phases: what is where, who owns what, and the phase that is judged next.

    It never changes. Make one by `Position.opening`, by `Position.from_json`, or by judging another.
    Positions of one board are equal if they say the same.
    """

    __slots__ = ("board", "inner")

    def __init__(self, board: Board, inner: judged.Position) -> None:
        self.board = board
        self.inner = inner

    @classmethod
    def opening(cls, board: str | Board) -> Position:
        """The position that a game of this board begins with. Raises BoardError."""
        opening_board = as_board(board)
        return cls(opening_board, opening_board.inner.start)

    @classmethod
    def from_json(cls, board: str | Board, data: Mapping[str, Any]) -> Position:
        """The position in an object of the JSON of `adjudicate` (docs/contract.md). Its orders are passed
        over. Raises PositionError, which begins with the field at fault."""
        case_board = as_board(board)
        # A text of JSON is the usual slip, and the case reader would fail on it without a sentence.
        if not isinstance(data, Mapping):
            raise PositionError("A position must be an object of JSON.")
        try:
            return cls(case_board, case_board.cases.read_position(data))
        except CaseFault as fault:
            raise PositionError(f"{fault}.") from fault

    @property
    def phase(self) -> Phase:
        """The phase that is judged next; its text is "Spring 1901 Movement"."""
        return self.inner.phase

    @property
    def units(self) -> tuple[Unit, ...]:
        """The units on the board, sorted by power and region. Dislodged ones are not among them."""
        # The judge keeps a set; a program that prints or compares needs one order.
        return tuple(sorted(map(unit_of, self.inner.units), key=lambda unit: (unit.power, unit.region)))

    @property
    def centres(self) -> Mapping[str, tuple[str, ...]]:
        """Each power with the ids of the centres it owns, sorted; powers without any have none."""
        owned = self.inner.centres
        return MappingProxyType({power: tuple(sorted(owned.get(power, ()))) for power in self.board.powers})

    @property
    def dislodged(self) -> tuple[Dislodgement, ...]:
        """The units that must retreat in this phase."""
        return tuple(map(dislodgement_of, self.inner.dislodged))

    @property
    def contested(self) -> tuple[str, ...]:
        """The provinces that a standoff left empty, where no one may retreat; sorted."""
        return tuple(sorted(self.inner.contested))

    @property
    def adjustments(self) -> Mapping[str, int]:
        """In an adjustment phase, the builds (+) or removals (-) due to each power that has any; otherwise
        empty."""
        inner, variant = self.inner, self.board.inner
        if inner.phase.kind is not PhaseKind.ADJUSTMENT:
            return MappingProxyType({})
        due = builds_due(variant.context(), variant.rules, inner.centres, inner.units, inner.memory)
        return MappingProxyType(due)

    def read_orders(self, power: str, orders: SheetLike) -> tuple[Order, ...]:
        """The orders of one power for this phase, as values. Text needs the grammar's packages, values and
        JSON do not. Raises OrderError, BoardError and MissingLibraryError."""
        author = self.board.power(power)
        if isinstance(orders, str):
            return self._parsed(author, orders)
        read: list[Order] = []
        listed: Iterable[OrderLike] = (orders,) if isinstance(orders, Order | Mapping) else orders
        for order in listed:
            if isinstance(order, str):
                read += self._parsed(author, order)
                continue
            value = self._order(order, author)
            if value.power != author:
                raise OrderError(f"This is an order of {value.power}, and not of {author}: {value}.")
            read.append(value)
        return tuple(read)

    def judge(
        self, orders: Mapping[str, SheetLike] | Iterable[Order | Mapping[str, Any]] = (),
        lots: Sequence[int] = (),
    ) -> Resolution:
        """Judge the phase: what becomes of each order, and the position that follows.

        `orders`: each power with its orders, or everybody's orders as values or JSON. A fault in them is an
        outcome ("void"), not an error. `lots`: whole numbers for rules that draw lots; a draw among n things
        takes the next number modulo n. The same arguments always give the same resolution. Raises LotsError
        if there are too few numbers, and as `read_orders` for what is not an order at all.
        """
        # A text is iterable, and each of its letters would be refused as an order.
        if isinstance(orders, str):
            raise _nobodys(orders)
        if isinstance(orders, Mapping):
            read = tuple(order for power, sheet in orders.items() for order in self.read_orders(power, sheet))
        else:
            # Most orders are values of this very board: a program judges the same ones many times.
            board = self.board
            read = tuple(
                order if type(order) is Order and order.board is board else self._order(order)
                for order in orders)
        variant = self.board.inner
        inner_orders = [order.inner for order in read]
        try:
            resolution = judges.judge(
                variant.context(), variant.rules, self.inner, inner_orders, Lots(tuple(lots)))
        # `TapeTooShortError` of the judge is one.
        except IndexError as error:
            raise LotsError(f"{self.phase} draws lots, and {len(lots)} numbers are too few; give at most "
                            f"{variant.rules.LOTS}.") from error
        return Resolution(self, read, resolution)

    def legal_orders(
        self, power_or_unit: str | Unit, *, longest_convoy: int | None = None
    ) -> tuple[LegalOrder, ...]:
        """Every order that a power may give for this phase, or that may be given to one unit: all that the
        judge does not call void, whatever others order. Nothing is weighed.

        Where an order has a number (grain, supply), `counts` are the numbers that may be in it. A coast is
        named where the unit needs one, and supports name none. `longest_convoy` leaves out convoys over more
        fleets than that: where all seas are full there are very many. Raises BoardError for an unknown power
        and PositionError for a unit that is neither on the board nor must retreat.
        """
        units = {unit_of(unit): unit for unit in (
            *self.inner.units, *(dislodged.unit for dislodged in self.inner.dislodged))}
        if isinstance(power_or_unit, Unit) and power_or_unit not in units:
            raise PositionError(f"There is no unit {power_or_unit} here.")
        unit = units[power_or_unit] if isinstance(power_or_unit, Unit) else None
        power = self.board.power(power_or_unit) if isinstance(power_or_unit, str) else power_or_unit.power
        variant = self.board.inner
        return tuple(
            LegalOrder(self.board, legal) for legal in legality.legal_orders(
                variant.context(), variant.rules, self.inner, power, unit, longest_convoy))

    def to_json(self) -> dict[str, Any]:
        """The position as an object of the JSON of `adjudicate`; inverse of `from_json`."""
        return write_position(self.inner)

    def _order(self, order: OrderLike, author: str | None = None) -> Order:
        if type(order) is dict and author is None:
            return Order.from_json(self.board, order)
        if isinstance(order, str):
            raise _nobodys(order)
        if isinstance(order, Mapping):
            known = {} if author is None else {"power": author}
            return Order.from_json(self.board, {**known, **order})
        if not isinstance(order, Order):
            raise OrderError(f"{order!r} is not an order; an order is a text, an object of JSON or an Order.")
        if order.board != self.board:
            raise OrderError(f"This is an order for the board {order.board.name}: {order}.")
        return order

    def _parsed(self, author: str, text: str) -> tuple[Order, ...]:
        return parse_orders(text, board=self.board, power=author, phase=self.phase.kind.value)

    def __str__(self) -> str:
        """The phase, then a line for each power with units or centres, then a line for each dislodged
        unit."""
        rows = [str(self.phase)]
        units = self.units
        for power, centres in self.centres.items():
            named = [f"{unit.kind} {unit.region}" for unit in units if unit.power == power]
            if named or centres:
                count = f"{len(centres)} centre{'' if len(centres) == 1 else 's'}"
                rows.append(f"{power}: {', '.join(named) or 'no units'}; {count}")
        return "\n".join([*rows, *(f"Dislodged: {dislodged}" for dislodged in self.dislodged)])

    def __repr__(self) -> str:
        return f"<Position {self.board.name}: {self.phase}, {len(self.inner.units)} units>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.board == other.board and self.inner == other.inner

    def __hash__(self) -> int:
        # Centres and memory are mappings without a hash; equal positions have equal units, which is enough.
        return hash((self.inner.phase, self.inner.units))


def _nobodys(text: str) -> OrderError:
    return OrderError(f"{text!r} has no power; give orders as text by power: "
                      f"{{power: [text, ...]}}.", text)


class LegalOrder:
    """An order that is legal in a position, and the numbers that may be in it: `counts` is None for an
    order without a number, and else the order has the least of them."""

    __slots__ = ("counts", "inner", "order")

    def __init__(self, board: Board, inner: legality.LegalOrder) -> None:
        self.order = Order(board, inner.order)
        self.counts = inner.counts
        self.inner = inner

    def with_count(self, count: int) -> Order:
        """The order with another of its numbers. Raises OrderError for a number that is not among them."""
        try:
            return Order(self.order.board, self.inner.with_count(count))
        except ValueError as fault:
            raise OrderError(f"{self.order}: {fault}.") from fault

    def __str__(self) -> str:
        if self.counts is None or len(self.counts) == 1:
            return str(self.order)
        return f"{self.order} (up to {self.counts[-1]})"

    def __repr__(self) -> str:
        return f"<LegalOrder {self.order.power}: {self}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LegalOrder):
            return NotImplemented
        return self.order == other.order and self.counts == other.counts

    def __hash__(self) -> int:
        return hash(self.order)


class Outcome:
    """The outcome of one order. Outcomes compare by content."""

    __slots__ = ("inner", "order")

    def __init__(self, order: Order, inner: outcome.Outcome) -> None:
        self.order = order
        self.inner = inner

    @property
    def result(self) -> Result:
        """It is "succeeds", "fails" or "void"."""
        return self.inner.result

    @property
    def reason(self) -> str | None:
        """The word for why not ("bounced", "cut", "illegal" ...), or None."""
        return self.inner.reason

    @property
    def why(self) -> str:
        """A sentence for players; made when it is read."""
        return self.inner.why

    @property
    def dislodged(self) -> bool:
        """True if the ordered unit was dislodged."""
        return self.inner.dislodged

    def __str__(self) -> str:
        return f"{self.order.power} {self.order} {self.result}: {self.why}"

    def __repr__(self) -> str:
        reason = f" ({self.reason})" if self.reason else ""
        return f"<Outcome {self.order.power} {self.order}: {self.result}{reason}>"

    def __eq__(self, other: object) -> bool:
        return self._said() == other._said() if isinstance(other, Outcome) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.order, self.result, self.reason))

    def _said(self) -> tuple[object, ...]:
        return self.order, self.result, self.reason, self.dislodged, self.why


class Resolution:
    """A judged phase: the orders and what became of them, and the position that follows. Resolutions never
    change and compare by content. `to_json` adds the details of one kind of phase or one game.
    """

    __slots__ = ("_answer", "before", "inner", "orders", "position")

    def __init__(
        self, before: Position, orders: tuple[Order, ...], inner: outcome.Resolution,
        answered: Mapping[str, Any] | None = None,
    ) -> None:
        """`answered` is the answer as a saved game has it, which need not be today's."""
        self.before = before
        self.orders = orders
        self.inner = inner
        self.position = Position(before.board, inner.position)
        self._answer = answered

    @property
    def board(self) -> Board:
        """The board it was judged on."""
        return self.before.board

    @property
    def lots_used(self) -> int:
        """How many numbers were drawn."""
        return self.inner.lots_used

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The outcome of each order, in the order given."""
        return tuple(map(Outcome, self.orders, self.inner.outcomes))

    @property
    def dislodged(self) -> tuple[Dislodgement, ...]:
        """The units that were dislodged in a movement phase and must retreat."""
        return self.position.dislodged

    @property
    def unordered(self) -> tuple[Unit, ...]:
        """The units that held in a movement phase because nothing was ordered for them."""
        return tuple(map(unit_of, self.inner.unordered))

    @property
    def disbanded(self) -> tuple[Unit, ...]:
        """The units that left the board in a retreat phase, or in a movement phase without a place to go, or
        by a rule that destroys them at once."""
        return tuple(map(unit_of, self.inner.disbanded))

    @property
    def removed(self) -> tuple[Unit, ...]:
        """The units that an adjustment phase took off the board: by order, by lot or as the rules name
        them."""
        return tuple(map(unit_of, self.inner.removed))

    @property
    def winners(self) -> tuple[str, ...]:
        """The power that has won, or the powers that win together; empty while the game goes on."""
        return self.inner.joint if self.inner.winner is None else (self.inner.winner,)

    @property
    def draw_open_to(self) -> tuple[str, ...]:
        """The powers that together fulfil the rules' condition for a draw; empty if there are none."""
        return self.inner.draw_open_to or ()

    @property
    def ends_game(self) -> bool:
        """True if the game is over after this phase."""
        # On most boards the survivors may ask for a draw; on some the rules end the game (docs/rulings).
        is_drawn = bool(self.draw_open_to) and self.board.inner.rules.draw_ends_game()
        return bool(self.winners) or is_drawn

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on what happened without an order."""
        return self.inner.notes

    def to_json(self) -> dict[str, Any]:
        """The answer of `galloper adjudicate` to this phase (docs/contract.md), without an `id`."""
        # A caller may change what it gets, and a resolution never changes.
        if self._answer is not None:
            return deepcopy(dict(self._answer))
        data = answer(None, self.before.phase.kind, self.inner, self.board.inner.rules)
        del data["id"]
        return data

    def __str__(self) -> str:
        """A line for each order with what became of it, the units without an order and those that left the
        board, then the notes."""
        named = {"Without an order": self.unordered, "Disbanded": self.disbanded, "Removed": self.removed}
        units_named = [f"{label}: {', '.join(map(str, units))}" for label, units in named.items() if units]
        return "\n".join([*map(str, self.outcomes), *units_named, *self.notes])

    def __repr__(self) -> str:
        succeeded = sum(outcome.result is Result.SUCCEEDS for outcome in self.inner.outcomes)
        return f"<Resolution: {succeeded} of {len(self.orders)} orders succeed, then {self.position.phase}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Resolution):
            return NotImplemented
        return self.before == other.before and self.orders == other.orders and (
            self.position == other.position and self.to_json() == other.to_json())

    def __hash__(self) -> int:
        return hash((self.before, self.orders))
