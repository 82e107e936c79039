"""Every letter, in English and German, as a mail program shows it: it fits a telephone, and an automated
check finds nothing in any colours (DSK-06)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.letters_samples import every_letter
from tools.pictures_checks import access_faults, fit_faults

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), pytest.mark.xdist_group("browser")]

WIDTHS = (1280, 768, 360)


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_letter_is_seen_by_many(chromium: Any, language: str) -> None:
    pytest.importorskip("axe_playwright_python", reason="axe is not installed (make setup-bench)")
    letters = every_letter(language=language)
    assert len(letters) >= 30
    page = chromium.new_page()
    faults = {}
    for name, letter in letters.items():
        assert letter.html is not None, name
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            page.set_content(letter.html)
            faults[name, width] = [*fit_faults(page), *access_faults(page, every_scheme=width == WIDTHS[0])]
    assert {key: sentences for key, sentences in faults.items() if sentences} == {}
    page.close()
