"""BEY-04 to BEY-08: one game of every demo story, from its offer to a made-up end, by every door at once.

A table is filled by page and by mail and its powers go by lots; sheets come by the page for photographs, by
mail, and as the form that a keyboard fills in; a program follows with a token, the feed and signed webhooks,
of which one hangs and one fails; two coordinators have a game each; and at the end everything is there for
who listens, for who needs large type, and for both checkers of the record. Each phase has to come out as it
was worked out by hand (`demo/data/*/expected.toml`).

Each step below is what one of these people does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from demo.coordinator import ScriptedCoordinator
from demo.story import story_variants
from service.features.own_wording.pages import field_of
from service.features.own_wording.sentences import sentences_of
from service.store.tables import PhaseRow, PhaseState
from tests.features.long_play import LATE, PROGRAM, TOKENS, LongPlay, fields_of, open_play
from tests.features.long_play_end import (
    both_checkers_are_content,
    everybody_can_read_it,
    guest,
    hides,
    nobody_else_gets_in,
    the_game_ends,
)
from tests.features.receiver import Receiver, receiving
from tests.features.sign_up.redraw import drawn_again
from tests.features.whole_house import PASSWORD, Browser, plain, words_of
from tests.support.letters import called
from tests.support.mail_builder import part, picture

DAYS = ("2027-03-01", "2027-03-08")
ENDS = {"w3k": "concession", "bretwalda": "concession", "britain1066": "draw", "brittania": "concession",
        "war1648": "draw"}
"""How each game ends. A draw is told by a declaration here, as all who play on agreed: none of these boards
opens one to the stories' positions."""
PAUSE = timedelta(days=7)
OTHER = "edgehill"
"""The second game of the site, on another board, with its own coordinator."""
TOO_MUCH = 60_000_000
OWN_WORDS = "By candlelight, and with compliments."


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("slug", story_variants())
def test_a_game_is_played_by_every_door_from_its_offer_to_its_end(slug: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        receivers = [stack.enter_context(receiving(tmp_path / name)) for name in ("good", "hangs", "fails")]
        play = stack.enter_context(open_play(tmp_path / "site", slug, receivers))
        ada = play.house.at_desk("Ada")
        wishes = people_sign_up(play, ada)
        powers_go_by_lots(play, ada, wishes)
        options_are_chosen(play, ada)
        another_game_begins(play, ada)
        hand = ScriptedCoordinator(play.house.web.address)
        hand.sign_in("Ada", PASSWORD)
        titles = list(play.story.expected)
        for number, title in enumerate(titles):
            if number == 1:
                a_letter_is_worded(play, ada)
                the_table_changes(play, ada)
                doors_are_tried_too_hard(play)
                two_receivers_are_bad(receivers)
            if number == 2:
                the_letter_is_ours_again(play, ada)
            sheets_come(play, title, is_last=title == titles[-1], is_worded=number == 1)
            the_deadline_passes(play, title)
            results_go_out(play, ada, hand, title, is_last=title == titles[-1])
            the_program_follows(play, title, receivers)
        two_coordinators_have_a_game_each(play, ada)
        the_game_ends(play, ada, ENDS[slug])
        everybody_can_read_it(play)
        both_checkers_are_content(play, tmp_path)
        nobody_else_gets_in(play)


# A table to sit down at (BEY-04)
# ----------------------------------------------------------------------------------------------------------


def people_sign_up(play: LongPlay, ada: Browser) -> dict[int, list[str]]:
    """One after the other by page and by mail, each with two wishes, and one more than there are powers; the
    wishes by number on the list."""
    play.offer(ada, DAYS)
    powers, wishes = list(play.variant.powers.values()), {}
    for index, power in enumerate(powers):
        name, address = play.story.players[power.id]
        wish = [power, powers[(index + 1) % len(powers)]]
        words = ", ".join(each.name for each in wish)
        if index % 2:
            play.sign_up_by_mail(name, address, words)
        else:
            play.sign_up_by_page(name, address, words, DAYS)
        wishes[index + 1] = [each.id for each in wish]
    play.sign_up_by_page(*LATE, "", DAYS[:1])
    # Twice by page, twice by mail, and a person who is not who they say.
    (first, first_mail), (second, second_mail) = list(play.story.players.values())[:2]
    path, stranger = f"/public/sign-up/{play.game}", play.house.browser()
    before = len(play.house.letters(first_mail, "sign_up"))
    answers = [stranger.client.post(path, data={"mail": mail, "name": "Mallory", "dates": DAYS[0]})
               for mail in (first_mail, "nobody@new.example")]
    assert {(answer.status_code, answer.headers["location"]) for answer in answers} == {
        (303, f"{path}?notice=1")}, "nobody learns who is on the list"
    play.sign_up_by_mail(second, second_mail, ", ".join(play.variant.powers[each].name for each in wishes[2]))
    play.house.mail_in("eve@evil.example", f"Sign up - {play.story.game} - {first}", proof="fail")
    play.house.settle()
    assert len(play.house.letters(first_mail, "sign_up")) == before
    assert play.house.letters("eve@evil.example") == []
    assert f"{len(powers) + 1} on the list for {len(powers)} powers" in ada.says("/new-games")
    assert "@" not in stranger.says(path).replace("Mail address", "")
    return wishes


def powers_go_by_lots(play: LongPlay, ada: Browser, wishes: dict[int, list[str]]) -> None:
    """Drawn once, and again here by the sentences of the page; then the day is confirmed, and everybody is
    welcomed to the power that the lots gave them."""
    first_mail = next(iter(play.story.players.values()))[1]
    promise = words_of(play.house.letters(first_mail, "sign_up")[0])
    drawn = play.begin(ada, DAYS[0])
    assert sha256(drawn["seed"].encode()).hexdigest() in promise
    order, seats = drawn_again(drawn["lines"], wishes, list(play.variant.powers))
    assert (order, seats) == (drawn["order"], drawn["seats"])
    people = list(play.story.players.values())
    for power, number in seats.items():
        play.names[power], play.people[power] = people[number - 1]
        words = words_of(play.house.letters(play.people[power], "welcome")[-1])
        assert play.variant.powers[power].name in words
    first = play.phases()[0]
    assert (first.opens_at.date().isoformat(), first.state) == (DAYS[0], PhaseState.OPEN)


def options_are_chosen(play: LongPlay, ada: Browser) -> None:
    """As the story's game has them."""
    for option in play.story.options:
        play.switch_on(ada, option)


def another_game_begins(play: LongPlay, ada: Browser) -> None:
    """On the same site, with players and a coordinator of its own (BEY-07)."""
    form = ada.page("/games/new?variant=standard")
    powers = re.findall(r'name="player:([^"]+)"', form)
    ada.send("/games/new?variant=standard", "/games/new", variant="standard", name="Edgehill", start=DAYS[0],
             zone="Europe/London", review="none", threshold="",
             fields={f"player:{power}": f"Guest {power}" for power in powers}
             | {f"mail:{power}": guest(power) for power in powers})
    ada.send("/people", "/people/game-role", name="Bo", game=OTHER, role="coordinator")
    play.house.settle()


def the_table_changes(play: LongPlay, ada: Browser) -> None:
    """A player is away, the game pauses, and a seat goes to who waits for one; everybody is informed, and who
    has left gets in nowhere."""
    everybody, game = list(play.people.values()), f"/games/{play.game}"
    traveller, leaver = list(play.variant.powers)[:2]
    today = play.house.clock.now().date()
    player = play.house.visit(play.people[traveller])
    player.send("/public/me", f"/public/me/do/absence/{play.game}", first=str(today + timedelta(days=2)),
                last=str(today + timedelta(days=5)))
    before = {row.ordinal: row.deadline for row in play.phases() if row.state != PhaseState.SENT}
    ada.look_and_send(game, f"{game}/pause", days=str(PAUSE.days), why="Summer holidays for all")
    play.house.settle()
    after = {row.ordinal: row.deadline for row in play.phases() if row.state != PhaseState.SENT}
    assert after == {number: deadline + PAUSE for number, deadline in before.items()}
    deadlines = {row["number"]: row["deadline"] for row in play.ask("calendar")}
    assert {number: deadlines[number] for number in after} == {
        number: deadline.strftime("%Y-%m-%dT%H:%M:%SZ") for number, deadline in after.items()}
    feed = play.house.browser().page(f"{play.base}/calendar.ics")
    assert all(deadline.strftime("%Y%m%dT%H%M") in feed for deadline in after.values())
    # The seat.
    old_mail = play.people[leaver]
    old_browser = play.house.visit(old_mail)
    old_link = play.upload_link(old_browser)
    waiting = re.search(r'<option value="(\d+)">\d+: Wanda Late', ada.page(game))
    assert waiting is not None
    ada.look_and_send(
        game, f"{game}/seat", power=leaver, waiting=waiting[1], why="The player has moved abroad")
    play.people[leaver], play.names[leaver] = LATE[1], LATE[0]
    play.house.settle()
    names = {power: called(play.variant.powers[power]) for power in (traveller, leaver)}
    for address in everybody:
        words = " ".join(words_of(letter) for letter in play.house.letters(address, "announcement"))
        assert f"The player of {names[traveller]} is away from" in words
        assert f"The game pauses for {PAUSE.days} days" in words
        assert (f"{names[leaver][1:]} has another player from now on" in words) or address == old_mail
        assert not any(mail in words for mail in everybody if mail != address), "no address in a circular"
    assert names[leaver] in words_of(play.house.letters(LATE[1], "welcome")[-1])
    assert old_browser.client.get(old_link).status_code == 404
    assert old_browser.client.get(f"{play.base}/results").status_code == 403
    phase = next(row for row in play.phases() if row.state != PhaseState.SENT)
    play.house.mail_in(old_mail, play.subject(leaver, phase), [part(picture(200))])
    play.house.settle()
    assert [sheet for sheet in play.sheets(phase) if sheet.sender == old_mail] == []


# Comfort for a coordinator (BEY-07)
# ----------------------------------------------------------------------------------------------------------


def a_letter_is_worded(play: LongPlay, ada: Browser) -> None:
    """A sentence of the receipt in the coordinator's own words, seen before it is stored."""
    sentence = next(each for each in sentences_of("receipt", "en") if each.ours.startswith("This receipt is"))
    letter = f"/previews/{play.game}/receipt?power={next(iter(play.variant.powers))}"
    form = f"/previews/{play.game}/receipt/wording?language=en"
    wording = {field_of(sentence): OWN_WORDS}
    assert OWN_WORDS in plain(ada.send(form, form, 200, fields=wording, act="show").text)
    assert OWN_WORDS not in ada.says(letter)
    ada.send(form, form, fields=wording, act="keep")
    assert OWN_WORDS in ada.says(letter)


def the_letter_is_ours_again(play: LongPlay, ada: Browser) -> None:
    """One press, and no receipt has those words any more."""
    form = f"/previews/{play.game}/receipt/wording?language=en"
    ada.send(form, form, act="ours")


def two_coordinators_have_a_game_each(play: LongPlay, ada: Browser) -> None:
    """Ada sees the deadlines of both, with the work that they usually bring; Bo those of his game alone, and
    at Ada's game he is refused."""
    bo = play.house.at_desk("Bo")
    assert "Edgehill" in bo.says("/deadlines")
    assert play.story.game not in bo.says("/deadlines")
    for path in (f"/games/{play.game}", f"/results/{play.phases()[0].id}", f"/desk/{play.phases()[0].id}"):
        bo.page(path, 403)
    token = fields_of(bo.page(f"/games/{OTHER}"))["csrf"]
    refused = bo.client.post(
        f"/games/{play.game}/pause", data={"csrf": token, "days": "1", "why": "I may not do this"})
    assert refused.status_code == 403
    ahead = ada.says("/deadlines")
    assert "Edgehill" in ahead
    assert play.story.game in ahead
    assert re.search(r"usually \d+ lines?", ahead)


# Sheets (BEY-05, BEY-08)
# ----------------------------------------------------------------------------------------------------------


def sheets_come(play: LongPlay, title: str, *, is_last: bool, is_worded: bool) -> None:
    """By the page, by mail, as a photograph of ink and as the filled form, in turn; each has its receipt, and
    before the deadline no program learns that any came. On the last day all ask for a draw."""
    play.house.until(play.phase(title).opens_at)
    phase = play.phase(title)
    assert phase.state == PhaseState.OPEN
    public, photographed = play.everything_public(), play.photographs(title)
    before = {address: len(play.house.letters(address, "receipt")) for address in play.people.values()}
    for number, (power, orders) in enumerate(play.orders(title).items()):
        player = play.house.visit(play.people[power])
        if power in photographed:
            data, kind, name = photographed[power], "image/jpeg", "sheet.jpg"
        else:
            lines = [*orders, "I ask for the draw"] if is_last else orders
            data, kind, name = play.form(player, power, phase, lines), "application/pdf", "form.pdf"
        if number % 2:
            sent = play.upload(player, play.upload_link(player), data)
            assert sent.status_code == 200, sent.text
            assert set(sent.json()) == {
                "received", "when", "mail", "late", "photographs", "repeat"}, "and no reading"
            assert sent.json()["photographs"] == [sha256(data).hexdigest()]
        else:
            play.mail_sheet(power, phase, data, kind, name)
    play.house.settle()
    sheets = play.sheets(phase)
    assert sorted(sheet.power for sheet in sheets) == sorted(play.orders(title))
    assert {sheet.fate for sheet in sheets} == {"counts"}
    for power, address in play.people.items():
        receipts = play.house.letters(address, "receipt")[before[address]:]
        assert len(receipts) == (power in play.orders(title)), power
        assert [OWN_WORDS in words_of(letter) for letter in receipts] == [is_worded] * len(receipts)
    assert play.everything_public() == public, "nothing of a sheet is told before its results"


def the_deadline_passes(play: LongPlay, title: str) -> None:
    """What was typed is read letter by letter and waits for no one; and no program learns of it."""
    phase, public = play.phase(title), play.everything_public()
    play.house.until(phase.deadline + timedelta(minutes=1))
    assert play.phase(title).state in {PhaseState.CLOSED, PhaseState.READY}
    photographed = play.photographs(title)
    for power, orders in play.orders(title).items():
        if power not in photographed:
            lines = [line for owner, line in play.lines(phase) if owner == power]
            read = [line.order for line in lines if line.order is not None]
            assert read == orders
            assert {line.status for line in lines if line.order is not None} == {"auto"}
    # Which deadline is the next one ahead goes by the clock alone.
    assert play.everything_public() | {"": public[""]} == public


def results_go_out(
    play: LongPlay, ada: Browser, hand: ScriptedCoordinator, title: str, *, is_last: bool
) -> None:
    """The coordinator reads what is in doubt and approves. Every order fares as it was worked out by hand,
    the units are there, everybody has a letter, and what is one power's secret is in no other letter."""
    phase = play.phase(title)
    play.read(hand, title)
    if is_last:
        no_draw_is_open(play, ada, play.phase(title))
    hand.approve(phase.id)
    play.house.settle()
    phase = play.phase(title)
    assert phase.state == PhaseState.SENT
    judged, ids = play.outcomes(phase), {power.name: power.id for power in play.variant.powers.values()}
    for power, expected in play.story.expected[title].items():
        for order, (result, reason) in expected.items():
            became = judged[ids.get(power, power), order]
            assert became == (result, reason or became[1]), (title, power, order)
    for power, units in play.story.positions.get(title, {}).items():
        assert play.standing(phase, power) == set(units), (title, power)
    letters = {power: words_of([letter for letter in play.house.letters(address)
                                if "results." in str(letter["Message-ID"])][-1])
               for power, address in play.people.items()}
    assert all(phase.season in words and str(phase.year) in words for words in letters.values())
    for secret in play.story.secrets:
        for power, words in letters.items():
            if title in secret.phases and power != secret.power:
                assert [each for each in secret.words if each in words] == []


def no_draw_is_open(play: LongPlay, ada: Browser, phase: PhaseRow) -> None:
    """All ask for it on paper, and the rules open none at this position: nothing is changed (Q-30)."""
    game = f"/games/{play.game}"
    assert "There is no draw to agree on now" in ada.says(game)
    refused = ada.send(game, f"{game}/draw", 409, phase=phase.id, why="All have asked for it")
    assert "Nothing was changed: no draw is open" in plain(refused.text)


# Programs (BEY-06)
# ----------------------------------------------------------------------------------------------------------


def the_program_follows(play: LongPlay, title: str, receivers: Sequence[Receiver]) -> None:
    """It is told once, with a signature and without content; what it then reads is what the letters say."""
    phase, (good, *_) = play.phase(title), receivers
    def messages() -> list[dict[str, object]]:
        bodies = [json.loads(body) for _, _, body in good.came]
        return [each for each in bodies if (each["game"], each["number"]) == (play.game, phase.ordinal)]

    play.house.wait(lambda: bool(messages()))
    assert all(good.is_signed(headers, body) for _, headers, body in good.came)
    (message,) = messages()
    assert set(message) == {"event", "game", "phase", "number", "sent_at", "id"}
    assert message["event"] == "results"
    results = {power["power"]: power for power in play.ask(f"results/{phase.ordinal}")["powers"]}
    for power, expected in play.story.expected[title].items():
        shown = results[play.variant.powers[play.power_id(power)].name]["orders"]
        hidden = [order for order in expected if hides(order)]
        assert len(shown) == len(expected) - len(hidden)
        if not hidden:
            assert sorted(order["went_well"] for order in shown) == sorted(
                outcome.result == "succeeds" for outcome in expected.values())
    newest = play.ask("results")[0]
    assert (newest["number"], newest["phase"]) == (phase.ordinal, message["phase"])
    stranger = play.house.browser()
    assert newest["root"] in stranger.page(f"{play.base}/roots.atom")
    # Units are on the map where the game's rules put them there, and only when a year has ended (MAP-03).
    marks = play.house.ask(f"/games/{play.game}/map.svg", PROGRAM).text.count('class="unit"')
    assert play.story.options.get("units_on_map") or not marks


def two_receivers_are_bad(receivers: Sequence[Receiver]) -> None:
    """From now on one answers nothing for as long as it is let, and one answers that it failed."""
    _, hangs, fails = receivers
    hangs.goes_on.clear()
    fails.status = 500


def doors_are_tried_too_hard(play: LongPlay) -> None:
    """Too much for the page, a sheet for a power that is not theirs, a token that is taken out, a token of
    no one: each is refused with a sentence, and the game goes on."""
    power, other = list(play.variant.powers)[-2:]
    phase = next(row for row in play.phases() if row.state != PhaseState.SENT)
    play.house.until(phase.opens_at)
    browser = play.house.visit(play.people[power])
    link = play.upload_link(browser)
    large = play.upload(browser, link, b"\xff\xd8\xff" + bytes(TOO_MUCH))
    assert (large.status_code, "Nothing was" in large.text) == (413, True)
    wrong = play.upload(browser, link, picture(10), place=f"{phase.id} {other}")
    assert (wrong.status_code, "not yours" in wrong.text) == (403, True)
    assert play.sheets(phase) == []
    _, gone = TOKENS
    settings = play.house.site.settings
    digest = sha256(TOKENS[PROGRAM].encode()).hexdigest()
    play.house.site.renew(settings.model_copy(update={
        "web": settings.web.model_copy(update={"api_tokens": (digest,)})}))
    assert {program: play.house.ask("/games", program).status_code
            for program in (PROGRAM, gone, "c" * 64, "")} == {PROGRAM: 200, gone: 401, "c" * 64: 401, "": 401}
