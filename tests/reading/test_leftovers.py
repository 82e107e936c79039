"""What may be left of an order, and names that may be another's."""

from __future__ import annotations

import pytest

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.orders import Order
from grammar.impossible import is_nonsense, oddity_cost
from grammar.interpret import (
    begun_names,
    has_doubt,
    has_shared_short_form,
    has_shared_short_name,
    is_separate_condition,
    lone_words,
    may_be_order_fragment,
    place_spans,
)
from grammar.lexicon import PLACE
from grammar.order_starts import DEFAULT_STARTS
from grammar.order_traits import differ_in_kinds_only, ends_in_help, has_strange_coast
from reading.vocabulary import lexicon_of, parse_typed

VARIANT = maps.load("w3k")
LEXICON = lexicon_of(VARIANT)


def orders(text: str) -> tuple[Order, ...]:
    parsed_orders = parse_typed(VARIANT, PhaseKind.MOVEMENT, "", text).orders
    assert parsed_orders
    return parsed_orders


@pytest.mark.parametrize(
    "text",
    [
        "York",
        "Teriotdale",
        "Roads.",
        "if it is empty",
        "unless they come",
        "and Hannis wnless Hamilton", "& Hannis",
        "agreed)",
        "FCWH",
        "FWRi-Piscuy.",
        "unbess they come",
        "unkess they come",
        "it it is empty",
        # The first letter of "if" lost: the order above passed without its condition.
        "f it is empty",
        "lf it is empty",
        "otherwize",
        "via convoy",
        "to Essex.",
        "- Limerick",
    ],
)
def test_the_rest_of_an_order_is_no_remark(text: str) -> None:
    assert may_be_order_fragment(text, LEXICON)


@pytest.mark.parametrize(
    "text",
    [
        "Best wishes",
        "signed, Hamilton",
        "Good luck to all.",
        "Manchester",
        "Confedevacy",
        "Written on the train.",
        "candles",
        "Note the new address",
        "For the king",
        "Thanks",
        "Yours",
        "F xx cx",
        "This is all",
    ],
)
def test_a_remark_or_a_signature_is_no_rest_of_an_order(text: str) -> None:
    assert not may_be_order_fragment(text, LEXICON)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Do not move Fleet Fermanagh to Menteith", True), ("Don't send A Kent", True),
     ("If The Crown attacks Army Liverpool then Army Liverpool holds.", True),
     ("If F Hull is there then hold", True),
     ("if Fleet Hull moves to Wash", False), ("if it is empty then hold", False),
     ("If possible A Kent to York,", False), ("If possible A Kent to York, otherwise holds", True),
     ("do not", False), ("Do not cut support", False), ("unless Army Kent is there", False)])
def test_a_ban_or_a_condition_that_names_its_own_unit_says_nothing_of_the_order_above(
    text: str, *, expected: bool
) -> None:
    assert is_separate_condition(text, LEXICON) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("A'S Kis", True), ("A Lin S Kis", True), ("Argyll", False), ("Army orders", False)]
)
def test_a_short_order_is_known_by_its_beginning(text: str, *, expected: bool) -> None:
    assert DEFAULT_STARTS.begins_short_order(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("F Clare - Shannon", True),
        ("F Clare - Shannon Sea Area", False),
        ("F Ayr - Minch", True),
        ("F Ayr - The Minch", False),
        ("A Moray & Nairn - Essex", False),
        ("A Dublin & the Pale - Cheshire", False),
    ],
)
def test_a_short_name_that_two_places_share_is_doubtful(text: str, *, expected: bool) -> None:
    # Shannon Mouth and Shannon Sea Area, The Minch and The Little Minch are all on the board.
    assert has_shared_short_name(text, orders(text), LEXICON) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("F Zeeland - Charlemont nc", True),
        ("A Kent S F Devon/North Coast", False),
        ("F Kent - Devon/South Coast", False),
        ("F Kent - Devon/East Coast", True),
        ("A Kent S F Clare - Louth/West Coast", True),
        ("A Clare - Louth", False),
    ],
)
def test_a_coast_that_no_such_place_has_is_doubtful(text: str, *, expected: bool) -> None:
    # "Channel", the name of two seas, was read as "Char nc" and passed. A wrong coast can still be meant
    # (DATC 6.B.3).
    assert has_strange_coast(orders(text), LEXICON) is expected
    assert (oddity_cost(orders(text), LEXICON) > 0.0) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("F Irish Sea C F Kent - Essex", True),
        ("F Irish Sea C A Kent - Essex", False),
        ("F Irish Sea convoys Kent to Essex", False),
        ("Army Kent convoys Army Clare to Essex", True),
        # "Mordor", read as a way by Moray to Dorset.
        ("F Kent - Essex via convoy", True),
        ("A Kent - Essex via convoy", False),
        ("A Kent converts to A", True),
        ("A Kent converts to F", False),
        ("F Kent S F Essex - Clare", False),
    ],
)
def test_an_order_that_no_unit_of_its_kinds_can_obey_is_for_a_person(text: str, *, expected: bool) -> None:
    # INK-03: a fleet that convoys a fleet passed as written. The kinds alone tell, no position (NON-03).
    assert is_nonsense(orders(text), LEXICON) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("F Haddington H (no change)", False),
        ("F Haddington H (no, hold)", True),
        ("F Haddington no change", True),
    ],
)
def test_that_nothing_changed_is_no_doubt(text: str, *, expected: bool) -> None:
    # ORD-07: a remark in parentheses is ignored, unless it may take the order back.
    assert has_doubt(text, LEXICON) is expected


def test_where_the_names_of_places_stand() -> None:
    # The longest spelling counts: Isle of Wight is three words, not Wight. An article is not one of them.
    text = "army the isle of wight supports fleet firth of clyde in attacking kent"
    assert place_spans(text, orders(text), LEXICON) == ((2, 5), (7, 10), (12, 13))


@pytest.mark.parametrize(("text", "indexes"), [
    ("f iri - kent", (1,)), ("a easter - kent", (1,)), ("a easter ross - sutherland", ())])
def test_the_beginning_of_a_name_is_none_where_the_name_is_whole(
    text: str, indexes: tuple[int, ...]
) -> None:
    """WOR-03: "Iri" is in no list, and "Easter Ross" is."""
    assert begun_names(text, orders(text), LEXICON) == indexes


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        ("A Cork H", "F Cork H", True),
        ("A Kent S A Cork", "A Kent S F Cork", True),
        ("A Cork H", "A Cork H", False),
        ("A Cork H", "F Kent H", False),
    ],
)
def test_orders_that_differ_in_kinds_alone(text: str, other: str, *, expected: bool) -> None:
    assert differ_in_kinds_only(orders(text), orders(other), LEXICON) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("F TYNE - Kent", False),
        ("F Tyne Sea Area - Kent", False),
        ("A Portland (Dorset) H", False),
        ("A Portland H", True),
        ("F Shannon H", True),
    ],
)
def test_a_code_on_the_boards_list_is_no_shared_word(text: str, *, expected: bool) -> None:
    """ "TYNE" waited, since Newcastle upon Tyne has the word too, and so did "Portland (Dorset)"."""
    assert has_shared_short_name(text, orders(text), LEXICON) is expected


@pytest.mark.parametrize(
    ("text", "reading", "expected"),
    [
        ("A East Yorkshire H", "a east yorkshire h", False),
        ("A Yorkshire H", "a yorkshire h", True),
        ("A Yorks S A East Yorkshire", "a york s a east yorkshire", True),
    ],
)
def test_a_short_form_within_a_longer_name_is_none(text: str, reading: str, *, expected: bool) -> None:
    assert has_shared_short_form(text, reading, orders("A East Yorkshire H"), LEXICON) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Army Kent to Cork via convoy", False),
        ("Army Kent to Cork by convoy.", False),
        ("Fleet Irish Sea convoys", True),
        ("Fleet Irish Sea convoy", True),
        ("F Dublin Bay S", True),
        ("Fleel Belfasl Lough convoye", True),
        ("Army Conway", False),
    ],
)
def test_a_way_by_sea_breaks_nothing_off(text: str, *, expected: bool) -> None:
    """The line below "... via convoy" waited, as if it were convoyed by it."""
    assert ends_in_help(text) is expected


def test_a_word_of_a_name_is_none_by_itself_from_five_letters() -> None:
    """WOR-03: "riding", and no article and no code."""
    lone = lone_words(LEXICON)
    assert "riding" in lone
    assert min(map(len, lone)) == 5
    assert lone.isdisjoint(name.text for name in LEXICON.names if name.terminal == PLACE)
