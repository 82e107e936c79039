"""Words that the edit box completes: every name of the board with every spelling, and the words of its order forms.

Lexical only: all names of the board are offered always, whatever stands where and whoever borders whom.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from adjudicator.calendar import PhaseKind
from grammar.snap import snap
from maps.variant import Variant
from service.lexical import candidate_json, forms_of, lexicon_of, parse_typed

_VERBS: dict[PhaseKind, tuple[str, ...]] = {
    PhaseKind.MOVEMENT: ("moves to", "holds", "supports", "to", "convoys", "converts to", "via convoy",
                         "is under the orders of"),
    PhaseKind.RETREAT: ("retreats to", "disbands"),
    PhaseKind.ADJUSTMENT: ("Build", "Remove", "Send", "supply to", "disbands"),
}
"""What stands between names in the handbook's prose. A phase kind that a variant words itself has the words of its own orders."""
_WRITTEN: dict[PhaseKind, tuple[tuple[str, str], ...]] = {
    PhaseKind.MOVEMENT: (
        ("A {a} H", "the army there holds"), ("A {a} - {b}", "it moves; F for a fleet"),
        ("F {c} S A {a}", "the fleet supports the army where it is"),
        ("F {c} S A {a} - {b}", "the fleet supports the army’s move"),
        ("F {c} C A {a} - {b}", "the fleet convoys the army"), ("A {a} - {b} via convoy", "the army goes by convoy"),
        ("A {a} converts to F", "the army becomes a fleet"), ("A {a} proxy {p}", "{p} commands it this turn")),
    PhaseKind.RETREAT: (("A {a} - {b}", "the army retreats"), ("A {a} D", "it disbands")),
    PhaseKind.ADJUSTMENT: (("Build A {a}", "an army is built"), ("Remove A {a}", "it is removed"),
                           ("Send 1 supply to {p}", "supply is sent")),
}
"""Orders as they may be typed, each with what it says; {a}, {b}, {c} are places and {p} is a power."""
_BLANK = re.compile(r"\{\w+\}")
_PLAIN = 9
"""Letters of the longest name that stands in an example."""


@dataclass(frozen=True, slots=True)
class Words:
    """What may be completed. `names` are pairs: a spelling a person may begin to type, and the name it stands for;
    `verbs` and `units` complete to themselves. `written` are orders as one may type them, each with what it says."""

    names: tuple[tuple[str, str], ...] = ()
    verbs: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    written: tuple[tuple[str, str], ...] = ()


def words_of(variant: Variant, kind: PhaseKind) -> Words:
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
    return Words(tuple(spelled), _VERBS.get(kind) or _own_verbs(variant, kind), tuple(k.name for k in variant.kinds.values()),
                 written(variant, kind))


def _own_verbs(variant: Variant, kind: PhaseKind) -> tuple[str, ...]:
    """What stands between the blanks of the orders that only this rule set has."""
    orders = sorted(variant.rules.ORDERS.get(kind, ()), key=lambda order: order.__name__)
    pieces = (piece.strip() for order in orders for piece in _BLANK.split(order.TERSE))
    return tuple(dict.fromkeys(piece for piece in pieces if piece))


def written(variant: Variant, kind: PhaseKind) -> tuple[tuple[str, str], ...]:
    """Examples of orders in short, for a person who has never written one: with names of this board in the order of the
    alphabet, whatever stands where; only such as are understood here."""
    names = sorted({p.name for p in variant.board.provinces.values() if p.name.isalpha() and len(p.name) <= _PLAIN})
    if len(names) < 3 or not variant.powers:
        return ()
    own, *others = variant.powers.values()
    filled = dict(zip("abc", names, strict=False)) | {"p": (others or [own])[0].name}
    found = [(order.format(**filled), said.format(**filled)) for order, said in _WRITTEN.get(kind, ())]
    return tuple((order, said) for order, said in found if parse_typed(variant, kind, own.id, order).complaint is None)


def suggest(variant: Variant, kind: PhaseKind, power: str, text: str) -> list[dict[str, object]]:
    """Readings of a misread text, best first, at most five, as a line keeps them. By words alone."""
    found = snap(text, lexicon=lexicon_of(variant), forms=forms_of(variant, kind), power=power)
    return [one for one in (candidate_json(c, variant.board) for c in found.candidates) if one["order"]]
