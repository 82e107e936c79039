"""A game that is over leaves the database for a file, and comes back the same (SCA-05)."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, text, update

from service.app import create_app
from service.archive.after_loading import check_record
from service.archive.export import Edition
from service.archive.forget import forget
from service.cli.archive import export_game
from service.facts.events import Event
from service.features.shelf import shelf, work
from service.features.shelf.shelf import ShelfFault
from service.features.shelf.shelve_game import shelve_game, unshelve_game
from service.mail.sending.outbox import FolderTransport, send_due
from service.operations import retention
from service.record import live
from service.store import dump
from service.store.blobs import BlobError
from service.store.engine import migrate
from service.store.tables import (
    EntryRow,
    EventRow,
    GameRow,
    LineRow,
    OutboxRow,
    PhaseRow,
    PhaseState,
    RecordPendingRow,
    ReviewRow,
    ShelvedFileRow,
    ShelvedGameRow,
)
from tests.support import keeper
from tests.support.acting import enter
from tests.support.desk_ports import desk_ports
from tests.support.features import commands_of
from tests.support.own_site import SETTINGS, own_site
from tests.support.played import HERSELF, archived, played
from tests.support.servers.postgres import Postgres, binaries, copy_of
from tests.support.site import KEY, Site, make_site
from tests.support.table import Table, address, open_table

OF_THE_SITE = {Event.GAME_SHELVED, Event.GAME_UNSHELVED}


@pytest.fixture
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """A site on PostgreSQL."""
    if binaries() is None:
        pytest.skip("PostgreSQL's server is not installed")
    server: Postgres = request.getfixturevalue("cluster")
    with make_site(tmp_path, copy_of(server.url(), "empty_site", migrate), migrated=True) as site:
        yield site


@pytest.fixture
def over(empty: Site, tmp_path: Path) -> Table:
    """A game of two phases that is over, its letters sent."""
    table = played(empty)
    with empty.store.begin() as session:
        session.execute(update(PhaseRow).where(PhaseRow.state != PhaseState.SENT).values(
            state=PhaseState.SENT, closed_at=empty.clock.now(), sent_at=empty.clock.now()))
    send_due(empty.store, empty.blobs, FolderTransport(tmp_path / "out"), empty.clock,
             sender="G <o@galloper.example>")
    return table


@pytest.fixture
def away(over: Table) -> Table:
    """The same game on the shelf."""
    shelf.shelve(over.site.store, over.site.blobs, over.game, over.site.clock.now())
    return over


def all_rows(site: Site) -> dict[str, list[bytes]]:
    """Every row of the site, but for what it mentions the shelf itself."""
    with site.engine.connect() as connection:
        rows = {table.name: list(dump.lines(connection, table)) for table in dump.tables()}
    site_events = tuple(f'"what": "{name}"'.encode() for name in OF_THE_SITE)
    events = [line for line in rows["events"] if not any(name in line for name in site_events)]
    return rows | {"events": events}


def come_back(table: Table) -> bool:
    return shelf.bring_back(table.site.store, table.site.blobs, table.game, table.site.clock.now())


def test_on_sqlite_a_game_stays(table: Table) -> None:
    """It gives the number of a deleted row to a new one."""
    with pytest.raises(ShelfFault, match="PostgreSQL only"):
        shelf.shelve(table.site.store, table.site.blobs, table.game, table.site.clock.now())


def count(site: Site, table: type) -> int:
    with site.store() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def test_a_small_game_goes_and_comes_back(empty: Site) -> None:
    """SCA-05"""
    table = open_table(empty)
    table.file(HERSELF, ["A Perth H"], answered=True)
    with empty.store.begin() as session:
        session.execute(update(PhaseRow).values(state=PhaseState.SENT))
        session.execute(update(OutboxRow).values(state="sent"))
        game = session.get_one(GameRow, table.game)
        options, game.options = game.options, {**game.options, "rehearsal_hours": 8.0}
    with pytest.raises(ShelfFault, match="it is a rehearsal"):
        shelf.shelve(empty.store, empty.blobs, table.game, empty.clock.now())
    with empty.store.begin() as session:
        session.get_one(GameRow, table.game).options = options
    before = all_rows(empty)
    shelf.shelve(empty.store, empty.blobs, table.game, empty.clock.now())
    assert [count(empty, row) for row in (LineRow, OutboxRow, EntryRow, RecordPendingRow)] == [0, 0, 1, 0]
    assert come_back(table)
    assert all_rows(empty) == before
    assert count(empty, RecordPendingRow) == 0


@pytest.mark.slow
def test_a_game_goes_and_comes_back_the_same_to_the_last_byte(over: Table, tmp_path: Path) -> None:
    """SCA-05: the record, the archive and both checkers find nothing changed when it is back."""
    site = over.site
    before, whole, players = all_rows(site), archived(over), archived(over, Edition.PLAYERS)
    with site.store() as session:
        root = check_record(session, over.game)
    done = shelf.shelve(site.store, site.blobs, over.game, site.clock.now())
    # The first entry stays; so do events of no game.
    assert {name: len(before[name]) - number for name, number in done.rows.items() if name != "events"} == {
        "record": 1, "lines": 0, "outbox": 0, "reviews": 0}
    assert all(done.rows[name] > 0 for name in ("record", "lines", "outbox", "events", "reviews"))
    assert [count(site, table) for table in (LineRow, OutboxRow, ReviewRow, EntryRow)] == [0, 0, 0, 1]
    with site.store() as session:
        assert check_record(session, over.game) == root
        key = session.get_one(ShelvedGameRow, over.game).blob
    assert come_back(over)
    assert not come_back(over)
    # An older copy of the database still finds it.
    assert site.blobs.has(key)
    assert all_rows(site) == before
    assert count(site, RecordPendingRow) == 0
    with site.store() as session:
        assert live.differences(session, over.game, frozenset()) == []
    assert (archived(over), archived(over, Edition.PLAYERS)) == (whole, players)
    letters = dict(enumerate(path.read_bytes() for path in (tmp_path / "out").glob("*.eml")))
    for check in (keeper.galloper(tmp_path / "a"), keeper.independent(tmp_path / "b")):
        for archive in (whole, players):
            assert check(archive, {f"{number}.eml": letter for number, letter in letters.items()})[0] == ""


@pytest.mark.slow
def test_the_chain_goes_on_where_it_was(away: Table) -> None:
    """What is entered while the game is away is behind what is in the file."""
    site = away.site
    with site.store.begin() as session:
        enter(session, site.clock.now(), "Ada", "noted", game_id=away.game)
    with site.store() as session:
        late = check_record(session, away.game)
        assert late.number == session.get_one(ShelvedGameRow, away.game).number + 1
    assert come_back(away)
    with site.store() as session:
        assert check_record(session, away.game) == late
        assert live.differences(session, away.game, frozenset()) == []


@pytest.mark.slow
def test_a_file_that_is_damaged_or_missing_brings_nothing_back(away: Table) -> None:
    site = away.site
    with site.store() as session:
        key = session.get_one(ShelvedGameRow, away.game).blob
    before = all_rows(site)
    site.blobs.path(key).write_bytes(site.blobs.read(key)[:-1] + b"x")
    with pytest.raises(BlobError, match="damaged"):
        come_back(away)
    site.blobs.remove(key)
    with pytest.raises(BlobError, match="missing"):
        come_back(away)
    assert all_rows(site) == before


def put_altered(table: Table, old: bytes, new: bytes) -> None:
    """A keeper who cheats: another file in place of the game's."""
    site = table.site
    with site.store.begin() as session:
        row = session.get_one(ShelvedGameRow, table.game)
        data = gzip.decompress(site.blobs.read(row.blob))
        assert old in data
        row.blob = site.blobs.put(gzip.compress(data.replace(old, new)))


@pytest.mark.slow
def test_a_record_altered_on_the_shelf_does_not_come_back(away: Table) -> None:
    """SCA-05: the cheats that change entries are found as in the database."""
    put_altered(away, b"A Nowhere H", b"A Perth H")
    with pytest.raises(ShelfFault, match="broken at entry"):
        come_back(away)
    assert count(away.site, LineRow) == 0


@pytest.mark.slow
def test_a_line_altered_on_the_shelf_is_named(away: Table) -> None:
    """A cheat that leaves the record alone and changes what was read: as in the database, it is a
    difference."""
    site = away.site
    with site.store() as session:
        row = session.get_one(ShelvedGameRow, away.game)
        lines = gzip.decompress(site.blobs.read(row.blob)).splitlines(keepends=True)
    first_line = lines.index(b"lines\n") + 1
    lines[first_line] = lines[first_line].replace(b'"struck": false', b'"struck": true')
    with site.store.begin() as session:
        session.get_one(ShelvedGameRow, away.game).blob = site.blobs.put(gzip.compress(b"".join(lines)))
    assert come_back(away)
    with site.store() as session:
        assert [each.how for each in live.differences(session, away.game, frozenset())] == [live.How.CHANGED]


@pytest.mark.slow
def test_a_game_that_runs_or_has_letters_to_send_stays(over: Table) -> None:
    site = over.site
    with site.store.begin() as session:
        letter = session.scalars(select(OutboxRow).limit(1)).one()
        letter.state = "held"
    with pytest.raises(ShelfFault, match="have not been sent yet"):
        shelf.shelve(site.store, site.blobs, over.game, site.clock.now())
    with site.store.begin() as session:
        session.get_one(OutboxRow, letter.id).state = "sent"
        session.execute(update(PhaseRow).where(PhaseRow.ordinal == 1).values(state=PhaseState.READY))
    with pytest.raises(ShelfFault, match="not over"):
        shelf.shelve(site.store, site.blobs, over.game, site.clock.now())


@pytest.mark.slow
def test_files_and_numbers_of_a_game_on_the_shelf_are_kept(away: Table) -> None:
    """SCA-05: nothing deletes what only its rows name, and no later row gets the number of one of them."""
    site = away.site
    with site.store() as session:
        row = session.get_one(ShelvedGameRow, away.game)
        files = session.scalars(select(ShelvedFileRow.blob)).all()
        assert files
        assert all(retention.is_named(session, key) for key in (row.blob, *files))
    with site.engine.begin() as connection:
        dump.settle_counters(connection)
        after = connection.scalar(text("select nextval(pg_get_serial_sequence('lines', 'id'))"))
    assert after == row.highest["lines"] + 1


@pytest.mark.slow
def test_who_is_forgotten_does_not_live_on_in_a_file(away: Table) -> None:
    """SCA-05, TRU-07: the game comes back first, and the files that it ever came back from are deleted."""
    site = away.site
    with site.store() as session:
        key = session.get_one(ShelvedGameRow, away.game).blob
    come_back(away)
    shelf.shelve(site.store, site.blobs, away.game, site.clock.now())
    forget(site.store, site.blobs, address(HERSELF), "Ada", site.clock.now())
    assert not site.blobs.has(key)
    with site.store() as session:
        assert shelf.shelved_games(session) == []
    shelf.shelve(site.store, site.blobs, away.game, site.clock.now())
    with site.store() as session:
        data = gzip.decompress(site.blobs.read(session.get_one(ShelvedGameRow, away.game).blob))
    assert address(HERSELF).encode() not in data


@pytest.mark.slow
def test_a_page_of_the_game_brings_it_back(away: Table) -> None:
    """SCA-05: on demand: anyone who asks first starts one job, and reads that nothing is lost."""
    site = away.site

    def unshelve(_payload: dict[str, Any]) -> None:
        come_back(away)

    site.jobs.register(shelf.WORK, unshelve)
    pages = TestClient(create_app(desk_ports(
        sessions=site.store, blobs=site.blobs, clock=site.clock, load=away.load,
        guards=[partial(work.be_here, site.jobs)])))
    phase = away.phases()[0].id
    for address_of in (f"/public/{away.game}", f"/public/{away.game}/roots.json", f"/results/{phase}"):
        answer = pages.get(address_of)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
        assert "Nothing is lost" in answer.text
    assert [job for job, _, _ in site.jobs.queue].count(shelf.WORK) == 1
    site.jobs.register("read", lambda _payload: None)
    site.jobs.run()
    assert pages.get(f"/public/{away.game}/roots.json").status_code == 200
    assert pages.get(f"/public/{away.game}").status_code == 200


@pytest.mark.slow
def test_the_commands(over: Table, tmp_path: Path) -> None:
    """SCA-05: `galloper game shelve`, `game export` brings it back."""
    site, out = over.site, io.StringIO()
    (tmp_path / "site.key").write_text(KEY.secret.hex() + "\n", encoding="utf-8")
    settings = f'database = "{site.url}"\nsite_key = "{tmp_path / "site.key"}"\n{SETTINGS}'
    folder = own_site(tmp_path, settings.replace('data = "data"', f'data = "{tmp_path}"'))
    assert shelve_game(folder, over.game, out) == 0
    with site.store() as session:
        assert shelf.is_shelved(session, over.game)
    assert export_game(folder, over.game, tmp_path / "game.zip", players=False, out=out) == 0
    assert unshelve_game(folder, over.game, out) == 0
    lines = out.getvalue().splitlines()
    assert "is on the shelf" in lines[0]
    assert lines[-1] == f"{over.game} is here already."


@pytest.mark.slow
def test_old_games_go_by_the_clock_and_one_that_was_wanted_stays_a_while(over: Table) -> None:
    """SCA-05: `shelve_after_days`."""
    site, days = over.site, timedelta(days=60)
    look = partial(shelf.shelve_old, site.store, site.blobs, 60)
    assert look(site.clock.now() + timedelta(days=59)) == 0
    assert look(site.clock.now() + 2 * days) == 1
    site.clock.advance(2 * days)
    come_back(over)
    assert look(site.clock.now() + timedelta(days=1)) == 0
    assert look(site.clock.now() + 2 * days) == 1
    with site.store() as session:
        events = session.scalars(select(EventRow.what).where(EventRow.what.in_(OF_THE_SITE))
                                 .order_by(EventRow.id)).all()
    assert events == [Event.GAME_SHELVED, Event.GAME_UNSHELVED, Event.GAME_SHELVED]


def test_its_commands() -> None:
    assert commands_of("shelf") == {"game shelve", "game unshelve"}
