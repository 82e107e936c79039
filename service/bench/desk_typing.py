"""A practised person's typing at the desk's edit box: to each wrong name by Tab, letters until the right name is offered
first, Tab, Enter. Used by the bench and by the browser's tests."""

from __future__ import annotations

import re
from typing import Any

from service.bench.desk_browser import Tab


def correct(tab: Tab, wanted: str) -> None:
    """Type a correction as a practised person would: open the box on the reading nearest to the ink, go to each name
    that is wrong, type until the right name is offered first, take it, and accept. Where that leads nowhere, the whole line
    is typed."""
    offers = tab.offers()
    box = tab.page.locator("#work .words")
    if offers:
        near = min(range(len(offers)), key=lambda n: _differ(offers[n], wanted))
        for _ in range(near):
            tab.press("ArrowDown")
    tab.press("e")
    goal = _names(tab, wanted)
    for _ in range(8):
        now = str(box.input_value())
        if _same(now, wanted):
            break
        slots = tab.page.evaluate(
            "text => { const box = document.querySelector('#work .words');"
            " return [box.selectionStart, box.selectionEnd, window.readingNames.slots(text)]; }", now)
        _mend(tab, now, slots, goal, wanted)
    if not _same(str(box.input_value()), wanted):
        tab.press("Control+a", *wanted)
    tab.press("Enter")


def _same(one: str, other: str) -> bool:
    return one.split() == other.split()


def _differ(one: str, other: str) -> int:
    return sum(a != b for a, b in zip(one.split(), other.split(), strict=False)) + abs(
        len(one.split()) - len(other.split()))


def _names(tab: Tab, text: str) -> list[str]:
    return [text[a:b] for a, b in tab.page.evaluate("text => window.readingNames.slots(text)", text)]


def _mend(tab: Tab, now: str, found: list[Any], goal: list[str], wanted: str) -> None:
    """One name: go to the first wrong one and write the right one; else write the whole line."""
    start, end, slots = found
    inside = wanted[start:max(start, len(wanted) - len(now) + end)]
    if end > start and _same(now[:start] + inside + now[end:], wanted):
        _write(tab, inside, goal)
        return
    common = next((n for n in range(start) if now[n] != wanted[n:n + 1]), start)
    tail = now[end:].strip()
    if end > start and start - common <= 6 and wanted[common:].endswith(tail):
        tab.press(*["Backspace"] * (1 + start - common))
        middle = wanted[common:].removesuffix(tail)
        if middle.strip():
            _write(tab, middle, goal)
        return
    wrong = next((n for n, (a, b) in enumerate(slots) if n < len(goal) and now[a:b] != goal[n]), None)
    if wrong is None and wanted.endswith(f" {now}"):
        tab.press("Home", *wanted.removesuffix(now))
        return
    if wrong is None or len(slots) != len(goal):
        tab.press("Control+a")
        _write(tab, wanted, goal)
        return
    while [start, end] != slots[wrong]:
        tab.press("Shift+Tab" if start > slots[wrong][0] else "Tab")
        start, end = tab.page.evaluate(
            "() => { const box = document.querySelector('#work .words'); return [box.selectionStart, box.selectionEnd]; }")
    _type(tab, goal[wrong])


def _write(tab: Tab, text: str, goal: list[str]) -> None:
    """A piece of a line, its names completed; Delete where nothing belongs there."""
    if not text.strip():
        tab.press("Delete")
    for word in re.split(f"({'|'.join(map(re.escape, goal))})", text):
        _type(tab, word)


def _type(tab: Tab, words: str) -> None:
    """Letters until what is meant is offered first, then Tab; a blank that Tab has set is not typed again."""
    box = tab.page.locator("#work .words")
    for at, letter in enumerate(words):
        if at == 0 and letter == " " and str(box.input_value()).endswith(" "):
            continue
        tab.press(letter)
        first = tab.page.locator("#work .completions li.chosen")
        if len(words) - at > 2 and first.count() and first.text_content().removesuffix(" Tab") == words:
            tab.press("Tab")
            return
