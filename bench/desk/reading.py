"""A scripted operator reads the sample with keys alone: keys, clicks, times, and whether every line is
right."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bench.desk.browser import WATCH, Tab
from bench.desk.sample import RightDecision, SampleLine
from bench.desk.typing import correct
from bench.figure import Figure, median, percentile, rounded

# For which the operator looks at a line: a tenth of the plan's median, so faster than any person works.
LOOK_SECONDS = 0.35
MAX_TYPED_KEYS = 12
_RESOURCES = """() => [window.times, window.clicks, performance.getEntriesByType('resource')
  .filter((entry) => entry.name.endsWith('/acts')).map((entry) => entry.responseEnd - entry.requestStart)]"""
_KINDS = {
    "first": ("keys for a line whose first reading is right, most", "1"),
    "among": ("keys for a line with the right reading among five, most", "at most 2"),
    "typed": ("keys for a typed correction, most", f"at most {MAX_TYPED_KEYS}"),
    "not an order": ("keys for a line that is not an order, most", None),
    "void": ("keys for a line that is void, most", None),
}


@dataclass(slots=True)
class Walk:
    """What was counted.

    `keys`: by kind of line. `seconds`: for each line from its appearance to the next one's. `times`: ms from
    the deciding key to the next line's ink. `answers`: ms from an act's request to its whole answer.
    `minutes`: for all lines.
    """

    keys: dict[str, list[int]] = field(default_factory=lambda: {kind: [] for kind in _KINDS})
    seconds: list[float] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    clicks: int = 0
    minutes: float = 0.0


def walk(tab: Tab, truth: dict[int, SampleLine], look_seconds: float = LOOK_SECONDS) -> Walk:
    """Read every line of `truth` that the page shows, as a practised person would who knows what each
    states."""
    result, began = Walk(), time.monotonic()
    tab.page.evaluate("() => performance.setResourceTimingBufferSize(5000)")
    tab.page.evaluate(WATCH)
    tab.until("window.readingNames !== undefined")
    for _ in truth:
        shown_at = time.monotonic()
        time.sleep(look_seconds)
        line, before = tab.line(), tab.keys
        kind = decide(tab, truth[line])
        result.keys[kind].append(tab.keys - before)
        tab.wait_other(line)
        result.seconds.append(time.monotonic() - shown_at)
        if tab.page.locator("#reading").count():
            result.times, result.clicks, result.answers = tab.page.evaluate(_RESOURCES)
    tab.page.wait_for_url(tab.reading)
    result.minutes = (time.monotonic() - began) / 60
    return result


def decide(tab: Tab, right: SampleLine) -> str:
    """Press what is right for the line on the screen; returns the kind of line."""
    if right.decision is RightDecision.NOT_ORDER:
        tab.press("o")
        return "not an order"
    if right.decision is RightDecision.VOID:
        tab.press("v", *(["Enter"] if len(tab.offers()) > 1 else []))
        return "void"
    right_order, offers = right.order or "", tab.offers()
    if offers and offers[0] == right_order:
        tab.press("Enter")
        return "first"
    if right_order in offers:
        tab.press(str(offers.index(right_order) + 1))
        return "among"
    correct(tab, right_order)
    return "typed"


def figures(result: Walk, right: int, of: int) -> Iterator[Figure]:
    """The figures of the desk plan. `right`: how many of `of` lines are on file as they were written."""
    # 1. Keys.
    for kind, (label, target) in _KINDS.items():
        keys = result.keys[kind]
        yield Figure(label, max(keys, default=None), "keys", len(keys), target)
    typed = result.keys["typed"]
    yield Figure("keys for a typed correction, median", median(typed), "keys", len(typed))
    within = sum(keys <= MAX_TYPED_KEYS for keys in typed)
    yield Figure(("typed corrections within their "
                  "target"), within, "lines", len(typed), f"{MAX_TYPED_KEYS} keys")
    orders = sum(len(result.keys[kind]) for kind in ("first", "among", "typed"))
    offered = rounded((orders - len(typed)) / orders, 4) if orders else None
    yield Figure("right reading among the first five", offered, "share", orders,
                 how="of the sample's doubtful lines only; the plan's 97 % are of all lines, and `bench "
                     "read` "
                     "measures that")
    yield Figure("mouse clicks", result.clicks, "clicks", target="0")
    # 2. What the browser measures.
    for name, share in (("median", 0.5), ("p95", 0.95)):
        ink_ms, answer_ms = percentile(result.times, share), percentile(result.answers, share)
        yield Figure(f"decision to the next line's ink, {name}", rounded(ink_ms), "ms", len(result.times),
                     "at most 100" if name == "p95" else None, "from the key to the frame that shows it")
        yield Figure(f"an act's answer, {name}", rounded(answer_ms), "ms", len(result.answers),
                     how="from request to whole answer, as the browser times it; nobody waits for it")
    # 3. What a person's clock would measure.
    method = (f"an operator that looks {LOOK_SECONDS} s at each line and knows what it says: the desk's own "
              f"part "
              f"of a person's time")
    seconds, count = result.seconds, len(result.seconds)
    yield Figure("a line, median", rounded(median(seconds), 2), "s", count, "at most 4", method)
    yield Figure("a line, p90", rounded(percentile(seconds, 0.9), 2), "s", count, "at most 15", method)
    yield Figure("all lines, from open to the page that leads to the rehearsal", rounded(result.minutes, 2),
                 "min", of, "at most 10", method)
    yield Figure("lines on file as they were written", right, "lines", of, str(of))


def wrong(decided: dict[int, tuple[str, str | None]], truth: dict[int, SampleLine]) -> dict[int, Any]:
    """Lines whose decision is not what was written, by id: state and order on file, state and order
    wanted."""
    names = {RightDecision.READ: "read", RightDecision.NOT_ORDER: "not an order", RightDecision.VOID: "void"}
    expected = {
        line: (names[sample_line.decision], sample_line.order) for line, sample_line in truth.items()
    }
    return {
        line: (decided.get(line), want) for line, want in expected.items()
        if decided.get(line, ("", None))[0] != want[0] or (want[0] == "read" and decided[line][1] != want[1])
    }
