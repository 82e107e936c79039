"""A board's tables as a form: faults by file and row, and a new board that changes no other (BEY-07)."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import httpx
import pytest

import maps
from maps import loader
from service.desk.games.boards import TABLES
from service.store.tables import EventRow
from tests.support.desk_table import DeskTable, open_desk
from tests.support.features import of_features
from tests.support.site import Site
from tests.support.table import open_table


@pytest.fixture
def desk(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DeskTable:
    monkeypatch.setattr(loader, "_roots", loader._roots)
    (tmp_path / "boards").mkdir()
    maps.add_folder(tmp_path / "boards")
    return open_desk(open_table(site))


def tables(desk: DeskTable, slug: str = "standard") -> dict[str, str]:
    page = desk.client.get(f"/boards/{slug}").text
    texts = dict(re.findall(r'<textarea[^>]*name="([^"]+)"[^>]*>(.*?)</textarea>', page, re.DOTALL))
    assert tuple(texts) == TABLES
    return {name: unescape(text) for name, text in texts.items()}


def send(desk: DeskTable, act: str, name: str, sent: dict[str, str]) -> httpx.Response:
    return desk.post("/boards/standard", act=act, name=name, **sent)


def test_a_changed_board_is_checked_then_kept_under_its_own_name(desk: DeskTable, tmp_path: Path) -> None:
    sent = tables(desk)
    before = {file.name: file.read_bytes() for file in maps.folder("standard").iterdir() if file.is_file()}
    sent["variant.toml"] = sent["variant.toml"].replace("Classic Board", "Another Board", 1)
    checked = send(desk, "check", "another-board", sent)
    assert "No fault: this board is fit for play." in " ".join(checked.text.split())
    assert "another-board" not in maps.variants()

    assert send(desk, "keep", "another-board", sent).status_code == 303
    assert maps.load("another-board").title == "Another Board"
    assert maps.load("another-board").board.links == maps.load("standard").board.links
    assert maps.shapes("another-board")
    assert before == {name: (maps.folder("standard") / name).read_bytes() for name in before}
    assert "Another Board another-board this site’s own" in desk.text("/boards")
    with desk.table.site.store() as session:
        (event,) = session.query(EventRow).where(EventRow.what == "board_kept")
        assert event.detail == {"board": "another-board", "made_from": "standard"}
    again = send(desk, "keep", "another-board", sent)
    assert again.status_code == 400
    assert "boards cannot be changed" in again.text


def test_a_fault_is_named_by_file_and_row_and_nothing_is_kept(desk: DeskTable, tmp_path: Path) -> None:
    sent = tables(desk)
    rows = sent["borders.csv"].splitlines()
    rows[4] = rows[4].replace(rows[4].split(",")[0], "ATLANTIS", 1)
    sent["borders.csv"] = "\n".join(rows) + "\n"
    answer = send(desk, "keep", "sunken", sent)
    assert answer.status_code == 400
    assert "borders.csv, row 5:" in " ".join(answer.text.split())
    assert "ATLANTIS" in answer.text
    assert "sunken" not in maps.variants()
    assert list((tmp_path / "boards").iterdir()) == []


@pytest.mark.parametrize("name", ["", "..", "../w3k", "A Board", "standard", "x" * 60, ".waiting"])
def test_a_name_that_is_none_keeps_nothing(desk: DeskTable, tmp_path: Path, name: str) -> None:
    answer = send(desk, "keep", name, tables(desk))
    assert answer.status_code == 400
    assert "Nothing was saved" in answer.text
    assert list((tmp_path / "boards").iterdir()) == []


def test_a_board_with_another_province_loses_the_drawing_that_does_not_fit(desk: DeskTable) -> None:
    sent = tables(desk)
    columns = sent["provinces.csv"].splitlines()[0].split(",")
    row = {"id": "ATL", "name": "Atlantis", "terrain": "inland"}
    sent["provinces.csv"] += ",".join(row.get(column, "") for column in columns) + "\n"
    # The figures that the tables must agree with: one more place by land, and one more border.
    for figure, number in (("provinces", 75), ("inland", 14), ("land_borders", 111)):
        sent["variant.toml"] = re.sub(rf"^{figure} = {number}$", f"{figure} = {number + 1}",
                                      sent["variant.toml"], flags=re.MULTILINE)
    ways = sent["borders.csv"].splitlines()[0].split(",")
    border = {"a": "ATL", "b": "MOS", "kind": "land"}
    sent["borders.csv"] += ",".join(border.get(column, "") for column in ways) + "\n"
    checked = " ".join(send(desk, "check", "sunken", sent).text.split())
    assert "Its drawing does not fit the tables any more and would be left out." in checked
    assert send(desk, "keep", "sunken", sent).status_code == 303
    assert "ATL" in maps.load("sunken").board.provinces
    assert not maps.shapes("sunken")


def test_a_coordinator_chooses_boards_by_their_titles(site: Site) -> None:
    """A folder's name such as w3k has nothing to anyone who has not read the program."""
    desk = open_desk(open_table(site))
    titles = {maps.load(slug).title for slug in maps.variants()}
    for page in ("/games", "/boards", *of_features("CHOOSES_BOARDS")):
        html = unescape(desk.page(page))
        shown = set(re.findall(r"<(?:option|a)[^>]*>([^<]*)</", html))
        assert titles <= shown, page
        assert not shown & set(maps.variants()), page
