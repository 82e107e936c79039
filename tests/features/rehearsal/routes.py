"""What the feature adds to honest games: a rehearsal next to the game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from service.features.rehearsal.commands import as_rehearsal
from service.features.rehearsal.removal import remove_rehearsal
from service.games import create
from service.games.acts.games import BeginGame
from service.games.options import options_of
from service.store.tables import GameRow
from tests.support.acting import do

if TYPE_CHECKING:
    from tests.service.archive.honest.game import HonestGame


def rehearses(game: HonestGame) -> None:
    """A rehearsal of the same people is begun next to the game, and mostly removed again."""
    # Its name is its game's with a word more, so there is one at a time.
    remove_rehearsals(game)
    with game.site.store() as session:
        name = session.get_one(GameRow, game.table.game).name
    seats = [create.GameSeat(power, f"Player {power}", "Europe/London", (mail,))
             for power, mail in game.powers().items()]
    plain = create.NewGame(name, game.table.variant.slug, game.now.date(), seats)
    new = as_rehearsal(plain, game.now, 4.0)
    do(game.table, BeginGame(new, game.table.variant), now=game.now)
    if game.chance.random() < 0.7:
        remove_rehearsal(game.site.engine, game.site.blobs, new.slug)


def remove_rehearsals(game: HonestGame) -> None:
    """No player of a game that is still there is forgotten."""
    with game.site.store() as session:
        rehearsals = [row.id for row in session.scalars(select(GameRow)) if options_of(row).is_rehearsal]
    for rehearsal in rehearsals:
        remove_rehearsal(game.site.engine, game.site.blobs, rehearsal)


HONEST_MOVES = {"rehearsal": rehearses}
BEFORE_FORGETTING = {"rehearsal": remove_rehearsals}
IN_ENGLISH = {"features/rehearsal/removal.py": "it is printed by a command"}
