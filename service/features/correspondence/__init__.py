"""Letters between players and the coordinator (README.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from service.feature import Feature, Slot

if TYPE_CHECKING:
    from fastapi import APIRouter, Request
    from sqlalchemy.orm import Session

    from service.facts.inbox import InboxEntry
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

    return tuple(inbox(session, own))


def _done_threads(request: Request, session: Session, values: Mapping[str, Any]) -> Mapping[str, object]:
    from service.features.correspondence.pages import done_threads

    return done_threads(request, session, values)


FEATURE = Feature(
    "correspondence", routers=_routers, letter_kinds=_letter_kinds, mail_handlers=_mail_handlers,
    inbox=_inbox, slot_values={Slot.INBOX: _done_threads}, tables=("correspondence",),
    slots={Slot.PAPER_TO_SETTLE: "correspondence/to_settle.html", Slot.INBOX: "correspondence/done.html"},
    notices={
        "answered":
            "Your answer waits in Letters and is sent once, to the address that the player used. Their "
            "letters are closed; everything is stored.",
        "letters-done": "The letters are closed. No answer was written, and everything is stored.",
    })
