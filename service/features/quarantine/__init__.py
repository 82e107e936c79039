"""Mails that no rule could route, opened, filed and answered (README.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from service.feature import Feature, FeatureWork, Slot

if TYPE_CHECKING:
    from fastapi import APIRouter, Request
    from sqlalchemy.orm import Session

    from service.bootstrap import Site


def _routers() -> Sequence[APIRouter]:
    from service.features.quarantine import pages

    return (pages.router,)


def _work(site: Site) -> FeatureWork:
    from service.features.quarantine.room import Quarantine
    from service.notices.answers.replies import Replies

    return FeatureWork(doors=(Quarantine(
        blobs=site.blobs, jobs=site.jobs, opener=site.opener, load=site.load,
        post=Replies(site.announcements.letters)),))


def _mail_values(request: Request, session: Session, values: Mapping[str, Any]) -> Mapping[str, object]:
    from service.features.quarantine.pages import mail_values

    return mail_values(request, session, values)


FEATURE = Feature(
    "quarantine", routers=_routers, work=_work, slots={Slot.QUARANTINED_MAIL: "quarantine/mail.html"},
    slot_values={Slot.QUARANTINED_MAIL: _mail_values}, notices={
        "assigned":
            "The mail is filed and waits for the machine to read it; a receipt goes to the registered "
            "address of that power. The mail is stored unchanged. Check the sheet once it is read.",
        "refused":
            "The answer waits in Letters and is sent once. The mail is out of quarantine and is stored "
            "unchanged.",
    })
