"""What a coordinator does to a whole game: begin it, move a deadline, roll a phase back, change an option."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy.orm import Session

import maps
from maps.variant import Variant
from service.config import ConfigError
from service.desk.queries import work
from service.games import create
from service.games.agreement import Stage
from service.games.create import GameSeat, NewGame
from service.games.deadlines import schedule
from service.games.options import COMMANDS, FIRST_COUNTS, GAZETTE, PLAIN_GAZETTE, TYPED
from service.games.refused import Refused as ActRefused
from service.games.refused import reason_of
from service.games.rulings import languages_option
from service.games.turns import extend_calendar
from service.intake.sheets.read_submission import THRESHOLD
from service.store.addresses import is_address
from service.store.records import log_event, phases
from service.store.tables import GameRow, PhaseState, ReviewMode

OPTIONS: dict[str, str] = {
    TYPED: ("Orders may be typed into the mail instead of written by hand: the words in bold type count as a "
            "sheet"),
    FIRST_COUNTS: "The first sheet of a power counts in each phase, and later ones do not replace it",
    COMMANDS: ("Players may write STATUS, SHEET, MAP, RESULTS or HELP as a subject and are answered at once, "
               "five times a day"),
    "post_first": "The first movement orders of a power must come by post (strict games)",
    "reading": ("A receipt shows its sender each line as the machine read it, with a picture; it is sent "
                "once the sheet has been read"),
    GAZETTE: ("Each game year ends with a gazette, told from the results alone, in the letter and as a "
              "printed page"),
    PLAIN_GAZETTE: "The gazette leaves out weather and omens",
    "units_on_map": ("The map at a year's end, which everybody can see, shows the units too, not only who "
                     "holds what"),
}
"""The yes-or-no options of a game, each with its words."""
REVIEW = "review"
REVIEW_WORDS: dict[ReviewMode, str] = {
    ReviewMode.NONE: "One person reads a line",
    ReviewMode.DOUBTFUL: ("Two people read each doubtful line, the second without seeing what the first one "
                          "read"),
    ReviewMode.ALL: "Two people read every line, the second without seeing what the first one read",
}
"""Who reads lines: the option's values with their words (desk plan, "Two-person review")."""
THRESHOLDS: dict[str, str] = {
    "": "as sure as the site asks", "0.9": "at least 90 per cent sure", "0.95": "at least 95 per cent sure",
    "0.99": "at least 99 per cent sure", "2": "never: a person reads every line",
}
"""How sure the machine must be to accept a line automatically: the option's values with their words. A game
cannot go below the site's own setting."""


@dataclass(frozen=True, slots=True)
class NewGameForm:
    """A new game as typed into the form, so that the form can be shown again beside its faults."""

    name: str = ""
    start: str = ""
    variant: str = ""
    zone: str = "Europe/London"
    players: Mapping[str, tuple[str, str]] | None = None
    options: frozenset[str] = frozenset()
    languages: tuple[str, ...] = ()
    review: str = ReviewMode.NONE
    threshold: str = ""


def begin(session: Session, form: NewGameForm, own_address: str, by: str, now: datetime) -> str:
    """Create a game with its first phase open and the rest of its year waiting; returns its id. Raises
    ActRefused with every fault."""
    variant = maps.load(form.variant)
    new, faults = _game(form, variant, own_address)
    if faults or new is None:
        raise ActRefused("No game was created. " + " ".join(faults))
    first = schedule(new.start, variant.calendar, variant.start.phase, 1)[0]
    # Its first phase would close at once, with nobody's orders.
    if first.deadline <= now:
        raise ActRefused(
            f"No game was created. The first deadline, {first.deadline:%a %-d %b %Y, %H:%M} GMT, is past: "
            "choose a later day."
        )
    try:
        create.create(session, new, variant, first, now)
    except ConfigError as fault:
        raise ActRefused(f"No game was created: {fault}.") from fault
    # The feed shows a whole year (CAL-16), so the phases to come are rows from the first day.
    extend_calendar(session, session.get_one(GameRow, new.slug), variant)
    log_event(session, now, "game_created", game_id=new.slug, actor=by,
              detail={"options": sorted(form.options), REVIEW: form.review})
    return new.slug


def _game(form: NewGameForm, variant: Variant, own_address: str) -> tuple[NewGame | None, list[str]]:
    faults = []
    if not form.name.strip() or len(form.name) > 200:
        faults.append("The game needs a name of at most 200 letters.")
    try:
        start = date.fromisoformat(form.start)
    except ValueError:
        faults.append("The first day is written like 2027-03-01.")
        start = date.min
    if not create.known_zone(form.zone):
        faults.append(f"The time zone {form.zone!r} is unknown; write it like Europe/London.")
    seats = []
    for power in variant.powers.values():
        name, mail = (form.players or {}).get(power.id, ("", ""))
        # Addresses are compared with a mail's sender in lower case.
        addresses = tuple(address.lower() for address in mail.replace(",", " ").split())
        if not name.strip():
            faults.append(f"{power.name} has no player.")
        if not addresses:
            faults.append(f"{power.name} has no mail address.")
        seats.append(GameSeat(power.id, name.strip(), form.zone, addresses))
    faults += _address_faults(seats, own_address)
    if form.review not in set(ReviewMode) or form.threshold not in THRESHOLDS:
        faults.append("Choose one of the ways of reading lines.")
    if faults:
        return None, faults
    return NewGame(form.name.strip(), variant.slug, start, seats, (), _options(form)), []


def _options(form: NewGameForm) -> dict[str, Any]:
    options: dict[str, Any] = dict.fromkeys(sorted(form.options & OPTIONS.keys()), True)
    options |= languages_option(form.languages)
    if form.review != ReviewMode.NONE:
        options[REVIEW] = form.review
    if form.threshold:
        options[THRESHOLD] = float(form.threshold)
    return options


def _address_faults(seats: Sequence[GameSeat], own_address: str) -> Iterable[str]:
    owner: dict[str, str] = {}
    for seat in seats:
        for mail in seat.mail:
            if not is_address(mail):
                yield f"{mail!r} is no mail address."
            elif mail == own_address.lower():
                yield f"{mail} is this site's own address."
            # A mail is routed by its sender, so one address cannot belong to two players.
            elif owner.setdefault(mail, seat.player) != seat.player:
                yield f"{mail} is given to both {owner[mail]} and {seat.player}."


def set_option(
    session: Session, game: GameRow, name: str, why: str, *, value: bool, by: str, now: datetime
) -> None:
    """Change an option of a running game and log it. Raises ActRefused."""
    why = reason_of(why)
    if name not in OPTIONS:
        raise ActRefused("Nothing was changed: there is no such option.")
    before = bool(game.options.get(name, False))
    if before == value:
        raise ActRefused("Nothing was changed: the option has this value already.")
    game.options = {**game.options, name: value}
    log_event(session, now, "option_changed", game_id=game.id, actor=by,
              detail={"option": name, "from": before, "to": value, "why": why})


def set_threshold(session: Session, game: GameRow, value: str, why: str, *, by: str, now: datetime) -> None:
    """Change how sure the machine must be to accept a line, for sheets that come from now on, and log it.
    Raises ActRefused."""
    why = reason_of(why)
    if value not in THRESHOLDS:
        raise ActRefused("Nothing was changed: there is no such threshold.")
    before = threshold(game)
    if before == value:
        raise ActRefused("Nothing was changed: the option has this value already.")
    # Without an entry the site's own threshold holds, also if that is changed later.
    other_options = {name: value for name, value in game.options.items() if name != THRESHOLD}
    game.options = other_options | ({THRESHOLD: float(value)} if value else {})
    log_event(session, now, "option_changed", game_id=game.id, actor=by,
              detail={"option": "lines_without_a_look", "from": THRESHOLDS[before], "to": THRESHOLDS[value],
                      "why": why})


def threshold(game: GameRow) -> str:
    """The game's threshold as a key of THRESHOLDS."""
    stored = game.options.get(THRESHOLD)
    return next((key for key in THRESHOLDS if key and stored is not None and float(key) == float(stored)), "")


def set_review(session: Session, game: GameRow, value: str, why: str, *, by: str, now: datetime) -> None:
    """Change who reads lines, for all phases that are not judged yet, and log it. Raises ActRefused, also
    while two people have read a line differently: no option decides which of them is right."""
    why = reason_of(why)
    if value not in set(ReviewMode):
        raise ActRefused("Nothing was changed: there is no such way of reading lines.")
    before = str(game.options.get(REVIEW, ReviewMode.NONE))
    if before == value:
        raise ActRefused("Nothing was changed: the option has this value already.")
    rows = [
        phase for phase in phases(session, game.id) if phase.state not in {PhaseState.READY, PhaseState.SENT}
    ]
    for phase in rows:
        if any(work_line.line.stage is Stage.DIFFERS for work_line in work(session, phase)):
            raise ActRefused(
                "Nothing was changed: two people have read a line differently. Settle it at the desk or "
                "close it as void first; no option decides which of them is right."
            )
    for phase in rows:
        phase.review = value
    game.options = {**game.options, REVIEW: value}
    log_event(session, now, "option_changed", game_id=game.id, actor=by,
              detail={"option": REVIEW, "from": before, "to": value, "why": why})
