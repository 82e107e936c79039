"""The demo's coordinator: a script that signs in at the desk over HTTP and presses what a person would press.

It does not look at pictures. A person looked at the doubtful lines beforehand and wrote into the story what
they show; the script finds the line that a page shows by its readings and presses the right one, or types the
words out.
"""

from __future__ import annotations

import html
import http.cookiejar
import re
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rapidfuzz import fuzz

from demo.story import WrittenLine

NAME, PASSWORD = "demo", "galloper-demo"
_TIMEOUT_SECONDS = 1800
"""A request; on a slow machine a turn is judged within one."""
_WHY = "no better version came in time"
"""The reason for which the script refuses a paper."""
_MOST_PAPERS = 100
_SETTLE = {
    r'href="/sheet/(\d+)#versions-head">Look': "/sheet/{}/refuse",
    r'href="/quarantine/([0-9a-f]{64})"': "/quarantine/{}/discard",
    r'action="/sheet/(\d+)/right"': "/sheet/{}/right",
}
"""What the results page requests, by its link, and the form that settles it."""

NO_ORDER = "no order of this phase"
"""What the desk writes in place of an order below a reading that makes none."""
# The least likeness, 0..100 (rapidfuzz's ratio), of a line's first reading to the written line that it is.
_MIN_LIKENESS = 55.0


@dataclass(frozen=True, slots=True)
class DecidedLine:
    """A doubtful line and what the script pressed.

    `readings`: the reader's, as the desk shows them. `act`: "reading-2", "edit" or "not-order". `text`: the
    words that stand now.
    """

    line_id: int
    power: str
    readings: tuple[str, ...]
    act: str
    text: str
    order: str


def _tell_nobody(_line: DecidedLine) -> None:
    """For those who do not watch."""


@dataclass(slots=True)
class ScriptedCoordinator:
    """A browser without a screen. `base`: the desk's address; `decisions`: lines by kind of decision;
    `tell`: called for each line before it is decided."""

    base: str
    tell: Callable[[DecidedLine], None] = _tell_nobody
    decisions: dict[str, int] = field(default_factory=dict)
    _open: urllib.request.OpenerDirector = field(init=False)

    def __post_init__(self) -> None:
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._open = urllib.request.build_opener(jar)

    def sign_in(self, name: str = NAME, password: str = PASSWORD) -> None:
        """Open a session at the desk."""
        self.post("/sign-in", name=name, password=password)

    def read_lines(self, phase_id: int, written: Mapping[str, Sequence[WrittenLine]]) -> int:
        """Decide every open line of a phase and return how many there were. `written`: power to its lines."""
        decided = 0
        page = self.get(f"/desk/{phase_id}")
        while 'name="line"' in page:
            page = self._decide(phase_id, page, written)
            decided += 1
        return decided

    def approve(self, phase_id: int) -> None:
        """Settle every paper that is set aside, say of odd sheets that they are right, and have the results
        sent."""
        page = self.get(f"/results/{phase_id}")
        for _ in range(_MOST_PAPERS):
            act = next(((path, match[1]) for pattern, path in _SETTLE.items()
                        if (match := re.search(pattern, page)) is not None), None)
            if act is None:
                break
            self.post(act[0].format(act[1]), csrf=_field(page, "csrf"), why=_WHY)
            page = self.get(f"/results/{phase_id}")
        self.post(f"/results/{phase_id}/approve", csrf=_field(page, "csrf"))

    def _decide(self, phase_id: int, page: str, written: Mapping[str, Sequence[WrittenLine]]) -> str:
        """Decide the line that a page of the desk shows; the next page."""
        power = html.unescape(_match(r'class="where">(.*?) · line', page))
        first_reading = html.unescape(_field(page, "text"))
        readings = [html.unescape(order) for order in re.findall(r'class="order">(.*?)</span>', page)]
        line = _written_line(first_reading, readings, written.get(power, ()))
        text = line.text
        if not line.order or line.struck:
            decision = "not-order"
        elif line.order in readings:
            decision = re.findall(r'data-offer="(.*?)"', page)[readings.index(line.order)]
            text = line.order  # a reading taken from another line of the sheet is sent with its order
        else:
            decision = "edit"
        offers = [html.unescape(shown) for shown in re.findall(r'data-text="(.*?)"', page)]
        # A reading is shown by its order; by the words of the hand where it makes none.
        shown_readings = tuple(words if order == NO_ORDER else order
                     for words, order in zip(offers, readings, strict=True))
        self.tell(DecidedLine(int(_field(page, "line")), power, shown_readings, decision, text, line.order))
        kind = decision.partition("-")[0]
        self.decisions[kind] = self.decisions.get(kind, 0) + 1
        return self.post(f"/desk/{phase_id}/decide", csrf=_field(page, "csrf"), line=_field(page, "line"),
                         key=_field(page, "key"), do=decision, text=text)

    def is_read(self, phase_id: int) -> bool:
        """True if no line of a phase waits for a decision."""
        return 'name="line"' not in self.get(f"/desk/{phase_id}")

    def get(self, path: str) -> str:
        """A page's text."""
        return self.fetch(path).decode()

    def fetch(self, path: str) -> bytes:
        """A page's or picture's bytes. Raises urllib's HTTPError for a status other than 200."""
        with self._open.open(self.base + path, timeout=_TIMEOUT_SECONDS) as answer:
            return bytes(answer.read())

    def post(self, path: str, **values: str) -> str:
        """Send a form; the text of the page it leads to."""
        data = urllib.parse.urlencode(values).encode()
        with self._open.open(self.base + path, data, timeout=_TIMEOUT_SECONDS) as answer:
            return str(answer.read().decode())


def _written_line(first_reading: str, readings: Sequence[str], written: Sequence[WrittenLine]) -> WrittenLine:
    """The written line that a crop shows: the one most like its readings; the reading itself if none is."""
    def likeness(line: WrittenLine) -> float:
        to_orders = (fuzz.ratio(reading.lower(), line.order.lower()) for reading in readings)
        return max([fuzz.ratio(first_reading.lower(), line.text.lower()), *to_orders])

    nothing = WrittenLine("", "", struck=False)
    best = max(written, key=likeness, default=nothing)
    return best if best.text and likeness(best) >= _MIN_LIKENESS else nothing._replace(text=first_reading)


def _field(page: str, name: str) -> str:
    return _match(rf'name="{name}" value="([^"]*)"', page)


def _match(pattern: str, page: str) -> str:
    match = re.search(pattern, page, re.DOTALL)
    if match is None:
        raise LookupError("the desk shows an unknown page")
    return match[1]
