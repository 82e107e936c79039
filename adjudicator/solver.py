"""Which moves succeed, which supports are given and which convoys stand. Knows nothing of maps or variants.

Every order is true, false or unknown. Strengths are low and high bounds worked out from what is known
(`adjudicator.strength`). Open orders are swept until nothing changes; only then a bottom strongly connected
set of them is taken: if a convoy is in it its convoys fail (Szykman, DATC 4.A.2), otherwise its moves
succeed. Nothing is guessed and nothing is left open.
"""

from __future__ import annotations

from collections.abc import Iterable

from adjudicator.strength import FALSE, TRUE, UNKNOWN, MovementOrders, PartialResolution


def solve(puzzle: MovementOrders) -> PartialResolution:
    """Decide every order of a puzzle. The answer does not depend on the order in which units are numbered."""
    state = PartialResolution(puzzle)
    _sweep(state)
    while state.undecided:
        break_cycle(state, _bottom_set(state, state.undecided))
        _sweep(state)
    return state


def _sweep(state: PartialResolution) -> None:
    """Decide what bounds decide, again and again, until nothing changes."""
    known, decide, settle = state.verdicts, state.decide, state.settle
    changed = True
    while changed and state.undecided:
        left = []
        for number in state.undecided:
            if known[number] == UNKNOWN:
                verdict = decide(number)
                if verdict == UNKNOWN:
                    left.append(number)
                else:
                    settle(number, verdict)
        changed = len(left) < len(state.undecided)
        state.undecided = left


def break_cycle(state: PartialResolution, cycle: Iterable[int]) -> None:
    """Decide by rule, now that bounds are at an end, a set of orders that wait for nothing but each other."""
    convoys = [number for number in cycle if number in state.orders.convoys]
    moves = [number for number in cycle if number in state.orders.moves]
    if convoys:
        state.paradox_convoys.update(convoys)
    elif not moves:
        # Supports depend on each other only through moves, so this cannot be; a game must not freeze all the
        # same.
        state.unresolved.update(cycle)
    for number in convoys or moves or cycle:
        state.settle(number, TRUE if moves and not convoys else FALSE)


def _bottom_set(state: PartialResolution, open_orders: Iterable[int]) -> list[int]:
    """A strongly connected set that depends on nothing outside it: the first that Tarjan's algorithm
    completes."""
    start = min(open_orders)
    index = {start: 0}
    low = {start: 0}
    stack = [start]
    on_stack = {start}
    work = [(start, iter(sorted(state.depends_on(start))))]
    while True:
        node, others = work[-1]
        following = next(others, None)
        if following is None:
            if low[node] == index[node]:
                return stack[stack.index(node):]
            work.pop()
            parent = work[-1][0]
            low[parent] = min(low[parent], low[node])
        elif following not in index:
            index[following] = low[following] = len(index)
            stack.append(following)
            on_stack.add(following)
            work.append((following, iter(sorted(state.depends_on(following)))))
        elif following in on_stack:
            low[node] = min(low[node], index[following])
