"""Counting what a recogniser makes of letters, and the prices made of it."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from ocr.decoding.confusions import read_prices
from ocr.page import Posteriors
from tests.support.inked import ink
from training.tuning.misread import (
    BELIEF,
    BELIEVED_MOST,
    LEAST,
    LOST_LEAST,
    MOST,
    UNLIKE,
    Counts,
    count,
    lost_prices,
    shown_prices,
    to_toml,
)


def read(written: str, shown: str) -> tuple[str, Posteriors]:
    """What was written, and ink that surely shows something else."""
    return written, ink(shown)


def test_letters_are_counted_whatever_their_case_and_blanks() -> None:
    counts = count([read("A Kent", "a Kemt"), read("Cork's", "cor ks")])
    assert counts.taken == {("n", "m"): 1}
    assert (counts.lost, counts.doubtful) == ({}, 0)
    assert counts.written["k"] == 2


def test_a_letter_that_is_not_shown_is_lost() -> None:
    counts = count([read("Kerry", "Kery")])
    assert counts.lost == {"r": 1}
    assert not counts.taken


def test_a_letter_of_which_the_recogniser_is_in_doubt_is_not_surely_taken_for_another() -> None:
    # The ink shows the m twice as likely as the n that was written: the chances say so, and need no price.
    counts = count([("Kent", ink("Kemt", {2: "n"}))])
    assert (counts.taken, counts.lost, counts.doubtful) == ({}, {}, 1)


def test_what_may_be_the_reading_of_another_row_is_not_counted() -> None:
    counts = count([read("Army Kent holds", "Fleet Cork to Mull")])
    assert not counts.written


def test_a_frequent_misreading_is_cheap_and_one_never_seen_is_no_row() -> None:
    prices = shown_prices(Counts(Counter(d=1000), Counter({("d", "a"): 20})))
    held = BELIEF * math.exp(-UNLIKE)
    assert prices["d"]["a"] == pytest.approx(-math.log((20 + held) / (1000 + BELIEF)), abs=0.01)
    assert "z" not in prices["d"]


def test_prices_keep_their_bounds() -> None:
    """From LEAST to BELIEVED_MOST."""
    prices = shown_prices(Counts(Counter(m=4000, a=9000), Counter({("m", "n"): 2000})))
    # Seen in every second case, and yet no cheaper.
    assert prices["m"]["n"] == LEAST
    # Never seen, and yet no dearer.
    assert prices["a"]["o"] == BELIEVED_MOST
    assert all(LEAST <= price < MOST for row in prices.values() for price in row.values())


def test_a_lost_letter_costs_more_than_its_rarity() -> None:
    prices = lost_prices(Counts(Counter(l=100, k=5000), lost=Counter(l=100)))
    assert prices["l"] == LOST_LEAST
    assert prices["k"] > prices["l"]


def test_written_prices_are_read_again() -> None:
    counts = count([read("kent", "kemt"), read("a b", "a b")])
    prices = read_prices(to_toml(counts, {"made": "by hand", "sheets": 1}))
    assert prices.shown == shown_prices(counts)
    assert prices.lost == lost_prices(counts)
    assert prices.provenance == {"made": "by hand", "sheets": 1, "letters": 6, "taken": 1, "lost": 0,
                                 "doubtful": 0}
