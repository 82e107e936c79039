"""A practised person's typing at the desk's edit box: names by their first letters, or those of the board's
own short spelling, until the right one is offered, places by Tab, what is wrong by the way with the fewest
keys. Used by the bench and by the browser's tests."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bench.desk.browser import Tab

_MOST_STEPS = 8
_BEGINNING = 3
"""Letters of a name's first word after which a person goes on to its next word."""
_STATE = """() => { const box = document.querySelector('#work .words');
  return [box.value, box.selectionStart, box.selectionEnd, window.readingNames.slots(box.value)]; }"""
_SLOTS = "text => window.readingNames.slots(text)"
_FIRST = "typed => window.readingNames.search(typed)[0]"
_SPELT = "name => window.readingNames.entries.filter(one => one.name === name).map(one => one.key)"
_DASH = re.compile(r"\s*[-\u2010-\u2015]+\s*")
_OFFERED = """() => { const list = document.querySelector('#work .completions'); return list.hidden ? [[], -1] :
  [[...list.children].map(one => one.firstChild.textContent), [...list.children].findIndex(one => one.className)]; }"""


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to a right line: the keys that select a place, how many signs before and behind it go, what is
    typed there then, and what all that costs in keys."""

    cost: int
    select: tuple[str, ...] = ()
    before: int = 0
    behind: int = 0
    words: str = ""
    over: bool = False


class Typist:
    """Types what a line says, in one tab. `goal` are the names in it."""

    def __init__(self, tab: Tab, wanted: str) -> None:
        self._tab, self._wanted = tab, wanted
        self._goal = [wanted[a:b] for a, b in tab.page.evaluate(_SLOTS, wanted)]
        self._short: dict[str, tuple[str, bool]] = {}
        self._kept: dict[str, str] = {}

    def costs(self, offer: str) -> int:
        """About how many keys it takes to make this reading right, once it is in the box."""
        end = len(offer)
        return min(way.cost for way in self._ways(offer, (end, end), self._tab.page.evaluate(_SLOTS, offer)))

    def correct(self) -> None:
        """From the open box to the accepted line. Where no way leads there, the whole line is typed letter by
        letter."""
        for _ in range(_MOST_STEPS):
            now, start, end, slots = self._tab.page.evaluate(_STATE)
            if _same(self._meant(now), self._wanted):
                break
            self._go(min(self._ways(now, (start, end), slots), key=lambda way: way.cost))
        else:
            self._tab.press("Control+a", *self._wanted)
        self._tab.press("Enter")

    def _ways(self, now: str, at: tuple[int, int], slots: list[list[int]]) -> list[_Way]:
        """What a person may do next, each with what it costs until the whole line is right."""
        ways = [_Way(1 + self._cost(self._wanted), ("Control+a",), 0, 0, self._wanted, over=True)]
        places = [((), at), (("Home",), (0, 0)), (("End",), (len(now), len(now)))]
        places += [(_hops(at, slots, n), (a, b)) for n, (a, b) in enumerate(slots)]
        ways += [way for keys, place in places for way in self._span(now, keys, place)]
        wrong = [
            n
            for n, (a, b) in enumerate(slots)
            if n < len(self._goal) and self._meant(now[a:b]) != self._goal[n]
        ]
        if len(slots) == len(self._goal) and _same(self._filled(now, slots), self._wanted):
            cost = sum(2 + self._cost(self._goal[n]) for n in wrong)
            ways.append(_Way(cost, _hops(at, slots, wrong[0]), 0, 0, self._goal[wrong[0]], over=True))
        return ways

    def _filled(self, now: str, slots: list[list[int]]) -> str:
        """The line with each of its names made right."""
        for (a, b), name in reversed(list(zip(slots, self._goal, strict=True))):
            now = now[:a] + name + now[b:]
        return now

    def _span(self, now: str, keys: tuple[str, ...], place: tuple[int, int]) -> list[_Way]:
        """One selected place made wider until all that is wrong is in it, and what belongs there typed."""
        start, end = place
        left = min(start, _alike(now, self._wanted))
        kept = min(len(now) - end, _alike(now[::-1], self._wanted[::-1]), len(self._wanted) - left)
        right = len(now) - kept
        words = self._wanted[left:len(self._wanted) - kept]
        delete = 1 if end > start and (left < start or right > end or not words.strip()) else 0
        cost = len(keys) + delete + (start - left) + (right - end) + self._cost(words)
        return [_Way(cost, keys, start - left, right - end, words, over=not delete)]

    def _go(self, way: _Way) -> None:
        if way.select[:1] == ("Tab",) and self._tab.page.evaluate(_OFFERED)[1] >= 0:
            self._tab.press("Tab")  # a short spelling's whole name: only then does Tab go to the next one
        self._tab.press(*way.select)
        if not way.over:
            self._tab.press("Delete")
        self._tab.press(*["Backspace"] * way.before, *["Delete"] * way.behind)
        if self._goal.count(way.words) and self._offered(way.words):
            return
        for piece in self._pieces(way.words):
            self._type(piece)

    def _offered(self, name: str) -> bool:
        """Take a name that is offered beside the selected one, where that is shorter than to type it."""
        names, at = self._tab.page.evaluate(_OFFERED)
        if name not in names or at >= 0 or names.index(name) + 2 > self._cost(name):
            return False
        self._tab.press(*["ArrowDown"] * (1 + names.index(name)), "Tab")
        return True

    def _pieces(self, text: str) -> list[str]:
        """Names of the line, and what stands between them."""
        found = re.split(f"({'|'.join(map(re.escape, sorted(self._goal, key=len, reverse=True)))})", text)
        return [piece for piece in found if piece]

    def _meant(self, now: str) -> str:
        """The box's words with the short spellings typed there in full."""
        for short, name in self._kept.items():
            now = re.sub(rf"\b{re.escape(short)}\b", name, now)
        return now

    def _cost(self, text: str) -> int:
        return sum(
            len(piece.strip()) + (piece != piece.strip() and not _DASH.fullmatch(piece))
            if piece not in self._goal
            else len(self._spelling(piece)[0]) + self._spelling(piece)[1]
            for piece in self._pieces(text)
        )

    def _spelling(self, name: str) -> tuple[str, bool]:
        """The letters that a person types for a name, and whether Tab must complete them."""
        if name not in self._short:
            whole = self._tab.page.evaluate(_SPELT, name)
            ways = [
                (letters[:n], True) for letters in (_letters(name), *whole) for n in range(1, len(letters))
            ]
            shown = [way for way in sorted(ways, key=lambda way: len(way[0]))
                     if self._tab.page.evaluate(_FIRST, way[0]) == name][:1]
            self._short[name] = min([(name, False), *((one, False) for one in whole), *shown],
                                    key=lambda way: (len(way[0]) + way[1], way[1]))
        return self._short[name]

    def _type(self, words: str) -> None:
        """One name, or what stands between names. A blank that Tab has set is not typed again, and none
        beside a dash."""
        if words not in self._goal:
            now, start, _end, _slots = self._tab.page.evaluate(_STATE)
            text = words.strip() if _DASH.fullmatch(words) else words
            self._tab.press(*(text.lstrip() if not start or now[start - 1] == " " else text))
            return
        letters, tab = self._spelling(words)
        self._tab.press(*letters)
        names, at = self._tab.page.evaluate(_OFFERED)
        if not tab:
            self._kept[letters] = words
        elif at == 0 and names[0] == words:
            self._tab.press("Tab")
        else:
            self._tab.press(*["Backspace"] * len(letters), *words)


def correct(tab: Tab, wanted: str) -> None:
    """Open the box on the reading from which the fewest keys lead to what is wanted, make it right,
    accept."""
    offers, typist = tab.offers(), Typist(tab, wanted)
    if offers:
        near = min(range(len(offers)), key=lambda n: n + typist.costs(offers[n]))
        tab.press(*["ArrowDown"] * near)
    tab.press("e")
    Typist(tab, wanted).correct()


def _letters(name: str) -> str:
    """What a person types of a name: its beginning, then the beginning of its next word."""
    first, _, rest = name.partition(" ")
    words = [word for word in re.split(r"[ /]", rest) if word.lower() not in {"", "&", "and", "of", "the"}]
    return name if not words or first.lower() == "the" else " ".join([first[:_BEGINNING], *words])


def _hops(at: tuple[int, int], slots: list[list[int]], to: int) -> tuple[str, ...]:
    """Tabs from a selection to a name."""
    behind = [n for n, (a, _) in enumerate(slots) if a >= at[1]]
    before = [n for n, (_, b) in enumerate(slots) if b <= at[0]]
    if list(at) == slots[to]:
        return ()
    return (
        ("Tab",) * (1 + behind.index(to))
        if to in behind
        else ("Shift+Tab",) * (1 + before[::-1].index(to))
        if to in before
        else ("Home", *("Tab",) * (to + 1))
    )


def _alike(one: str, other: str) -> int:
    """Signs that two texts begin with alike."""
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _same(one: str, other: str) -> bool:
    return _DASH.sub(" - ", one).split() == _DASH.sub(" - ", other).split()
