"""Commands that act on a running game, each with the answer and what it leaves."""

from __future__ import annotations

import io
from datetime import date
from pathlib import Path

from sqlalchemy import select
from typer.testing import CliRunner

from service.cli.games import create_game
from service.cli.main import app
from service.facts.options import ReviewMode
from service.games.names import game_called
from service.games.options import options_of
from service.site_folder import opened, settings_of
from service.store.tables import EventRow
from tests.support.own_site import game_file, own_site

WHY = "All ten players asked for it."


def test_an_option_is_set_by_command_once_and_its_event_names_the_command(tmp_path: Path) -> None:
    folder = own_site(tmp_path / "site")
    create_game(folder, game_file(tmp_path, date(2097, 3, 1)), io.StringIO())
    line = ["game", "set", str(folder), "powick-bridge", "review", "all", "--why", WHY]
    answer = CliRunner().invoke(app, line)
    assert (answer.exit_code, answer.output) == (0, "Powick Bridge: review is now all.\n")
    with opened(settings_of(folder)) as store, store() as session:
        assert options_of(game_called(session, "powick-bridge")).review is ReviewMode.ALL
        (event,) = session.scalars(select(EventRow).where(EventRow.what == "option_changed"))
        assert event.actor == "galloper game set"
        assert (event.detail["option"], event.detail["to"], event.detail["why"]) == ("review", "all", WHY)
