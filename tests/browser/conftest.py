"""A real browser at a real desk: a server in its own process, and Chromium by Playwright
(`playwright` and `chromium` of `tests.conftest`).
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.desk.browser import Tab
from bench.desk.site import Server
from bench.servers.ports import free_port
from tests.browser import reading_site
from tests.browser.reading_site import token
from tests.support.desk_site import PHASE

ROOT = Path(__file__).parents[2]


class Desk(Server):
    """A desk server in its own process over a folder."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        # A separate process, so that it can be killed as by a power cut.
        super().__init__([sys.executable, "-m", "tests.browser.reading_site", str(folder), str(port)],
                         f"http://127.0.0.1:{port}", cwd=ROOT)
        self.folder = folder
        self.truth: dict[int, dict[str, str]] = {
            int(key): value for key, value in json.loads((folder / "truth.json").read_text()).items()}

    @property
    def page(self) -> str:
        """The address of the reading page."""
        return f"{self.address}/desk/{PHASE}"


@pytest.fixture(scope="session")
def _filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("desk")
    reading_site.fill(folder)
    return folder


@pytest.fixture
def desk(_filled: Path, tmp_path: Path) -> Iterator[Desk]:
    folder = tmp_path / "desk"
    # Filled once and copied: a hundred lines of ink take seconds.
    shutil.copytree(_filled, folder)
    server = Desk(folder)
    server.start()
    yield server
    server.kill()


class Reader(Tab):
    """A person at the desk: `page` is their browser tab."""

    def __init__(self, browser: Any, desk: Desk, name: str = "Ada", **options: Any) -> None:
        super().__init__(browser, desk.address, desk.page, token(name), **options)
        self.desk = desk


@pytest.fixture
def ada(chromium: Any, desk: Desk) -> Iterator[Reader]:
    reader = Reader(chromium, desk)
    reader.open()
    yield reader
    # A fault of the page's script fails every test that met it, whatever that test is about.
    assert reader.faults == []
    reader.context.close()
