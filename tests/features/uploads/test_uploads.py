"""Sheets by a page behind a secret link (BEY-05): the very same intake, receipt, digest and record as a
mailed photograph, and what a cheat tries at it."""

from __future__ import annotations

import email
import hashlib
import re
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi import Request
from sqlalchemy import select

from service.archive.checker import VerifyReport, checking
from service.features.uploads import links, pages
from service.features.uploads.door import MOST_AN_HOUR
from service.intake.verdicts.rules import MOST_BYTES, MOST_PHOTOS
from service.store.tables import (
    AccessLinkRow,
    EventRow,
    MailRow,
    MailState,
    PageRow,
    PhaseState,
    PlayerRow,
    SeatRow,
)
from service.web.public_limits import MOST_OF_A_SHEET
from tests.support import keeper
from tests.support.acting import do
from tests.support.desk_table import DeskTable, open_desk, plain
from tests.support.mail_builder import picture
from tests.support.odd_files import png_header
from tests.support.site import Site
from tests.support.table import address, open_table

BASE = "https://orders.example.org"
JSON = {"Accept": "application/json"}


@pytest.fixture
def desk(site: Site) -> DeskTable:
    table = open_table(site)
    table.site.clock.set(table.phase().opens_at + timedelta(days=1))
    return open_desk(table, base_url=BASE)


def link_of(desk: DeskTable, power: str = "Montrose") -> str:
    return links.PATH + do(desk.table, links.MakeUploadLink(desk.table.game, (power,)))


def fields(desk: DeskTable, link: str) -> dict[str, str]:
    """The fields of the page's form, as a browser sends them."""
    page = desk.client.get(link)
    assert page.status_code == 200, plain(page.text)
    return {name: value for tag in re.findall(r"<input[^>]*>", page.text)
            for name in re.findall(r' name="(\w+)"', tag) for value in re.findall(r' value="([^"]*)"', tag)}


def send(desk: DeskTable, link: str, photographs: list[bytes], sent: dict[str, str] | None = None,
         headers: Mapping[str, str] = JSON, **values: str) -> Any:
    data = {**(sent or fields(desk, link)), **values}
    files = [("photograph", (f"{n}.jpg", data, "image/jpeg")) for n, data in enumerate(photographs)]
    return desk.client.post(link, data=data, files=files, headers=headers)


def mails(desk: DeskTable) -> list[MailRow]:
    with desk.table.site.store() as session:
        return list(session.scalars(select(MailRow).order_by(MailRow.received_at, MailRow.sha256)))


def judged(desk: DeskTable) -> list[tuple[str, str | None]]:
    """The fate of every mail, once all are judged."""
    for row in mails(desk):
        desk.table.process(row.sha256)
    return [(row.state, row.reason) for row in mails(desk)]


def test_a_sheet_by_the_page_is_the_same_sheet_as_a_mailed_one(desk: DeskTable) -> None:
    """BEY-05: one player mails a photograph and another sends it from the page. Both get the same receipt but
    for names and digests, and the photographs on file have the same digest."""
    table, shot = desk.table, picture(90)
    table.take(table.mail("Argyll"), table.site.clock.now())
    answer = send(desk, link_of(desk), [shot])
    assert answer.status_code == 200, answer.text
    reply = answer.json()
    assert reply["photographs"] == [hashlib.sha256(shot).hexdigest()]
    assert (reply["late"], reply["repeat"]) == (False, False)
    # No preview of any reading.
    assert set(reply) == {"received", "when", "mail", "late", "photographs", "repeat"}
    # PHA-11: the list said UTC where every letter has GMT.
    assert reply["when"].startswith(f"{table.site.clock.now():%a %-d %b %Y, %H:%M} GMT")
    assert judged(desk) == [(MailState.USED, None)] * 2
    mailed, sent = table.submissions()
    assert (mailed.power, sent.power) == ("Argyll", "Montrose")
    assert (sent.version, sent.fate, sent.flags, sent.sender, sent.sha256) == (
        1, "counts", mailed.flags, address("Montrose"), reply["mail"])
    with table.site.store() as session:
        originals = {row.submission_id: row.original for row in session.scalars(select(PageRow))}
    assert originals == {mailed.id: reply["photographs"][0], sent.id: reply["photographs"][0]}
    words = [re.sub(r"In four words: [a-z ]+|Montrose|Argyll|montrose|argyll|\d+", "*", table.words(letter))
             for letter in table.letters("receipt")]
    assert words[0] == words[1]
    *_, last = email.message_from_bytes(table.site.blobs.read(reply["mail"])).walk()
    photograph = last.get_payload(decode=True)
    assert isinstance(photograph, bytes)
    assert hashlib.sha256(photograph).hexdigest() == reply["photographs"][0]


@pytest.mark.slow
def test_both_checkers_hold_a_sheet_by_the_page_for_an_honest_one(tmp_path: Path) -> None:
    """BEY-05: played to its results, the game's archive and letters are as they should be, and the receipt
    with the photograph alone proves the sheet."""
    with keeper.opened(tmp_path / "play", None) as table:
        keeper.go_on(table)
        keeper.send_sheets(table)
        desk = open_desk(table, base_url=BASE)
        shot = picture(180)
        reply = send(desk, link_of(desk, keeper.VICTIM), [shot], version="3").json()
        table.process(reply["mail"])
        keeper.recognize(table, table.submissions()[-1].id)
        keeper.go_on(table)
        evidence = keeper.evidence(table)
    letters = evidence.shown((keeper.VICTIM, keeper.OTHER))
    for archive in (evidence.whole, evidence.players):
        for checker in (keeper.galloper(tmp_path / "first"), keeper.independent(tmp_path / "second")):
            fault, words = checker(archive, letters)
            assert fault == "", words
    receipt = [data for name, data in sorted(letters.items())
               if name.endswith(f"-receipt-{keeper.VICTIM}.eml")][-1]
    for sheet, proves in ((shot, True), (picture(20), False)):
        report = VerifyReport()
        with checking(report) as program:
            program.check_receipt_alone(("receipt.eml", receipt), [("sheet.jpg", sheet)])
        assert (report.faults == []) is proves, report.faults


def test_the_page_works_without_a_script_and_says_no_more_than_what_came(desk: DeskTable) -> None:
    link = link_of(desk)
    sent = fields(desk, link)
    answer = send(desk, link, [picture(10)], sent, headers={})
    assert answer.status_code == 200
    assert hashlib.sha256(picture(10)).hexdigest() in answer.text
    assert answer.headers["cache-control"] == "private, no-store"
    # The button pressed twice, or a page that heard no answer: one sheet.
    again = send(desk, link, [picture(10)], sent, headers={})
    assert "It was here before" in plain(again.text)
    assert judged(desk) == [(MailState.USED, None)]
    # The next version is proposed.
    assert fields(desk, link)["version"] == "2"
    assert send(desk, link, [picture(60)]).status_code == 200
    judged(desk)
    assert [(sheet.version, sheet.fate) for sheet in desk.table.submissions()] == [
        (1, "counts"), (2, "counts")], "the rule of versions decides when the phase closes, as of mailed ones"


def test_what_comes_after_the_deadline_is_late_by_our_clock_and_answered(desk: DeskTable) -> None:
    """CAL-03: photographed in time and sent late, as when a telephone had no net."""
    table, link = desk.table, link_of(desk)
    sent = fields(desk, link)
    table.site.clock.set(table.phase().deadline + timedelta(seconds=1))
    assert send(desk, link, [picture(10)], sent).json()["late"] is True
    assert judged(desk) == [(MailState.REFUSED, "late")]
    assert table.written_letters() == [("receipt_late", address("Montrose"))]
    assert table.submissions() == []
    # The phase is not closed yet, and it named itself as the one for the next sheet.
    words = table.words(table.letters("receipt_late")[0])
    assert "No orders of yours are asked for now. Autumn 1642 Movement opens" in words
    assert "Powick Bridge - Montrose - Autumn 1642 - Movement Orders - v1" in words
    assert "Summer 1642 - Movement Orders" not in words


def test_a_sheet_at_the_deadline_itself_is_waited_for(desk: DeskTable) -> None:
    table, link = desk.table, link_of(desk)
    sent = fields(desk, link)
    table.site.clock.set(table.phase().deadline)
    assert send(desk, link, [picture(10)], sent).json()["late"] is False
    table.site.clock.set(table.phase().deadline + timedelta(minutes=1))
    # Not judged by its job yet: closing does it.
    table.close_phase(table.phase().id)
    assert [sheet.power for sheet in table.submissions()] == ["Montrose"]


def test_a_sheet_between_two_phases_is_kept_for_the_next_one(desk: DeskTable) -> None:
    """PHA-02: the page offered no phase while results waited, and took nothing."""
    table, link = desk.table, link_of(desk)
    table.site.clock.set(table.phase().deadline + timedelta(minutes=1))
    table.close_phase(table.phase().id)
    assert "Autumn 1642 Movement" in plain(desk.client.get(link).text)
    assert send(desk, link, [picture(90)]).status_code == 200
    assert judged(desk) == [(MailState.USED, None)]
    [sheet] = table.submissions()
    assert (sheet.phase_id, sheet.power, sheet.fate) == (table.phase(3).id, "Montrose", "counts")
    assert table.phase(3).state == PhaseState.WAITING
    assert "your sheet is kept" in " ".join(table.words(table.letters("receipt")[-1]).split())


def test_nobody_sends_for_a_power_phase_or_page_that_is_not_theirs(desk: DeskTable) -> None:
    link = link_of(desk)
    sent = fields(desk, link)
    for values in (
        {"place": "1 Argyll"}, {"place": "999 Montrose"}, {"place": "Montrose"},
        {"csrf": "0" * 32}, {"csrf": ""}, {"version": "0"}, {"version": "1000"}, {"version": "-1"},
        {"version": "٣"}, {"csrf": "é"},
    ):
        answer = send(desk, link, [picture(10)], {**sent, **values})
        assert answer.status_code in {400, 403}, values
        assert answer.json()["sentence"].startswith(("Nothing was sent", "This page is out of date"))
    assert mails(desk) == []


def test_a_link_is_for_one_player_and_one_game_and_ends(desk: DeskTable, site: Site) -> None:
    other = open_table(site, name="Edgehill", players={"Montrose": (address("Montrose"),)})
    site.clock.set(desk.table.phase().opens_at + timedelta(days=1))
    link = link_of(desk)
    sent = fields(desk, link)
    # A phase of another game of the same player, by this game's link.
    assert send(desk, link, [picture(10)], sent, place=f"{other.phase().id} Montrose").status_code == 403
    # The token of one link is none for another.
    assert send(desk, link_of(desk, "Argyll"), [picture(10)], sent).status_code == 403
    for broken in ("x", link[:-1], "a" * 43):
        assert desk.client.get(f"{links.PATH}{broken[-43:]}").status_code == 404
    # With the seat it ends, and with the player's own word.
    with site.store.begin() as session:
        seat = session.get_one(SeatRow, (desk.table.game, "Montrose"))
        held, seat.player_id = seat.player_id, None
    assert send(desk, link, [picture(10)], sent).status_code == 404
    with site.store.begin() as session:
        session.get_one(SeatRow, (desk.table.game, "Montrose")).player_id = held
    assert desk.client.post(f"{link}/end", data={"csrf": "wrong"}).status_code == 403
    assert desk.client.post(f"{link}/end", data={"csrf": sent["csrf"]}).status_code == 200
    assert send(desk, link, [picture(10)], sent).status_code == 404
    assert mails(desk) == []
    # Sixty days, and of more than three the newest.
    addresses = []
    for _ in range(links.MOST_LINKS + 1):
        site.clock.set(site.clock.now() + timedelta(minutes=1))
        addresses.append(link_of(desk))
    assert [desk.client.get(each).status_code for each in addresses] == [404, 200, 200, 200]
    site.clock.set(site.clock.now() + timedelta(days=61))
    assert desk.client.get(addresses[-1]).status_code == 404
    with site.store() as session:
        assert all(secret[-43:] not in row.token_hash for secret in addresses
                   for row in session.scalars(select(AccessLinkRow)))


def test_a_stranger_fills_no_disk_and_a_player_no_queue(desk: DeskTable, monkeypatch: Any) -> None:
    """SEC-05: sizes and numbers."""
    link = link_of(desk)
    sent = fields(desk, link)
    # 200 MB: refused by what it states about itself, before a byte of it is read.
    huge = desk.client.post(link, content=b"x", headers={
        **JSON, "Content-Length": "200000000", "Content-Type": "multipart/form-data; boundary=b"})
    assert huge.status_code == 413
    read: list[int] = []
    form = Request.form

    def noted(self: Any, **limits: Any) -> Any:
        read.append(1)
        return form(self, **limits)

    monkeypatch.setattr(Request, "form", noted)
    unknown = send(desk, f"{links.PATH}{'a' * 43}", [bytes(1_000_000)], sent)
    assert (unknown.status_code, read) == (404, [])
    assert send(desk, link, [bytes(MOST_OF_A_SHEET - 400_000)], sent).status_code == 413
    assert send(desk, link, [], sent).status_code == 400
    assert mails(desk) == []
    for number in range(MOST_AN_HOUR):
        assert send(desk, link, [picture(10 * number)], sent).status_code == 200
    # Another link of the same player opens no other purse.
    late = send(desk, link_of(desk), [picture(240)])
    assert late.status_code == 429
    assert "are safe" in late.json()["sentence"]
    assert len(mails(desk)) == MOST_AN_HOUR
    for _ in range(pages.AT_ONCE):
        assert pages.RECEIVING.begin()
    try:
        assert send(desk, link, [picture(250)], sent).status_code == 503
    finally:
        for _ in range(pages.AT_ONCE):
            pages.RECEIVING.end()


def test_a_refusal_is_said_in_the_language_of_the_links_holder(desk: DeskTable) -> None:
    """LET-10, BEY-05: the script showed English sentences on a German page, and a form that was too large
    got a line of English without a page."""
    with desk.table.site.store.begin() as session:
        seat = session.get_one(SeatRow, (desk.table.game, "Montrose"))
        session.get_one(PlayerRow, seat.player_id).language = "de"
    link = link_of(desk)
    english = {"Accept-Language": "en"}
    assert desk.client.get(link, headers=english).headers["content-language"] == "de"
    sent, html = fields(desk, link), {"Accept": "text/html", **english}
    for photographs, values, status, why in (
        ([], {}, 400, "Es ist kein Foto gewählt"),
        ([b""], {}, 400, "Es ist kein Foto gewählt"),
        ([picture(9)], {"csrf": "x"}, 403, "Diese Seite ist veraltet"),
        ([picture(9)], {"place": "99 Montrose"}, 403, "Diese Phase oder Macht ist nicht Ihre"),
        ([picture(9)], {"version": "0"}, 400, "Die Version ist eine Zahl von 1 bis 999"),
        # A hundred is what a thumb chooses in a gallery by mistake.
        ([picture(9)] * 100, {}, 400, f"Ein Blatt hat höchstens {MOST_PHOTOS} Fotos"),
        ([bytes(MOST_OF_A_SHEET - 400_000)], {}, 413, f"höchstens {MOST_BYTES // 1024 // 1024} MB"),
    ):
        answer = send(desk, link, photographs, sent, {**JSON, **english}, **values)
        page = send(desk, link, photographs, sent, html, **values)
        assert (answer.status_code, page.status_code) == (status, status)
        assert why in answer.json()["sentence"]
        assert why in plain(page.text)
        assert f'<a class="button" href="{link}">' in page.text, "the way back to the page"
    for _ in range(MOST_AN_HOUR):
        send(desk, link, [picture(9)], sent, nonce=str(_))
    assert "in der letzten Stunde 12 Blätter" in send(desk, link, [picture(8)], sent).json()["sentence"]
    ended = desk.client.post(f"{link}/end", data={"csrf": "x"}, headers=html)
    assert "Nichts wurde geändert" in plain(ended.text)
    assert f'<a class="button" href="{link}">' in ended.text
    # What is too large to be looked at at all: no one's language is known but the browser's.
    huge = desk.client.post(link, content=b"x", headers={
        "Accept": "text/html", "Accept-Language": "de", "Content-Length": "200000000",
        "Content-Type": "multipart/form-data; boundary=b"})
    assert huge.status_code == 413
    assert "Nichts wurde abgeschickt: Alle Fotos zusammen dürfen höchstens 25 MB haben" in plain(huge.text)
    assert f'<a class="button" href="{link}">' in huge.text


@pytest.mark.slow
def test_files_that_are_no_photographs_go_where_mailed_ones_go(desk: DeskTable) -> None:
    link = link_of(desk)
    assert send(desk, link, [b"<script>alert(1)</script>" * 20]).status_code == 200
    assert send(desk, link, [png_header(60_000, 60_000)], version="2").status_code == 200
    states = judged(desk)
    assert {reason for _, reason in states} <= {"bad_image", "too_large", "could_not_be_handled"}
    assert all(state in {MailState.REFUSED, MailState.QUARANTINED} for state, _ in states)
    assert desk.table.submissions() == []


def test_links_leave_no_trace_in_log_and_record_and_the_desk_sees_none(desk: DeskTable) -> None:
    """A coordinator mails a link to its player, and only them can read it."""
    assert desk.post(f"/games/{desk.table.game}/upload-link", power="Montrose").headers["location"].endswith(
        "?notice=upload-link")
    (letter,) = desk.table.letters("link")
    secret = re.search(rf"{BASE}{links.PATH}([\w-]{{43}})", desk.table.words(letter))
    assert secret is not None
    assert letter.recipient == address("Montrose")
    link = f"{links.PATH}{secret[1]}"
    assert send(desk, link, [picture(10)]).status_code == 200
    judged(desk)
    assert secret[1] not in desk.page(f"/letters/{letter.id}")
    assert "A link to send photographs for Montrose was made" in desk.text("/log")
    with desk.table.site.store() as session:
        events = [str(row.detail) for row in session.scalars(select(EventRow))]
    assert not any(secret[1] in event or "@" in event for event in events)
    assert desk.post(f"/games/{desk.table.game}/upload-link", power="Montrose", do="end").status_code == 303
    assert desk.client.get(link).status_code == 404
    # The state of the phase changes nothing of that.
    assert desk.table.phase().state == PhaseState.OPEN
