"""What a coordinator does to a whole game: begin it, move a deadline, roll a phase back, change an option."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy.orm import Session

import maps
from maps.variant import Variant
from service.config import ConfigError
from service.desk.queries import work
from service.desk.sheet.acts import ActRefused, back_to_desk, reason_of
from service.facts.events import Event
from service.facts.options import THRESHOLDS, YES_OR_NO, GameOptions, ReviewMode, threshold_words
from service.games import create, extensions, mailbox_waits
from service.games.agreement import Stage
from service.games.begin import begin_game
from service.games.create import GameSeat, NewGame
from service.games.deadlines import DeadlineError, DeadlineExtension
from service.games.options import OptionFault, option_from_text, options_of, with_options
from service.notices.broadcasts import Broadcasts
from service.site_folder import is_address
from service.store.records import log_event, phases
from service.store.tables import GameRow, PhaseRow, PhaseState


def threshold_choice(score: float | None) -> str:
    """The option `auto_score` as a form has it."""
    return "" if score is None else f"{score:g}"


THRESHOLD_CHOICES: dict[str, str] = {threshold_choice(score): words for score, words in THRESHOLDS.items()}
"""How sure the machine must be to accept a line automatically: the form's values with their words. A game
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
    try:
        begin_game(session, new, variant, by=by, now=now)
    except ConfigError as fault:
        raise ActRefused(f"No game was created: {fault}.") from fault
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
    if form.review not in set(ReviewMode) or form.threshold not in THRESHOLD_CHOICES:
        faults.append("Choose one of the ways of reading lines.")
    if faults:
        return None, faults
    return NewGame(form.name.strip(), variant.slug, start, seats, (), _options(form)), []


def _options(form: NewGameForm) -> GameOptions:
    options: dict[str, Any] = dict.fromkeys(sorted(form.options & YES_OR_NO.keys()), True)
    options |= {"order_languages": form.languages} if form.languages else {}
    options |= {"review": form.review} if form.review != ReviewMode.NONE else {}
    options |= {"auto_score": float(form.threshold)} if form.threshold else {}
    return GameOptions(**options)


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


def move(
    session: Session, phase: PhaseRow, day: str, hour: str, why: str, *, later: bool, by: str, now: datetime
) -> DeadlineExtension:
    """Move a deadline that is still to come, `day` and `hour` in GMT (CAL-14, CAL-15); returns the change.
    Raises ActRefused."""
    try:
        # Times of the desk are GMT; players see their own zone in letters.
        deadline = datetime.fromisoformat(f"{day}T{hour or '07:00'}").replace(tzinfo=UTC)
    except ValueError as fault:
        raise ActRefused(
            "Nothing was changed: the new deadline is written as a day like 2027-03-14 and an hour like "
            "07:00, both in GMT."
        ) from fault
    try:
        return extensions.move_deadline(
            session, phase.id, deadline, reason_of(why), shift_later=later, by=by, now=now
        )
    except DeadlineError as fault:
        sentence = str(fault)
        raise ActRefused(
            sentence if "Nothing was changed" in sentence else f"Nothing was changed: {sentence}."
        ) from fault


def move_year(
    session: Session, phase: PhaseRow, day: str, why: str, *, by: str, now: datetime
) -> DeadlineExtension:
    """Move the first day of a year that has not begun (Q-10); returns the change. Raises ActRefused."""
    try:
        first = date.fromisoformat(day)
    except ValueError as fault:
        raise ActRefused("Nothing was changed: the new first day is written like 2027-03-14.") from fault
    try:
        return extensions.move_year(session, phase.id, first, reason_of(why), by=by, now=now)
    except DeadlineError as fault:
        sentence = str(fault)
        raise ActRefused(
            sentence if "Nothing was changed" in sentence else f"Nothing was changed: {sentence}."
        ) from fault


def move_and_tell(
    session: Session, phase: PhaseRow, day: str, hour: str, why: str, *, later: bool, by: str, now: datetime,
    circulars: Broadcasts | None,
) -> tuple[DeadlineExtension, int]:
    """Move a deadline (`move`) and write to every player in the same transaction (OUT-12); the change and the
    number of letters. Without `circulars` nobody is told. Raises ActRefused."""
    extension = move(session, phase, day, hour, why, later=later, by=by, now=now)
    if circulars is None:
        return extension, 0
    session.refresh(phase)
    return extension, circulars.deadline_moved(session, phase, extension)


def judge_without(session: Session, phase: PhaseRow, why: str, by: str, now: datetime) -> None:
    """Let a phase that waits for the mailbox close without what may still be in it. Raises ActRefused."""
    if not mailbox_waits.waive(session, phase, by, reason_of(why), now):
        raise ActRefused("Nothing was changed: this phase does not wait for the mailbox, or somebody has "
                         "decided already.")


def roll_back(session: Session, phase: PhaseRow, why: str, by: str, now: datetime) -> None:
    """Take a judged phase whose results were not sent back to the desk; every decision is kept. Raises
    ActRefused."""
    why = reason_of(why)
    if not back_to_desk(session, phase):
        raise ActRefused(
            "Nothing was changed: only a phase that is judged and not sent can be rolled back. What was sent "
            "does not change; a correction puts an error right."
        )
    log_event(session, now, Event.PHASE_ROLLED_BACK, game_id=phase.game_id, actor=by,
              detail={"phase_id": phase.id, "why": why})


def change_option(
    session: Session, game: GameRow, name: str, text: str, why: str, *, by: str, now: datetime
) -> None:
    """Change any option of a running game, as a person writes its value (`option_from_text`), and log it.
    Raises ActRefused, also for an option that is settled when the game begins."""
    try:
        value = option_from_text(name, text)
    except OptionFault as fault:
        raise ActRefused(f"Nothing was changed: {fault}.") from fault
    match name:
        case "review":
            set_review(session, game, text, why, by=by, now=now)
        case "auto_score":
            set_threshold(session, game, text, why, by=by, now=now)
        case _:
            set_option(session, game, name, why, value=bool(value), by=by, now=now)


def set_option(
    session: Session, game: GameRow, name: str, why: str, *, value: bool, by: str, now: datetime
) -> None:
    """Switch an option of a running game on or off and log it. Raises ActRefused."""
    why = reason_of(why)
    if name not in YES_OR_NO:
        raise ActRefused("Nothing was changed: there is no such option.")
    before = getattr(options_of(game), name)
    if before == value:
        raise ActRefused("Nothing was changed: the option has this value already.")
    game.options = with_options(game, **{name: value})
    log_event(session, now, Event.OPTION_CHANGED, game_id=game.id, actor=by,
              detail={"option": name, "from": before, "to": value, "why": why})


def set_threshold(session: Session, game: GameRow, value: str, why: str, *, by: str, now: datetime) -> None:
    """Change how sure the machine must be to accept a line, for sheets that come from now on, and log it.
    Raises ActRefused."""
    why = reason_of(why)
    if value not in THRESHOLD_CHOICES:
        raise ActRefused("Nothing was changed: there is no such threshold.")
    before, after = options_of(game).auto_score, float(value) if value else None
    if before == after:
        raise ActRefused("Nothing was changed: the option has this value already.")
    # Without an entry the site's own threshold holds, also if that is changed later.
    game.options = with_options(game, auto_score=after)
    log_event(session, now, Event.OPTION_CHANGED, game_id=game.id, actor=by,
              detail={"option": "lines_without_a_look", "from": threshold_words(before),
                      "to": threshold_words(after), "why": why})


def set_review(session: Session, game: GameRow, value: str, why: str, *, by: str, now: datetime) -> None:
    """Change who reads lines, for all phases that are not judged yet, and log it. Raises ActRefused, also
    while two people have read a line differently: no option decides which of them is right."""
    why = reason_of(why)
    if value not in set(ReviewMode):
        raise ActRefused("Nothing was changed: there is no such way of reading lines.")
    before = options_of(game).review
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
    game.options = with_options(game, review=value)
    log_event(session, now, Event.OPTION_CHANGED, game_id=game.id, actor=by,
              detail={"option": "review", "from": before, "to": value, "why": why})
