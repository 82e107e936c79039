"""What the coordinator does: decide a line, undo, judge, approve results, sign out. Every form carries its token."""

from __future__ import annotations

import logging
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.orm import Session

from service.desk import access, decisions, queries
from service.desk.access import Visitor
from service.desk.doorway import require_token
from service.desk.ports import DeskPorts
from service.desk.seal import at_the_desk
from service.store.tables import LineRow, LineState, PageRow, PhaseRow, SubmissionRow
from service.turns import NotReady

log = logging.getLogger(__name__)
router = APIRouter()
Trusted = Annotated[Visitor, Depends(require_token)]
CLOSED = "These lines cannot be changed now: the phase is not at the desk. What was decided stands."
CHANGED = "Not sent: a line was decided anew since these results were judged. Nothing is lost; judge once more."
NOT_MADE = ("Not sent: the letters or their pictures could not be made. Nothing left, and the results stand. Try again; "
            "if it stays, tell the operator, whose log names the fault.")
_WITHOUT_TEXT = {"not-order": LineState.NOT_ORDER, "void": LineState.VOID, "skip": LineState.SKIPPED}


@router.post("/desk/{phase_id}/decide")
def decide(
    request: Request, visitor: Trusted, phase_id: int, line: Annotated[int, Form()], key: Annotated[str, Form()],
    do: Annotated[str, Form()], text: Annotated[str, Form()] = "",
) -> Response:
    """File one decision and go on. `do` is `reading-N`, `edit`, `not-order`, `void` or `skip`."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        phase = _at_the_desk(session, phase_id)
        row, power = _line(session, phase_id, line)
        state, words, order = _said(ports, session, phase_id, power, row, do, text)
        decisions.file(session, decisions.Decision(row.id, key[:64], state, words, order, visitor.name,
                                                   ports.clock.now()))
        done = not any(w.line.needs_a_person for w in queries.work(session, phase))
    kept = line if do == "edit" and order is None else None
    return _judge(ports, phase_id, kept) if done else _to_desk(phase_id, after=line, kept=kept)


@router.post("/desk/{phase_id}/undo")
def undo(request: Request, visitor: Trusted, phase_id: int, review: Annotated[int | None, Form()] = None) -> Response:
    """Take back one decision, or without a number this person's last one, and return to its line."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        phase = _at_the_desk(session, phase_id)
        ids, now = [w.line.id for w in queries.work(session, phase)], ports.clock.now()
        if review is None:
            line = decisions.undo_last(session, ids, visitor.name, now)
        else:
            line = decisions.undo_one(session, ids, review, now)
    return _to_desk(phase_id, line=line, told=None if line else "nothing-to-undo")


@router.post("/desk/{phase_id}/judge", dependencies=[Depends(require_token)])
def judge(request: Request, phase_id: int) -> Response:
    """Judge a phase whose lines are all read, where that failed before or a line was decided anew."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        _at_the_desk(session, phase_id)
    return _judge(ports, phase_id)


@router.post("/results/{phase_id}/approve")
def approve(request: Request, visitor: Trusted, phase_id: int) -> Response:
    """Send the results: the only door that does not open back."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        phase = session.get(PhaseRow, phase_id)
        if phase is None:
            raise HTTPException(404, "There is no such phase. Nothing was sent.")
        if at_the_desk(phase) and queries.changed_since_judged(session, phase, queries.work(session, phase)):
            raise HTTPException(409, CHANGED)
    try:
        ports.approve(phase_id, visitor.name)
    except NotReady as why:
        raise HTTPException(409, f"Not sent: {why}. Nothing left; what was decided stands.") from why
    except Exception as fault:
        log.exception("the results of phase %s could not be sent", phase_id)
        raise HTTPException(500, NOT_MADE) from fault
    return RedirectResponse("/letters", status_code=303)


@router.post("/sign-out", dependencies=[Depends(require_token)])
def sign_out(request: Request) -> Response:
    """End the session."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        access.sign_out(session, request.cookies.get(access.COOKIE))
    response = RedirectResponse("/sign-in", status_code=303)
    response.delete_cookie(access.COOKIE)
    return response


def _said(
    ports: DeskPorts, session: Session, phase_id: int, power: str, row: LineRow, do: str, text: str
) -> tuple[LineState, str, str | None]:
    """State, words and order of a decision; 400 with a sentence for one that the page does not offer."""
    if do in _WITHOUT_TEXT:
        return _WITHOUT_TEXT[do], row.text, None
    if do == "edit":
        words = " ".join(text.split())[:500]
        if not words:
            raise HTTPException(400, "No words were typed. Nothing was changed: a line without an order is marked "
                                     "“not an order”, one that nobody can read “cannot be read”.")
        return LineState.READ, words, ports.understand(session, phase_id, power, words).order
    number = do.removeprefix("reading-")
    found = decisions.from_candidate(row, int(number)) if number.isdecimal() and len(number) < 3 else None
    if found is None:
        raise HTTPException(400, "This line has no such reading. Nothing was changed.")
    return LineState.READ, *found


def _judge(ports: DeskPorts, phase_id: int, kept: int | None = None) -> Response:
    """Judge and go to the results. What was decided is committed by now, so a fault of the judge loses nothing."""
    try:
        judged = ports.settled(phase_id)
    except NotReady:
        judged = False  # somebody else moved the phase on; the desk tells how it stands
    except Exception:
        log.exception("phase %s could not be judged", phase_id)
        return _to_desk(phase_id, told="not-judged", kept=kept)
    if judged is False or kept:
        return _to_desk(phase_id, kept=kept)
    return RedirectResponse(f"/results/{phase_id}", status_code=303)


def _to_desk(phase_id: int, **where: object) -> Response:
    query = urlencode({name: value for name, value in where.items() if value})
    return RedirectResponse(f"/desk/{phase_id}" + (f"?{query}" if query else ""), status_code=303)


def _at_the_desk(session: Session, phase_id: int) -> PhaseRow:
    phase = session.get(PhaseRow, phase_id)
    if phase is None or not at_the_desk(phase):
        raise HTTPException(409, CLOSED)
    return phase


def _line(session: Session, phase_id: int, line_id: int) -> tuple[LineRow, str]:
    line = session.get(LineRow, line_id)
    page = None if line is None else session.get(PageRow, line.page_id)
    submission = None if page is None else session.get(SubmissionRow, page.submission_id)
    if line is None or submission is None or submission.phase_id != phase_id:
        raise HTTPException(404, "There is no such line in this phase. Nothing was changed.")
    return line, submission.power
