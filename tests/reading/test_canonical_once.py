"""Canonical text that was read before is not read again, and no one gets another one's orders (SCA-02)."""

from __future__ import annotations

import pytest

import maps
from adjudicator.calendar import PhaseKind
from reading import vocabulary
from reading.vocabulary import orders_of

HOLD = "A Kent H"


def test_a_text_that_was_read_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """(SCA-02)"""
    variant = maps.load("w3k")
    power = next(iter(variant.powers))
    first = orders_of(variant, PhaseKind.MOVEMENT, power, HOLD, 7)
    monkeypatch.setattr(vocabulary, "parse_line", None)
    again = orders_of(variant, PhaseKind.MOVEMENT, power, HOLD, 8)
    assert [order.line for order in (*first, *again)] == [7, 8]


def test_the_same_text_of_another_power_is_that_powers_order() -> None:
    """(SCA-02)"""
    variant = maps.load("w3k")
    powers = list(variant.powers)[:3]
    assert [orders_of(variant, PhaseKind.MOVEMENT, power, HOLD, 1)[0].power for power in powers] == powers


def test_the_same_text_on_another_board_is_read_with_its_names_and_kinds() -> None:
    """(SCA-02) Brittania has a Kent too, and no armies."""
    w3k, brittania = maps.load("w3k"), maps.load("brittania")
    assert orders_of(w3k, PhaseKind.MOVEMENT, next(iter(w3k.powers)), HOLD, 1)
    with pytest.raises(ValueError, match="not canonical"):
        orders_of(brittania, PhaseKind.MOVEMENT, next(iter(brittania.powers)), HOLD, 1)
