"""BEY-01 to BEY-03: the demo's game of every rule set, played through its story with all its letters and then
to a made-up end, as its players see it again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import pypdfium2
import pytest
from fastapi.testclient import TestClient

from adjudicator.outcome import Resolution
from adjudicator.serialize import codec
from demo.story import Story, story_variants
from grammar.print import canonical
from service.clock import SimulatedClock
from service.features.replay import pages as war
from service.games.acts.act import perform
from service.games.acts.ending import DeclareEnd
from service.games.ending import EndKind, GameEnd, end_of
from service.letters.statistics import statistics_of
from service.notices.ending import Farewell, judged_phases
from service.store.tables import GameRow, PhaseRow, PhaseState
from tests.service.public.test_entry import BASE, visit
from tests.support.acting import at
from tests.support.desk_table import DeskTable, open_desk
from tests.support.letters import called
from tests.support.site import make_site
from tests.support.story_table import play_story
from tests.support.table import Table, address

MOVES = re.compile(r'data-power="([^"]+)" data-kind="(?:move|convoyed move)" data-holds="true"')


@dataclass
class Played:
    """A story played, and its desk."""

    story: Story
    table: Table
    desk: DeskTable
    _visits: dict[str, TestClient] = field(default_factory=dict)

    @property
    def path(self) -> str:
        return f"/public/{self.table.game}/war"

    def player(self, power: str = "") -> TestClient:
        """The browser of a power's player, of the first one if none is named."""
        power = power or next(iter(self.table.variant.powers))
        if power not in self._visits:
            self._visits[power] = visit(self.desk, power)
        return self._visits[power]

    def sent(self) -> list[PhaseRow]:
        return [row for row in self.table.phases() if row.state == PhaseState.SENT and row.resolution]


QUICK = ("w3k", "britain1066")
"""The handbook's own game, and the one that hides units, are played in every run; the others in the long
one."""


@pytest.fixture(scope="module", params=[
    pytest.param(slug, marks=() if slug in QUICK else pytest.mark.slow) for slug in story_variants()])
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    with make_site(tmp_path_factory.mktemp("site")) as site:
        story, table = play_story(site, request.param, letters=True)
        desk = open_desk(table, base_url=BASE, wall=SimulatedClock(site.clock.now()))
        desk.client.cookies.clear()
        yield Played(story, table, desk)


def _over(game: Played) -> GameEnd:
    """The made-up end: all others concede to the first power."""
    winner = next(iter(game.table.variant.powers))
    with game.table.site.store.begin() as session:
        row = session.get_one(GameRow, game.table.game)
        if end_of(session, row, game.table.variant) is None:
            perform(DeclareEnd(row.id, "concession", (winner,), "So it stood on their last sheets."),
                    at(session, game.table))
        end = end_of(session, row, game.table.variant)
    assert end == GameEnd(EndKind.CONCESSION, (winner,), "So it stood on their last sheets.")
    return end


@pytest.mark.slow
def test_while_it_is_played_nothing_of_the_end_is_there(played: Played) -> None:
    """BEY-03, NON-02: no statistics, no sheets side by side, and above all no trying out of orders."""
    player = played.player()
    number = played.sent()[-1].ordinal
    for path in ("", f"/{number}", f"/{number}/otherwise/0?words=A+London+H"):
        assert player.get(f"/public/{played.table.game}/end{path}").status_code == 404


def test_the_plates_are_those_that_its_rules_allow(played: Played) -> None:
    """While the game is played: of what a year's end has closed, where players do not keep their own maps
    (MAP-03, NON-02). Once it is over: every phase."""
    player = played.player()
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
    """No request lasts longer than a web server in front of the site waits; the browser reloads."""
    _over(played)
    monkeypatch.setattr(war, "PATIENCE_SECONDS", -1)
    answer = played.player().get(f"{played.path}.pdf")
    assert answer.status_code == 503
    assert answer.headers["refresh"] == "5"
    years = len({row.year for row in played.sent()})
    assert f"0 of {years} years" in answer.text


@pytest.mark.slow
def test_each_plate_shows_the_moves_that_the_story_has(played: Played) -> None:
    """Held against the results worked out by hand: a full line for each move that succeeded, in its power's
    ink. Brittania's attacks are lines too, from a state to the one that is attacked."""
    _over(played)
    player = played.player()
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
    player = played.player()
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
    dispatch with the results from which it is written."""
    _over(played)
    player = played.player()
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
        # Two who ally are one piece of news.
        assert len(re.findall("alliance|gave its hand", page)) <= 1
        for secret in played.story.secrets:
            assert [words for words in secret.words if words in page] == []


# The end
# ----------------------------------------------------------------------------------------------------------


def _last(game: Played) -> tuple[PhaseRow, Resolution]:
    row = game.sent()[-1]
    return row, codec.load_resolution(row.resolution or {})


def test_the_letter_tells_the_end_the_standings_and_thanks_by_name(played: Played) -> None:
    """BEY-03: one letter to each address, with every player's name and every power's centres as the judge
    left them."""
    end, (row, resolution), variant = _over(played), _last(played), played.table.variant
    with played.table.site.store() as session:
        game = session.get_one(GameRow, played.table.game)
        letters = Farewell(played.table.writer).all(session, game, end, row, resolution, drawing=False)
    assert {letter.recipient for letter in letters} == {address(power) for power in variant.powers}
    words = " ".join(letters[0].text.split())
    assert f"conceded the war to {called(variant.powers[end.powers[0]])}" in words
    for power in variant.powers.values():
        held = len(resolution.position.centres.get(power.id, ()))
        assert any(f"- {power.name}: {held} {word} at the end" in words
                   for word in ("centre", "centres", "place", "places"))
        assert f"Player {power.id}, who played {called(power)}" in words


def test_what_was_counted_is_what_the_story_has(played: Played) -> None:
    """BEY-03: the counts of each power against the outcomes worked out by hand, over all phases."""
    _over(played)
    row, resolution = _last(played)
    with played.table.site.store() as session:
        game = session.get_one(GameRow, played.table.game)
        phases = judged_phases(session, game, row, resolution)
    counted = {each.power: each for each in statistics_of(played.table.variant, phases).counts}
    names = {power.id: power.name for power in played.table.variant.powers.values()}
    for power in names.values():
        outcomes = [(order, outcome) for by_power in played.story.expected.values()
                    for writer, orders in by_power.items() if names.get(writer, writer) == power
                    for order, outcome in orders.items()]
        counts = counted[power]
        assert counts.orders == len(outcomes)
        assert counts.void == sum(outcome.result == "void" for _, outcome in outcomes)
        assert counts.cut == sum(outcome.reason == "cut" for _, outcome in outcomes)
        assert counts.bounced == sum(outcome.reason == "bounced" and " - " in order
                                     for order, outcome in outcomes)


def test_each_sheet_stands_beside_its_outcome(played: Played) -> None:
    """BEY-03: for its players each phase has a copy of every sheet that counted and every order with a way to
    read it otherwise."""
    _over(played)
    player = played.player()
    base = f"/public/{played.table.game}/end"
    assert player.get(base).status_code == 200
    for row in played.sent():
        title = f"{row.season} {row.year} {row.kind.capitalize()}"
        page = player.get(f"{base}/{row.ordinal}").text
        expected = played.story.expected[title]
        assert len(re.findall(r'<img [^>]*src="([^"]+[.]png)"', page)) == len(expected)
        indexes = [int(index) for index in re.findall(r'/otherwise/(\d+)"', page)]
        assert sorted(indexes) == list(range(sum(map(len, expected.values()))))
    assert player.get(re.findall(r'src="([^"]+[.]png)"', page)[0]).headers["content-type"] == "image/png"


def test_an_order_read_as_it_was_changes_nothing(played: Played) -> None:
    """BEY-03: the judge run again states the same; marked as fancy, and the game keeps nothing of it."""
    _over(played)
    player = played.player()
    row, resolution = _last(played)
    before = played.table.phase(row.ordinal).resolution
    order = canonical(resolution.outcomes[0].order, played.table.variant.board)
    page = player.get(f"/public/{played.table.game}/end/{row.ordinal}/otherwise/0", params={"words": order})
    assert "This never happened" in page.text
    assert "Every unit would stand where it stood" in page.text
    assert played.table.phase(row.ordinal).resolution == before


def test_everybody_sees_it_once_all_players_agree(played: Played) -> None:
    """BEY-03: not before the last of them, never with a name, and no more once one takes it back."""
    _over(played)
    base = f"/public/{played.table.game}/end"
    with TestClient(played.desk.client.app) as stranger:
        for power in played.table.variant.powers:
            assert stranger.get(base).status_code == 403
            player = played.player(power)
            token = re.findall(r'name="csrf" value="([^"]+)"', player.get(base).text)[0]
            player.post(f"{base}/agree", data={"csrf": token, "agrees": "yes"})
        page = stranger.get(base)
        assert page.status_code == 200
        assert "Player " not in page.text
        assert stranger.get(f"{base}/{played.sent()[0].ordinal}").status_code == 200
        player.post(f"{base}/agree", data={"csrf": token})
        assert stranger.get(base).status_code == 403
