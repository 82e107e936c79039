"""A person at the desk, played by Chromium through Playwright: a browser's tab that presses keys and reads.

Playwright and Chromium come with the extra `bench` (`make setup-bench`) and are loaded only here.
"""

from __future__ import annotations

import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from service.web import sessions

# Records how long after a key the next line's ink was ready to be painted, and counts mouse clicks.
WATCH = """() => {
  window.clicks = 0; window.times = []; let pressed = null;
  document.addEventListener('click', (event) => { if (event.detail) window.clicks += 1; }, true);
  document.addEventListener('keydown', () => { pressed = performance.now(); }, true);
  new MutationObserver(() => {
    const began = pressed;
    const drawn = () => {
      const ink = document.querySelector('#work img.crop');
      const note = () => window.times.push(performance.now() - began);
      if (ink.complete && ink.naturalWidth) requestAnimationFrame(note);
      else setTimeout(drawn, 1);
    };
    drawn();
  }).observe(document.querySelector('#work'), { childList: true });
}"""
DESKTOP = {"width": 1280, "height": 800}


def exit_on_sigterm() -> None:
    """From now on SIGTERM ends this process as Ctrl-C would: the server and the browser that it started end
    with it."""
    # A bench that was ended by SIGTERM left its server and its browser behind. 143 is 128 + 15, as shells
    # say.
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(143))


class NoBrowser(Exception):
    """There is no browser to measure with; the sentence shows how to install one."""


@contextmanager
def playwright() -> Iterator[Any]:
    """Playwright, running. A process may run it only one at a time. Raises NoBrowser."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise NoBrowser("Playwright is not installed; make setup-bench brings it") from None
    with sync_playwright() as running:
        yield running


@contextmanager
def launched(running: Any, *arguments: str) -> Iterator[Any]:
    """A Chromium that `playwright` runs, Playwright's own or the system's, with further `arguments`. Raises
    NoBrowser."""
    bundled = Path(running.chromium.executable_path)
    system = shutil.which("chromium") or shutil.which("google-chrome")
    if not bundled.exists() and system is None:
        raise NoBrowser("Chromium is not installed; make setup-bench brings it")
    browser = running.chromium.launch(
        # As root Chromium starts only without its sandbox; it opens no page but ours.
        executable_path=None if bundled.exists() else system, args=["--no-sandbox", *arguments])
    try:
        yield browser
    finally:
        browser.close()


@contextmanager
def chromium() -> Iterator[Any]:
    """A running Chromium by itself. Raises NoBrowser."""
    with playwright() as running, launched(running) as browser:
        yield browser


class Tab:
    """A signed-in browser tab. `keys` counts the keys pressed, `faults` are errors of the page's script.

    `address` is the server's, `reading` that of the reading page, `token` the session's; `options` go to the
    Playwright context.
    """

    def __init__(self, browser: Any, address: str, reading: str, token: str, **options: Any) -> None:
        self.reading = reading
        self.context = browser.new_context(viewport=options.pop("viewport", DESKTOP), **options)
        self.context.add_cookies([{"name": sessions.COOKIE, "value": token, "url": address}])
        self.page = self.context.new_page()
        self.keys = 0
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))

    def open(self, query: str = "") -> None:
        """Open the reading page; returns when it is ready for keys."""
        self.page.goto(self.reading + query)
        self.page.wait_for_selector("html[data-reading]")
        self.until("document.activeElement.id === 'work'")

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            self.keys += 1
            self.page.keyboard.press(key)

    def line(self) -> int:
        """The id of the line on the screen."""
        return int(self.page.locator("#work .desk").get_attribute("data-line"))

    def wait_line(self, line: int) -> None:
        """Wait until this line is on the screen."""
        self.page.wait_for_selector(f"#work .desk[data-line='{line}']")

    def wait_other(self, line: int) -> None:
        """Wait until another line is on the screen, or none is left."""
        self.until(f"document.querySelector('#work .desk')?.dataset.line !== '{line}'"
                   " || !document.querySelector('#reading')")

    def until(self, expression: str, seconds: float = 30.0) -> None:
        """Wait until a JavaScript expression is true in the page."""
        # Playwright's own waiting needs `eval`, which the page's content security policy forbids.
        give_up_at = time.monotonic() + seconds
        while not self._is_true(expression):
            assert time.monotonic() < give_up_at, f"not within {seconds} s: {expression}"
            time.sleep(0.01)

    def _is_true(self, expression: str) -> bool:
        """False also while one page gives way to the next."""
        try:
            return bool(self.page.evaluate(expression))
        except Exception as error:
            if "context was destroyed" in str(error) or "navigation" in str(error):
                return False
            raise

    def wait_saved(self) -> None:
        """Wait until the server has saved everything."""
        self.until("document.querySelector('#saved')?.textContent === 'All saved'")

    def offers(self) -> list[str]:
        """The orders offered, in the order of their keys."""
        orders: list[str] = self.page.eval_on_selector_all(
            "#work .reading", "all => all.map(reading => reading.querySelector('.order').textContent)")
        return orders

    def close(self) -> None:
        """Close the tab and its context."""
        self.context.close()
