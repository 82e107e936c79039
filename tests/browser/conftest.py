"""A real browser at a real desk: a server in a process of its own, and Chromium by Playwright.

Where Playwright or a Chromium is missing, these tests are skipped and say which.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import reading_site
from tests.browser.reading_site import PHASE, token

ROOT = Path(__file__).parents[2]


class Desk:
    """A desk server in its own process over a folder; `kill` ends it as a power cut would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.address = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None
        self.truth: dict[int, dict[str, str]] = {
            int(key): value for key, value in json.loads((folder / "truth.json").read_text()).items()}

    def start(self) -> None:
        """Serve; returns once a page is answered."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.browser.reading_site", str(self.folder), str(self.port)], cwd=ROOT)
        end = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"{self.address}/sign-in", timeout=5).close()
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                assert time.monotonic() < end, "the desk did not start within a minute"
                assert self.process.poll() is None, "the desk ended at once"
                time.sleep(0.05)
            else:
                return

    def kill(self) -> None:
        """SIGKILL, wherever it is."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

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
    shutil.copytree(_filled, folder)
    made = Desk(folder)
    made.start()
    yield made
    made.kill()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (make setup-bench)")
    with playwright.sync_playwright() as running:
        own = Path(running.chromium.executable_path)
        system = shutil.which("chromium") or shutil.which("google-chrome")
        if not own.exists() and system is None:
            pytest.skip("Chromium is not installed (make setup-bench)")
        browser = running.chromium.launch(
            executable_path=None if own.exists() else system, args=["--no-sandbox"])
        yield browser
        browser.close()


class Reader:
    """A person at the desk: `page` is their browser tab; `keys` counts what they pressed, `faults` what the page's
    script complained of, `clicks` the mouse."""

    def __init__(self, browser: Any, desk: Desk, name: str = "Ada", **options: Any) -> None:
        self.desk = desk
        self.context = browser.new_context(viewport=options.pop("viewport", {"width": 1280, "height": 800}), **options)
        self.context.add_cookies([{"name": "galloper", "value": token(name), "url": desk.address}])
        self.page = self.context.new_page()
        self.keys = 0
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))

    def open(self, query: str = "") -> None:
        """The reading page, ready for keys."""
        self.page.goto(self.desk.page + query)
        self.page.wait_for_selector("html[data-reading]")
        self.until("document.activeElement.id === 'work'")

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.keys += 1
            self.page.keyboard.press(key)

    def line(self) -> int:
        """The id of the line on the screen."""
        return int(self.page.locator("#work .desk").get_attribute("data-line"))

    def wait_line(self, line: int) -> None:
        """Until this line is on the screen."""
        self.page.wait_for_selector(f"#work .desk[data-line='{line}']")

    def until(self, true: str, seconds: float = 30.0) -> None:
        """Wait until an expression is true in the page. Playwright's own waiting needs `eval`, which the page's policy
        forbids."""
        end = time.monotonic() + seconds
        while not self._is(true):
            assert time.monotonic() < end, f"not within {seconds} s: {true}"
            time.sleep(0.01)

    def _is(self, true: str) -> bool:
        """False also while one page gives way to the next."""
        try:
            return bool(self.page.evaluate(true))
        except Exception as gone:
            if "context was destroyed" in str(gone) or "navigation" in str(gone):
                return False
            raise

    def wait_saved(self) -> None:
        """Until the server has everything."""
        self.until("document.querySelector('#saved')?.textContent === 'All saved'")

    def offers(self) -> list[str]:
        """The orders offered, in the order of their keys."""
        found: list[str] = self.page.eval_on_selector_all(
            "#work .reading", "all => all.map(one => one.querySelector('.order').textContent)")
        return found


@pytest.fixture
def ada(chromium: Any, desk: Desk) -> Iterator[Reader]:
    reader = Reader(chromium, desk)
    reader.open()
    yield reader
    assert reader.faults == []
    reader.context.close()
