"""Misread text to the orders it may have been: for text from a reader that knows neither grammar nor names.

Lexical only. Letters are compared with order forms and names; nothing here looks at who borders whom, who
owns what or which units are on the board, and nothing may (NON-03, DESK-03, Q-01).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from adjudicator.geo import Region
from adjudicator.orders import Disband, Move, Order, Remove, Retreat
from grammar import fuzzy_edges
from grammar.build_orders import MAKERS, Maker
from grammar.candidates import MAX_LINE_LENGTH, LineContext, read_fuzzily, read_literally
from grammar.complaint import Candidate, margin
from grammar.compose import Forms
from grammar.lexicon import Lexicon
from grammar.order_traits import are_near, has_kindless_target, has_kindless_unit, provinces_of
from grammar.words import body_start, no_whole_number, words

_KINDLESS_COMPLETENESS = 0.75
"""Factor for an order without its unit's kind: it is more likely the second row of a longer order."""


@dataclass(frozen=True, slots=True)
class AcceptLimits:
    """When a fuzzy reading may be taken without a person. Letters are the costs of `grammar.edit_costs`.

    `score` 0..1: least share of letters left unchanged. `worst` 0..1: largest share changed in one word or
    name. `margin`: letters by which the next different order must cost more. `near_margin`: the same where
    the two differ in similar names (Cork, County Cork) or in army against fleet.
    """

    score: float = 0.88
    worst: float = 0.3
    margin: float = 1.3
    near_margin: float = 2.2


@dataclass(frozen=True, slots=True)
class NearestOrders:
    """The readings of one misread line, each a different order, best first.

    `margin`: letters by which the next rival costs more, infinite without one. `automatic`: by `AcceptLimits`
    no one has to check it, as far as the letters go; the reader's own confidence is not part of it.
    """

    text: str
    candidates: tuple[Candidate, ...]
    margin: float
    automatic: bool


def nearest_orders(
    text: str,
    *,
    lexicon: Lexicon,
    forms: Forms | Sequence[Forms],
    power: str,
    line: int | None = None,
    makers: Mapping[str, Maker] = MAKERS,
    limits: AcceptLimits = AcceptLimits(),  # frozen
    keep: int = 5,
) -> NearestOrders:
    """The orders nearest to a misread line, at most `keep`; none where no order form is near.

    `forms`: several where the phase is not known; at a tie the first wins. A line with a word of doubt ("if",
    "not", "or") is never automatic.
    """
    every_form = [forms] if isinstance(forms, Forms) else list(forms)
    lists = [_readings(text, LineContext(form, lexicon, power, makers), line) for form in every_form]
    candidates = _ranked([readings for readings in lists if readings])
    regions = {Region(province) for province in provinces_of(candidates[0].orders if candidates else ())}
    automatic = bool(candidates) and _is_automatic(text, candidates, lexicon, limits) and not any(
        fuzzy_edges.is_confusable_abbreviation(word.text, regions, form, lexicon)
        for word in words(text) for form in every_form)
    return NearestOrders(text, tuple(candidates[:keep]), margin(candidates), automatic)


def text_completeness(
    text: str, *, lexicon: Lexicon, forms: Forms | Sequence[Forms], power: str = "") -> float:
    """How much of a text is one complete order, 0..1; 0 where none comes near.

    A reader joins two rows when the joined text is more complete than the second row alone.
    """
    return completeness(nearest_orders(text, lexicon=lexicon, forms=forms, power=power, keep=1).candidates)


def completeness(candidates: Sequence[Candidate]) -> float:
    """The best reading's score, 0..1, less for a word that fits badly or a unit without its kind."""
    if not candidates:
        return 0.0
    best = candidates[0]
    factor = _KINDLESS_COMPLETENESS if has_kindless_unit(best.orders) else 1.0
    return best.score * (1.0 - best.worst / 2) * factor


def _readings(text: str, context: LineContext, line: int | None) -> list[Candidate]:
    """Readings of every sort: literal, fuzzy, and only where these fail with words passed over."""
    start = body_start(text)
    literal: list[Candidate] = []
    if len(text) <= MAX_LINE_LENGTH:
        literal = list(read_literally(words(text, start), context, line).candidates)
    known = {c.orders for c in literal}
    # Also next to a literal reading: equal spellings stay rivals in misread lines.
    readings = literal + [c for c in read_fuzzily(text[start:], context, line) if c.orders not in known]
    return readings or read_fuzzily(text[start:], context, line, stray=True)


def _ranked(lists: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """The candidates of several phases' forms as one list.

    The same words read as a move and as a retreat are not rivals.
    """
    if not lists:
        return []
    # At a tie `min` keeps the first, which is the form that was asked for first.
    first = min(lists, key=lambda readings: readings[0].cost)
    mixed = list(first)
    for readings in lists:
        if readings is not first:
            mixed += [replace(c, rival=not _same_words(first[0].orders, c.orders)) for c in readings]
    return sorted(mixed, key=lambda c: c.cost)


def _same_words(ours: Sequence[Order], others: Sequence[Order]) -> bool:
    pairs = zip(ours, others, strict=False)
    return len(ours) == len(others) and all(
        (isinstance(a, Move | Retreat) and isinstance(b, Move | Retreat) and (a.unit, a.to) == (b.unit, b.to))
        or (isinstance(a, Disband | Remove) and isinstance(b, Disband | Remove) and a.unit == b.unit)
        for a, b in pairs)


def _is_automatic(text: str, candidates: Sequence[Candidate], lexicon: Lexicon, limits: AcceptLimits) -> bool:
    best = candidates[0]
    if best.score < limits.score or best.worst > limits.worst or len(best.orders) != 1:
        return False
    if has_kindless_unit(best.orders) or no_whole_number(text):
        return False  # players write the kind: where it is missing the reader has lost a word
    texts = {word.text for word in words(text)}
    if has_kindless_target(best.orders) and (best.cost > 0 or "s" in texts):
        return False  # "A Pic s Derby" may be a dash badly read
    # A literal reading holds no word of doubt, so only a line with changed letters can.
    if best.cost > 0 and texts & lexicon.doubt_words:
        return False
    return all(
        other.cost - best.cost
        >= (limits.near_margin if are_near(best.orders, other.orders, lexicon) else limits.margin)
        for other in candidates[1:] if other.rival)
