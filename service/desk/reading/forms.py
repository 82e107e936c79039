"""The coordinator's forms: decide a line, undo, unseal, judge, approve results, sign out. Every form carries
its token."""

from __future__ import annotations

import logging
import secrets
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from service.desk import queries
from service.desk.reading import late
from service.desk.reading.acts import ActRequest, carry_out
from service.games import decisions
from service.games.acts.act import perform
from service.games.acts.deadlines import deadline_typed
from service.games.acts.lines import CloseDifferences
from service.games.acts.phases import Unseal
from service.games.agreement import Stage
from service.games.approval.approve import AnswerBy
from service.games.approval.right_sheet import open_questions
from service.games.decisions import KEY_LENGTH, ReviewAction
from service.games.refused import Refused, reason_of
from service.games.seal import at_the_desk
from service.games.turns import NotReady
from service.store.tables import GameRow, PhaseRow
from service.web import sessions
from service.web.access import COORDINATOR, READER, SIGNED_IN
from service.web.acting import or_refuse, performed
from service.web.page import require_token
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

log = logging.getLogger(__name__)
router = APIRouter()
Trusted = Annotated[Visitor, Depends(require_token)]
CLOSED = "These lines cannot be changed now: the phase is not at the desk. Earlier decisions stay."
CHANGED = ("Not sent: a line was decided again since these results were judged. Nothing is lost; judge "
           "again.")
LATE = ("Not sent: a version came after its sheet was already being read, and it is not settled which one "
        "counts. The desk names it; nothing is lost.")
NOT_COMPOSED = ("Not sent: the letters or their pictures could not be made. The results are stored. Try "
                "again; if it fails again, report it to the operator: the log names the fault.")
ASKED = ("Not sent: a sheet that counts may be the wrong one, and this is not confirmed yet. Look at the "
         "sheet and answer the question on the results page.")


@router.post("/desk/{phase_id}/decide", dependencies=[READER])
def decide(
    request: Request, visitor: Trusted, phase_id: int, line: Annotated[int, Form()],
    key: Annotated[str, Form()], do: Annotated[str, Form()], text: Annotated[str, Form()] = "",
    seen_version: Annotated[str | None, Form(alias="seen")] = None,
    kept_readings: Annotated[list[str] | None, Form(alias="kept")] = None,
    cut_percent: Annotated[float, Form(alias="at")] = 50.0,
) -> Response:
    """File one decision and go on. The fields are those of `acts.ActRequest`. `seen_version` is "-" for a
    line without a decision, since an empty form field reads as none."""
    act = ActRequest(
        key=key, do=do, line=line, seen_version="" if seen_version == "-" else seen_version, text=text,
        kept_readings=tuple(kept_readings or ()), cut_share=cut_percent / 100)
    ports: DeskPorts = request.app.state.ports
    try:
        with ports.sessions.begin() as session:
            phase = desk_phase(session, phase_id)
            result = carry_out(ports, session, phase, visitor, act)
            all_read = not any(work.waits for work in queries.work(session, phase))
    except decisions.Overtaken:
        # The line is shown again with the present decision; nothing is overwritten.
        return _to_desk(phase_id, line=line, notice="overtaken")
    # Stay on the new line, or on the left part of a broken one: it is read next.
    if do in {"join", "break"}:
        return _to_desk(phase_id, line=max(result.lines) if do == "join" else result.lines[-2])
    # Typed words are filed even if they are not an order, and the next page shows why they are none.
    complained_line = line if result.complaint else None
    return (
        _judge(ports, phase_id, complained_line)
        if all_read
        else _to_desk(phase_id, after=line, kept=complained_line)
    )


@router.post("/desk/{phase_id}/accept", dependencies=[READER])
def accept(
    request: Request, visitor: Trusted, phase_id: int, key: Annotated[str, Form()],
    entries: Annotated[list[str] | None, Form(alias="one")] = None,
) -> Response:
    """Accept every listed line with its best reading; each entry is "LINE VERSION READING"."""
    ports: DeskPorts = request.app.state.ports
    try:
        others = tuple((int(line), version, do) for line, version,
            do in (entry.split(" ") for entry in entries or ()))
        with ports.sessions.begin() as session:
            phase = desk_phase(session, phase_id)
            carry_out(ports, session, phase, visitor, ActRequest(key=key, do="accept", others=others))
            all_read = not any(work.waits for work in queries.work(session, phase))
    except decisions.Overtaken as fault:
        return _to_desk(phase_id, line=fault.line_id, notice="overtaken")
    except ValueError as fault:
        raise HTTPException(400, "This list arrived damaged. Nothing was changed: reload the "
                                 "page.") from fault
    return _judge(ports, phase_id) if all_read else _to_desk(phase_id, after=others[-1][0])


@router.post("/desk/{phase_id}/undo", dependencies=[READER])
def undo(request: Request, visitor: Trusted, phase_id: int, review: Annotated[int | None, Form()] = None,
         key: Annotated[str, Form()] = "") -> Response:
    """Take back one decision, or without `review` this person's last one, and return to its line."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        phase = desk_phase(session, phase_id)
        act = _act(ports, phase_id, visitor, key)
        ids = [w.line.id for w in queries.work(session, phase)]
        lines = (
            decisions.undo(session, act)
            if review is None
            else decisions.undo_review(session, act, ids, review)
        )
    return _to_desk(phase_id, line=lines[0] if lines else None, notice=None if lines else "nothing-to-undo")


@router.post("/desk/{phase_id}/redo", dependencies=[READER])
def redo(request: Request, visitor: Trusted, phase_id: int, key: Annotated[str, Form()] = "") -> Response:
    """Redo what this person took back last, and go on after it."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        desk_phase(session, phase_id)
        lines = decisions.redo(session, _act(ports, phase_id, visitor, key))
    return _to_desk(phase_id, after=lines[-1] if lines else None, notice=None if lines else "nothing-to-redo")


@router.post("/desk/{phase_id}/late", dependencies=[READER])
def use_late(request: Request, visitor: Trusted, phase_id: int,
        submission_id: Annotated[int, Form(alias="paper")],
             key: Annotated[str, Form()] = "") -> Response:
    """Use a version that came after the reading of its sheet had begun; unchanged lines keep their
    decisions."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        phase = desk_phase(session, phase_id)
        late.use(session, _act(ports, phase_id, visitor, key), phase, submission_id)
    return _to_desk(phase_id)


@router.post("/desk/{phase_id}/close", dependencies=[COORDINATOR])
def close(request: Request, visitor: Trusted, phase_id: int, key: Annotated[str, Form()] = "") -> Response:
    """Make every line void that two people read differently, with both readings stored, and judge if nothing
    else waits."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        phase = desk_phase(session, phase_id)
        act = _act(ports, phase_id, visitor, key)
        # A browser that repeats the form gets the same answer, and nothing is closed twice.
        if not decisions.known(session, act.key):
            differing = [w.line for w in queries.work(session, phase) if w.line.stage is Stage.DIFFERS]
            closing = CloseDifferences(phase_id, act.key, tuple(line.id for line in differing),
                                       {line.id: line.version() for line in differing})
            or_refuse(lambda: perform(closing, ports.act_table(session, visitor.name)), 400)
        all_read = not any(work.waits for work in queries.work(session, phase))
    return _judge(ports, phase_id) if all_read else _to_desk(phase_id)


@router.post("/desk/{phase_id}/unseal", dependencies=[COORDINATOR])
def unseal(request: Request, visitor: Trusted, phase_id: int, why: Annotated[str, Form()] = "") -> Response:
    """Open the sheets of a phase before its deadline, for a reason that is logged and printed (DESK-02)."""
    performed(request.app.state.ports, visitor, Unseal(phase_id, why), no_reason=400)
    return _to_desk(phase_id)


@router.post("/desk/{phase_id}/judge", dependencies=[COORDINATOR, Depends(require_token)])
def judge(request: Request, phase_id: int) -> Response:
    """Judge a phase whose lines are all read, if that failed before or a line was decided again."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        desk_phase(session, phase_id)
    return _judge(ports, phase_id)


@router.post("/results/{phase_id}/approve", dependencies=[COORDINATOR])
def approve(
    request: Request, visitor: Trusted, phase_id: int, day: Annotated[str, Form()] = "",
    hour: Annotated[str, Form()] = "", why: Annotated[str, Form()] = "",
) -> Response:
    """Have the results drawn and sent: the only act that cannot be undone. The page shows how far it is.
    `day` and `hour`, in GMT, are the deadline of the phase that follows, where the page asked for one."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        phase = session.get(PhaseRow, phase_id)
        if phase is None:
            raise HTTPException(404, "There is no such phase. Nothing was sent.")
        # The letters would not show what people decided last, so the phase is judged again first.
        if at_the_desk(phase) and queries.changed_since_judged(session, phase, queries.work(session, phase)):
            raise HTTPException(409, CHANGED)
        # Desk plan, "Late mail while working": results cannot be sent while such a version is open.
        if at_the_desk(phase) and late.late_versions(session, phase):
            raise HTTPException(409, LATE)
        game = session.get_one(GameRow, phase.game_id)
        if open_questions(session, phase, ports.load(game.variant)):
            raise HTTPException(409, ASKED)
    try:
        answer_by = AnswerBy(deadline_typed(day, hour), reason_of(why)) if day else None
    except Refused as refused:
        raise HTTPException(409, f"{refused}") from refused
    try:
        ports.actions.approve(phase_id, visitor.name, answer_by)
    except NotReady as error:
        raise HTTPException(409, f"Not sent: {error}. Earlier decisions stay.") from error
    except OperationalError:
        raise  # it has a page of its own (`error_pages`)
    except Exception as fault:
        # Letters and pictures are made before anything is sent, so a failure leaves everything as it was.
        log.exception("the results of phase %s could not be sent", phase_id)
        raise HTTPException(500, NOT_COMPOSED) from fault
    return RedirectResponse(f"/results/{phase_id}", status_code=303)


@router.post("/sign-out", dependencies=[SIGNED_IN, Depends(require_token)])
def sign_out(request: Request) -> Response:
    """End the session."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        sessions.sign_out(session, request.cookies.get(sessions.COOKIE))
    response = RedirectResponse("/sign-in", status_code=303)
    response.delete_cookie(sessions.COOKIE)
    return response


def _judge(ports: DeskPorts, phase_id: int, complained_line: int | None = None) -> Response:
    """Judge, then go to the results. The decisions are committed, so a failure of the judge loses nothing."""
    try:
        judged = ports.actions.judge_when_read(phase_id)
    except NotReady:
        judged = False  # another person moved the phase on; the desk shows its state
    except Exception:
        log.exception("phase %s could not be judged", phase_id)
        return _to_desk(phase_id, notice="not-judged", kept=complained_line)
    # The complaint must be seen before the results are: the words may need another look.
    if judged is False or complained_line:
        return _to_desk(phase_id, kept=complained_line)
    return RedirectResponse(f"/results/{phase_id}", status_code=303)


def _to_desk(phase_id: int, **parameters: object) -> Response:
    query = urlencode({name: value for name, value in parameters.items() if value})
    return RedirectResponse(f"/desk/{phase_id}" + (f"?{query}" if query else ""), status_code=303)


def _act(ports: DeskPorts, phase_id: int, visitor: Visitor, key: str) -> ReviewAction:
    return ReviewAction(
        key[:KEY_LENGTH] or secrets.token_urlsafe(16), phase_id, visitor.name, ports.clock.now())


def desk_phase(session: Session, phase_id: int) -> PhaseRow:
    """A phase whose lines may be decided now. Raises 409 with a sentence for any other."""
    phase = session.get(PhaseRow, phase_id)
    if phase is None or not at_the_desk(phase):
        raise HTTPException(409, CLOSED)
    return phase
