"""From a tree to orders, through a table from grammar rule name to maker.

A rule set with a wording of its own hands in `{**MAKERS, "rule_name": maker}`; nothing here knows which game
it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from lark import Token, Tree

from adjudicator.geo import SEA, Region
from adjudicator.orders import (
    Build,
    Convert,
    Convoy,
    Disband,
    FieldKind,
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
    UnitOrder,
    order_fields,
)
from adjudicator.units import UnitKind, UnitRef
from grammar.lattice import Edge
from grammar.lexicon import COAST, KIND, NUMBER, PLACE, POWER, KindWord, Lexicon


@dataclass(slots=True)
class OrderParts:
    """What one order's tree holds, by role. `author` is whose sheet it stands on; `line` its number there.

    `words` are the rule names met on the way, for makers that ask whether a phrase was there ("via");
    `written` is what stood in each of those that has no role here, in the order written.
    """

    author: str
    line: int | None
    kinds: Mapping[str, UnitKind]
    units: list[UnitRef] = field(default_factory=list)
    targets: list[UnitRef] = field(default_factory=list)
    to: Region | None = None
    origin: Region | None = None
    kind: str | None = None
    power: str | None = None
    count: int = 0
    coast: str | None = None
    words: set[str] = field(default_factory=set)
    written: dict[str, list[object]] = field(default_factory=dict)


_VALUED = frozenset({PLACE, POWER, NUMBER})

Maker = Callable[[OrderParts], Iterable[Order]]
"""Makes the orders of one tree: several when it names several units."""


def orders_from_tree(
    tree: Tree[Token],
    edges: Sequence[Edge],
    lexicon: Lexicon,
    author: str,
    line: int | None,
    makers: Mapping[str, Maker],
) -> tuple[Order, ...]:
    """The orders of a whole line's tree, in the order written.

    Tokens carry the number of their edge. Raises KeyError when the grammar has a rule that `makers` lacks:
    our fault.
    """
    reader = _Reader(edges, lexicon)
    made: list[Order] = []
    for node in tree.children:
        if isinstance(node, Tree) and node.data.endswith("_line"):
            inner = next(c for c in node.children if isinstance(c, Tree))
            parts = OrderParts(author, line, lexicon.kinds)
            reader.fill(parts, inner)
            made += makers[str(inner.data)](parts)
    return tuple(made)


def _tokens(node: Tree[Token], terminal: str) -> list[Token]:
    """The tokens of one terminal in a tree, from left to right."""
    return [t for t in node.scan_values(lambda t: isinstance(t, Token) and t.type == terminal)
            if isinstance(t, Token)]


class _Reader:
    """Turns tokens back into the values of their edges."""

    def __init__(self, edges: Sequence[Edge], lexicon: Lexicon) -> None:
        self.edges = edges
        self.lexicon = lexicon
        self.plural: str | None = None

    def value(self, token: Token) -> object:
        return self.edges[int(token)].value

    def values(self, node: Tree[Token]) -> list[object]:
        """What the names and numbers in a tree stand for, from left to right."""
        return [self.value(t) for t in node.scan_values(lambda t: isinstance(t, Token) and t.type in _VALUED)
                if isinstance(t, Token)]

    def fill(self, parts: OrderParts, node: Tree[Token]) -> None:
        for child in node.children:
            if isinstance(child, Token):
                self._token(parts, child)
                continue
            role = str(child.data)
            parts.words.add(role)
            if role in _ROLES:
                _ROLES[role](self, parts, child)
            else:
                parts.written.setdefault(role, []).extend(self.values(child))
                self.fill(parts, child)

    def _token(self, parts: OrderParts, token: Token) -> None:
        if token.type == NUMBER:
            value = self.value(token)
            assert isinstance(value, int)
            parts.count = value
        elif token.type == POWER:
            parts.power = str(self.value(token))

    def place(self, node: Tree[Token]) -> Region:
        region = self.value(_tokens(node, PLACE)[0])
        assert isinstance(region, Region)
        coasts = _tokens(node, COAST)
        if not coasts:
            return region
        return Region(region.province, self.lexicon.coast_id(region.province, str(self.value(coasts[0]))))

    def kind(self, node: Tree[Token]) -> KindWord | None:
        token = next((t for t in node.children if isinstance(t, Token) and t.type == KIND), None)
        if token is None:
            return None
        word = self.value(token)
        assert isinstance(word, KindWord)
        return word

    def unit(self, node: Tree[Token]) -> UnitRef:
        """A unit as named; after a plural ("Armies London and Kent") the word holds on for what follows."""
        word = self.kind(node)
        if word is not None:
            self.plural = word.letter if word.plural else None
        letter = word.letter if word else self.plural
        return UnitRef(letter, self.place(next(node.find_data("place"))))

    def add_units(self, parts: OrderParts, node: Tree[Token]) -> None:
        self.plural = None
        parts.units += [self.unit(child) for child in node.children if isinstance(child, Tree)]

    def add_target(self, parts: OrderParts, node: Tree[Token]) -> None:
        self.plural = None
        parts.targets.append(self.unit(next(node.find_data("unit"))))

    def set_to(self, parts: OrderParts, node: Tree[Token]) -> None:
        parts.to = self.place(next(node.find_data("place")))

    def set_ashore(self, parts: OrderParts, node: Tree[Token]) -> None:
        """A goal with the mark that something is left behind on the way there."""
        parts.to = self.place(node)
        parts.words.add("sheds")

    def set_origin(self, parts: OrderParts, node: Tree[Token]) -> None:
        parts.origin = self.place(next(node.find_data("place")))

    def set_kind(self, parts: OrderParts, node: Tree[Token]) -> None:
        word = self.kind(node)
        parts.kind = word.letter if word else None

    def set_coast(self, parts: OrderParts, node: Tree[Token]) -> None:
        if list(node.find_data("place")):
            parts.coast = self.place(next(node.find_data("place"))).coast
        else:
            parts.coast = str(self.value(_tokens(node, COAST)[0]))

    def add_built(self, parts: OrderParts, node: Tree[Token]) -> None:
        word = self.kind(next(node.find_data("kind"))) if list(node.find_data("kind")) else None
        letter = word.letter if word else parts.kind
        parts.kind = letter
        parts.units.append(UnitRef(letter, self.place(next(node.find_data("place")))))

    def skip(self, parts: OrderParts, node: Tree[Token]) -> None:
        """A route named with a convoy is not part of the order (CNV-03)."""


_ROLES: Mapping[str, Callable[[_Reader, OrderParts, Tree[Token]], None]] = {
    "units": _Reader.add_units,
    "target": _Reader.add_target,
    "to": _Reader.set_to,
    "origin": _Reader.set_origin,
    "ashore": _Reader.set_ashore,
    "attacked": _Reader.set_to,
    "kind": _Reader.set_kind,
    "new_coast": _Reader.set_coast,
    "built": _Reader.add_built,
    "built_more": _Reader.add_built,
    "via": _Reader.skip,
}


def _each(order: type[UnitOrder], parts: OrderParts) -> Iterable[Order]:
    return [order(power=parts.author, line=parts.line, unit=u) for u in parts.units]


def _move(parts: OrderParts) -> Iterable[Order]:
    assert parts.to is not None
    via, sheds = "via" in parts.words, "sheds" in parts.words
    return [Move(power=parts.author, line=parts.line, unit=u, to=parts.to, via_convoy=via, sheds=sheds)
            for u in parts.units]


def _aided(order: type[SupportMove | Convoy], parts: OrderParts) -> Iterable[Order]:
    assert parts.to is not None
    target, to = parts.targets[0], parts.to
    return [order(power=parts.author, line=parts.line, unit=u, target=target, to=to) for u in parts.units]


def _support_hold(parts: OrderParts) -> Iterable[Order]:
    return [
        SupportHold(power=parts.author, line=parts.line, unit=u, target=parts.targets[0]) for u in parts.units
    ]


def _convert(parts: OrderParts) -> Iterable[Order]:
    """A coast written with a unit that does not float is the coast of what it becomes (CVT-06)."""
    for unit in parts.units:
        kind = parts.kinds.get(unit.kind or "")
        coast, where = parts.coast, unit
        if coast is None and unit.region.coast and kind and SEA not in kind.moves:
            coast, where = unit.region.coast, UnitRef(unit.kind, Region(unit.region.province))
        yield Convert(power=parts.author, line=parts.line, unit=where, to_kind=parts.kind, coast=coast)


def _proxy(parts: OrderParts) -> Iterable[Order]:
    assert parts.power is not None
    return [Proxy(power=parts.author, line=parts.line, unit=u, to_power=parts.power) for u in parts.units]


def _retreat(parts: OrderParts) -> Iterable[Order]:
    assert parts.to is not None
    return [Retreat(power=parts.author, line=parts.line, unit=u, to=parts.to) for u in parts.units]


def _build(parts: OrderParts) -> Iterable[Order]:
    return [Build(power=parts.author, line=parts.line, kind=u.kind, region=u.region)
            for u in parts.units if u.kind is not None]


def _send(parts: OrderParts) -> Iterable[Order]:
    assert parts.power is not None
    return [SendSupply(power=parts.author, line=parts.line, to_power=parts.power, count=parts.count)]


def _move_home(parts: OrderParts) -> Iterable[Order]:
    assert parts.to is not None
    return [MoveHome(power=parts.author, line=parts.line, to=parts.to, origin=parts.origin)]


MAKERS: Mapping[str, Maker] = {
    "hold": partial(_each, Hold),
    "move": _move,
    "support_hold": _support_hold,
    "support_move": partial(_aided, SupportMove),
    "convoy": partial(_aided, Convoy),
    "convert": _convert,
    "proxy": _proxy,
    "withdraw": _retreat,
    "disband": partial(_each, Disband),
    "remove": partial(_each, Remove),
    "build": _build,
    "build_unit": _build,
    "send_supply": _send,
    "move_home": _move_home,
}
"""Makers of the orders every game shares, by grammar rule."""


def makers_of(own: Sequence[tuple[str, type[Order]]], shared: Mapping[str, Maker]) -> Mapping[str, Maker]:
    """The makers by grammar rule of a game whose rule set has order classes of its own (`Ruleset.FORMS`)."""
    return {**shared, **{rule: partial(_own, kind) for rule, kind in own}} if own else shared


def _own(kind: type[Order], parts: OrderParts) -> Iterable[Order]:
    """Each field is what stands in the grammar rule of its name; a flag says whether the rule was met at
    all."""
    found: dict[str, Any] = {}
    for name, (holds, _) in order_fields(kind).items():
        if holds is FieldKind.FLAG:
            found[name] = name in parts.words
        elif parts.written.get(name):
            found[name] = parts.written[name][0]
    return [kind(power=parts.author, line=parts.line, **found)]
