"""`galloper game paper`: what of a game goes onto paper, by one command (POST-07, LIST-05)."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime
from pathlib import Path

import pypdfium2
import pytest
from sqlalchemy import select

from adjudicator.errors import UserFacingError
from service.cli.games import create_game
from service.cli.print_paper import write_paper
from service.site_folder import opened, settings_of
from service.store.tables import PlayerRow, PostalAddressRow
from tests.support.own_site import game_file, own_site


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    site_folder = own_site(tmp_path / "site")
    assert create_game(site_folder, game_file(tmp_path, date(2097, 3, 1)), io.StringIO()) == 0
    return site_folder


def lives(folder: Path, *lines: str, last: date | None = None) -> None:
    with opened(settings_of(folder)) as store, store.begin() as session:
        key = session.scalars(select(PlayerRow.id)).one()
        session.add(
            PostalAddressRow(
                player_id=key, lines=list(lines), last=last, made_at=datetime.now(UTC), made_by="ada"
            )
        )


def pages(file: Path) -> int:
    return len(pypdfium2.PdfDocument(file))


@pytest.mark.slow
def test_sheets_envelopes_and_labels_are_written(folder: Path, tmp_path: Path) -> None:
    lives(folder, "1 High Street", "Bath")
    out = io.StringIO()
    assert write_paper(folder, "powick-bridge", tmp_path / "paper", "2097-03-01", out) == 0
    assert out.getvalue().split() == [
        str(tmp_path / "paper" / name) for name in ("order-sheets.pdf", "envelopes.pdf", "labels.pdf")
    ]
    # Ada holds all ten powers: an envelope for each, and a sheet for each.
    assert pages(tmp_path / "paper" / "order-sheets.pdf") == 10
    assert pages(tmp_path / "paper" / "envelopes.pdf") == 10


@pytest.mark.slow
def test_units_are_named_on_paper_if_that_is_asked(folder: Path, tmp_path: Path) -> None:
    """LET-12: those that are on the board, each on the sheet of its own power."""
    for asked in (False, True):
        assert write_paper(
            folder, "powick-bridge", tmp_path / "paper", "2097-03-01", io.StringIO(), names_units=asked) == 0
        document = pypdfium2.PdfDocument(tmp_path / "paper" / "order-sheets.pdf")
        words = document[0].get_textpage().get_text_range()
        assert ("Army Edinburgh" in words) == asked


@pytest.mark.slow
def test_without_addresses_that_is_said_and_the_sheets_are_there(folder: Path, tmp_path: Path) -> None:
    lives(folder, "Lodge 7", "Skye", last=date(2097, 1, 1))
    out = io.StringIO()
    assert write_paper(folder, "powick-bridge", tmp_path / "paper", "2097-03-01", out) == 0
    assert "No player of this game has a postal address" in out.getvalue()
    assert [path.name for path in (tmp_path / "paper").iterdir()] == ["order-sheets.pdf"]


@pytest.mark.parametrize(("game", "day", "sentence"), [
    ("edgehill", "", "There is no game edgehill on this site. The games are powick-bridge"),
    ("powick-bridge", "soon", "like 2027-03-14"),
])  # fmt: skip
def test_a_wrong_game_or_day_is_named(folder: Path, tmp_path: Path, game: str, day: str,
        sentence: str) -> None:
    with pytest.raises(UserFacingError, match=sentence):
        write_paper(folder, game, tmp_path / "paper", day, io.StringIO())
    assert not (tmp_path / "paper").exists()
