"""The doors: one line, or one page of lines, to orders and complaints. One bad line never discards the
page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from adjudicator.orders import Order
from grammar import candidates as reading
from grammar.build_orders import MAKERS, Maker
from grammar.candidates import MAX_LINE_LENGTH, LineContext, LiteralReading
from grammar.complaint import Candidate, Complaint, ComplaintCode, margin
from grammar.compose import Forms
from grammar.exact_edges import DOUBT_WORDS, names_at
from grammar.lexicon import KIND, PLACE, POWER, Lexicon
from grammar.print import canonical
from grammar.words import Word, body_start, words

_UNSEEN = re.compile(r"^[\u200b\ufeff]+|[\u200b\ufeff]+$")
"""What editors leave unseen at the ends of a line; it becomes blanks, so that spans still fit the text."""
_HINTED = 0.7
"""Least likeness at which the nearest place is named in a complaint."""
_ORDERLIKE = 0.8
"""Least score at which a line is taken for an order gone wrong."""
_ORDER_SIGNS = frozenset({"build", "remove", "disband", "send", "command", "convert", "hold", "retreat"})


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """When a line that is not spelled as listed may still be read without a person.

    `score` 0..1: least share of letters left unchanged; `margin` in letters: how much dearer the next
    different order must be; `worst` 0..1: most letters changed in one word or name.
    """

    score: float = 0.85
    margin: float = 1.5
    worst: float = 0.34


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """One line read. `orders_from_tree` is empty exactly when `complaint` is set. `score` 0..1, 1 when every
    word is spelled as listed; `margin` is the cost in letters of the next different order, infinite where
    there is none."""

    text: str
    orders: tuple[Order, ...]
    complaint: Complaint | None
    candidates: tuple[Candidate, ...] = ()
    score: float = 0.0
    margin: float = float("inf")


class LineKind(StrEnum):
    """What a line of a sheet is. BLANK and STRUCK lines are never read (Q-16)."""

    HEADING = "heading"
    ORDER = "order"
    STRUCK = "struck"
    OTHER = "other"
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line of a page: its number from 1, what it is, and what it says if it is an order."""

    number: int
    kind: LineKind
    text: str
    parsed: ParsedLine | None = None


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page read, every line kept. Two orders for one unit are left to the judge (Q-16)."""

    lines: tuple[PageLine, ...]

    @property
    def orders(self) -> tuple[Order, ...]:
        return tuple(o for row in self.lines if row.parsed for o in row.parsed.orders)

    @property
    def complaints(self) -> tuple[Complaint, ...]:
        return tuple(row.parsed.complaint for row in self.lines if row.parsed and row.parsed.complaint)


def parse_line(
    text: str,
    *,
    lexicon: Lexicon,
    forms: Forms,
    power: str,
    line: int | None = None,
    makers: Mapping[str, Maker] = MAKERS,
    limits: ParseLimits = ParseLimits(),  # frozen
) -> ParsedLine:
    """Read one order line of `power`'s sheet; several units or sentences give several orders.

    Only letters decide, never the board's position (SUB-08, Q-01). A line with a condition, a choice or a
    denial gives no order. Any text at all gives a ParsedLine, in time bounded by the line's length limit.
    """
    clean = _UNSEEN.sub(lambda unseen: " " * len(unseen.group()), text)
    trouble = _unfit(clean)
    if trouble is not None:
        return _complain(ComplaintCode.INVALID, text, line, *trouble)
    sheet = LineContext(forms, lexicon, power, makers)
    found = words(clean, body_start(clean))
    written = reading.read_literally(found, sheet, line)
    if len(written.candidates) == 1:
        return ParsedLine(text, written.candidates[0].orders, None, written.candidates, 1.0)
    if written.candidates:
        return _complain(ComplaintCode.AMBIGUOUS, text, line, _whole(clean),
                         "A name in this line stands for more than one region; write the full name.",
                         written.candidates)
    doubt = next((w for w in found if w.text in DOUBT_WORDS or w.text == "?"), None)
    if doubt is not None:
        message = (f"“{clean[doubt.start : doubt.end]}” makes this a condition, a choice or a denial, not an "
                   f"order.")
        return _complain(ComplaintCode.INVALID, text, line, (doubt.start, doubt.end), message)
    return _misspelt(text, clean, sheet, written, line, limits)


def _misspelt(
    text: str, clean: str, sheet: LineContext, written: LiteralReading, line: int | None, limits: ParseLimits
) -> ParsedLine:
    """A line that is no order as it stands: read when one order is clearly nearest, else complained of."""
    start = body_start(clean)
    near = tuple(reading.read_fuzzily(clean[start:], sheet, line, typed=True))
    ahead = margin(near)
    span = _span(words(clean, start), written.furthest, clean)
    certain = bool(near) and near[0].score >= limits.score and near[0].worst <= limits.worst
    if certain and ahead >= limits.margin:
        return ParsedLine(text, near[0].orders, None, near[:5], near[0].score, ahead)
    if certain:
        first, second = ("; ".join(canonical(o, sheet.lexicon.board) for o in c.orders) for c in near[:2])
        return _complain(ComplaintCode.AMBIGUOUS, text, line, span, (f"This is nearly “{first}” and nearly "
                                                            f"“{second}”."), near[:5])
    code, message = _why_not(clean, sheet, written, span)
    return _complain(code, text, line, span, message, near[:5])


def _why_not(
    text: str, sheet: LineContext, written: LiteralReading, span: tuple[int, int]
) -> tuple[ComplaintCode, str]:
    """Code and sentence for a line that is not an order as it stands."""
    piece = text[span[0] : span[1]]
    if not piece:
        return ComplaintCode.INVALID, "The line ends before the order is complete."
    if not any(w.text in sheet.forms.keywords or names_at([w], 0, sheet.lexicon) for w in words(text)):
        return ComplaintCode.UNREAD, "No word of this line belongs to an order."
    if PLACE in written.expected and not names_at(words(piece), 0, sheet.lexicon):
        near = sheet.lexicon.near(piece, 1)
        hint = (
            f"; the nearest is {sheet.lexicon.printed(near[0].region)}"
            if near and near[0].score > _HINTED
            else ""
        )
        return ComplaintCode.INVALID, f"“{piece}” is no place of this board{hint}."
    return ComplaintCode.INVALID, f"No {sheet.forms.phase.value} order goes on with “{piece}” here."


def _complain(code: ComplaintCode, text: str, line: int | None, span: tuple[int, int], message: str,
              candidates: Sequence[Candidate] = ()) -> ParsedLine:
    near = tuple(candidates)
    score = near[0].score if near else 0.0
    return ParsedLine(text, (), Complaint(code, line, span, text, message, near), near, score, margin(near))


def _unfit(text: str) -> tuple[tuple[int, int], str] | None:
    """Text that is never looked at: too long, blank, or with signs no pen makes."""
    if len(text) > MAX_LINE_LENGTH:
        return (MAX_LINE_LENGTH, len(text)), (f"The line has {len(text)} characters; no order is longer than "
                                      f"{MAX_LINE_LENGTH}.")
    if not text.strip():
        return (0, len(text)), "The line is empty."
    for at, sign in enumerate(text):
        if sign != "\t" and unicodedata.category(sign) in {"Cc", "Cf", "Co", "Cs", "Cn"}:
            return (at, at + 1), f"The line holds a control character (U+{ord(sign):04X}) and is not read."
    return None


def _span(found: Sequence[Word], at: int, text: str) -> tuple[int, int]:
    if at >= len(found):
        end = len(text.rstrip())
        return end, end
    return found[at].start, found[at].end


def _whole(text: str) -> tuple[int, int]:
    return len(text) - len(text.lstrip()), len(text.rstrip())


def parse_page(
    lines: Iterable[tuple[str, bool]],
    *,
    lexicon: Lexicon,
    forms: Forms,
    power: str,
    makers: Mapping[str, Maker] = MAKERS,
    limits: ParseLimits = ParseLimits(),  # frozen
) -> ParsedPage:
    """Read a page: `lines` are (text, struck) from top to bottom, one order a line (HEAD-01).

    Lines before the first that is or resembles an order are the heading; a line that is only a power's name
    is a signature. Struck lines are kept and not read.
    """
    rows: list[PageLine] = []
    begun = False
    for number, (text, struck) in enumerate(lines, 1):
        if not text.strip():
            rows.append(PageLine(number, LineKind.BLANK, text))
            continue
        if struck:
            rows.append(PageLine(number, LineKind.STRUCK, text))
            continue
        parsed = parse_line(text, lexicon=lexicon, forms=forms, power=power, line=number, makers=makers,
                            limits=limits)
        is_order = bool(parsed.orders) or _near_order(parsed) or _resembles(text, lexicon)
        begun = begun or is_order
        if is_order or (begun and not _signature(text, lexicon)):
            rows.append(PageLine(number, LineKind.ORDER, text, parsed))
        else:
            rows.append(PageLine(number, LineKind.OTHER if begun else LineKind.HEADING, text))
    return ParsedPage(tuple(rows))


def _near_order(parsed: ParsedLine) -> bool:
    best = parsed.candidates[0] if parsed.candidates else None
    return best is not None and best.score > _ORDERLIKE and best.worst < _HINTED


def _resembles(text: str, lexicon: Lexicon) -> bool:
    """Does a line that gives no order begin like one: a unit and a place, or a word only orders begin
    with?"""
    if len(text) > MAX_LINE_LENGTH:
        return False
    found = words(text, body_start(text))
    if found and found[0].text in _ORDER_SIGNS:
        return True
    kinds = [
        n for n in range(len(found)) if any(name.terminal == KIND for _, name in names_at(found, n, lexicon))
    ]
    return any(name.terminal == PLACE for n in kinds if n + 1 < len(found)
               for _, name in names_at(found, n + 1, lexicon))


def _signature(text: str, lexicon: Lexicon) -> bool:
    found = [w for w in words(text) if w.text[0].isalnum() and w.text != "the"]
    return bool(found) and any(end == len(found) and name.terminal == POWER
                               for end, name in names_at(found, 0, lexicon))
