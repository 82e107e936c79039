"""What features do in a real browser: `IN_A_BROWSER` of each `tests/features/<name>/routes.py`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import Desk
from tests.support.features import of_features

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("browser")]
WALKS = of_features("IN_A_BROWSER")


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_of_a_feature(chromium: Any, desk: Desk, name: str) -> None:
    WALKS[name](chromium, desk)
