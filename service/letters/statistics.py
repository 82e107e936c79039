"""Counts over a whole game: orders given, supports cut, bounces, proxies kept and broken, who attacked whom
(BEY-03). Each is counted from the judge's outcomes alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from adjudicator.orders import Move, Order, Proxy, SupportHold, SupportMove, UnitOrder
from adjudicator.outcome import Resolution, Result
from adjudicator.position import Position
from maps.variant import Variant
from service.games.phases import JudgedPhase, with_deployment


@dataclass(frozen=True, slots=True)
class PowerCounts:
    """The counts of one power. `orders` are all that were judged of its sheets, `void` those that were none;
    `supports` those given, `cut` those cut; `bounced` its moves that were turned back by standing; `beaten`
    its units that were dislodged. `lent`: units that it put under another's orders; `kept`: of these, those
    that the other ordered; `broken`: of these, those that the other led against the lender."""

    power: str
    orders: int = 0
    void: int = 0
    moves: int = 0
    bounced: int = 0
    supports: int = 0
    cut: int = 0
    beaten: int = 0
    lent: int = 0
    kept: int = 0
    broken: int = 0


@dataclass(frozen=True, slots=True)
class Statistics:
    """`counts` has every power in the order of the seats; `attacks` counts by attacker and attacked, both by
    name, the most first."""

    counts: tuple[PowerCounts, ...]
    attacks: tuple[tuple[str, str, int], ...]


def statistics_of(variant: Variant, phases: Sequence[JudgedPhase]) -> Statistics:
    """The counts over these phases. An attack is a move, or another order that goes somewhere, to a place
    where a unit of another power is or which another power owns; the order need not succeed."""
    counts: Counter[tuple[str, str]] = Counter()
    attacks: Counter[tuple[str, str]] = Counter()
    for judged in phases:
        phase = with_deployment(variant, judged)
        _count(variant, phase.before, phase.resolution, counts, attacks)
    names = {power.id: power.name for power in variant.powers.values()}
    fields = [name for name in PowerCounts.__dataclass_fields__ if name != "power"]
    return Statistics(
        tuple(PowerCounts(names[power], **{name: counts[power, name] for name in fields}) for power in names),
        tuple((names[attacker], names[defender], number) for (attacker, defender), number in sorted(
            attacks.items(), key=lambda item: (-item[1], item[0]))))


def _count(
    variant: Variant, before: Position, resolution: Resolution, counts: Counter[tuple[str, str]],
    attacks: Counter[tuple[str, str]]
) -> None:
    standing = {unit.region.province: unit.power for unit in before.units}
    owner = {centre: power for power, centres in before.centres.items() for centre in centres}
    lent = {outcome.order.unit.region.province: outcome.order for outcome in resolution.outcomes
            if isinstance(outcome.order, Proxy) and outcome.result is Result.SUCCEEDS}
    for proxy in lent.values():
        counts[proxy.power, "lent"] += 1
    for outcome in resolution.outcomes:
        order = outcome.order
        counts[order.power, "orders"] += 1
        if outcome.result is Result.VOID:
            counts[order.power, "void"] += 1
            continue
        if isinstance(order, Move):
            counts[order.power, "moves"] += 1
            counts[order.power, "bounced"] += outcome.reason == "bounced"
        elif isinstance(order, SupportMove | SupportHold):
            counts[order.power, "supports"] += 1
            counts[order.power, "cut"] += outcome.reason == "cut"
        attacked = _attacked(variant, before, order, standing, owner)
        if attacked is not None:
            attacks[order.power, attacked] += 1
        if isinstance(order, UnitOrder) and not isinstance(order, Proxy):
            lender = lent.get(order.unit.region.province)
            if lender is not None and lender.to_power == order.power:
                counts[lender.power, "kept"] += 1
                counts[lender.power, "broken"] += attacked == lender.power
    for lost in resolution.dislodged:
        counts[lost.unit.power, "beaten"] += 1


def _attacked(
    variant: Variant, before: Position, order: Order, standing: Mapping[str, str], owner: Mapping[str, str]
) -> str | None:
    """The power that an order goes against; None if it goes nowhere, to an own place, or to no one's."""
    if isinstance(order, Move):
        goal = order.to.province
    elif not isinstance(order, UnitOrder):
        way = variant.rules.journey(variant.context(), before, order)
        if way is None:
            return None
        goal = way[1]
    else:
        return None
    other = standing.get(goal, owner.get(goal))
    return other if other is not None and other != order.power else None
