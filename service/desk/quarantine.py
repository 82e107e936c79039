"""The page of a mail that no rule could route: what is known about it, and what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.refusals import RefusalReason
from service.feature import Slot, with_slot_values
from service.games.phases import phase_title
from service.intake.ignored_mails import LeaveIgnored, TakeIgnoredBack
from service.intake.quarantine import DiscardMail, TakeMailBack, sealed_by
from service.letters.kinds import LetterKinds
from service.store import records
from service.store.blobs import BlobError
from service.store.tables import MailRow, MailState, OutboxRow, PhaseRow
from service.web.access import COORDINATOR, NOT_OF_YOUR_GAMES, OWN_GAMES
from service.web.acting import performed
from service.web.mail_games import is_within, is_within_mail
from service.web.page import require_token, require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter()
SignedIn = Annotated[Visitor, Depends(require_visitor)]
Trusted = Annotated[Visitor, Depends(require_token)]
DAMAGED = ("Nothing was changed: the stored mail cannot be read ({fault}). Restore it from the backup and "
           "try again.")
MOST_AT_ONCE = 500
"""Mails that one form discards at most."""
SEALED = ("Sealed until the deadline of {phase}, {deadline:%a %-d %b %Y, %H:%M} GMT: this mail may have "
          "orders for it. The mail is stored unchanged; its header is enough to assign, refuse or discard "
          "it.")


@router.get("/quarantine/{sha256}.eml", dependencies=[COORDINATOR])
def raw_mail(request: Request, visitor: SignedIn, sha256: str) -> Response:
    """The raw bytes of a quarantined mail, as a download. Mails that may hold sealed orders answer 403."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        mail = session.get(MailRow, sha256)
        if mail is None or mail.state != MailState.QUARANTINED:
            raise HTTPException(404, "There is no mail with this digest in quarantine.")
        require_unsealed(session, mail, visitor, ports)
    # As octet-stream and as a download: a browser renders nothing of what a stranger sent.
    return Response(_bytes(ports, sha256), media_type="application/octet-stream",
                    headers={"Content-Disposition": f'attachment; filename="{sha256[:12]}.eml"'})


@router.get("/quarantine/{sha256}", dependencies=[COORDINATOR])
def mail_page(request: Request, visitor: SignedIn, sha256: str, notice: str = "") -> Response:
    """One mail: what is known about it, and what can be done."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        mail = quarantined_mail(session, sha256)
        # A mail without a known game may hold orders of any open phase that it came in time for.
        sealed = sealed_by(session, mail, ports.load)
        values = {
            "visitor": visitor,
            "mail": mail,
            "notice": notice,
            "sender_status": _sender_status(session, mail),
            "sealed": sealed,
            "sealed_title": "" if sealed is None else _title_for(visitor, sealed),
            "answers_before": _earlier_answers(session, mail, ports.letter_kinds),
            "verdict": mail.verdict_fields,
        }
        return show(request, "quarantine_mail.html",
                    **with_slot_values(Slot.QUARANTINED_MAIL, request, session, values))


@router.post("/quarantine/{sha256}/discard", dependencies=[COORDINATOR])
def discard(request: Request, visitor: Trusted, sha256: str, why: Annotated[str, Form()] = "") -> Response:
    """Discard the mail, with a reason and without an answer."""
    performed(request.app.state.ports, visitor, DiscardMail(sha256, why))
    return RedirectResponse("/?notice=discarded", status_code=303)


@router.post("/quarantine/discard", dependencies=[OWN_GAMES])
def discard_several(
    request: Request, visitor: Trusted, mail: Annotated[list[str] | None, Form()] = None,
    why: Annotated[str, Form()] = "",
) -> Response:
    """Discard every ticked mail, with one reason. A mail that a person settled meanwhile is passed over."""
    # Twenty forged mails once held an approval and cost twenty pages.
    chosen = list(dict.fromkeys(mail or ()))[:MOST_AT_ONCE]
    if not chosen:
        raise HTTPException(400, "Nothing was discarded: tick the mails that you want to discard.")
    _require_own_mails(request, visitor, chosen)
    faults = []
    for sha256 in chosen:
        try:
            performed(request.app.state.ports, visitor, DiscardMail(sha256, why))
        except HTTPException as fault:
            faults.append(fault)
    if len(faults) == len(chosen):
        raise faults[0]
    return RedirectResponse("/?show=mails&notice=discarded-many", status_code=303)


@router.post("/quarantine/{sha256}/take-back", dependencies=[COORDINATOR])
def take_back(request: Request, visitor: Trusted, sha256: str) -> Response:
    """Put a discarded mail back into quarantine."""
    performed(request.app.state.ports, visitor, TakeMailBack(sha256))
    return RedirectResponse(f"/quarantine/{sha256}?notice=taken-back", status_code=303)


@router.post("/quarantine/{sha256}/queue", dependencies=[COORDINATOR])
def take_back_ignored(request: Request, visitor: Trusted, sha256: str) -> Response:
    """Put an ignored mail back into the queue, where no rule ignores it again."""
    ports: DeskPorts = request.app.state.ports
    # An address may name anything; only the name of a mail of ours is looked for among the files.
    with ports.sessions() as session:
        is_ours = session.get(MailRow, sha256) is not None
    try:
        size = len(ports.blobs.read(sha256)) if is_ours else 0
    except BlobError as fault:
        raise HTTPException(503, DAMAGED.format(fault=fault)) from fault
    performed(ports, visitor, TakeIgnoredBack(sha256, size, ports.actions.judge_again))
    return RedirectResponse("/?notice=queued", status_code=303)


@router.post("/quarantine/{sha256}/leave", dependencies=[COORDINATOR])
def leave_ignored(request: Request, visitor: Trusted, sha256: str) -> Response:
    """Leave an ignored mail ignored."""
    performed(request.app.state.ports, visitor, LeaveIgnored(sha256))
    return RedirectResponse("/?notice=left-ignored", status_code=303)


def _require_own_mails(request: Request, visitor: Visitor, chosen: Sequence[str]) -> None:
    """Raises 403 unless every mail is of games of this person."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        for sha256 in chosen:
            mail = session.get(MailRow, sha256)
            # For a coordinator of the site a mail that is gone is the act's own sentence.
            if visitor.coordinates is not None and (
                    mail is None or not is_within_mail(session, mail, visitor.coordinates)):
                raise HTTPException(403, NOT_OF_YOUR_GAMES)


def quarantined_mail(session: Session, sha256: str) -> MailRow:
    """A mail in quarantine. Raises 404."""
    mail = session.get(MailRow, sha256)
    if mail is None or mail.state != MailState.QUARANTINED:
        raise HTTPException(
            404,
            "There is no mail with this digest in quarantine. If it was settled, the log shows by whom and "
            "how; the mail is stored.",
        )
    return mail


def require_unsealed(session: Session, mail: MailRow, visitor: Visitor, ports: DeskPorts) -> None:
    """Raises 403 while a mail may hold sealed orders."""
    phase = sealed_by(session, mail, ports.load)
    if phase is not None:
        raise HTTPException(
            403, SEALED.format(phase=_title_for(visitor, phase), deadline=phase.deadline))


def _title_for(visitor: Visitor, phase: PhaseRow) -> str:
    """A phase by which a mail is sealed, in words that show a coordinator of one game nothing of another."""
    return phase_title(phase) if is_within({phase.game_id}, visitor.coordinates) else "another game"


def _sender_status(session: Session, mail: MailRow) -> str:
    """Facts about the sender, in words and without guessing."""
    # No sender is proved, so the address in the header may be a victim's.
    if mail.sender is None:
        return "not proved, so no answer can be sent"
    player = records.player_of(session, mail.sender)
    if player is None:
        return "not registered"
    # An address may be added after its mail came: "nobody is registered" was next to "registered: Ada".
    if mail.reason == RefusalReason.UNKNOWN_SENDER:
        return f"not registered when this mail came; now an address of {player.name}"
    return f"an address of {player.name}"


def _bytes(ports: DeskPorts, key: str) -> bytes:
    try:
        return ports.blobs.read(key)
    except BlobError as error:
        raise HTTPException(503, f"This cannot be shown: {error}. Everything else is safe.") from error


def _earlier_answers(session: Session, mail: MailRow, kinds: LetterKinds) -> Sequence[OutboxRow]:
    """The letters that answered this mail already."""
    return session.scalars(select(OutboxRow).where(
        OutboxRow.kind.in_(kinds.answers),
        OutboxRow.key.contains(mail.sha256))).all()
