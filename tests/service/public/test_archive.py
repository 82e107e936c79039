"""The players' archive behind a player's own link."""

from __future__ import annotations

import io
from pathlib import Path

from service.clock import SimulatedClock
from tests.service.public.test_entry import BASE, visit
from tests.support.checks import print_check
from tests.support.desk_table import open_desk
from tests.support.played import kept, played
from tests.support.site import Site


def test_a_player_fetches_the_record_and_checks_it_against_her_letters(site: Site, tmp_path: Path) -> None:
    table = played(site)
    desk = open_desk(table, base_url=BASE, wall=SimulatedClock(site.clock.now()))
    desk.client.cookies.clear()
    assert desk.client.get(f"/public/{table.game}/archive.zip").status_code == 403
    answer = visit(desk, "Montrose").get(f"/public/{table.game}/archive.zip")
    assert answer.headers["content-type"] == "application/zip"
    path, out = tmp_path / "game.zip", io.StringIO()
    path.write_bytes(answer.content)
    assert print_check(path, kept(table, tmp_path / "mails"), out) == 0, out.getvalue()
    # Real names are not in the players' edition.
    assert b"Lovelace" not in answer.content
    assert visit(desk, "Montrose").get("/public/nowhere/archive.zip").status_code == 403
