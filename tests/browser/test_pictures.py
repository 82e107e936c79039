"""Pictures of every page: none is forgotten, and each fits its screen at every width, is used by the keyboard
alone, and has nothing against accessibility in any colours, in German too (DSK-06)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from tests.browser import reading_site
from tools import pictures

# How the addresses end that give no whole page of HTML: pictures, files, letters inside a page, parts that a
# script requests, and what machines watch.
NO_PAGES = (
    ".jpg", ".png", ".svg", ".py", ".js", ".atom", ".eml", ".ics", ".pdf", ".json", ".zip", ".tsr", ".{form}",
    "/{kind}.html",
    "/letter/{token}/{number}", "/lines", "/line/{line_id}", "/export", "/words", "/part/{number}",
    "/picture/{name}", "/original/{page_id}", "/metrics", "/alive",
    # addresses that lead to other pages: of earlier versions, and to the newest results
    "/quarantine", "/correspondence", "/search", "/public/{game_id}/results",
)


def test_every_page_of_the_desk_and_of_the_public_has_a_picture(tmp_path: Path) -> None:
    routes = reading_site.app(tmp_path).openapi()["paths"]
    pages = {path for path, methods in routes.items() if "get" in methods and not path.endswith(NO_PAGES)}
    assert len(pages) >= 20
    assert {shot.route for shot in pictures.SHOTS if shot.route} == pages


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.xdist_group("browser")
def test_every_page_is_seen_by_many(tmp_path: Path) -> None:
    pytest.importorskip("axe_playwright_python", reason="axe is not installed (make setup-bench)")
    pytest.importorskip("playwright", reason="Playwright is not installed (make setup-bench)")
    # A separate process: where tests before this one have a browser open, Playwright starts no second
    # next to it.
    completed_process = subprocess.run(
        [sys.executable, "-m", "tools.pictures", str(tmp_path)],
        check=False,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert completed_process.returncode == 0, completed_process.stderr[-2000:]
    for shot in pictures.SHOTS:
        for width in pictures.WIDTHS:
            with Image.open(tmp_path / f"{shot.name}_{width}.png") as picture:
                assert picture.width == width
