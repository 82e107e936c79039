"""The games of a site: begin one, look at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from sqlalchemy.orm import Session

import maps
from service.cli.program import faults
from service.cli.program.results import letters_wait, print_result
from service.clock import SystemClock
from service.config import ConfigError, Settings
from service.desk import queries
from service.desk.queries import PhaseView
from service.feature import GameChange
from service.games import create, phases
from service.games.acts.act import ActTable, perform
from service.games.acts.games import BeginGame
from service.games.create import NewGame
from service.games.phases import phase_of
from service.site_folder import opened, settings_of
from service.store import records
from service.store.addresses import is_address
from service.store.blobs import open_blobs
from service.store.engine import Store
from service.store.tables import GameRow, PhaseRow, PhaseState

WHEN = "%a %-d %b %Y, %H:%M GMT"


def create_game(
    folder: Path, file: Path, out: TextIO, *, as_json: bool = False, quiet: bool = False,
    changes: Sequence[GameChange] = (),
) -> int:
    """Begin the game of a TOML file: its first phase open, the rest of its year waiting, each with its
    deadline. `changes` are made of it before, by the options of features.

    Raises ConfigError naming the file and the entry, MapError for the board; then nothing was written.
    """
    settings, now = settings_of(folder), SystemClock().now()
    # Read twice: which powers the file may name is known only when its variant is loaded.
    slug = create.read_game_file(file).variant
    variant = maps.load(slug)
    new = create.read_game_file(file, variant.powers)
    notes = []
    for change in changes:
        new, note = change(new, now, folder)
        notes += [note] if note else []
    faults = list(_address_faults(new, settings))
    if faults:
        raise ConfigError(f"{file}: " + "; ".join(faults))
    with opened(settings) as store:
        # The game first, its welcome after: a letter that cannot be written must not cost the game.
        with store.begin() as session:
            try:
                first = perform(BeginGame(new, variant), ActTable(session, "galloper game new", now)).outcome
            except ConfigError as fault:
                raise ConfigError(f"{file}: {fault}") from fault
            phase, deadline = str(phase_of(first)), first.deadline
            seats = len(new.seats)
        # Once only the desk's form wrote welcomes, and players of a game from a file got none.
        letters, welcome_note = _write_welcome(settings, store, new.slug)
        print_result(
            out, "\n".join([
                f"{new.name} was created: {variant.title}, {seats} powers.",
                f"{phase} is open and closes on {deadline:{WHEN}}.", welcome_note, *notes]),
            {"game": new.slug, "name": new.name, "variant": new.variant, "powers": seats,
             "phase": phase, "deadline": deadline.isoformat(), "letters": letters,
             "rehearsal_hours": new.hours},
            as_json=as_json, quiet=quiet)
    return 0


def _write_welcome(settings: Settings, store: Store, game: str) -> tuple[int | None, str]:
    """Write a welcome to every player (OUT-01); how many letters, None after a fault, and a sentence.
    The game is committed by now: a letter that cannot be written takes nothing back."""
    from service.bootstrap import writer_of
    from service.notices.broadcasts import Broadcasts

    writer = Broadcasts(writer_of(settings, open_blobs(settings), SystemClock()))
    try:
        with store.begin() as session:
            letters = writer.welcome(session, game)
    except Exception as fault:
        reason = faults.sentence_for(fault) or f"the details are in {faults.details_file(fault)}"
        reason = reason.rstrip(".")
        return None, (f"The game was created, but the welcome to its players could not be written "
                      f"({reason}). Inform them yourself.")
    return letters, letters_wait(letters, "welcome")


def _address_faults(new: NewGame, settings: Settings) -> Iterable[str]:
    """Addresses that no mail would be taken from, or that would make two people one."""
    owner: dict[str, str] = {}
    for seat in new.seats:
        for mail in seat.mail:
            if not is_address(mail):
                yield f"player {seat.player}: {mail!r} is not a mail address"
            elif mail == settings.order_address.lower():
                yield f"player {seat.player}: {mail} is Galloper's own order_address"
            elif owner.setdefault(mail, seat.player) != seat.player:
                yield f"player {seat.player}: {mail} is also the address of {owner[mail]}"


def show_games(folder: Path, out: TextIO, *, as_json: bool = False) -> int:
    """A line for each phase in play: its state, its deadline in GMT, and counts. Nothing of what any sheet
    states."""
    with opened(settings_of(folder)) as store, store() as session:
        # Counts only: before the deadline no one may learn what a sheet states.
        known = records.games(session)
        views = queries.phases_now(session)
        for game in known if as_json else ():
            print_result(out, "", _game_json(session, game, views), as_json=True)
        for game in () if as_json else known:
            lines = [_line(view) for view in views if view.game.id == game.id] or [
                _waiting_line(session, game.id)
            ]
            print("\n".join([f"{game.name} ({game.variant})", *(f"  {line}" for line in lines)]), file=out)
    if not known and not as_json:
        print(f"No game yet; create one with: galloper game new {folder} FILE", file=out)
    return 0


def _game_json(session: Session, game: GameRow, views: Sequence[PhaseView]) -> dict[str, Any]:
    """The object of the contract: a game with its phases in play, or the next one to open."""
    in_play = [view for view in views if view.game.id == game.id]
    counts = {view.phase.id: {"sheets": view.sheets.with_sheet, "powers": view.sheets.powers,
                              "unread": view.sheets.unread, "doubtful": view.lines.doubtful}
              for view in in_play}
    rows = [view.phase for view in in_play] or [
        phase for phase in records.phases(session, game.id) if phase.state == PhaseState.WAITING][:1]
    return {
        "game": game.id, "name": game.name, "variant": game.variant, "over": not rows,
        "phases": [{"number": row.ordinal, "phase": phases.phase_title(row), "state": str(row.state),
                    "opens": row.opens_at.isoformat(), "deadline": row.deadline.isoformat(),
                    **counts.get(row.id, {})} for row in rows],
    }


def _line(view: PhaseView) -> str:
    parts = [f"{view.title}: {view.phase.state}", _deadline(view.phase.deadline),
             f"sheets from {view.sheets.with_sheet} of {view.sheets.powers} powers"]
    if view.sheets.unread:
        parts.append(f"{view.sheets.unread} not read yet")
    if view.lines.doubtful:
        parts.append(f"{view.lines.doubtful} line{'' if view.lines.doubtful == 1 else 's'} for the desk")
    return "; ".join(parts)


def _deadline(deadline: datetime) -> str:
    return f"deadline {deadline:{WHEN}}"


def _waiting_line(session: Session, game_id: str) -> str:
    ahead: list[PhaseRow] = [p for p in records.phases(session, game_id) if p.state == PhaseState.WAITING]
    if not ahead:
        return "over"
    return (f"{phases.phase_title(ahead[0])}: opens {ahead[0].opens_at:{WHEN}}; "
            f"{_deadline(ahead[0].deadline)}")
