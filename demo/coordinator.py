"""The demo's coordinator: signs in at the desk over HTTP and reads the doubtful lines, as a person would.

The hand knows what stands on each sheet (the story tells), looks at the line's crop by its neighbours, and
presses what a person would press: the reading that is right, or the words typed out.
"""

from __future__ import annotations

import html
import http.cookiejar
import re
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rapidfuzz import fuzz

NAME, PASSWORD = "demo", "galloper-demo"
_LIKE = 55.0
"""Least likeness, 0..100, of a line's first reading to the written line that it is."""

Written = Sequence[tuple[str, str, bool]]


@dataclass(slots=True)
class Hand:
    """A browser without a screen. `base` is the desk's address; `presses` counts what was decided and how."""

    base: str
    presses: dict[str, int] = field(default_factory=dict)
    _open: urllib.request.OpenerDirector = field(init=False)

    def __post_init__(self) -> None:
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._open = urllib.request.build_opener(jar)

    def sign_in(self) -> None:
        """Open a session at the desk."""
        self.post("/sign-in", name=NAME, password=PASSWORD)

    def read_lines(self, phase: int, written: Mapping[str, Written]) -> int:
        """Decide every open line of a phase; how many there were. `written`: power to the lines on its
        sheet."""
        decided = 0
        page = self.get(f"/desk/{phase}")
        while 'name="line"' in page:
            page = self._decide(phase, page, written)
            decided += 1
        return decided

    def approve(self, phase: int) -> None:
        """Send the results."""
        self.post(f"/results/{phase}/approve", csrf=_field(self.get(f"/results/{phase}"), "csrf"))

    def _decide(self, phase: int, page: str, written: Mapping[str, Written]) -> str:
        power = html.unescape(_found(r'class="where">(.*?) · line', page))
        seen = html.unescape(_field(page, "text"))
        readings = [html.unescape(r) for r in re.findall(r'class="order">(.*?)</span>', page)]
        text, order, struck = _line_of(seen, readings, written.get(power, ()))
        if not order or struck:
            do = "not-order"
        elif order in readings:
            do = re.findall(r'data-offer="(.*?)"', page)[readings.index(order)]
            text = order  # what a reading that comes from another line of the sheet is sent with
        else:
            do = "edit"
        self.presses[do.partition("-")[0]] = self.presses.get(do.partition("-")[0], 0) + 1
        return self.post(f"/desk/{phase}/decide", csrf=_field(page, "csrf"), line=_field(page, "line"),
                         key=_field(page, "key"), do=do, text=text)

    def get(self, path: str) -> str:
        """A page's text."""
        with self._open.open(self.base + path, timeout=120) as answer:
            return str(answer.read().decode())

    def post(self, path: str, **values: str) -> str:
        """Send a form; the text of the page it leads to."""
        data = urllib.parse.urlencode(values).encode()
        with self._open.open(self.base + path, data, timeout=120) as answer:
            return str(answer.read().decode())


def _line_of(seen: str, readings: Sequence[str], written: Written) -> tuple[str, str, bool]:
    """The written line that this crop shows: the one most like what the eye made of it."""
    def likeness(line: tuple[str, str, bool]) -> float:
        text, order, _ = line
        return max(
            [
                fuzz.ratio(seen.lower(), text.lower()),
                *(fuzz.ratio(r.lower(), order.lower()) for r in readings),
            ]
        )

    best = max(written, key=likeness, default=("", "", False))
    return best if best[0] and likeness(best) >= _LIKE else (seen, "", False)


def _field(page: str, name: str) -> str:
    return _found(rf'name="{name}" value="([^"]*)"', page)


def _found(pattern: str, page: str) -> str:
    match = re.search(pattern, page, re.DOTALL)
    if match is None:
        raise LookupError("the desk shows no page that the demo knows")
    return match[1]
