"""BEY-08: each kind of file that we print or mail is PDF/UA-1 (ISO 14289-1), as a checker of others
states."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

import maps
from maps.variant import Variant
from service import pictures
from service.letters.facts import GameInfo, GameOverFacts
from service.letters.statistics import PowerCounts, Statistics
from service.notices.order_sheets import printed_sheet
from service.pictures import A4, PaperEnvelope, to_pdf
from service.pictures.paper.order_sheet import FormSheet, form_pdf
from tests.support import letters_samples as samples
from tests.support.pdf_ua import pdf_ua_faults, wrong_widths

GAME = GameInfo("powick-bridge", "Powick Bridge", "Brittania", "orders@example.org", "Ada Marlowe")
# In three scripts, and in one of none of our fonts: a letter without a glyph must not be drawn (7.21.8).
STRANGERS = PaperEnvelope(("Ada Quill", "Οδός Ερμού 14", "ул. Ленина 5", "\U0001e900 Bath"))


@cache
def _variant() -> Variant:
    return maps.load("brittania")


def _game_over() -> bytes:
    ids = list(_variant().powers)
    name = _variant().powers[ids[0]].name
    return pictures.game_over_pdf(GAME, GameOverFacts(
        "victory", (name,), "", ((name, 3, 9),), (("Ada Quill", (name,)),),
        Statistics((PowerCounts(name, 12, 1, 6, 2, 3, 1, 1),), ()), ("1",), dict.fromkeys(ids, (3, 9))),
        _variant())


FILES: dict[str, Callable[[], bytes]] = {
    "sheet": lambda: pictures.sheets_pdf([printed_sheet(
        _variant(), GAME.id, GAME.name, _variant().start.phase, next(iter(_variant().powers)))]),
    "form": lambda: form_pdf(FormSheet(
        "Montrose", GAME.name, "Autumn 1642 Movement Orders", 3, ("Write an order into each field.",),
        ("Power", "Game", "Orders", "Version", "Your orders"), "Order %s", units=("Army Atholl",))),
    "results": lambda: pictures.results_pdf(GAME, "Autumn 1644", samples.results()),
    "map": lambda: pictures.board_pdf(
        _variant(), _variant().start.centres, GAME.name, "at the beginning", A4, _variant().start.units),
    "end of a game": _game_over,
    "envelopes": lambda: pictures.envelopes_pdf([STRANGERS]),
    "labels": lambda: pictures.labels_pdf([STRANGERS]),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_file_is_for_everyone(kind: str) -> None:
    data = FILES[kind]()
    assert not pdf_ua_faults(data)
    assert not wrong_widths(data)


def test_the_checker_sees_a_figure_without_words() -> None:
    """A test of the test: the same file with a picture that has nothing."""
    picture = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"
    html = f'<html lang="en"><head><title>A</title></head><body><img src="{picture}"></body></html>'
    (fault,) = pdf_ua_faults(to_pdf(html, title="A"))
    assert "FIGURE-ALTERNATIVE-TEXT" in fault
