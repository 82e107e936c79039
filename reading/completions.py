"""Words that the edit box completes: every name of the board in every spelling, and the words of its order
forms.

Lexical only: all names of the board are always offered, in any position.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations, permutations

from adjudicator.calendar import PhaseKind
from adjudicator.geo import LAND, SEA
from adjudicator.orders import (
    Build,
    Convert,
    Convoy,
    Disband,
    Hold,
    Move,
    MoveHome,
    Order,
    Proxy,
    Remove,
    Retreat,
    SendSupply,
    SupportHold,
    SupportMove,
    Waive,
)
from grammar.fragments.languages import LANGUAGES
from grammar.nearest_orders import nearest_orders
from maps.variant import Variant
from reading.vocabulary import candidate_json, forms_of, lexicon_of, parse_typed

_VERBS: Mapping[type[Order], tuple[str, ...]] = {
    Move: ("moves to", "via convoy"), Hold: ("holds",), SupportHold: ("supports",),
    SupportMove: ("supports", "to"),
    Convoy: ("convoys", "to"), Convert: ("converts to",), Proxy: ("is under the orders of",),
    Retreat: ("retreats to",),
    Disband: ("disbands",), Build: ("Build",), Remove: ("Remove", "disbands"),
    SendSupply: ("Send", "supply to"), MoveHome: ("Home",), Waive: ("Waive",),
}
"""Words between names in the handbook's prose. An order of one rule set only brings its own words."""
_EXAMPLES: Mapping[PhaseKind, tuple[tuple[str, str], ...]] = {
    PhaseKind.MOVEMENT: (
        ("A {a} H", "the army there holds"), ("A {a} - {b}", "it moves; F for a fleet"),
        ("F {c} S A {a}", "the fleet supports the army where it is"),
        ("F {c} S A {a} - {b}", "the fleet supports the army’s move"),
        ("F {c} C A {a} - {b}", "the fleet convoys the army"),
        ("A {a} - {b} via convoy", "the army goes by convoy")),
    PhaseKind.RETREAT: (("A {a} - {b}", "the army retreats"), ("A {a} D", "it disbands")),
    PhaseKind.ADJUSTMENT: (("Build A {a}", "an army is built"), ("Remove A {a}", "it is removed")),
}
"""Orders as they may be typed in any game, each with its meaning; {a}, {b}, {c} are provinces, as
`_example_places` chooses them, and {p} is a power."""
_BLANK = re.compile(r"\{\w+\}")
_SHORT_NAME, _SHORT_SEA = 9, 16
"""Most letters of the name of a land province, and of a sea, in an example."""


@dataclass(frozen=True, slots=True)
class Completions:
    """What may be completed. `names`: pairs of a spelling that a person may begin to type, and the name that
    it means. `verbs` and `units` complete to themselves. `written`: orders as one may type them, each with
    its meaning."""

    names: tuple[tuple[str, str], ...] = ()
    verbs: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    written: tuple[tuple[str, str], ...] = ()


def words_of(variant: Variant, kind: PhaseKind) -> Completions:
    """The words of one board and phase kind."""
    board = variant.board
    spelled: dict[tuple[str, str], None] = {}
    for row in variant.names:
        province = board.provinces.get(row.region.province)
        name = row.region.province if province is None else province.name
        full = name if row.region.coast is None else f"{name}/{row.region.coast}"
        spelled[row.text, full] = None
    for province in board.provinces.values():
        spelled[province.name, province.name] = None
        for coast in province.coasts:
            spelled[f"{province.name}/{coast.id}", f"{province.name}/{coast.id}"] = None
    for power in variant.powers.values():
        for text in (power.name, *power.aliases, *([power.person] if power.person else [])):
            spelled[text, power.name] = None
    return Completions(tuple(spelled), _verbs(variant, kind), tuple(k.name for k in variant.kinds.values()),
                 written(variant, kind))


def _verbs(variant: Variant, kind: PhaseKind) -> tuple[str, ...]:
    """The words between names in the orders of a phase by these rules."""
    orders = sorted(variant.rules.ORDERS.get(kind, ()), key=lambda order: order.__name__)
    pieces = (piece.strip() for order in orders for piece in (_VERBS.get(order) or _BLANK.split(order.TERSE)))
    return tuple(dict.fromkeys(piece for piece in pieces if piece))


def written(variant: Variant, kind: PhaseKind) -> tuple[tuple[str, str], ...]:
    """Examples of short orders, each with its meaning, for a person who has never written one. The board's
    tables allow each of them, wherever units stand."""
    places = _example_places(variant, kind)
    if not places or not variant.powers:
        return ()
    first, *others = variant.powers.values()
    filled = {**places, "p": (others or [first])[0].name}
    examples = [
        (order.format(**filled), meaning.format(**filled))
        for order, meaning in (*_EXAMPLES.get(kind, ()), *variant.rules.EXAMPLES.get(kind, ()))
    ]
    # Only examples that are understood here.
    return tuple(pair for pair in examples if _is_order(variant, kind, first.id, pair[0]))


def written_in(variant: Variant, language: str) -> tuple[str, ...]:
    """Examples of movement orders in the words of another language, whether or not a game takes them. The
    board's tables allow each of them; empty for a board that has no such places."""
    kind = next(kind for _, kind in variant.calendar.steps if kind in {PhaseKind.MOVEMENT, PhaseKind.TURN})
    places = _example_places(variant, kind)
    if not places:
        return ()
    taken, power = replace(variant, languages=(language,)), next(iter(variant.powers))
    examples = [example.format(**places) for example in LANGUAGES[language].examples]
    return tuple(text for text in examples if _is_order(taken, kind, power, text))


def _example_places(variant: Variant, kind: PhaseKind) -> Mapping[str, str]:
    """The names for the blanks of examples, empty for a board that has none: `a` and `b` are neighbours on a
    coast, or two home centres of one power where units are built; a fleet goes from the sea `c` to both."""
    # The first in the order of the alphabet that the map allows, the same for every power and position: an
    # example must report nothing of a game. One coast alone: else a fleet's order would have to name it.
    board = variant.board
    named = sorted((p for p in board.provinces.values() if not p.coasts), key=lambda p: p.name)
    land = [p for p in named if not p.is_sea and p.name.isalpha() and len(p.name) <= _SHORT_NAME]
    seas = [p for p in named if p.is_sea and len(p.name) <= _SHORT_SEA]
    if kind is PhaseKind.ADJUSTMENT:
        # On a board without home centres, units are built in any centre.
        homes = [(p, other) for p, other in combinations(land, 2)
                 if p.centre and other.centre and p.home == other.home and (p.home or not board.homes)]
        return {"a": homes[0][0].name, "b": homes[0][1].name, "c": homes[0][1].name} if homes else {}
    for place, other in permutations(land, 2):
        if other.id not in board.near(place.id, LAND):
            continue
        for sea in seas:
            if {place.id, other.id} <= board.near(sea.id, SEA):
                return {"a": place.name, "b": other.name, "c": sea.name}
    return {}


def _is_order(variant: Variant, kind: PhaseKind, power: str, text: str) -> bool:
    """True if a line is understood as an order of the phase by these rules."""
    parsed = parse_typed(variant, kind, power, text)
    return parsed.complaint is None and all(
        variant.rules.accepts_order(order, kind) for order in parsed.orders
    )


def suggest(variant: Variant, kind: PhaseKind, power: str, text: str) -> list[dict[str, object]]:
    """Readings of a misread text by its words alone, best first, at most five, as a line keeps them."""
    nearest = nearest_orders(text, lexicon=lexicon_of(variant), forms=forms_of(variant, kind), power=power)
    readings = [candidate_json(candidate, variant.board) for candidate in nearest.candidates
                if candidate.is_whole]
    return [reading for reading in readings if reading["order"]]
