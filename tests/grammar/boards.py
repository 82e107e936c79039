"""Lexicons of the real boards, made once, and short ways to read a line."""

from __future__ import annotations

from functools import cache

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.geo import Board
from adjudicator.orders import Order
from grammar import lexicon as lexicons
from grammar.compose import Forms, compose
from grammar.impossible import Written, repaired
from grammar.lexicon import Lexicon
from grammar.order_traits import named_regions
from grammar.parse import ParsedLine, parse_line
from grammar.print import canonical

DATA = "tests/data/grammar"


@cache
def lexicon(slug: str = "w3k") -> Lexicon:
    variant = maps.load(slug)
    return lexicons.build_lexicon(variant.board, variant.kinds, variant.names, variant.powers.values())


def board(slug: str = "w3k") -> Board:
    return lexicon(slug).board


def forms(phase: str = "movement") -> Forms:
    return compose(PhaseKind(phase))


def read(text: str, phase: str = "movement", slug: str = "w3k") -> ParsedLine:
    return parse_line(text, lexicon=lexicon(slug), forms=forms(phase), power="Montrose", line=7)


def loses_to_another_place(order: Order, names: Lexicon) -> bool:
    """True if a place of an order is impossible for its unit, and its name means another one that is not: a
    fleet that convoys from Galway is read as one in Galway Bay (WOR-01)."""
    texts = {region: names.province_name(region) for _, region in named_regions(order)}
    return bool(repaired((order,), Written(texts, {}), names))


def said(orders: tuple[Order, ...], slug: str = "w3k") -> str:
    return "; ".join(canonical(order, board(slug)) for order in orders)
