"""A site is compared with its record while a game of it is on the shelf (SCA-05, TRU-05)."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from service.features.audit.running_site import verify_site
from service.features.shelf.shelve_game import shelve_game
from service.store.tables import ShelvedGameRow
from tests.features.shelf.test_shelf import over
from tests.support.own_site import SETTINGS, own_site
from tests.support.site import KEY
from tests.support.table import Table

__all__ = ["over"]


@pytest.mark.slow
def test_a_game_is_compared_where_it_is(over: Table, tmp_path: Path) -> None:
    site = over.site
    (tmp_path / "site.key").write_text(KEY.secret.hex() + "\n", encoding="utf-8")
    settings = f'database = "{site.url}"\nsite_key = "{tmp_path / "site.key"}"\n{SETTINGS}'
    folder = own_site(tmp_path, settings.replace('data = "data"', f'data = "{tmp_path}"'))
    assert shelve_game(folder, over.game, io.StringIO()) == 0
    assert verify_site(folder, out := io.StringIO()) == 0
    assert "the database says what its record says" in out.getvalue()
    with site.store() as session:
        key = session.get_one(ShelvedGameRow, over.game).blob
    site.blobs.remove(key)
    assert verify_site(folder, out := io.StringIO()) == 1
    assert f"{key} is missing" in out.getvalue()
