"""A table to sit down at (BEY-04): sign-up by page and by mail, powers by lots that anybody draws again, the
game begun from its list, and a seat filled from those who wait."""

from __future__ import annotations

import hashlib
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

import maps
from service.feature import TEMPLATES
from service.features.sign_up import offers
from service.features.sign_up.power_lots import draw_powers, lines_of
from service.store.tables import (
    AddressRow,
    GameRow,
    MailState,
    OfferRow,
    OutboxRow,
    PlayerRow,
    PostalAddressRow,
    SeatRow,
    SignUpRow,
)
from tests.features.sign_up.redraw import drawn_again
from tests.support.desk_table import DeskTable, open_desk, plain
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.site import Site
from tests.support.table import SERVER, address, open_table

BASE = "https://orders.example.org"
OFFER = "/public/sign-up/edgehill"


@pytest.fixture
def desk(site: Site) -> DeskTable:
    desk_site = open_desk(open_table(site), base_url=BASE)
    answer = desk_site.post("/new-games", name="Edgehill", variant="w3k", dates="2027-06-01 2027-06-15",
                            note="Two letters a week.")
    assert answer.status_code == 303, plain(answer.text)
    return desk_site


def wish(desk: DeskTable, mail_address: str, name: str, powers: str = "", **more: str) -> Any:
    return desk.client.post(OFFER, data={
        "mail": mail_address, "name": name, "powers": powers, "dates": "2027-06-01", **more})


def link(desk: DeskTable, to: str) -> str:
    """The path in the newest letter to a person."""
    row = [row for row in desk.table.letters("sign_up") if row.recipient == to][-1]
    match = re.search(rf"{BASE}({OFFER}/[\w-]{{43}})", desk.table.words(row))
    assert match is not None
    return match[1]


def press(desk: DeskTable, path: str, do: str = "confirm", **more: str) -> Any:
    token = re.search(r'name="csrf" value="(\w+)"', desk.client.get(path).text)
    assert token is not None
    return desk.client.post(path, data={"csrf": token[1], "do": do, **more})


def join(desk: DeskTable, mail_address: str, name: str, powers: str = "", **more: str) -> None:
    assert wish(desk, mail_address, name, powers, **more).status_code == 303
    assert press(desk, link(desk, mail_address)).status_code == 303


def people(desk: DeskTable) -> list[SignUpRow]:
    with desk.table.site.store() as session:
        return list(session.scalars(select(SignUpRow).order_by(SignUpRow.number)))


def test_powers_are_drawn_as_the_page_says_and_anybody_can_draw_again() -> None:
    """BEY-04: by hand, from the page's four sentences."""
    wishes = {1: ["Ormond", "Argyll"], 2: ["Ormond"], 3: [], 5: ["Argyll", "Ormond"]}
    powers = ["Montrose", "Argyll", "Ormond", "Hamilton", "Crown"]
    lines = lines_of("edgehill", "5eed", wishes)
    assert lines[3:] == ("1: Ormond, Argyll", "2: Ormond", "3: -", "5: Argyll, Ormond")
    order, seats = drawn_again(lines, wishes, powers)
    drawn = draw_powers(lines, wishes, powers)
    assert (drawn.order, dict(drawn.seats)) == (tuple(order), seats)
    assert sorted(drawn.seats.values()) == [1, 2, 3, 5]
    with pytest.raises(ValueError, match="more sign-ups"):
        draw_powers(lines, wishes, powers[:3])


@pytest.mark.slow
def test_a_game_is_filled_drawn_begun_and_a_seat_is_taken_from_the_list(desk: DeskTable) -> None:
    """BEY-04, end to end: eleven people, ten powers, addresses, the first day, and one act of replacement."""
    names = [power.name for power in desk.table.variant.powers.values()]
    for index in range(11):
        join(desk, f"p{index}@home{index}.example", f"Person {index}",
             ", ".join([names[index % 3], names[(index + 1) % 10]]), home=f"{index} Street\nTown")
    assert [person.number for person in people(desk)] == list(range(1, 12))
    page = desk.text("/new-games")
    assert "11 on the list for 10 powers" in page
    assert "1 Jun 2027 (11 of 11 can)" in page
    with desk.table.site.store() as session:
        commitment = session.get_one(OfferRow, "edgehill").commitment
    assert commitment in desk.table.words(desk.table.letters("sign_up")[0])
    assert desk.post("/new-games/edgehill/begin", day="2027-06-01").status_code == 409
    assert desk.post("/new-games/edgehill/draw").status_code == 303
    assert desk.post("/new-games/edgehill/draw").status_code == 409
    with desk.table.site.store() as session:
        drawn = session.get_one(OfferRow, "edgehill").drawn or {}
    assert hashlib.sha256(drawn["seed"].encode()).hexdigest() == commitment
    lots = desk.client.get(f"{OFFER}/lots").text
    assert drawn["seed"] in lots
    assert not any(f"Person {index}" in lots or f"home{index}" in lots for index in range(11))
    assert 11 not in drawn["seats"].values(), "the first on the list play"
    assert desk.post("/new-games/edgehill/begin", day="2027-06-15").headers["location"] == (
        "/games/edgehill?notice=created")
    with desk.table.site.store() as session:
        seats = {row.power: session.get_one(PlayerRow, row.player_id or 0).name for row in session.scalars(
            select(SeatRow).where(SeatRow.game_id == "edgehill"))}
        homes = session.scalars(select(PostalAddressRow)).all()
        assert session.get_one(GameRow, "edgehill").name == "Edgehill"
    assert seats == {power: f"Person {number - 1}" for power, number in drawn["seats"].items()}
    assert sorted(home.lines[0] for home in homes) == sorted(f"{n} Street" for n in range(10))
    assert {row.recipient for row in desk.table.letters("welcome")} == {
        f"p{n}@home{n}.example" for n in range(10)}
    # One act: the next on the list takes a seat, brings the address, leaves the list; everybody is informed.
    (waiting,) = people(desk)
    assert "11: Person 10" in desk.text("/games/edgehill")
    answer = desk.press_twice("/games/edgehill/seat", power="Montrose", waiting=waiting.id,
                              why="The player has moved abroad")
    assert answer.headers["location"] == "/games/edgehill?notice=seat"
    announcements = [row for row in desk.table.letters("announcement") if row.game_id == "edgehill"]
    assert len({row.recipient for row in announcements}) == 10
    assert "Montrose has another player from now on" in desk.table.words(announcements[0])
    assert "Person 10" not in desk.table.words(announcements[0])
    with desk.table.site.store() as session:
        address = session.get_one(AddressRow, "p10@home10.example")
        assert session.get_one(SeatRow, ("edgehill", "Montrose")).player_id == address.player_id
    assert people(desk) == []
    assert desk.post("/new-games/edgehill/end").status_code == 303
    assert desk.client.get(OFFER).status_code == 404


def test_nobody_signs_up_somebody_else_or_learns_who_did(desk: DeskTable) -> None:
    join(desk, "ada@one.example", "Ada", "Montrose")
    # Again by a stranger: the same answer, no second letter, and her wishes stay.
    first = wish(desk, "ada@one.example", "Mallory", "Argyll")
    other = wish(desk, "eve@two.example", "Eve")
    assert (first.status_code, first.headers["location"]) == (other.status_code, other.headers["location"])
    assert len([row for row in desk.table.letters("sign_up") if row.recipient == "ada@one.example"]) == 1
    (ada, eve) = sorted(people(desk), key=lambda row: row.email)
    assert (ada.name, ada.preferences, ada.number, eve.number) == ("Ada", ["Montrose"], 1, None)
    # Looking at a link confirms nothing, and a form without its token neither.
    path = link(desk, "eve@two.example")
    assert desk.client.get(path).status_code == 200
    assert desk.client.post(path, data={"do": "confirm"}).status_code == 403
    assert desk.client.get(f"{OFFER}/{'x' * 43}").status_code == 404
    assert "ada" not in desk.client.get(OFFER).text.lower()
    assert "1 on the list" in plain(desk.client.get(OFFER).text)
    # Who withdraws, or never confirms, is forgotten.
    assert press(desk, path, "withdraw").status_code == 200
    assert [row.words for row in desk.table.letters("sign_up") if row.recipient == "eve@two.example"] == []
    with desk.table.site.store() as session:
        assert not session.scalars(select(OutboxRow).where(OutboxRow.words.contains("Dear Eve,"))).all()
    assert wish(desk, "bob@three.example", "Bob").status_code == 303
    desk.table.site.clock.set(desk.table.site.clock.now() + timedelta(days=8))
    assert wish(desk, "carl@four.example", "Carl").status_code == 303
    assert {row.email for row in people(desk)} == {"ada@one.example", "carl@four.example"}
    for values in ({"mail_address": "no address", "name": "X"}, {"mail_address": "x@y.example", "name": ""},
                   {"mail_address": "x@y.example", "name": "X", "powers": "Gondor"},
                   {"mail_address": "x@y.example", "name": "X", "home": "one line"},
                   {"mail_address": "x@y.example", "name": "X", "zone": "Mars/North"}):
        answer = wish(desk, **values)
        assert answer.status_code == 400
        assert "Nothing was sent" in plain(answer.text)
    with desk.table.site.store() as session:
        assert not session.scalars(select(OutboxRow).where(OutboxRow.recipient == "x@y.example")).all()


@pytest.mark.parametrize(("wrong", "why"), [
    ({"name": ""}, "Schreiben Sie den Namen"),
    ({"mail": "nonsense"}, "Das ist keine Mailadresse"),
    ({"powers": "Gondor"}, "Dieses Brett hat keine Macht „Gondor“. Unter dem Feld stehen alle"),
    ({"powers": "Monrose"}, "Meinten Sie Montrose?"),
    ({"zone": "Mars/North"}, "Die Zeitzone ist unbekannt"),
    ({"home": "one line"}, "Eine Anschrift hat wenigstens zwei Zeilen"),
])
def test_a_wrong_field_is_told_in_the_readers_language_and_costs_no_other(
    desk: DeskTable, wrong: dict[str, str], why: str
) -> None:
    """LET-10: German forms had English refusals, and the language that was chosen was lost."""
    fields = {"mail": "zoe@else.example", "name": "Zoë", "powers": "Ormond", "home": "Lane 1\nTown",
              "zone": "Europe/Berlin", "language": "en", "dates": "2027-06-15", **wrong}
    answer = desk.client.post(OFFER, data=fields, headers={"Accept-Language": "de"})
    assert answer.status_code == 400
    assert "Nichts wurde abgeschickt" in plain(answer.text)
    assert why in plain(answer.text)
    assert '<option value="en" lang="en" selected>' in answer.text
    assert 'value="2027-06-15" checked' in answer.text
    assert "15. Juni 2027" in answer.text
    assert people(desk) == []


def test_a_place_on_the_list_is_shown_in_the_language_of_its_person(desk: DeskTable) -> None:
    """LET-10: the letter was German, and the page behind its link as the browser happened to ask."""
    assert wish(desk, "zoe@else.example", "Zoë", language="de").status_code == 303
    letter = [row for row in desk.table.letters("sign_up") if row.recipient == "zoe@else.example"][-1]
    assert "1. Juni 2027" in desk.table.words(letter)
    answer = desk.client.get(link(desk, "zoe@else.example"), headers={"Accept-Language": "en"})
    assert answer.headers["content-language"] == "de"
    stale = desk.client.post(link(desk, "zoe@else.example"), data={"do": "confirm"},
                             headers={"Accept-Language": "en"})
    assert (stale.status_code, "Dieses Formular ist veraltet" in stale.text) == (403, True)


def test_who_signs_up_is_shown_the_games_and_no_way_for_players(desk: DeskTable) -> None:
    for path in ("/public/sign-up/naseby", "/public/sign-up/naseby/lots", f"{OFFER}/{'x' * 43}"):
        answer = desk.client.get(path)
        assert answer.status_code == 404
        assert '<a class="button" href="/public/sign-up">' in answer.text
        assert "/public/entry" not in answer.text.partition("<main")[2].partition("</main>")[0]


def mailed(subject: str, sender: str = "grace@hopper.example", result: str = "pass") -> bytes:
    return mail(subject, sender, parts=[text("Hello")],
                stamps=[stamp(sender.rpartition("@")[2], result, SERVER)])


def test_a_proved_sender_signs_up_by_the_subject_of_a_mail(desk: DeskTable) -> None:
    now = desk.table.site.clock.now()
    row = desk.table.take(mailed("Re: Sign up - Edgehill - Grace Hopper - Ormond, Gondor, the Crown"), now)
    assert (row.state, row.reason) == (MailState.USED, "sign_up")
    (grace,) = people(desk)
    assert (grace.number, grace.name, grace.email) == (1, "Grace Hopper", "grace@hopper.example")
    assert [desk.table.variant.powers[power].name for power in grace.preferences] == ["Ormond", "The Crown"]
    words = desk.table.words(desk.table.letters("sign_up")[-1])
    assert "You are number 1 on the list for Edgehill" in words
    assert "Ormond, The Crown" in words
    # The newer subject changes the wish, and the place stays.
    desk.table.take(mailed("Sign up: Edgehill; Grace Hopper; Argyll"), now)
    (grace,) = people(desk)
    assert (grace.number, grace.preferences) == (1, ["Argyll"])
    # Not proved, no such game, no name: as any other mail.
    for raw in (mailed("Sign up - Edgehill - Eve - Argyll", "eve@evil.example", "fail"),
                mailed("Sign up - Naseby - Eve - Argyll", "eve@other.example"),
                mailed("Sign up - Edgehill", "eve@other.example")):
        assert desk.table.take(raw, now).state == MailState.QUARANTINED
    assert len(people(desk)) == 1
    # With a photograph it is a sheet, whatever a player's subject states.
    player = address("Montrose")
    photographed = mail("Sign up - Edgehill - Monty", player, parts=[text(), part(picture(90))],
                        stamps=[stamp(player.rpartition("@")[2], "pass", SERVER)])
    assert desk.table.take(photographed, now).reason != "sign_up"
    # The coordinator takes a person off the list.
    assert desk.post("/new-games/edgehill/remove", person=grace.id).status_code == 303
    assert people(desk) == []
    assert desk.post("/new-games/edgehill/remove", person=grace.id).status_code == 409


@pytest.mark.slow
@pytest.mark.parametrize("slug", maps.variants())
def test_a_full_table_of_each_game_is_seated_by_lots(slug: str) -> None:
    powers = list(maps.load(slug).powers)
    wishes = {number: [powers[number % 2]] for number in range(1, len(powers) + 1)}
    seating = draw_powers(lines_of(slug, "5eed", wishes), wishes, powers)
    assert sorted(seating.seats) == sorted(powers)
    assert sorted(seating.seats.values()) == sorted(wishes)
    # Everybody needs one of two powers: both go to people who asked for them.
    assert all(wishes[seating.seats[power]] == [power] for power in powers[:2])


def test_every_sentence_that_the_desk_page_asks_for_is_there() -> None:
    asked = set(re.findall(r'/new-games\?notice=([a-z-]+)"', Path(offers.__file__).read_text("utf-8")))
    page = (TEMPLATES / "sign_up/offers.html").read_text("utf-8")
    assert asked == set(re.findall(r'^  "([a-z-]+)":', page, re.MULTILINE))


def test_a_form_of_the_desk_that_was_not_taken_leads_back_to_its_page(desk: DeskTable) -> None:
    answer = desk.client.post("/new-games")
    assert answer.status_code in {400, 403}
    assert '<a class="button" href="/new-games">Back to the page of this form</a>' in answer.text
