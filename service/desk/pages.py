"""Pages of the signed-in coordinator: Today, Desk, Results, Quarantine, Letters, and the pictures in them."""

from __future__ import annotations

import email
import email.policy
import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from service.desk import crops, queries
from service.desk.access import Visitor
from service.desk.app import require_visitor, show
from service.desk.ports import DeskPorts
from service.store.tables import (
    GameRow,
    LineRow,
    MailRow,
    OutboxRow,
    PageRow,
    PhaseRow,
    PhaseState,
    SubmissionRow,
)

router = APIRouter()
SignedIn = Annotated[Visitor, Depends(require_visitor)]
SEALED = "Sealed until the deadline. Sheets are counted now and read by a person only afterwards."


@router.get("/")
def today(request: Request, visitor: SignedIn) -> Response:
    """What is due, in counts only."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        phases = queries.phases_now(session)
        held = len(queries.quarantine(session))
    return show(request, "today.html", visitor=visitor, phases=phases, held=held)


@router.get("/desk/{phase_id}")
def desk(request: Request, visitor: SignedIn, phase_id: int, line: int | None = None,
         after: int | None = None, said: str = "") -> Response:
    """One line to read: its crop, its readings, and nothing of the board."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        phase = _phase(session, phase_id)
        game = session.get_one(GameRow, phase.game_id)
        values: dict[str, Any] = {"phase": phase, "game": game.name, "phase_title": queries.phase_title(phase), "visitor": visitor}
        if _sealed(phase):
            return show(request, "sealed.html", view=queries.phases_now(session), **values)
        lines = queries.work(session, phase)
        chosen = next((w for w in lines if w.line.id == line), None) or queries.next_open(lines, after)
        recent = queries.last_reviews(session, lines)
        return show(
            request, "desk.html", work=chosen, recent=recent, key=secrets.token_urlsafe(16), said=said,
            counts=_counts(lines), open_lines=sum(w.line.needs_a_person for w in lines), **values,
        )


@router.get("/results/{phase_id}")
def results(request: Request, visitor: SignedIn, phase_id: int) -> Response:
    """What was judged, each order with its sentence; approve and send from here."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        phase = _phase(session, phase_id)
        game = session.get_one(GameRow, phase.game_id)
        title, judged = queries.phase_title(phase), phase.state in {PhaseState.READY, PhaseState.SENT}
    outcomes = ports.shown(phase_id) if judged else ()
    return show(request, "results.html", visitor=visitor, phase=phase, game=game.name, phase_title=title,
                outcomes=outcomes)


@router.get("/quarantine")
def quarantine(request: Request, visitor: SignedIn) -> Response:
    """Mails that nobody could route by rule; their raw bytes can be taken out."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        return show(request, "quarantine.html", visitor=visitor, mails=queries.quarantine(session))


@router.get("/quarantine/{sha256}.eml", dependencies=[Depends(require_visitor)])
def raw_mail(request: Request, sha256: str) -> Response:
    """The raw bytes of a quarantined mail, as a download."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        if session.get(MailRow, sha256) is None:
            raise HTTPException(404, "There is no mail with this digest.")
    return Response(ports.blobs.read(sha256), media_type="application/octet-stream",
                    headers={"Content-Disposition": f'attachment; filename="{sha256[:12]}.eml"'})


@router.get("/letters")
def letters(request: Request, visitor: SignedIn) -> Response:
    """What left, and what waits to leave."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        return show(request, "letters.html", visitor=visitor, letters=queries.letters(session))


@router.get("/letters/{letter_id}")
def letter(request: Request, visitor: SignedIn, letter_id: int) -> Response:
    """One letter as its receiver sees it: words and attached pictures."""
    message, row = _message(request, letter_id)
    body = message.get_body(("plain",))
    parts = [(at, part.get_filename() or f"part {at}", part.get_content_type())
             for at, part in enumerate(message.iter_attachments())]
    return show(request, "letter.html", visitor=visitor, letter=row, parts=parts,
                text=body.get_content() if body is not None else "")


@router.get("/letters/{letter_id}/part/{number}", dependencies=[Depends(require_visitor)])
def letter_part(request: Request, letter_id: int, number: int) -> Response:
    """One attachment of a letter."""
    message, _ = _message(request, letter_id)
    parts = list(message.iter_attachments())
    if not 0 <= number < len(parts):
        raise HTTPException(404, "This letter has no such attachment.")
    kind = parts[number].get_content_type()
    shown = kind if kind in {"image/png", "image/jpeg", "application/pdf"} else "application/octet-stream"
    return Response(parts[number].get_payload(decode=True), media_type=shown)


@router.get("/images/line/{line_id}.jpg", dependencies=[Depends(require_visitor)])
def line_image(request: Request, line_id: int, raw: bool = False) -> Response:
    """The crop of one line; 403 while its phase is sealed."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        line = session.get(LineRow, line_id)
        page = _unsealed_page(session, None if line is None else line.page_id)
        if line is None or page.upright is None:
            raise HTTPException(404, "There is no picture of this line.")
        picture = crops.line_crop(ports.blobs.read(page.upright), [(x, y) for x, y in line.box], raw=raw)
    return Response(picture, media_type="image/jpeg")


@router.get("/images/page/{page_id}.jpg", dependencies=[Depends(require_visitor)])
def page_image(request: Request, page_id: int) -> Response:
    """The whole page; 403 while its phase is sealed."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        page = _unsealed_page(session, page_id)
        if page.upright is None:
            raise HTTPException(404, "This page could not be opened as a picture.")
        picture = crops.page_picture(ports.blobs.read(page.upright))
    return Response(picture, media_type="image/jpeg")


def _counts(lines: list[queries.WorkLine]) -> dict[str, int]:
    states = [str(w.line.state) for w in lines]
    return {state: states.count(state) for state in ("auto", "read", "void", "not an order", "open", "skipped")}


def _phase(session: Session, phase_id: int) -> PhaseRow:
    phase = session.get(PhaseRow, phase_id)
    if phase is None:
        raise HTTPException(404, "There is no such phase. Start again from Today.")
    return phase


def _sealed(phase: PhaseRow) -> bool:
    return phase.state in {PhaseState.WAITING, PhaseState.OPEN}


def _unsealed_page(session: Session, page_id: int | None) -> PageRow:
    page = None if page_id is None else session.get(PageRow, page_id)
    if page is None:
        raise HTTPException(404, "There is no such picture.")
    submission = session.get_one(SubmissionRow, page.submission_id)
    if _sealed(session.get_one(PhaseRow, submission.phase_id)):
        raise HTTPException(403, SEALED)
    return page


def _message(request: Request, letter_id: int) -> tuple[email.message.EmailMessage, OutboxRow]:
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        row = session.get(OutboxRow, letter_id)
        if row is None:
            raise HTTPException(404, "There is no such letter.")
        session.expunge(row)
    return email.message_from_bytes(ports.blobs.read(row.message), policy=email.policy.default), row
