"""Requests of the reading page's script: the list of lines, one line's part of the page, words to complete;
acts, the line a person is reading, changed keys. Nothing here states anything of the board (DESK-03).

Who is reading which line: a note for the others that expires after a minute. It is stored in this process
only, since it decides nothing; `service.games.decisions` settles what two people save on one line.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, HTTPException, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from pydantic import BaseModel, Field
from sqlalchemy.orm import Session

from service.desk import page_data, queries
from service.desk.queries import WorkLine
from service.desk.reading import keys as reading_keys, view as reading_view
from service.desk.reading.acts import ActRequest, carry_out
from service.desk.reading.forms import CLOSED
from service.games import decisions
from service.games.decisions import KEY_LENGTH
from service.games.lines import PART
from service.games.seal import at_the_desk
from service.games.turns import NotReady
from service.store.tables import GameRow, PhaseRow, UserRow
from service.web.access import READER
from service.web.page import require_token, require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor, same

CLAIM = timedelta(seconds=60)
"""How long a person without further requests is taken to be reading a line."""


@dataclass(slots=True)
class Presence:
    """The line each person is reading, by phase."""

    _seen: dict[tuple[int, str], tuple[int, datetime]] = field(default_factory=dict)

    def note(self, phase_id: int, person: str, line_id: int, now: datetime) -> dict[int, str]:
        """Note that this person is reading this line; the lines that others are reading, each with a name."""
        # Expired claims go at each note, so the table holds no one who closed the browser.
        self._seen = {key: claim for key, claim in self._seen.items() if now - claim[1] < CLAIM}
        self._seen[phase_id, person] = (line_id, now)
        return {
            line: name for (phase, name),
            (line, _) in self._seen.items() if phase == phase_id and name != person
        }


log = logging.getLogger(__name__)
router = APIRouter(prefix="/desk", dependencies=[READER])
SignedIn = Annotated[Visitor, Depends(require_visitor)]
# The browser keeps unsaved decisions and sends them together once the server answers again.
MAX_ACTS = 200
"""Most acts in one request: what a person does in a few minutes without a server."""


def require_header(
    # A form of another site can send the cookie's requests, but it cannot set a header.
    visitor: SignedIn, token: Annotated[str, Header(alias="X-Galloper-Token")] = ""
) -> Visitor:
    """The signed-in person of a request with the page's token in its header. Raises 403 otherwise."""
    if not same(token, visitor.csrf):
        raise HTTPException(403, "This page is out of date. Nothing was changed: reload it.")
    return visitor


Trusted = Annotated[Visitor, Depends(require_header)]


class SentAct(BaseModel):
    """One act as the script sends it; the fields are those of `acts.ActRequest`."""

    key: str = Field(min_length=8, max_length=KEY_LENGTH)
    do: str = Field(max_length=20)
    line: int = 0
    # Aliases: the JSON of the page's script keeps its names.
    seen_version: str | None = Field(default=None, alias="seen", max_length=64)
    text: str = Field(default="", max_length=2000)
    kept_readings: list[str] = Field(default=[], alias="kept", max_length=5)
    cut_share: float = Field(default=0.5, alias="at", ge=0, le=1)
    others: list[tuple[int, str | None, str]] = Field(default=[], max_length=500)
    target: str | None = Field(default=None, max_length=64)

    def request(self) -> ActRequest:
        """The same as the desk's own value."""
        return ActRequest(self.key, self.do, self.line, self.seen_version, self.text,
            tuple(self.kept_readings),
                          self.cut_share, tuple(self.others), self.target)


class SentActs(BaseModel):
    """Acts in the order in which they were done."""

    acts: list[SentAct] = Field(max_length=MAX_ACTS)


class ReadLine(BaseModel):
    """The line a person is reading."""

    line: int


@router.get("/{phase_id}/lines")
def lines(request: Request, visitor: SignedIn, phase_id: int) -> Response:
    """Every line of the phase in short form, and what this person can undo and redo."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        phase = _open_phase(session, phase_id)
        work_lines = queries.work(session, phase, visitor.name)
        variant = session.get_one(GameRow, phase.game_id).variant
        entries = [
            reading_view.index_entry(
                reading_view.reading_offers(ports, session, phase_id, work_lines, work, me=visitor.name),
                work, ports.power_name(variant, work.power),
            )
            for work in work_lines
        ]
        history = _history(session, phase_id, visitor.name, work_lines)
    return JSONResponse({"token": visitor.csrf, "me": visitor.name, "lines": entries, **history})


@router.get("/{phase_id}/line/{line_id}")
def line(request: Request, visitor: SignedIn, phase_id: int, line_id: int) -> Response:
    """One line's part of the page."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        phase = _open_phase(session, phase_id)
        work_lines = queries.work(session, phase, visitor.name)
        work = next((work for work in work_lines if work.line.id == line_id), None)
        if work is None:
            raise HTTPException(404, "There is no such line on the desk now.")
        variant = session.get_one(GameRow, phase.game_id).variant
        view = reading_view.line_view(
            ports, session, phase_id, work_lines, work, variant=variant, me=visitor.name
        )
        return show(request, "_line.html", visitor=visitor, view=view, phase=phase, key="")


@router.post("/{phase_id}/acts")
def acts(request: Request, visitor: Trusted, phase_id: int, sent: SentActs) -> Response:
    """Carry out acts one by one, each completely or not at all. The answer has the result of each act and
    the present state of every line.

    An act that was sent before is answered again and changes nothing. After the last open line the phase is
    judged.
    """
    ports: DeskPorts = request.app.state.ports
    # A transaction for each act: one that is refused or overtaken does not take the others with it.
    answers = [_act_answer(ports, phase_id, visitor, act) for act in sent.acts]
    with ports.sessions() as session:
        phase = session.get(PhaseRow, phase_id)
        if phase is None or not at_the_desk(phase):
            return JSONResponse({"acts": answers, "closed": CLOSED})
        work_lines = queries.work(session, phase, visitor.name)
        open_lines = sum(work.waits for work in work_lines)
        changed = {line for answer in answers for line in answer.get("about", ())}
        answer = {
            "acts": answers, "states": [reading_view.state_entry(work) for work in work_lines],
            "offers": _changed_offers(ports, session, phase_id, work_lines, changed, visitor.name),
            **_history(session, phase_id, visitor.name, work_lines),
        }
    # Not for a page that only requests the states: judging follows a decision.
    if not open_lines and any(answer.get("saved") for answer in answers):
        _judge(ports, phase_id)
    return JSONResponse(answer)


@router.post("/{phase_id}/here")
def here(request: Request, visitor: Trusted, phase_id: int, reading: ReadLine) -> Response:
    """Note which line this person is reading; the answer shows who is reading others."""
    ports: DeskPorts = request.app.state.ports
    presence: Presence = request.app.state.presence
    others = presence.note(phase_id, visitor.name, reading.line, ports.wall.now())
    return JSONResponse({"others": {str(line): name for line, name in others.items()}})


@router.get("/{phase_id}/words")
def words(request: Request, phase_id: int) -> Response:
    """Every name and word that the edit box completes: the whole board, whatever the position."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        _open_phase(session, phase_id)
        completions = page_data.words_to_complete(session, phase_id, ports.load)
    return JSONResponse({"names": completions.names, "verbs": completions.verbs, "units": completions.units},
                        headers={"Cache-Control": "private, max-age=600"})


@router.post("/keys", dependencies=[Depends(require_token)])
async def keys(request: Request, visitor: SignedIn) -> Response:
    """Save a person's changed keys, then go back to their page."""
    ports: DeskPorts = request.app.state.ports
    form = await request.form()
    form_values = {str(name): str(value) for name, value in form.items()}
    try:
        changed = reading_keys.changes({} if "defaults" in form_values else form_values)
    except ValueError as fault:
        raise HTTPException(400, str(fault)) from fault
    with ports.sessions.begin() as session:
        session.get_one(UserRow, visitor.name).keys = changed or None
    back = form_values.get("back", "")
    # `back` comes from the form; only the number of a phase is accepted.
    return RedirectResponse(f"/desk/{back}" if back.isascii() and back.isdecimal() else "/", status_code=303)


def _act_answer(ports: DeskPorts, phase_id: int, visitor: Visitor, act: SentAct) -> dict[str, Any]:
    """The result of one act: "saved"; "refused" with a sentence; or "overtaken" with the line's id."""
    try:
        with ports.sessions.begin() as session:
            phase = session.get(PhaseRow, phase_id)
            if phase is None or not at_the_desk(phase):
                return {"key": act.key, "refused": CLOSED}
            result = carry_out(ports, session, phase, visitor, act.request())
            return {"key": act.key, "saved": True, "complaint": result.complaint, "about": result.lines}
    except decisions.Overtaken as fault:
        return {"key": act.key, "overtaken": fault.line_id}
    except HTTPException as fault:
        return {"key": act.key, "refused": str(fault.detail)}


def _changed_offers(
    ports: DeskPorts, session: Session, phase_id: int, work_lines: list[WorkLine], changed: set[int], me: str
) -> dict[str, str]:
    """Open lines whose first offer may have changed: by the lines just decided, or because the machine has
    read a line that was cut. The browser fetches these again."""
    # A correction is offered on lines of its own sheet only (`echo`), so no other sheet can have changed.
    sheets = {work.place.sheet for work in work_lines if work.line.id in changed}
    offered = {}
    for work in work_lines:
        if (work.place.sheet in sheets or work.line.kind == PART) and work.line.needs_a_person:
            offered[str(work.line.id)] = reading_view.first_of(
                reading_view.reading_offers(ports, session, phase_id, work_lines, work, me=me))
    return offered


def _history(
    session: Session, phase_id: int, me: str, work_lines: list[WorkLine]
) -> dict[str, list[dict[str, Any]]]:
    """The decisions that this person can undo and redo, oldest first, and the last decisions of anyone."""
    names = {work.line.id: work.place.name for work in work_lines}
    return {
        "recent": [
            {"key": r.key.partition(".")[0], "state": r.decision, "text": r.order or r.text,
             "name": names[r.line_id],
             "line": r.line_id, "by": r.by} for r in queries.last_reviews(session, work_lines, me)
        ],
        "undo": [{"key": a.key, "kind": a.kind} for a in decisions.standing(session, phase_id, me)],
        "redo": [{"key": a.key, "kind": a.kind} for a in decisions.undone(session, phase_id, me)],
    }


def _open_phase(session: Session, phase_id: int) -> PhaseRow:
    """A phase whose lines may be read. Raises 409 with a sentence for any other, above all a sealed one
    (DESK-02)."""
    phase = session.get(PhaseRow, phase_id)
    if phase is None or not at_the_desk(phase):
        raise HTTPException(409, CLOSED)
    return phase


def _judge(ports: DeskPorts, phase_id: int) -> None:
    """Judge a phase whose last line is read. The decisions are committed, so a failure of the judge loses
    nothing, and the desk's last page offers to try again."""
    try:
        ports.actions.judge_when_read(phase_id)
    except NotReady:
        return
    except Exception:
        log.exception("phase %s could not be judged", phase_id)
