"""The orders of a turn of Brittania: checked, paid for from each power's grain, and entered by kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Explainer, Sentence
from adjudicator.geo import LAND
from adjudicator.lots import Lots
from adjudicator.orders import Order
from adjudicator.outcome import Result
from adjudicator.position import Position
from adjudicator.rules.brittania_realm import (
    KING,
    Ally,
    Claim,
    Conquer,
    Defend,
    Invest,
    MoveKing,
    Realm,
    Send,
    Spend,
    Swap,
    pair,
)
from adjudicator.ruleset import Ruleset

CROSSING = 5
"""Grain that an attack or a gift across a sea costs, which neither fights nor arrives (WSB-18, WSB-19)."""
CEREMONY = 5
"""Grain that an alliance costs each side (WSB-16)."""

Verdict = tuple[Result, str | None, Sentence]


@dataclass(slots=True)
class Attack:
    """One power's attack on one state: the grain that fights, whether the king is with it, and its lines."""

    grain: int = 0
    king: bool = False
    lines: list[int] = field(default_factory=list)


class Ledger:
    """The worksheet of one turn. `owner` and `holds` are those of its start. `left` is the grain that each
    power has not spent yet, `kings` where the kings are after their moves, `kings_with_armies` the powers
    whose kings were ordered with an army, `lots` the rest of the tape."""

    def __init__(
        self, context: Context, rules: Ruleset, position: Position, realm: Realm, orders: Sequence[Order],
        lots: Lots
    ) -> None:
        self.context = context
        self.rules = rules
        self.realm = realm
        self.orders = orders
        self.lots = lots
        self.words = Explainer(context, rules)
        self.verdicts: list[Verdict | None] = [None] * len(orders)
        self.notes: list[Sentence] = []
        self.owner = {state: power for power, states in position.centres.items() for state in states}
        # A power without a state is in no table: it can only pick a capital (WSB-01).
        self.holds = {power: frozenset(states) for power, states in position.centres.items() if states}
        self.seats = {power: seat for seat, power in enumerate(context.powers)}
        self.kings = {unit.power: unit.region.province for unit in position.units if unit.kind == KING}
        self.left = {power: realm.grain.get(power, 0) for power in self.holds}
        self.defences: dict[str, list[int]] = {}
        self.investments: dict[str, list[int]] = {}
        self.attacks: dict[str, dict[str, Attack]] = {}
        self.declared: dict[str, int] = {}
        self.swaps: dict[tuple[str, str, str], int] = {}
        self.gifts: list[tuple[int, int]] = []
        self.claims: dict[str, int] = {}
        self.king_used: set[str] = set()
        self.kings_with_armies: set[str] = set()

    # The ground

    def by_land(self, state: str, other: str) -> bool:
        """Whether two states share a border."""
        return other in self.context.board.near(state, LAND)

    def by_sea(self, state: str, other: str) -> bool:
        """Whether one numbered sea touches both states."""
        waters = self.context.tables.waters
        return bool(waters.get(state, frozenset()) & waters.get(other, frozenset()))

    def way(self, power: str, state: str) -> int | None:
        """Grain that the way from a power's states to another state costs: 0 over land, 5 over sea, None if
        there is no way."""
        if any(self.by_land(held, state) for held in self.holds[power]):
            return 0
        return CROSSING if any(self.by_sea(held, state) for held in self.holds[power]) else None

    def draw(self, among: int) -> int:
        """The next lot: a number from 0 to `among` - 1."""
        lot, self.lots = self.lots.draw(among)
        return lot

    # Orders

    def read(self) -> None:
        """Give every order its verdict or its entry. Powers do not depend on each other here; one power's
        orders are paid for in the order written."""
        lines: dict[str, list[int]] = {}
        for index, order in enumerate(self.orders):
            if self.rules.accepts_order(order, PhaseKind.TURN):
                lines.setdefault(order.power, []).append(index)
            else:
                self.void(index, "illegal", "no_turn_order")
        for power, indexes in lines.items():
            legal = [index for index in indexes if self._legal(index)]
            if self._overspent(power, legal):
                continue
            for index in legal:
                self._pay(power, index)
        # Last, because the lines of one attack share one crossing (docs/rulings/brittania.md, Several lines).
        self._drop_empty_crossings()

    def void(self, index: int, reason: str, *sentence: Any) -> None:
        """An order that counts for nothing."""
        self.verdicts[index] = Result.VOID, reason, sentence

    def fail(self, index: int, reason: str, *sentence: Any) -> None:
        """An order that was tried and came to nothing."""
        self.verdicts[index] = Result.FAILS, reason, sentence

    def succeed(self, index: int, *sentence: Any) -> None:
        """An order that did what it states."""
        self.verdicts[index] = Result.SUCCEEDS, None, sentence

    def refund(self, index: int, grain: int) -> None:
        """Give back what an order was to spend, if the rules say so (`unmatched_grain`)."""
        if self.rules.choice("unmatched_grain") == "kept":
            self.left[self.orders[index].power] += grain

    def _legal(self, index: int) -> bool:
        order = self.orders[index]
        if isinstance(order, Claim):
            fault = _check_claim(self, order)
        elif order.power not in self.holds:
            fault = ("no_states", order.power)
        elif getattr(order, "grain", 1) < 1:
            fault = ("no_grain_given",)
        else:
            fault = _CHECKS[type(order)](self, order)
        if fault is not None:
            self.void(index, "illegal", *fault)
        return fault is None

    def cost(self, order: Order) -> int:
        """The grain an order takes from its power's store."""
        match order:
            case Ally():
                return CEREMONY
            case Swap():
                # What is written beyond the price is not spent (docs/rulings/brittania.md, Q-64).
                return min(order.grain, self.price(order))
            case _:
                return int(getattr(order, "grain", 0))

    def price(self, order: Swap) -> int:
        """What a swap takes from the power that orders it (Q-64)."""
        pays_for_given = self.rules.choice("swap_price") == "given"
        return self.realm.yields((order.give if pays_for_given else order.get).province)

    def _overspent(self, power: str, indexes: Sequence[int]) -> bool:
        total_cost = sum(self.cost(self.orders[index]) for index in indexes)
        has = self.left.get(power, 0)
        if self.rules.choice("overspending") == "in_order" or total_cost <= has:
            return False
        for index in indexes:
            self.void(index, "no_grain", "overspent", power, has, total_cost)
        return True

    def _pay(self, power: str, index: int) -> None:
        order = self.orders[index]
        cost = self.cost(order)
        left = self.left.get(power, 0)
        if cost > left:
            self.void(index, "no_grain", "no_grain_left", power, left, self.realm.grain.get(power, 0), cost)
        elif _ENTRIES[type(order)](self, index, order):
            self.left[power] = left - cost

    def enter_spend(self, index: int, order: Spend) -> bool:
        """Defence and investment."""
        table = self.defences if isinstance(order, Defend) else self.investments
        table.setdefault(order.state.province, []).append(index)
        return True

    def enter_conquest(self, index: int, order: Conquer) -> bool:
        """All grain for one state is one attack, on however many lines it is written."""
        state = order.state.province
        attack = self.attacks.setdefault(state, {}).setdefault(order.power, Attack())
        attack.grain += order.grain
        attack.lines.append(index)
        if order.king and not attack.king:
            attack.king = self._king_joins(order.power, state)
            # The attack goes on without him (docs/rulings/brittania.md, Where a king may be).
            if not attack.king:
                self.notes.append(("note_king_stays_out", order.power, state))
        return True

    def _king_joins(self, power: str, state: str) -> bool:
        king_state = self.kings.get(power)
        joins = king_state is not None and power not in self.king_used and self.in_reach(king_state, state)
        if joins:
            self.king_used.add(power)
            self.kings_with_armies.add(power)
        return joins

    def in_reach(self, state: str, other: str) -> bool:
        """Whether a king can act from one state in another."""
        over_sea = self.rules.choice("king_reach") == "land_and_sea" and self.by_sea(state, other)
        return state != other and (over_sea or self.by_land(state, other))

    def enter_king(self, index: int, order: MoveKing) -> bool:
        """A king goes one way a turn."""
        power, state = order.power, order.state.province
        if power in self.king_used:
            self.void(index, "illegal", "king_busy", power)
            return False
        self.king_used.add(power)
        self.kings[power] = state
        self.succeed(index, "king_goes", state)
        return True

    def enter_alliance(self, index: int, order: Ally) -> bool:
        """One ceremony a turn."""
        if order.power in self.declared:
            self.void(index, "illegal", "one_ceremony", order.power)
            return False
        self.declared[order.power] = index
        return True

    def enter_swap(self, index: int, order: Swap) -> bool:
        """Swaps are stored by power and the two states, in the order in which it names them."""
        key = order.power, order.give.province, order.get.province
        # The same swap written twice: the partner's order answers the first.
        if key in self.swaps:
            self.void(index, "illegal", "swap_unasked", self.owner[order.get.province])
            return False
        self.swaps[key] = index
        return True

    def enter_gift(self, index: int, order: Send) -> bool:
        """Gifts arrive next turn, less what a crossing takes."""
        # By land as soon as any two states of the allies touch (docs/rulings/brittania.md, Gifts).
        over_sea = not _neighbours(self, order.power, order.to_power, self.by_land)
        self.gifts.append((index, order.grain - (CROSSING if over_sea else 0)))
        name = "sent_over_sea" if over_sea else "sent"
        self.succeed(index, name, self.gifts[-1][1], order.to_power)
        return True

    def enter_claim(self, index: int, order: Claim) -> bool:
        """One capital a power."""
        if order.power in self.claims:
            self.void(index, "illegal", "picked_twice", order.power)
            return False
        self.claims[order.power] = index
        return True

    def _drop_empty_crossings(self) -> None:
        """Attacks over sea that have no grain left after the crossing are not made, and cost nothing."""
        for state, attacks in list(self.attacks.items()):
            for power, attack in list(attacks.items()):
                attack.grain -= self.way(power, state) or 0
                if attack.grain < 1:
                    for index in attack.lines:
                        self.void(index, "illegal", "all_on_crossing", state)
                        self.left[power] += self.cost(self.orders[index])
                    del attacks[power]
            if not attacks:
                del self.attacks[state]


Check = Sentence | None


def _check_own(ledger: Ledger, order: Spend) -> Check:
    state = order.state.province
    return None if ledger.owner.get(state) == order.power else ("not_own_state", state, order.power)


def _check_conquest(ledger: Ledger, order: Conquer) -> Check:
    state, power = order.state.province, order.power
    province = ledger.context.board.provinces.get(state)
    if province is None or province.is_sea:
        return ("no_state", state)
    if ledger.owner.get(state) == power:
        return ("own_already", state, power)
    return ("out_of_reach", state, power) if ledger.way(power, state) is None else None


def _check_king(ledger: Ledger, order: MoveKing) -> Check:
    state, power = order.state.province, order.power
    king_state = ledger.kings.get(power)
    if king_state is None:
        return ("no_king", power)
    if ledger.owner.get(state) != power:
        return ("not_own_state", state, power)
    if king_state == state:
        return ("king_is_there", state)
    if ledger.by_land(king_state, state) or ledger.by_sea(king_state, state):
        return None
    return ("king_too_far", state, king_state)


def _check_partner(ledger: Ledger, order: Ally | Send) -> Check:
    if order.to_power == order.power:
        return ("with_itself", order.power)
    return None if order.to_power in ledger.holds else ("no_such_power", order.to_power)


def _check_alliance(ledger: Ledger, order: Ally) -> Check:
    if (fault := _check_partner(ledger, order)) is not None:
        return fault
    if ledger.realm.allied(order.power, order.to_power):
        return ("allied_already", order.power, order.to_power)
    return ("alliance_price", order.grain) if order.grain < CEREMONY else None


def _check_swap(ledger: Ledger, order: Swap) -> Check:
    give, get = order.give.province, order.get.province
    other = ledger.owner.get(get)
    capital = next((state for state in (give, get) if state in ledger.realm.capitals.values()), None)
    if ledger.owner.get(give) != order.power:
        return ("not_own_state", give, order.power)
    if other is None or other == order.power:
        return ("not_theirs", get)
    if capital is not None:
        return ("capital_stays", capital)
    return None if ledger.realm.allied(order.power, other) else ("not_allied", order.power, other)


def _check_gift(ledger: Ledger, order: Send) -> Check:
    if (fault := _check_partner(ledger, order)) is not None:
        return fault
    if not ledger.realm.allied(order.power, order.to_power):
        return ("not_allied", order.power, order.to_power)
    if _neighbours(ledger, order.power, order.to_power, ledger.by_land):
        return None
    if not _neighbours(ledger, order.power, order.to_power, ledger.by_sea):
        return ("not_neighbours", order.power, order.to_power)
    # A gift of 5 over a sea pays the crossing, and nothing arrives (WSB-18).
    return ("all_on_shipping", order.to_power) if order.grain <= CROSSING else None


def _check_claim(ledger: Ledger, order: Claim) -> Check:
    state = order.state.province
    province = ledger.context.board.provinces.get(state)
    if order.power in ledger.holds:
        return ("has_states", order.power)
    if province is None or province.is_sea:
        return ("no_state", state)
    return ("not_independent", state) if state in ledger.owner else None


def _neighbours(ledger: Ledger, power: str, other: str, joined: Callable[[str, str], bool]) -> bool:
    return any(
        joined(state, other_state) for state in ledger.holds[power]
        for other_state in ledger.holds[other])


def mutual(ledger: Ledger) -> Iterator[tuple[str, str]]:
    """Pairs of powers that declared an alliance with each other, each pair once."""
    for power, index in ledger.declared.items():
        order = ledger.orders[index]
        assert isinstance(order, Ally)
        answer = ledger.declared.get(order.to_power)
        answer_order = ledger.orders[answer] if answer is not None else None
        is_answered = isinstance(answer_order, Ally) and answer_order.to_power == power
        # Of the two directions of a pair only the sorted one is given.
        if is_answered and pair(power, order.to_power)[0] == power:
            yield power, order.to_power


_CHECKS: Mapping[type[Order], Callable[[Ledger, Any], Check]] = {
    Defend: _check_own, Invest: _check_own, Conquer: _check_conquest, MoveKing: _check_king,
    Ally: _check_alliance,
    Swap: _check_swap, Send: _check_gift,
}
_ENTRIES: Mapping[type[Order], Callable[[Ledger, int, Any], bool]] = {
    Defend: Ledger.enter_spend, Invest: Ledger.enter_spend, Conquer: Ledger.enter_conquest,
    MoveKing: Ledger.enter_king,
    Ally: Ledger.enter_alliance, Swap: Ledger.enter_swap, Send: Ledger.enter_gift, Claim: Ledger.enter_claim,
}
