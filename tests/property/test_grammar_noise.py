"""Orders with letters spoilt at random: what may be taken without a look is what was written."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from adjudicator.geo import Region
from adjudicator.orders import Convoy, Hold, Move, Order, SupportHold, SupportMove
from adjudicator.units import UnitRef
from grammar.nearest_orders import nearest_orders
from grammar.print import prose
from tests.grammar.boards import board, forms, lexicon

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _order(chance: random.Random, *, anywhere: bool = False) -> Order:
    """An order of units that can be where they are and go. `anywhere`: an army may be at sea, and a fleet
    inland."""
    def region(kind: str | None = None) -> Region:
        regions = [Region(province) for province in sorted(board().provinces)]
        return chance.choice([r for r in regions if anywhere or lexicon().fits_terrain(kind, r)])

    def unit() -> UnitRef:
        kind = chance.choice("AF")
        return UnitRef(kind, region(kind))

    first, other = unit(), unit()
    # From a sea alone: "Fleet Galway convoys ..." is Galway Bay, since no fleet convoys from land (WOR-01).
    at_sea = UnitRef("F", Region(chance.choice(sorted(lexicon().seas))))
    every: list[Order] = [
        Hold(power="Ormond", unit=first),
        Move(power="Ormond", unit=first, to=region(first.kind)),
        SupportHold(power="Ormond", unit=first, target=other),
        SupportMove(power="Ormond", unit=first, target=other, to=region(other.kind)),
        Convoy(power="Ormond", unit=at_sea, target=other, to=region(other.kind)),
    ]
    return chance.choice(every)


def _spoilt(text: str, rate: float, chance: random.Random) -> str:
    """Letters replaced, dropped or doubled, and blanks lost, each with `rate`."""
    out = []
    for letter in text:
        spoil = chance.random() < rate
        kind = chance.choice(("swap", "drop", "double"))
        if spoil and letter != " " and kind == "swap":
            out.append(chance.choice(_LETTERS))
        elif not spoil or kind == "double":
            out.append(letter * (1 + spoil))
    return "".join(out)


@dataclass(frozen=True, slots=True)
class Count:
    """Of 120 spoilt lines: those read right at the first place, those taken, and those taken wrongly."""

    right: int
    automatic: int
    wrong: list[str]


def _count(rate: float, *, anywhere: bool = False) -> Count:
    chance = random.Random(1642)  # the same lines every run
    right = automatic = 0
    wrong = []
    for _ in range(120):
        order = _order(chance, anywhere=anywhere)
        text = _spoilt(prose(order, board(), lexicon().kinds), rate, chance)
        nearest = nearest_orders(text, lexicon=lexicon(), forms=forms(), power="Ormond")
        good = bool(nearest.candidates) and nearest.candidates[0].orders == (order,)
        right += good
        automatic += nearest.automatic
        if nearest.automatic and not good:
            wrong.append(text)
    return Count(right, automatic, wrong)


@pytest.mark.parametrize(("rate", "first", "taken"), [
    (0.02, 0.98, 0.7), pytest.param(0.08, 0.94, 0.4, marks=pytest.mark.slow)])
def test_spoilt_prose_is_found_and_never_taken_wrongly(rate: float, first: float, taken: float) -> None:
    count = _count(rate)
    # Not one: no one sees a line that is taken automatically.
    assert count.wrong == []
    assert count.right >= first * 120
    assert count.automatic >= taken * 120


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.02, 0.08])
def test_spoilt_prose_of_an_army_at_sea_is_never_taken_wrongly(rate: float) -> None:
    """WRD-01: a misspelling never puts an army at sea, so such lines need not be found, only never taken for
    another order."""
    assert _count(rate, anywhere=True).wrong == []
