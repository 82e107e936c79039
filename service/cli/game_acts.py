"""`galloper game move-deadline`, `set`, `seat` and `address`: the acts of the Games page, by the same
functions, with the same letters and entries of the record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import TextIO

from sqlalchemy import select
from sqlalchemy.orm import Session

import maps
from maps.variant import Variant
from service.bootstrap import writer_of
from service.cli.program.results import letters_wait, print_result
from service.clock import SystemClock
from service.config import Settings
from service.desk.games import seat_acts
from service.games.acts.act import ActTable, perform
from service.games.acts.deadlines import MoveDeadline
from service.games.acts.games import ChangeOption
from service.games.acts.lots import DrawWithoutBeacon, DrawWithoutSeed
from service.games.acts.seats import AddAddress, GiveSeat, Holder, RemoveAddress, addresses_in
from service.games.names import UnknownName, game_called, phase_called, power_called
from service.games.options import options_of
from service.games.phases import phase_of
from service.games.turns import judge_when_read
from service.notices.broadcasts import Broadcasts
from service.operations.beacon_rounds import Relays
from service.record.game_key import ChangeKey
from service.site_folder import opened, settings_of
from service.store import records
from service.store.blobs import open_blobs
from service.store.engine import Store
from service.store.signatures import fingerprint
from service.store.tables import AddressRow, GameRow, PhaseState, PlayerRow

__all__ = [
    "Holder",
    "Printing",
    "addresses_in",
    "change_addresses",
    "change_key",
    "change_seat",
    "move_deadline",
    "set_option",
    "settle_lots",
    "show_seats",
]
DEFAULT = "default"
"""The word that takes an option back to its default."""
WHEN = "%a %-d %b %Y, %H:%M GMT"


@dataclass(frozen=True, slots=True)
class Printing:
    """Where a result goes, and in which form."""

    out: TextIO
    as_json: bool = False
    quiet: bool = False


@contextmanager
def _site(folder: Path) -> Iterator[tuple[Settings, Store, Broadcasts]]:
    settings = settings_of(folder)
    with opened(settings) as store:
        yield settings, store, Broadcasts(writer_of(settings, open_blobs(settings), SystemClock()))


def move_deadline(
    folder: Path, game: str, phase: str, day: str, hour: str, why: str, printing: Printing, *, later: bool
) -> int:
    """Move the deadline of a phase, by default of the first that is open or to come, and write to every
    player. Raises UnknownName, Refused, ConfigError, SiteError."""
    with _site(folder) as (_, store, circulars), store.begin() as session:
        row = game_called(session, game)
        ahead = [each for each in records.phases(session, row.id)
                 if each.state in {PhaseState.OPEN, PhaseState.WAITING}]
        if not ahead:
            raise UnknownName(f"Nothing was changed: {row.name} has no deadline ahead.")
        meant = phase_called(ahead, phase) if phase else ahead[0]
        done = perform(MoveDeadline(row.id, meant.id, day, hour, why, later), ActTable(
            session, "galloper game move-deadline", SystemClock().now(), circulars=circulars))
        moved = done.outcome.moved
        lines = [f"{each.phase}: {each.old.astimezone(UTC):{WHEN}} is now {each.new.astimezone(UTC):{WHEN}}."
                 for each in moved]
        data = {"game": row.id, "moved": [
            {"phase": str(each.phase), "from": each.old.isoformat(), "to": each.new.isoformat()}
            for each in moved], "letters": done.letters}
    lines.append(letters_wait(done.letters, "letter"))
    print_result(printing.out, "\n".join(lines), data, as_json=printing.as_json, quiet=printing.quiet)
    return 0


def set_option(folder: Path, game: str, name: str, value: str, why: str, printing: Printing) -> int:
    """Change an option of a running game. Raises UnknownName, Refused, ConfigError, SiteError."""
    with _site(folder) as (_, store, _), store.begin() as session:
        row = game_called(session, game)
        perform(ChangeOption(row.id, name, "" if value == DEFAULT else value, why),
                ActTable(session, "galloper game set", SystemClock().now()))
        set_now = options_of(row).model_dump(mode="json")[name]
        data = {"game": row.id, "option": name, "value": set_now}
        shown = {True: "yes", False: "no", None: DEFAULT}.get(set_now, set_now)
        line = f"{row.name}: {name} is now {shown}."
    print_result(printing.out, line, data, as_json=printing.as_json, quiet=printing.quiet)
    return 0


def settle_lots(folder: Path, game: str, without: str, why: str, printing: Printing) -> int:
    """Have the closed phase of a game draw its lots without its "seed" or its "beacon". Raises UnknownName,
    Refused, ConfigError, SiteError."""
    clock = SystemClock()
    with _site(folder) as (_, store, _):
        with store.begin() as session:
            row = game_called(session, game)
            closed = [each for each in records.phases(session, row.id) if each.state == PhaseState.CLOSED]
            if not closed:
                raise UnknownName(f"Nothing was changed: {row.name} has no closed phase that waits to be "
                                  "judged.")
            phase = closed[0]
            act = (DrawWithoutSeed(phase.id, why) if without == "seed"
                   else DrawWithoutBeacon(phase.id, why, Relays()))
            perform(act, ActTable(session, "galloper game lots", clock.now()))
            name = str(phase_of(phase))
        judge_when_read(store, phase.id, clock, maps.load)
    print_result(printing.out, f"{name} draws its lots without its {without}. All players will be informed.",
                 {"game": row.id, "phase": name, "without": without},
                 as_json=printing.as_json, quiet=printing.quiet)
    return 0


def change_key(folder: Path, game: str, why: str, printing: Printing) -> int:
    """Sign the receipts of a game with another key from now on. Raises UnknownName, Refused, NoSiteKey,
    ConfigError, SiteError."""
    with _site(folder) as (_, store, _), store.begin() as session:
        row = game_called(session, game)
        public = perform(ChangeKey(row.id, why), ActTable(
            session, "galloper game new-key", SystemClock().now())).outcome.public
        data = {"game": row.id, "fingerprint": fingerprint(public)}
    print_result(printing.out, f"Receipts of {row.name} are signed with a new key from now on, fingerprint "
                               f"{data['fingerprint']}. All players will be informed.",
                 data, as_json=printing.as_json, quiet=printing.quiet)
    return 0


def show_seats(folder: Path, game: str, power: str, printing: Printing) -> int:
    """Print who plays each power of a game, or one, and from which addresses. Raises UnknownName."""
    with _site(folder) as (_, store, _circulars), store() as session:
        row = game_called(session, game)
        variant = maps.load(row.variant)
        seats = records.seats(session, row.id)
        chosen = sorted(seats) if not power else [_power(variant, power)]
        for key in chosen:
            player = session.get(PlayerRow, seats[key] or 0)
            name = None if player is None else player.name
            mails = _addresses(session, player)
            print_result(
                printing.out, f"{variant.powers[key].name}: {name or 'no player'}" + (
                    f" ({', '.join(mails)})" if mails else ""),
                {"game": row.id, "power": key, "player": name, "mail": mails}, as_json=printing.as_json)
    return 0


def change_seat(
    folder: Path, game: str, power: str, holder: Holder, why: str, printing: Printing
) -> int:
    """Give a power to another player, who gets a welcome, or leave its seat empty (a holder without a name).
    Raises UnknownName, Refused, ConfigError, SiteError."""
    with _site(folder) as (settings, store, circulars):
        with store.begin() as session:
            row = game_called(session, game)
            variant = maps.load(row.variant)
            key, slug = _power(variant, power), row.id
            done = perform(GiveSeat(slug, key, holder, why), ActTable(
                session, "galloper game seat", SystemClock().now(), circulars=circulars,
                order_address=settings.order_address))
            held = done.outcome.after is not None
            player = session.get(PlayerRow, records.seats(session, slug)[key] or 0)
            name, mails = (None if player is None else player.name), _addresses(session, player)
        letters = seat_acts.welcome(store, circulars, slug, key) if held else 0
    known = variant.powers[key].name
    welcome_note = (letters_wait(letters, "welcome") if letters
                    else "No welcome was written: inform the player yourself.")
    print_result(
        printing.out,
        f"{name} plays {known} now. Sheets already sent for it still count. {welcome_note}" if held
        else f"{known} has no player now. Sheets already sent for it still count.",
        {"game": slug, "power": key, "player": name, "mail": mails, "letters": letters},
        as_json=printing.as_json, quiet=printing.quiet)
    return 0


def change_addresses(
    folder: Path, game: str, power: str, add: Sequence[str], remove: Sequence[str], printing: Printing
) -> int:
    """Add and remove mail addresses of the player who holds a power, all of them or none. Raises UnknownName,
    Refused, ConfigError, SiteError."""
    by = "galloper game address"
    with _site(folder) as (settings, store, _), store.begin() as session:
        row: GameRow = game_called(session, game)
        variant = maps.load(row.variant)
        key, now = _power(variant, power), SystemClock().now()
        # Added first: a player who moves to a new address keeps one throughout.
        table = ActTable(session, by, now, order_address=settings.order_address)
        for mail in add:
            perform(AddAddress(row.id, key, mail), table)
        for mail in remove:
            perform(RemoveAddress(row.id, key, mail), table)
        player = session.get(PlayerRow, records.seats(session, row.id)[key] or 0)
        name, mails, slug = (None if player is None else player.name), _addresses(session, player), row.id
    print_result(
        printing.out, f"{variant.powers[key].name}: addresses of {name}:  {', '.join(mails)}.",
        {"game": slug, "power": key, "player": name, "mail": mails},
        as_json=printing.as_json, quiet=printing.quiet)
    return 0


def _power(variant: Variant, text: str) -> str:
    return power_called(variant.powers.values(), variant.title, text).id


def _addresses(session: Session, player: PlayerRow | None) -> list[str]:
    if player is None:
        return []
    return list(session.scalars(
        select(AddressRow.email).where(AddressRow.player_id == player.id).order_by(AddressRow.email)))
