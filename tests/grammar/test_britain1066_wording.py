"""What a sheet of 1066 may say: army/fleets, declarations, where the hidden fleet lies, homes named again."""

from __future__ import annotations

import pytest

import maps
from adjudicator.calendar import PhaseKind
from reading.vocabulary import parse_typed, printed

VARIANT = maps.load("britain1066")


def _read(text: str, phase: PhaseKind = PhaseKind.MOVEMENT) -> str | None:
    return printed(parse_typed(VARIANT, phase, "The Norse", text).orders, VARIANT.board)


@pytest.mark.parametrize(("text", "order"), [
    ("A/F. Dublin - IRI", "A/F Dublin - Irish Sea"),  # D66-02, D66-03
    ("Army/Fleet Dublin moves to the Irish Sea", "A/F Dublin - Irish Sea"),
    ("A. Gloucestre - Wes", "A Glowecestre - Wessexe"),
    ("Fleet Exsassa destroys armies in the Straits of Dover", "Exsassa destroys armies"),
    ("F Exs destroys the armies", "Exsassa destroys armies"),
    # As our own letters say it.
    ("The unit in Exsassa destroys the armies in the Straits of Dover", "Exsassa destroys armies"),
    ("F Exs destroys the armies in Lothian", None),  # of the Straits alone
    ("The unit in Exsassa destroys", None),
    ("A/F HG1 lies in the Wash", "Hidden Germanicus 1 lies in The Wash"),  # D66-06
    ("A SH1 - Has", "A Straits Hold 1 - Hastings"),  # D66-04
    ("A Win s A SH1 - Has", "A Windesores S A Straits Hold 1 - Hastings"),  # D66-10
    ("F CHA c A NM1 - Mor", "F The Channel C A Normandy 1 - Morgannwg"),  # D66-05
    ("A Bernicia - Lot", "A Bernicia - Lothian"),
    ("A Brc - Lot", None),  # Bernicia or Berrocchescire
])
def test_movement(text: str, order: str | None) -> None:
    assert _read(text) == order
    if order is not None:
        assert _read(order) == order


@pytest.mark.parametrize(("text", "order"), [
    ("Build A/F NW1", "Build A/F Norway 1"),  # D66-07
    ("Build an army/fleet in Dublin", "Build A/F Dublin"),  # D66-03
    ("Build F Normandy 2", "Build F Normandy 2"),  # D66-05
    ("Nominate Canterbury in place of Glowecestre", "Home Glowecestre - Canterbury"),  # D66-09
    ("Nominate Canterbury", "Home Canterbury"),
])
def test_adjustments(text: str, order: str) -> None:
    assert _read(text, PhaseKind.ADJUSTMENT) == order
    assert _read(order, PhaseKind.ADJUSTMENT) == order
