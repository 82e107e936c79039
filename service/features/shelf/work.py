"""What the shelf does on an open site: games go by the clock, and come back when a page of theirs is asked
for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from service.feature import FeatureWork, Interval, JobKind
from service.features.shelf import guard, shelf

if TYPE_CHECKING:
    from service.bootstrap import Site


def work(site: Site) -> FeatureWork:
    """Its work on a site."""
    def unshelve(payload: Mapping[str, Any]) -> None:
        shelf.bring_back(site.store, site.blobs, str(payload["game"]), site.clock.now())

    days = site.settings.shelve_after_days
    by_the_clock = [] if days is None else [Interval("shelf", shelf.SECONDS, lambda: shelf.shelve_old(
        site.store, site.blobs, days, site.clock.now()), leader_only=True)]
    return FeatureWork(by_the_clock, [JobKind(shelf.WORK, unshelve)], [partial(guard.be_here, site.jobs)])
