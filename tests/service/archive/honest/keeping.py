"""What a coordinator does to the game itself: clock, options, seats, corrections, letters."""

from __future__ import annotations

import secrets
from datetime import timedelta

from sqlalchemy import select

from service.desk.games import acts, seat_acts
from service.desk.games.seat_acts import Holder
from service.facts.options import YES_OR_NO, ReviewMode
from service.notices.broadcasts import Broadcasts, ResultsCorrection
from service.notices.dry_run import DryRun
from service.notices.reminders import Reminders
from service.store import records
from service.store.tables import (
    GameRow,
    OutboxRow,
    OutboxState,
    PhaseRow,
    PhaseState,
    UserRow,
)
from tests.service.archive.cheats.on_stamps import stamp_roots
from tests.service.archive.honest.game import REASON, HonestGame
from tests.support.table import ORDERS


def moves_the_deadline(game: HonestGame) -> None:
    row = game.phase()
    if row is None or row.state != PhaseState.OPEN or game.now >= row.deadline:
        return
    day = (row.deadline + timedelta(days=game.chance.randrange(1, 5))).date().isoformat()
    with game.site.store.begin() as session:
        acts.move_and_tell(
            session, session.get_one(PhaseRow, row.id), day, "", REASON, later=game.chance.random() < 0.6,
            by="Ada", now=game.now, circulars=Broadcasts(game.table.writer))


def changes_an_option(game: HonestGame) -> None:
    with game.site.store.begin() as session:
        row = session.get_one(GameRow, game.table.game)
        name = game.chance.choice(sorted(YES_OR_NO))
        acts.set_option(session, row, name, REASON, value=not row.options.get(name, False), by="Ada",
                        now=game.now)


def changes_who_reads(game: HonestGame) -> None:
    with game.site.store.begin() as session:
        row = session.get_one(GameRow, game.table.game)
        acts.set_review(session, row, game.chance.choice(list(ReviewMode)).value, REASON, by="Ada",
                        now=game.now)


def changes_the_threshold(game: HonestGame) -> None:
    with game.site.store.begin() as session:
        row = session.get_one(GameRow, game.table.game)
        acts.set_threshold(session, row, game.chance.choice(list(acts.THRESHOLD_CHOICES)), REASON, by="Ben",
                           now=game.now)


def replaces_a_player(game: HonestGame) -> None:
    power, number = game.chance.choice(sorted(game.powers())), game.new_shade()
    with game.site.store.begin() as session:
        seat_acts.hand_over(
            session, session.get_one(GameRow, game.table.game), power,
            Holder(f"New Player {number}", "Europe/London", (f"new-{number}@friends.example",)), ORDERS,
            REASON, by="Ada", now=game.now)
    if game.chance.random() < 0.7:
        with game.site.store.begin() as session:
            Broadcasts(game.table.writer).welcome(session, game.table.game, power)


def changes_addresses(game: HonestGame) -> None:
    power = game.chance.choice(sorted(game.powers()))
    new = f"second-{game.new_shade()}@another.example"
    with game.site.store.begin() as session:
        row = session.get_one(GameRow, game.table.game)
        seat_acts.add_address(session, row, power, new, ORDERS, by="Ada", now=game.now)
        if game.chance.random() < 0.5:
            seat_acts.remove_address(session, row, power, game.powers()[power], by="Ada", now=game.now)


def corrects(game: HonestGame) -> None:
    sent = [row for row in game.table.phases() if row.state == PhaseState.SENT and row.sent_at is not None]
    if sent:
        error = ResultsCorrection("Argyll stands in Perth.", "Argyll stands in Atholl.",
                                  "Nothing follows for the game.", "Montrose")
        with game.site.store.begin() as session:
            phase = session.get_one(PhaseRow, game.chance.choice(sent).id)
            Broadcasts(game.table.writer).correct(
                session, phase, error, secrets.token_hex(8), "Ada", game.now)


def hands_over(game: HonestGame) -> None:
    """Another coordinator takes over."""
    with game.site.store.begin() as session:
        Broadcasts(game.table.writer).hand_over(
            session, game.table.game, f"Dora {game.new_shade()}", secrets.token_hex(8), "Ada")


def welcomes(game: HonestGame) -> None:
    with game.site.store.begin() as session:
        Broadcasts(game.table.writer).welcome(session, game.table.game)


def reminds(game: HonestGame) -> None:
    row = game.phase()
    if row is not None and row.state == PhaseState.OPEN:
        with game.site.store.begin() as session:
            Reminders(game.table.writer).put_due(session, row.id)


def changes_who_may_sign_in(game: HonestGame) -> None:
    with game.site.store.begin() as session:
        name = f"Guest {game.new_shade()}"
        session.add(UserRow(name=name, password="-", role="coordinator", created_at=game.now))
        session.flush()
        if game.chance.random() < 0.5:
            session.delete(session.get_one(UserRow, name))


def letters_leave(game: HonestGame) -> None:
    """The sender sends letters; one comes back."""
    with game.site.store.begin() as session:
        for row in session.scalars(select(OutboxRow).where(OutboxRow.state == OutboxState.QUEUED)):
            row.state = OutboxState.SENT if game.chance.random() < 0.97 else OutboxState.FAILED
            row.sent_at = game.now if row.state == OutboxState.SENT else None


def tries_out(game: HonestGame) -> None:
    """The judging is rehearsed at the desk."""
    row = game.phase()
    if row is not None and row.state in {PhaseState.CLOSED, PhaseState.READY}:
        DryRun(game.site.store, game.site.clock, game.table.writer).run(row.id, "Ada", drawing=False)


def looks(game: HonestGame) -> None:
    with game.site.store.begin() as session:
        records.log_event(session, game.now, "log_exported", game_id=game.table.game, actor="Ada")


def has_roots_stamped(game: HonestGame) -> None:
    """The site's authority answers, as it does in every second game."""
    stamp_roots(game.table)
