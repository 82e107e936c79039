"""A board whose names are script (SEC-06): a site's own board is handed on like any other file, and its pages
and pictures have the names as words."""

from __future__ import annotations

import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import maps
from maps.variant import Variant
from service.pictures import board_svg
from service.public import moves

SCRIPT = "<script>window.owned=1</script>"
HANDLER = 'Scilly" onload="window.owned=2'


class _Tags(HTMLParser):
    """The tags of a page, and the attributes that would run something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.handlers += [name for name, value in attrs
                          if name.startswith("on") or f"{value}".startswith("javascript:")]


@pytest.fixture
def hostile(tmp_path: Path) -> Variant:
    """w3k with three names that are markup: of a province, of another and of the board."""
    folder = tmp_path / "hostile"
    shutil.copytree(maps.folder("w3k"), folder)
    for name, old, new in (
        ("provinces.csv", "Devon,Devon,", f"Devon,Devon{SCRIPT},"),
        ("provinces.csv", "Scilly,Isles of Scilly,", 'Scilly,"Isles"" onload=""window.owned=2",'),
        ("variant.toml", 'title = "', 'title = "<svg onload=window.owned=3>'),
    ):
        text = (folder / name).read_text("utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1), "utf-8")
    assert maps.check_folder(folder) == []
    return replace(maps.load_folder(folder), slug="w3k")  # drawn from the shapes of w3k


def test_names_that_are_script_are_words_on_the_page_of_moves(hostile: Variant) -> None:
    html = moves.page(hostile).html
    page = _Tags()
    page.feed(html)
    assert (page.tags.count("script"), page.tags.count("svg"), page.handlers) == (1, 0, [])
    assert "Devon&lt;script&gt;window.owned=1" in html


def test_names_that_are_script_are_words_in_the_drawn_map(hostile: Variant) -> None:
    drawn = board_svg(hostile, {}, f"Game {SCRIPT}", HANDLER)
    elements = list(ET.fromstring(drawn).iter())
    tags = {element.tag.rpartition("}")[2] for element in elements}
    assert tags.isdisjoint({"script", "foreignObject", "a"})
    assert not [name for element in elements for name in element.attrib if name.startswith("on")]
    assert SCRIPT in "".join(element.text or "" for element in elements)
