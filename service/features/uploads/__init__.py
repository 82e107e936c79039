"""Sheets by a page, for who cannot mail a picture (README.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from service.feature import Feature, FeatureWork, Slot
from service.letters.language import N_

if TYPE_CHECKING:
    from fastapi import APIRouter
    from sqlalchemy.orm import Session

    from service.bootstrap import Site
    from service.store.tables import GameRow


def _routers() -> Sequence[APIRouter]:
    from service.features.uploads import link_forms, pages

    return pages.router, link_forms.router


def _work(site: Site) -> FeatureWork:
    from service.features.uploads.door import UploadDoor

    return FeatureWork(doors=(
        UploadDoor(site.store, site.blobs, site.jobs, site.clock, site.settings.order_address),))


def _entry_values(
    session: Session, player_id: int, games: Sequence[GameRow], now: datetime
) -> Mapping[str, object]:
    from service.features.uploads.links import count_links

    return {"links": {game.id: count_links(session, player_id, game.id, now) for game in games}}


FEATURE = Feature(
    "uploads", routers=_routers, work=_work, entry_values=_entry_values,
    slots={Slot.ENTRY: "uploads/entry_section.html", Slot.SEATS: "uploads/seats_form.html"},
    ways_out={"/public/send/": "uploads/way_out.html"}, photograph_forms=("/public/send/",), notices={
        "upload-mailed": N_("The link is on its way to your mail address."),
        "upload-ended": N_("No link of yours sends sheets of that game any more. The sheets that came by "
                           "one stay."),
        "upload-link": "A link waits in Letters for the player, to their own mail address. It works for "
                       "sixty days, for this game alone.",
        "upload-links-ended": "No link sends sheets of this player for this game any more. Every sheet that "
                              "came by one stays.",
    })
