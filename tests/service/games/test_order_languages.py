"""A game may switch on the order words of other languages (WRD-07)."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

import maps
from adjudicator.calendar import PhaseKind
from grammar.print import canonical_line
from reading.vocabulary import parse_typed
from service.config import ConfigError
from service.facts.options import NO_OPTIONS, GameOptions
from service.games.create import read_game_file
from service.games.rulings import as_written
from tests.service.games.test_create import ADA, GRACE, HEAD, W3K, _seats

_PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "take-orders-in-german-or-french.md"


def _game_file(folder: Path, options: str) -> Path:
    path = folder / "game.toml"
    path.write_text(f"{HEAD}{_seats()}{ADA}{GRACE}[options]\n{options}\n", encoding="utf-8")
    return path


def test_a_game_file_switches_them_on(tmp_path: Path) -> None:
    new = read_game_file(_game_file(tmp_path, 'order_languages = ["german"]'), W3K.powers)
    variant = as_written(W3K, new.options)
    line = "Armee Kent unterstützt Armee London nach Surrey"
    parsed = parse_typed(variant, PhaseKind.MOVEMENT, "Montrose", line)
    assert canonical_line(parsed.orders, variant.board) == "A Kent S A London - Surrey"
    # English words still count, and without the option German ones do not.
    assert parse_typed(variant, PhaseKind.MOVEMENT, "Montrose", "Army Kent holds").orders
    assert not parse_typed(W3K, PhaseKind.MOVEMENT, "Montrose", line).orders


@pytest.mark.parametrize("options", ['order_languages = ["klingon"]', 'order_languages = "german"'])
def test_another_language_is_a_fault_of_the_file(tmp_path: Path, options: str) -> None:
    with pytest.raises(ConfigError, match="write a list of any of german, french"):
        read_game_file(_game_file(tmp_path, options), W3K.powers)


def _examples() -> list[tuple[str, str, str]]:
    """Language, line and order, as the page for coordinators shows them."""
    rows = re.findall(r"^\| `(.+)` \| `(.+)` \| (.+) \|$", _PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return [(language, line, order) for german, french, order in rows
            for language, line in (("german", german), ("french", french))]


@pytest.mark.parametrize(("language", "line", "order"), _examples())
def test_what_the_page_shows_is_read(language: str, line: str, order: str) -> None:
    variant = as_written(W3K, GameOptions(order_languages=(language,)))
    parsed = parse_typed(variant, PhaseKind.MOVEMENT, "Montrose", line)
    assert canonical_line(parsed.orders, variant.board) == order
    plain = "".join(c for c in unicodedata.normalize("NFKD", line) if not unicodedata.combining(c))
    assert parse_typed(variant, PhaseKind.MOVEMENT, "Montrose", plain).orders == parsed.orders


def test_the_page_has_examples() -> None:
    assert len(_examples()) == 12


def test_a_game_without_the_option_keeps_its_variant() -> None:
    variant = maps.load("standard")
    assert as_written(variant, NO_OPTIONS) is variant
