"""Which moves succeed, which supports are given and which convoys stand. Independent of maps and variants.

Every order is true, false or unknown, and strengths are bounds computed from what is known
(`adjudicator.strength`).

1. Sweep: decide what the bounds decide, and again with what that gave, until nothing changes.
2. If orders are left, take a set of them that wait for nothing but each other (a strongly connected set at
   the bottom of the dependencies) and decide it by rule: if it has convoys, they fail (Szykman, DATC 4.A.2);
   otherwise its moves succeed, as in a ring of units that follow each other.
3. Sweep again. Nothing is guessed and nothing is left open.
"""

from __future__ import annotations

from collections.abc import Iterable

from adjudicator.strength import FALSE, TRUE, UNKNOWN, MovementOrders, PartialResolution


def solve(orders: MovementOrders) -> PartialResolution:
    """Decide every order. The answer does not depend on the order in which units are numbered."""
    state = PartialResolution(orders)
    _sweep(state)
    while state.undecided:
        # One set at a time: what it decides may decide the rest by bounds.
        break_cycle(state, _bottom_set(state, state.undecided))
        _sweep(state)
    return state


def _sweep(state: PartialResolution) -> None:
    """Decide what bounds decide, again and again, until nothing changes."""
    verdicts, decide, settle = state.verdicts, state.decide, state.settle
    changed = True
    while changed and state.undecided:
        still_undecided = []
        for number in state.undecided:
            if verdicts[number] == UNKNOWN:
                verdict = decide(number)
                if verdict == UNKNOWN:
                    still_undecided.append(number)
                else:
                    settle(number, verdict)
        changed = len(still_undecided) < len(state.undecided)
        state.undecided = still_undecided


def break_cycle(state: PartialResolution, cycle: Iterable[int]) -> None:
    """Decide by rule a set of orders that wait for nothing but each other."""
    convoys = [number for number in cycle if number in state.orders.convoys]
    moves = [number for number in cycle if number in state.orders.moves]
    if convoys:
        # Bounds are exhausted by now. Earlier, an attack on a fleet that can never succeed would look like a
        # paradox (trap T4 of tests/data/datc/engine_traps.json).
        state.paradox_convoys.update(convoys)
    elif not moves:
        # Supports depend on each other only through moves, so this cannot happen. If it did, the game must
        # go on: the orders fail, and the coordinator is informed.
        state.unresolved.update(cycle)
    for number in convoys or moves or cycle:
        state.settle(number, TRUE if moves and not convoys else FALSE)


def _bottom_set(state: PartialResolution, undecided: Iterable[int]) -> list[int]:
    """A strongly connected set that depends on nothing outside it: the first that Tarjan's algorithm
    completes (written as a loop, because a ring of 100 units would go 100 calls deep)."""
    # The lowest number and sorted successors, so that the answer never depends on the order of a set.
    start = min(undecided)
    index = {start: 0}
    low = {start: 0}
    stack = [start]
    on_stack = {start}
    work = [(start, iter(sorted(state.depends_on(start))))]
    while True:
        node, others = work[-1]
        successor = next(others, None)
        if successor is None:
            if low[node] == index[node]:
                return stack[stack.index(node):]
            work.pop()
            parent = work[-1][0]
            low[parent] = min(low[parent], low[node])
        elif successor not in index:
            index[successor] = low[successor] = len(index)
            stack.append(successor)
            on_stack.add(successor)
            work.append((successor, iter(sorted(state.depends_on(successor)))))
        elif successor in on_stack:
            low[node] = min(low[node], index[successor])
