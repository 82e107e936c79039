"""Counting what a recogniser makes of letters, and the prices made of it."""

from __future__ import annotations

import math

import pytest

from ocr.decoding.confusions import read_prices
from training.tuning.misread import (
    BELIEF,
    BELIEVED_MOST,
    LEAST,
    LOST_LEAST,
    MOST,
    UNLIKE,
    count,
    lost_prices,
    shown_prices,
    to_toml,
)


def test_letters_are_counted_whatever_their_case_and_blanks() -> None:
    counts = count([("A Kent", "a Kemt"), ("Cork's", "cor ks")])
    assert counts.taken == {("n", "m"): 1}
    assert counts.lost == {}
    assert counts.written["k"] == 2


def test_a_letter_that_is_not_shown_is_lost() -> None:
    counts = count([("Kerry", "Kery")])
    assert counts.lost == {"r": 1}
    assert not counts.taken


def test_a_frequent_misreading_is_cheap_and_one_never_seen_is_no_row() -> None:
    counts = count([("d" * 1000, "a" * 20 + "d" * 980)])
    prices = shown_prices(counts)
    held = BELIEF * math.exp(-UNLIKE)
    assert prices["d"]["a"] == pytest.approx(-math.log((20 + held) / (1000 + BELIEF)), abs=0.01)
    assert "z" not in prices["d"]


def test_prices_keep_their_bounds() -> None:
    """From LEAST to BELIEVED_MOST."""
    prices = shown_prices(count([("m" * 400 + "a" * 9000, "n" * 200 + "m" * 200 + "a" * 9000)]))
    # Seen in every second case, and yet no cheaper.
    assert prices["m"]["n"] == LEAST
    # Never seen, and yet no dearer.
    assert prices["a"]["o"] == BELIEVED_MOST
    assert all(LEAST <= price < MOST for row in prices.values() for price in row.values())


def test_a_lost_letter_costs_more_than_its_rarity() -> None:
    prices = lost_prices(count([("l" * 100 + "k" * 5000, "k" * 5000)]))
    assert prices["l"] == LOST_LEAST
    assert prices["k"] > prices["l"]


def test_written_prices_are_read_again() -> None:
    counts = count([("kent", "kemt"), ("a b", "a b")])
    prices = read_prices(to_toml(counts, {"made": "by hand", "sheets": 1}))
    assert prices.shown == shown_prices(counts)
    assert prices.lost == lost_prices(counts)
    assert prices.provenance == {"made": "by hand", "sheets": 1, "letters": 6, "taken": 1, "lost": 0}
