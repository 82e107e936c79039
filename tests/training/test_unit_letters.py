"""The letters A and F as people draw them, which the reader is tuned and calibrated on."""

from __future__ import annotations

import numpy as np
import pytest

from training.handwriting import unit_letters

HOW = unit_letters.Draught(left=30.0, base=90.0, height=60.0, pen=4.0, lean=0.1, loose=0.3)


@pytest.mark.parametrize(
    ("letter", "form"), [(letter, form) for letter, forms in unit_letters.FORMS.items() for form in forms]
)
def test_every_form_is_one_letter_of_its_size_where_it_was_asked_for(letter: str, form: str) -> None:
    mask = np.zeros((140, 160), np.float32)
    extent = unit_letters.draw(mask, letter, form, HOW, np.random.default_rng(3))
    ys, xs = np.nonzero(mask > 0.5)
    assert abs(xs.min() - 30) <= 4
    assert 15 < xs.max() - xs.min() < 90
    assert 48 < ys.max() - ys.min() < 85
    assert extent.left - 4 <= xs.min()
    assert xs.max() <= extent.right + 4


def test_no_two_forms_of_a_letter_look_alike() -> None:
    for letter, forms in unit_letters.FORMS.items():
        inked = []
        for form in forms:
            mask = np.zeros((140, 160), np.float32)
            unit_letters.draw(mask, letter, form, HOW, np.random.default_rng(3))
            inked.append(mask > 0.5)
        for number, ink in enumerate(inked):
            for other in inked[:number]:
                # The share of common ink (Jaccard's index), 1 for the same letter.
                assert (ink & other).sum() / (ink | other).sum() < 0.9, letter


def test_chance_alone_makes_two_of_one_form_differ() -> None:
    masks = [np.zeros((140, 160), np.float32) for _ in range(3)]
    for mask, seed in zip(masks, (1, 2, 1), strict=True):
        unit_letters.draw(mask, "A", "four", HOW, np.random.default_rng(seed))
    assert not np.array_equal(masks[0], masks[1])
    assert np.array_equal(masks[0], masks[2])
