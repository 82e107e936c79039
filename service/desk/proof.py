"""Proof reading in a glance (DSK-03): the accepted lines of a phase, each crop with its words, forty to a
screen, those most likely wrong first. One key sends a line back to the desk, or to its correction once the
results were sent."""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from service.desk import queries
from service.desk.reading import view as reading_view
from service.desk.reading.acts import ActRequest, carry_out
from service.desk.reading.ink import LEAST_COVERED
from service.games.decisions import Overtaken
from service.games.phases import phase_title
from service.games.proof_reading import ProofRead, chance_wrong, digest_of, is_accepted, proof_of, read_alone
from service.games.seal import sealed
from service.games.turns import JUDGEABLE
from service.store.tables import GameRow, PhaseState
from service.web.access import COORDINATOR
from service.web.acting import performed, phase_row
from service.web.page import require_token, require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter(prefix="/proof", dependencies=[COORDINATOR])
Trusted = Annotated[Visitor, Depends(require_token)]
KEYS = "1234567890qwertyuiopasdfghjklzxcvbnm,.-+"
"""The key of each line on a screen, in its order."""
AT_ONCE = len(KEYS)


@router.get("/{phase_id}")
def proof(
    request: Request, visitor: Annotated[Visitor, Depends(require_visitor)], phase_id: int, page: int = 1,
    notice: str = "",
) -> Response:
    """One screen of the accepted lines of a phase."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        phase = phase_row(session, phase_id)
        if sealed(phase):
            return RedirectResponse(f"/desk/{phase_id}", status_code=303)
        game = session.get_one(GameRow, phase.game_id)
        lines = queries.work(session, phase, visitor.name)
        accepted = [work for work in lines if is_accepted(work.line)]
        chances = {work.line.id: _chance(lines, work) for work in accepted}
        ranked = sorted(accepted, key=lambda work: -chances[work.line.id])
        first = AT_ONCE * (max(page, 1) - 1)
        shown = ranked[first : first + AT_ONCE]
        return show(
            request, "proof.html", visitor=visitor, phase=phase, game=game.name,
            phase_title=phase_title(phase), notice=notice, page=max(page, 1), total=len(accepted),
            shown=list(zip(KEYS, shown, strict=False)), more=first + AT_ONCE < len(ranked),
            names={work.power: ports.power_name(game.variant, work.power) for work in shown},
            crops=reading_view.line_crops(session, [work.line.id for work in shown]),
            waiting=sum(work.line.needs_a_person for work in lines), proof=proof_of(session, phase),
            alone=read_alone([work.line for work in accepted], visitor.name),
            digest=digest_of([work.line for work in accepted]), is_sent=phase.state == PhaseState.SENT,
            is_at_desk=phase.state in JUDGEABLE, key=secrets.token_urlsafe(16))


@router.post("/{phase_id}/wrong")
def wrong(
    request: Request, visitor: Trusted, phase_id: int, line: Annotated[int, Form()],
    key: Annotated[str, Form(min_length=10)], seen: Annotated[str, Form()] = "",
    page: Annotated[int, Form()] = 1,
) -> Response:
    """Send a line back to the queue of the desk, as one that was skipped there; `U` at the desk undoes it."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        phase = phase_row(session, phase_id)
        if phase.state not in JUDGEABLE:
            raise HTTPException(409, ("Nothing was changed: lines can be marked only between the deadline "
                                      "and the sending of results. Earlier decisions stay."))
        try:
            carry_out(ports, session, phase, visitor, ActRequest(
                key, "skip", line, "" if seen == "-" else seen or None))
        except Overtaken as fault:
            raise HTTPException(409, ("Nothing was changed: another person decided this line after it was "
                                      "shown to you. Reload the page.")) from fault
    return RedirectResponse(f"/proof/{phase_id}?page={page}&notice=marked", status_code=303)


@router.post("/{phase_id}/done")
def done(
    request: Request, visitor: Trusted, phase_id: int, digest_seen: Annotated[str, Form(alias="seen")] = ""
) -> Response:
    """Note that every line was compared with its ink."""
    performed(request.app.state.ports, visitor, ProofRead(phase_id, digest_seen))
    return RedirectResponse(f"/proof/{phase_id}?notice=proof-read", status_code=303)


def _chance(lines: list[queries.WorkLine], work: queries.WorkLine) -> float:
    """The chance that a line is wrong; a reading that leaves much of the ink over is as likely wrong as the
    share that it leaves."""
    covers = [share for share, reading in zip(
        reading_view.ink_covered(lines, work), work.line.candidates, strict=False)
        if reading["order"] == work.line.order]
    left = 1.0 - covers[0] if covers and covers[0] < LEAST_COVERED else 0.0
    return max(chance_wrong(work.line), left)
