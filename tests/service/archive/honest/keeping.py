"""What a coordinator does to the game itself: clock, options, seats, corrections, letters."""

from __future__ import annotations

import secrets
from datetime import timedelta

from sqlalchemy import select

from service.desk.games.acts import THRESHOLD_CHOICES
from service.facts.options import YES_OR_NO, ReviewMode
from service.games.acts.act import ResultsCorrection, perform
from service.games.acts.deadlines import MoveDeadline
from service.games.acts.games import ChangeOption
from service.games.acts.results import ChangeCoordinator, CorrectResults
from service.games.acts.seats import AddAddress, GiveSeat, Holder, RemoveAddress
from service.notices.broadcasts import Broadcasts
from service.notices.reminders import Reminders
from service.store.tables import GameRow, OutboxRow, OutboxState, PhaseState, UserRow
from tests.service.archive.honest.game import REASON, HonestGame
from tests.support.acting import at, do, enter


def moves_the_deadline(game: HonestGame) -> None:
    row = game.phase()
    if row is None or row.state != PhaseState.OPEN or game.now >= row.deadline:
        return
    day = (row.deadline + timedelta(days=game.chance.randrange(1, 5))).date().isoformat()
    later = game.chance.random() < 0.6
    do(game.table, MoveDeadline(game.table.game, row.id, day, "", REASON, later), now=game.now,
       circulars=Broadcasts(game.table.writer))


def changes_an_option(game: HonestGame) -> None:
    with game.site.store() as session:
        row = session.get_one(GameRow, game.table.game)
        name = game.chance.choice(sorted(YES_OR_NO))
        text = "no" if row.options.get(name, False) else "yes"
    do(game.table, ChangeOption(game.table.game, name, text, REASON), now=game.now)


def changes_who_reads(game: HonestGame) -> None:
    text = game.chance.choice(list(ReviewMode)).value
    do(game.table, ChangeOption(game.table.game, "review", text, REASON), now=game.now)


def changes_the_threshold(game: HonestGame) -> None:
    text = game.chance.choice(list(THRESHOLD_CHOICES))
    do(game.table, ChangeOption(game.table.game, "auto_score", text, REASON), "Ben", now=game.now)


def replaces_a_player(game: HonestGame) -> None:
    power, number = game.chance.choice(sorted(game.powers())), game.new_shade()
    holder = Holder(f"New Player {number}", "Europe/London", (f"new-{number}@friends.example",))
    do(game.table, GiveSeat(game.table.game, power, holder, REASON), now=game.now)
    if game.chance.random() < 0.7:
        with game.site.store.begin() as session:
            Broadcasts(game.table.writer).welcome(session, game.table.game, power)


def changes_addresses(game: HonestGame) -> None:
    power = game.chance.choice(sorted(game.powers()))
    new = f"second-{game.new_shade()}@another.example"
    with game.site.store.begin() as session:
        table = at(session, game.table, now=game.now)
        perform(AddAddress(game.table.game, power, new), table)
        if game.chance.random() < 0.5:
            perform(RemoveAddress(game.table.game, power, game.powers()[power]), table)


def corrects(game: HonestGame) -> None:
    sent = [row for row in game.table.phases() if row.state == PhaseState.SENT and row.sent_at is not None]
    if sent:
        error = ResultsCorrection("Argyll stands in Perth.", "Argyll stands in Atholl.",
                                  "Nothing follows for the game.", "Montrose")
        do(game.table, CorrectResults(game.chance.choice(sent).id, error, secrets.token_hex(8)), now=game.now,
           circulars=Broadcasts(game.table.writer))


def hands_over(game: HonestGame) -> None:
    """Another coordinator takes over."""
    do(game.table, ChangeCoordinator(game.table.game, f"Dora {game.new_shade()}", secrets.token_hex(8)),
       circulars=Broadcasts(game.table.writer))


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


def looks(game: HonestGame) -> None:
    with game.site.store.begin() as session:
        enter(session, game.now, "Ada", "log_exported", game_id=game.table.game)
