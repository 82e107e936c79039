"""The Games pages: begin a game, show one, move a deadline, roll a judged phase back, change an option."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import select
from starlette.concurrency import run_in_threadpool

import maps
from grammar.fragments.languages import LANGUAGES
from maps.loader import variants
from service.desk import log_words
from service.desk.games import acts, seat_acts
from service.desk.games.acts import THRESHOLD_CHOICES, NewGameForm, threshold_choice
from service.desk.games.boards import titles
from service.desk.games.seats import welcome
from service.desk.queries import CLOCK_ONLY, phases_to_come
from service.facts.events import Event
from service.facts.options import REVIEW_WORDS, YES_OR_NO, ReviewMode, threshold_words
from service.games import draw_votes, mailbox_waits
from service.games.acts.act import ActTable, perform
from service.games.acts.deadlines import GoAway, MoveDeadline, MoveYear, begins_year
from service.games.acts.ending import DeclareEnd
from service.games.acts.games import ChangeOption
from service.games.acts.phases import JudgeWithoutMailbox, RollBack
from service.games.asking import unasked
from service.games.ending import EndKind
from service.games.names import pseudonym
from service.games.options import options_of
from service.games.phases import next_phase, phase_title, phases_in_play
from service.games.refused import Refused
from service.games.turns import JUDGEABLE
from service.mail.sending.failed import failed_addresses
from service.notices import announcements
from service.store import records
from service.store.addresses import provider_of
from service.store.columns import row_number
from service.store.tables import AddressRow, EventRow, PhaseRow, PhaseState, PlayerRow
from service.web.access import COORDINATOR, OWN_GAMES, SITE
from service.web.acting import carry_out, game_row, or_refuse
from service.web.look import look_then_do
from service.web.page import require_token, require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter()
SignedIn = Annotated[Visitor, Depends(require_visitor)]
Trusted = Annotated[Visitor, Depends(require_token)]
MOVABLE = (PhaseState.OPEN, PhaseState.WAITING)
YEAR = "year "
"""Begins the value of a year in the form that moves deadlines; the id of its first phase follows."""
HISTORY = (
    Event.OPTION_CHANGED, Event.GAME_CREATED, Event.DEADLINE_MOVED, Event.YEAR_MOVED, Event.PHASE_ROLLED_BACK,
    Event.ADDRESS_ADDED, Event.ADDRESS_REMOVED, Event.SEAT_CHANGED, Event.UPLOAD_LINK_MADE,
    Event.ABSENCE_ANNOUNCED, Event.ABSENCE_ENDED, Event.GAME_PAUSED, Event.COORDINATOR_AWAY,
    Event.UPLOAD_LINK_ENDED, Event.UPLOAD_LINKS_ENDED, *mailbox_waits.EVENTS)
"""Events that the game's page lists."""


END_WORDS: dict[EndKind, str] = {
    EndKind.DRAW: "A draw between these powers, as all who play on agreed",
    EndKind.CONCESSION: "The others concede to this power",
}
"""Possible declarations, each with its words."""


@router.get("/games", dependencies=[OWN_GAMES])
def games(request: Request, visitor: SignedIn) -> Response:
    """Every game with the phase in play."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        games_shown = [
            (game, next(iter(phases_to_come(session, game.id, 1)), None))
            for game in records.games(session)
            if visitor.coordinates is None or game.id in visitor.coordinates
        ]
        return show(request, "games.html", visitor=visitor, notice="", games=games_shown,
                    title_of=phase_title, boards=titles())


@router.get("/games/new", dependencies=[SITE])
def new(request: Request, visitor: SignedIn, variant: str = "") -> Response:
    """The form of a new game on one board."""
    return _form(request, visitor, NewGameForm(variant=variant or variants()[0]))


@router.post("/games/new", dependencies=[SITE])
async def create(request: Request, visitor: Trusted) -> Response:
    """Begin the game, or show the form again with everything that is wrong; then nothing was written."""
    # The fields depend on the board: a name and an address for each of its powers.
    sent = {key: str(value) for key, value in (await request.form()).items()}
    # Creating a game loads its board and writes letters; other requests go on meanwhile.
    return await run_in_threadpool(_create, request, visitor, sent)


def _create(request: Request, visitor: Visitor, sent: Mapping[str, str]) -> Response:
    ports: DeskPorts = request.app.state.ports
    form = NewGameForm(
        name=sent.get("name", ""), start=sent.get("start", ""), variant=sent.get("variant", ""),
        zone=sent.get("zone", "").strip(), options=frozenset(key for key in YES_OR_NO if sent.get(key)),
        languages=tuple(name for name in LANGUAGES if sent.get(f"language:{name}")),
        review=sent.get("review", ReviewMode.NONE), threshold=sent.get("threshold", ""),
        players={key.removeprefix("player:"): (value, sent.get(f"mail:{key.removeprefix('player:')}", ""))
                 for key, value in sent.items() if key.startswith("player:")})
    if form.variant not in variants():
        raise HTTPException(400, "No game was created: there is no such board. Go back and choose a board.")
    try:
        with ports.sessions.begin() as session:
            slug = acts.begin(session, form, ports.order_address, visitor.name, ports.clock.now())
    except Refused as fault:
        return _form(request, visitor, form, str(fault), 400)
    # The game is committed before its letters are written, so a letter that fails loses no game.
    notice = "created" if welcome(ports, slug) else "created-untold"
    return RedirectResponse(f"/games/{slug}?notice={notice}", status_code=303)


ABOUT_PLAYERS = frozenset({"address", "address-removed", "seat", "seat-empty", "seat-untold"})
"""Notices of acts behind the task of players, which stays open after them."""


@router.get("/games/{game_id}", dependencies=[COORDINATOR])
def game(request: Request, visitor: SignedIn, game_id: str, notice: str = "", task: str = "") -> Response:
    """One game: its phase, who has sent, the clock and the next act; behind them the tasks, players,
    deadlines, options and their history, of which `task` is open (DSK-02)."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        row = game_row(session, game_id)
        seats = [
            (
                power,
                ports.power_name(row.variant, power),
                None if key is None else session.get_one(PlayerRow, key),
                []
                if key is None
                else session.scalars(
                    select(AddressRow.email).where(AddressRow.player_id == key).order_by(AddressRow.email)
                ).all(),
            )
            for power, key in sorted(records.seats(session, game_id).items())
        ]
        phases = phases_to_come(session, game_id)
        # Without boards: the form that moves a year once read whole phases.
        rows = session.scalars(select(PhaseRow).options(*CLOCK_ONLY).where(PhaseRow.game_id == game_id)
                               .order_by(PhaseRow.ordinal)).all()
        board, game_options = maps.load(row.variant), options_of(row)
        years = [
            phase_row.id
            for before, phase_row in zip([None, *rows], rows, strict=False)
            if phase_row.state == PhaseState.WAITING
            and phase_row.opens_at > ports.clock.now()
            and begins_year(before, board.calendar)
        ]
        # Options come with their history (desk plan, page Games): who changed what, from which value, and
        # why.
        history = session.scalars(
            select(EventRow)
            .where(EventRow.game_id == game_id, EventRow.what.in_(HISTORY))
            .order_by(EventRow.id.desc())
        ).all()
        called = {pseudonym(player): player.name for player in session.scalars(select(PlayerRow))}
        unasked_phases = {phase.id for phase in rows if phase.state in JUDGEABLE
                          and unasked(session, phase, board)}
        return show(request, "game.html", visitor=visitor, notice=notice, game=row, board=board.title,
                    task=task or ("players" if notice in ABOUT_PLAYERS else ""),
                    called=called,
                    in_play=phases_in_play(session, game_id),
                    following=next_phase(session, game_id),
                    order_address=ports.order_address, name_of={power: name for power, name, _, _ in seats},
                    seats=seats, failing={address.address: address for address in failed_addresses(session)},
                    spelled={mail: provider.words for *_, mails in seats for mail in mails
                             if (provider := provider_of(mail)) is not None},
                    phases=phases, years=years, title_of=phase_title,
                    options=YES_OR_NO, switched=game_options,
                    switched_on=sum(getattr(game_options, name) for name in YES_OR_NO),
                    languages=[LANGUAGES[name].title for name in game_options.order_languages],
                    history=log_words.in_words(session, history, ports.power_name, lambda _: []),
                    movable=[phase for phase in phases
                             if phase.state in MOVABLE or phase.id in unasked_phases],
                    ready=PhaseState.READY,
                    waits={phase.id: wait for phase, wait in mailbox_waits.all_standing(session)},
                    reviews=REVIEW_WORDS,
                    waiting=seat_acts.candidates(session, game_id),
                    absences=[(absence, session.get_one(PlayerRow, absence.player_id).name) for absence in
                              announcements.absences(session, game_id, ports.clock.now().date())],
                    draws=[(phase, votes) for phase in rows
                           if (votes := draw_votes.votes(session, phase)) is not None],
                    agreed=game_options.draw_agreed,
                    thresholds=THRESHOLD_CHOICES,
                    threshold=threshold_choice(game_options.auto_score),
                    threshold_words=threshold_words(game_options.auto_score),
                    review=game_options.review, endings=END_WORDS)


@router.post("/games/{game_id}/move", dependencies=[COORDINATOR])
def move(
    request: Request, visitor: Trusted, game_id: str, phase: Annotated[str, Form()],
    day: Annotated[str, Form()], why: Annotated[str, Form()] = "", hour: Annotated[str, Form()] = "07:00",
    later: Annotated[str, Form()] = "",
) -> Response:
    """Move a deadline, with a reason; `later` moves every later phase too. For `phase` "year 14" the year
    that begins with that phase gets another first day, and moves with it (Q-10). Every player gets a letter
    (OUT-12)."""
    of_year = phase.startswith(YEAR)
    number = row_number(phase.removeprefix(YEAR))
    if of_year:
        return look_then_do(request, visitor, game_id, MoveYear(game_id, number, day, why), "year-moved",
                            "Move the year")
    act = MoveDeadline(game_id, number, day, hour, why, bool(later))
    return look_then_do(request, visitor, game_id, act, "moved", "Move the deadline")


@router.post("/games/{game_id}/away", dependencies=[COORDINATOR])
def go_away(request: Request, visitor: Trusted, game_id: str, first: Annotated[str, Form()],
            last: Annotated[str, Form()]) -> Response:
    """Announce a holiday of the coordinator; deadlines move by its length."""
    act = GoAway(game_id, first, last)
    return look_then_do(request, visitor, game_id, act, "coordinator-away", "Announce the holiday")


@router.post("/games/{game_id}/roll-back", dependencies=[COORDINATOR])
def roll_back(request: Request, visitor: Trusted, game_id: str, phase: Annotated[int, Form()],
              why: Annotated[str, Form()] = "") -> Response:
    """Take a judged phase back to the desk; decisions are stored."""
    return carry_out(request, visitor, game_id, RollBack(game_id, phase, why), "rolled-back")


@router.post("/games/{game_id}/judge-without", dependencies=[COORDINATOR])
def judge_without(request: Request, visitor: Trusted, game_id: str, phase: Annotated[int, Form()],
                  why: Annotated[str, Form()] = "") -> Response:
    """Close a phase that waits for the mailbox without the mails that may still be in it."""
    return carry_out(request, visitor, game_id, JudgeWithoutMailbox(game_id, phase, why), "judged-without")


@router.post("/games/{game_id}/end", dependencies=[COORDINATOR])
def end(
    request: Request, visitor: Trusted, game_id: str, kind: Annotated[str, Form()],
    power: Annotated[list[str] | None, Form()] = None, why: Annotated[str, Form()] = "",
) -> Response:
    """End a game by a draw or a concession, with a reason; every player gets a letter (BEY-03)."""
    act = DeclareEnd(game_id, kind, tuple(power or ()), why)
    return look_then_do(request, visitor, game_id, act, "ended", "End the game")


@router.post("/games/{game_id}/options", dependencies=[COORDINATOR])
def options(
    request: Request, visitor: Trusted, game_id: str, on: Annotated[list[str] | None, Form()] = None,
    review: Annotated[str | None, Form()] = None, threshold: Annotated[str, Form()] = "",
    why: Annotated[str, Form()] = "",
) -> Response:
    """Change the options of a game to what the form shows, each that differs with the same reason, or none of
    them. `on`: the options that are switched on; `review`: which lines two people read, None for as before;
    `threshold`: how sure the machine must be to accept a line automatically, "" for as the site asks."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        table = ports.act_table(session, visitor.name, visitor.coordinates)
        or_refuse(lambda: _change_options(table, game_id, frozenset(on or ()), review, threshold, why))
    return RedirectResponse(f"/games/{game_id}?task=options&notice=option", status_code=303)


def _change_options(
    table: ActTable, game_id: str, on: frozenset[str], review: str | None, threshold: str, why: str
) -> None:
    """Perform an act for each option that has another value now. Raises Refused."""
    now = options_of(table.game(game_id))
    wanted = {name: "yes" if name in on else "no" for name in sorted({*YES_OR_NO, *on})}
    before = {name: "yes" if getattr(now, name, False) else "no" for name in wanted}
    if review is not None:
        wanted["review"], before["review"] = review, str(now.review)
    wanted["auto_score"], before["auto_score"] = threshold, threshold_choice(now.auto_score)
    changed = [name for name in wanted if wanted[name] != before[name]]
    if not changed:
        raise Refused("Nothing was changed: every option has this value already.")
    for name in changed:
        perform(ChangeOption(game_id, name, wanted[name], why), table)


def _form(
    request: Request, visitor: Visitor, form: NewGameForm, fault: str = "", status: int = 200
) -> Response:
    try:
        board = maps.load(form.variant)
    except maps.MapError as error:
        raise HTTPException(404, "There is no such board. Nothing was changed.") from error
    return show(request, "game_new.html", status, visitor=visitor, form=form, fault=fault, options=YES_OR_NO,
                languages=list(LANGUAGES.values()), reviews=REVIEW_WORDS, thresholds=THRESHOLD_CHOICES,
                board=board, powers=list(board.powers.values()), players=form.players or {})
