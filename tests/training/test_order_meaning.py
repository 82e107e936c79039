"""Markup and canonical text taken apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from training.handwriting.ink import InkMark, InkWord, plain, words
from training.sheets.copied import canonical_text, copied_drafts
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


# What other sheets say
# ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [
    "A London - Surrey", "F Plymouth - Devon/South Coast", "A Kent H", "A Kent S A Surrey - London",
    "A Northumberland S Eskdale", "F Irish Sea C A Mull - Antrim", "A Mull converts to F",
    "F Kent proxy The Crown", "A Kent R Surrey", "F Mull disbands", "Build F Devon/South Coast",
    "Remove A Kent", "Send 2 supply to Ormond",
])  # fmt: skip
def test_a_meaning_has_the_canonical_text_that_it_came_of(order: str) -> None:
    assert canonical_text(meaning(order)) == order


def test_a_meaning_that_no_text_can_say_is_refused() -> None:
    with pytest.raises(ValueError, match="says not quite"):
        canonical_text({**meaning("A London - Surrey"), "via_convoy": True})
    with pytest.raises(ValueError, match="no canonical text"):
        canonical_text({**meaning("A London - Surrey"), "order": "march"})


def test_sheets_are_copied_word_for_word(tmp_path: Path) -> None:
    lines = [
        {"text": "Newcastle", "kind": "heading", "struck": False},
        {"text": "A Lon-Sur.", "kind": "order", "struck": True, "meaning": meaning("A London - Surrey")},
        {"text": "A Narnia holds", "kind": "order", "struck": False, "want": "review", "trap": "unknown"},
    ]
    sheet = {"power": "Newcastle", "phase": "Movement", "dialect": "abbr", "lines": lines}
    (tmp_path / "truth.json").write_text(json.dumps({"sheets": [sheet]}), encoding="utf-8")
    (draft,) = copied_drafts(tmp_path)
    assert [line.markup for line in draft.lines] == ["Newcastle", "A Lon-Sur.", "A Narnia holds"]
    assert [line.order for line in draft.lines] == [None, "A London - Surrey", None]
    assert (draft.lines[1].struck, draft.lines[2].want, draft.lines[2].trap) == (True, "review", "unknown")
