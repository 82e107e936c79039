"""A blank sheet as it is printed, photographed and read back: its heading is what was filled in (POST-07,
HEAD-01).

The target is 999 of 1,000. That many take an hour; `galloper bench paper --sheets 1000` measures it. This is
a sample of the same sheets, in which none may fail.
"""

from __future__ import annotations

import pytest

from bench import paper

SAMPLE = 30


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("number", range(SAMPLE))
def test_a_photographed_blank_sheet_gives_its_heading_back_and_no_order(number: int) -> None:
    printed_heading = paper.heading_of_sheet(number)
    heading, orders = paper.read_sheet(paper.photograph_of_sheet(number), printed_heading)
    assert paper.mismatch(printed_heading, heading, orders) == ""
