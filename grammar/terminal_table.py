"""Which sequences of terminals a grammar takes, as one table of states.

The same rules that Lark turns into a parser are read here as a finite machine, so that many readings of one
line can be compared before one is parsed. The order grammar never nests, so no reading is lost by that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lark.grammar import Rule, Symbol


class NestingError(ValueError):
    """A rule holds itself in its middle or at its end: the wording cannot be read as a machine. Our own
    fault."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A deterministic machine over terminal names. State 0 is the start; `moves[state]` maps a terminal to
    the next state; `final` are the states in which an order may end."""

    moves: tuple[Mapping[str, int], ...]
    final: frozenset[int]


def build_machine(rules: Sequence[Rule], start: str) -> Machine:
    """The machine of a compiled grammar from its start rule. Raises NestingError."""
    expansions: dict[str, list[Sequence[Symbol]]] = defaultdict(list)
    for rule in rules:
        expansions[rule.origin.name].append(rule.expansion)
    return _Builder(expansions).machine_of(start, frozenset())


class _Builder:
    """Builds the smallest machine of each rule once, innermost first, and joins copies of them."""

    def __init__(self, rules: Mapping[str, Sequence[Sequence[Symbol]]]) -> None:
        self.rules = rules
        self.machines: dict[str, Machine] = {}

    def machine_of(self, name: str, above: frozenset[str]) -> Machine:
        if name in above:
            raise NestingError(f"the rule {name!r} nests in itself; lists must be written with * or +")
        if name not in self.machines:
            net = _Net()
            first, middle, last = net.add_state(), net.add_state(), net.add_state()
            net.silent[middle].add(last)
            for expansion in self.rules[name]:
                # Lark turns * and + into a rule that begins with itself: a loop at `middle`.
                is_loop = bool(expansion) and expansion[0].name == name
                self._chain(net, expansion[is_loop:], (middle if is_loop else first, middle), above | {name})
            self.machines[name] = net.determinize(first, last)
        return self.machines[name]

    def _chain(
        self, net: _Net, symbols: Sequence[Symbol], ends: tuple[int, int], above: frozenset[str]
    ) -> None:
        state, end = ends
        for symbol in symbols:
            after = net.add_state()
            if symbol.is_term:
                net.moves[state][symbol.name].add(after)
            else:
                net.embed(self.machine_of(symbol.name, above), state, after)
            state = after
        net.silent[state].add(end)


class _Net:
    """A nondeterministic machine while it is being built; silent moves read no terminal."""

    def __init__(self) -> None:
        self.silent: dict[int, set[int]] = defaultdict(set)
        self.moves: dict[int, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        self.size = 0

    def add_state(self) -> int:
        self.size += 1
        return self.size - 1

    def embed(self, part: Machine, start: int, end: int) -> None:
        """A copy of `part` between two states."""
        shift = self.size
        self.size += len(part.moves)
        self.silent[start].add(shift)
        for n, table in enumerate(part.moves):
            for terminal, after in table.items():
                self.moves[shift + n][terminal].add(shift + after)
        for n in part.final:
            self.silent[shift + n].add(end)

    def closure(self, states: set[int]) -> frozenset[int]:
        """The states that silent moves lead to from these, these included."""
        reached, waiting = set(states), list(states)
        while waiting:
            new = self.silent[waiting.pop()] - reached
            reached |= new
            waiting += new
        return frozenset(reached)

    def determinize(self, first: int, last: int) -> Machine:
        """The smallest deterministic machine from `first` to `last` (subset construction)."""
        numbers = {self.closure({first}): 0}
        waiting = list(numbers)
        moves: list[dict[str, int]] = []
        for states in waiting:  # grows while it is walked
            targets: dict[str, set[int]] = defaultdict(set)
            for state in states:
                for terminal, after in self.moves[state].items():
                    targets[terminal] |= after
            table = {}
            for terminal in sorted(targets):
                closed = self.closure(targets[terminal])
                if closed not in numbers:
                    numbers[closed] = len(numbers)
                    waiting.append(closed)
                table[terminal] = numbers[closed]
            moves.append(table)
        return _minimize(moves, frozenset(n for states, n in numbers.items() if last in states))


def _minimize(moves: list[dict[str, int]], final: frozenset[int]) -> Machine:
    """The same machine with states that cannot be distinguished made one (Moore); the start stays state 0."""
    # The start's group is 0 and stays 0, because groups are numbered in the order of states.
    group = [int((n in final) != (0 in final)) for n in range(len(moves))]
    count = 0
    while len(set(group)) != count:
        count = len(set(group))
        signatures: dict[tuple[int, tuple[tuple[str, int], ...]], int] = {}
        group = [
            signatures.setdefault((group[n], tuple((t, group[a]) for t, a in table.items())), len(signatures))
            for n, table in enumerate(moves)]
    tables: list[Mapping[str, int]] = [{}] * count
    for n, table in enumerate(moves):
        tables[group[n]] = {t: group[a] for t, a in table.items()}
    return Machine(tuple(tables), frozenset(group[n] for n in final))
