"""Put an error in results that were sent right: take them back and judge again, the whole phase or from one
line that was read wrongly (PHA-04), or announce it in a letter where nothing is to be judged again.

Each is shown before it is done.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from dataclasses import astuple
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.orm import Session

from maps.variant import Variant
from service.desk import queries
from service.desk.reading import view as reading_view
from service.desk.reading.acts import ActRequest, carry_out
from service.games.acts.act import ActTable, ResultsCorrection, perform
from service.games.acts.results import CorrectBoard, CorrectResults, TakeBackResults, is_correctable
from service.games.decisions import KEY_LENGTH
from service.games.phases import phase_title, position_of, resolution_of
from service.games.refused import Refused
from service.games.taken_back import Differences, differences, times_taken_back
from service.games.turns import JUDGEABLE, judge_if_read
from service.games.written_board import written_board
from service.notices.broadcasts import corrections
from service.record import chain
from service.store import records
from service.store.tables import GameRow, PhaseRow, PhaseState
from service.web.access import COORDINATOR
from service.web.acting import or_refuse, performed, phase_row
from service.web.look import first_look, look_then_do
from service.web.page import require_token, require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

log = logging.getLogger(__name__)
router = APIRouter(dependencies=[COORDINATOR])
Trusted = Annotated[Visitor, Depends(require_token)]
SHORTEST = 10
LONGEST = 500
"""Most letters of a field: a letter carries no longer value (`letters.LONGEST`)."""
FIELDS = {
    "said": "What was said", "right": "What is right", "effect": "What follows for the game",
    "found_by": "Who found it",
}
"""The fields of a correction with their labels."""
HOW = {"edit": "Its words are:", "not-order": "It is not an order", "void": "It cannot be read"}
"""The kinds of a line, each with its words."""
# Before results are sent, a line is decided again and the phase judged again: nothing is corrected.
NOT_SENT = ("Nothing was written: only sent results can be corrected. Before sending, decide the line again "
            "at the desk and judge again.")
INCOMPLETE = (f"Nothing was sent: the first three fields each need a sentence of {SHORTEST} to {LONGEST} "
              "characters, and the last field a name or a word. Your text is still below.")


@router.get("/results/{phase_id}/correct")
def write(request: Request, visitor: Annotated[Visitor, Depends(require_visitor)], phase_id: int) -> Response:
    """The form, with earlier corrections."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        values = _correction_values(session, phase_id, ports.load)
        return show(request, "correction.html", visitor=visitor, written={}, fault="", letter=None,
                    key=secrets.token_urlsafe(16), **values)


@router.post("/results/{phase_id}/correct")
def correct(
    request: Request, visitor: Trusted, phase_id: int,
    wrong_statement: Annotated[str, Form(alias="said")] = "", right: Annotated[str, Form()] = "",
    effect: Annotated[str, Form()] = "", found_by: Annotated[str, Form()] = "",
    key: Annotated[str, Form()] = "", do: Annotated[str, Form()] = "look",
) -> Response:
    """Show the letter (`do` = "look") or send it to every player ("send"); anything else goes back to the
    form. Raises 409 before results are sent."""
    ports: DeskPorts = request.app.state.ports
    fields = (wrong_statement, right, effect, found_by)
    correction = ResultsCorrection(*(" ".join(field.split()) for field in fields))
    # The key comes with the form and stays the same when it is sent again, so players get one letter.
    key = key[:KEY_LENGTH] or secrets.token_urlsafe(16)
    with ports.sessions() as session:
        values = _correction_values(session, phase_id, ports.load) | {"visitor": visitor,
            "written": _form_values(correction), "key": key}
        if not _is_complete(correction):
            return show(request, "correction.html", 400, fault=INCOMPLETE, letter=None, **values)
        letters = ports.actions.circulars.correction(session, values["phase"], correction, key)
    # The letter is rendered before anything is written: a correction that makes no letter changes nothing.
    # Sending cannot be taken back, so the letter is first shown as a player will read it (desk plan, rule 3).
    if do != "send":
        # "change" leads back to the form with its fields filled in, and any unknown word does too.
        letter = None if do != "look" else next(iter(letters), None)
        return show(request, "correction.html", fault="", letter=letter, receivers=len(letters), **values)
    performed(ports, visitor, CorrectResults(phase_id, correction, key))
    return RedirectResponse(f"/results/{phase_id}?notice=corrected", status_code=303)


@router.post("/results/{phase_id}/take-back")
def take_back(request: Request, visitor: Trusted, phase_id: int,
              why: Annotated[str, Form()] = "") -> Response:
    """Take the results back to the desk, after a look at what that does."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        if _is_taken_back(session, phase_id):
            return RedirectResponse(f"/desk/{phase_id}", status_code=303)
        game = _sent_phase(session, phase_id).game_id
    act = TakeBackResults(phase_id, why)
    page = first_look(request, visitor, game, partial(perform, act), "Take these results back",
                      back=f"/results/{phase_id}/correct")
    if page is not None:
        return page
    performed(ports, visitor, act)
    return RedirectResponse(f"/desk/{phase_id}", status_code=303)


@router.post("/results/{phase_id}/board")
def correct_board(
    request: Request, visitor: Trusted, phase_id: int, units: Annotated[str, Form()] = "",
    centres: Annotated[str, Form()] = "", why: Annotated[str, Form()] = "",
) -> Response:
    """Correct the board of a phase that is not over, after a look at what is different."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        phase = phase_row(session, phase_id)
        game = phase.game_id
    act = CorrectBoard(phase_id, units, centres, why)
    return look_then_do(request, visitor, game, act, "board-corrected", "Correct the board")


@router.get("/results/{phase_id}/line/{line_id}")
def write_line(
    request: Request, visitor: Annotated[Visitor, Depends(require_visitor)], phase_id: int, line_id: int
) -> Response:
    """The form in which a line of results that were sent is read otherwise."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        phase = _sent_phase(session, phase_id)
        game = session.get_one(GameRow, phase.game_id)
        work = next((work for work in queries.work(session, phase) if work.line.id == line_id), None)
        if work is None:
            raise HTTPException(404, "There is no such line in these results. Nothing was changed.")
        return show(request, "correct_line.html", visitor=visitor, phase=phase, game=game.name,
                    phase_title=phase_title(phase), work=work, how=HOW,
                    power=ports.power_name(game.variant, work.power), key=secrets.token_urlsafe(16),
                    crops=reading_view.line_crops(session, [line_id]))


@router.post("/results/{phase_id}/line/{line_id}")
def correct_line(
    request: Request, visitor: Trusted, phase_id: int, line_id: int, do: Annotated[str, Form()] = "edit",
    text: Annotated[str, Form()] = "", why: Annotated[str, Form()] = "", key: Annotated[str, Form()] = "",
) -> Response:
    """Take the results back, read the line otherwise, and judge again; first the difference is shown."""
    ports: DeskPorts = request.app.state.ports
    if do not in HOW:
        raise HTTPException(400, "Nothing was changed: choose how the line is to be read.")
    with ports.sessions() as session:
        if _is_taken_back(session, phase_id):
            return RedirectResponse(f"/results/{phase_id}", status_code=303)
        phase = _sent_phase(session, phase_id)
        before, game = resolution_of(phase), phase.game_id

    def judge_again(table: ActTable) -> Differences:
        perform(TakeBackResults(phase_id, why), table)
        # An entry has a row as it is when it is entered: what was sent must be gone before the next judging.
        chain.seal(table.session)
        phase = table.any_phase(phase_id)
        decided = carry_out(ports, table.session, phase, visitor, ActRequest(key, do, line_id, text=text))
        if decided.complaint:
            raise Refused(f"Nothing was changed. {decided.complaint}")
        if not judge_if_read(table.session, phase, table.now, table.load):
            return Differences(None)
        table.session.refresh(phase)
        now = resolution_of(phase)
        return Differences(differences(table.load(table.game(game).variant), before, now))

    page = first_look(request, visitor, game, judge_again, "Take the results back and judge again",
                      back=f"/results/{phase_id}/line/{line_id}")
    if page is not None:
        return page
    with ports.sessions.begin() as session:
        table = ports.act_table(session, visitor.name, visitor.coordinates)
        judged = or_refuse(lambda: judge_again(table))
    return RedirectResponse(
        f"/desk/{phase_id}" if judged.changes is None else f"/results/{phase_id}", status_code=303)


def _is_taken_back(session: Session, phase_id: int) -> bool:
    """Whether a form that takes results back was sent before: they are at the desk, or judged again."""
    phase = session.get(PhaseRow, phase_id)
    return phase is not None and phase.state in JUDGEABLE and times_taken_back(session, phase) > 0


def _sent_phase(session: Session, phase_id: int) -> PhaseRow:
    """A phase whose results were sent. Raises 404 and 409."""
    phase = phase_row(session, phase_id)
    # A phase may be sent without a resolution: one that ended without any results.
    if phase.state != PhaseState.SENT or phase.resolution is None:
        raise HTTPException(409, NOT_SENT)
    return phase


def _correction_values(session: Session, phase_id: int, load: Callable[[str], Variant]) -> dict[str, Any]:
    phase = _sent_phase(session, phase_id)
    game = session.get_one(GameRow, phase.game_id)
    board = next((row for row in records.phases(session, game.id) if row.position is not None
                  and row.state != PhaseState.SENT), None)
    position = None if board is None else position_of(board)
    written = None
    if board is not None and position is not None and is_correctable(board, load(game.variant), position):
        written = written_board(load(game.variant), position)
    return {"board": board, "written_board": written, "title_of": phase_title, "phase": phase,
            "game": game.name, "phase_title": phase_title(phase), "fields": FIELDS,
            "before": corrections(session, phase_id)}


def _is_complete(correction: ResultsCorrection) -> bool:
    fields = (correction.wrong, correction.right, correction.effect)
    return all(SHORTEST <= len(field) <= LONGEST for field in fields) and 1 <= len(correction.found_by) <= 200


def _form_values(correction: ResultsCorrection) -> dict[str, str]:
    return dict(zip(FIELDS, astuple(correction), strict=True))
