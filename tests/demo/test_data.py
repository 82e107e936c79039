"""The demo's sheets, mails and expected results agree with each other and with the board of w3k."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageOps

import maps
from adjudicator.geo import Board, Region
from grammar.headings.subject import parse_subject
from grammar.headings.values import HeadingComplaint, KnownGame, KnownPower
from maps.valid_moves import find_regions, valid_moves
from training.handwriting.ink import plain
from training.sheets.order_meaning import meaning, regions

FOLDER = Path(__file__).parents[2] / "demo" / "data" / "w3k"
MANIFEST: dict[str, Any] = tomllib.loads((FOLDER / "manifest.toml").read_text(encoding="utf-8"))
EXPECTED: dict[str, Any] = tomllib.loads((FOLDER / "expected.toml").read_text(encoding="utf-8"))
TRUTH: dict[str, Any] = json.loads((FOLDER / "truth.json").read_text(encoding="utf-8"))
SHEETS: list[dict[str, Any]] = MANIFEST["sheet"]
MAILS: list[dict[str, Any]] = MANIFEST["mail"]
W3K = maps.load("w3k")
BY_NAME = {sheet["name"]: sheet for sheet in SHEETS}


def live(sheet: dict[str, Any]) -> list[str]:
    return [order["order"] for order in sheet["orders"] if not order.get("struck")]


def units(season: str) -> dict[str, list[str]]:
    """Each power's units before a movement season."""
    # The story plays two movements; the second begins where the first is expected to end.
    if season == "Autumn 1642":
        positions: dict[str, list[str]] = EXPECTED["positions"]["Summer 1642 Movement"]
        return positions
    start: dict[str, list[str]] = {}
    names = {power.id: power.name for power in W3K.powers.values()}
    for unit in W3K.start.units:
        where = W3K.board.provinces[unit.region.province].name
        start.setdefault(names[unit.power], []).append(f"{unit.kind} {where}")
    return start


def test_every_photograph_of_a_mail_is_there_and_no_other() -> None:
    sent = {file for mail in MAILS for file in mail["files"]}
    assert sent == {path.name for path in FOLDER.glob("*.jpg")}


@pytest.mark.parametrize("file", sorted({file for mail in MAILS for file in mail["files"]}))
def test_photographs_open_and_are_of_moderate_size(file: str) -> None:
    with Image.open(FOLDER / file) as image:
        assert image.format == "JPEG"
        image.load()
        # Pixels of the longer side.
        assert 1500 <= max(image.size) <= 2100
    assert (FOLDER / file).stat().st_size < 450_000


def test_all_photographs_together_stay_below_nine_megabytes() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*.jpg")) < 9_000_000


def test_every_power_has_a_sheet_for_the_opening_and_one_has_a_second() -> None:
    opening = [sheet for sheet in SHEETS if sheet["season"] == "Summer 1642" and sheet["phase"] == "Movement"]
    first = {sheet["power"] for sheet in opening if sheet["version"] == 1}
    assert first == set(MANIFEST["players"]) == {power.name for power in W3K.powers.values()}
    (second,) = [sheet for sheet in opening if sheet["version"] == 2]
    assert live(second) != live(BY_NAME[second["name"].replace("v2", "v1")])


def test_truth_says_what_the_manifest_says() -> None:
    assert [entry["id"] for entry in TRUTH["sheets"]] == [sheet["name"] for sheet in SHEETS]
    for entry, sheet in zip(TRUTH["sheets"], SHEETS, strict=True):
        expected_texts = sheet["heading"] + [plain(order["text"]) for order in sheet["orders"]]
        expected_texts += [sheet["signature"]] if "signature" in sheet else []
        assert [line["text"] for line in entry["lines"]] == expected_texts
        orders = [line["order"] for line in entry["lines"] if line["kind"] == "order"]
        assert orders == [order["order"] for order in sheet["orders"]]


def test_boxes_lie_inside_the_photographs_as_shown() -> None:
    # As shown: after the EXIF rotation, in which truth.json counts its pixels.
    for entry in TRUTH["sheets"]:
        with Image.open(FOLDER / entry["file"]) as image:
            upright = ImageOps.exif_transpose(image)
        assert [upright.width, upright.height] == entry["photo"]
        points = [point for line in entry["lines"] for box in line["boxes"] for point in box]
        assert all(0 <= x < upright.width and 0 <= y < upright.height for x, y in points)


def test_every_region_named_is_on_the_board() -> None:
    known = {province.name for province in W3K.board.provinces.values()}
    for sheet in SHEETS:
        for order in sheet["orders"]:
            assert set(regions(order["order"])) <= known, order["order"]
    for by_power in EXPECTED["positions"].values():
        named = {unit[2:].partition("/")[0] for stood in by_power.values() for unit in stood}
        assert named <= known


def test_every_heading_names_power_game_and_season() -> None:
    for sheet in SHEETS:
        heading = " / ".join(sheet["heading"])
        assert sheet["power"].removeprefix("The ") in heading
        assert MANIFEST["game"] in heading
        assert f"{sheet['season']} {sheet['phase']}" in heading


def test_mails_come_from_the_power_they_speak_for_but_for_the_stranger() -> None:
    for mail in MAILS:
        for file in mail["files"]:
            sheet = BY_NAME.get(file.removesuffix(".jpg"))
            if sheet is None or mail["fate"] == "quarantined":
                continue
            assert mail["from"] == MANIFEST["players"][sheet["power"]]["address"]
            assert mail["round"] == f"{sheet['season']} {sheet['phase']}"
    strangers = [mail for mail in MAILS if not mail["from"].endswith("@players.example")]
    assert [mail["fate"] for mail in strangers] == ["quarantined"]


def test_every_odd_mail_of_the_story_is_listed() -> None:
    without = {mail["name"] for mail in MAILS if not mail["files"]}
    assert without == {"hamilton-no-picture", "confederacy-away"}
    assert {"quarantined", "rejected", "ignored", "superseded", "accepted"} == {
        mail["fate"] for mail in MAILS
    }
    subjects = [mail["subject"] for mail in MAILS if mail["fate"] == "accepted"]
    assert any(" - " in subject for subject in subjects)
    assert any(subject.count(", ") == 3 for subject in subjects)


@pytest.mark.parametrize("name", [sheet["name"] for sheet in SHEETS if sheet["phase"] == "Movement"])
def test_orders_are_for_own_units_and_legal_on_the_board(name: str) -> None:
    sheet = BY_NAME[name]
    stand = units(sheet["season"])
    # A unit that its owner lends by a proxy order may be ordered by another power.
    lent = {
        regions(order)[0]
        for other in SHEETS
        for order in live(other)
        if order.endswith(f"proxy {sheet['power']}")
    }
    ordered = []
    for order in live(sheet):
        parts = meaning(order)
        unit = f"{parts['unit']['type']} {parts['unit']['at']}"
        ordered.append(unit)
        assert unit in stand[sheet["power"]] or parts["unit"]["at"] in lent, order
        if parts["order"] == "move" and not convoyed(parts):
            assert reaches(unit, parts["to"]), order
        if parts["order"].startswith("support"):
            target = f"{parts['target']['type']} {parts['target']['at']}"
            assert target in [unit for stood in stand.values() for unit in stood], order
            where = parts.get("to", parts["target"]["at"])
            assert reaches(unit, where), order
            assert "to" not in parts or reaches(target, where), order
    assert len(ordered) == len(set(ordered))


def convoyed(parts: dict[str, Any]) -> bool:
    """Whether a fleet at sea was ordered to carry exactly this move, and touches both shores."""
    convoy = f"C A {parts['unit']['at']} - {parts['to']}"
    for sheet in SHEETS:
        for order in live(sheet):
            if order.endswith(convoy):
                sea = f"F {regions(order)[0]}"
                return reaches(sea, parts["unit"]["at"]) and reaches(sea, parts["to"])
    return False


def reaches(unit: str, place: str) -> bool:
    """Whether the board lets a unit move to a place, by any coast."""
    (region,) = {Region(place.province) for place in find_regions(W3K, unit[2:])[:1]}
    province = find_regions(W3K, place)[0].province
    moves = [move for move in valid_moves(W3K, region) if move.kind == unit[0]]
    return any(to.province == province for move in moves for to in move.to)


def test_what_is_expected_covers_every_order_that_counts() -> None:
    for phase in EXPECTED["phase"]:
        sheets = [sheet for sheet in SHEETS if f"{sheet['season']} {sheet['phase']}" == phase["name"]]
        # The highest version comes last, so it is the one that stays.
        counts = {sheet["power"]: sheet for sheet in sorted(sheets, key=lambda sheet: int(sheet["version"]))}
        assert {power: set(orders) for power, orders in phase["orders"].items()} == {
            power: set(live(sheet)) for power, sheet in counts.items()
        }


def test_the_story_has_what_a_turn_can_hold() -> None:
    results = [
        (phase["name"], order, expected)
        for phase in EXPECTED["phase"]
        for orders in phase["orders"].values()
        for order, expected in orders.items()
    ]
    assert {"bounced", "cut", "unmatched", "dislodged", "begun", "completed"} <= {
        expected.get("reason") for _, _, expected in results
    }
    assert any(" C " in order and expected["result"] == "succeeds" for _, order, expected in results)
    assert any(phase["dislodged"] for phase in EXPECTED["phase"])


def test_positions_follow_from_the_results_by_plain_bookkeeping() -> None:
    # Without the judge: the same program must not both make and check what is expected of it.
    for season, after in (("Summer 1642", "Summer 1642 Movement"), ("Autumn 1642", "Autumn 1642 Retreat")):
        now = standing(units(season))
        for phase in EXPECTED["phase"]:
            if phase["name"].startswith(season):
                now = moved(now, phase["orders"])
        assert standing(EXPECTED["positions"][after]) == now


def standing(by_power: dict[str, list[str]]) -> set[tuple[str, str]]:
    """Owner and unit, without coasts."""
    return {(power, unit.partition("/")[0]) for power, stood in by_power.items() for unit in stood}


def moved(now: set[tuple[str, str]], orders: dict[str, Any]) -> set[tuple[str, str]]:
    """The positions after every successful move, retreat and finished conversion."""
    to = {}
    for power, by_order in orders.items():
        for order, expected in by_order.items():
            parts = meaning(order)
            unit = f"{parts['unit']['type']} {parts['unit']['at']}"
            (owner,) = {power} if (power, unit) in now else {owned for owned, stood in now if stood == unit}
            if parts["order"] in {"move", "retreat"} and expected["result"] == "succeeds":
                to[owner, unit] = (owner, f"{unit[0]} {parts['to']}")
            if expected.get("reason") == "completed":
                to[owner, unit] = (owner, f"{parts['to_type']} {parts['unit']['at']}")
    return {to.get(owned, owned) for owned in now}


def test_ownership_follows_from_who_stands_in_a_centre_after_the_autumn() -> None:
    # A centre changes hands in autumn, to the power whose unit is in it; otherwise its owner keeps it.
    home = owners()
    held = dict(home)
    for power, stood in EXPECTED["positions"]["Autumn 1642 Retreat"].items():
        for unit in stood:
            region = unit[2:].partition("/")[0]
            if region in centres(W3K.board):
                held[region] = power
    gained: dict[str, list[str]] = {}
    lost: dict[str, list[str]] = {}
    for region, power in sorted(held.items()):
        if home.get(region) != power:
            gained.setdefault(power, []).append(region)
            if region in home:
                lost.setdefault(home[region], []).append(region)
    assert gained == EXPECTED["ownership"]["gained"]
    assert lost == EXPECTED["ownership"]["lost"]
    supply = {power: sum(owner == power for owner in held.values()) for power in MANIFEST["players"]}
    spare = {power: supply[power] - 6 for power in supply}
    assert spare == EXPECTED["ownership"]["adjust"]


def centres(board: Board) -> set[str]:
    return {province.name for province in board.provinces.values() if province.centre}


def owners() -> dict[str, str]:
    """Centre to owner at the start: each power owns the centres its units start in (setup.csv)."""
    return {unit[2:]: power for power, stood in units("Summer 1642").items() for unit in stood}


def test_subjects_say_what_their_mails_are_but_for_two() -> None:
    powers = tuple(KnownPower(power.name, power.aliases) for power in W3K.powers.values())
    game = KnownGame(MANIFEST["game"], (), powers)
    unread = set()
    for mail in MAILS:
        heading = parse_subject(mail["subject"], [game])
        if isinstance(heading, HeadingComplaint):
            unread.add(mail["name"])
            continue
        season, _, kind = mail["round"].rpartition(" ")
        assert (heading.game, f"{heading.season} {heading.year}") == (MANIFEST["game"], season)
        assert heading.kind is not None
        assert heading.kind.value == kind.lower()
        assert heading.power == mail.get("power", "Newcastle")
    assert unread == {"argyll-unreadable-subject", "confederacy-away"}
