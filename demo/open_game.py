"""The game of a story, opened on a site. The demo plays it; benches measure on it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from demo.story import Story
from service.bootstrap import Site
from service.games import create
from service.games.acts.act import ActTable, perform
from service.games.acts.games import BeginGame
from service.games.options import stored_options


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
    with site.store.begin() as session:
        perform(BeginGame(new, variant), ActTable(session, "galloper demo", site.clock.now()))
