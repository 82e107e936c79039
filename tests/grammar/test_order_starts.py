"""By what the lines of each game are seen to begin like orders; nothing of it depends on the game's name."""

from __future__ import annotations

import pytest

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.orders import Order
from grammar.automaton.order_lines import order_automaton
from grammar.compose import compose
from grammar.headings.sheet import parse_sheet_heading
from grammar.interpret import is_separate_condition, may_be_order_fragment
from grammar.order_starts import _SHARED, DEFAULT_STARTS, OrderStarts, order_starts
from grammar.order_traits import differ_in_kinds_only
from reading.vocabulary import all_forms, known_game, lexicon_of, parse_typed


def signs(slug: str) -> OrderStarts:
    variant = maps.load(slug)
    return order_starts(lexicon_of(variant), tuple(all_forms(variant)))


def orders(slug: str, text: str) -> tuple[Order, ...]:
    parsed = parse_typed(maps.load(slug), PhaseKind.MOVEMENT, "", text).orders
    assert parsed
    return parsed


@pytest.mark.parametrize("slug", ["w3k", "standard"])
def test_a_game_of_armies_and_fleets_without_orders_of_its_own_has_the_usual_signs(slug: str) -> None:
    assert signs(slug) == DEFAULT_STARTS


def test_the_first_words_every_game_has_are_those_of_the_shared_forms() -> None:
    forms = [compose(kind) for kind in (PhaseKind.MOVEMENT, PhaseKind.RETREAT, PhaseKind.ADJUSTMENT)]
    first = {
        word
        for each in forms
        for word, terminals in each.ink_keywords.items()
        if not each.ink_machine.moves[0].keys().isdisjoint(terminals)
    }
    assert {word for word in first if len(word) >= 4} <= _SHARED


@pytest.mark.parametrize(
    ("slug", "line"),
    [
        ("bretwalda", "B (Den) - Che (db)"),
        ("bretwalda", "F (IRI) c B (CDG) - Arm"),
        ("bretwalda", "Boat Bunch Denbigh holds"),
        ("bretwalda", "Boot Bunch Denbigh holds"),
        ("britain1066", "A/F Dublin - Man"),
        ("war1648", "M Bavaria holds"),
        ("war1648", "Mercenary Bavaria holds"),
        ("war1648", "Lend Paris to Sweden"),
        ("brittania", "5 Grain for Defense of Essex"),
        ("brittania", "1O Grain for Conquest of Kent"),
        ("brittania", "The King goes to Kent"),
        ("brittania", "Capital Kent"),
    ],
)
def test_a_line_begins_like_an_order_of_its_game(slug: str, line: str) -> None:
    known = signs(slug)
    assert known.looks_like_order(line) or known.begins_short_order(line) or known.has_own_word(line)


@pytest.mark.parametrize(
    ("slug", "line"),
    [
        ("war1648", "MOVEMENT ORDERS"),
        ("war1648", "Name: Ada Marlowe"),
        ("war1648", "Matthias"),
        ("bretwalda", "BRETWALDA"),
        ("brittania", "KINGDOM COME"),
        ("brittania", "601 Harvest"),
        ("brittania", "Harvest 601"),
        ("bretwalda", "A. Marlowe"),
        ("britain1066", "The Northern Earls"),
    ],
)
def test_a_heading_does_not(slug: str, line: str) -> None:
    known = signs(slug)
    assert not known.looks_like_order(line)
    assert not known.begins_short_order(line)


def test_a_heading_ends_at_the_first_order_of_its_game() -> None:
    """Below it "with Gold" is no power's signature: the sheet is Red's."""
    lines = ["Red", "Harvest 604 Orders", "5 Grain for Alliance with Gold", "Send 3 Grain to Green"]
    heading = parse_sheet_heading(lines[1:], [known_game(maps.load("brittania"))])
    assert (heading.season, heading.year, heading.power) == ("Harvest", 604, None)


@pytest.mark.parametrize(
    ("first", "other", "apart"),
    [("B (Den) - Che", "A (Den) - Che", True),
     ("F (IRI) c B (CDG) - Arm", "F (IRI) c A (Cardigan Bay) - Arm", True),
     ("B (Den) - Che", "B (Den) - Che (db)", False), ("A (Den) = B", "A (Che) = B", False)])
def test_readings_differ_in_the_kinds_of_units_alone(first: str, other: str, *, apart: bool) -> None:
    """A boat bunch taken for an army is a doubt about letters that a hand makes alike."""
    lexicon = lexicon_of(maps.load("bretwalda"))
    assert differ_in_kinds_only(orders("bretwalda", first), orders("bretwalda", other), lexicon) is apart


@pytest.mark.parametrize(("text", "expected"), [
    ("Flect Kent holds", True), ("Flocl Kent holds", False), ("Send it", True), ("Sand it", False),
    ("Arny Kent holds", True), ("Anny Kent holds", False), ("Arnys Kent holds", False)])
def test_a_first_word_of_five_letters_may_have_one_misread(text: str, *, expected: bool) -> None:
    """WOR-03, and army, the word that most orders begin with, of four."""
    assert DEFAULT_STARTS.looks_like_order(text) is expected


@pytest.mark.parametrize(("text", "expected"), [
    ("Kentarmy holds", True), ("Armykent holds", True), ("the King", True), ("a kingdom", False),
    ("Northumberland", False)])
def test_the_word_of_a_unit_may_be_joined_to_a_name_of_four_letters(text: str, *, expected: bool) -> None:
    """WOR-03: a row with such a word may be an order; and a kingdom is no king."""
    starts = OrderStarts(("A", "K"), (("army", 1), ("king", 1)))
    assert starts.has_unit_word(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Do not send Mercenary Bavaria", True), ("Do not send M Bav", True), ("Do not send money", False)],
)
def test_a_ban_may_name_any_kind_of_unit(text: str, *, expected: bool) -> None:
    assert is_separate_condition(text, lexicon_of(maps.load("war1648"))) is expected


def test_a_short_order_of_another_kind_of_unit_is_no_remark() -> None:
    assert may_be_order_fragment("B WHX", lexicon_of(maps.load("bretwalda")))


@pytest.mark.parametrize(
    "text", ["A/F. Dublin - Man", "A/F Dublin - Man", "A. Dunholm H", "F. Fife - Firth of Forth"]
)
def test_a_unit_s_letters_may_have_a_full_stop(text: str) -> None:
    """As the lists of 1066 write them, the army/fleet's too, whose letters are three signs."""
    variant = maps.load("britain1066")
    assert order_automaton(tuple(all_forms(variant)), lexicon_of(variant)).accepts(text)
