"""Cheats with the time stamps of an authority outside are found."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path

import pytest

from tests.features.audit.cheats_on_stamps import CHEATS
from tests.service.archive.cheats.table import Cheat
from tests.service.archive.test_cheats import a_cheat_is_found_by_its_rule, findings, is_found, played, saved
from tests.support import keeper

__all__ = ["saved"]


def test_a_stamp_of_another_root_is_found_by_its_rule(saved: Path, tmp_path: Path) -> None:
    cheat = next(each for each in CHEATS if each.name == "a stamp is said to be of another root")
    a_cheat_is_found_by_its_rule(cheat, saved, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("cheat", CHEATS, ids=attrgetter("name"))
def test_every_cheat_is_found(cheat: Cheat, saved: Path, tmp_path: Path) -> None:
    words = findings(cheat, played(cheat, saved, tmp_path), keeper.independent(tmp_path / "tool"))
    assert is_found(cheat, words), words
