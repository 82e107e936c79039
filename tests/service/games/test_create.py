"""Beginning a game: its file, and what is written down from it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from sqlalchemy import func, select

import maps
from adjudicator.serialize import codec
from service.config import ConfigError
from service.games import lots
from service.games.acts.act import ActTable, perform
from service.games.acts.games import BeginGame
from service.games.create import NewGame, read_game_file
from service.games.turns import extend_calendar
from service.public import calendar, entry, left_out, moves
from service.store import records
from service.store.tables import AddressRow, GameRow, PhaseRow, PhaseState, PlayerRow, SeatRow
from tests.support.site import NOON, Site

W3K = maps.load("w3k")
APP_ROUTES = [
    route
    for router in (calendar, entry, left_out, moves)
    for route in router.router.routes
    if isinstance(route, APIRoute)
]
ADA = '[[player]]\nname = "Ada"\nzone = "Europe/London"\nmail = ["ada@example.org"]\n'
GRACE = ('[[player]]\nname = "Grace"\nzone = "America/Mexico_City"\nmail = ["Grace@Example.org", '
         '"g@example.org"]\n')
HEAD = 'name = "Powick Bridge"\nvariant = "w3k"\nstart = 2027-03-01\n'


def _seats(**changes: str) -> str:
    players = dict.fromkeys(W3K.powers, "Ada") | {"Montrose": "Grace"} | changes
    return "[seats]\n" + "".join(f'"{power}" = "{name}"\n' for power, name in players.items() if name)


def _file(folder: Path, text: str) -> Path:
    path = folder / "game.toml"
    path.write_text(text, encoding="utf-8")
    return path


def _new(folder: Path, start: date = date(2027, 3, 1), name: str = "Powick Bridge") -> NewGame:
    text = HEAD.replace("2027-03-01", start.isoformat()).replace("Powick Bridge", name)
    return read_game_file(_file(folder, text + ADA + GRACE + _seats()), W3K.powers)


def _refused(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        read_game_file(_file(folder, text), W3K.powers)
    message = str(caught.value)
    assert str(folder / "game.toml") in message
    return message


def _begin(site: Site, new: NewGame, now: datetime = NOON) -> None:
    with site.store.begin() as session:
        perform(BeginGame(new, W3K), ActTable(session, "Ada", now))


def _phases(site: Site, game: str = "powick-bridge") -> list[PhaseRow]:
    with site.store() as session:
        return records.phases(session, game)


@pytest.mark.parametrize("name", ["Me", "Letter!", "Entry", "Moves", "Calendar"])
def test_no_game_stands_where_a_public_page_does(tmp_path: Path, name: str) -> None:
    """Addresses of public pages begin with a game's id or one of a few words."""
    routes = {route.path.split("/")[2] for route in APP_ROUTES if route.path.startswith("/public/")}
    slug = _new(tmp_path, name=name).slug
    assert slug.removesuffix("-game") in routes
    assert slug not in routes


def test_a_whole_file_is_a_game(tmp_path: Path) -> None:
    new = _new(tmp_path)
    assert (new.name, new.slug, new.variant, new.start) == (
        "Powick Bridge",
        "powick-bridge",
        "w3k",
        date(2027, 3, 1),
    )
    assert len(new.seats) == 10
    (montrose,) = [seat for seat in new.seats if seat.power == "Montrose"]
    assert (montrose.player, montrose.zone) == ("Grace", "America/Mexico_City")
    assert montrose.mail == ("grace@example.org", "g@example.org")


def test_a_power_the_board_does_not_have_is_named(tmp_path: Path) -> None:
    message = _refused(tmp_path, HEAD + ADA + GRACE + _seats(Prussia="Ada"))
    assert "seats.Prussia: There is no power Prussia on w3k. The powers are The Crown" in message


def test_a_power_without_a_player_is_named(tmp_path: Path) -> None:
    assert "seats: Argyll has no player" in _refused(tmp_path, HEAD + ADA + GRACE + _seats(Argyll=""))


def test_a_seat_for_somebody_who_is_no_player_is_named(tmp_path: Path) -> None:
    assert "seats.Montrose: there is no player Grace" in _refused(tmp_path, HEAD + ADA + _seats())


def test_an_unknown_zone_is_named_with_its_player(tmp_path: Path) -> None:
    wrong = ADA.replace("Europe/London", "Europe/Lundin")
    assert ("player Ada: the zone Europe/Lundin is "
            "unknown") in _refused(tmp_path, HEAD + wrong + GRACE + _seats())


@pytest.mark.parametrize("zone", ["../etc/passwd", "", "Europe"])
def test_a_zone_that_is_a_path_or_a_folder_is_unknown(tmp_path: Path, zone: str) -> None:
    wrong = ADA.replace("Europe/London", zone)
    assert "player Ada: the zone" in _refused(tmp_path, HEAD + wrong + GRACE + _seats())


def test_every_fault_is_told_not_the_first(tmp_path: Path) -> None:
    message = _refused(tmp_path, HEAD + ADA.replace("London", "Lundin") + _seats(Prussia="Ada", Argyll=""))
    for fault in ("Grace", "Lundin", "Prussia", "Argyll"):
        assert fault in message


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (HEAD.replace("2027-03-01", '"soon"') + ADA + GRACE + _seats(), "start"),
        (HEAD.replace('name = "Powick Bridge"\n', "") + ADA + GRACE + _seats(), "name"),
        (HEAD + "pace = 3\n" + ADA + GRACE + _seats(), "pace"),
        (HEAD + ADA.replace('mail = ["ada@example.org"]', "mail = []") + GRACE + _seats(), "player.1.mail"),
        (HEAD + _seats(), "player"),
        (HEAD.replace("w3k", 'w3k"x'), "text between quotes"),
    ],
)
def test_a_file_of_the_wrong_shape_is_told_by_its_entry(tmp_path: Path, text: str, named: str) -> None:
    assert named in _refused(tmp_path, text)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml cannot be read"):
        read_game_file(tmp_path / "nowhere.toml")


def test_the_first_phase_is_open_with_the_opening_position(site: Site, tmp_path: Path) -> None:
    _begin(site, _new(tmp_path))
    first = _phases(site)[0]
    assert (first.season, first.year, first.kind, first.state) == (
        "Summer",
        1642,
        "movement",
        PhaseState.OPEN,
    )
    assert first.position is not None
    assert codec.load_position(first.position) == W3K.start
    assert first.deadline == datetime(2027, 3, 14, 7, tzinfo=UTC)


def test_a_year_of_phases_waits_after_the_first(site: Site, tmp_path: Path) -> None:
    """CAL-09: the first year is Summer and Autumn 1642, and Winter 1643 lies from T+30 to the end of T+32."""
    _begin(site, _new(tmp_path))
    rows = _phases(site)
    assert [r.ordinal for r in rows] == list(range(1, 10))
    assert [r.state for r in rows[1:]] == [PhaseState.WAITING] * 8
    assert all(r.position is None for r in rows[1:])
    assert [(f"{r.season} {r.year} {r.kind}", f"{r.deadline:%a %d %b %H:%M}") for r in rows] == [
        ("Summer 1642 movement", "Sun 14 Mar 07:00"),
        ("Summer 1642 retreat", "Tue 16 Mar 07:00"),
        ("Autumn 1642 movement", "Mon 29 Mar 07:00"),
        ("Autumn 1642 retreat", "Wed 31 Mar 07:00"),
        ("Winter 1643 adjustment", "Sat 03 Apr 07:00"),
        ("Spring 1643 movement", "Sat 17 Apr 07:00"),
        ("Spring 1643 retreat", "Mon 19 Apr 07:00"),
        ("Summer 1643 movement", "Sun 02 May 07:00"),
        ("Summer 1643 retreat", "Tue 04 May 07:00"),
    ]
    assert rows[5].opens_at == datetime(2027, 4, 4, 7, tzinfo=UTC)  # T+34


def test_a_full_year_has_the_worked_dates(site: Site, tmp_path: Path) -> None:
    """Requirements A4, T+0 = Mon 1 March 2027, which is T+34 of a game begun on 26 January."""
    _begin(site, _new(tmp_path, date(2027, 1, 26)))
    with site.store.begin() as session:
        for row in records.phases(session, "powick-bridge")[:5]:
            row.state = PhaseState.SENT
        session.flush()
        extend_calendar(session, session.get_one(GameRow, "powick-bridge"), W3K)
    year = {(r.season, r.kind): r for r in _phases(site) if r.year == 1643 or r.season == "Winter"}
    deadlines = {key: f"{row.deadline:%a %d %b %H:%M}" for key, row in year.items()}
    assert deadlines["Spring", "movement"] == "Sun 14 Mar 07:00"
    assert deadlines["Spring", "retreat"] == "Tue 16 Mar 07:00"
    assert deadlines["Summer", "movement"] == "Mon 29 Mar 07:00"
    assert deadlines["Autumn", "movement"] == "Tue 13 Apr 07:00"
    assert year["Winter", "adjustment"].year == 1644  # CAL-11
    assert deadlines["Winter", "adjustment"] == "Sun 18 Apr 07:00"
    assert f"{year['Summer', 'movement'].opens_at:%a %d %b}" == "Tue 16 Mar"


def test_every_phase_has_lots_of_its_own(site: Site, tmp_path: Path) -> None:
    _begin(site, _new(tmp_path))
    tapes = [lots.tape((row.commitment or "",), W3K.rules.LOTS) for row in _phases(site)]
    assert len(set(tapes)) == len(tapes) == 9
    assert all(0 <= lot < 2**32 for tape in tapes for lot in tape)


def test_a_calendar_that_reaches_far_enough_is_left_alone(site: Site, tmp_path: Path) -> None:
    _begin(site, _new(tmp_path))
    before = [(row.id, row.commitment) for row in _phases(site)]
    with site.store.begin() as session:
        extend_calendar(session, session.get_one(GameRow, "powick-bridge"), W3K)
    assert [(row.id, row.commitment) for row in _phases(site)] == before


@pytest.mark.parametrize("name", ["Powick Bridge", "POWICK - BRIDGE!"])
def test_a_name_that_is_taken_is_refused_and_changes_nothing(site: Site, tmp_path: Path, name: str) -> None:
    _begin(site, _new(tmp_path))
    before = _phases(site)
    with pytest.raises(ConfigError, match="exists already"):
        _begin(site, _new(tmp_path, date(2027, 6, 1), name))
    assert [(row.id, row.deadline) for row in _phases(site)] == [(row.id, row.deadline) for row in before]
    with site.store() as session:
        assert session.scalar(select(func.count()).select_from(GameRow)) == 1


def test_one_person_in_two_games_is_one_player(site: Site, tmp_path: Path) -> None:
    """NON-05."""
    _begin(site, _new(tmp_path))
    _begin(site, _new(tmp_path, name="Roundway Down"))
    with site.store() as session:
        assert session.scalar(select(func.count()).select_from(PlayerRow)) == 2
        assert session.scalar(select(func.count()).select_from(AddressRow)) == 3
        assert session.scalar(select(func.count()).select_from(SeatRow)) == 20
        seat = session.get_one(SeatRow, ("roundway-down", "Montrose"))
        assert records.player_of(session, "G@example.org").id == seat.player_id  # type: ignore[union-attr]
