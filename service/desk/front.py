"""The front page: the inbox with its filters, and the games in play."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.desk.inbox import inbox_of
from service.facts.inbox import InboxKind
from service.facts.roles import Role
from service.feature import Slot, with_slot_values
from service.games import mailbox_waits
from service.games.approval.papers import DISCARDED
from service.intake import ignored_mails
from service.operations.health import checks
from service.store.tables import IgnoredMailRow, MailRow, MailState, PlayerRow
from service.web.access import OWN_GAMES, READER
from service.web.mail_games import is_within_mail
from service.web.page import require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter()
SignedIn = Annotated[Visitor, Depends(require_visitor)]
LAST_DISCARDED = 100


@router.get("/", dependencies=[READER])
def front(request: Request, visitor: SignedIn, show_kind: Annotated[str, Query(alias="show")] = "",
          notice: str = "") -> Response:
    """The entries that wait for this person, all of them or of one kind, and below it the games in play, in
    counts only."""
    ports: DeskPorts = request.app.state.ports
    inbox = inbox_of(request, visitor)
    is_coordinator = visitor.site_role == Role.COORDINATOR or bool(visitor.coordinates)
    kind = show_kind if is_coordinator and show_kind in set(InboxKind) else ""
    daily = {check.name for check in checks() if check.is_daily}
    with ports.sessions() as session:
        values = {
            "visitor": visitor, "notice": notice, "show": kind, "entries": inbox.of(kind),
            "whole": len(inbox.entries), "counts": inbox.counts() if is_coordinator else {},
            "views": inbox.views, "is_coordinator": is_coordinator,
            "waits": {phase.id: wait for phase, wait in mailbox_waits.all_standing(session)},
            "findings": [finding for finding in inbox.findings if finding.name in daily],
            **_settled(session, kind, visitor.coordinates),
        }
        return show(request, "inbox.html", **with_slot_values(Slot.INBOX, request, session, values))


@router.get("/quarantine", dependencies=[OWN_GAMES])
def quarantine() -> Response:
    """The old address of the mails held."""
    return RedirectResponse(f"/?show={InboxKind.MAILS}", status_code=301)


def _settled(session: Session, kind: str, games: frozenset[str] | None) -> dict[str, object]:
    """Settled mails of one kind: those discarded last, or the ignored ones that were settled, and
    repeats."""
    if kind == InboxKind.MAILS:
        discarded = session.scalars(
            select(MailRow).where(MailRow.state == MailState.IGNORED, MailRow.reason == DISCARDED)
            .order_by(MailRow.received_at.desc()).limit(LAST_DISCARDED)).all()
        return {"discarded": [mail for mail in discarded if is_within_mail(session, mail, games)]}
    if kind == InboxKind.IGNORED:
        return {"settled": _with_players(session, ignored_mails.settled(session), games),
                "repeats": _with_players(session, ignored_mails.repeats(session), games)}
    return {}


def _with_players(
    session: Session, rows: list[IgnoredMailRow], games: frozenset[str] | None
) -> list[tuple[IgnoredMailRow, MailRow, PlayerRow]]:
    with_mails = [(row, session.get_one(MailRow, row.sha256)) for row in rows]
    return [(row, mail, session.get_one(PlayerRow, row.player_id))
            for row, mail in with_mails if is_within_mail(session, mail, games)]
