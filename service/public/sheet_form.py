"""The order sheet as a form for who cannot write by hand (BEY-08)."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from adjudicator.serialize import codec
from service import pictures
from service.games.phases import phase_of
from service.letters.language import N_
from service.notices import order_sheets
from service.notices.order_sheets import SheetReader
from service.public import visits
from service.public.page import language_of
from service.store import records
from service.store.tables import GameRow, PhaseState
from service.web.access import PUBLIC
from service.web.ports import DeskPorts

router = APIRouter(dependencies=[PUBLIC])
NONE = N_("There is no such form: the game is over, or it has no such power or phase.")


@router.get("/public/{game_id}/sheet-form.pdf")
def form(request: Request, game_id: str, power: str, phase: int = 0, *, units: bool = False) -> Response:
    """The form of one power, for the phase in play or a later one. `units`: with the names of the units
    next to the fields, for the visiting player's own power in the phase in play. Raises 404."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        game = session.get(GameRow, game_id)
        ahead = {row.ordinal: row for row in records.phases(session, game_id)
                 if row.state in {PhaseState.OPEN, PhaseState.WAITING}}
        seats = records.seats(session, game_id)
        if game is None or not ahead or (phase and phase not in ahead) or power not in seats:
            raise HTTPException(404, NONE)
        chosen = ahead[phase] if phase else next(iter(ahead.values()))
        player = visits.visiting(session, request, ports.clock.now())
        is_own = player is not None and seats[power] == player.id
        variant = ports.load(game.variant)
        # Where a unit stands may be hidden from others, so only its own player has it named.
        position = (codec.load_position(chosen.position)
                    if units and is_own and chosen.position is not None else None)
        # A stranger learns no address by it.
        address = ports.order_address if is_own else ""
        sheet = order_sheets.sheet_form(
            variant, game.name, phase_of(chosen), power,
            SheetReader(language_of(request), "" if player is None else player.zone, address),
            deadline=chosen.deadline,
            units=order_sheets.names_under_rules(variant, phase_of(chosen), position, power),
            rows=0 if position is None else sum(unit.power == power for unit in position.units))
    return Response(pictures.form_pdf(sheet), media_type="application/pdf", headers={
        "Cache-Control": "private, no-store",
        "Content-Disposition": f'attachment; filename="sheet-{game_id}-{chosen.ordinal}.pdf"'})
