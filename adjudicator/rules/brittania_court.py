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
        back = ledger.swaps.get((other, get, give))
        if ledger.verdicts[index] is not None:
            continue
        if back is None:
            _no_swap(ledger, index, "unmatched", "swap_unasked", other)
            continue
        if (late := _lost(ledger, after, index, back)) is not None:
            for line in (index, back):
                _no_swap(ledger, line, late[0], *late[1:])
            continue
        after[give], after[get] = other, power
        for king, here, there in ((power, give, get), (other, get, give)):
            if ledger.kings.get(king) == here:
                ledger.kings[king] = there
        ledger.succeed(index, "swapped", give, get)
        ledger.succeed(back, "swapped", get, give)


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
    ledger.refund(index, ledger.cost(ledger.orders[index]))


def flee(ledger: Ledger, after: dict[str, str]) -> frozenset[str]:
    """Kings whose states were lost flee by lot to a state beside that was and is their own; else they die
    (WSB-15). Answers with the powers whose kings died."""
    dead = set()
    for power in sorted(ledger.kings, key=ledger.seats.__getitem__):
        at = ledger.kings[power]
        if after.get(at) == power:
            continue
        open_to = sorted(
            state for state in ledger.holds[power] if after[state] == power and ledger.in_reach(at, state))
        if open_to:
            ledger.kings[power] = open_to[ledger.draw(len(open_to)) if len(open_to) > 1 else 0]
            ledger.notes.append(("note_flees", power, at, ledger.kings[power]))
        else:
            del ledger.kings[power]
            dead.add(power)
            ledger.notes.append(("note_king_dies", power, at))
    return frozenset(dead)


def alliances(ledger: Ledger, fought: Sequence[Battle], dead: frozenset[str]) -> frozenset[tuple[str, str]]:
    """The alliances after the turn: without those whose parties fought or lost a king or made a new one, with
    those that both sides declared (WSB-16)."""
    enemies = {
        pair(fight.attacker, battle.defender)
        for battle in fought
        for fight in battle.fights
        if battle.defender
    }
    stillborn = {two for two in mutual(ledger) if pair(*two) in enemies or dead & set(two)}
    new = {pair(*two) for two in mutual(ledger)} - {pair(*two) for two in stillborn}
    renewed = {power for two in new for power in two}
    kept = {
        two for two in ledger.realm.alliances
        if two not in enemies and not dead & set(two) and not renewed & set(two)
    }
    for index in ledger.declared.values():
        _tell_alliance(ledger, index, ledger.orders[index], new, {pair(*two) for two in stillborn})
    for one, other in sorted(ledger.realm.alliances - kept):
        ledger.notes.append(("note_alliance_ends", one, other))
    return frozenset(kept | new)


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
    ledger.refund(index, CEREMONY)


def continuous(ledger: Ledger, states: frozenset[str]) -> bool:
    """Whether a dominion has no gap: its parts on one land are joined by land, those on different lands by a
    sea."""
    how = ledger.rules.choice("continuous")
    lands = _parts(ledger, frozenset(ledger.context.board.centres()), set())
    land_of = {state: at for at, part in enumerate(lands) for state in part}
    by_sea = {
        (here, there)
        for here in states
        for there in states
        if how != "land"
        and ledger.by_sea(here, there)
        and (how == "any_sea" or land_of[here] != land_of[there])
    }
    whole = len(_parts(ledger, states, by_sea)) < 2
    if how == "islands":
        return whole and all(len(_parts(ledger, states & land, set())) < 2 for land in lands)
    return whole


def _parts(ledger: Ledger, states: frozenset[str], by_sea: set[tuple[str, str]]) -> list[frozenset[str]]:
    """The pieces that states fall into, joined by land and by those pairs."""
    over = dict[str, set[str]]()
    for here, there in by_sea:
        over.setdefault(here, set()).add(there)
    left, found = set(states), []
    while left:
        part, ends = set(), [min(left)]
        while ends:
            at = ends.pop()
            if at not in part:
                part.add(at)
                ends += (ledger.context.board.near(at, LAND) | over.get(at, set())) & left
        left -= part
        found.append(frozenset(part))
    return found
