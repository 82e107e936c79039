"""BEY-01, BEY-02: the demo's game of every rule set, played through its story with all its letters and then
to a made-up end, as its players see it again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from demo.story import Story, story_variants
from service.clock import SimulatedClock
from service.public.history import war
from service.store.tables import PhaseRow, PhaseState
from tests.service.public.test_entry import BASE, visit
from tests.support.desk_table import DeskTable, open_desk
from tests.support.site import make_site
from tests.support.story_table import play_story
from tests.support.table import Table

MOVES = re.compile(r'data-power="([^"]+)" data-kind="(?:move|convoyed move)" data-holds="true"')


@dataclass
class Played:
    """A story played, and its desk."""

    story: Story
    table: Table
    desk: DeskTable

    @property
    def path(self) -> str:
        return f"/public/{self.table.game}/war"

    def sent(self) -> list[PhaseRow]:
        return [row for row in self.table.phases() if row.state == PhaseState.SENT and row.resolution]


@pytest.fixture(scope="module", params=story_variants())
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    with make_site(tmp_path_factory.mktemp("site")) as site:
        story, table = play_story(site, request.param, letters=True)
        desk = open_desk(table, base_url=BASE, wall=SimulatedClock(site.clock.now()))
        desk.client.cookies.clear()
        yield Played(story, table, desk)


def _over(game: Played) -> None:
    with game.table.site.store.begin() as session:
        session.execute(update(PhaseRow).where(PhaseRow.game_id == game.table.game)
                        .values(state=PhaseState.SENT))


def test_the_plates_are_those_that_its_rules_allow(played: Played) -> None:
    """While the game is played: of what a year's end has closed, where players do not keep their own maps
    (MAP-03, NON-02). Once it is over: every phase."""
    player = visit(played.desk, next(iter(played.table.variant.powers)))
    closed = [row.ordinal for row in played.sent() if row.kind in {"adjustment", "turn"}]
    shown = [row.ordinal for row in played.sent() if row.ordinal <= max(closed, default=0)]
    figures = re.findall(r'id="plate-(\d+)"', player.get(played.path).text)
    allowed = bool(played.story.options.get("units_on_map"))
    assert allowed == (played.story.variant != "w3k")
    assert figures == ([str(number) for number in shown] if allowed else [])
    _over(played)
    page = player.get(played.path).text
    assert re.findall(r'id="plate-(\d+)"', page) == [str(row.ordinal) for row in played.sent()]
    assert f'href="{played.path}.pdf"' in page


def test_a_long_war_is_drawn_a_year_at_a_time(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    """No request lasts longer than a web server in front of the site waits; the browser asks again."""
    _over(played)
    monkeypatch.setattr(war, "PATIENCE_SECONDS", -1)
    answer = visit(played.desk, next(iter(played.table.variant.powers))).get(f"{played.path}.pdf")
    assert answer.status_code == 503
    assert answer.headers["refresh"] == "5"
    years = len({row.year for row in played.sent()})
    assert f"0 of {years} years" in answer.text


@pytest.mark.slow
def test_each_plate_shows_the_moves_that_the_story_has(played: Played) -> None:
    """Held against the results worked out by hand: a full line for each move that succeeded, in its power's
    ink. Brittania's attacks are lines too, from a state to the one that is attacked."""
    _over(played)
    player = visit(played.desk, next(iter(played.table.variant.powers)))
    ids = {power.name: power.id for power in played.table.variant.powers.values()}
    for row in played.sent():
        title = f"{row.season} {row.year} {row.kind.capitalize()}"
        expected = sorted(
            ids.get(power, power) for power, orders in played.story.expected[title].items()
            for order, outcome in orders.items()
            if re.search(r"^[ABFKM/]+ .+ - .+$|Conquest|^King to ", order) and " S " not in order
            and " C " not in order and outcome.result == "succeeds" and row.kind != "retreat")
        svg = player.get(f"{played.path}/{row.ordinal}.svg").text.partition('<g class="inset"')[0]
        assert sorted(MOVES.findall(svg)) == expected, title


@pytest.mark.slow
def test_the_war_so_far_is_one_file(played: Played) -> None:
    """Every plate, the board that was left, and the key."""
    _over(played)
    player = visit(played.desk, next(iter(played.table.variant.powers)))
    # As a browser does on a machine that is busy.
    answers = (player.get(f"{played.path}.pdf") for _ in range(20))
    answer = next(answer for answer in answers if answer.status_code == 200)
    assert len(pypdfium2.PdfDocument(answer.content)) == len(played.sent()) + 2


def test_the_gazette_leaves_with_the_letter_that_ends_a_year(played: Played) -> None:
    """BEY-02: in the words of the letter and as a file; and only there, for each power the same."""
    variant = played.table.variant
    ends = [row for row in played.sent() if (row.season, row.kind) == variant.calendar.year_end]
    letters = [row for row in played.table.letters() if row.kind in {"final_results", "year_end_results"}]
    with_gazette: dict[int | None, set[str]] = {row.id: set() for row in ends}
    for letter in letters:
        words = played.table.words(letter)
        message = played.table.message(letter)
        files = [part.get_filename() for part in message.iter_attachments()]
        has_file = any("-gazette-" in str(name) for name in files)
        assert has_file == ("MERCURIUS" in words) == (letter.phase_id in {row.id for row in ends})
        if has_file:
            with_gazette[letter.phase_id].add(words.partition("MERCURIUS")[2].partition("WHAT COMES NEXT")[0])
    assert [len(texts) for texts in with_gazette.values()] == [1] * len(ends)


def test_the_gazette_tells_what_anybody_may_know(played: Played) -> None:
    """BEY-02, NON-02, MAP-03: of years that have ended, nothing that one power alone was told, and each
    dispatch with the results that it is told from."""
    _over(played)
    player = visit(played.desk, next(iter(played.table.variant.powers)))
    base = f"/public/{played.table.game}/gazette"
    numbers = len(re.findall(rf'href="{base}/\d+"', player.get(base).text))
    assert numbers == len({row.year for row in played.sent()}) or played.story.variant in {"w3k", "bretwalda"}
    assert player.get(f"{base}/{numbers + 1}").status_code == 404
    with TestClient(played.desk.client.app) as stranger:
        assert stranger.get(f"{base}/1").status_code == 403
    sent = {str(row.ordinal) for row in played.sent()}
    for number in range(1, numbers + 1):
        page = player.get(f"{base}/{number}").text
        assert set(re.findall(r'class="from" href="[^"]+/results/(\d+)"', page)) <= sent
        assert 'class="lead"' in page
        for secret in played.story.secrets:
            assert [words for words in secret.words if words in page] == []
