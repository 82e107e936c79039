"""The board of 1648 against what the printed rules say of it, and that it states of itself that it is our own
(GAP-03)."""

from __future__ import annotations

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.geo import Region, Terrain
from maps.names import regions_named

VARIANT = maps.load("war1648")
PROVINCES = VARIANT.board.provinces

OPENING = """\
Spain: A Madrid, F Granada, A Spanish Netherlands
France: A Paris, A Avignon, F Nantes
England: A London, F Edinburgh, F Coventry
Austria: A Vienna, A Bohemia, F Styria
Sweden: A Dalcarlia, A Gotland, F Stockholm
Poland: A Volhynia, A Warsaw, F Courland, A Pripet
Russia: A Gurev, A Moscow, A Yadrin, F Kargopol
Ottoman Empire: A Wallachia, A Syria, A Sinope, F Greece, F Constantinople"""
"""Rule 2, with the Spanish Netherlands where the player chooses."""


def _marked(mark: str) -> set[str]:
    return {name for name, province in PROVINCES.items() if mark in province.marks}


def test_everybody_starts_where_rule_2_says() -> None:
    """TYW-02."""
    opening = {f"{power} {unit}" for line in OPENING.splitlines()
            for power, _, units in [line.partition(": ")] for unit in units.split(", ")}
    assert {str(unit) for unit in VARIANT.start.units} == opening
    assert len(opening) == 28
    # Rule 11: the player may begin in the one or the other.
    assert _marked("instead=Spanish Netherlands") == {"Leon"}


def test_places_where_fleets_start_are_coastal() -> None:
    """Q-50: Coventry and Styria too."""
    for unit in VARIANT.start.units:
        if unit.kind == "F":
            assert PROVINCES[unit.region.province].terrain is Terrain.COASTAL


def test_the_five_seas_and_four_lands_of_rule_10_freeze() -> None:
    """TYW-11, TYW-12."""
    seas = {"Norwegian Sea", "White Sea", "East Arctic Ocean", "West Arctic Ocean", "Icelandic Sea"}
    assert _marked("frozen") == seas | {"Kargopol", "Olenets", "Finnmark", "Trondelag"}
    assert {name for name in _marked("frozen") if PROVINCES[name].is_sea} == seas


def test_the_ottoman_has_five_special_centres_and_sweden_its_letter() -> None:
    """TYW-08, TYW-09."""
    special = _marked("special=Ottoman Empire")
    assert len(special) == 5
    assert all(PROVINCES[name].centre and PROVINCES[name].home is None for name in special)
    assert _marked("fleets=Sweden")
    for name, province in PROVINCES.items():
        builders = {mark.removeprefix("fleets=") for mark in province.marks if mark.startswith("fleets=")}
        assert builders <= set(VARIANT.powers), name
        assert not builders or (
            province.centre and province.home is None and province.terrain is Terrain.COASTAL
        )
    assert VARIANT.powers["Sweden"].letter == "S"


def test_the_sea_north_of_the_norwegian_sea_is_the_east_arctic_ocean() -> None:
    """TYW-15."""
    assert Region("East Arctic Ocean") in VARIANT.board.neighbours(Region("Norwegian Sea"), "sea")
    assert regions_named(VARIANT.names, "East Artic")[0] == Region("East Arctic Ocean")


def test_a_year_has_eight_months_of_movement_and_four_of_builds() -> None:
    """TYW-10."""
    builds = [season for season, kind in VARIANT.calendar.steps if kind is PhaseKind.ADJUSTMENT]
    assert builds == ["March", "June", "September", "December"]
    moves = [season for season, kind in VARIANT.calendar.steps if kind is PhaseKind.MOVEMENT]
    assert moves == ["January", "February", "April", "May", "July", "August", "October", "November"]
    start = VARIANT.start.phase
    assert (start.season, start.year, start.kind) == ("April", 1618, PhaseKind.MOVEMENT)


def test_two_powers_cannot_win_together() -> None:
    """TYW-13."""
    assert VARIANT.victory == 30
    assert VARIANT.powers["Ottoman Empire"].victory == 35
    assert len(VARIANT.board.centres()) < 2 * VARIANT.victory


def test_the_board_says_that_it_is_our_own() -> None:
    """GAP-03."""
    assert "Galloper's own reconstruction" in VARIANT.note
    assert "the rules were printed without their map" in VARIANT.note
    licence = (maps.folder("war1648") / "LICENCE.txt").read_text("utf-8")
    assert "this project's own reconstruction" in " ".join(licence.split())


def test_an_army_leaves_an_island_by_convoy_only() -> None:
    assert VARIANT.board.near("Gotland", "land") == frozenset()
    assert Region("Gotland") in VARIANT.board.neighbours(Region("Baltic Sea"), "sea")
