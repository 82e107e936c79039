"""The books of wordings: each form shows what it means, by the same parser that reads typed orders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import maps
from adjudicator.calendar import PhaseKind
from reading.vocabulary import parse_typed, printed
from training.evaluation.names import names_of
from training.handwriting.sheet import WrittenLineKind
from training.sheets import wordings
from training.sheets.drafts import Shares, draft
from training.sheets.order_meaning import is_common_order, meaning
from training.sheets.phrases import Dialect
from training.sheets.random_orders import RandomName
from training.sheets.wordings import Book, BookError, BookWording, read_book

FOLDER = Path(wordings.__file__).parent / "wording_tables"
SLUGS = sorted(path.stem for path in FOLDER.glob("*.toml"))


def names(slug: str) -> tuple[RandomName, ...]:
    return tuple(
        RandomName(row["name"], row["kind"], tuple(row["aliases"]), tuple(row["coasts"]), row["abbr"])
        for row in names_of(maps.load(slug))
    )


def book(slug: str) -> Book:
    return read_book(FOLDER / f"{slug}.toml")


def test_every_game_that_has_orders_of_its_own_has_a_book() -> None:
    with_wording = {slug for slug in maps.variants() if maps.load(slug).wording}
    assert with_wording == set(SLUGS)


@pytest.mark.parametrize("slug", SLUGS)
def test_what_a_book_says_is_read_as_what_it_means(slug: str) -> None:
    """By typed orders' own parser, which is independent of books; twelve orders of each phase and dialect."""
    variant, known = maps.load(slug), book(slug)
    rng = np.random.default_rng(5)
    for dialect in (Dialect.PROSE, Dialect.ABBR):
        words = BookWording(names(slug), rng, dialect, known.powers, known)
        for phase in known.phases:
            for _ in range(12):
                text, order = words.order(phase)
                parsed = parse_typed(variant, PhaseKind(phase.lower()), known.powers[0], text)
                assert printed(parsed.orders, variant.board) == order, text


@pytest.mark.parametrize("slug", SLUGS)
def test_a_draft_of_a_book_heads_its_sheet_and_keeps_the_orders(slug: str) -> None:
    known = book(slug)
    sheet = draft(
        names(slug), Shares(struck=0, corrected=0, misspelt=0, aside=0), np.random.default_rng(2), known
    )
    orders = [line for line in sheet.lines if line.kind is WrittenLineKind.ORDER]
    low, high = known.counts[sheet.phase]
    assert low <= len(orders) <= high
    assert all(line.order == line.meant for line in orders)
    assert sheet.power in known.powers
    assert sheet.power in [line.markup for line in sheet.lines]


def test_orders_that_every_game_has_are_taken_apart_with_any_kind_of_unit() -> None:
    assert is_common_order("A/F Dublin C A Man - Wessexe")
    assert meaning("B Denbigh - Chester (db)")["sheds"] is True
    assert not is_common_order("5 Grain for Defense of Essex")


def test_a_book_without_a_part_is_refused_by_its_name(tmp_path: Path) -> None:
    short = tmp_path / "none.toml"
    short.write_text("powers = ['Red']\n", encoding="utf-8")
    with pytest.raises(BookError, match=r"none\.toml"):
        read_book(short)
