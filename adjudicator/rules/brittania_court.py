"""Kings, alliances and what allies do for each other (WSB-14 to WSB-18), and whether a dominion has gaps
(WSB-06)."""

from __future__ import annotations

from collections.abc import Sequence

from adjudicator.geo import LAND
from adjudicator.orders import Order
from adjudicator.rules.brittania_ledger import CEREMONY, Ledger, mutual
from adjudicator.rules.brittania_realm import Ally, Battle, Swap, pair


def swap(ledger: Ledger, after: dict[str, str]) -> None:
    """Exchange states that both allies named, paid for and still hold once the fighting is over (WSB-17). A
    king in one of them rides to the other."""
    for (power, give, get), index in ledger.swaps.items():
        other = ledger.owner[get]
        partner_index = ledger.swaps.get((other, get, give))
        # The partner's half of this swap gave both orders their verdict.
        if ledger.verdicts[index] is not None:
            continue
        if partner_index is None:
            _no_swap(ledger, index, "unmatched", "swap_unasked", other)
            continue
        if (fault := _lost(ledger, after, index, partner_index)) is not None:
            for line in (index, partner_index):
                _no_swap(ledger, line, fault[0], *fault[1:])
            continue
        after[give], after[get] = other, power
        # A king in a swapped state rides to the other (docs/rulings/brittania.md, Swaps and war).
        for king, state, other_state in ((power, give, get), (other, get, give)):
            if ledger.kings.get(king) == state:
                ledger.kings[king] = other_state
        ledger.succeed(index, "swapped", give, get)
        ledger.succeed(partner_index, "swapped", get, give)


def _lost(
    ledger: Ledger, after: dict[str, str], *lines: int
) -> tuple[str, str, *tuple[str | int, ...]] | None:
    """Reason and sentence against a swap that both asked for."""
    for line in lines:
        order = ledger.orders[line]
        assert isinstance(order, Swap)
        price = ledger.price(order)
        if order.grain < price:
            return "too_little", "swap_price", order.give.province, price, order.power, order.grain
    for line in lines:
        order = ledger.orders[line]
        assert isinstance(order, Swap)
        if after[order.give.province] != order.power:
            return "lost", "swap_lost"
    return None


def _no_swap(ledger: Ledger, index: int, reason: str, *sentence: str | int) -> None:
    if reason == "unmatched":
        ledger.void(index, reason, *sentence)
    else:
        ledger.fail(index, reason, *sentence)
    # Under `unmatched_grain = "kept"` a swap that came to nothing costs nothing (WSB-17).
    ledger.refund(index, ledger.cost(ledger.orders[index]))


def flee(ledger: Ledger, after: dict[str, str]) -> frozenset[str]:
    """The powers whose kings died. A king whose state was lost flees by lot to a state next to it that was
    and is his power's own, and dies if there is none (WSB-15)."""
    dead = set()
    # By seat, because each flight may draw a lot and the tape has an order (WSB-20).
    for power in sorted(ledger.kings, key=ledger.seats.__getitem__):
        king_state = ledger.kings[power]
        if after.get(king_state) == power:
            continue
        open_to = sorted(
            state for state in ledger.holds.get(power, ()) if after[state] == power
            and ledger.in_reach(king_state, state))
        if open_to:
            ledger.kings[power] = open_to[ledger.draw(len(open_to)) if len(open_to) > 1 else 0]
            ledger.notes.append(("note_flees", power, king_state, ledger.kings[power]))
        else:
            del ledger.kings[power]
            dead.add(power)
            ledger.notes.append(("note_king_dies", power, king_state))
    return frozenset(dead)


def alliances(ledger: Ledger, fought: Sequence[Battle], dead: frozenset[str]) -> frozenset[tuple[str, str]]:
    """The alliances after the turn. One ends if its powers fought each other, lost a king or made a new one;
    those that both sides declared are added (WSB-16)."""
    enemies = {
        pair(fight.attacker, battle.defender)
        for battle in fought
        for fight in battle.fights
        if battle.defender
    }
    # Who fights the other in the turn of the ceremony, or whose king dies in it, is no ally (WSB-16).
    stillborn = {two for two in mutual(ledger) if pair(*two) in enemies or dead & set(two)}
    new = {pair(*two) for two in mutual(ledger)} - {pair(*two) for two in stillborn}
    # A power has one alliance: a new one ends the old (WSB-16).
    renewed = {power for two in new for power in two}
    continued = {
        two for two in ledger.realm.alliances
        if two not in enemies and not dead & set(two) and not renewed & set(two)
    }
    for index in ledger.declared.values():
        _tell_alliance(ledger, index, ledger.orders[index], new, {pair(*two) for two in stillborn})
    for two in sorted(ledger.realm.alliances - continued):
        ledger.notes.append(("note_alliance_ends", *two))
    return frozenset(continued | new)


def _tell_alliance(
    ledger: Ledger, index: int, order: Order, new: set[tuple[str, str]], stillborn: set[tuple[str, str]]
) -> None:
    assert isinstance(order, Ally)
    two = pair(order.power, order.to_power)
    if two in new:
        ledger.succeed(index, "allied", order.power, order.to_power)
        return
    if two in stillborn:
        ledger.fail(index, "stillborn", "alliance_stillborn", order.power, order.to_power)
    else:
        ledger.void(index, "unmatched", "not_answered", order.to_power)
    # Only the price is given back: what was written beyond 5 was never taken (`Ledger.cost`).
    ledger.refund(index, CEREMONY)


def continuous(ledger: Ledger, states: frozenset[str]) -> bool:
    """True if a dominion has no gap: its parts on one land are joined by land, those on different lands by
    a sea."""
    choice = ledger.rules.choice("continuous")
    lands = _parts(ledger, frozenset(ledger.context.board.centres()), set())
    land_number = {state: number for number, land in enumerate(lands) for state in land}
    by_sea = {
        (first, second)
        for first in states
        for second in states
        if choice != "land"
        and ledger.by_sea(first, second)
        and (choice == "any_sea" or land_number[first] != land_number[second])
    }
    is_connected = len(_parts(ledger, states, by_sea)) < 2
    if choice == "islands":
        # Along one coast a sea joins nothing (docs/rulings/brittania.md, Empire).
        return is_connected and all(len(_parts(ledger, states & land, set())) < 2 for land in lands)
    return is_connected


def _parts(ledger: Ledger, states: frozenset[str], by_sea: set[tuple[str, str]]) -> list[frozenset[str]]:
    """The pieces that states fall into, joined by land and by those pairs."""
    sea_neighbours = dict[str, set[str]]()
    for first, second in by_sea:
        sea_neighbours.setdefault(first, set()).add(second)
    left, parts = set(states), []
    while left:
        part, ends = set(), [min(left)]
        while ends:
            state = ends.pop()
            if state not in part:
                part.add(state)
                ends += (ledger.context.board.near(state, LAND) | sea_neighbours.get(state, set())) & left
        left -= part
        parts.append(frozenset(part))
    return parts
