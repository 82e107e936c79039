"""Markup and canonical text taken apart."""

from __future__ import annotations

import pytest

from training.handwriting.ink import InkMark, InkWord, plain, words
from training.sheets.order_meaning import meaning, regions


def test_markup_is_split_into_words_with_marks() -> None:
    assert words("Army {-Kent-} London {+moves+} to") == (
        InkWord("Army", InkMark.PLAIN),
        InkWord("Kent", InkMark.CROSSED),
        InkWord("London", InkMark.PLAIN),
        InkWord("moves", InkMark.INSERTED),
        InkWord("to", InkMark.PLAIN),
    )
    assert plain("Army {-Kent-} London {+moves+} to") == "Army London moves to"


def test_a_hyphen_within_a_name_is_no_mark() -> None:
    assert plain("A Ashby-de-la-Zouch Castle - Leix & Offaly") == "A Ashby-de-la-Zouch Castle - Leix & Offaly"


# The forms and their parts as the contract lists them.
@pytest.mark.parametrize(
    ("order", "kind", "named"),
    [
        ("A London - Surrey", "move", ("London", "Surrey")),
        ("A London H", "hold", ("London",)),
        ("A Shropshire S A Ashby-de-la-Zouch Castle - Staffordshire", "support_move",
         ("Shropshire", "Ashby-de-la-Zouch Castle", "Staffordshire")),
        ("A Northumberland S Eskdale", "support_hold", ("Northumberland", "Eskdale")),
        ("F Irish Sea C A Caernarfonshire - Dublin & the Pale", "convoy",
         ("Irish Sea", "Caernarfonshire", "Dublin & the Pale")),
        ("A Carlisle converts to F", "convert", ("Carlisle",)),
        ("A London proxy Montrose", "proxy", ("London",)),
        ("A London R Kent", "retreat", ("London", "Kent")),
        ("F Lyme Bay disbands", "disband", ("Lyme Bay",)),
        ("Build A Fort William", "build", ("Fort William",)),
        ("Remove F The Uists", "remove", ("The Uists",)),
        ("Send 2 supply to Argyll", "send_supply", ()),
        ("B Denbigh - Chester (db)", "move", ("Denbigh", "Chester")),
        ("B Denbigh - Mersey via convoy", "move", ("Denbigh", "Mersey")),
        ("F Irish Sea C B Cardigan Bay - Armagh", "convoy", ("Irish Sea", "Cardigan Bay", "Armagh")),
        (("A/F Clyveland S A/F Hidden Wash 1 - "
          "Dunholm"), "support_move", ("Clyveland", "Hidden Wash 1", "Dunholm")),
        ("Home Denbigh - Armagh", "move_home", ("Denbigh", "Armagh")),
        ("Home York", "move_home", ("York",)),
    ],
)  # fmt: skip
def test_every_canonical_form_is_known(order: str, kind: str, named: tuple[str, ...]) -> None:
    assert meaning(order)["order"] == kind
    assert regions(order) == named


def test_a_coast_is_parted_from_its_region() -> None:
    parts = meaning("F Plymouth - Devon/South Coast")
    assert (parts["to"], parts["to_coast"]) == ("Devon", "South Coast")


def test_the_type_of_a_supported_unit_may_be_missing() -> None:
    assert meaning("A Northumberland S Eskdale")["target"] == {"type": None, "at": "Eskdale", "coast": None}


def test_other_text_is_refused() -> None:
    with pytest.raises(ValueError, match="not a canonical order"):
        meaning("Army London moves to Surrey")
