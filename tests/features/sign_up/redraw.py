"""The powers of a new game drawn again, from the sentences of the page that shows how
(`templates/features/sign_up/sign_up_lots.html`), with nothing of the program."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence


def drawn_again(
    lines: Sequence[str], wishes: Mapping[int, Sequence[str]], powers: Sequence[str]
) -> tuple[list[int], dict[str, int]]:
    """The numbers of the list in the order in which they were drawn, and the number that got each power."""
    def number(k: int) -> int:
        return int(hashlib.sha256("\n".join([*lines, str(k)]).encode()).hexdigest()[:8], 16)

    left, order, k = sorted(wishes), [], 0
    while left:
        k += 1
        order.append(left.pop(number(k) % len(left)))
    free, seats, late = sorted(powers), {}, []
    for person in order:
        chosen = next((power for power in wishes[person] if power in free), None)
        if chosen is None:
            late.append(person)
        else:
            seats[chosen] = person
            free.remove(chosen)
    for person in late:
        k += 1
        seats[free.pop(number(k) % len(free))] = person
    return order, seats
