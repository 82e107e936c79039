"""Cheats with the time stamps of an authority outside are found by both checkers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.features.audit.cheats_on_stamps import CHEATS
from tests.service.archive.cheats.table import Cheat
from tests.service.archive.test_cheats import a_cheat_is_found_by_its_rule, saved

QUICK = "a stamp is said to be of another root"

__all__ = ["saved"]


@pytest.mark.parametrize("cheat", [
    pytest.param(cheat, marks=[] if cheat.name == QUICK else [pytest.mark.slow], id=cheat.name)
    for cheat in CHEATS])
def test_a_cheat_is_found_by_its_rule(cheat: Cheat, saved: Path, tmp_path: Path) -> None:
    a_cheat_is_found_by_its_rule(cheat, saved, tmp_path)
