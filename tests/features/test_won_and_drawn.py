"""BEY-03 and BEY-04: games that end by the judge's verdict or by a draw that all asked for on paper, on the
running site, from the sheets to the letter of the end, its pages, the checkers of the record, and another
site.

Each position was worked out by hand (`tests.features.ending_scenes`): on every board one centre more wins, by
the board's own number and conditions.
"""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.serialize import codec
from demo.coordinator import ScriptedCoordinator
from demo.story import WrittenLine
from grammar.print import canonical
from service.cli.archive import export_game, import_game
from service.store import dump
from service.store.tables import PhaseState
from tests.features.ending_scenes import VICTORIES, Victory
from tests.features.long_play_end import both_checkers_are_content
from tests.features.prepared_play import PreparedPlay, Scene, open_prepared
from tests.features.whole_house import Browser, open_house, plain, words_of
from tests.support import keeper
from tests.support.letters import called
from tests.support.mail_builder import part, picture
from tests.support.own_site import own_site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
INSTEAD = re.compile(r'<li\b[^>]*>((?:(?!<li\b).)*?)<a [^>]*href="([^"]*/otherwise/\d+)"', re.DOTALL)
"""An order on the page of a phase, and where its line is read otherwise."""


@pytest.mark.parametrize("name", VICTORIES)
def test_who_takes_the_last_centre_has_won(name: str, tmp_path: Path) -> None:
    victory = VICTORIES[name]()
    own_site(tmp_path / "site", box=False)
    with open_prepared(tmp_path / "site", victory.scene) as play:
        it_is_played(play, victory)
        it_is_told(play, victory)
        pages = the_pages_show_it(play, victory)
        a_line_reads_otherwise(play, victory)
        both_checkers_are_content(play, tmp_path)
        archive = the_coordinator_takes_it_home(play, tmp_path)
    it_is_carried_to_another_site(play, archive, pages, tmp_path / "other")


def it_is_played(play: PreparedPlay, victory: Victory) -> None:
    """Sheets as forms by mail; where the game takes orders in the mail's text (WSB-02), as bold text. The
    game is not over before the results that end it are approved."""
    hand, takes_text = play.at_desk(), play.variant.rules.accepts_typed_orders()
    titles = list(play.story.expected)
    for title in titles:
        play.house.until(play.phase(title).opens_at)
        for power, orders in play.orders(title).items():
            text_alone_is_answered(play, title, power, takes_text=takes_text)
            if takes_text:
                play.send_typed(power, title, orders, bold=True)
            else:
                play.send_form(power, title, orders)
        play.close(title)
        assert play.phase(title).state == PhaseState.READY, "nothing that was typed waits for a person"
        assert play.house.letters(play.people[victory.winners[0]], "game_over") == []
        play.house.visit(play.people[victory.winners[0]]).page(f"{play.base}/end", 404)
        play.approve(hand, title)
        judged = play.outcomes(play.phase(title))
        for power, expected in play.story.expected[title].items():
            for order, (result, reason) in expected.items():
                assert judged[power, order] == (result, reason or judged[power, order][1]), (title, order)
        assert (play.phases()[-1].state == PhaseState.SENT) == (title == titles[-1])


def text_alone_is_answered(play: PreparedPlay, title: str, power: str, *, takes_text: bool) -> None:
    """Orders in plain text are not a sheet anywhere; the answer shows what to do instead (WSB-02, LET-01)."""
    play.send_typed(power, title, list(play.orders(title)[power]), bold=not takes_text)
    words = words_of(play.house.letters(play.people[power], "rejection")[-1])
    assert ("nothing in it is bold: only bold text counts" in words) == takes_text
    assert ("text in the message is not read. Photograph the sheet" in words) == (not takes_text)
    assert "does not count" in words
    assert not [sheet for sheet in play.sheets(play.phase(title)) if sheet.power == power]


def it_is_told(play: PreparedPlay, victory: Victory) -> None:
    """One letter to each player: who won, the standings, thanks to all by name, a sheet with the chart. What
    was hidden in the game is in no results, and is open now."""
    names = [called(play.variant.powers[power]) for power in victory.winners]
    first = (f"The war is won by {names[0]}." if len(names) == 1
             else f"{names[0][:1].upper()}{names[0][1:]} and {names[1]} have won together.")
    for power in play.variant.powers:
        letter = play.ended(power)
        words = words_of(letter)
        assert f"Last Stand is over {first}" in words
        for other in play.variant.powers.values():
            before, after = victory.held.get(other.id, (0, 0))
            assert re.search(rf"- {other.name}: {after} (?:centres?|places?) at the end, "
                             rf"{before} at the beginning\.", words)
            assert f"- {play.names[other.id]}, who played {called(other)}" in words
        assert not any(mail in words for mail in play.people.values())
        assert [part.get_content()[:5] for part in letter.iter_attachments()] == [b"%PDF-"]
    if victory.secret is not None:
        owner, secret = victory.secret
        results = {power: " ".join(words_of(letter) for letter in play.house.letters(address)
                                   if "results." in str(letter["Message-ID"]))
                   for power, address in play.people.items()}
        assert {power for power, words in results.items() if secret in words} == {owner}
        visitor = play.house.visit(next(play.people[power] for power in play.people if power != owner))
        assert secret in visitor.says(f"{play.base}/end/1")


def the_pages_show_it(play: PreparedPlay, victory: Victory) -> dict[str, str]:
    """The opened game: its end, counts and chart, each sheet next to its outcome; what each page states, by
    path."""
    winner = play.house.visit(play.people[victory.winners[0]])
    page = winner.page(f"{play.base}/end")
    orders = {power: sum(len(by_power.get(power, ())) for by_power in play.story.expected.values())
              for power in play.variant.powers}
    for power in play.variant.powers.values():
        before, after = victory.held.get(power.id, (0, 0))
        cells = (before, after, orders[power.id])
        assert f'<th scope="row">{power.name}</th>' + "".join(f"<td>{cell}</td>" for cell in cells) in page
        assert f"{power.name}, {after}" in plain(page), "at the end of its line in the chart"
    pages = {"end": plain(page), "war": winner.says(f"{play.base}/war")}
    for title in play.story.expected:
        number = play.phase(title).ordinal
        shown = winner.page(f"{play.base}/end/{number}")
        pages[f"end/{number}"] = plain(shown)
        assert len(re.findall(r"<img [^>]*[.]jpg", shown)) == len(play.story.expected[title])
        links = INSTEAD.findall(shown)
        assert len(links) == sum(map(len, play.story.expected[title].values()))
        for text, link in links:
            # Each order's link leads to that very order.
            judged = winner.says(link).partition("What was judged: ")[2].partition(".")[0]
            assert judged in plain(text), (judged, text)
    return pages


def a_line_reads_otherwise(play: PreparedPlay, victory: Victory) -> None:
    """An order that decided it, read as another: fancy, said so, and nothing of it is stored. A stranger may
    not even try."""
    title, order, instead, also, gone = victory.otherwise
    player, phase = play.house.visit(play.people[victory.winners[0]]), play.phase(title)
    outcomes = codec.load_resolution(phase.resolution or {}).outcomes
    index = [canonical(each.order, play.variant.board) for each in outcomes].index(order)
    path = f"{play.base}/end/{phase.ordinal}/otherwise/{index}"
    before = everything_kept(play)
    for words in ("to arms!", "", "x" * 5000, "Cornwall'; DROP TABLE phases; --", "<b>A London H</b>"):
        page = player.client.get(path, params={"words": words})
        assert page.status_code == 200
        assert ("These words are no order of this phase." in page.text) == bool(words)
        assert "<b>A London H" not in page.text
    shown = plain(player.client.get(path, params={"words": instead}).text)
    assert "This never happened. The game was judged as it was, and nothing of this is kept." in shown
    assert (f"there would also be: {also}." in shown) == bool(also)
    assert (f"would not be there: {gone}." in shown) == bool(gone)
    assert ("Every unit would stand where it stood." in shown) == (not also and not gone)
    assert everything_kept(play) == before
    assert play.phase(title).resolution == phase.resolution
    play.house.browser().page(path, 403)
    player.page(f"{play.base}/end/{phase.ordinal}/otherwise/{len(outcomes)}", 404)


def everything_kept(play: PreparedPlay) -> dict[str, list[bytes]]:
    """Every row of the site."""
    with play.house.site.engine.connect() as connection:
        return {table.name: list(dump.lines(connection, table)) for table in dump.tables()}


def the_coordinator_takes_it_home(play: PreparedPlay, folder: Path) -> Path:
    """The whole archive by command, which both checkers find as it should be."""
    archive = folder / "whole.zip"
    assert export_game(folder / "site", "Last Stand", archive, players=False, out=io.StringIO()) == 0
    for name, checker in (("galloper", keeper.galloper(folder / "whole-galloper")),
                          ("independent", keeper.independent(folder / "whole-independent"))):
        fault, words = checker(archive.read_bytes(), {})
        assert fault == "", (name, words)
    return archive


def it_is_carried_to_another_site(
    play: PreparedPlay, archive: Path, pages: dict[str, str], folder: Path
) -> None:
    """Into an empty site, whose pages answer as before; no letter of the game leaves there by itself."""
    own_site(folder, box=False)
    assert import_game(folder, archive, io.StringIO(), yes=True) == 0
    with open_house(folder, play.house.clock.now()) as house:
        house.settle()
        assert list((folder / "outbox").glob("*.eml")) == []
        house.at_desk("Ada").send("/health", "/health/resume")
        house.settle()
        before = len(list((folder / "outbox").glob("*.eml")))
        visitor = house.visit(next(iter(play.people.values())))
        assert {path: visitor.says(f"{play.base}/{path}") for path in pages} == pages
        assert len(list((folder / "outbox").glob("*.eml"))) == before + 1, "the link alone"
        house.browser().page(f"{play.base}/end", 403)


# A draw by paper (BEY-04, DRW-01, Q-30)
# ----------------------------------------------------------------------------------------------------------

KINGDOMS = Scene(
    "w3k", Phase(1642, "Autumn", PhaseKind.MOVEMENT),
    {"Argyll": ["Edinburgh", "Glasgow"], "Ormond": ["Belfast", "Dublin & the Pale"],
     "Manchester": ["London", "York"]},
    {"Argyll": ["A Edinburgh"], "Ormond": ["A Belfast"], "Manchester": ["A London"]},
    {"Autumn 1642 Movement": {}, "Winter 1643 Adjustment": {}, "Spring 1643 Movement": {}})
"""Each survivor holds both capitals of a kingdom, so that a draw is open once the Autumn is over."""
AUTUMN, WINTER, SPRING = KINGDOMS.turns
ASK = "I ask for the draw"


def test_a_draw_is_taken_once_every_survivor_asks_for_it_on_paper(tmp_path: Path) -> None:
    """Not by a vote that a later version or line takes back, one after the deadline, or one in another
    power's name; by a photograph as by a form; and not before its results are approved."""
    with open_prepared(tmp_path / "site", KINGDOMS) as play:
        ada, hand, game = play.house.at_desk("Ada"), play.at_desk(), f"/games/{play.game}"
        # Manchester takes its vote back by a second version.
        play.send_form("Argyll", AUTUMN, ["A Edinburgh H", ASK])
        play.send_photograph("Ormond", AUTUMN, ["A Belfast H", "I vote for the draw"], tmp_path)
        play.send_form("Manchester", AUTUMN, ["A London H", "Draw, please"])
        play.send_form("Manchester", AUTUMN, ["A London H"], version=2)
        # Nothing of a sheet is stated before its deadline.
        assert "There is no draw to agree on now" in ada.says(game)
        the_coordinator_reads(play, hand, AUTUMN, {"Ormond": ["A Belfast H", "I vote for the draw"]})
        assert asked_by(ada, game) == f"Argyll (“{ASK}”), Ormond (“I vote for the draw”)"
        refused(play, ada, AUTUMN, "Missing: Manchester")
        play.approve(hand, AUTUMN)
        for address in play.people.values():
            words = words_of(play.house.letters(address, "final_results")[-1])
            assert "Argyll, Manchester and Ormond" in words, "everybody may know that it is open"
        # Manchester's comes after the deadline, others write for it, and Argyll's own sheet takes it back.
        play.house.until(play.phase(WINTER).opens_at)
        play.send_form("Argyll", WINTER, [ASK, "No draw after all"])
        play.send_form("Ormond", WINTER, [ASK, "Manchester asks for the draw"])
        play.house.mail_in(play.people["Ormond"], play.subject("Manchester", play.phase(WINTER)),
                           [part(picture(40))])
        phase = play.phase(WINTER)
        late = play.form(play.house.visit(play.people["Manchester"]), "Manchester", phase, [ASK])
        play.close(WINTER)
        play.mail_sheet("Manchester", phase, late, "application/pdf", "form.pdf")
        play.house.settle()
        the_coordinator_reads(play, hand, WINTER, {})
        assert asked_by(ada, game) == f"Ormond (“{ASK}”)"
        assert {sheet.power for sheet in play.sheets(phase)} == {"Argyll", "Ormond"}
        for power, kind, words in (
                ("Ormond", "rejection", "Your address is not registered for the power the subject names"),
                ("Manchester", "receipt_late", "came after the deadline, so they will not be executed")):
            assert words in words_of(play.house.letters(play.people[power], kind)[-1])
        refused(play, ada, WINTER, "Missing: Argyll, Manchester")
        play.approve(hand, WINTER)
        # All three, and a power without a centre, which has no say.
        play.house.until(play.phase(SPRING).opens_at)
        for power in ("Argyll", "Ormond", "Manchester"):
            play.send_form(power, SPRING, [ASK])
        play.send_form("Montrose", SPRING, ["No draw!"])
        play.close(SPRING)
        the_coordinator_reads(play, hand, SPRING, {})
        agreed = {"phase": str(play.phase(SPRING).id), "why": "All three have asked for it"}
        tried = play.house.visit(play.people["Argyll"]).client.post(f"{game}/draw", data=agreed)
        assert (tried.status_code, tried.headers.get("location")) == (303, "/sign-in"), "a player may not"
        ada.look_and_send(game, f"{game}/draw", fields=agreed)
        play.house.settle()
        assert play.house.letters(play.people["Argyll"], "game_over") == []
        assert all("All survivors asked for the draw" in words_of(
            play.house.letters(address, "announcement")[-1]) for address in play.people.values())
        play.approve(hand, SPRING)
        assert {row.state for row in play.phases()} == {PhaseState.SENT}
        for power in play.people:
            words = words_of(play.ended(power))
            assert "The war ends in a draw between Argyll, Manchester and Ormond. All of them asked" in words
            assert all(name in words for name in play.names.values())
        end = play.house.visit(play.people["Montrose"]).says(f"{play.base}/end")
        assert "The war ends in a draw between Argyll, Manchester and Ormond." in end
        both_checkers_are_content(play, tmp_path)


def the_coordinator_reads(
    play: PreparedPlay, hand: ScriptedCoordinator, title: str, photographed: dict[str, list[str]]
) -> None:
    """The deadline passes, and what waits for a person is read as it is written: no order where a line asks
    for a draw."""
    if play.phase(title).state == PhaseState.OPEN:
        play.close(title)
    written = {power: [WrittenLine(line, line if line.startswith("A ") else "", False) for line in lines]
               for power, lines in photographed.items()}
    hand.read_lines(play.phase(title).id, written)
    play.house.settle()
    assert play.phase(title).state == PhaseState.READY


def asked_by(ada: Browser, game: str) -> str:
    """Who requests the draw, as the coordinator's page states."""
    return ada.says(game).partition("it is asked for by: ")[2].partition(". The end")[0].partition(
        ". End the game")[0]


def refused(play: PreparedPlay, ada: Browser, title: str, missing: str) -> None:
    """The draw cannot be agreed on, and the page shows who is missing."""
    game = f"/games/{play.game}"
    answer = ada.send(game, f"{game}/draw", 409, phase=play.phase(title).id, why="All of them have asked")
    assert (f"Nothing was changed: not every survivor requests the draw on a sheet of this season. {missing}."
            in plain(answer.text))
