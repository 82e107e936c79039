"""BEY-01: the war again, phase by phase, for the players of a game, where its rules allow it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from adjudicator.calendar import PhaseKind
from service.clock import SimulatedClock
from service.games.results import redacted_for
from service.notices.results import ResultsAnnouncer
from service.store.tables import GameRow, PhaseRow, PhaseState
from tests.service.public.test_entry import BASE, visit
from tests.support.desk_table import DeskTable, open_desk
from tests.support.site import Site, make_site
from tests.support.table import Table, autumn_1642, open_table
from tests.support.tags import tags_of

ORDERS = ("A Lindsey - Kesteven & Holland", "A Glasgow H", "A Norfolk H")


@dataclass
class Fought:
    """A game one of whose phases was sent."""

    table: Table
    desk: DeskTable

    @property
    def path(self) -> str:
        return f"/public/{self.table.game}/war"


def _sent(site: Site, slug: str, orders: dict[str, list[str]]) -> Fought:
    table = open_table(site, slug=slug) if slug != "w3k" else open_table(site, position=autumn_1642())
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    for power, lines in orders.items():
        table.file(power, lines)
    phase = table.phase()
    site.clock.set(phase.deadline)
    table.close_phase(phase.id)
    table.judge_when_read(phase.id)
    table.approve_phase(phase.id, "Ada")
    desk = open_desk(table, base_url=BASE, wall=SimulatedClock(site.clock.now()))
    desk.client.cookies.clear()
    return Fought(table, desk)


@pytest.fixture(scope="module")
def fought(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fought]:
    with make_site(tmp_path_factory.mktemp("site")) as site:
        yield _sent(site, "w3k", {"Manchester": list(ORDERS)})


@pytest.fixture
def player(fought: Fought) -> TestClient:
    return visit(fought.desk, "Montrose")


def _allow_units(game: Fought, *, allowed: bool) -> None:
    with game.table.site.store.begin() as session:
        row = session.get_one(GameRow, game.table.game)
        row.options = {**row.options, "units_on_map": allowed}


def _end(game: Fought) -> None:
    """As by a draw: no phase takes orders any more."""
    with game.table.site.store.begin() as session:
        session.execute(update(PhaseRow).values(state=PhaseState.SENT))


def test_while_the_game_is_played_no_board_is_shown(fought: Fought, player: TestClient) -> None:
    """MAP-03, NON-02: not in a game without units on its maps, nor of a year that has not ended."""
    for allowed in (False, True):
        _allow_units(fought, allowed=allowed)
        page = player.get(fought.path)
        assert page.status_code == 200
        assert "nothing to show yet" in page.text
        assert "<figure" not in page.text
        assert player.get(f"{fought.path}/1.svg").status_code == 404
        assert player.get(f"{fought.path}/after.svg").status_code == 404
        assert player.get(f"/public/{fought.table.game}/war-1642.pdf").status_code == 404
    _allow_units(fought, allowed=False)


def test_a_stranger_sees_nothing_of_it(fought: Fought) -> None:
    with TestClient(fought.desk.client.app) as stranger:
        for address in (fought.path, f"{fought.path}/1.svg", f"{fought.path}/key.svg"):
            assert stranger.get(address).status_code == 403


def test_of_a_game_that_is_over_each_phase_has_a_plate(fought: Fought, player: TestClient) -> None:
    """In order, each with its orders, and the board that was left; the list is whole without the script."""
    _end(fought)
    page = player.get(fought.path).text
    assert re.findall(r'<figure class="plate" id="([^"]+)">', page) == ["plate-1", "plate-after"]
    assert 'id="steps" class="steps" hidden' in page
    plate = player.get(f"{fought.path}/1.svg")
    assert plate.headers["content-type"] == "image/svg+xml"
    assert "no-store" in plate.headers["cache-control"]
    (move,) = re.findall(r'<g class="order" data-power="([^"]+)" data-kind="move" data-holds="([^"]+)"',
                         plate.text)
    # Newcastle's army is there and holds.
    assert move == ("Manchester", "false")
    assert plate.text.count('<g class="unit"') >= len(fought.table.position(1).units)
    after = player.get(f"{fought.path}/after.svg").text
    assert 'class="order"' not in after
    assert 'data-power="Manchester" data-kind="A" data-region="Lindsey"' in after
    assert "a move by convoy" in player.get(f"{fought.path}/key.svg").text


@pytest.mark.slow
def test_a_year_and_the_war_are_tagged_pdfs(fought: Fought, player: TestClient) -> None:
    """A page for each plate, the board that was left, and the key: with the file's title and language, a
    figure with its own words for each, and a bookmark (BEY-01, BEY-08). Read by pdfium."""
    _end(fought)
    for file, title in (("war-1642.pdf", "the war of 1642"), ("war.pdf", "the war so far")):
        data = player.get(f"/public/{fought.table.game}/{file}").content
        tags = tags_of(data)
        assert (tags.is_tagged, tags.language) == (True, "en")
        assert tags.title.endswith(title)
        assert tags.counts["Figure"] == len(set(tags.alternates)) == 3
        assert " 1 move, 1 turned back." in tags.alternates[0]
        document = pypdfium2.PdfDocument(data)
        assert len(document) == 3
        assert [mark.get_title() for mark in document.get_toc()] == list(tags.alternates)


def test_a_hidden_fleet_is_on_no_plate_of_another_player(site: Site) -> None:
    """D66-06: in a game with units on its maps, before it is over; once it is, all is open."""
    game = _sent(site, "britain1066", {
        "Harald Hardrada": ["Hidden Germanicus 1 lies in The Wash", "A/F Hidden Wash 1 H"]})
    _allow_units(game, allowed=True)
    with site.store.begin() as session:
        # The phase that closes the year, as far as the rule for showing goes.
        session.execute(update(PhaseRow).where(PhaseRow.ordinal == 1).values(kind=PhaseKind.ADJUSTMENT.value))
    hidden = {unit for unit in game.table.position(1).units
              if unit not in game.table.variant.rules.visible_position(
                  game.table.variant.context(), game.table.position(1), "The Northern Earls").units}
    resolution = game.table.resolution()
    assert redacted_for(game.table.variant, resolution, "The Northern Earls")[0] is not resolution
    stranger, owner = visit(game.desk, "The Northern Earls"), visit(game.desk, "Harald Hardrada")
    drawings = [browser.get(f"{game.path}/1.svg").text for browser in (stranger, owner)]
    shown = [svg.count('data-power="Harald Hardrada"') for svg in drawings]
    assert len(hidden) > 0
    assert shown[1] > shown[0]
    _end(game)
    assert stranger.get(f"{game.path}/1.svg").text.count('data-power="Harald Hardrada"') == shown[1]
