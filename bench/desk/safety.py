"""What a killed server loses, and whether undo restores exactly: both by keys in the browser."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from bench.desk.browser import Tab
from bench.desk.site import Server
from bench.figure import Figure

KILLS, STEPS = 50, 500
_LONGEST_MS = 120
"""A kill comes up to so long after the first of two decisions: within their way to the server, mostly."""
_MOST_AHEAD = 60
"""Acts that stand at once in the walk, so that lines to decide remain."""
_SHOWN = """() => JSON.stringify(window.readingLines.all.map((one) =>
  [one.id, one.number, one.state, one.version, one.text, one.order, one.by, one.asked]))"""
Decided = Callable[[], dict[int, tuple[str, str | None]]]
"""State and order of every decided line, read from the database itself."""


def kills(tab: Tab, server: Server, decided: Decided, tell: Callable[[str], None]) -> Iterator[Figure]:
    """Two decisions and a SIGKILL at a random instant, `KILLS` times; what is on file then, beside what was
    pressed."""
    chance, made = random.Random(KILLS), dict[int, str]()  # noqa: S311 no secret, but repeatable
    for kill in range(1, KILLS + 1):
        ends = time.monotonic() + chance.uniform(0, _LONGEST_MS) / 1000
        for _ in range(2):
            line = tab.line()
            key, state = chance.choice([("o", "not an order"), ("s", "skipped")])
            made[line] = state
            tab.press(key)
            tab.wait_other(line)
        time.sleep(max(0.0, ends - time.monotonic()))
        server.kill()
        server.start()
        tab.page.evaluate("document.querySelector('#again')?.click()")
        tab.wait_saved()
        if kill % 10 == 0:
            tell(f"{kill} of {KILLS} kills")
    found = decided()
    lost = sum(line not in found for line in made)
    other = sum(line in found and found[line][0] != state for line, state in made.items())
    how = f"SIGKILL of galloper serve within {_LONGEST_MS} ms of two decisions, {KILLS} times, seed {KILLS}"
    yield Figure("decisions lost in kills of the server", lost, "decisions", len(made), "0", how)
    yield Figure("decisions on file other than they were made", other, "decisions", len(made), "0", how)


def undo_walk(tab: Tab, tell: Callable[[str], None]) -> Iterator[Figure]:
    """A walk of `STEPS` random acts, undos and redos; after each undo and redo every line is compared with
    what it was."""
    chance, past, future = random.Random(STEPS), [_shown(tab)], []  # noqa: S311 no secret, but repeatable
    exact = compared = 0
    for step in range(1, STEPS + 1):
        what = chance.random()
        if len(past) > 1 and (what < 0.25 or len(past) > _MOST_AHEAD):
            tab.press("u")
            future.append(past.pop())
            compared += 1
            exact += _settled(tab, past[-1])
        elif future and what < 0.45:
            tab.press("Shift+U")
            past.append(future.pop())
            compared += 1
            exact += _settled(tab, past[-1])
        else:
            _act(tab, chance)
            past.append(_shown(tab))
            future.clear()
        if step % 100 == 0:
            tell(f"{step} of {STEPS} steps")
    while len(past) > 1:
        tab.press("u")
        past.pop()
        compared += 1
        exact += _settled(tab, past[-1])
    yield Figure("undo or redo that restored every line exactly", exact, "steps", compared, str(compared),
                 (f"a random walk of {STEPS} acts by keys, seed {STEPS}; text, order, state, version and "
                  f"person of each line"))


def _act(tab: Tab, chance: random.Random) -> None:
    """Something that the page offers for the line on the screen; returns once the server has it."""
    line, offers = tab.line(), len(tab.offers())
    keys = [["o"], ["s"], ["d"], ["v", "Enter"] if offers > 1 else ["v"]]
    keys += [["Enter"], [str(chance.randint(1, offers))]] if offers else []
    tab.press(*chance.choice(keys))
    tab.wait_other(line)
    tab.wait_saved()


def _shown(tab: Tab) -> Any:
    tab.wait_saved()
    return json.loads(tab.page.evaluate(_SHOWN))


def _settled(tab: Tab, wanted: Any) -> bool:
    """Whether every line comes to stand as wanted within a second; what was pressed is applied before it is
    saved."""
    end = time.monotonic() + 1
    while True:
        if _shown(tab) == wanted:
            return True
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
