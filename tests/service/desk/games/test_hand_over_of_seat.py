"""A seat that changes hands: everything that belonged to it goes along, and everything personal of the one
before ends (LIST-01, LIST-04, LIST-05, CAL-16)."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from ical.calendar_stream import IcsCalendarStream

from adjudicator.serialize import codec
from service.clock import SimulatedClock
from service.games.phases import phase_of
from service.games.results import unit_text
from service.mail.sending.compose import Attachment, OutLetter
from service.mail.sending.outbox import put
from service.notices.broadcasts import Broadcasts
from service.public.visits import COOKIE
from service.store.tables import PhaseState
from tests.support.desk_table import DeskTable, open_desk
from tests.support.site import Site
from tests.support.table import address, open_table

BASE = "https://orders.example.org"
NEW = "bea@new.example"


@pytest.fixture
def desk(site: Site) -> DeskTable:
    return open_desk(open_table(site), base_url=BASE, wall=SimulatedClock(site.clock.now()))


def taken_over(desk: DeskTable, power: str = "Argyll") -> None:
    answer = desk.press_twice(
        f"/games/{desk.table.game}/seat", power=power, name="Bea", mail=NEW, zone="Asia/Tokyo",
        why="The player has moved to the colonies.")
    assert answer.status_code == 303


def link(desk: DeskTable, mail: str) -> str | None:
    """The path of a link asked for by an address; None where none is mailed."""
    before = len(desk.table.letters("link"))
    desk.client.post("/public/entry", data={"mail": mail})
    rows = desk.table.letters("link")
    match = (
        re.search(rf"{BASE}(/public/me/[\w-]{{43}})", desk.table.words(rows[-1]))
        if len(rows) > before
        else None
    )
    return None if match is None else match.group(1)


def visit(desk: DeskTable, mail: str) -> TestClient:
    path = link(desk, mail)
    assert path is not None
    browser = TestClient(desk.client.app, base_url="http://testserver", follow_redirects=False)
    browser.cookies.set(COOKIE, browser.post(path).cookies[COOKIE])
    return browser


def feed_of(browser: TestClient) -> str:
    match = re.search(rf"{BASE}(/public/calendar/[\w-]+\.ics)", browser.get("/public/me").text)
    assert match is not None
    return match.group(1)


def renew(browser: TestClient) -> int:
    match = re.search(r'name="csrf" value="([0-9a-f]+)"', browser.get("/public/me").text)
    assert match is not None
    return int(browser.post("/public/me/do/feed", data={"csrf": match.group(1)}).status_code)


def test_the_links_of_the_one_before_end_with_the_seat(desk: DeskTable) -> None:
    """LIST-04: the visit under way, the link not yet used, the calendar, and no new link is mailed."""
    old = visit(desk, address("Argyll"))
    waiting, feed = link(desk, address("Argyll")), feed_of(old)
    assert (old.get("/public/me").status_code, desk.client.get(feed).status_code) == (200, 200)
    taken_over(desk)
    assert old.get("/public/me").status_code == 403
    for page in ("players", "file", "envelopes.pdf", "labels.pdf"):
        assert old.get(f"/public/{desk.table.game}/{page}").status_code == 403, page
    assert desk.client.get(str(waiting)).status_code == 404
    assert desk.client.post(str(waiting)).status_code == 404
    assert desk.client.get(feed).status_code == 404
    assert link(desk, address("Argyll")) is None


def test_the_files_of_a_letter_that_did_not_fit_end_with_the_seat(desk: DeskTable) -> None:
    """Section 5: what lies behind a letter's link is the reader's while they play; the other game's stays
    theirs."""
    letter = OutLetter(
        "key/1", "year_end_results", address("Argyll"), "Results", "Words.\n",
        html="<main><p>Words.</p></main>",
        attachments=(Attachment("map.pdf", "application/pdf", b"%PDF-1.7 " + b"x" * 300_000),),
        game_id=desk.table.game,
    )
    with desk.table.site.store.begin() as session:
        assert put(session, desk.table.site.blobs, letter, sender="Galloper <orders@galloper.example>",
                   now=desk.table.site.clock.now(), max_bytes=100_000, base_url=BASE)
    match = re.search(
        rf"{BASE}(/public/letter/[0-9a-f]{{64}})",
        desk.table.words(desk.table.letters("year_end_results")[-1]),
    )
    assert match is not None
    assert desk.client.get(match.group(1)).status_code == 200
    taken_over(desk)
    assert desk.client.get(match.group(1)).status_code == 404
    assert desk.client.get(f"{match.group(1)}/0").status_code == 404


def test_the_new_player_has_the_seat_the_list_the_file_and_a_calendar_of_their_own(desk: DeskTable) -> None:
    """LIST-01, LIST-05, CAL-16: and reads nothing that the one before sent in."""
    desk.table.take(desk.table.mail("Argyll"), desk.table.site.clock.now())
    before = feed_of(visit(desk, address("Argyll")))
    taken_over(desk)
    new = visit(desk, NEW)
    page = new.get(f"/public/{desk.table.game}/players").text
    assert "Bea" in page
    assert "Player Argyll" not in page
    assert "Nothing yet." in new.get(f"/public/{desk.table.game}/file").text
    feed = feed_of(new)
    assert feed != before
    events = IcsCalendarStream.calendar_from_ics(desk.client.get(feed).text).events
    assert len(events) == len(desk.table.phases())
    assert "Bea" in visit(desk, address("Montrose")).get(f"/public/{desk.table.game}/players").text


def test_between_two_phases_the_new_player_is_welcomed_to_the_one_that_opens_next(desk: DeskTable) -> None:
    """OUT-01, BEY-04: with its deadline and with the units as they are, also where the results of the phase
    before are not sent yet."""
    table = desk.table
    first, second = table.phase(), table.phase(2)
    table.set_phase(state=PhaseState.READY)
    before = table.position(1)
    # Not the opening position: Argyll has lost an army since.
    stands = replace(before, units=frozenset(
        unit for unit in before.units if unit.region.province != "Edinburgh"))
    table.set_phase(position=codec.dump_position(stands))
    table.site.clock.set(first.deadline + timedelta(hours=1))
    assert second.state == PhaseState.WAITING
    taken_over(desk)
    (letter,) = [row for row in table.letters("welcome") if row.recipient == NEW]
    words = table.words(letter)
    assert table.subject("Argyll", 1, phase_of(second)) in words
    listed = words.partition("YOUR UNITS")[2]
    assert all(unit_text(table.variant, unit) in listed for unit in stands.units if unit.power == "Argyll")
    assert "Army Edinburgh" not in listed


def test_who_holds_another_seat_keeps_what_belongs_to_that_one(desk: DeskTable) -> None:
    """NON-05: Bea holds two powers of the game and gives one away."""
    taken_over(desk)
    taken_over(desk, "Ormond")
    browser = visit(desk, NEW)
    desk.press_twice(
        f"/games/{desk.table.game}/seat", power="Ormond", name="Cy", mail="cy@new.example", zone="UTC",
        why="Too much to do.",
    )
    assert browser.get("/public/me").status_code == 200
    page = browser.get(f"/public/{desk.table.game}/players").text
    assert page.count("(you)") == 1


def test_a_calendar_address_is_secret_and_can_be_changed(desk: DeskTable) -> None:
    """CAL-16: 192 bits of chance; the one before opens nothing any more."""
    browser = visit(desk, address("Montrose"))
    first = feed_of(browser)
    assert feed_of(browser) == first
    assert len(first.removeprefix("/public/calendar/").removesuffix(".ics")) == 32
    assert first != feed_of(visit(desk, address("Argyll")))
    assert renew(browser) == 303
    second = feed_of(browser)
    assert (desk.client.get(first).status_code, desk.client.get(second).status_code) == (404, 200)


def test_the_welcome_gives_each_player_the_address_of_their_own_calendar(desk: DeskTable) -> None:
    """OUT-01, CAL-16: the same that their entry shows, and no one else's."""
    writer = desk.table.writer
    writer = replace(writer, sender=replace(writer.sender, base_url=BASE))
    with desk.table.site.store.begin() as session:
        Broadcasts(writer).welcome(session, desk.table.game)
    letters = {row.recipient: desk.table.words(row) for row in desk.table.letters("welcome")}
    feeds = {to: re.findall(r"/public/calendar/[\w-]+\.ics", words) for to, words in letters.items()}
    assert all(len(player_feeds) == 1 for player_feeds in feeds.values())
    assert len({player_feeds[0] for player_feeds in feeds.values()}) == len(desk.table.variant.powers)
    assert feeds[address("Montrose")] == [feed_of(visit(desk, address("Montrose")))]
