"""TRU-05: `galloper verify --live` compares a running site with its own record."""

from __future__ import annotations

import io
import json
from pathlib import Path

from service.cli.players import forget_player
from service.facts.events import Event
from service.features.audit.running_site import verify_site
from service.record import chain
from tests.service.archive.test_forget import saved
from tests.support import keeper
from tests.support.keeper import VICTIM
from tests.support.own_site import own_site
from tests.support.played import played
from tests.support.site import make_site

__all__ = ["saved"]


def test_a_running_site_is_compared_by_a_command(tmp_path: Path) -> None:
    """`galloper verify --live`: nothing differs; a row changed by hand, with its triggers standing, differs
    once and is entered; a missing photograph is named."""
    own_site(tmp_path)
    with make_site(tmp_path / "data") as site:
        table = played(site)
    out = io.StringIO()
    assert verify_site(tmp_path, out) == 0, out.getvalue()
    with make_site(tmp_path / "data") as site, site.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE submissions SET version = 9 WHERE id = 1")
    assert verify_site(tmp_path, out := io.StringIO()) == 1
    assert "The sheet of entry" in out.getvalue()
    assert verify_site(tmp_path, out := io.StringIO()) == 0, out.getvalue()
    with make_site(tmp_path / "data") as site:
        with site.store() as session:
            events = [json.loads(row.body)["tells"]["event"] for row in chain.entries(session, table.game)
                      if row.what == "event"]
        page = site.engine.connect().exec_driver_sql("SELECT original FROM pages").scalar()
        site.blobs.remove(str(page))
    assert Event.CHANGED_BY_HAND in events
    assert verify_site(tmp_path, out := io.StringIO(), as_json=True) == 1
    assert "is missing or was changed" in json.loads(out.getvalue())["faults"][0]


def test_files_of_a_forgotten_player_are_not_missed(saved: Path, tmp_path: Path) -> None:
    own_site(tmp_path)
    with keeper.opened(tmp_path / "data", saved / "over"):
        pass
    assert forget_player(tmp_path, f"Player {VICTIM}", io.StringIO()) == 0
    assert verify_site(tmp_path, out := io.StringIO()) == 0, out.getvalue()
