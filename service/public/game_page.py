"""A game's public page, with links to everything a player may need, and its blank order sheets to print
(POST-07). It shows no more than the calendar and the map do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy import select
from sqlalchemy.orm import Session, defer

from adjudicator.calendar import Phase
from adjudicator.serialize import codec
from service import pictures
from service.games import rulings
from service.games.ballots import next_version
from service.games.ending import is_over
from service.games.options import options_of
from service.games.phases import next_phase, phase_of, phases_in_play
from service.intake.verdicts.explanations import canonical_subject
from service.letters.form import mail_link
from service.letters.language import N_, phase_words
from service.notices import order_sheets
from service.notices.order_sheets import SheetReader
from service.pictures import SheetPaper
from service.public import visits
from service.public.page import language_of, show
from service.store import records
from service.store.tables import GameRow, PhaseRow, PhaseState
from service.web.access import PUBLIC
from service.web.ports import DeskPorts

router = APIRouter(dependencies=[PUBLIC])


class SheetSize(StrEnum):
    """The papers that a sheet can be printed on."""

    A4 = "a4"
    LETTER = "letter"


_PAPERS = {SheetSize.A4: SheetPaper.A4, SheetSize.LETTER: SheetPaper.LETTER}
UNKNOWN = N_("There is no such game here. Check the address in your letters.")


@router.get("/public/{game_id}")
def index(request: Request, game_id: str) -> Response:
    """The game's pages for anyone, and those for its players."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        game = _game(session, game_id)
        phases = _ahead(session, game_id)
        # Powers without their players: who plays what is for the players of the game (LIST-05).
        powers = [
            (power, ports.power_name(game.variant, power))
            for power in sorted(records.seats(session, game_id))
        ]
        address, mails = _mails(request, ports, session, game, _rows_ahead(session, game_id)[:1])
        following = next_phase(session, game_id)
        return show(request, "game.html", game=game, powers=powers, rules=rulings.path_of(game.variant),
                    phases=[(index, phase_words(phase)) for index, phase in phases], mails=mails,
                    order_address=address, in_play=phases_in_play(session, game_id), name_of=dict(powers),
                    words_of=lambda row: phase_words(phase_of(row)), following=following,
                    last=_last_results(session, game_id), options=options_of(game),
                    is_over=is_over(records.phases(session, game_id)),
                    # Who has sent is for those who play; a stranger does not even see how many.
                    is_player=_is_player(request, ports, session, game_id))


@router.get("/public/{game_id}/sheets.pdf")
def sheets(
    request: Request, game_id: str, power: str = "", phase: int = 0, paper: SheetSize = SheetSize.A4,
    *, units: bool = False,
) -> Response:
    """Order sheets with their heading filled in: of one power or of all, for the phase in play or a later
    one. `units`: with the names of the units, on the sheet of the visiting player's own power for the phase
    in play. Raises 404 for an unknown power or phase."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        game = _game(session, game_id)
        ahead = {row.ordinal: row for row in _rows_ahead(session, game_id)}
        seats = sorted(records.seats(session, game_id))
        # No sheet for a phase that takes no orders: it could only be sent in too late.
        if not ahead or (phase and phase not in ahead) or (power and power not in seats):
            raise HTTPException(404, N_(
                "There is no such sheet: the game is over, or it has no such power or phase."))
        chosen = ahead[phase] if phase else next(iter(ahead.values()))
        # Anyone who is not a player may print a sheet too, and learns no address by it.
        address, _ = _mails(request, ports, session, game, [])
        # Where a unit stands may be hidden from others, so only its own player has it printed.
        position = (codec.load_position(chosen.position) if units and chosen.position is not None
                    and power in _own_powers(request, ports, session, game_id) else None)
        variant = ports.load(game.variant)
        blanks = [
            replace(blank, units=order_sheets.names_under_rules(variant, phase_of(chosen), position, power))
            for blank in order_sheets.blanks(
                variant, game.id, game.name, phase_of(chosen), None, [power] if power else seats,
                SheetReader(language_of(request), address=address), deadline=chosen.deadline)]
    pdf = pictures.sheets_pdf([replace(blank, paper=_PAPERS[paper]) for blank in blanks])
    return Response(pdf, media_type="application/pdf", headers={"Cache-Control": "private, max-age=300"})


def _mails(
    request: Request, ports: DeskPorts, session: Session, game: GameRow, phases: Sequence[PhaseRow]
) -> tuple[str, list[tuple[str, str]]]:
    """The address for orders, and for each power of the visiting player a link that opens a mail to it with
    its subject filled in (LET-08). Empty for everybody else, so that no stranger learns the address here."""
    player = visits.visiting(session, request, ports.clock.now())
    if player is None:
        return "", []
    address = ports.order_address
    names = {power: ports.power_name(game.variant, power)
             for power in _own_powers(request, ports, session, game.id)}
    return address, [
        (name, mail_link(address, canonical_subject(
            game.name, name, phase_of(phase), next_version(session, phase.id, power))))
        for phase in phases for power, name in names.items()]


def _own_powers(request: Request, ports: DeskPorts, session: Session, game_id: str) -> list[str]:
    """The ids of the visiting player's powers; empty for everybody else."""
    player = visits.visiting(session, request, ports.clock.now())
    return [power for power, holder in sorted(records.seats(session, game_id).items())
            if player is not None and holder == player.id]


def _is_player(request: Request, ports: DeskPorts, session: Session, game_id: str) -> bool:
    """Whether a player of this game is on a visit."""
    player = visits.visiting(session, request, ports.clock.now())
    return player is not None and player.id in records.seats(session, game_id).values()


def _last_results(session: Session, game_id: str) -> PhaseRow | None:
    """The phase whose results were sent last, without its board."""
    return session.scalars(
        select(PhaseRow).where(PhaseRow.game_id == game_id, PhaseRow.state == PhaseState.SENT,
                               PhaseRow.resolution.is_not(None))
        .options(defer(PhaseRow.position), defer(PhaseRow.resolution))
        .order_by(PhaseRow.ordinal.desc()).limit(1)).first()


def _game(session: Session, game_id: str) -> GameRow:
    game = session.get(GameRow, game_id)
    if game is None:
        raise HTTPException(404, UNKNOWN)
    return game


def _ahead(session: Session, game_id: str) -> list[tuple[int, Phase]]:
    """The phases that take orders now or later, each with its number in the game."""
    return [(row.ordinal, phase_of(row)) for row in _rows_ahead(session, game_id)]


def _rows_ahead(session: Session, game_id: str) -> list[PhaseRow]:
    return [row for row in records.phases(session, game_id)
            if row.state in {PhaseState.OPEN, PhaseState.WAITING}]
