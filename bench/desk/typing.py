"""A practised person's typing in the desk's edit box, used by the bench and by the browser's tests.

Names are typed by their first letters, or by the board's own short spelling, until the right one is offered;
Tab goes from name to name; what is wrong is corrected with the fewest keys.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from bench.desk.browser import Tab

_MAX_STEPS = 8
_FIRST_LETTERS = 3  # of a name's first word, after which a person goes on to its next word
_STATE = """() => { const box = document.querySelector('#work .words');
  return [box.value, box.selectionStart, box.selectionEnd, window.readingNames.slots(box.value)]; }"""
_SLOTS = "text => window.readingNames.slots(text)"
_FIRST = "typed => window.readingNames.search(typed)[0]"
_SPELLINGS = ("name => window.readingNames.entries.filter(entry => entry.name === name).map(entry => "
              "entry.key)")
_DASH = re.compile(r"\s*[-\u2010-\u2015]+\s*")
_OFFERED = """() => {
  const list = document.querySelector('#work .completions'), names = [...list.children];
  return list.hidden ? [[], -1] :
    [names.map(name => name.firstChild.textContent), names.findIndex(name => name.className)]; }"""


@dataclass(frozen=True, slots=True)
class _Edit:
    """One edit: the keys that select a place, how many characters before and after it are deleted, the words
    typed there, and what all that costs in keys. `over`: the words replace the selection."""

    cost: int
    select: tuple[str, ...] = ()
    before: int = 0
    behind: int = 0
    words: str = ""
    over: bool = False


class Typist:
    """Types what a line states, in one tab."""

    def __init__(self, tab: Tab, target: str) -> None:
        self._tab, self._target = tab, target
        self._names = [target[a:b] for a, b in tab.page.evaluate(_SLOTS, target)]
        self._short: dict[str, tuple[str, bool]] = {}
        self._spelled: dict[str, str] = {}

    def costs(self, offer: str) -> int:
        """About how many keys it takes to correct this reading, once it is in the box."""
        end = len(offer)
        slots = self._tab.page.evaluate(_SLOTS, offer)
        return min(edit.cost for edit in self._edits(offer, (end, end), slots))

    def correct(self) -> None:
        """Correct the line in the open box and accept it; if no edits lead there, type it letter by
        letter."""
        for _ in range(_MAX_STEPS):
            now, start, end, slots = self._tab.page.evaluate(_STATE)
            if _same(self._in_full(now), self._target):
                break
            self._apply(min(self._edits(now, (start, end), slots), key=lambda edit: edit.cost))
        else:
            self._tab.press("Control+a", *self._target)
        self._tab.press("Enter")

    def _edits(self, now: str, selection: tuple[int, int], slots: list[list[int]]) -> list[_Edit]:
        """What a person may do next, each with its cost until the whole line is right."""
        edits = [_Edit(1 + self._cost(self._target), ("Control+a",), 0, 0, self._target, over=True)]
        places = [((), selection), (("Home",), (0, 0)), (("End",), (len(now), len(now)))]
        places += [(_hops(selection, slots, n), (a, b)) for n, (a, b) in enumerate(slots)]
        edits += [self._widened(now, keys, place) for keys, place in places]
        wrong = [
            n
            for n, (a, b) in enumerate(slots)
            if n < len(self._names) and self._in_full(now[a:b]) != self._names[n]
        ]
        if len(slots) == len(self._names) and _same(self._with_names(now, slots), self._target):
            cost = sum(2 + self._cost(self._names[n]) for n in wrong)
            edits.append(
                _Edit(cost, _hops(selection, slots, wrong[0]), 0, 0, self._names[wrong[0]], over=True)
            )
        return edits

    def _with_names(self, now: str, slots: list[list[int]]) -> str:
        """The line with each of its names corrected."""
        for (a, b), name in reversed(list(zip(slots, self._names, strict=True))):
            now = now[:a] + name + now[b:]
        return now

    def _widened(self, now: str, keys: tuple[str, ...], place: tuple[int, int]) -> _Edit:
        """One selected place, widened until everything wrong is in it, and replaced."""
        start, end = place
        left = min(start, _common_length(now, self._target))
        common_end = min(
            len(now) - end, _common_length(now[::-1], self._target[::-1]), len(self._target) - left
        )
        right = len(now) - common_end
        words = self._target[left:len(self._target) - common_end]
        delete = 1 if end > start and (left < start or right > end or not words.strip()) else 0
        cost = len(keys) + delete + (start - left) + (right - end) + self._cost(words)
        return _Edit(cost, keys, start - left, right - end, words, over=not delete)

    def _apply(self, edit: _Edit) -> None:
        if edit.select[:1] == ("Tab",) and self._tab.page.evaluate(_OFFERED)[1] >= 0:
            self._tab.press("Tab")  # a short spelling's whole name: only then does Tab go to the next one
        self._tab.press(*edit.select)
        if not edit.over:
            self._tab.press("Delete")
        self._tab.press(*["Backspace"] * edit.before, *["Delete"] * edit.behind)
        if self._names.count(edit.words) and self._take_offer(edit.words):
            return
        for piece in self._pieces(edit.words):
            self._type(piece)

    def _take_offer(self, name: str) -> bool:
        """Take a name from the list of offers, if that is shorter than to type it."""
        names, chosen = self._tab.page.evaluate(_OFFERED)
        if name not in names or chosen >= 0 or names.index(name) + 2 > self._cost(name):
            return False
        self._tab.press(*["ArrowDown"] * (1 + names.index(name)), "Tab")
        return True

    def _pieces(self, text: str) -> list[str]:
        """Names of the line, and what is between them."""
        parts = re.split(f"({'|'.join(map(re.escape, sorted(self._names, key=len, reverse=True)))})", text)
        return [piece for piece in parts if piece]

    def _in_full(self, now: str) -> str:
        """The box's text with the short spellings that were typed there written in full."""
        for short, name in self._spelled.items():
            now = re.sub(rf"\b{re.escape(short)}\b", name, now)
        return now

    def _cost(self, text: str) -> int:
        return sum(
            len(piece.strip()) + (piece != piece.strip() and not _DASH.fullmatch(piece))
            if piece not in self._names
            else len(self._spelling(piece)[0]) + self._spelling(piece)[1]
            for piece in self._pieces(text)
        )

    def _spelling(self, name: str) -> tuple[str, bool]:
        """The letters that a person types for a name, and whether Tab must complete them."""
        if name not in self._short:
            known = self._tab.page.evaluate(_SPELLINGS, name)
            # The shortest beginning of a spelling for which the page offers this name first.
            beginnings = sorted(
                (letters[:n] for letters in (_letters(name), *known) for n in range(1, len(letters))),
                key=len)
            offered = (text for text in beginnings if self._tab.page.evaluate(_FIRST, text) == name)
            choices = [(name, False), *((spelling, False) for spelling in known)]
            choices += [(text, True) for text in islice(offered, 1)]
            self._short[name] = min(choices, key=lambda choice: (len(choice[0]) + choice[1], choice[1]))
        return self._short[name]

    def _type(self, words: str) -> None:
        """Type one name, or what is between names."""
        if words not in self._names:
            # Tab sets a blank after a name, which is not typed again; next to a dash none is needed.
            now, start, _end, _slots = self._tab.page.evaluate(_STATE)
            text = words.strip() if _DASH.fullmatch(words) else words
            self._tab.press(*(text.lstrip() if not start or now[start - 1] == " " else text))
            return
        letters, tab = self._spelling(words)
        self._tab.press(*letters)
        names, chosen = self._tab.page.evaluate(_OFFERED)
        if not tab:
            self._spelled[letters] = words
        elif chosen == 0 and names[0] == words:
            self._tab.press("Tab")
        else:
            self._tab.press(*["Backspace"] * len(letters), *words)


def correct(tab: Tab, target: str) -> None:
    """Open the box on the reading that needs the fewest keys, correct it, accept it."""
    offers, typist = tab.offers(), Typist(tab, target)
    if offers:
        cheapest_offer = min(range(len(offers)), key=lambda n: n + typist.costs(offers[n]))
        tab.press(*["ArrowDown"] * cheapest_offer)
    tab.press("e")
    Typist(tab, target).correct()


def _letters(name: str) -> str:
    """What a person types of a name: its first letters, then its next word."""
    first, _, rest = name.partition(" ")
    words = [word for word in re.split(r"[ /]", rest) if word.lower() not in {"", "&", "and", "of", "the"}]
    return name if not words or first.lower() == "the" else " ".join([first[:_FIRST_LETTERS], *words])


def _hops(selection: tuple[int, int], slots: list[list[int]], to: int) -> tuple[str, ...]:
    """The keys from a selection to the name of that number."""
    behind = [n for n, (a, _) in enumerate(slots) if a >= selection[1]]
    before = [n for n, (_, b) in enumerate(slots) if b <= selection[0]]
    if list(selection) == slots[to]:
        return ()
    if to in behind:
        return ("Tab",) * (1 + behind.index(to))
    if to in before:
        return ("Shift+Tab",) * (1 + before[::-1].index(to))
    return ("Home", *("Tab",) * (to + 1))


def _common_length(first: str, second: str) -> int:
    """The length of the longest common beginning."""
    return next(
        (n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
        min(len(first), len(second))
    )


def _same(first: str, second: str) -> bool:
    return _DASH.sub(" - ", first).split() == _DASH.sub(" - ", second).split()
