"""Pages for players behind a link that works once: their entry, the list of players, envelopes, their own
file; and blank sheets for anybody (LIST-01 to LIST-05, POST-01, POST-04, POST-06, POST-07)."""

from __future__ import annotations

import importlib
import io
import pkgutil
import re
from datetime import timedelta

import pypdfium2
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

import service.public
from service.clock import SimulatedClock
from service.games.results import unit_text
from service.notices.links import LINKS_AN_HOUR
from service.public.visits import COOKIE, LINK_HOURS, VISIT_HOURS
from service.store import records
from service.store.tables import (
    EventRow,
    LineState,
    PhaseRow,
    PhaseState,
    PlayerRow,
    PostalAddressRow,
    SeatRow,
    SubmissionRow,
)
from tests.support.desk_table import DeskTable, open_desk, plain
from tests.support.site import Site
from tests.support.table import address, open_table

BASE = "https://orders.example.org"
HOME = "1 High Street\nInverness"


@pytest.fixture
def desk(site: Site) -> DeskTable:
    desk_site = open_desk(open_table(site), base_url=BASE, wall=SimulatedClock(site.clock.now()))
    desk_site.client.cookies.clear()
    return desk_site


def ask(desk: DeskTable, mail: str) -> str:
    """Ask for a link; the words of the answer."""
    answer = desk.client.post("/public/entry", data={"mail": mail})
    assert answer.status_code == 303
    return desk.text(str(answer.headers["location"]))


def mailed(desk: DeskTable) -> str:
    """The path of the newest mailed link."""
    row = desk.table.letters("link")[-1]
    match = re.search(rf"{BASE}(/public/me/[\w-]{{43}})", desk.table.words(row))
    assert match is not None
    return match.group(1)


def visit(desk: DeskTable, power: str) -> TestClient:
    """A browser in which a power's player has opened their entry."""
    ask(desk, address(power))
    browser = TestClient(desk.client.app, base_url="http://testserver", follow_redirects=False)
    answer = browser.post(mailed(desk))
    assert (answer.status_code, answer.headers["location"]) == (303, "/public/me")
    browser.cookies.set(COOKIE, answer.cookies[COOKIE])
    return browser


def token(browser: TestClient) -> str:
    match = re.search(r'name="csrf" value="([0-9a-f]+)"', browser.get("/public/me").text)
    assert match is not None
    return match.group(1)


def add(browser: TestClient, lines: str, first: str = "", last: str = "") -> tuple[int, str]:
    answer = browser.post(
        "/public/me/do/address", data={"csrf": token(browser), "lines": lines, "first": first, "last": last}
    )
    return answer.status_code, answer.text


def test_a_stranger_is_shown_the_way_and_never_the_desk(desk: DeskTable) -> None:
    """LIST-04: what happened and what to do, on every public address, known or not."""
    for path in (
        "/public/me", "/public/me/no-such-secret", "/public/no-such-game", "/public/a/b/c",
        "/public/letter/x",
    ):
        answer = desk.client.get(path)
        assert answer.status_code in {403, 404}, path
        assert 'href="/public/entry"' in answer.text, path
        assert "Inbox" not in answer.text, path


# The link
# ----------------------------------------------------------------------------------------------------------


def test_a_link_comes_by_mail_to_its_player_alone_and_works_once(desk: DeskTable) -> None:
    """LIST-04."""
    # People write their address in any case; mail is compared in lower case.
    ask(desk, address("Montrose").upper())
    (row,) = desk.table.letters("link")
    assert row.recipient == address("Montrose")
    assert desk.table.message(row)["Auto-Submitted"] == "auto-generated"
    path = mailed(desk)
    for _ in range(2):  # a program that looks at mails opens every link in them
        assert "Open my entry" in desk.text(path)
    # Neither a cache nor the next page learns the link (SEC-05).
    headers = desk.client.get(path).headers
    assert (headers["cache-control"], headers["referrer-policy"]) == ("private, no-store", "no-referrer")
    assert desk.client.post(path).status_code == 303
    assert "was used before" in desk.text(path, 404)
    assert desk.client.post(path).status_code == 404


def test_nobody_learns_whether_an_address_is_registered(desk: DeskTable) -> None:
    known, unknown = ask(desk, address("Montrose")), ask(desk, "stranger@example.org")
    # Two different answers would tell a stranger who plays, one guess at a time.
    assert known == unknown
    assert [row.recipient for row in desk.table.letters("link")] == [address("Montrose")]


def test_links_end_and_are_few(desk: DeskTable) -> None:
    # Else anybody who knows an address could fill its mailbox through this form.
    for _ in range(LINKS_AN_HOUR + 2):
        ask(desk, address("Montrose"))
    assert len(desk.table.letters("link")) == LINKS_AN_HOUR
    path = mailed(desk)
    desk.table.site.clock.advance(LINK_HOURS + timedelta(seconds=1))
    assert desk.client.post(path).status_code == 404


def test_a_visit_ends_by_itself_and_by_hand(desk: DeskTable) -> None:
    browser = visit(desk, "Montrose")
    assert browser.get("/public/me").status_code == 200
    browser.post("/public/me/do/leave", data={"csrf": token(browser)})
    assert browser.get("/public/me").status_code == 403
    browser = visit(desk, "Argyll")
    desk.table.site.clock.advance(VISIT_HOURS + timedelta(seconds=1))
    assert browser.get("/public/me").status_code == 403


def test_a_player_ends_every_visit_and_every_unused_link(desk: DeskTable) -> None:
    """SEC-05: for anyone who lost a letter, or a browser that is still open."""
    lost, present = visit(desk, "Montrose"), visit(desk, "Montrose")
    stranger = visit(desk, "Argyll")
    ask(desk, address("Montrose"))
    link = mailed(desk)
    present.post("/public/me/do/leave", data={"csrf": token(present), "every": "1"})
    assert [each.get("/public/me").status_code for each in (lost, present, stranger)] == [403, 403, 200]
    assert desk.client.post(link).status_code == 404


def test_the_secret_of_a_link_is_no_cookie_and_a_made_up_one_opens_nothing(desk: DeskTable) -> None:
    ask(desk, address("Montrose"))
    # A link's secret must be used up first: as a cookie it would open a visit without that.
    for secret in (mailed(desk).rpartition("/")[2], "x" * 43, ""):
        desk.client.cookies.set(COOKIE, secret)
        assert desk.client.get("/public/me").status_code == 403


# One's entry
# --------------------------------------------------------------------------------------------------------


def test_a_player_keeps_their_addresses_and_every_change_is_on_record(desk: DeskTable) -> None:
    """LIST-02, LIST-04, LIST-05: rows are ended, never rewritten, and the log has no address in it."""
    browser = visit(desk, "Montrose")
    assert add(browser, HOME)[0] == 303
    assert add(browser, "Lodge 7\nSkye", "2027-06-01", "2027-06-30")[0] == 303
    assert "Lodge 7, Skye" in browser.get("/public/me").text
    with desk.table.site.store() as session:
        rows = session.scalars(select(PostalAddressRow).order_by(PostalAddressRow.id)).all()
        assert [(row.lines, row.made_by) for row in rows] == [
            (HOME.split("\n"), "player"), (["Lodge 7", "Skye"], "player"),
        ]
    browser.post(f"/public/me/do/address/{rows[1].id}/end", data={"csrf": token(browser)})
    assert "Lodge 7" not in browser.get("/public/me").text
    with desk.table.site.store() as session:
        assert session.get_one(PostalAddressRow, rows[1].id).ended_by == "player"
        changes = session.scalars(select(EventRow).where(EventRow.what == "entry_changed")).all()
    assert [change.detail["change"] for change in changes] == ["an address was added"] * 2 + [
        "an address was taken off"
    ]
    assert "High Street" not in str([change.detail for change in changes])


@pytest.mark.parametrize(("lines", "first", "last", "why"), [
    ("Bath", "", "", "at least two lines"), ("a\nb", "2027-06-30", "2027-06-01", "ends before it begins"),
    ("a\nb", "June", "", "like 2027-03-14"), ("x" * 70 + "\nBath", "", "", "longer than 60"),
])  # fmt: skip
def test_an_address_that_cannot_be_is_refused_with_its_reason(
    desk: DeskTable, lines: str, first: str, last: str, why: str
) -> None:
    code, page_text = add(visit(desk, "Montrose"), lines, first, last)
    assert code == 400
    assert "Nothing was changed." in page_text
    assert why in page_text


def test_a_refusal_is_said_in_the_players_language_with_a_way_back(desk: DeskTable) -> None:
    """LET-10: German pages had English refusals, and the only way out of one was to ask for a new link."""
    with desk.table.site.store.begin() as session:
        seat = session.get_one(SeatRow, (desk.table.game, "Montrose"))
        session.get_one(PlayerRow, seat.player_id).language = "de"
    browser = visit(desk, "Montrose")
    add(browser, "Lodge 7\nSkye", "2027-06-01", "2027-06-30")
    away = {"first": "2020-01-01", "last": "2020-01-02", "csrf": token(browser)}
    for page_text, why in (
        (add(browser, "Bath")[1], "Nichts wurde geändert. Eine Anschrift hat wenigstens zwei Zeilen"),
        (add(browser, "x" * 70 + "\nBath")[1], "ist länger als 60 Zeichen"),
        (add(browser, "a\nb\nc\nd\ne\nf\ng\nh\ni")[1], "Platz für 7 Zeilen"),
        (add(browser, "a\nb", "2027-06-30", "2027-06-01")[1], "Die Reise endet, ehe sie beginnt"),
        (add(browser, "a\nb", "June")[1], "Schreiben Sie Tage in der Form 2027-03-14"),
        (add(browser, "Tent 3\nMull", "2027-06-30", "2027-07-04")[1],
         "vom 1. Juni 2027 bis zum 30. Juni 2027"),
        (browser.post(f"/public/me/do/absence/{desk.table.game}", data=away).text,
         "Der letzte Tag ist heute oder später"),
        (browser.post(f"/public/me/do/absence/{desk.table.game}", data={**away, "row": "99"}).text,
         "Diese Abwesenheit steht nicht auf der Liste"),
    ):
        assert why in plain(page_text)
        assert 'href="/public/me"' in page_text
    # What was typed is given back below the words of its form.
    words = plain(add(browser, "Bath", "2027-06-30", "2027-07-04")[1])
    assert "Anschrift Bath Erster Tag 2027-06-30 Letzter Tag 2027-07-04" in words


def test_overlapping_journeys_are_refused_naming_the_other(desk: DeskTable) -> None:
    browser = visit(desk, "Montrose")
    assert add(browser, "Lodge 7\nSkye", "2027-06-01", "2027-06-30")[0] == 303
    code, page_text = add(browser, "Tent 3\nMull", "2027-06-30", "2027-07-04")
    assert (code, "from 1 Jun 2027 to 30 Jun 2027" in page_text) == (409, True)


def test_an_address_in_another_script_and_a_name_with_line_breaks(desk: DeskTable) -> None:
    with desk.table.site.store.begin() as session:
        player = session.get_one(PlayerRow, session.get_one(SeatRow, (desk.table.game, "Montrose")).player_id)
        player.name = "Ада\r\nЛавлейс"
    browser = visit(desk, "Montrose")
    add(browser, "ул. Ленина 5\n101000 Москва")
    pdf = visit(desk, "Argyll").get(f"/public/{desk.table.game}/envelopes.pdf")
    text = pypdfium2.PdfDocument(io.BytesIO(pdf.content))[0].get_textpage().get_text_range()
    assert text.split("\r\n") == ["Ада Лавлейс", "ул. Ленина 5", "101000 Москва"]


def test_settings_are_kept_and_a_wrong_clock_is_refused(desk: DeskTable) -> None:
    """OUT-11: reminders are asked for by the player."""
    browser = visit(desk, "Montrose")
    browser.post(
        "/public/me/do/settings", data={"csrf": token(browser), "zone": "Asia/Tokyo", "reminders": "yes"}
    )
    with desk.table.site.store() as session:
        player = session.get_one(PlayerRow, session.get_one(SeatRow, (desk.table.game, "Montrose")).player_id)
        assert (player.zone, player.reminders) == ("Asia/Tokyo", True)
    wrong = browser.post("/public/me/do/settings", data={"csrf": token(browser), "zone": "Mars/Olympus"})
    assert (wrong.status_code, "Nothing was changed" in wrong.text) == (400, True)


def test_a_player_chooses_the_language_of_letters_and_pages(desk: DeskTable) -> None:
    """LET-10. Orders stay in the game's language; a stranger's pages are in the browser's."""
    browser, page = visit(desk, "Montrose"), f"/public/{desk.table.game}"
    assert browser.get("/public/me", headers={"Accept-Language": "de"}).headers["content-language"] == "en"
    browser.post("/public/me/do/settings", data={
        "csrf": token(browser), "zone": "Europe/Berlin", "language": "de"})
    answer = browser.get("/public/me?notice=settings")
    assert '<html lang="de">' in answer.text
    assert "Ihre Einstellungen sind gespeichert." in answer.text
    with desk.table.site.store() as session:
        to = desk.table.writer.recipient(session, address("Montrose"), "Montrose")
    assert (to.language, to.zone, to.name) == ("de", "Europe/Berlin", "Player Montrose")
    desk.table.take(desk.table.mail("Montrose"), desk.table.site.clock.now())
    words = desk.table.words(desk.table.letters("receipt")[-1])
    assert "Ihr Blatt für Montrose ist angekommen: Summer 1642 Movement Orders, Version 1." in words
    assert "Powick Bridge - Montrose - Summer 1642 - Movement Orders - v2" in words
    # Another player's stay as they were, and a language that we lack changes nothing.
    assert '<html lang="en-GB">' in visit(desk, "Argyll").get("/public/me").text
    wrong = browser.post("/public/me/do/settings", data={
        "csrf": token(browser), "zone": "Europe/Berlin", "language": "tlh"})
    assert wrong.status_code == 400
    assert "Nichts wurde geändert: In dieser Sprache gibt es keine Briefe." in wrong.text
    stranger = TestClient(desk.client.app, base_url="http://testserver")
    for asked, expected in (("de-AT,de;q=0.9,en;q=0.5", "de"), ("fr, en;q=0.8, de;q=0.1", "en"), ("", "en"),
                            ("*;q=x,,;", "en")):
        assert stranger.get(page, headers={"Accept-Language": asked}).headers["content-language"] == expected


def test_the_game_page_opens_a_players_own_mails_and_tells_no_stranger_the_address(desk: DeskTable) -> None:
    """LET-08."""
    page = f"/public/{desk.table.game}"
    player_page = visit(desk, "Montrose").get(page).text
    assert ('href="mailto:orders@galloper.example?subject=Powick%20Bridge%20-%20Montrose%20-%20Summer%201642'
            '%20-%20Movement%20Orders%20-%20v1">Montrose</a>') in player_page
    assert player_page.count("mailto:") == 1
    stranger = TestClient(desk.client.app, base_url="http://testserver").get(page).text
    assert "orders@galloper.example" not in stranger
    assert "mailto:" not in stranger


def test_a_form_without_its_token_changes_nothing(desk: DeskTable) -> None:
    browser, other = visit(desk, "Montrose"), visit(desk, "Argyll")
    for csrf in ("", token(other)):
        assert browser.post("/public/me/do/address", data={"csrf": csrf, "lines": HOME}).status_code in {
            400, 403,
        }
    with desk.table.site.store() as session:
        assert session.scalars(select(PostalAddressRow)).all() == []


def test_nobody_takes_off_an_address_of_somebody_else(desk: DeskTable) -> None:
    browser, other = visit(desk, "Montrose"), visit(desk, "Argyll")
    add(browser, HOME)
    assert other.post("/public/me/do/address/1/end", data={"csrf": token(other)}).status_code == 404
    assert "High Street" in browser.get("/public/me").text


# The list
# ----------------------------------------------------------------------------------------------------------


def test_the_list_is_for_players_of_the_game_and_has_everybody(desk: DeskTable) -> None:
    """LIST-01, LIST-05."""
    add(visit(desk, "Montrose"), HOME)
    path = f"/public/{desk.table.game}/players"
    assert desk.client.get(path).status_code == 403
    page = visit(desk, "Argyll").get(path).text
    for power in desk.table.variant.powers.values():
        assert f"<h2>{power.name}</h2>" in page
    assert HOME in page
    # Nine of ten powers have given none yet.
    assert page.count("No postal address is known.") == 9
    assert "@" not in page
    browser = visit(desk, "Argyll")
    with desk.table.site.store.begin() as session:
        session.get_one(SeatRow, (desk.table.game, "Argyll")).player_id = None
    assert browser.get(path).status_code == 403


def test_near_a_journeys_end_the_list_says_to_write_to_both(desk: DeskTable) -> None:
    """LIST-03."""
    browser = visit(desk, "Montrose")
    add(browser, HOME)
    add(browser, "Lodge 7\nSkye", "2027-06-01", "2027-06-30")
    path = f"/public/{desk.table.game}/players"
    for day, to_both, lodge in (
        ("2027-05-28", True, True), ("2027-06-15", False, True), ("2027-08-01", False, False),
    ):
        page = browser.get(f"{path}?day={day}").text
        assert ("post to both addresses" in page) == to_both, day
        assert ("Lodge 7" in page) == lodge, day
    assert browser.get(f"{path}?day=soon").status_code == 400


def test_envelopes_go_to_the_others_with_ones_own_return_address(desk: DeskTable) -> None:
    """POST-01, POST-04: the sender is named even where two share a household; nothing of the game is
    outside."""
    add(visit(desk, "Montrose"), HOME)
    browser = visit(desk, "Argyll")
    assert browser.get(f"/public/{desk.table.game}/labels.pdf").status_code == 200
    add(browser, HOME)
    document = pypdfium2.PdfDocument(
        io.BytesIO(browser.get(f"/public/{desk.table.game}/envelopes.pdf").content)
    )
    # Only Montrose has an address, and no one writes to themselves.
    assert len(document) == 1
    lines = document[0].get_textpage().get_text_range().split("\r\n")
    assert lines == [
        "Player Argyll", "1 High Street", "Inverness", "Player Montrose", "1 High Street", "Inverness",
    ]


def test_an_accommodation_is_on_the_list(desk: DeskTable) -> None:
    """POST-06."""
    with desk.table.site.store.begin() as session:
        player = session.get_one(PlayerRow, session.get_one(SeatRow, (desk.table.game, "Ormond")).player_id)
        player.accommodation = "letters go by mail to Mr Quill, who posts them"
    assert "Mr Quill, who posts them" in visit(desk, "Argyll").get(f"/public/{desk.table.game}/players").text


# One's file
# ---------------------------------------------------------------------------------------------------------


def owned(desk: DeskTable, power: str, version: int = 1) -> int:
    """A paper on file that the power's player sent."""
    key = desk.table.file(power, ["A London H"], version=version, heading=(power,))
    with desk.table.site.store.begin() as session:
        seat = session.get_one(SeatRow, (desk.table.game, power))
        session.get_one(SubmissionRow, key).player_id = seat.player_id
    return key


def test_my_file_has_my_papers_and_nobody_elses(desk: DeskTable) -> None:
    """NON-02: versions, instants and digests; no reading, no order, no other power."""
    owned(desk, "Montrose")
    owned(desk, "Montrose", 2)
    owned(desk, "Argyll")
    browser, path = visit(desk, "Montrose"), f"/public/{desk.table.game}/file"
    page = browser.get(path).text
    assert page.count("Montrose, version") == 2
    assert "Argyll" not in page
    assert "London" not in page
    pages = re.findall(rf'href="({path}/\d+\.jpg)"', page)
    assert len(pages) == 2
    assert browser.get(pages[0]).content.startswith(b"\xff\xd8")
    assert visit(desk, "Argyll").get(pages[0]).status_code == 404
    assert desk.client.get(path).status_code == 403
    assert desk.client.get(pages[0]).status_code == 403


def test_a_held_sheet_waits_for_somebody_with_a_large_letter_in_german(desk: DeskTable) -> None:
    """"Wartet auf die spielleitung": every letter but the first was made small."""
    table = desk.table
    table.take(table.mail("Montrose"), table.site.clock.now())
    with table.site.store.begin() as session:
        seat = session.get_one(SeatRow, (table.game, "Montrose"))
        session.get_one(PlayerRow, seat.player_id).language = "de"
        session.scalars(select(SubmissionRow)).one().fate = "held"
    assert "Wartet auf die Spielleitung." in visit(desk, "Montrose").get(f"/public/{table.game}/file").text


def test_who_takes_a_seat_over_does_not_read_what_was_sent_before(desk: DeskTable) -> None:
    owned(desk, "Montrose")
    with desk.table.site.store.begin() as session:
        # Argyll's player takes Montrose over as well.
        after = session.get_one(SeatRow, (desk.table.game, "Argyll")).player_id
        session.get_one(SeatRow, (desk.table.game, "Montrose")).player_id = after
    assert "Nothing yet." in visit(desk, "Argyll").get(f"/public/{desk.table.game}/file").text


# Paper for anybody
# --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_anybody_prints_a_blank_sheet_of_a_phase_that_takes_orders(desk: DeskTable) -> None:
    """POST-07."""
    page = desk.text(f"/public/{desk.table.game}")
    assert "Summer 1642 Movement Orders" in page
    path = f"/public/{desk.table.game}/sheets.pdf"
    document = pypdfium2.PdfDocument(io.BytesIO(desk.client.get(f"{path}?power=Montrose&phase=3").content))
    words = document[0].get_textpage().get_text_range()
    assert [words.split("\r\n")[:3], len(document)] == [
        ["Montrose", "Powick Bridge", "Autumn 1642 Movement Orders"], 1]
    # LET-12: when it is due, and no address for anyone who is not a player.
    assert "It must arrive before Mon 29 Mar 2027, 07:00 GMT." in words.replace("\r\n", " ")
    assert "@" not in words
    letter = pypdfium2.PdfDocument(
        io.BytesIO(desk.client.get(f"{path}?power=Montrose&paper=letter").content))
    assert [round(side / 72, 1) for side in letter[0].get_size()] == [8.5, 11.0]
    assert len(pypdfium2.PdfDocument(io.BytesIO(desk.client.get(path).content))) == len(
        desk.table.variant.powers
    )
    for wrong in ("?power=Nobody", "?phase=999"):
        assert desk.client.get(path + wrong).status_code == 404


def test_a_player_prints_the_names_of_their_own_units_and_nobody_elses(desk: DeskTable) -> None:
    """LET-12: optional, for the phase in play alone; where they are, and nothing of what they may do."""
    owned(desk, "Montrose")
    path = f"/public/{desk.table.game}/sheets.pdf?units=true"

    def printed(client: TestClient, more: str) -> set[str]:
        document = pypdfium2.PdfDocument(io.BytesIO(client.get(path + more).content))
        lines = document[0].get_textpage().get_text_range().split("\r\n")
        return {line for line in lines if re.fullmatch(r"(Army|Fleet) [A-Z][^.]*", line)}

    player, variant = visit(desk, "Montrose"), desk.table.variant
    unit_names = {unit_text(variant, unit) for unit in variant.start.units if unit.power == "Montrose"}
    assert printed(player, "&power=Montrose") == unit_names
    assert printed(player, "&power=Montrose&phase=3") == set()
    assert printed(player, "&power=Argyll") == set()
    assert printed(desk.client, "&power=Montrose") == set()
    assert "names of my units" in player.get(f"/public/{desk.table.game}").text
    assert "names of my units" not in desk.client.get(f"/public/{desk.table.game}").text


def test_public_pages_say_nothing_of_a_game_that_its_letters_have_not_told(desk: DeskTable) -> None:
    """No sheet, no count of sheets, no unit, no player and no address."""
    owned(desk, "Montrose")
    for path in ("", "/calendar", "/map"):
        page = desk.text(f"/public/{desk.table.game}{path}")
        assert not re.search(r"\b(Army|Fleet|Player Montrose|sheet of|1 of 10)\b", page), path
        assert "@" not in page


def test_no_page_carries_a_word_from_one_player_to_another() -> None:
    """NON-01: every public form is about one's own link, address and settings; there is no other."""
    modules = [
        importlib.import_module(f"service.public.{item.name}")
        for item in pkgutil.iter_modules(service.public.__path__)
    ]
    routes = [route for module in modules for route in getattr(getattr(module, "router", None), "routes", ())]
    # That the routes were found at all: an empty list would have passed what follows.
    assert len(routes) > 15
    own_forms = {"address", "address/{row_id}/end", "settings", "feed", "leave",
                 # Days alone: there is no field for a word.
                 "absence/{game_id}"}
    assert {route.path for route in routes if "POST" in route.methods} == {
        "/public/entry", "/public/me/{secret}", *(f"/public/me/do/{item}" for item in own_forms)}
    assert all(route.path.startswith("/public/") for route in routes)


def test_the_game_page_tells_its_players_who_has_sent_and_what_comes_next(desk: DeskTable) -> None:
    """LET-15: phase, deadline, who has sent, address, what next; to a stranger only the dates."""
    desk.table.file("Argyll", ("A Argyll H",))
    path = f"/public/{desk.table.game}"
    player_page = plain(visit(desk, "Montrose").get(path).text)
    assert "Summer 1642 Movement" in player_page
    assert "Orders are due: Sun 14 Mar 2027, 07:00 GMT" in player_page
    assert "Something came from: Argyll." in player_page
    assert re.search(r"Nothing came from: .*Montrose", player_page)
    assert "Next: Summer 1642 Retreat Orders, due" in player_page
    strange = desk.text(path)
    assert "Orders are due: Sun 14 Mar 2027, 07:00 GMT" in strange
    assert "came from" not in strange


def test_my_file_shows_what_was_read_after_the_deadline_and_the_next_deadline(desk: DeskTable) -> None:
    """LET-15: before the deadline nothing is read; after it one's own lines, without what is still open."""
    table = desk.table
    sheet = table.file("Montrose", (("A Angus - Perth", LineState.AUTO), ("A Fife H", LineState.OPEN)))
    with table.site.store.begin() as session:
        session.get_one(SubmissionRow, sheet).player_id = records.seats(session, table.game)["Montrose"]
    browser = visit(desk, "Montrose")
    path = f"/public/{table.game}/file"
    before = plain(browser.get(path).text)
    assert "Summer 1642 Movement Orders are due Sun 14 Mar 2027, 07:00 GMT" in before
    assert "Something has come from you; see below." in before
    assert "no person has read it yet" in before
    assert "Perth" not in before
    table.site.clock.set(table.phase().deadline)
    table.close_phase(table.phase().id)
    after = plain(visit(desk, "Montrose").get(path).text)
    assert "A Angus - Perth" in after
    assert "Fife" not in after
    assert "the coordinator is still checking this line" in after
    assert plain(visit(desk, "Argyll").get(path).text).count("Perth") == 0
    # LET-01: once results are sent nothing waits any more.
    with table.site.store.begin() as session:
        session.get_one(SubmissionRow, sheet).fate = "held"
        session.get_one(PhaseRow, table.phase().id).state = PhaseState.SENT
    sent = plain(visit(desk, "Montrose").get(path).text)
    assert "did not count" in sent.lower()
    assert "waits for the coordinator" not in sent.lower()
    assert "is still checking this line" not in sent
