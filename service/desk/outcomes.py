"""Judged orders grouped for the results page: failures first, each group with a title."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adjudicator.outcome import Result
from service.games.results import ShownOrder, ShownPower

_GROUPS = (
    ("fails", "Failed", "✗", (Result.FAILS,)), ("void", "Void", "○", (Result.VOID,)),
    ("succeeds", "Succeeded", "✓", (Result.SUCCEEDS,)),
)


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
    """Counts over all powers: orders by result, lines nobody could read ("unread"), units without an order
    ("without_order")."""
    ends = [Result(order.result) for power in powers for order in power.orders]
    counts = {
        title.lower(): sum(ends.count(result) for result in results) for _, title, _, results in _GROUPS
    }
    return counts | {
        "orders": len(ends), "unread": sum(len(power.void) for power in powers),
        "without_order": sum(len(power.without_order) for power in powers),
    }
