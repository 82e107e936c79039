"""What is transcribed is what was written: the text of a line holds no ink that is not there (WRD-02)."""

from __future__ import annotations

import pytest

from tests.reading.test_traps import lines_of


@pytest.mark.parametrize(
    ("written", "order"),
    [
        # "Cardigan BaY" and "Stands" came out before these were known short forms.
        ("Army Pembroke to Cardigan", "A Pembroke Castle - Cardiganshire"),
        ("Army Staffs to Salop", "A Staffordshire - Shropshire"),
        ("Army Derbys supports Army Northants to Beds",
         "A Derbyshire S A Northamptonshire - Bedfordshire"),
    ],
)
def test_a_short_form_is_transcribed_as_it_stands(written: str, order: str) -> None:
    (line,) = lines_of(written)
    assert (line.text, line.order) == (written, order)


@pytest.mark.parametrize(
    "written", ["Army Kent to Gondor", "Army London supports from Kent", "Army Solway holds"])
def test_what_is_no_order_keeps_its_own_words(written: str) -> None:
    (line,) = lines_of(written)
    assert line.text == written
    assert line.status.value == "open"
