"""The Rehearsal page: a dry run of a deadline, compared with the last one."""

from __future__ import annotations

import logging
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy.exc import DataError
from sqlalchemy.orm import Session

from service.desk.page_data import grouped, totals
from service.features.dry_run.dry_run import DryRun, Rehearsal, last_rehearsal
from service.games.phases import phase_title
from service.games.seal import sealed
from service.games.turns import NotReady
from service.store.tables import GameRow
from service.web.access import COORDINATOR
from service.web.acting import phase_row
from service.web.page import require_token, require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

log = logging.getLogger(__name__)
router = APIRouter(dependencies=[COORDINATOR])
NOT_DRAWN = ("This picture could not be drawn. Nothing was sent or changed, but sending would fail the same "
             "way; report it to the operator, whose log names the fault.")


@router.get("/rehearsal/{phase_id}")
def look(request: Request, visitor: Annotated[Visitor, Depends(require_visitor)], phase_id: int) -> Response:
    """When it was last rehearsed, and the button that runs it."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        return show(
            request, "dry_run/rehearsal.html", visitor=visitor, rehearsal=None,
            **_phase_values(ports, session, phase_id)
        )


@router.post("/rehearsal/{phase_id}")
def run(request: Request, visitor: Annotated[Visitor, Depends(require_token)], phase_id: int,
        pictures: Annotated[str, Form()] = "") -> Response:
    """Rehearse now. Nothing is sent; the digest of the result is stored for the next rehearsal. With
    `pictures` every picture is drawn too, which takes longer and shows beforehand whether one cannot be
    made."""
    ports: DeskPorts = request.app.state.ports
    dry_run = _dry_run(ports)
    with ports.sessions() as session:
        values = _phase_values(ports, session, phase_id)
    try:
        # The same steps as the real run, with letters rendered into a drawer; only digests are stored.
        rehearsal: Rehearsal = dry_run.run(phase_id, visitor.name, drawing=bool(pictures))
    except NotReady as error:
        raise HTTPException(409, (f"Nothing was rehearsed: {error}. Nothing was sent and nothing was "
                                  f"changed.")) from error
    return show(
        request, "dry_run/rehearsal.html", visitor=visitor, rehearsal=rehearsal,
        powers=[grouped(power) for power in rehearsal.powers], totals=totals(rehearsal.powers),
        drawn=bool(pictures), files=_files(rehearsal), **values,
    )


@router.get("/rehearsal/{phase_id}/picture/{name}")
def picture(request: Request, phase_id: int, name: str, page: int = 1) -> Response:
    """One file of the letters that would be sent, drawn on request; for written results the page number
    `page`."""
    ports: DeskPorts = request.app.state.ports
    try:
        # Drawing ten sheets and the results took the whole request, so each file has its own address.
        images = _dry_run(ports).picture(phase_id, name)
    except NotReady as error:
        raise HTTPException(
            409,
            f"This picture cannot be drawn: {error}. Nothing was sent or changed, but sending would fail "
            "the same way.",
        ) from error
    except (OverflowError, DataError):  # a number that no column holds: of no phase, and no fault of ours
        raise
    except Exception as fault:
        # Sending draws every picture first and would fail the same way, so the log has the whole fault.
        log.exception("a picture of phase %s could not be rehearsed", phase_id)
        raise HTTPException(500, NOT_DRAWN) from fault
    if not 1 <= page <= len(images):
        raise HTTPException(404, ("There is no such picture now. Rehearse again: the letters may have "
                                  "changed."))
    image = images[page - 1]
    return Response(image.data, media_type=image.media_type, headers={"X-Pages": str(len(images))})


def _dry_run(ports: DeskPorts) -> DryRun:
    """The rehearser."""
    return DryRun(ports.sessions, ports.clock, ports.letters)


def _files(rehearsal: Rehearsal) -> list[str]:
    """The names of all attachments, each once."""
    # Most letters carry the same results picture.
    return list(dict.fromkeys(name for letter in rehearsal.letters for name in letter.attached))


def _phase_values(ports: DeskPorts, session: Session, phase_id: int) -> dict[str, Any]:
    phase = phase_row(session, phase_id)
    game = session.get_one(GameRow, phase.game_id)
    return {"phase": phase, "game": game.name, "phase_title": phase_title(phase), "sealed": sealed(phase),
            "last": last_rehearsal(session, phase),
            "name_of": lambda power: ports.power_name(game.variant, power) if power else ""}
