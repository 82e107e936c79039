"""Letters with orders that come by post (README.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from service.feature import Feature, FeatureWork, JobKind, Slot

if TYPE_CHECKING:
    from fastapi import APIRouter

    from service.bootstrap import Site
    from service.letters.kinds import AnyKind


def _routers() -> Sequence[APIRouter]:
    from service.features.post import pages

    return (pages.router,)


def _letter_kinds() -> Sequence[AnyKind]:
    from service.features.post.receipt import RECEIPT_POSTED

    return (RECEIPT_POSTED,)


def _work(site: Site) -> FeatureWork:
    from service.features.post.postal_mail import PostalMail
    from service.features.post.scans import ScanTray
    from service.store.tables_features import PROPOSE_WORK

    room = PostalMail(site.blobs, site.jobs, site.opener, site.announcements.letters)
    tray = ScanTray(site.store, site.blobs, site.jobs, site.clock, site.recognizer, site.load, room)
    return FeatureWork(doors=(room, tray), jobs=(JobKind(PROPOSE_WORK, tray.propose),))


FEATURE = Feature(
    "post", tables=("scans", "posted"), routers=_routers, letter_kinds=_letter_kinds, work=_work,
    slots={Slot.PAPER_TO_SETTLE: "post/to_settle.html", Slot.INBOX: "post/inbox_link.html"})
