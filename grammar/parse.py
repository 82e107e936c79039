"""One line, or one page of lines, to orders and complaints. One bad line never discards the page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from rapidfuzz.distance import OSA

from adjudicator.orders import Convoy, Order, SupportHold, SupportMove
from grammar.build_orders import MAKERS, Maker
from grammar.candidates import MAX_LINE_LENGTH, LineContext, LiteralReading, read_fuzzily, read_literally
from grammar.complaint import Candidate, Complaint, ComplaintCode, margin
from grammar.compose import Forms
from grammar.exact_edges import names_at
from grammar.impossible import Contradiction, OnePlace
from grammar.lexicon import KIND, PLACE, POWER, Lexicon, Match, name_key
from grammar.order_traits import has_kindless_unit
from grammar.print import canonical_line
from grammar.words import (
    DOUBT_SIGNS,
    Word,
    body_start,
    first_phrase,
    no_whole_number,
    without_elisions,
    without_possessives,
    words,
)

_INVISIBLE = re.compile(r"^[\u200b\ufeff]+|[\u200b\ufeff]+$")
"""Invisible characters at the ends of a line; it becomes blanks, so that spans still fit the text."""
_UNPRINTABLE = frozenset({"Cc", "Cf", "Co", "Cs", "Cn"})
"""Unicode categories of characters that no pen writes."""
_MIN_HINT = 0.7
"""Least likeness, 0..1, at which the nearest place is named in a complaint."""
_MIN_ORDERLIKE = 0.8
"""Least score, 0..1, at which a line is taken for an order with a mistake in it."""
_MAX_WORST = 0.7
"""Largest changed share of one word, 0..1, in such a line."""
_FIRST_WORDS = frozenset({"build", "remove", "disband", "send", "command", "convert", "hold", "retreat"})
_GOES_ON = frozenset("-/=+")
"""Signs that something must follow: no misspelling, where a line ends with one."""
_SHOWN = 5
"""Candidates that a complaint carries."""


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """When a line that is not spelled as listed may still be read without a person.

    `score` 0..1: least share of letters left unchanged. `margin` in letters: how much more the next different
    order must cost. `worst` 0..1: largest share changed in one word or name; `offered`: up to which share it
    is offered next to another.
    """

    score: float = 0.85
    margin: float = 1.5
    # A slip in five letters, two in ten. Of 650 names of towns and lands, those of the boards left out, five
    # were read as other places at .25 (Tadcaster, Corbridge, Daventry, ...), and none at this.
    worst: float = 0.2
    offered: float = 0.34


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """One line read. `orders` is empty exactly when `complaint` is set.

    `score`: 0..1, 1 when every word is spelled as listed. `margin`: letters by which the next different order
    costs more, infinite without one.
    """

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
    """A line of a page: its number from 1, its kind, and what it means if it is an order."""

    number: int
    kind: LineKind
    text: str
    parsed: ParsedLine | None = None


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page with every line kept. Two orders for one unit are left to the judge (Q-16)."""

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
    as_written: bool = False,
) -> ParsedLine:
    """Read one order line of `power`'s sheet; several units or sentences give several orders. `as_written`:
    it is canonical text of ours.

    Only letters decide, never the board's position (SUB-08, Q-01). A line with a condition, a choice or a
    denial gives no order. Any text gives a ParsedLine, in time bounded by the limit on a line's length.
    """
    # One blank for each character, so that a complaint's span still fits the text as it came.
    clean = _INVISIBLE.sub(lambda unseen: " " * len(unseen.group()), text)
    clean = without_elisions(clean, lexicon.elisions, lexicon.tree)
    refusal = _unreadable(clean)
    if refusal is not None:
        return _complain(ComplaintCode.INVALID, text, line, *refusal)
    context = LineContext(forms, lexicon, power, makers, plain_remarks=True, as_written=as_written)
    line_words = words(clean, body_start(clean))
    sign = DOUBT_SIGNS.search(clean)
    if sign is not None:
        return _complain(ComplaintCode.INVALID, text, line, *_doubtful(clean, *sign.span()))
    literal = read_literally(line_words, context, line)
    candidates = literal.candidates or _read_joined(line_words, context, line)
    if len(candidates) == 1:
        return ParsedLine(text, candidates[0].orders, None, candidates, 1.0)
    if candidates:
        whole_span = len(clean) - len(clean.lstrip()), len(clean.rstrip())
        return _complain(ComplaintCode.AMBIGUOUS, text, line, whole_span,
                         "A name in this line means more than one region; write the full name.",
                         literal.candidates)
    never = _never_read(clean, line_words, literal, context) or _says_more(clean, line_words, context)
    if never is not None:
        return _complain(ComplaintCode.INVALID, text, line, *never)
    return _parse_misspelt(text, clean, context, literal, line, limits)


def _read_joined(line: Sequence[Word], context: LineContext, number: int | None) -> tuple[Candidate, ...]:
    """The reading of a line in which "and" joins whole orders, each as it is read by itself; () for another.

    Not behind a support or a convoy: "A York supports A Durham and A Kent to Sussex" may support two. Nor
    where a unit has no kind: "A York to Durham and Kent holds" may go on about York.
    """
    for index, word in enumerate(line):
        if word.text != "and":
            continue
        first, rest = _whole_order(line[:index], context, number), line[index + 1:]
        if first and not isinstance(first[0].orders[-1], SupportHold | SupportMove | Convoy):
            second = _whole_order(rest, context, number) or _read_joined(rest, context, number)
            if second:
                return (replace(first[0], orders=first[0].orders + second[0].orders),)
    return ()


def _whole_order(line: Sequence[Word], context: LineContext, number: int | None) -> tuple[Candidate, ...]:
    """The only literal reading of some words, if each of its units has a kind; else ()."""
    candidates = read_literally(line, context, number).candidates
    return candidates if len(candidates) == 1 and not has_kindless_unit(candidates[0].orders) else ()


def _never_read(text: str, line: Sequence[Word], literal: LiteralReading,
                context: LineContext) -> tuple[tuple[int, int], str] | None:
    """Span and sentence for a line that no correction of its letters can make an order, or None."""
    if literal.contradiction is not None:
        return _contradicts(text, literal.contradiction, context.lexicon)
    # After the literal reading, in which "no" may be part of the remark "(no change)".
    doubt = next((w for w in line if w.text in context.lexicon.doubt_words), None)
    if doubt is not None:
        return _doubtful(text, doubt.start, doubt.end)
    phrase = first_phrase(line, context.lexicon.doubt_phrases)
    if phrase:
        return _doubtful(text, phrase[0].start, phrase[-1].end)
    report = next((w for w in line if w.text in context.lexicon.reports), None)
    if report is not None:
        verb = text[report.start:report.end]
        return (report.start, report.end), f"“{verb}” describes what was or would be, and is not an order."
    if line and line[-1].text in _GOES_ON:
        return (line[-1].start, line[-1].end), "The line ends before the order is complete."
    return None


def _says_more(text: str, line: Sequence[Word], context: LineContext) -> tuple[tuple[int, int], str] | None:
    """Span and sentence for an order next to a remark that may change it ("(plan B)"), or None."""
    if "(" not in text or not read_literally(line, replace(context, plain_remarks=False), None).candidates:
        return None
    start, end = text.index("("), text.rfind(")") + 1 or len(text)
    return (start, end), f"“{text[start:end]}” may change the order next to it. Write the order without it."


def _doubtful(text: str, start: int, end: int) -> tuple[tuple[int, int], str]:
    """The span and the sentence for what makes a line no order."""
    return (start, end), f"“{text[start:end]}” makes this a condition, a choice or a denial, not an order."


def _contradicts(text: str, why: Contradiction, lexicon: Lexicon) -> tuple[tuple[int, int], str]:
    """Span and sentence for a line whose only reading cannot be meant."""
    place = lexicon.province_name(why.region)
    written = why.second if isinstance(why, OnePlace) else why.written
    starts = [word.start for word in words(text) if word.base == written.partition(" ")[0]]
    start = starts[-1] if starts else 0
    end = min(len(text.rstrip()), start + len(written))
    if isinstance(why, OnePlace):
        return (start, end), f"“{why.first}” and “{why.second}” both mean {place}. Write the full name."
    unit = lexicon.kinds[why.fault.kind].name.lower() if why.fault.kind else "unit"
    return (start, end), (f"“{text[start:end]}” means {place}, {why.fault.why.value.format(unit=unit)}. "
                          f"Write the name of the place that you mean, or “{place}” in full.")


def _parse_misspelt(text: str, clean: str, context: LineContext, literal: LiteralReading, line: int | None,
                    limits: ParseLimits) -> ParsedLine:
    """A line that is not an order as written: read when one order is clearly nearest, otherwise a
    complaint."""
    start = body_start(clean)
    # Typed: a keyboard takes no letter for one that looks like it.
    read = read_fuzzily(without_possessives(clean[start:]), context, line, typed=True)
    candidates = tuple(candidate for candidate in read if candidate.is_whole)
    shown_candidates = candidates[:_SHOWN]
    lead = margin(candidates)
    span = _word_span(words(clean, start), literal.furthest, clean)
    is_near = bool(candidates) and (
        candidates[0].score >= limits.score and candidates[0].worst <= limits.offered)
    if is_near and lead >= limits.margin and candidates[0].worst <= limits.worst:
        return ParsedLine(text, candidates[0].orders, None, shown_candidates, candidates[0].score, lead)
    if is_near and lead < limits.margin:
        first, second = (canonical_line(c.orders, context.lexicon.board) for c in candidates[:2])
        message = f"This is nearly “{first}” and nearly “{second}”."
        return _complain(ComplaintCode.AMBIGUOUS, text, line, span, message, shown_candidates)
    code, message = _why_not(clean, context, literal, span)
    return _complain(code, text, line, span, message, shown_candidates)


def _why_not(text: str, context: LineContext, literal: LiteralReading,
             span: tuple[int, int]) -> tuple[ComplaintCode, str]:
    """Code and sentence for a line that is not an order as written."""
    piece = text[span[0]:span[1]]
    lexicon = context.lexicon
    if not piece:
        return ComplaintCode.INVALID, (_of_another_power(text, context)
                                       or "The line ends before the order is complete.")
    if not any(w.text in context.forms.keywords or names_at([w], 0, lexicon) for w in words(text)):
        return ComplaintCode.UNREAD, "No word of this line belongs to an order."
    if PLACE in literal.expected and not names_at(words(piece), 0, lexicon):
        match = next(iter(lexicon.nearest_places(piece, 1)), None)
        has_hint = match is not None and match.score > _MIN_HINT
        # A near name may be from another corner of the land: how far the letters are apart is stated
        # (WRD-03).
        hint = _hint(piece, match, lexicon) if match and has_hint else ""
        return ComplaintCode.INVALID, f"“{piece}” is not a place of this board{hint}."
    return ComplaintCode.INVALID, f"No {context.forms.phase.value} order continues with “{piece}” here."


def _of_another_power(text: str, context: LineContext) -> str:
    """The sentence for a build or removal that begins with another power's name; "" for any other line."""
    line = words(text, body_start(text))
    powers = [(end, name.value) for end, name in names_at(line, 0, context.lexicon) if name.terminal == POWER]
    if not powers or any(power == context.power for _, power in powers):
        return ""
    name = text[line[0].start:line[max(end for end, _ in powers) - 1].end]
    return f"“{name}” is another power, and a sheet builds and removes only for its own power."


def _hint(piece: str, match: Match, lexicon: Lexicon) -> str:
    """The nearest name with the letters that it is away."""
    letters = OSA.distance(" ".join(name_key(piece)), match.text)
    away = "1 letter" if letters == 1 else f"{letters} letters"
    return f"; the nearest is {lexicon.province_name(match.region)}, {away} away"


def _complain(code: ComplaintCode, text: str, line: int | None, span: tuple[int, int], message: str,
              candidates: Sequence[Candidate] = ()) -> ParsedLine:
    shown_candidates = tuple(candidates)
    score = shown_candidates[0].score if shown_candidates else 0.0
    complaint = Complaint(code, line, span, text, message, shown_candidates)
    return ParsedLine(text, (), complaint, shown_candidates, score, margin(shown_candidates))


def _unreadable(text: str) -> tuple[tuple[int, int], str] | None:
    """Span and sentence for text that is never read: too long, blank, with characters no pen makes, or with a
    number that is not whole."""
    if len(text) > MAX_LINE_LENGTH:
        message = f"The line has {len(text)} characters; no order is longer than {MAX_LINE_LENGTH}."
        return (MAX_LINE_LENGTH, len(text)), message
    if not text.strip():
        return (0, len(text)), "The line is empty."
    for index, character in enumerate(text):
        if character != "\t" and unicodedata.category(character) in _UNPRINTABLE:
            message = f"The line holds a control character (U+{ord(character):04X}) and is not read."
            return (index, index + 1), message
    number = no_whole_number(text)
    if number is None:
        return None
    return number, f"“{text[slice(*number)].strip()}” is not a whole number. Write one in figures."


def _word_span(line: Sequence[Word], index: int, text: str) -> tuple[int, int]:
    """The characters of a word; for an index past the last word, the end of the text."""
    if index >= len(line):
        end = len(text.rstrip())
        return end, end
    return line[index].start, line[index].end


def parse_page(
    lines: Iterable[tuple[str, bool]],
    *,
    lexicon: Lexicon,
    forms: Forms,
    power: str,
    makers: Mapping[str, Maker] = MAKERS,
    limits: ParseLimits = ParseLimits(),  # frozen
) -> ParsedPage:
    """Read a page: `lines` are (text, struck out) from top to bottom, one order a line (HEAD-01).

    Lines before the first that is or resembles an order are the heading; a line that is only a power's name
    is a signature. Struck lines are stored and not read.
    """
    rows: list[PageLine] = []
    in_orders = False
    for number, (text, is_struck) in enumerate(lines, 1):
        if not text.strip() or is_struck:
            kind = LineKind.STRUCK if text.strip() else LineKind.BLANK
            rows.append(PageLine(number, kind, text))
            continue
        parsed = parse_line(text, lexicon=lexicon, forms=forms, power=power, line=number, makers=makers,
                            limits=limits)
        is_order = bool(parsed.orders) or _is_near_order(parsed) or _begins_like_order(text, lexicon)
        in_orders = in_orders or is_order
        # Below the first order a line that is none is still an order with a fault, and gets its complaint.
        if is_order or (in_orders and not _is_signature(text, lexicon)):
            rows.append(PageLine(number, LineKind.ORDER, text, parsed))
        else:
            rows.append(PageLine(number, LineKind.OTHER if in_orders else LineKind.HEADING, text))
    return ParsedPage(tuple(rows))


def _is_near_order(parsed: ParsedLine) -> bool:
    best = parsed.candidates[0] if parsed.candidates else None
    return best is not None and best.score > _MIN_ORDERLIKE and best.worst < _MAX_WORST


def _begins_like_order(text: str, lexicon: Lexicon) -> bool:
    """True if a line that gives no order begins like one: a unit and a place, or a word only orders begin
    with."""
    if len(text) > MAX_LINE_LENGTH:
        return False
    line = words(text, body_start(text))
    if line and line[0].text in _FIRST_WORDS:
        return True
    kinds = [index for index in range(len(line))
             if any(name.terminal == KIND for _, name in names_at(line, index, lexicon))]
    return any(name.terminal == PLACE for index in kinds if index + 1 < len(line)
               for _, name in names_at(line, index + 1, lexicon))


def _is_signature(text: str, lexicon: Lexicon) -> bool:
    line = [w for w in words(text) if w.text[0].isalnum() and w.text != "the"]
    return bool(line) and any(end == len(line) and name.terminal == POWER
                              for end, name in names_at(line, 0, lexicon))
