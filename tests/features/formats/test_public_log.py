"""A site's game for other programs (INS-09): what everybody may see leaves, and nothing else."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import maps
from adjudicator.formats.forms import READERS, Format
from adjudicator.formats.game_log import FormatFault
from maps.game_board import game_board
from service.cli.adjudicate import judged
from service.features.formats.public_log import write_game
from service.notices.results import ResultsAnnouncer
from service.store.tables import GameRow
from tests.support.played import begin, finish, played
from tests.support.site import Site
from tests.support.table import Table, open_table


def _standard(site: Site) -> Table:
    """A classic game: a Spring that was judged, and an Autumn in which France's sheet is sealed."""
    table = open_table(site, slug="standard")
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    heading = ["Ada Lovelace, 12 St James's Square"]
    table.file("FRANCE", ["A Marseilles - Spain", "A Paris - Picardy"], heading=heading)
    table.file("ENGLAND", ["F London - North Sea"])
    finish(table)
    row = begin(table)
    table.file("FRANCE", ["A Picardy - Belgium"], number=row.ordinal)
    return table


@pytest.mark.parametrize("form", [form for form in Format if form is not Format.CASES])
def test_a_running_game_leaves_as_far_as_it_is_public(site: Site, form: Format) -> None:
    """INS-09: judged orders and the board now; no sealed order, no one, no address, no heading."""
    table = _standard(site)
    with site.store() as session:
        data = write_game(session, session.get_one(GameRow, table.game), form, lossy=False).data
    games = READERS[form](game_board(table.variant), data)
    orders = {str(order.to) for phase in games[0].phases for order in phase.orders if hasattr(order, "to")}
    assert orders == {"SPA", "PIC", "NTH"}
    plain = gzip.decompress(data) if form is Format.JDIP else data
    text = plain.decode().casefold()
    for secret in ("player", "@", "lovelace", "powick bridge", table.seed_of(2)):
        assert secret not in text, secret


def test_cases_of_every_kind_of_order_are_judged_alike(site: Site) -> None:
    """INS-09: a game of w3k with lots and notes of its rules leaves as cases; each gives what it expects."""
    table = played(site)
    with site.store() as session:
        data = write_game(session, session.get_one(GameRow, table.game), Format.CASES, lossy=False).data
    lines = data.decode().splitlines()
    assert len(lines) == 2
    for line in lines:
        answer = judged(table.variant, line)
        assert {key: answer[key] for key in json.loads(line)["expect"]} == json.loads(line)["expect"]
    for secret in ("@", "Lovelace", "Player", table.seed_of(2)):
        assert str(secret) not in data.decode(), secret


def test_a_hidden_fleet_does_not_leave(site: Site) -> None:
    """INS-09, D66-06: a phase that hides units is refused, and left out when asked; no box is in the file."""
    table = open_table(site, slug="britain1066")
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    finish(table)
    begin(table)
    with site.store() as session:
        with pytest.raises(FormatFault, match="Movement: the rules hide some of its units or orders"):
            write_game(session, session.get_one(GameRow, table.game), Format.CASES, lossy=False)
        with pytest.raises(FormatFault, match="No phase of this game can be written as a case yet"):
            write_game(session, session.get_one(GameRow, table.game), Format.CASES, lossy=True)


def test_another_program_refuses_a_board_that_it_cannot_hold(site: Site) -> None:
    """INS-09."""
    table = open_table(site, slug="bretwalda")
    refusal = r"it has units of the kind .*only armies and fleets"
    with site.store() as session, pytest.raises(FormatFault, match=refusal):
        write_game(session, session.get_one(GameRow, table.game), Format.DIPLOMACY, lossy=True)


def test_every_board_of_ours_is_told_of() -> None:
    """INS-09: docs/formats.md has a row for each board."""
    page = Path("docs/formats.md").read_text("utf-8")
    assert all(f"| `{slug}` |" in page for slug in maps.variants())
