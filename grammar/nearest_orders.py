"""Misread text to the orders it may have been: for text from a reader that knows neither grammar nor names.

Lexical only. Letters are compared with order forms and names; nothing here looks at who borders whom, who
owns what or which units stand on the board, and nothing may (NON-03, DESK-03, Q-01).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import Levenshtein

from adjudicator.geo import Region
from adjudicator.orders import (
    Convoy,
    Disband,
    Move,
    Order,
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
    UnitOrder,
)
from grammar import candidates as reading
from grammar import fuzzy_edges
from grammar.build_orders import MAKERS, Maker
from grammar.candidates import LineContext
from grammar.complaint import Candidate, margin
from grammar.compose import Forms
from grammar.exact_edges import DOUBT_WORDS
from grammar.lexicon import Lexicon
from grammar.print import canonical
from grammar.words import body_start, words

_NEARLY = 3
"""Letters by which two printed orders differ that are easily taken for each other."""
_TAIL = 0.75
"""How whole an order is without a unit's kind: more likely the second row of a longer one."""


@dataclass(frozen=True, slots=True)
class AcceptLimits:
    """When a snapped reading may be taken without a person. Letters are the costs of `grammar.edit_costs`.

    `score` 0..1 is the least share of letters left unchanged; `worst_changed_share` 0..1 the most that may be
    changed in one word or name; `margin` how many letters dearer the next different order must be, and
    `near_margin` the same where the two differ in near names (Cork, County Cork) or in army against fleet.
    """

    score: float = 0.88
    worst: float = 0.3
    margin: float = 1.3
    near_margin: float = 2.2


@dataclass(frozen=True, slots=True)
class NearestOrders:
    """The readings of one misread line, each a different order, best first.

    `margin` is how many letters dearer the next rival is, infinite without one; `automatic` says that by
    `AcceptLimits` nobody need look, as far as the letters go: the reader's own certainty is not in it.
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
    care: AcceptLimits = AcceptLimits(),  # frozen
    keep: int = 5,
) -> NearestOrders:
    """The orders nearest to a misread line. Several `forms` where the phase is not known; at a tie the first
    wins.

    No candidate where no order form is near; a line with a word of doubt ("if", "not", "or") is never
    automatic.
    """
    every = [forms] if isinstance(forms, Forms) else list(forms)
    lists = [_readings(text, LineContext(each, lexicon, power, makers), line) for each in every]
    candidates = _ranked([found for found in lists if found])
    named = {
        Region(r.province) for o in (candidates[0].orders if candidates else ()) for _,
        r in reading.named_regions(o)
    }
    automatic = (
        bool(candidates)
        and _automatic(text, candidates, lexicon, care)
        and not any(
            fuzzy_edges.is_confusable_abbreviation(w.text, named, each, lexicon)
            for w in words(text)
            for each in every
        )
    )
    return NearestOrders(text, tuple(candidates[:keep]), margin(candidates), automatic)


def text_completeness(
    text: str, *, lexicon: Lexicon, forms: Forms | Sequence[Forms], power: str = ""
) -> float:
    """How much of a text is one complete order, 0..1: the best reading's score, less for a word ill fitted or
    a unit without its kind, 0 where none comes near.

    A reader joins two rows when the joined text completes better than the second row alone does.
    """
    return completeness(nearest_orders(text, lexicon=lexicon, forms=forms, power=power, keep=1).candidates)


def completeness(candidates: Sequence[Candidate]) -> float:
    """What `text_completeness` says of a line that was snapped already."""
    if not candidates:
        return 0.0
    kept = _TAIL if _kindless(candidates[0].orders) else 1.0
    return candidates[0].score * (1.0 - candidates[0].worst / 2) * kept


def _readings(text: str, sheet: LineContext, line: int | None) -> list[Candidate]:
    """Readings of all sorts: as written, misread, and only where these fail with words passed over."""
    start = body_start(text)
    found = words(text, start)
    exact = (
        list(reading.read_literally(found, sheet, line).candidates)
        if len(text) <= reading.MAX_LINE_LENGTH
        else []
    )
    garbled = reading.read_fuzzily(text[start:], sheet, line)
    known = {c.orders for c in exact}
    out = [*exact, *(c for c in garbled if c.orders not in known)]
    return out or reading.read_fuzzily(text[start:], sheet, line, stray=True)


def _ranked(lists: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """The candidates of several phases' forms as one list: the same words as a move and as a retreat are no
    rivals."""
    if not lists:
        return []
    first = min(lists, key=lambda found: found[0].cost)
    mixed = list(first)
    for found in lists:
        if found is not first:
            mixed += [replace(c, rival=not _same_words(first[0].orders, c.orders)) for c in found]
    return sorted(mixed, key=lambda c: c.cost)


def _same_words(ours: Sequence[Order], others: Sequence[Order]) -> bool:
    pairs = zip(ours, others, strict=False)
    return len(ours) == len(others) and all(
        (isinstance(a, Move | Retreat) and isinstance(b, Move | Retreat) and (a.unit, a.to) == (b.unit, b.to))
        or (isinstance(a, Disband | Remove) and isinstance(b, Disband | Remove) and a.unit == b.unit)
        for a, b in pairs)


def _automatic(text: str, candidates: Sequence[Candidate], lexicon: Lexicon, care: AcceptLimits) -> bool:
    best = candidates[0]
    if best.score < care.score or best.worst > care.worst or len(best.orders) != 1:
        return False
    if _kindless(best.orders):
        return False  # players write the kind: where it is missing the reader has lost a word
    found = {w.text for w in words(text)}
    if _kindless_target(best.orders) and (best.cost > 0 or "s" in found):
        return False  # "A Pic s Derby" may be a dash badly read
    if best.cost > 0 and found & DOUBT_WORDS:
        return False
    return all(
        other.cost - best.cost
        >= (care.near_margin if _near(best.orders, other.orders, lexicon) else care.margin)
        for other in candidates[1:]
        if other.rival
    )


def _kindless(orders: Sequence[Order]) -> bool:
    return any(isinstance(o, UnitOrder) and o.unit.kind is None for o in orders)


def _kindless_target(orders: Sequence[Order]) -> bool:
    return any(isinstance(o, SupportHold | SupportMove | Convoy) and o.target.kind is None for o in orders)


def _near(ours: Sequence[Order], others: Sequence[Order], lexicon: Lexicon) -> bool:
    """Are two readings printed nearly alike (A or F, Cork or York), or is one the other with words more?"""
    a, b = ("; ".join(canonical(o, lexicon.board) for o in each) for each in (ours, others))
    return (
        Levenshtein.distance(a, b) <= _NEARLY
        or set(a.split()) <= set(b.split())
        or set(b.split()) <= set(a.split())
    )
