"""From a tree to orders, through a table from grammar rule name to maker.

A rule set with its own wording passes in `{**MAKERS, "rule_name": maker}`; nothing here depends on which game
it is.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
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
    Waive,
    order_fields,
)
from adjudicator.units import UnitKind, UnitRef
from grammar.lattice import Edge
from grammar.lexicon import COAST, KIND, NUMBER, PLACE, POWER, UNIT_WORD, KindWord, Lexicon


@dataclass(slots=True)
class OrderParts:
    """What one order's tree holds, by role; it is filled while the tree is walked.

    `author` is the power whose sheet it is, `line` the line's number there. `words` are the rules met on the
    way, for makers that ask whether a phrase was there ("via"). `written` has, for each rule without a role
    here, the values in it from left to right. `seas` are the board's sea provinces, and `way` the places that
    a move is written to lead over.
    """

    author: str
    line: int | None
    kinds: Mapping[str, UnitKind]
    seas: Container[str] = ()
    units: list[UnitRef] = field(default_factory=list)
    targets: list[UnitRef] = field(default_factory=list)
    supporters: list[UnitRef] = field(default_factory=list)
    attacked: list[UnitRef] = field(default_factory=list)
    to: Region | None = None
    origin: Region | None = None
    kind: str | None = None
    power: str | None = None
    count: int = 0
    coast: str | None = None
    words: set[str] = field(default_factory=set)
    written: dict[str, list[object]] = field(default_factory=dict)
    way: list[Region] = field(default_factory=list)


_VALUED = frozenset({PLACE, POWER, NUMBER})
_KINDS = frozenset({KIND, UNIT_WORD})

WHOSE = "whose"
"""The rule of a power and a colon before an order."""

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
    """The orders of a whole line's tree, from left to right.

    A token's text is the index of its edge. Raises KeyError when the grammar has a rule that `makers` lacks:
    our fault.
    """
    reader = _Reader(edges, lexicon)
    orders: list[Order] = []
    for node in tree.children:
        if isinstance(node, Tree) and node.data.endswith("_line"):
            trees = [c for c in node.children if isinstance(c, Tree)]
            if any(_is_of_another(reader.values(c), author) for c in trees if c.data == WHOSE):
                return ()
            inner = next(c for c in trees if c.data != WHOSE)
            before = len(orders)
            parts = OrderParts(author, line, lexicon.kinds, lexicon.seas)
            reader.fill(parts, inner)
            orders += makers[str(inner.data)](parts)
            # One of several orders that states too little spoils the line: its meaning is unclear.
            if len(orders) == before:
                return ()
    return tuple(orders)


def _is_of_another(powers: Sequence[object], author: str) -> bool:
    """True if a line names another power than its author as the one that orders; ink has no author."""
    return bool(author) and powers != [author]


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
        """What the names and numbers in a tree mean, from left to right."""
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
        token = next((t for t in node.children if isinstance(t, Token) and t.type in _KINDS), None)
        if token is None:
            return None
        word = self.value(token)
        assert isinstance(word, KindWord)
        return word

    def unit(self, node: Tree[Token]) -> UnitRef:
        """A unit as named; a plural ("Armies London and Kent") counts for the units that follow too."""
        word = self.kind(node)
        if word is not None:
            # "Armies London and Kent": the kind holds until another is written.
            self.plural = word.letter if word.plural else None
        letter = word.letter if word else self.plural
        return UnitRef(letter, self.place(next(node.find_data("place"))))

    def add_units(self, parts: OrderParts, node: Tree[Token]) -> None:
        self.plural = None
        if list(node.find_data("where")):
            parts.words.add("where")
        listed = [child for child in node.children if isinstance(child, Tree)]
        units = [self.unit(child) for child in listed]
        # "Cavan, Monaghan and Fermanagh armies": the plural behind the last counts for all.
        if self.plural and _tokens(listed[-1], UNIT_WORD):
            units = [unit if unit.kind else UnitRef(self.plural, unit.region) for unit in units]
        parts.units += units

    def add_supporters(self, parts: OrderParts, node: Tree[Token]) -> None:
        self.plural = None
        # "supported by Montrose's army in Kent" is a remark on the orders of another power.
        if not _tokens(node, POWER):
            parts.supporters += [self.unit(child) for child in node.children if isinstance(child, Tree)]

    def add_target(self, parts: OrderParts, node: Tree[Token]) -> None:
        self.plural = None
        parts.targets.append(self.unit(next(node.find_data("unit"))))

    def set_attacked(self, parts: OrderParts, node: Tree[Token]) -> None:
        """Where "attacks" is written, the place that is attacked is where the move goes."""
        self.set_to(parts, node)
        parts.attacked = [self.unit(unit) for unit in node.find_data("unit")]

    def set_to(self, parts: OrderParts, node: Tree[Token]) -> None:
        parts.to = self.place(next(node.find_data("place")))

    def set_route(self, parts: OrderParts, node: Tree[Token]) -> None:
        """The places of a move from the first after its start to its goal."""
        *parts.way, parts.to = (value for value in self.values(node) if isinstance(value, Region))

    def set_seas(self, parts: OrderParts, node: Tree[Token]) -> None:
        """The seas that a move leads over, by name."""
        parts.way = [value for value in self.values(node) if isinstance(value, Region)]

    def set_ashore(self, parts: OrderParts, node: Tree[Token]) -> None:
        """A goal with the mark that a part of the unit is left behind on the way."""
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
        # "Build an army at London and at York": a kind counts until another is written.
        word = self.kind(next(node.find_data("kind"))) if list(node.find_data("kind")) else None
        if word and word.plural:
            parts.words.add("several")
        parts.kind = word.letter if word else parts.kind
        parts.units.append(UnitRef(parts.kind, self.place(next(node.find_data("place")))))


_ROLES: Mapping[str, Callable[[_Reader, OrderParts, Tree[Token]], None]] = {
    "units": _Reader.add_units,
    "target": _Reader.add_target,
    "supporters": _Reader.add_supporters,
    "to": _Reader.set_to,
    "route": _Reader.set_route,
    "seas": _Reader.set_seas,
    "origin": _Reader.set_origin,
    "ashore": _Reader.set_ashore,
    "attacked": _Reader.set_attacked,
    # Where a unit stays is where it is.
    "stays": _Reader.set_to,
    "kind": _Reader.set_kind,
    "new_coast": _Reader.set_coast,
    "built": _Reader.add_built,
    "built_more": _Reader.add_built,
    "via": _Reader.set_seas,
}


_BY_SEA = frozenset({"via", "carried"})
"""Phrases that ask for a convoy."""


def _make_each(order: type[UnitOrder], parts: OrderParts) -> Iterable[Order]:
    return [order(power=parts.author, line=parts.line, unit=u) for u in parts.units]


def _make_holds(parts: OrderParts) -> Iterable[Order]:
    """Holds, and none where a unit is stated to stay in another place than its own."""
    if parts.to is not None and any(u.region.province != parts.to.province for u in parts.units):
        return []
    return _make_each(Hold, parts)


def _make_moves(parts: OrderParts) -> Iterable[Order]:
    assert parts.to is not None
    # No one sends two units to one place: "Army London and Army Kent to Surrey" may be a list cut short.
    if len(parts.units) > 1:
        return []
    # Which seas does not matter (CNV-03), but a way over land is not a convoy: it may be two moves.
    if any(region.province not in parts.seas for region in parts.way):
        return []
    via, sheds = bool(parts.way) or bool(parts.words & _BY_SEA), "sheds" in parts.words
    return [Move(power=parts.author, line=parts.line, unit=u, to=parts.to, via_convoy=via, sheds=sheds)
            for u in parts.units]


def _make_supported_moves(parts: OrderParts) -> Iterable[Order]:
    """A move, and its support by each unit that is named behind it."""
    assert parts.to is not None
    moves = list(_make_moves(parts)) if _names_supporters(parts) else []
    return moves and [*moves, *(
        SupportMove(power=parts.author, line=parts.line, unit=unit, target=parts.units[0], to=parts.to)
        for unit in parts.supporters)]


def _make_supported_holds(parts: OrderParts) -> Iterable[Order]:
    """A hold, and its support by each unit that is named behind it."""
    # Of two units it stays open which one is supported.
    if len(parts.units) != 1 or not _names_supporters(parts):
        return []
    return [*_make_holds(parts), *(
        SupportHold(power=parts.author, line=parts.line, unit=unit, target=parts.units[0])
        for unit in parts.supporters)]


def _make_supports_of(parts: OrderParts) -> Iterable[Order]:
    """Supports of a unit that is named first, and no order for itself."""
    return list(_make_supported_holds(parts))[1:]


def _make_taken(parts: OrderParts) -> Iterable[Order]:
    """Convoys by the word "takes", where a unit is taken: of a place alone it may be an attack."""
    assert parts.to is not None
    return [Convoy(power=parts.author, line=parts.line, unit=unit, target=target, to=parts.to)
            for unit in parts.units for target in parts.attacked if target.kind is not None]


def _names_supporters(parts: OrderParts) -> bool:
    """True if every supporter has its kind: "supported by Montrose" may be the power."""
    return bool(parts.supporters) and all(unit.kind is not None for unit in parts.supporters)


def _make_moves_beside(parts: OrderParts) -> Iterable[Order]:
    """Moves without a word for it: "Army in London: Surrey". A colon alone ("A Con: Bul") may be anything."""
    return _make_moves(parts) if "where" in parts.words else []


def _make_aided(order: type[SupportMove | Convoy], parts: OrderParts) -> Iterable[Order]:
    assert parts.to is not None
    target, to = parts.targets[0], parts.to
    return [order(power=parts.author, line=parts.line, unit=u, target=target, to=to) for u in parts.units]


def _make_support_holds(parts: OrderParts) -> Iterable[Order]:
    return [
        SupportHold(power=parts.author, line=parts.line, unit=u, target=parts.targets[0]) for u in parts.units
    ]


def _make_converts(parts: OrderParts) -> Iterable[Order]:
    """A coast written with a unit that does not float is the coast of what it becomes (CVT-06)."""
    for written in parts.units:
        kind = parts.kinds.get(written.kind or "")
        coast, unit = parts.coast, written
        if coast is None and written.region.coast and kind and SEA not in kind.moves:
            coast, unit = written.region.coast, UnitRef(written.kind, Region(written.region.province))
        yield Convert(power=parts.author, line=parts.line, unit=unit, coast=coast,
                      to_kind=parts.kind or _other_kind(parts, written))


def _other_kind(parts: OrderParts, unit: UnitRef) -> str | None:
    """What a unit that goes on with its conversion becomes, where the game has two kinds; else None."""
    others = [kind for kind in parts.kinds if kind != unit.kind]
    return others[0] if "going_on" in parts.words and len(others) == 1 else None


def _make_proxies(parts: OrderParts) -> Iterable[Order]:
    assert parts.power is not None
    return [Proxy(power=parts.author, line=parts.line, unit=u, to_power=parts.power) for u in parts.units]


def _make_retreats(parts: OrderParts) -> Iterable[Order]:
    assert parts.to is not None
    return [Retreat(power=parts.author, line=parts.line, unit=u, to=parts.to) for u in parts.units]


def _make_builds(parts: OrderParts) -> Iterable[Order]:
    # "Build two fleets: Constantinople" leaves one to be asked for, and "Build mercenaries in Moscow" too.
    is_alone = len(parts.units) == 1 and "several" in parts.words
    if is_alone or parts.count not in {0, len(parts.units)}:
        return []
    return [Build(power=parts.author, line=parts.line, kind=u.kind, region=u.region)
            # A build without its kind ("Build at London") states too little to be one.
            for u in parts.units if u.kind is not None]


def _make_builds_there(parts: OrderParts) -> Iterable[Order]:
    """Builds by the place: "London: build an army", "London builds an army"."""
    return [Build(power=parts.author, line=parts.line, kind=parts.kind, region=u.region)
            for u in parts.units if u.kind is None and parts.kind is not None]


def _make_send_supply(parts: OrderParts) -> Iterable[Order]:
    assert parts.power is not None
    return [SendSupply(power=parts.author, line=parts.line, to_power=parts.power, count=parts.count)]


def _make_waive(parts: OrderParts) -> Iterable[Order]:
    return [Waive(power=parts.author, line=parts.line)]


def _make_move_home(parts: OrderParts) -> Iterable[Order]:
    assert parts.to is not None
    return [MoveHome(power=parts.author, line=parts.line, to=parts.to, origin=parts.origin)]


MAKERS: Mapping[str, Maker] = {
    "hold": _make_holds,
    "hold_supported": _make_supported_holds,
    "supported": _make_supports_of,
    "taken": _make_taken,
    "move": _make_moves,
    "move_supported": _make_supported_moves,
    "move_beside": _make_moves_beside,
    "support_hold": _make_support_holds,
    "support_move": partial(_make_aided, SupportMove),
    "convoy": partial(_make_aided, Convoy),
    "convert": _make_converts,
    "proxy": _make_proxies,
    "withdraw": _make_retreats,
    "disband": partial(_make_each, Disband),
    "remove": partial(_make_each, Remove),
    "build": _make_builds,
    "build_unit": _make_builds,
    "build_there": _make_builds_there,
    "send_supply": _make_send_supply,
    "waive": _make_waive,
    "move_home": _make_move_home,
}
"""Makers of the orders every game shares, by grammar rule."""


def makers_of(
    variant_orders: Sequence[tuple[str, type[Order]]], shared: Mapping[str, Maker]
) -> Mapping[str, Maker]:
    """The makers by grammar rule of a game whose rule set has its own order classes (`Ruleset.FORMS`)."""
    # Asked for once a path: most games have no orders of their own, and share one table.
    if not variant_orders:
        return shared
    return {**shared, **{rule: partial(_make_own, order) for rule, order in variant_orders}}


def _make_own(order: type[Order], parts: OrderParts) -> Iterable[Order]:
    """Orders of a class that a rule set brings: each field is the value in the grammar rule of its name; a
    flag is True if the rule was met at all. With the word "each" there is an order for each value of a
    field."""
    values: dict[str, Any] = {}
    for name, (kind, _) in order_fields(order).items():
        if kind is FieldKind.FLAG:
            # A flag is True if its rule was met at all, whatever is in it.
            values[name] = name in parts.words
        elif parts.written.get(name):
            values[name] = parts.written[name][0]
    repeated = [name for name in values if "each" in parts.words and len(parts.written.get(name, ())) > 1]
    several = [{**values, name: each} for name in repeated for each in parts.written[name]] or [values]
    return [order(power=parts.author, line=parts.line, **each) for each in several]
