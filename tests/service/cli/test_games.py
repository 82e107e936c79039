"""`galloper game new` and `galloper game show` on a site's folder."""

from __future__ import annotations

import errno
import io
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from maps.faults import MapError
from service.cli.commands.game_commands import new_game_options
from service.cli.games import create_game, show_games
from service.config import ConfigError
from service.site_folder import SiteError, opened, settings_of
from service.store import records
from service.store.tables import EventRow, OutboxRow, PhaseState
from tests.support.own_site import SETTINGS, game_file, own_site

LATER = date(2097, 3, 1)
"""A day that is not past when these tests run."""


def _shown(folder: Path) -> str:
    out = io.StringIO()
    assert show_games(folder, out) == 0
    return out.getvalue()


def _refused(folder: Path, file: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        create_game(folder, file, io.StringIO())
    assert _shown(folder).startswith("No game yet")
    return str(caught.value)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return own_site(tmp_path / "site")


def test_a_new_game_is_told_with_its_first_deadline_and_shown(folder: Path, tmp_path: Path) -> None:
    out = io.StringIO()
    assert create_game(folder, game_file(tmp_path, LATER), out) == 0
    # T+12 ends at 07:00 GMT on T+13 (CAL-03): 14 March 2097 is a Thursday.
    assert "Summer 1642 Movement is open and closes on Thu 14 Mar 2097, 07:00 GMT." in out.getvalue()
    assert _shown(folder) == (
        "Powick Bridge (w3k)\n"
        "  Summer 1642 Movement: open; deadline Thu 14 Mar 2097, 07:00 GMT; sheets from 0 of 10 powers\n"
    )


def test_a_game_begun_by_command_leaves_one_event_as_one_begun_at_the_desk_does(
    folder: Path, tmp_path: Path
) -> None:
    create_game(folder, game_file(tmp_path, LATER), io.StringIO())
    with opened(settings_of(folder)) as store, store() as session:
        begun = [(row.what, row.actor) for row in session.scalars(select(EventRow)) if "created" in row.what]
    assert begun == [("game_created", "galloper game new")]


def test_every_player_of_a_new_game_is_written_a_welcome_that_leaves_once_served(
    folder: Path, tmp_path: Path
) -> None:
    """OUT-01: one for each power, with the subject to use; it waits in the outbox, since nothing is served
    yet."""
    out = io.StringIO()
    create_game(folder, game_file(tmp_path, LATER), out)
    assert "10 welcomes are written; galloper serve sends them." in out.getvalue()
    with opened(settings_of(folder)) as store, store() as session:
        letters = session.scalars(select(OutboxRow)).all()
    assert {(letter.kind, letter.recipient, letter.state) for letter in letters} == {
        ("welcome", "ada@example.org", "queued")
    }
    assert len(letters) == 10


def test_a_welcome_that_cannot_be_written_leaves_the_game_begun(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("service.notices.broadcasts.Broadcasts.welcome", fails)
    out = io.StringIO()
    assert create_game(folder, game_file(tmp_path, LATER), out) == 0
    assert ("The game was created, but the welcome to its players could not be written (The disk is "
            "full; make room and try again). Inform them yourself.") in out.getvalue()
    assert "Summer 1642 Movement: open" in _shown(folder)


def test_before_the_next_season_what_comes_is_shown_and_at_the_end_that_it_is_over(
    folder: Path, tmp_path: Path
) -> None:
    create_game(folder, game_file(tmp_path, LATER), io.StringIO())
    with opened(settings_of(folder)) as store:
        with store.begin() as session:
            records.phases(session, "powick-bridge")[0].state = PhaseState.SENT
        assert ("Summer 1642 Retreat: opens Thu 14 Mar 2097, 07:00 GMT; deadline Sat 16 Mar "
                "2097") in _shown(folder)
        with store.begin() as session:
            for row in records.phases(session, "powick-bridge"):
                row.state = PhaseState.SENT
    assert _shown(folder) == "Powick Bridge (w3k)\n  over\n"


def test_a_game_whose_first_deadline_is_past_is_refused(folder: Path, tmp_path: Path) -> None:
    past = datetime.now(UTC).date() - timedelta(days=14)
    assert "choose a later day" in _refused(folder, game_file(tmp_path, past))


def test_an_address_that_is_none_and_the_sites_own_are_refused(folder: Path, tmp_path: Path) -> None:
    assert "'ada' is not a mail address" in _refused(folder, game_file(tmp_path, LATER, player="ada"))
    sentence = _refused(folder, game_file(tmp_path, LATER, player="Orders@Galloper.example"))
    assert "orders@galloper.example is Galloper's own order_address" in sentence


def test_one_address_for_two_people_is_refused(folder: Path, tmp_path: Path) -> None:
    file = game_file(tmp_path, LATER)
    text = file.read_text("utf-8").replace('"Argyll" = "Ada"', '"Argyll" = "Grace"')
    file.write_text(text.replace("[seats]", ('[[player]]\nname = "Grace"\nmail = '
                                             '["ada@example.org"]\n[seats]')), "utf-8")
    sentence = _refused(folder, file)
    assert "Grace" in sentence
    assert "ada@example.org" in sentence


def test_an_unknown_board_is_answered_with_those_there_are(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(MapError, match=(r"There is no board atlantis\. The boards are bretwalda, "
                                        "britain1066, brittania, standard, w3k, war1648")):
        create_game(folder, game_file(tmp_path, LATER, variant="atlantis"), io.StringIO())


def test_a_file_that_is_no_text_is_told(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_bytes(b"\xff\xfe")
    assert "is not UTF-8 text" in _refused(folder, tmp_path / "game.toml")


def test_a_taken_name_is_refused_and_the_first_game_stays(folder: Path, tmp_path: Path) -> None:
    create_game(folder, game_file(tmp_path, LATER), io.StringIO())
    before = _shown(folder)
    with pytest.raises(ConfigError, match="Powick Bridge exists already; choose another name"):
        create_game(folder, game_file(tmp_path, date(2098, 1, 1)), io.StringIO())
    assert _shown(folder) == before


def test_a_database_that_cannot_be_used_is_told_without_its_password(tmp_path: Path) -> None:
    nobody = 'database = "postgresql://galloper:hidden@127.0.0.1:9/galloper"\n'
    with pytest.raises(SiteError) as caught:
        show_games(own_site(tmp_path / "a", nobody + SETTINGS), io.StringIO())
    assert "cannot be used" in str(caught.value)
    assert "hidden" not in str(caught.value)
    with pytest.raises(ConfigError, match="database"):
        show_games(own_site(tmp_path / "b", 'database = "mysql://x/y"\n' + SETTINGS), io.StringIO())


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    folder = own_site(tmp_path / "site")
    (folder / "data").mkdir()
    (folder / "data" / "galloper.sqlite").write_bytes(b"a letter, and no database at all" * 200)
    with pytest.raises(SiteError, match=r"galloper\.sqlite cannot be used \(file is not a database\)"):
        show_games(folder, io.StringIO())


def test_a_feature_adds_options_to_a_new_game() -> None:
    def way(*, slowly: bool = False) -> Any:
        return slowly

    assert list(new_game_options([]).parameters) == ["folder", "file", "as_json", "quiet"]
    assert list(new_game_options([way]).parameters) == ["folder", "file", "slowly", "as_json", "quiet"]
