"""Names: what every spelling means, what is nearest, and that near is never taken for same."""

from __future__ import annotations

import pytest

import maps
from adjudicator.geo import Region
from grammar.lexicon import PLACE, Rank, Value, build_lexicon, name_key
from tests.grammar.boards import lexicon, read


@pytest.mark.parametrize("slug", maps.variants())
def test_every_full_name_reads_as_its_region(slug: str) -> None:
    words = lexicon(slug)
    values_by_name: dict[tuple[str, ...], set[Value]] = {}
    for name in words.names:
        if name.terminal == PLACE and name.rank is Rank.NAME:
            values_by_name.setdefault(name.words, set()).add(name.value)
    for province in words.board.provinces.values():
        assert Region(province.id) in values_by_name[name_key(province.name)]


# requirements B10: the short forms the handbook itself uses
@pytest.mark.parametrize(
    ("text", "region"),
    [
        ("Ashby-de-la-Zouch", "Ashby-de-la-Zouch Castle"),
        ("Dublin", "Dublin & the Pale"),
        ("The Isle of Portland", "The Isle of Portland"),
        ("Portland (Dorset)", "The Isle of Portland"),
        ("Annandale", "Annandale & Nithsdale"),
        ("Carham", "Carham Castle"),
        ("Morecombe", "Morecombe Bay"),
        ("Les Sept-Isles", "Les Sept-Isles and Eddystone Rocks"),
        ("Eddystone Rocks", "Les Sept-Isles and Eddystone Rocks"),
        ("Les Abers & Point de Corsen", "Les Abers & Point de Corsen"),
        ("Barfleur & La Hougue", "Barfleur & La Hougue"),
        ("Hurd's Deep", "Hurd's Deep"),
        ("Gulf of Mayo", "Gulf of Mayo"),
        ("Kisimul Castle", "Kisimul Castle"),
        ("Hastings & Pevensey", "Hastings & Pevensey"),
        ("Teesdale", "Teviotdale"),
    ],
)
def test_the_handbook_short_forms_resolve(text: str, region: str) -> None:
    (order,) = read(f"{text} holds").orders
    assert order.unit.region == Region(region)  # type: ignore[attr-defined]  # a hold has a unit


def test_near_names_come_with_score_and_margin() -> None:
    best, second, *_ = lexicon().nearest_places("Lond0n")
    assert best.region == Region("London")
    assert 0.8 < best.score < 1.0
    assert best.margin == pytest.approx(best.score - second.score)


def test_a_name_beats_an_alias_and_an_alias_an_abbreviation() -> None:
    variant = maps.load("w3k")

    class Row:
        def __init__(self, text: str, province: str, spelling: str) -> None:
            self.text, self.region, self.spelling = text, Region(province), spelling

    rows = [Row("Kent", "Surrey", "alias"), Row("Zed", "Kent", "abbreviation"), Row("Zed", "Surrey", "alias"),
            Row("Twin", "Kent", "alias"), Row("Twin", "Surrey", "alias")]
    words = build_lexicon(variant.board, variant.kinds, rows)
    values_by_words: dict[tuple[str, ...], set[Value]] = {
        name.words: set() for name in words.names if name.terminal == PLACE
    }
    for name in words.names:
        if name.terminal == PLACE:
            values_by_words[name.words].add(name.value)
    assert values_by_words["kent",] == {Region("Kent")}
    assert values_by_words["zed",] == {Region("Surrey")}
    assert values_by_words["twin",] == {Region("Kent"), Region("Surrey")}


def test_first_letters_stand_for_one_region_only() -> None:
    assert lexicon().region_beginning_with("iri") == Region("Irish Sea")
    assert lexicon().region_beginning_with("ir") is None
    assert lexicon().region_beginning_with("lo") is None
    assert lexicon().region_beginning_with("county") is None


def test_a_coast_the_province_lacks_stays_wrong() -> None:
    # DATC 6.B.3: a move to a wrong coast must fail, so the coast may not be dropped in reading
    (order,) = read("F GAS - SPA/NC", slug="standard").orders
    assert order.to == Region("SPA", "NC")  # type: ignore[attr-defined]  # a move has a goal
    (order,) = read("F GAS - BRE/NC", slug="standard").orders
    assert order.to == Region("BRE", "NC")  # type: ignore[attr-defined]  # a move has a goal
