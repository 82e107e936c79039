"""Games to sign up for (README.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from service.feature import Feature, Slot

if TYPE_CHECKING:
    from fastapi import APIRouter
    from sqlalchemy.orm import Session

    from service.games.acts.seats import Candidate
    from service.intake.mail_handlers import MailHandler
    from service.letters.kinds import AnyKind
    from service.notices.letter_context import LetterContext


def _routers() -> Sequence[APIRouter]:
    from service.features.sign_up import offers, pages

    return pages.router, offers.router


def _letter_kinds() -> Sequence[AnyKind]:
    from service.features.sign_up.lists import SIGN_UP

    return (SIGN_UP,)


def _mail_handlers(letters: LetterContext) -> Sequence[MailHandler]:
    from service.features.sign_up.sign_up_mail import SignUpHandler

    return (SignUpHandler(letters),)


def _candidates(session: Session, game_id: str) -> Sequence[Candidate]:
    from service.features.sign_up.offer_acts import candidates

    return candidates(session, game_id)


FEATURE = Feature(
    "sign_up", routers=_routers, letter_kinds=_letter_kinds, mail_handlers=_mail_handlers,
    candidates=_candidates, slots={Slot.GAMES: "sign_up/games_button.html"},
    ways_out={"/public/sign-up": "sign_up/way_out.html"}, tables=("offers", "sign_ups"))
