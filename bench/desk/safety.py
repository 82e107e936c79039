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
# A kill comes up to so long after the first of two decisions: mostly while they are on their way to the
# server.
_LATEST_KILL_MS = 120
_MAX_UNDOABLE = 60  # acts of the walk that can be undone at a time, so that lines to decide remain
_ALL_LINES = """() => JSON.stringify(window.readingLines.all.map((line) =>
  [line.id, line.number, line.state, line.version, line.text, line.order, line.by, line.asked]))"""
Decided = Callable[[], dict[int, tuple[str, str | None]]]
"""State and order of every decided line, read from the database itself."""


def kills(tab: Tab, server: Server, decided: Decided, tell: Callable[[str], None]) -> Iterator[Figure]:
    """Two decisions and a SIGKILL at a random instant, `KILLS` times; then what is on file, next to what was
    pressed."""
    chance, pressed = random.Random(KILLS), dict[int, str]()  # noqa: S311 no secret, but repeatable
    for kill in range(1, KILLS + 1):
        kill_at = time.monotonic() + chance.uniform(0, _LATEST_KILL_MS) / 1000
        for _ in range(2):
            line = tab.line()
            key, state = chance.choice([("o", "not an order"), ("s", "skipped")])
            pressed[line] = state
            tab.press(key)
            tab.wait_other(line)
        time.sleep(max(0.0, kill_at - time.monotonic()))
        server.kill()
        server.start()
        tab.page.evaluate("document.querySelector('#again')?.click()")
        tab.wait_saved()
        if kill % 10 == 0:
            tell(f"{kill} of {KILLS} kills")
    on_file = decided()
    lost = sum(line not in on_file for line in pressed)
    other = sum(line in on_file and on_file[line][0] != state for line, state in pressed.items())
    method = (f"SIGKILL of galloper serve within {_LATEST_KILL_MS} ms of two decisions, {KILLS} times, seed "
              f"{KILLS}")
    yield Figure("decisions lost in kills of the server", lost, "decisions", len(pressed), "0", method)
    yield Figure("decisions on file other than they were made", other, "decisions", len(pressed), "0", method)


def undo_walk(tab: Tab, tell: Callable[[str], None]) -> Iterator[Figure]:
    """A walk of `STEPS` random acts, undos and redos; after each undo and redo every line is compared with
    what it was."""
    chance, past, future = random.Random(STEPS), [_lines(tab)], []  # noqa: S311 no secret, but repeatable
    exact = compared = 0
    for step in range(1, STEPS + 1):
        draw = chance.random()
        if len(past) > 1 and (draw < 0.25 or len(past) > _MAX_UNDOABLE):
            tab.press("u")
            future.append(past.pop())
            compared += 1
            exact += _becomes(tab, past[-1])
        elif future and draw < 0.45:
            tab.press("Shift+U")
            past.append(future.pop())
            compared += 1
            exact += _becomes(tab, past[-1])
        else:
            _act(tab, chance)
            past.append(_lines(tab))
            future.clear()
        if step % 100 == 0:
            tell(f"{step} of {STEPS} steps")
    while len(past) > 1:
        tab.press("u")
        past.pop()
        compared += 1
        exact += _becomes(tab, past[-1])
    method = (
        f"a random walk of {STEPS} acts by keys, seed {STEPS}; text, order, state, version and person of "
        f"each line")
    yield Figure(("undo or redo that restored every line "
                  "exactly"), exact, "steps", compared, str(compared), method)


def _act(tab: Tab, chance: random.Random) -> None:
    """Do something that the page offers for the line on the screen; returns once the server has saved it."""
    line, offers = tab.line(), len(tab.offers())
    keys = [["o"], ["s"], ["d"], ["v", "Enter"] if offers > 1 else ["v"]]
    keys += [["Enter"], [str(chance.randint(1, offers))]] if offers else []
    tab.press(*chance.choice(keys))
    tab.wait_other(line)
    tab.wait_saved()


def _lines(tab: Tab) -> Any:
    """Every line's values, once all is saved."""
    tab.wait_saved()
    return json.loads(tab.page.evaluate(_ALL_LINES))


def _becomes(tab: Tab, expected_lines: Any) -> bool:
    """True if the lines have the wanted values within a second."""
    # "All saved" may still be of the key before: the page applies a key first and saves it then.
    give_up_at = time.monotonic() + 1
    while True:
        if _lines(tab) == expected_lines:
            return True
        if time.monotonic() > give_up_at:
            return False
        time.sleep(0.01)
