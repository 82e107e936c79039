"""TRU-07: a player whose game is over is forgotten, and the record can still be checked; all that is stored
of one is written into one file."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from service.archive.export import Edition
from service.archive.forget import NotForgotten, forget
from service.archive.import_game import contents_here, import_archive
from service.archive.player_data import write_player_data
from service.cli.players import forget_player, player_data
from service.record import chain, live
from service.store import dump, records
from service.store.tables import PhaseRow, PhaseState
from tests.support import keeper
from tests.support.altered import entries, packed, rechained, unpacked
from tests.support.keeper import OTHER, VICTIM, Evidence
from tests.support.own_site import own_site
from tests.support.played import archived
from tests.support.site import make_site
from tests.support.table import Table, address

HOME = "12 Church Lane, Perth"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game whose results were sent and that is over, with a sheet that names its sender's home."""
    folder = tmp_path_factory.mktemp("game")
    keeper.start(folder)
    with keeper.opened(folder / "over", folder / "closed") as table:
        with table.site.store.begin() as session:
            session.connection().exec_driver_sql(
                f"UPDATE lines SET text = '{HOME}' WHERE kind = 'heading'")
        keeper.go_on(table)
        with table.site.store.begin() as session:
            session.execute(update(PhaseRow).where(PhaseRow.state != PhaseState.SENT).values(
                state=PhaseState.SENT, closed_at=table.site.clock.now()))
        (folder / "over" / "now").write_text(table.site.clock.now().isoformat())
    return folder


@pytest.fixture
def table(saved: Path, tmp_path: Path) -> Iterator[Table]:
    with keeper.opened(tmp_path / "data", saved / "over") as table:
        yield table


def forget_victim(table: Table) -> None:
    forget(table.site.store, table.site.blobs, address(VICTIM), "galloper player forget",
           table.site.clock.now())


def alarms(folder: Path, shown: Evidence) -> list[str]:
    checks = (keeper.galloper(folder / "galloper"), keeper.independent(folder / "tool"))
    return [alarm for archive in (shown.whole, shown.players) for check in checks
            if (alarm := check(archive, shown.shown((VICTIM, OTHER)))[0])]


@pytest.mark.slow
def test_nothing_of_a_forgotten_player_is_left_and_the_record_is_whole(table: Table, tmp_path: Path) -> None:
    """Every row and every file is searched for the name, the address and the home; both checkers state that
    all is well, with the letters that she kept herself, and an import is whole without her files."""
    before = keeper.evidence(table)
    assert alarms(tmp_path / "before", before) == []
    with zipfile.ZipFile(io.BytesIO(before.whole)) as zipped:
        record = zipped.read("record.jsonl").decode()
    # TRU-07: no real name is in the record, forgotten or not; her home is, next to the orders.
    assert f"Player {VICTIM}" not in record
    assert HOME in record
    forget_victim(table)
    with table.site.engine.connect() as connection:
        rows = b"".join(line for each in dump.tables() for line in dump.lines(connection, each)).decode()
    assert f"Player {VICTIM}" not in rows
    assert address(VICTIM) not in rows
    # Four sheets named a home. Those of the two other players are left, each in its line and in its entry.
    assert [text.count(HOME) for text in (record, rows)] == [4, 4]
    stored = [path.read_bytes() for path in table.site.blobs.path("0" * 64).parents[1].rglob("*")
              if path.is_file()]
    assert all(address(VICTIM).encode() not in data for data in stored)
    assert all(raw not in stored for raw in table.sent)
    after = Evidence(archived(table), archived(table, Edition.PLAYERS), before.letters)
    assert alarms(tmp_path / "after", after) == []
    (tmp_path / "game.zip").write_bytes(after.whole)
    with make_site(tmp_path / "imported") as site:
        root = import_archive(tmp_path / "game.zip", site.engine, site.blobs, site.jobs,
                              table.site.clock.now(), contents_here)
        with site.store() as session:
            assert live.differences(session, table.game, frozenset()) == []
            assert chain.root(session, table.game) == root
    with table.site.store() as session:
        assert live.differences(session, table.game, frozenset()) == []
        assert chain.find_entry(session, table.game, chain.root(session, table.game).link) is not None


def test_a_player_of_a_running_game_is_not_forgotten(saved: Path, tmp_path: Path) -> None:
    with keeper.opened(tmp_path / "data", saved / "sent") as table:
        with pytest.raises(NotForgotten, match="is not over"):
            forget_victim(table)
        with table.site.store() as session:
            player = records.player_of(session, address(VICTIM))
            assert player is not None
            assert player.name == f"Player {VICTIM}"


def test_forgetting_hides_no_cheat(table: Table, tmp_path: Path) -> None:
    """An entry that the keeper likes to hide is closed as forgotten: a sheet; an open one is made to say
    otherwise under the digest of a forgotten one."""
    forget_victim(table)
    whole = archived(table)
    checks = (keeper.galloper(tmp_path / "galloper"), keeper.independent(tmp_path / "tool"))
    for change in (_closed_sheet, _false_words):
        files = unpacked(whole)
        record = entries(files)
        change(record)
        forged = rechained(files, record) if change is _closed_sheet else packed(files, record)
        for check in checks:
            assert check(forged, {})[0], change.__name__


def _closed_sheet(record: list[dict[str, Any]]) -> None:
    (event,) = [each["body"]["tells"]["detail"] for each in record
                if "body" in each and each["body"]["tells"].get("event") == "forgotten"]
    number = next(each["n"] for each in record if "body" in each and each["body"]["what"] == "sheet")
    event["entries"].append(number)
    entry = record[number - 1]
    words = json.dumps(entry["body"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    entry["inner"] = keeper.tool_module().sha(f"{entry['salt']}\n{words}")
    entry["head"] = f"sheet {entry['body']['tells']['phase']}"
    del entry["body"], entry["salt"]


def _false_words(record: list[dict[str, Any]]) -> None:
    entry = next(each for each in record if "body" in each and each["body"]["what"] == "sheet")
    words = json.dumps(entry["body"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    entry["salt"] = keeper.tool_module().sha(f"{entry['salt']}\n{words}")
    entry["body"] = {**entry["body"], "forgotten": True}
    entry["body"]["tells"]["version"] = 9


def test_all_that_is_kept_of_a_player_is_one_file(table: Table) -> None:
    """Her mails, letters and photographs, and nothing of another player."""
    out = io.BytesIO()
    with table.site.store() as session:
        player = records.player_of(session, address(VICTIM))
        assert player is not None
        count = write_player_data(session, table.site.blobs, player, out)
    with zipfile.ZipFile(out) as zipped:
        names = zipped.namelist()
        data = json.loads(zipped.read("data.json"))
        everything = b"".join(zipped.read(name) for name in names)
    assert count == len(names) - 2
    assert data["player"][0]["name"] == f"Player {VICTIM}"
    assert data["addresses"][0]["email"] == address(VICTIM)
    assert data["missing"] == []
    assert len(data["mails"]) == len(table.sent)
    assert all(raw in everything for raw in table.sent)
    assert HOME in everything.decode(errors="replace")
    assert address(OTHER).encode() not in everything


def test_the_commands_say_what_they_did(saved: Path, tmp_path: Path) -> None:
    own_site(tmp_path)
    with keeper.opened(tmp_path / "data", saved / "over"):
        pass
    out = io.StringIO()
    assert player_data(tmp_path, address(VICTIM), tmp_path / "her.zip", out, as_json=True) == 0
    assert json.loads(out.getvalue())["files"] > 4
    assert (tmp_path / "her.zip").stat().st_mode & 0o077 == 0
    assert forget_player(tmp_path, f"Player {VICTIM}", out := io.StringIO()) == 0
    assert "is forgotten" in out.getvalue()
