"""Correct an error in results that were sent: written in a form, shown as the letter it becomes, then sent
to all players.

Nothing is judged again, and what was sent stays as it was (desk plan, "States to design").
"""

from __future__ import annotations

import logging
import secrets
from dataclasses import astuple
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.orm import Session

from service.games.acts.act import ResultsCorrection
from service.games.acts.results import CorrectResults
from service.games.decisions import KEY_LENGTH
from service.games.phases import phase_title
from service.notices.broadcasts import corrections
from service.store.tables import GameRow, PhaseRow, PhaseState
from service.web.access import COORDINATOR
from service.web.acting import performed
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
# Before results are sent, a line is decided again and the phase judged again: nothing is corrected.
NOT_SENT = ("Nothing was written: only results that were sent are corrected. Before that, decide the line "
            "again at the desk and judge again.")
INCOMPLETE = (f"Nothing was sent: each of the first three fields needs a sentence of {SHORTEST} to {LONGEST} "
              "letters, and the last one a name or a word. What you wrote is still below.")


@router.get("/results/{phase_id}/correct")
def write(request: Request, visitor: Annotated[Visitor, Depends(require_visitor)], phase_id: int) -> Response:
    """The form, with earlier corrections."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        values = _correction_values(session, phase_id)
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
        values = _correction_values(session, phase_id) | {"visitor": visitor,
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


def _correction_values(session: Session, phase_id: int) -> dict[str, Any]:
    phase = session.get(PhaseRow, phase_id)
    if phase is None:
        raise HTTPException(404, "There is no such phase. Nothing is lost: the page Today shows every phase.")
    # A phase may be sent without a resolution: one that ended without any results.
    if phase.state != PhaseState.SENT or phase.resolution is None:
        raise HTTPException(409, NOT_SENT)
    game = session.get_one(GameRow, phase.game_id)
    return {"phase": phase, "game": game.name, "phase_title": phase_title(phase), "fields": FIELDS,
            "before": corrections(session, phase_id)}


def _is_complete(correction: ResultsCorrection) -> bool:
    fields = (correction.wrong, correction.right, correction.effect)
    return all(SHORTEST <= len(field) <= LONGEST for field in fields) and 1 <= len(correction.found_by) <= 200


def _form_values(correction: ResultsCorrection) -> dict[str, str]:
    return dict(zip(FIELDS, astuple(correction), strict=True))
