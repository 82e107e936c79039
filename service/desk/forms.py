"""What the coordinator does: decide a line, undo, approve results, sign out. Every form carries its token."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.orm import Session

from service.desk import access, decisions, queries
from service.desk.access import Visitor
from service.desk.app import require_token
from service.desk.ports import DeskPorts
from service.store.tables import LineRow, LineState, PageRow, PhaseRow, PhaseState, SubmissionRow

router = APIRouter()
Trusted = Annotated[Visitor, Depends(require_token)]
CLOSED = "These lines cannot be changed now: the phase is not at the desk. What was decided stands."


@router.post("/desk/{phase_id}/decide")
def decide(
    request: Request, visitor: Trusted, phase_id: int, line: Annotated[int, Form()], key: Annotated[str, Form()],
    do: Annotated[str, Form()], text: Annotated[str, Form()] = "",
) -> Response:
    """File one decision and go on. `do` is `reading-N`, `edit`, `not-order`, `void` or `skip`."""
    ports: DeskPorts = request.app.state.ports
    said = ""
    with ports.sessions.begin() as session:
        phase = _at_the_desk(session, phase_id)
        row, power = _line(session, phase_id, line)
        state, words, order = LineState.READ, row.text, None
        if do.startswith("reading-"):
            found = decisions.from_candidate(row, int(do.removeprefix("reading-") or 0))
            if found is None:
                raise HTTPException(400, "This line has no such reading. Nothing was changed.")
            words, order = found
        elif do == "edit":
            words = " ".join(text.split())[:500]
            understood = ports.understand(session, phase_id, power, words)
            order, said = understood.order, understood.complaint
        else:
            state = {"not-order": LineState.NOT_ORDER, "void": LineState.VOID, "skip": LineState.SKIPPED}[do]
        decisions.file(session, decisions.Decision(row.id, key[:64], state, words, order, visitor.name,
                                                   ports.clock.now()))
        session.flush()
        done = not any(w.line.needs_a_person for w in queries.work(session, phase))
    if done:
        ports.settled(phase_id)
        return RedirectResponse(f"/results/{phase_id}", status_code=303)
    return _to_desk(phase_id, after=line, said=said)


@router.post("/desk/{phase_id}/undo")
def undo(request: Request, visitor: Trusted, phase_id: int) -> Response:
    """Take back this person's last decision of the phase and return to its line."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        phase = _at_the_desk(session, phase_id)
        ids = [w.line.id for w in queries.work(session, phase)]
        line = decisions.undo_last(session, ids, visitor.name, ports.clock.now())
    return _to_desk(phase_id, line=line, said="" if line else "There is no decision of yours to undo.")


@router.post("/results/{phase_id}/approve")
def approve(request: Request, visitor: Trusted, phase_id: int) -> Response:
    """Send the results: the only door that does not open back."""
    ports: DeskPorts = request.app.state.ports
    ports.approve(phase_id, visitor.name)
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


def _to_desk(phase_id: int, **where: object) -> Response:
    query = urlencode({name: value for name, value in where.items() if value})
    return RedirectResponse(f"/desk/{phase_id}" + (f"?{query}" if query else ""), status_code=303)


def _at_the_desk(session: Session, phase_id: int) -> PhaseRow:
    phase = session.get(PhaseRow, phase_id)
    if phase is None or phase.state not in {PhaseState.CLOSED, PhaseState.READY}:
        raise HTTPException(409, CLOSED)
    return phase


def _line(session: Session, phase_id: int, line_id: int) -> tuple[LineRow, str]:
    line = session.get(LineRow, line_id)
    page = None if line is None else session.get(PageRow, line.page_id)
    submission = None if page is None else session.get(SubmissionRow, page.submission_id)
    if line is None or submission is None or submission.phase_id != phase_id:
        raise HTTPException(404, "There is no such line in this phase. Nothing was changed.")
    return line, submission.power
