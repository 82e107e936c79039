"""Fetching fonts: only OFL packages are stored. npm and its packages are played by a script; no network."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from PIL import ImageFont

from training.handwriting import fonts

NPM = """#!/bin/sh
mkdir -p node_modules/@fontsource
for hand in {hands}; do
  mkdir -p node_modules/@fontsource/$hand/files
  cp {font} node_modules/@fontsource/$hand/files/$hand-latin-400-normal.woff2
  cp {licence} node_modules/@fontsource/$hand/LICENSE
done
"""


def _font(path: Path) -> None:
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    pen.lineTo((0, 500))
    pen.lineTo((400, 0))
    pen.closePath()
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", "A"])
    builder.setupCharacterMap({65: "A"})
    builder.setupGlyf({".notdef": pen.glyph(), "A": pen.glyph()})
    builder.setupHorizontalMetrics({".notdef": (500, 0), "A": (500, 0)})
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Wedge", "styleName": "Regular"})
    builder.setupOS2()
    builder.setupPost()
    # As the packages of @fontsource have them; the cache has plain TrueType.
    builder.font.flavor = "woff2"
    builder.font.save(path)


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a LICENSE to edit, served by a stand-in for npm with two hands."""
    monkeypatch.setattr(fonts, "HANDS", ("wedge", "edge"))
    _font(tmp_path / "font.woff2")
    (tmp_path / "LICENSE").write_text(
        "This Font Software is licensed under the SIL Open Font License, Version 1.1."
    )
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text(NPM.format(hands="wedge edge", font=tmp_path / "font.woff2", licence=tmp_path / "LICENSE"))
    npm.chmod(npm.stat().st_mode | stat.S_IXUSR)
    # Found before a real npm, so that no test reaches the network.
    monkeypatch.setenv("PATH", str(npm.parent), prepend=":")
    return tmp_path


def test_fonts_are_kept_as_outlines_beside_their_licence(registry: Path) -> None:
    fonts.fetch(registry / "cache")
    path = fonts.locate("wedge", registry / "cache", {})
    assert ImageFont.truetype(str(path), 40).getlength("A") == pytest.approx(20)
    assert "SIL Open Font License" in (registry / "cache" / "wedge.LICENSE.txt").read_text()


def test_a_package_under_another_licence_is_refused(registry: Path) -> None:
    (registry / "LICENSE").write_text("Apache License, Version 2.0")
    with pytest.raises(fonts.FontError, match="wedge is not under the SIL Open Font License"):
        fonts.fetch(registry / "cache")


def test_without_npm_the_sentence_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(fonts.FontError, match="npm"):
        fonts.fetch(tmp_path / "cache")


def test_a_font_named_on_the_command_line_goes_first(tmp_path: Path) -> None:
    own_font = tmp_path / "mine.ttf"
    own_font.write_bytes(b"x")
    assert fonts.locate("kalam", tmp_path, {"kalam": own_font}) == own_font
