"""The move browser leaves no one out: every place has a row for each kind of unit, on each coast, that can
are there (MOVE-01). That each row is right is proved in `test_public_moves`."""

from __future__ import annotations

import pytest

import maps
from adjudicator.geo import ANY, COAST, SEA, Terrain
from service.public.moves import page
from tests.service.public.test_moves import MARCHED_OVER, read


@pytest.mark.parametrize("slug", MARCHED_OVER)
def test_wherever_a_unit_may_go_it_has_a_row_to_go_on_from(slug: str) -> None:
    variant = maps.load(slug)
    rows = read(page(variant).html).rows
    places = {(place, unit, coast) for place, unit, coast, _ in rows}
    assert len(places) == len(rows), "a row that occurs twice"
    for place, unit, _, goals in rows:
        for goal in goals:
            name, _, coast = goal.partition("/")
            assert (name, unit, coast) in places, (place, unit, goal)


@pytest.mark.parametrize("slug", MARCHED_OVER)
def test_each_place_has_armies_on_land_fleets_at_sea_and_one_row_a_coast(slug: str) -> None:
    """By terrain and coasts alone: an army inland, a fleet at sea, and in a place of several coasts a fleet
    on each."""
    variant = maps.load(slug)
    kinds = {kind.letter: kind.name for kind in variant.kinds.values()}
    rows: dict[str, set[tuple[str, str]]] = {}
    for place, unit, coast, _ in read(page(variant).html).rows:
        rows.setdefault(place, set()).add((unit, coast))
    for province in variant.board.provinces.values():
        own_rows = rows[province.name]
        if province.terrain is Terrain.SEA:
            afloat = {kind.name for kind in variant.kinds.values() if kind.moves & {SEA, COAST, ANY}}
            assert own_rows == {(name, "") for name in afloat}, province.name
            continue
        assert (kinds["A"], "") in own_rows, province.name
        fleets = {coast for unit, coast in own_rows if unit == kinds["F"]}
        if province.coasts:
            assert len(fleets) == len(province.coasts), province.name
            assert "" not in fleets, province.name
        else:
            assert fleets == ({""} if province.terrain is Terrain.COASTAL else set()), province.name


@pytest.mark.parametrize("slug", ["standard", "w3k"])
def test_these_boards_do_have_places_of_several_coasts(slug: str) -> None:
    assert sum(len(province.coasts) > 1 for province in maps.load(slug).board.provinces.values()) >= 3
