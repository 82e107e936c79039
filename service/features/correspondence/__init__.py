"""Letters between players and the coordinator (README.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from service.feature import BarLink, Feature, InboxEntry, Slot

if TYPE_CHECKING:
    from fastapi import APIRouter
    from sqlalchemy.orm import Session

    from service.intake.mail_handlers import MailHandler
    from service.letters.kinds import AnyKind
    from service.notices.letter_context import LetterContext


def _routers() -> Sequence[APIRouter]:
    from service.features.correspondence import pages

    return (pages.router,)


def _letter_kinds() -> Sequence[AnyKind]:
    from service.features.correspondence.letters import ACKNOWLEDGEMENT, ANSWER

    return ACKNOWLEDGEMENT, ANSWER


def _mail_handlers(letters: LetterContext) -> Sequence[MailHandler]:
    from service.features.correspondence.plain_letters import LetterHandler

    return (LetterHandler(letters),)


def _inbox(session: Session, own: frozenset[str] | None) -> Sequence[InboxEntry]:
    from service.features.correspondence.pages import inbox

    return inbox(session, own)


FEATURE = Feature(
    "correspondence", routers=_routers, letter_kinds=_letter_kinds, mail_handlers=_mail_handlers,
    inbox=_inbox, bar=(BarLink("/correspondence", "Correspondence", after="/quarantine"),),
    slots={Slot.PAPER_TO_SETTLE: "correspondence/to_settle.html"}, tables=("correspondence",))
