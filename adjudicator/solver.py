"""Which moves succeed, which supports are given and which convoys stand. Knows nothing of maps or variants.

Every order is true, false or unknown. Strengths are low and high bounds worked out from what is known
(`adjudicator.strength`). Open orders are swept until nothing changes; only then a bottom strongly connected set of
them is taken: if a convoy is in it its convoys fail (Szykman, DATC 4.A.2), otherwise its moves succeed. Nothing is
guessed and nothing is left open.
"""

from __future__ import annotations

from collections.abc import Iterable

from adjudicator.strength import CONVOY, FALSE, MOVE, TRUE, UNKNOWN, Puzzle, State


def solve(puzzle: Puzzle) -> State:
    """Decide every order of a puzzle. The answer does not depend on the order in which units are numbered."""
    state = State(puzzle)
    left = _sweep(state, state.open_orders())
    while left:
        _break_cycle(state, left)
        left = _sweep(state, left)
    state.close()
    return state


def _sweep(state: State, open_orders: list[int]) -> list[int]:
    """Decide what bounds decide, again and again; the orders that stay open."""
    known = state.known
    deciders, role = state.deciders, state.puzzle.role
    while True:
        left = []
        for number in open_orders:
            if known[number] == UNKNOWN:
                verdict = deciders[role[number]](number)
                if verdict == UNKNOWN:
                    left.append(number)
                else:
                    known[number] = verdict
        if len(left) == len(open_orders) or not left:
            return left
        open_orders = left


def _break_cycle(state: State, open_orders: list[int]) -> None:
    role = state.puzzle.role
    cycle = _bottom_set(state, open_orders)
    convoys = [number for number in cycle if role[number] == CONVOY]
    moves = [number for number in cycle if role[number] == MOVE]
    if convoys:
        for number in convoys:
            state.known[number] = FALSE
            state.paradox.add(number)
    elif moves:
        for number in moves:
            state.known[number] = TRUE
    else:
        # Supports depend on each other only through moves, so this cannot be; a game must not freeze all the same.
        for number in cycle:
            state.known[number] = FALSE
        state.unresolved.update(cycle)


def _bottom_set(state: State, open_orders: Iterable[int]) -> list[int]:
    """A strongly connected set that depends on nothing outside it: the first that Tarjan's algorithm completes."""
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
