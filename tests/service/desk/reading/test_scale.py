"""LET-13: one scale. No reading has a longer bar than one that is before it, and the words come as the
hand wrote them."""

from __future__ import annotations

import pytest

from bench.desk.sample import load_sample
from service.desk.reading.candidates import shown


def reading(text: str, score: float) -> dict[str, object]:
    return {"text": text, "order": text, "score": score}


def test_the_highlighted_reading_is_the_likeliest_on_every_line_of_the_sample() -> None:
    lines = [line for page in load_sample().pages for line in page.lines if line.candidates]
    assert len(lines) > 50
    for line in lines:
        shares = [offer.share for offer in shown(line.candidates)]
        assert shares == sorted(shares, reverse=True), line.text
        assert sum(shares) <= 1.001


def test_a_bar_is_the_calibrated_confidence_itself() -> None:
    """0.36 against 0.39 was drawn as 0.06 against 0.32: two readings nearly alike looked far apart."""
    assert [offer.share for offer in shown([reading("F Lyme Bay H", 0.7), reading("F Lyne Bay H", 0.2)])] == [
        0.7, 0.2]
    (first, second) = shown([reading("A Thames Mouth H", 0.3622), reading("A Thames Head H", 0.3877)])
    assert first.share == second.share == pytest.approx(0.3622)


def test_texts_compared_letter_by_letter_are_not_all_sure() -> None:
    """Their scores do not share one whole: each of five may be 0.9."""
    offers = shown([reading(f"Army Fif{letter} holds", 0.95 - 0.01 * n) for n, letter in enumerate("eaou")])
    assert sum(offer.share for offer in offers) <= 1.0
    assert offers[0].share > offers[1].share
    assert {offer.sure for offer in offers[1:]} == {"unsure"}
