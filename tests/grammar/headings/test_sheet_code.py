"""The code of a printed sheet: what it states comes back, and nothing that others print is taken for one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

import maps
from adjudicator.calendar import Phase, PhaseKind
from grammar.headings.sheet_code import MOST_LETTERS, code_of, code_text, parse_code
from ocr.image.sheet_layout import LAYOUT

# ISO/IEC 18004, table 5: the letters of the alphanumeric mode.
ALPHANUMERIC = re.compile(r"[0-9A-Z $%*+\-./:]*")
AUTUMN = Phase(1642, "Autumn", PhaseKind.MOVEMENT)


def test_every_power_and_phase_of_every_board_comes_back_and_no_two_are_alike() -> None:
    """LET-12: a code states power and phase, in letters that a QR code holds in half the room."""
    for slug in maps.variants():
        variant = maps.load(slug)
        texts = set()
        for power in variant.powers:
            for season, kind in variant.calendar.steps:
                phase = Phase(variant.start.phase.year, season, kind)
                text = code_text(code_of("powick-bridge", power, phase, 2, "7K3F9Q2M"))
                code = parse_code(text)
                assert ALPHANUMERIC.fullmatch(text)
                assert code is not None
                assert code.is_of_game("powick-bridge")
                assert [other for other in variant.powers if code.is_of_power(other)] == [power]
                assert (code.season, code.year, code.kind) == (season.upper(), phase.year, kind)
                assert (code.page, code.nonce) == (2, "7K3F9Q2M")
                texts.add(text)
        assert len(texts) == len(variant.powers) * len(variant.calendar.steps)


def test_the_form_is_the_one_that_is_promised() -> None:
    """docs/contract.md"""
    assert code_text(code_of("powick-bridge", "The Crown", AUTUMN, 1, "AB12")) == (
        "GALLOPER1:POWICK-BRIDGE:THE%20CROWN:1642.AUTUMN.M:1:AB12")
    assert LAYOUT == "GALLOPER1"


@given(st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=30))
def test_any_name_comes_back(game: str, power: str) -> None:
    text = code_text(code_of(game, power, AUTUMN))
    code = parse_code(text)
    # A lone half of a surrogate pair is not a letter, and no name has one. Sixty signs of four bytes are more
    # than a reader takes, and no id has them.
    if len(text) <= MOST_LETTERS and not re.search("[\ud800-\udfff]", game + power):
        assert code is not None
        assert code.is_of_game(game)
        assert code.is_of_power(power)


@pytest.mark.parametrize("text", [
    "", "https://example.org", "GALLOPER1", "GALLOPER2:G:P:1642.AUTUMN.M:1:AB",
    "GALLOPER1:G:P:1642.AUTUMN.X:1:AB", "GALLOPER1:G:P:1642.AUTUMN.M:0:AB",
    "GALLOPER1:G:P:1642.AUTUMN.M:1:ab", "GALLOPER1:G:P:1642.AUTUMN.M:1:AB:",
    "GALLOPER1::P:1642.AUTUMN.M:1:AB", "GALLOPER1:G:P:16424242.AUTUMN.M:1:AB",
    "GALLOPER1:" + "G" * 900 + ":P:1642.AUTUMN.M:1:AB",
])  # fmt: skip
def test_what_others_print_is_no_code(text: str) -> None:
    assert parse_code(text) is None


@given(st.text(max_size=60))
def test_a_forged_code_breaks_nothing(rest: str) -> None:
    parse_code(f"GALLOPER1:{rest}")


def test_a_code_without_a_page_or_a_nonce_is_not_printed() -> None:
    for page, nonce in ((0, "AB"), (1, ""), (1, "a b")):
        with pytest.raises(ValueError, match="no code"):
            code_of("g", "p", AUTUMN, page, nonce)
