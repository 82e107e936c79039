"""Joined lines to classified lines: the heading of a page, and for each line whether it is a heading, an
order or neither, and whether a person must look at it.

    joined lines -> heading and body -> classified lines -> confidence
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from adjudicator.orders import Hold, Order
from grammar.headings.sheet import SheetHeading
from grammar.headings.values import KnownGame
from grammar.headings.versions import is_bare_version
from grammar.interpret import drops_plain_word, has_doubt, may_be_order_fragment
from grammar.lexicon import Lexicon
from grammar.list_heads import list_head
from grammar.order_traits import breaks_off, names_own_place, without_kinds
from grammar.remarks import is_harmless
from grammar.respellings import has_order_word
from ocr.decoding.confidence import confidence
from ocr.decoding.open_reasons import OpenReason
from ocr.decoding.review_gate import leaves_kinds_out
from ocr.page import ReadLine
from reading.decode import (
    EXPECTED_LETTER,
    FREE_LETTER,
    DecodedLine,
    best_alignment,
    to_candidates,
    with_plain_text,
)
from reading.features import features_of
from reading.heading import read_heading, same_digits
from reading.join_rows import NOT_AN_ORDER, JoinedLine
from reading.line import InterpretedLine
from reading.review import ReviewRules, pass_kindless, review_uncertain_neighbours
from reading.status import LineState
from reading.text_only import nearest, text_candidates, text_completeness, text_confidence
from reading.ticks import with_tick
from reading.vocabulary import Vocabulary, printed

LEAST_SHOWN = 0.6
"""Chance, 0..1, of an order from which its letters are shown as what was read (INK-14)."""

FIRST_ORDER = 0.7
"""Least completeness, 0..1, of a text that ends the heading above it, if it has no ink. By hand."""

LONGEST_NAME = 4
"""Most words of a sender's name on top of a sheet, with a salutation; more are a sentence. By hand."""

UNCLEAR = 0.5
"""Most confidence, 0..1, in a heading whose digits two readings do not share. By hand."""

# How well such a line reads has nothing about strokes.
UNTOUCHED = 0.4
"""Most, 0..1, that a line without posteriors may look crossed out to pass without a person. By hand."""


def classify_page(
    lines: Sequence[JoinedLine], games: Sequence[KnownGame], vocabulary: Vocabulary, rules: ReviewRules
) -> tuple[SheetHeading, tuple[InterpretedLine, ...]]:
    """The heading of a page and its lines from top to bottom, each by itself; see `review_together`.

    1. Split: the heading ends above the first line that begins the orders. 2. Read the heading. 3. Classify
    each line by itself."""
    count = heading_length(lines, vocabulary)
    heading = read_heading([line.line for line in lines], [line.heading for line in lines[:count]], games)
    classified = _classify_above(lines[:count], heading, vocabulary, is_all=count == len(lines))
    classified += [classify_line(line, vocabulary, rules) for line in lines[count:]]
    return heading, tuple(classified)


def heading_length(lines: Sequence[JoinedLine], vocabulary: Vocabulary) -> int:
    """How many lines are above the first that begins the orders; all of them on a page without orders."""
    return next(
        (index for index, line in enumerate(lines) if _begins_orders(line, vocabulary)), len(lines)
    )


def classify_line(joined: JoinedLine, vocabulary: Vocabulary, rules: ReviewRules) -> InterpretedLine:
    """A line below the heading, by itself."""
    line = with_tick(_classify_line(joined, vocabulary, rules), joined.line.rows)
    # Only a person takes a row as struck that lies under a mark over several (INK-09).
    is_crossed = any(row.crossed for row in joined.line.rows) and OpenReason.CROSSED_OUT not in line.why_open
    return line.for_review(OpenReason.CROSSED_OUT) if is_crossed else line


def _classify_line(joined: JoinedLine, vocabulary: Vocabulary, rules: ReviewRules) -> InterpretedLine:
    line, decoded = joined.line, joined.decoded
    if joined.is_list_head:
        is_struck = rules.is_crossed_out(line)
        return _explained(InterpretedLine(
            box=line.box.corners, kind="heading", struck=is_struck, text=line.text, order=None,
            confidence=line.score, status=LineState.OPEN if is_struck else LineState.NOT_ORDER, candidates=(),
        ), OpenReason.CROSSED_OUT)
    if decoded is None:
        return _text_line(line, vocabulary, rules)
    # Where the text begins like an order, free text must fit much better to be no order.
    starts = vocabulary.starts
    is_expected = starts.looks_like_order(line.text) or starts.begins_short_order(line.text)
    offered = _offered(line, decoded, vocabulary, rules)
    # "Sole unless Cumberland" is not "Sole enters Cumberland", of which the ink was 99 % sure.
    drops_word = offered.hypotheses[:1] != decoded.hypotheses[:1]
    if is_expected and (drops_word or decoded.gain(EXPECTED_LETTER) <= 0):
        return _unread_order(line, offered, rules)
    is_free_text = not is_expected and decoded.gain(FREE_LETTER) + NOT_AN_ORDER <= 0
    if is_free_text or drops_word or (
        _is_bare_hold(decoded.hypotheses[0].orders) and is_harmless(line.text, vocabulary.lexicon)
    ):
        return _no_order(line, to_candidates(offered), vocabulary, rules)
    return _order(joined, decoded, offered, vocabulary, rules)


def _begins_orders(joined: JoinedLine, vocabulary: Vocabulary) -> bool:
    """True if the orders begin with this line: by its first word, or because it is nearly a whole order and
    no heading fits better."""
    if joined.is_list_head or vocabulary.starts.looks_like_order(joined.line.text):
        return True
    if joined.heading is not None and joined.heading.is_certain:
        return False
    if joined.decoded is None:
        return text_completeness(joined.line.text, vocabulary) >= FIRST_ORDER
    return joined.decoded.gain() > (0.0 if joined.heading is None else joined.heading.gain)


def _classify_above(
    lines: Sequence[JoinedLine], heading: SheetHeading, vocabulary: Vocabulary, *, is_all: bool
) -> list[InterpretedLine]:
    """The lines above the orders. `is_all`: the page has no orders below them."""
    # Letters alone take "string" for Spring: where there is ink, it shows what is heading.
    is_named = [
        bool(line.line.text)
        and (
            index in heading.lines
            if not line.line.rows
            else line.heading is not None and line.heading.is_likely
        )
        for index, line in enumerate(lines)
    ]
    # Below the last plain heading, and on a page without orders, what is neither may be part of an order.
    last = 0 if is_all else max((index for index, named in enumerate(is_named) if named), default=0)
    # What no one could read is not a heading: above the orders it is more likely a mark than a line.
    above = [
        _heading_line(line, vocabulary, is_named=is_named[index] or index < last)
        for index, line in enumerate(lines) if line.line.text
    ]
    # "Durham army to", and below it "Cumberland", who is a power too: no end of an order passes as a heading.
    return [
        line if upper is None or upper.status is not LineState.OPEN or line.status is LineState.OPEN
        or not (breaks_off(upper.text) or may_be_order_fragment(line.text, vocabulary.lexicon))
        else line.for_review(OpenReason.NEIGHBOUR)
        for upper, line in zip([None, *above], above, strict=False)]


def _heading_line(
    joined: JoinedLine, vocabulary: Vocabulary, *, is_named: bool
) -> InterpretedLine:
    """A line above the orders. `is_named`: it is plainly a heading."""
    # A word of orders or of doubt, or a whole sentence, may say something about an order.
    line, starts = joined.line, vocabulary.starts
    text = line.text if joined.heading is None else joined.heading.text
    is_clear = (
        not starts.begins_short_order(line.text)
        and not has_order_word(line.text, starts)
        and (joined.heading is not None or not (
            starts.has_unit_word(line.text) or has_doubt(line.text, vocabulary.lexicon)
            or len(line.text.split()) > LONGEST_NAME))
    )
    classified = InterpretedLine(
        box=line.box.corners, kind="heading", struck=False, text=text, order=None,
        confidence=line.score if same_digits(text, line.text) else min(line.score, UNCLEAR),
        status=LineState.NOT_ORDER if is_clear else LineState.OPEN, candidates=(),
    )
    if is_named or (is_clear and is_harmless(text, vocabulary.lexicon)):
        return _explained(classified, OpenReason.NOT_PLAIN)
    # Neither heading nor signature: the person is shown which orders it might be.
    candidates = () if joined.decoded is None else to_candidates(joined.decoded)
    # A version whose number is lost is a heading to a person too: lines are counted from the first below it.
    is_heading = not is_clear or is_bare_version(line.text)
    return replace(
        classified, kind="heading" if is_heading else "other", status=LineState.OPEN, candidates=candidates,
        why_open=(OpenReason.NOT_PLAIN,),
    )


def _order(
    joined: JoinedLine, decoded: DecodedLine, offered: DecodedLine, vocabulary: Vocabulary, rules: ReviewRules
) -> InterpretedLine:
    """A line that is most likely an order, with its confidence. `offered`: with what a person is offered."""
    line, best, alignments = joined.line, decoded.hypotheses[0], decoded.alignments()
    features = features_of(line, decoded, alignments, vocabulary)
    chance = confidence(features, rules.table)
    is_struck = rules.is_crossed_out(line, features.uncertainty)
    reasons = rules.open_reasons(line, features, chance)
    if joined.ends_signed:
        reasons = (*reasons, OpenReason.SIGNATURE)
    live_state = LineState.OPEN if reasons else LineState.AUTO
    # "Gondor" was transcribed "london": where a word fits badly, free reading shows what is written (WRD-02).
    # Only where the ink is clear and a name in no list: in a bad hand free reading is the worse text.
    is_clear = rules.limits.is_plain(line.score) and OpenReason.UNKNOWN_NAME in reasons
    # Below such a chance the order's words are invented: French prose was "retreat armies the ham to ...".
    is_of_ink = features.is_corrected or (not is_clear and chance >= LEAST_SHOWN)
    text = best_alignment(alignments).text if is_of_ink else line.text
    candidates = to_candidates(offered, chance)
    if OpenReason.UNKNOWN_NAME in reasons:
        # A name is never put in the place of a word that is plainly another: both are shown.
        candidates = with_plain_text(candidates, line.text)
    return _explained(InterpretedLine(
        box=line.box.corners, kind="order", struck=is_struck, text=text,
        order=None if is_struck else best.order, confidence=chance,
        status=rules.crossed_out_state(line) if is_struck else live_state,
        candidates=candidates, features=features,
        without_kinds=printed(without_kinds(best.orders), vocabulary.lexicon.board)
        if leaves_kinds_out(features, rules.table.thresholds) else None,
    ), *(rules.crossed_out_reasons(line) if is_struck else reasons))


def _offered(
    line: ReadLine, decoded: DecodedLine, vocabulary: Vocabulary, rules: ReviewRules
) -> DecodedLine:
    """A line without the hypotheses that lack a plain word of its text, where that is plainly read (WRD-02).
    Of a corrected line the text has struck words too."""
    if decoded.ink.corrected or not rules.limits.is_plain(line.score):
        return decoded
    return replace(decoded, hypotheses=tuple(
        hypothesis for hypothesis in decoded.hypotheses
        if not drops_plain_word(line.text, hypothesis.text.text, vocabulary.lexicon, vocabulary.forms)))


def _explained(line: InterpretedLine, *reasons: OpenReason) -> InterpretedLine:
    """The line with the reasons for which it is open, if it is."""
    return replace(line, why_open=reasons) if line.status is LineState.OPEN else line


def _unread_order(
    line: ReadLine, offered: DecodedLine, rules: ReviewRules
) -> InterpretedLine:
    """A line that begins like an order and was not understood as one: a person looks."""
    is_struck = rules.is_crossed_out(line)
    return _explained(InterpretedLine(
        box=line.box.corners, kind="order", struck=is_struck, text=line.text, order=None, confidence=0.0,
        status=rules.crossed_out_state(line) if is_struck else LineState.OPEN,
        candidates=to_candidates(offered),
    ), *(rules.crossed_out_reasons(line) if is_struck else (OpenReason.NOT_UNDERSTOOD,)))


def _text_line(line: ReadLine, vocabulary: Vocabulary, rules: ReviewRules) -> InterpretedLine:
    """A line with a row without posteriors, by its text alone."""
    snapped, candidates = nearest(line.text, vocabulary), text_candidates(line, vocabulary)
    if not candidates and not vocabulary.starts.looks_like_order(line.text):
        return _no_order(line, candidates, vocabulary, rules)
    is_struck, chance = rules.is_crossed_out(line), text_confidence(line, snapped)
    may_skip = (
        snapped.automatic
        and not names_own_place(snapped.candidates[0].orders)
        and snapped.margin >= rules.limits.margin
        and max(line.strike.score, line.strike.max_word_score) < UNTOUCHED
        and rules.limits.is_plain(chance)
    )
    live_state = LineState.AUTO if may_skip else LineState.OPEN
    order = str(candidates[0]["order"]) if candidates and not is_struck else None
    return _explained(InterpretedLine(
        box=line.box.corners, kind="order", struck=is_struck, text=line.text, order=order, confidence=chance,
        status=rules.crossed_out_state(line) if is_struck else live_state, candidates=candidates,
    ), OpenReason.CROSSED_OUT if is_struck else OpenReason.UNSURE)


def _no_order(
    line: ReadLine, candidates: tuple[dict[str, object], ...], vocabulary: Vocabulary, rules: ReviewRules
) -> InterpretedLine:
    """A line below the heading that is not an order."""
    # It might be an order after all, or say something about one: a person looks, unless it is plainly crossed
    # out, or plainly read and a greeting or a signature.
    is_struck = rules.is_crossed_out(line)
    is_plain = rules.limits.is_plain(line.score) and is_harmless(line.text, vocabulary.lexicon)
    live_state = LineState.NOT_ORDER if is_plain else LineState.OPEN
    return _explained(InterpretedLine(
        box=line.box.corners, kind="other", struck=is_struck, text=line.text, order=None,
        confidence=line.score,
        status=rules.crossed_out_state(line) if is_struck else live_state, candidates=candidates,
    ), *(rules.crossed_out_reasons(line) if is_struck else (OpenReason.NOT_PLAIN,)))


def review_together(
    lines: Sequence[InterpretedLine], vocabulary: Vocabulary
) -> tuple[InterpretedLine, ...]:
    """The lines, opened where other lines of their sheet leave a doubt."""
    lines = review_verbs(pass_kindless(lines), vocabulary.lexicon)
    beside = zip([None, *lines], lines, [*lines[1:], None], strict=False)
    reviewed = [
        review_uncertain_neighbours(line, before, after, vocabulary.lexicon) for before, line, after in beside
    ]
    return tuple(reviewed)


def review_verbs(lines: Sequence[InterpretedLine], lexicon: Lexicon) -> tuple[InterpretedLine, ...]:
    """The lines, opened where the heading of their list states that they support or convoy, and they do
    not."""
    # "A Essex - Suffolk" below "Supports:" is a move that is supported.
    reviewed: list[InterpretedLine] = []
    verb = ""
    for line in lines:
        head = list_head(line.text, lexicon) if line.kind == "heading" else None
        verb = verb if head is None else head.verb
        is_other = verb in {"S", "C"} and line.order is not None and not any(
            sign in line.order for sign in (" S ", " C "))
        is_open = is_other and line.status is LineState.AUTO
        reviewed.append(line.for_review(OpenReason.ODD_ORDER) if is_open else line)
    return tuple(reviewed)


def _is_bare_hold(orders: Sequence[Order]) -> bool:
    """True for one province that holds, without a kind of unit."""
    # The name of a power who signs reads so; and a unit holds without an order, too.
    return len(orders) == 1 and isinstance(orders[0], Hold) and orders[0].unit.kind is None
