"""A scripted operator reads the sample by keys alone: keys, clicks, times, and whether every line was read
right."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bench.desk.browser import WATCH, Tab
from bench.desk.sample import Do, SampleLine
from bench.desk.typing import correct
from bench.figure import Figure, median, percentile, tidy

LOOKS = 0.35
"""Seconds for which the operator looks at a line: a tenth of the plan's median, so harder than any person
works."""
MOST_TYPED = 12
_RESOURCES = """() => [window.times, window.clicks, performance.getEntriesByType('resource')
  .filter((one) => one.name.endsWith('/acts')).map((one) => one.responseEnd - one.requestStart)]"""
_KINDS = {
    "first": ("keys for a line whose first reading is right, most", "1"),
    "among": ("keys for a line with the right reading among five, most", "at most 2"),
    "typed": ("keys for a typed correction, most", f"at most {MOST_TYPED}"),
    "not an order": ("keys for a line that is no order, most", None),
    "void": ("keys for a line that is void, most", None),
}


@dataclass(slots=True)
class Walk:
    """What was counted: `keys` by kind of line; `seconds` a line from seen to decided; `times` in ms from the
    deciding key to the next line's ink; `answers` in ms from an act's request to its whole answer; `minutes`
    for all lines."""

    keys: dict[str, list[int]] = field(default_factory=lambda: {kind: [] for kind in _KINDS})
    seconds: list[float] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    clicks: int = 0
    minutes: float = 0.0


def walk(tab: Tab, truth: dict[int, SampleLine], looks: float = LOOKS) -> Walk:
    """Read every line of `truth` that the page shows, as a practised person who knows what each says
    would."""
    found, began = Walk(), time.monotonic()
    tab.page.evaluate("() => performance.setResourceTimingBufferSize(5000)")
    tab.page.evaluate(WATCH)
    tab.until("window.readingNames !== undefined")
    for _ in truth:
        at = time.monotonic()
        time.sleep(looks)
        line, before = tab.line(), tab.keys
        kind = decide(tab, truth[line])
        found.keys[kind].append(tab.keys - before)
        tab.wait_other(line)
        found.seconds.append(time.monotonic() - at)
        if tab.page.locator("#reading").count():
            found.times, found.clicks, found.answers = tab.page.evaluate(_RESOURCES)
    tab.page.wait_for_url(tab.reading)
    found.minutes = (time.monotonic() - began) / 60
    return found


def decide(tab: Tab, right: SampleLine) -> str:
    """Press what is right for the line on the screen; the kind of line it was."""
    if right.do is Do.NOT_ORDER:
        tab.press("o")
        return "not an order"
    if right.do is Do.VOID:
        tab.press("v", *(["Enter"] if len(tab.offers()) > 1 else []))
        return "void"
    wanted, offers = right.order or "", tab.offers()
    if offers and offers[0] == wanted:
        tab.press("Enter")
        return "first"
    if wanted in offers:
        tab.press(str(offers.index(wanted) + 1))
        return "among"
    correct(tab, wanted)
    return "typed"


def figures(found: Walk, right: int, of: int) -> Iterator[Figure]:
    """The plan's table. `right`: how many of `of` lines stand on file as they were written."""
    for kind, (what, target) in _KINDS.items():
        keys = found.keys[kind]
        yield Figure(what, max(keys, default=None), "keys", len(keys), target)
    yield Figure(("keys for a typed correction, "
                  "median"), median(found.keys["typed"]), "keys", len(found.keys["typed"]))
    few = sum(keys <= MOST_TYPED for keys in found.keys["typed"])
    yield Figure(("typed corrections within their "
                  "target"), few, "lines", len(found.keys["typed"]), f"{MOST_TYPED} keys")
    orders = sum(len(found.keys[kind]) for kind in ("first", "among", "typed"))
    offered = orders - len(found.keys["typed"])
    yield Figure(("right reading among the first "
                  "five"), tidy(offered / orders, 4) if orders else None, "share", orders,
                 how=("of the sample's doubtful lines only; the plan's 97 % are of all lines, and `bench "
                      "read` measures that"))
    yield Figure("mouse clicks", found.clicks, "clicks", target="0")
    for name, share in (("median", 0.5), ("p95", 0.95)):
        yield Figure(f"decision to the next line's ink, {name}", tidy(percentile(found.times, share)), "ms",
                     len(found.times), "at most 100" if name == "p95" else None,
                     "from the key to the frame that shows it")
        yield Figure(
            f"an act's answer, {name}",
            tidy(percentile(found.answers, share)),
            "ms",
            len(found.answers),
            how="from request to whole answer, as the browser times it; nobody waits for it",
        )
    how = (f"an operator that looks {LOOKS} s at each line and knows what it says: the desk's own part of a "
           f"person's time")
    yield Figure("a line, median", tidy(median(found.seconds), 2), "s", len(found.seconds), "at most 4", how)
    yield Figure(
        "a line, p90", tidy(percentile(found.seconds, 0.9), 2), "s", len(found.seconds), "at most 15", how
    )
    yield Figure(("all lines, from open to the page that leads to the "
                  "rehearsal"), tidy(found.minutes, 2), "min", of,
                 "at most 10", how)
    yield Figure("lines on file as they were written", right, "lines", of, str(of))


def wrong(decided: dict[int, tuple[str, str | None]], truth: dict[int, SampleLine]) -> dict[int, Any]:
    """Lines that do not stand as they were written, by id: state and order on file, state and order
    wanted."""
    names = {Do.READ: "read", Do.NOT_ORDER: "not an order", Do.VOID: "void"}
    wanted = {line: (names[one.do], one.order) for line, one in truth.items()}
    return {
        line: (decided.get(line), want) for line, want in wanted.items()
        if decided.get(line, ("", None))[0] != want[0] or (want[0] == "read" and decided[line][1] != want[1])
    }
