"""Brittania's story is typed: what is bold in its mails is an order of the game, and what must come of each
was said."""

from __future__ import annotations

from datetime import UTC, datetime

import maps
from adjudicator.calendar import PhaseKind
from demo.story import Story, story_of
from reading.vocabulary import parse_typed, printed
from service.intake.typed_orders import bold_lines

TOLD: Story = story_of("brittania")
ON_DICE = "5 Grain for Conquest of Somerset with the King"
"""The one order whose end nobody can work out before the dice are drawn."""


def typed(mail_name: str) -> tuple[str, ...]:
    (mail,) = [mail for mail in TOLD.mails if mail.name == mail_name]
    return bold_lines(mail.to_bytes("orders@galloper.example", datetime(2027, 3, 1, 12, tzinfo=UTC)))


def test_what_is_typed_in_bold_are_the_orders_with_an_outcome() -> None:
    """WSB-02: bold in HTML, between stars and between [b] and [/b] alike."""
    variant = maps.load(TOLD.variant)
    for mail in TOLD.mails:
        if mail.fate != "accepted" or mail.files:
            continue
        said = {
            printed(parse_typed(variant, PhaseKind.TURN, mail.power, line).orders, variant.board)
            for line in typed(mail.name)
        }
        assert said - {ON_DICE} == set(TOLD.expected[mail.phase][mail.power]), mail.name


def test_a_mail_without_bold_holds_no_order() -> None:
    assert typed("harvest-601-lavender-plain") == ()


def test_the_later_mails_of_a_turn_say_something_else_and_count_for_nothing() -> None:
    later = [mail for mail in TOLD.mails if mail.fate == "superseded"]
    assert {mail.power for mail in later} == {"Red", "Orange"}
    for mail in later:
        (first,) = [
            one for one in TOLD.mails_of(mail.phase) if one.power == mail.power and one.fate == "accepted"
        ]
        assert TOLD.mails.index(first) < TOLD.mails.index(mail)
        assert typed(first.name) != typed(mail.name)
