"""Judged orders as the results page groups them: what went wrong first, each group named in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adjudicator.outcome import Result
from service.games.results import ShownOrder, ShownPower

_GROUPS = (
    ("fails", "Failed", "✗", (Result.FAILS,)),
    ("void", "Void", "○", (Result.VOID,)),
    ("succeeds", "Succeeded", "✓", (Result.SUCCEEDS,)),
)


@dataclass(frozen=True, slots=True)
class Group:
    """Orders of one power with the same end. `kind` is a word for style sheets, `title` and `sign` are for
    people."""

    kind: str
    title: str
    sign: str
    orders: tuple[ShownOrder, ...]


@dataclass(frozen=True, slots=True)
class PowerGroups:
    """One power's results, groups without orders left out."""

    shown: ShownPower
    groups: tuple[Group, ...]


def grouped(power: ShownPower) -> PowerGroups:
    """A power's orders by what became of them, failures first."""
    groups = tuple(
        Group(kind, title, sign, tuple(order for order in power.orders if Result(order.result) in results))
        for kind, title, sign, results in _GROUPS
    )
    return PowerGroups(power, tuple(group for group in groups if group.orders))


def totals(powers: Sequence[ShownPower]) -> dict[str, int]:
    """How many orders came to which end over all powers, lines nobody could read, and units without an
    order."""
    ends = [Result(order.result) for power in powers for order in power.orders]
    counts = {title.lower(): sum(ends.count(result) for result in results) for _, title, _, results in _GROUPS}
    return counts | {
        "orders": len(ends), "unread": sum(len(power.void) for power in powers),
        "silent": sum(len(power.silent) for power in powers),
    }
