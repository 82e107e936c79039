"""Sheets by a page, for who cannot mail a picture (README.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from service.feature import Feature, FeatureWork, Slot
from service.letters.language import N_

if TYPE_CHECKING:
    from fastapi import APIRouter, Request
    from sqlalchemy.orm import Session

    from service.bootstrap import Site


def _routers() -> Sequence[APIRouter]:
    from service.features.uploads import link_forms, pages

    return pages.router, link_forms.router


def _work(site: Site) -> FeatureWork:
    from service.features.uploads.door import UploadDoor

    return FeatureWork(doors=(
        UploadDoor(site.store, site.blobs, site.jobs, site.clock, site.settings.order_address),))


def _entry_values(request: Request, session: Session, values: Mapping[str, Any]) -> Mapping[str, object]:
    from service.features.uploads.links import count_links

    now = request.app.state.ports.clock.now()
    return {"links": {game.id: count_links(session, values["player"].id, game.id, now)
                      for game in values["games"]}}


FEATURE = Feature(
    "uploads", routers=_routers, work=_work, slot_values={Slot.ENTRY: _entry_values},
    slots={Slot.ENTRY: "uploads/entry_section.html", Slot.SEATS: "uploads/seats_form.html"},
    ways_out={"/public/send/": "uploads/way_out.html"}, photograph_forms=("/public/send/",), notices={
        "upload-mailed": N_("The link is on its way to your mail address."),
        "upload-ended": N_("Your links no longer send sheets of that game. Sheets already sent by a link "
                           "stay."),
        "upload-link": "A link waits in Letters for the player, addressed to their own mail address. It "
                       "works for sixty days, only for this game.",
        "upload-links-ended": "This player's links no longer send sheets for this game. Sheets already sent "
                              "by a link stay.",
    })
