"""What a hand may write on a sheet of 1648: its own orders, its kinds of units, and its headings."""

from __future__ import annotations

import pytest

import maps
from adjudicator.calendar import PhaseKind
from grammar.headings.subject import parse_subject
from grammar.headings.values import Heading, KnownGame, KnownPower
from reading.vocabulary import parse_typed, printed

VARIANT = maps.load("war1648")
GAME = KnownGame(
    "White Mountain", powers=tuple(KnownPower(p.id, p.aliases) for p in VARIANT.powers.values()),
    steps=VARIANT.calendar.steps)


def _read(text: str, phase: PhaseKind = PhaseKind.MOVEMENT) -> str | None:
    return printed(parse_typed(VARIANT, phase, "Spain", text).orders, VARIANT.board)


@pytest.mark.parametrize(("text", "order"), [
    ("F Stockholm FCA", "F Stockholm converts"),  # TYW-05
    ("FCA F Stockholm.", "F Stockholm converts"),  # TYW-05
    ("Fleet Stockholm: FCA", "F Stockholm converts"),  # TYW-05
    ("F Stockholm changes into an army", "F Stockholm converts to A"),  # TYW-05
    ("Fleets Stockholm and Granada FCA", "F Stockholm converts; F Granada converts"),
    ("Start in Leon", "Start in Leon"),  # TYW-02
    ("Begin at Leon.", "Start in Leon"),
    ("M Vienna S A Bohemia - Bavaria", "M Vienna S A Bohemia - Bavaria"),  # TYW-06
    ("Mercenary Vienna supports Army Bohemia to Bavaria", "M Vienna S A Bohemia - Bavaria"),  # TYW-06
    ("Mercenaries Vienna and Styria hold", "M Vienna H; M Styria H"),  # TYW-06
    ("F Norwegian Sea - East Artic Ocean", "F Norwegian Sea - East Arctic Ocean"),  # TYW-15
    ("Fleet Norwegian to the East Arctic", "F Norwegian Sea - East Arctic Ocean"),  # TYW-15
    ("A Spanish Neth - Hol", "A Spanish Netherlands - Holland"),
    ("F Papal States (west coast) - Naples", "F Papal States/West Coast - Naples"),
])
def test_movement(text: str, order: str) -> None:
    assert _read(text) == order


@pytest.mark.parametrize(("text", "order"), [
    ("Build a mercenary in Paris", "Build M Paris"),  # TYW-06
    ("Build mercenaries in Paris and Avignon", "Build M Paris; Build M Avignon"),  # TYW-06
    ("Remove M Paris", "Remove M Paris"),  # TYW-07
    ("Lend Naples to France", "Lend Naples to France"),  # TYW-14
    ("Loan Naples to the French.", "Lend Naples to France"),  # TYW-14
    ("Take back Naples", "Take back Naples"),  # TYW-14
    ("Recall Naples", "Take back Naples"),  # TYW-14
    ("Home Greece - Smyrna", "Home Greece - Smyrna"),  # TYW-08
    ("Home centre Smyrna", "Home Smyrna"),  # TYW-08
    ("Designate Smyrna for Greece", "Home Greece - Smyrna"),  # TYW-08
    ("Name Smyrna in place of Greece", "Home Greece - Smyrna"),  # TYW-08
    ("Smyrna becomes my home centre in place of Greece", "Home Greece - Smyrna"),  # TYW-08
])
def test_build_months(text: str, order: str) -> None:
    assert _read(text, PhaseKind.ADJUSTMENT) == order


@pytest.mark.parametrize(("phase", "order"), [
    (PhaseKind.MOVEMENT, "F Stockholm converts to A"), (PhaseKind.MOVEMENT, "Start in Leon"),
    (PhaseKind.ADJUSTMENT, "Lend Naples to France"), (PhaseKind.ADJUSTMENT, "Take back Naples"),
    (PhaseKind.ADJUSTMENT, "Home Greece - Smyrna"), (PhaseKind.ADJUSTMENT, "Home Smyrna"),
    (PhaseKind.ADJUSTMENT, "Build M Paris"),
])
def test_canonical_text_is_read_back(phase: PhaseKind, order: str) -> None:
    assert _read(order, phase) == order


@pytest.mark.parametrize(("subject", "season", "year", "kind"), [
    ("White Mountain - Spain - April 1618 Movement - v1", "April", 1618, PhaseKind.MOVEMENT),
    ("White Mountain, Spain, June 1618 Builds, v2", "June", 1618, PhaseKind.ADJUSTMENT),
    (("Fwd: white mountain - SPAIN - december 1618 adjustment orders - "
      "v1"), "December", 1618, PhaseKind.ADJUSTMENT),
    ("White Mountain - Spain - February 1619 Retreat Orders - v1", "February", 1619, PhaseKind.RETREAT),
    ("White Mountain - Spain - Setpember 1619 - v1", "September", 1619, PhaseKind.ADJUSTMENT),
])
def test_headings_name_months(subject: str, season: str, year: int, kind: PhaseKind) -> None:
    """TYW-10: a turn is a month, and a build month requests one kind of paper only."""
    parsed = parse_subject(subject, (GAME,))
    assert isinstance(parsed, Heading), parsed
    assert (parsed.power, parsed.season, parsed.year, parsed.kind) == ("Spain", season, year, kind)
