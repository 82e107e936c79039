"""Brittania's story is typed: each bold line in its mails is an order of the game with an expected result."""

from __future__ import annotations

from datetime import UTC, datetime

import maps
from adjudicator.calendar import PhaseKind
from demo.story import Story, story_of
from reading.vocabulary import parse_typed, printed
from service.mail.body.read import read_body

STORY: Story = story_of("brittania")
ON_DICE = "5 Grain for Conquest of Somerset with the King"
"""The one order whose result depends on dice, so the story expects none."""


def typed(mail_name: str) -> tuple[str, ...]:
    (mail,) = [mail for mail in STORY.mails if mail.name == mail_name]
    return read_body(mail.to_bytes("orders@galloper.example", datetime(2027, 3, 1, 12, tzinfo=UTC))).bold


def test_what_is_typed_in_bold_are_the_orders_with_an_outcome() -> None:
    """WSB-02: bold in HTML, between stars and between [b] and [/b] alike."""
    variant = maps.load(STORY.variant)
    for mail in STORY.mails:
        if mail.fate != "accepted" or mail.files:
            continue
        canonical = {
            printed(parse_typed(variant, PhaseKind.TURN, mail.power, line).orders, variant.board)
            for line in typed(mail.name)
        }
        # Mails with files are photographs, and the reader's tests are about those.
        assert canonical - {ON_DICE} == set(STORY.expected[mail.phase][mail.power]), mail.name


def test_a_mail_without_bold_holds_no_order() -> None:
    assert typed("harvest-601-lavender-plain") == ()


def test_the_later_mails_of_a_turn_say_something_else_and_count_for_nothing() -> None:
    later = [mail for mail in STORY.mails if mail.fate == "superseded"]
    assert {mail.power for mail in later} == {"Red", "Orange"}
    for mail in later:
        # in this game the first mail of a power counts, and not the last.
        (first,) = [
            accepted for accepted in STORY.mails_of(mail.phase)
            if accepted.power == mail.power and accepted.fate == "accepted"
        ]
        assert STORY.mails.index(first) < STORY.mails.index(mail)
        assert typed(first.name) != typed(mail.name)
