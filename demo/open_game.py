"""The game of a story, opened on a site. The demo plays it; benches measure on it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from demo.story import Story
from service.bootstrap import Site
from service.games import create
from service.games.deadlines import schedule
from service.games.options import stored_options
from service.games.turns import extend_calendar
from service.store.tables import GameRow


def open_game(site: Site, story: Story, first_day: date, options: Mapping[str, object] | None = None) -> None:
    """Create the game with the story's players and options, its calendar from that day on. `options`: more of
    them."""
    variant = site.load(story.variant)
    seats = [
        create.GameSeat(power, name, "Europe/London", (address,))
        for power, (name, address) in story.players.items()
    ]
    new = create.NewGame(story.game, story.variant, first_day, seats,
                         options=stored_options({**story.options, **(options or {})}))
    first = schedule(first_day, variant.calendar, variant.start.phase, 1)[0]
    with site.store.begin() as session:
        row = create.create(session, new, variant, first, site.clock.now())
        extend_calendar(session, session.get_one(GameRow, row.game_id), variant)
