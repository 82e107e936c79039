"""Games that are over, put into files (README.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.feature import Feature, FeatureWork
from service.features.shelf.commands import add_commands

if TYPE_CHECKING:
    from service.archive.away import GamesAway
    from service.bootstrap import Site


def _away() -> GamesAway:
    from service.features.shelf import shelf

    return shelf.AWAY


def _work(site: Site) -> FeatureWork:
    from service.features.shelf import work

    return work.work(site)


FEATURE = Feature(
    "shelf", add_commands, work=_work, away=_away, tables=("shelved_games", "shelved_files"))
