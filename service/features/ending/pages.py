"""A game that is over, whole: its end and what was counted, each sheet next to its outcome, and what would
have come of a line that reads otherwise (BEY-03).

For its players; for everybody once all of them agreed. While a game is played every address here answers as
if it did not exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import compress
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup
from sqlalchemy.orm import Session

import maps
from adjudicator.outcome import Resolution
from grammar.print import canonical
from maps.variant import Variant
from service import pictures
from service.facts.events import Event
from service.features.ending import otherwise
from service.games import lots
from service.games.acts.act import Act, ActTable, LoggedEvent, perform
from service.games.approval import papers
from service.games.ballots import executed
from service.games.ending import GameEnd, end_of
from service.games.lines import SettledLine, lines_of
from service.games.options import options_of, with_options
from service.games.phases import phase_title, position_of, resolution_of
from service.games.results import show, show_order
from service.games.rulings import as_played
from service.games.turns import NotReady
from service.letters.facts import GameInfo
from service.letters.language import N_, powers_in_row
from service.letters.set_aside import translatable
from service.notices.attachments import COPY, Enclosure, sheet_copies
from service.notices.ending import game_over_facts
from service.notices.results_facts import concerned
from service.public import visits
from service.public.page import language_of, show as show_page
from service.public.visits import VisitingPlayer
from service.store import records
from service.store.tables import GameRow, PhaseRow, PhaseState
from service.web.access import PUBLIC
from service.web.ports import DeskPorts
from service.web.public_limits import DrawnOnce


@dataclass(frozen=True, slots=True)
class AgreeToShow(Act[tuple[str, ...]]):
    """A player agrees that the public may see the whole of a game that is over, or takes it back. It is open
    once all agree. `powers`: those that the player holds. The outcome is who had agreed before."""

    game: str
    powers: tuple[str, ...]
    agrees: bool

    def change(self, table: ActTable) -> tuple[str, ...]:
        """Keep the agreement with the game."""
        game = table.game(self.game)
        before = tuple(sorted(options_of(game).opened_by))
        game.options = with_options(game, opened_by=self._after(before))
        return before

    def event(self, table: ActTable, outcome: tuple[str, ...], letters: int) -> LoggedEvent:
        """Who agreed before and who agrees now, as an option that was changed."""
        # A player is not a person of the desk; the record's checkers know this act and who does it (C8, C13).
        return LoggedEvent(Event.OPTION_CHANGED, self.game, {
            "option": "opened_by", "from": list(outcome), "to": self._after(outcome),
            "why": f"decided by the player of {', '.join(sorted(self.powers))}"})

    def _after(self, before: tuple[str, ...]) -> list[str]:
        powers = set(before) | set(self.powers) if self.agrees else set(before) - set(self.powers)
        return sorted(powers)


router = APIRouter(dependencies=[PUBLIC])
Visitor = Annotated[VisitingPlayer, Depends(visits.require_player)]
PRIVATE = "private, no-store"
NONE = N_("There is no such page: the game is not over, or it has no such phase.")


@dataclass(frozen=True, slots=True)
class EndedGame:
    """A game that is over: its phases that were judged, its end (None if it ended in a way that no one
    declared), and the seats of the visiting player, none for a stranger."""

    game: GameRow
    variant: Variant
    phases: tuple[PhaseRow, ...]
    end: GameEnd | None
    seats: tuple[str, ...]


@router.get("/public/{game_id}/end")
def page(request: Request, game_id: str) -> Response:
    """How it ended, standings, counts, and links to all of it."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        ended = _ended(request, session, game_id)
        last = ended.phases[-1]
        facts = game_over_facts(session, ended.game, ended.variant, ended.end, last,
                                resolution_of(last))
        chart = pictures.centre_chart(ended.variant, facts.years, facts.chart, language_of(request))
        agreed, asked = _agreed(session, ended.game)
        token = visits.require_player(request).token if ended.seats else ""
        return show_page(
            request, "ending/ending.html", cache=PRIVATE, game=ended.game, facts=facts,
            powers_in_row=partial(powers_in_row, articled=ended.variant.articled), end=ended.end,
            phases=[(row.ordinal, phase_title(row)) for row in ended.phases],
            chart=Markup(chart), seats=ended.seats, token=token,  # noqa: S704 - our own drawing
            agrees=bool(ended.seats) and set(ended.seats) <= agreed, agreed=len(agreed & asked),
            asked=len(asked))


@router.get("/public/{game_id}/end/{number}")
def phase(request: Request, game_id: str, number: int) -> Response:
    """One phase: each power's sheet next to what became of its orders."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        ended = _ended(request, session, game_id)
        row, resolution = _phase(ended, number)
        copies = _copies(ports, session, ended, row)
        set_aside = translatable(papers.set_aside(session, row, ended.variant))
        by_power = {shown.power: shown for shown in show(
            ended.variant, resolution, _lines(session, row), set_aside)}
        orders = [(index, outcome.order.power) for index, outcome in enumerate(resolution.outcomes)]
        powers = [
            (power, by_power[power.name],
             [name for name in copies if name.startswith(f"sheet-{_slug(power.id)}-")],
             [index for index, owner in orders if owner == power.id])
            for power in ended.variant.powers.values()]
        # A power that owed orders and sent none is part of what happened; one that owed none has no section.
        due = concerned(row, ended.variant)
        has_part = [bool(shown.orders or shown.sheet or copies_of or shown.set_aside or power.name in due)
                    for power, shown, copies_of, _ in powers]
        numbers = [each.ordinal for each in ended.phases]
        return show_page(
            request, "ending/phase.html", cache=PRIVATE, game=ended.game, title_of=phase_title(row),
            number=number, powers=list(compress(powers, has_part)),
            not_due=[each[0].name for each, part in zip(powers, has_part, strict=True) if not part],
            before=max((each for each in numbers if each < number), default=None),
            after=min((each for each in numbers if each > number), default=None))


@router.get("/public/{game_id}/end/{number}/{name}.png")
def copy(request: Request, game_id: str, number: int, name: str) -> Response:
    """The copy of a sheet that counted, without its writer's name."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        ended = _ended(request, session, game_id)
        row, _ = _phase(ended, number)
        if not COPY.fullmatch(f"{name}.png"):
            raise HTTPException(404, NONE)
        draw = _copies(ports, session, ended, row).get(f"{name}.png")
        if draw is None:
            raise HTTPException(404, NONE)
        drawn: DrawnOnce = request.app.state.drawn
        try:
            data = drawn.get(("end", game_id, number, name), lambda: draw.drawn()[0].data)
        except NotReady as fault:
            raise HTTPException(503, N_(
                "This picture cannot be shown now. Everything else is safe.")) from fault
    return Response(data, media_type="image/png", headers={"Cache-Control": PRIVATE})


@router.get("/public/{game_id}/end/{number}/otherwise/{index}")
def had_it_read_otherwise(
    request: Request, game_id: str, number: int, index: int, words: str = ""
) -> Response:
    """The phase judged again with one order changed, and what would have fared otherwise: fancy, and kept
    nowhere."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        ended = _ended(request, session, game_id)
        row, resolution = _phase(ended, number)
        if not 0 <= index < len(resolution.outcomes):
            raise HTTPException(404, NONE)
        variant = as_played(ended.variant, options_of(ended.game))
        tape = lots.tape_of(session, row, variant.rules.LOTS)
        before = position_of(row)
        was = resolution.outcomes[index]
        fancy = otherwise.fancied(variant, before, resolution, index, words, tape) if words.strip() else None
        return show_page(
            request, "ending/otherwise.html", cache=PRIVATE, game=ended.game, title_of=phase_title(row),
            number=number, index=index, fancy=fancy,
            words=words[:otherwise.LONGEST] or canonical(was.order, variant.board),
            was=show_order(variant, was), power=variant.powers[was.order.power].name)


@router.post("/public/{game_id}/end/agree")
def agree(
    request: Request, visitor: Visitor, game_id: str, csrf: Annotated[str, Form()],
    agrees: Annotated[str, Form()] = "",
) -> Response:
    """A player agrees that the public may see the whole game, or takes it back. It is open once all agree."""
    ports: DeskPorts = request.app.state.ports
    visits.check(visitor, csrf)
    with ports.sessions.begin() as session:
        _ended(request, session, game_id)
        seats = tuple(visits.seat_of(session, visitor, game_id))
        perform(AgreeToShow(game_id, seats, bool(agrees)),
                ports.act_table(session, "galloper, for a player"))
    return RedirectResponse(f"/public/{game_id}/end", status_code=303)


def _lines(session: Session, row: PhaseRow) -> dict[str, list[SettledLine]]:
    """The lines of each power's sheet that counted."""
    chosen = executed(session, row)
    by_sheet = lines_of(session, list(chosen.values()))
    return {power: by_sheet[key] for power, key in chosen.items()}


def _ended(request: Request, session: Session, game_id: str) -> EndedGame:
    """The game, if it is over and may be seen. Raises 404, and 403 for who may not see it."""
    ports: DeskPorts = request.app.state.ports
    game = session.get(GameRow, game_id)
    if game is None:
        raise HTTPException(404, NONE)
    agreed, asked = _agreed(session, game)
    seats: tuple[str, ...] = ()
    if visits.visiting(session, request, ports.clock.now()) is not None:
        try:
            seats = tuple(visits.seat_of(session, visits.require_player(request), game_id))
        except HTTPException:
            seats = ()
    rows = records.phases(session, game_id)
    over = all(row.state == PhaseState.SENT for row in rows)
    if not seats and not (over and asked and asked <= agreed):
        visitor = visits.require_player(request)
        visits.seat_of(session, visitor, game_id)
    judged = tuple(row for row in rows if row.resolution is not None and row.position is not None)
    if not over or not judged:
        raise HTTPException(404, NONE)
    variant = maps.load(game.variant)
    return EndedGame(game, variant, judged, end_of(session, game, variant), seats)


def _agreed(session: Session, game: GameRow) -> tuple[set[str], set[str]]:
    """The powers whose players agreed, and all that have a player."""
    asked = {power for power, player in records.seats(session, game.id).items() if player is not None}
    return set(options_of(game).opened_by), asked


def _phase(ended: EndedGame, number: int) -> tuple[PhaseRow, Resolution]:
    row = next((row for row in ended.phases if row.ordinal == number), None)
    if row is None:
        raise HTTPException(404, NONE)
    return row, resolution_of(row)


def _copies(ports: DeskPorts, session: Session, ended: EndedGame, row: PhaseRow) -> dict[str, Enclosure]:
    """The copies of a phase's sheets by name; nothing is drawn yet."""
    info = GameInfo(ended.game.id, ended.game.name, ended.variant.title, "", "")
    return {file.name: file for file in sheet_copies(session, ports.blobs, row, ended.variant, info)}


def _slug(power: str) -> str:
    return power.lower().replace(" ", "-")
