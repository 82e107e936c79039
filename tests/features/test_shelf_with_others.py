"""While a game is on the shelf its site is compared with its record, and saved (SCA-05, TRU-05)."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from service.features.audit.running_site import verify_site
from service.features.backup import site_file
from service.features.shelf import shelf
from service.features.shelf.shelve_game import shelve_game
from service.record import live
from service.store.tables import LineRow, ShelvedGameRow
from tests.features.shelf.test_shelf import away, count, empty, over
from tests.support.own_site import SETTINGS, own_site
from tests.support.site import KEY, make_site
from tests.support.table import Table

__all__ = ["away", "empty", "over"]


@pytest.mark.slow
def test_a_game_is_compared_where_it_is(over: Table, tmp_path: Path) -> None:
    site = over.site
    (tmp_path / "site.key").write_text(KEY.secret.hex() + "\n", encoding="utf-8")
    settings = f'database = "{site.url}"\nsite_key = "{tmp_path / "site.key"}"\n{SETTINGS}'
    folder = own_site(tmp_path, settings.replace('data = "data"', f'data = "{tmp_path}"'))
    assert shelve_game(folder, over.game, io.StringIO()) == 0
    assert verify_site(folder, out := io.StringIO()) == 0
    assert "the database agrees with its record" in out.getvalue()
    with site.store() as session:
        key = session.get_one(ShelvedGameRow, over.game).blob
    site.blobs.remove(key)
    assert verify_site(folder, out := io.StringIO()) == 1
    assert f"{key} is missing" in out.getvalue()


@pytest.mark.slow
def test_a_backup_has_the_shelf_and_a_site_on_sqlite_gets_its_games_back(away: Table, tmp_path: Path) -> None:
    site = away.site
    path = tmp_path / "site.tar"
    with path.open("wb") as out:
        site_file.write(site.engine, site.blobs, out, site.clock.now(), "test")
    with make_site(tmp_path / "new", "") as new, path.open("rb") as source:
        restored = site_file.restore(source, new.engine, new.blobs, None, site.clock.now())
        assert [root.game_id for root in restored.roots] == [away.game]
        with new.store() as session:
            assert shelf.shelved_games(session) == []
            assert live.differences(session, away.game, frozenset()) == []
        assert count(new, LineRow) > 0
