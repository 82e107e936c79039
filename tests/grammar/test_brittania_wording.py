"""The order forms of Brittania: the printed ones, what players write instead, and back (WSB-01, WSB-03,
WSB-14 to WSB-18)."""

from __future__ import annotations

import pytest

import maps
from adjudicator.calendar import PhaseKind
from grammar.complaint import ComplaintCode
from grammar.headings.subject import parse_subject
from grammar.headings.values import Heading, KnownGame, KnownPower
from grammar.parse import ParsedLine
from grammar.print import canonical, prose
from reading.vocabulary import parse_typed

BRITTANIA = maps.load("brittania")

FORMS = [
    # As printed
    ("5 Grain for Defense of Essex.", "5 Grain for Defense of Essex"),
    ("5 Grain for Investing of Essex.", "5 Grain for Investing of Essex"),
    ("10 Grain for Conquest of Kent.", "10 Grain for Conquest of Kent"),
    # rice
    ("19 rice for the conquest of Mide", "19 Grain for Conquest of Mide"),
    ("12 rice for defence of Mide", "12 Grain for Defense of Mide"),
    # Otherwise
    ("45 grain for investment in Oxford", "45 Grain for Investing of Oxford"),
    ("five grain to defend York", "5 Grain for Defense of York"),
    ("15 Grain for Conquest of Ayr with the King", "15 Grain for Conquest of Ayr with the King"),
    ("15 Grain for Conquest of Ayr, led by our Queen", "15 Grain for Conquest of Ayr with the King"),
    ("King to Kent", "King to Kent"),
    ("Our king rides to Kent.", "King to Kent"),
    ("5 Grain for the Formal Alliance with Gold", "5 Grain for Alliance with Gold"),
    ("5 Grain for Swap of Oxford for Essex", "5 Grain for Swap of Oxford for Essex"),
    ("5 grain for territory swap Oxford with Essex", "5 Grain for Swap of Oxford for Essex"),
    ("Send 12 Grain to Gold", "Send 12 Grain to Gold"),
    ("Capital: Essex", "Capital Essex"),
    ("Claim Ui Neill as our capital", "Capital Ui Neill"),
    ("Ui Neill is picked as capital", "Capital Ui Neill"),  # as our own letters say it
    # Names
    ("5 Grain for Defense of Leinster", "5 Grain for Defense of Laighin"),
    ("5 Grain for Defense of Uí Néill", "5 Grain for Defense of Ui Neill"),
    ("10 Grain for Conquest of the Isle of Man", "10 Grain for Conquest of Man"),
]


def _parse(text: str) -> ParsedLine:
    return parse_typed(BRITTANIA, PhaseKind.TURN, "Red", text)


@pytest.mark.parametrize(("text", "canonical_text"), FORMS)
def test_a_form_is_read(text: str, canonical_text: str) -> None:
    parsed = _parse(text)
    assert parsed.complaint is None
    assert [canonical(order, BRITTANIA.board) for order in parsed.orders] == [canonical_text]


@pytest.mark.parametrize("canonical_text", sorted({canonical_text for _, canonical_text in FORMS}))
def test_what_is_printed_is_read_back(canonical_text: str) -> None:
    (order,) = _parse(canonical_text).orders
    assert canonical(order, BRITTANIA.board) == canonical_text
    assert prose(order, BRITTANIA.board, BRITTANIA.kinds)


@pytest.mark.parametrize("text", [
    "5 Grain for Defense of Esex",  # Essex or Wessex
    "Grain for Defense of Essex",
    "5 Grain for Essex",
    "5 Grain if Red attacks Essex",
    "A London - Surrey",
])
def test_what_is_no_order_is_complained_of(text: str) -> None:
    parsed = _parse(text)
    assert parsed.orders == ()
    assert parsed.complaint is not None
    assert parsed.complaint.code in set(ComplaintCode)


def test_several_sentences_stand_on_one_line() -> None:
    """WSB-03: the printed example of a turn, written without line breaks."""
    parsed = _parse("5 Grain for Defense of Essex. 5 Grain for Investing of Essex. 10 Grain for Conquest of "
                   "Kent.")
    assert [canonical(order, BRITTANIA.board) for order in parsed.orders] == [
        "5 Grain for Defense of Essex", "5 Grain for Investing of Essex", "10 Grain for Conquest of Kent"]


@pytest.mark.parametrize("subject", [
    "Powick Bridge - Red - Harvest 603 - Turn Orders - v1", "Powick Bridge, Red, Harvest 603 Orders, v1",
    "Powick Bridge - Red - Havrest 603 - Turn - v1",
])
def test_a_subject_line_names_the_turn(subject: str) -> None:
    """SUBJ-01 on a board whose one kind of paper is the turn's."""
    powers = tuple(KnownPower(power.name) for power in BRITTANIA.powers.values())
    parsed = parse_subject(subject, [KnownGame("Powick Bridge", (), powers, BRITTANIA.calendar.steps)])
    assert isinstance(parsed, Heading)
    assert (parsed.power, parsed.season, parsed.year, parsed.kind, parsed.version) == (
        "Red",
        "Harvest",
        603,
        PhaseKind.TURN,
        1,
    )
