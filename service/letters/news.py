"""The opening of results: the few lines that every player looks for first, and how the reader's own orders
went (LET-07). Pure: facts in, values out; the words are in `templates/mail/_news.jinja`."""

from __future__ import annotations

from dataclasses import dataclass

from service.games.results import ShownPower
from service.letters.facts import ResultsFacts


@dataclass(frozen=True, slots=True)
class News:
    """`turned_back` are units whose move failed, each with its power; `silent` are powers of whom nothing
    came, `set_aside` those of whom something came and nothing counts; `changed` has for each power the
    centres that it won and lost; `is_quiet` if there is nothing of all that."""

    turned_back: tuple[tuple[str, str], ...]
    silent: tuple[str, ...]
    set_aside: tuple[str, ...]
    changed: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]
    is_quiet: bool


@dataclass(frozen=True, slots=True)
class OwnOrders:
    """How the reader's orders went: how many were written, how many of them did not go as written, and the
    reader's units that are dislodged."""

    written: int
    wrong: int
    dislodged: tuple[str, ...]


def news_of(facts: ResultsFacts) -> News:
    """The news of a phase, the same for every reader who may know the same."""
    # A unit that is dislodged has its own line. Some of these lost one against two: they did not stand
    # anybody off.
    turned_back = tuple(
        (order.unit, power.power) for power in facts.powers for order in power.orders
        if order.unit and order.mark.startswith("bounced") and not order.dislodged
    )
    silent = tuple(power.power for power in facts.powers if not power.sheet and not power.set_aside)
    set_aside = tuple(power.power for power in facts.powers if power.set_aside)
    changed = tuple((holding.power, holding.gained, holding.lost) for holding in facts.standings.holdings
                    if holding.gained or holding.lost)
    units, standings = facts.units, facts.standings
    happened = (turned_back, silent, set_aside, changed,
                units.dislodged, units.disbanded, units.built, units.removed,
                units.by_rule, units.by_lot, standings.winner, standings.joint_winners)
    return News(turned_back, silent, set_aside, changed, not any(happened))


def own_orders(facts: ResultsFacts, power: str) -> OwnOrders | None:
    """The reader's own orders; None if the results name none, and no unit, of theirs."""
    shown = next((shown for shown in facts.powers if shown.power == power), None)
    if shown is None or not (shown.orders or shown.void or shown.without_order):
        return None
    return OwnOrders(
        len(shown.orders) + len(shown.void),
        sum(not order.went_well for order in shown.orders) + len(shown.void),
        (*(order.unit for order in shown.orders if order.dislodged), *shown.dislodged),
    )


def sections(facts: ResultsFacts, power: str = "") -> tuple[ShownPower, ...]:
    """Every power's part of the results, that of the reader's own `power` before the others. Several powers
    without a sheet and without news have none: the news names them."""
    # In a Winter nine players who had nothing to build each had a heading with "No sheet was received".
    empty = tuple(shown.power for shown in facts.powers if shown.power != power and not (
        shown.sheet or shown.orders or shown.void or shown.without_order or shown.set_aside))
    left_out = empty if len(empty) > 1 else ()
    return tuple(sorted((shown for shown in facts.powers if shown.power not in left_out),
                        key=lambda shown: shown.power != power))
