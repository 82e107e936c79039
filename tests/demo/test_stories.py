"""Every story of `galloper demo` is well formed: its photographs exist, its orders are orders of its game,
and each has an expected result."""

# None of these tests calls the judge: the results were worked out by hand, and the slow tests play them.

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import maps
from adjudicator.calendar import PhaseKind
from demo.story import STORIES, NoStory, Story, story_of, story_variants
from grammar.headings.subject import parse_subject
from grammar.headings.values import HeadingComplaint
from maps.variant import Variant
from reading.vocabulary import known_game, parse_typed, printed

FATES = {"accepted", "superseded", "quarantined", "rejected", "ignored"}
LARGEST = 450_000
"""Bytes of a photograph."""

each = pytest.mark.parametrize("slug", story_variants())


@cache
def story(slug: str) -> Story:
    return story_of(slug)


@cache
def variant(slug: str) -> Variant:
    return maps.load(slug)


def data(slug: str, name: str) -> dict[str, Any]:
    text = (STORIES / slug / name).read_text("utf-8")
    content: dict[str, Any] = json.loads(text) if name.endswith(".json") else tomllib.loads(text)
    return content


def test_the_story_that_is_played_unless_another_is_named_is_there() -> None:
    assert story("w3k").variant == "w3k"
    assert {"bretwalda", "britain1066", "w3k"} <= set(story_variants())


def test_who_asks_for_a_story_that_is_not_there_is_told_which_are() -> None:
    with pytest.raises(NoStory, match=r"no story of heptarchy; it can play bretwalda, .*w3k"):
        story_of("heptarchy")


@pytest.mark.parametrize("odd", ["", "..", "../data/w3k", "/"])
def test_a_name_that_is_a_path_is_no_story(odd: str) -> None:
    with pytest.raises(NoStory):
        story_of(odd)


@each
def test_the_folder_plays_the_game_that_it_is_named_after(slug: str) -> None:
    played = story(slug)
    assert played.variant == slug
    assert set(played.players) == {power.id for power in variant(slug).powers.values()}
    addresses = [address for _, address in played.players.values()]
    assert len(set(addresses)) == len(addresses)
    assert all(address.endswith("@players.example") for address in addresses), (
        "GAP-07: addresses that cannot exist"
    )


@each
def test_the_photographs_are_those_of_the_mails_and_no_others(slug: str) -> None:
    sent = {file for mail in story(slug).mails for file in mail.files}
    assert sent == {path.name for path in (STORIES / slug).glob("*.jpg")}
    assert all(path.stat().st_size < LARGEST for path in (STORIES / slug).glob("*.jpg"))
    assert set(story(slug).sheets) <= sent


@each
def test_the_composer_wrote_what_the_manifest_says(slug: str) -> None:
    if not story(slug).sheets:
        return
    orders_by_file = {sheet["file"]: [line["order"] for line in sheet["lines"] if line["kind"] == "order"]
                      for sheet in data(slug, "truth.json")["sheets"]}
    assert orders_by_file == {
        file: [order for _, order, _ in lines] for file, lines in story(slug).sheets.items()
    }


def lines(slug: str) -> Iterator[tuple[str, str, str, str]]:
    """Every line of every sheet: its power, its phase's kind, what it states once corrected, and its
    canonical text."""
    for sheet in data(slug, "manifest.toml").get("sheet", ()):
        for text, order, _ in story(slug).sheets[f"{sheet['name']}.jpg"]:
            yield sheet["power"], sheet["phase"].lower(), text, order


@each
def test_every_line_of_a_sheet_is_the_order_that_it_is_said_to_be(slug: str) -> None:
    """The text on the sheet and its canonical text are two ways to write the same order of that game."""
    of = variant(slug)
    wrong = []
    for power, phase, text, order in lines(slug):
        for written in (text, order):
            parsed = parse_typed(of, PhaseKind(phase), power, written)
            if printed(parsed.orders, of.board) != order:
                wrong.append((power, written, parsed.complaint))
    assert not wrong


@each
def test_every_order_that_counts_has_its_outcome_and_no_other_has(slug: str) -> None:
    played = story(slug)
    for round_, powers in played.expected.items():
        assert round_ in played.phases()
        sheets = {
            power: {order for _, order, struck in played.written_lines(round_, power) if not struck}
            for power in played.players
        }
        assert {
            power: set(orders) for power, orders in powers.items() if played.written_lines(round_, power)
        } == {power: orders for power, orders in sheets.items() if orders}
        assert set(powers) <= set(played.players)
        assert {result for orders in powers.values() for result, _ in orders.values()} <= {
            "succeeds",
            "fails",
            "void",
        }
    assert set(played.phases()) <= set(played.expected), "a phase that is played and not checked"
    assert all(set(by_power) <= set(played.players) for by_power in played.positions.values())
    assert all(
        {secret.power} <= set(played.players) and set(secret.phases) <= set(played.phases())
        for secret in played.secrets
    )


def test_1066_keeps_the_hidden_fleet_secret() -> None:
    """D66-14: the secret for which the demo searches every letter."""
    (secret,) = story("britain1066").secrets
    assert secret.power == "Harald Hardrada"
    assert secret.phases[0] == story("britain1066").phases()[0]


@each
def test_mails_come_from_whom_they_speak_for_and_say_so(slug: str) -> None:
    played = story(slug)
    game = known_game(variant(slug), played.game)
    for mail in played.mails:
        assert mail.fate in FATES
        # A mail that does not count may name any power; the story must show why it is there.
        if mail.fate not in {"accepted", "superseded"}:
            assert mail.note, f"{mail.name} is odd, and nothing says why it is there"
            continue
        assert mail.sender == played.players[mail.power][1]
        heading = parse_subject(mail.subject, [game])
        assert not isinstance(heading, HeadingComplaint), mail.subject
        assert (heading.game, heading.power) == (played.game, mail.power)
        season, _, kind = mail.phase.rpartition(" ")
        assert f"{heading.season} {heading.year}" == season
        assert heading.kind is not None
        assert heading.kind.value == kind.lower()


@each
def test_a_mail_carries_its_photographs(slug: str) -> None:
    mail = next((candidate for candidate in story(slug).mails if candidate.files), None)
    if mail is None:
        return
    raw = mail.to_bytes("orders@galloper.example", datetime(2027, 3, 1, tzinfo=UTC))
    assert Path(STORIES / slug / mail.files[0]).stat().st_size < len(raw)
