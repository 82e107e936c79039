"""Sent results for the players of a game, and the ink of each order (docs/record.md, "From an order to its
ink"). Before a phase is sent, every address here answers as if the phase did not exist."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import select
from sqlalchemy.orm import Session

import maps
from service import pictures
from service.games.phases import phase_title
from service.games.results import ShownPower
from service.letters.language import N_, Language, Sentence, language
from service.letters.outcomes import translatable
from service.public import large_print, source_line, visits
from service.public.large_print import Form, Table
from service.public.page import language_of, show
from service.public.source_line import Evidence, SourceLine
from service.public.visits import VisitingPlayer
from service.store.blobs import BlobError
from service.store.tables import GameRow, PhaseRow
from service.web.access import PUBLIC
from service.web.ports import DeskPorts

router = APIRouter(dependencies=[PUBLIC])
Visitor = Annotated[VisitingPlayer, Depends(visits.require_player)]
PRIVATE = "private, no-store"
# One sentence for not sent and not existing: an address must not reveal that a phase was judged.
NONE = N_("There are no results with that number: they are not sent yet, or the phase ended without results.")
NO_LINE = N_("That line has no order of these results, or you may not see its sheet yet.")


@router.get("/public/{game_id}/results")
def newest(request: Request, visitor: Visitor, game_id: str) -> Response:
    """To the results that were sent last. Raises 404 where none were."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        visits.seat_of(session, visitor, game_id)
        sent = source_line.phases(session, game_id)
    if not sent:
        raise HTTPException(404, N_("No results have been sent yet."))
    return RedirectResponse(f"/public/{game_id}/results/{sent[0].ordinal}", status_code=303)


@router.get("/public/{game_id}/results/{number}")
def results(request: Request, visitor: Visitor, game_id: str, number: int) -> Response:
    """The results of one phase: each order, its outcome, cause and rule, and a link to its ink; below, links
    to those of the other phases."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        evidence = _evidence(session, visitor, game_id, number)
        return show(
            request, "results.html", game=session.get_one(GameRow, game_id),
            title_of=phase_title(evidence.phase), results=evidence, cache=PRIVATE,
            others=[(row.ordinal, phase_title(row), row.sent_at)
                    for row in source_line.phases(session, game_id) if row.ordinal != number],
        )


@router.get("/public/{game_id}/results/{number}/table.{form}")
def table(request: Request, visitor: Visitor, game_id: str, number: int, form: Form) -> Response:
    """The results of one phase as tables: in large print, or as text (BEY-08)."""
    ports: DeskPorts = request.app.state.ports
    reader = language(language_of(request))
    say = reader.say
    with ports.sessions() as session:
        evidence = _evidence(session, visitor, game_id, number)
        name = session.get_one(GameRow, game_id).name
        columns = (say("Order"), say("Outcome"), say("Reason"))
        power_tables = [Table(power.power, columns, _rows(power, reader)) for power in evidence.powers]
        corrections = [say("Correction by the coordinator") + f": {row.said} → {row.right}"
                       for row in evidence.corrections]
        title = f"{name}: {phase_title(evidence.phase)}"
    return large_print.answer_with(request, form, title, corrections, power_tables, PRIVATE)


def _rows(power: ShownPower, language: Language) -> tuple[tuple[str, ...], ...]:
    """A row for each order of a power, each line that no one could read, and each unit without an
    order."""
    say = language.say
    # A success is stated once; a failure brings its sentence, which names its rule.
    rows = [
        (order.text, language.value(translatable(order.mark)), language.value(Sentence.of(
            "" if order.went_well else translatable(order.why), translatable(order.correction))))
        for order in power.orders]
    rows += [(say("A line %(readings)s.", readings=translatable(text)), "", "") for _, text in power.void]
    rows += [(unit, str(say("dislodged") if unit in power.dislodged else say("holds")), say("no order"))
             for unit in power.without_order]
    if not power.sheet and not power.set_aside:
        rows.append((say("No sheet was received."), "", ""))
    return (*rows, *((sentence, "", "") for sentence in power.set_aside))


@router.get("/public/{game_id}/results/{number}/{line_id}.jpg")
def crop(
    request: Request, visitor: Visitor, game_id: str, number: int, line_id: int, context: bool = False
) -> Response:
    """The ink of one line, or with `context` the rows around it too, as JPEG."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        evidence, line = _line(session, visitor, game_id, number, line_id)
        try:
            data = source_line.picture(session, ports.blobs, evidence, line, context=context)
        except (BlobError, pictures.SheetUnusable) as fault:
            raise HTTPException(503, N_(
                "This picture cannot be shown now. Everything else is safe.")) from fault
    if data is None:
        raise HTTPException(404, N_("There is no picture of this page; its bytes are kept."))
    return Response(data, media_type="image/jpeg", headers={"Cache-Control": PRIVATE})


@router.get("/public/{game_id}/results/{number}/{line_id}")
def line(request: Request, visitor: Visitor, game_id: str, number: int, line_id: int) -> Response:
    """One line of ink with its context: the machine's reading, who decided it, the outcome, and its entries
    in the record."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        evidence, source = _line(session, visitor, game_id, number, line_id)
        return show(
            request, "ink.html", game=session.get_one(GameRow, game_id), title_of=phase_title(evidence.phase),
            number=number, source=source, cache=PRIVATE,
        )


def _line(
    session: Session, visitor: VisitingPlayer, game_id: str, number: int, line_id: int
) -> tuple[Evidence, SourceLine]:
    evidence = _evidence(session, visitor, game_id, number)
    line = source_line.ink(session, evidence, line_id)
    if line is None:
        raise HTTPException(404, NO_LINE)
    return evidence, line


def _evidence(session: Session, visitor: VisitingPlayer, game_id: str, number: int) -> Evidence:
    seats = visits.seat_of(session, visitor, game_id)
    phase = session.scalar(select(PhaseRow).where(PhaseRow.game_id == game_id, PhaseRow.ordinal == number))
    variant = maps.load(session.get_one(GameRow, game_id).variant)
    evidence = None if phase is None else source_line.evidence(session, phase, variant, seats)
    if evidence is None:
        raise HTTPException(404, NONE)
    return evidence
