"""Evidence in results: each outcome leads to the rectangle of ink behind its order, for the players of that
game and after judging only (issue "Trust", 5; DESK-02, Q-01, Q-37, D66-06)."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image, ImageDraw
from sqlalchemy import select

from service.archive.export import Edition
from service.clock import SimulatedClock
from service.games import decisions
from service.games.decisions import Decision, ReviewAction
from service.notices.results import ResultsAnnouncer
from service.store.tables import CorrectionRow, LineRow, LineState, OutboxRow, PageRow
from tests.service.notices.test_copied_whole import HEADING, SIGNED
from tests.service.public.test_entry import BASE, visit
from tests.support.desk_table import DeskTable, open_desk, plain
from tests.support.played import archived
from tests.support.site import Site, make_site
from tests.support.table import Table, autumn_1642, open_table
from tests.support.tags import tags_of

ORDERS: tuple[str | tuple[str, LineState], ...] = (
    "A Lindsey - Kesteven & Holland", "A Glasgow H", ("A Orkney builds a bridge", LineState.VOID),
    "A Norfolk H")
HUES = [(200, 0, 0), (0, 140, 0), (0, 0, 200), (160, 0, 160), (0, 140, 140), (150, 110, 0), (90, 60, 180),
        (200, 80, 0), (0, 90, 30), (110, 0, 50)]  # fmt: skip
"""The ink of each line from top to bottom."""
BOTH = "A Norfolk H\nA Suffolk H"
"""What a person leaves in a line that two readings fit."""
Pixels = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass
class Judged:
    """A game whose Autumn was judged and sent: Manchester's sheet in inks of many colours, its lines by their
    ordinal."""

    table: Table
    desk: DeskTable
    lines: list[int]

    @property
    def path(self) -> str:
        return f"/public/{self.table.game}/results/1"


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    with make_site(tmp_path_factory.mktemp("site")) as site:
        case = _judged(site)
        with site.store.begin() as session:
            session.add(
                CorrectionRow(
                    key="k", phase_id=case.table.phase().id, said="Army Norfolk held.", right="It moved.",
                    effect="None.", found_by="Manchester", by="Ada", at=site.clock.now(),
                )
            )
        yield case


@pytest.fixture(scope="module")
def player(judged: Judged) -> TestClient:
    """Another player of the game, on a visit."""
    return visit(judged.desk, "Montrose")


def _judged(site: Site, *, sent: bool = True) -> Judged:
    table = open_table(site, position=autumn_1642())
    desk = replace(table.writer, sender=replace(table.writer.sender, base_url=BASE))
    table.announce = ResultsAnnouncer(desk, drawing=False)
    table.file("Manchester", ORDERS, heading=HEADING)
    page = Image.new("RGB", (800, 1000), (236, 230, 214))
    with site.store.begin() as session:
        rows = list(session.scalars(select(LineRow).order_by(LineRow.ordinal)))
        foot = [[100, 740], [700, 740], [700, 780], [100, 780]]
        session.add(LineRow(page_id=rows[0].page_id, ordinal=len(rows), kind="other", text=SIGNED, order=None,
                            box=foot,
                            confidence=0.99, status=LineState.NOT_ORDER, candidates=[]))  # fmt: skip
        for index, box in enumerate([*(row.box for row in rows), foot]):
            corners = (box[0][0] + 10, box[0][1] + 8, box[2][0] - 10, box[2][1] - 8)
            ImageDraw.Draw(page).rectangle(corners, fill=HUES[index])
        # as the machine read it, wrongly
        rows[6].text, rows[6].order = "A Gl4sgow S", "A Glasgow S A Lindsey"
        rows[7].status = rows[8].status = LineState.OPEN.value
        out = io.BytesIO()
        page.save(out, "JPEG", quality=98, subsampling=0)
        session.scalars(select(PageRow)).one().upright = site.blobs.put(out.getvalue())
        lines = [row.id for row in rows]
    phase = table.phase()
    site.clock.set(phase.deadline)
    table.close_phase(phase.id)
    with site.store.begin() as session:
        decisions.file(session, ReviewAction("one", phase.id, "Ada", site.clock.now()), [
            Decision(lines[6], LineState.READ, "A Glasgow H", "A Glasgow H"),
            Decision(lines[7], LineState.VOID, BOTH),
            Decision(lines[8], LineState.READ, "A Norfolk H", "A Norfolk H")])
    table.judge_when_read(phase.id)
    if sent:
        table.approve_phase(phase.id, "Ada")
    desk_site = open_desk(table, base_url=BASE, wall=SimulatedClock(site.clock.now()))
    desk_site.client.cookies.clear()
    return Judged(table, desk_site, lines)


def letter(judged: Judged, kind: str = "") -> tuple[str, str]:
    """Results as text and as HTML."""
    row: OutboxRow = next(
        row for row in judged.table.letters() if row.kind in {"draft_results", "final_results"}
    )
    message = judged.table.message(row)
    parts = [message.get_body((row,)) for row in ("plain", "html")]
    assert all(parts)
    plain_text, page = (str(part.get_content()) for part in parts)  # type: ignore[union-attr]
    return " ".join(plain_text.split()), page


def test_each_outcome_of_a_letter_leads_to_its_ink(judged: Judged) -> None:
    words, html = letter(judged)
    for line in (judged.lines[5], judged.lines[6], judged.lines[7], judged.lines[8]):
        assert f"[{line}]" in words
        assert f'href="{BASE}{judged.path}/{line}"' in html
    assert f"{BASE}{judged.path}" in words


def test_a_correction_of_the_coordinator_is_named_as_such(judged: Judged, player: TestClient) -> None:
    """The one line that was read otherwise than the machine had it, and no other; the page states by whom."""
    sentence = "(coordinator's correction: the machine read “A Gl4sgow S”)"
    words, html = letter(judged)
    page = plain(player.get(judged.path).text)
    for text in (words, page):
        assert sentence in text.replace("&#39;", "'")
        assert text.replace("&#39;", "'").count("coordinator's correction") == 1
    assert html.count("coordinator&#39;s correction") == 1
    line = plain(player.get(f"{judged.path}/{judged.lines[6]}").text)
    assert ("Coordinator&#39;s correction: the machine read “A Gl4sgow S”. Decided by Ada as “A Glasgow "
            "H”") in line
    assert ("Decided by Ada, as the machine had read "
            "it") in plain(player.get(f"{judged.path}/{judged.lines[8]}").text)


def test_a_void_line_shows_both_readings(judged: Judged, player: TestClient) -> None:
    """Q-01."""
    sentence = "read as “A Norfolk H” or as “A Suffolk H”: void, the unit holds"
    assert sentence in letter(judged)[0]
    for path in (judged.path, f"{judged.path}/{judged.lines[7]}"):
        assert sentence in plain(player.get(path).text)


def _pixels(data: bytes) -> Pixels:
    with Image.open(io.BytesIO(data)) as opened:
        return np.asarray(opened.convert("RGB")).astype(np.int64)


def shows(picture: Pixels, hue: int) -> bool:
    return bool((np.abs(picture - HUES[hue]).max(axis=2) < 40).sum() > 2000)


def test_lines_have_the_numbers_of_the_players_own_page(judged: Judged, player: TestClient) -> None:
    """The first order of a sheet was "line 81": the number of its row in the database."""
    page_text = plain(player.get(judged.path).text)
    assert sorted(re.findall(r"handwriting, line (\d+)", page_text)) == ["1", "2", "3", "4"]
    for number, index in enumerate((5, 6, 7, 8), start=1):
        assert f": line {number} " in plain(player.get(f"{judged.path}/{judged.lines[index]}").text)


def test_the_crop_is_the_lines_own_ink_and_its_context_the_lines_around(
    judged: Judged, player: TestClient
) -> None:
    for index in (5, 6, 7, 8):
        answer = player.get(f"{judged.path}/{judged.lines[index]}.jpg")
        assert answer.headers["content-type"] == "image/jpeg"
        # Each line has its own colour, so that a crop with a neighbour's ink is noticed.
        assert [hue for hue in range(len(HUES)) if shows(_pixels(answer.content), hue)] == [index]
    around = _pixels(player.get(f"{judged.path}/{judged.lines[6]}.jpg?context=1").content)
    assert {5, 6, 7} <= {hue for hue in range(len(HUES)) if shows(around, hue)}


@pytest.mark.parametrize("index", [0, 9], ids=["above the orders", "below them"])
def test_no_picture_shows_the_writers_name(judged: Judged, player: TestClient, index: int) -> None:
    """Q-37: names are masked as in the copies that are mailed, however near they are."""
    for line in judged.lines:
        for context in ("", "?context=1"):
            answer = player.get(f"{judged.path}/{line}.jpg{context}")
            assert answer.status_code == 404 or not shows(_pixels(answer.content), index), line


def test_lines_that_ordered_nothing_are_not_shown(judged: Judged, player: TestClient) -> None:
    for line in (*judged.lines[:5], 9999):
        for path in (f"{judged.path}/{line}", f"{judged.path}/{line}.jpg"):
            assert player.get(path).status_code == 404


def test_it_is_for_the_players_of_that_game(judged: Judged, player: TestClient) -> None:
    stranger = TestClient(judged.desk.client.app, base_url="http://testserver")
    for path in ("", "/1", f"/1/{judged.lines[5]}", f"/1/{judged.lines[5]}.jpg"):
        address = f"/public/{judged.table.game}/results{path}"
        assert stranger.get(address).status_code == 403
        assert player.get(address, follow_redirects=True).status_code == 200
        assert player.get(address.replace(judged.table.game, "nowhere")).status_code == 403


def test_results_are_tables_in_large_print_and_as_text(judged: Judged, player: TestClient) -> None:
    """BEY-08: each order with its outcome and reason, what no one could read, who was silent, and the
    correction; tagged as a table; for players alone."""
    text = player.get(f"{judged.path}/table.txt").text
    lines = text.splitlines()
    assert "Army Norfolk holds; holds" in lines
    failed = next(line for line in lines if line.startswith("Army Glasgow holds; void; "))
    assert "there is no Army Glasgow" in failed
    assert failed.count("(handbook") == 1
    assert "A line read as “A Norfolk H” or as “A Suffolk H”: void, the unit holds." in lines
    assert lines.count("No sheet was received.") == 9
    assert "Correction by the coordinator: Army Norfolk held. → It moved." in lines
    data = player.get(f"{judged.path}/table.pdf").content
    tags = tags_of(data)
    assert (tags.is_tagged, tags.counts["H1"]) == (True, 1)
    assert tags.counts["Table"] >= 10
    assert tags.counts["TH"] > 30
    stranger = TestClient(judged.desk.client.app)
    assert stranger.get(f"{judged.path}/table.txt").status_code == 403
    assert player.get(f"{judged.path}/table.svg").status_code == 404


def test_before_it_is_sent_every_address_answers_as_if_it_were_not_there(site: Site) -> None:
    """DESK-02: also a phase that is judged already, which the coordinator may still judge again."""
    ready = _judged(site, sent=False)
    player = visit(ready.desk, "Montrose")
    known, unknown = (
        player.get(f"/public/{ready.table.game}/results/{number}/{ready.lines[5]}") for number in (1, 77)
    )
    assert (known.status_code, known.content) == (404, unknown.content)
    assert player.get(ready.path).status_code == 404
    assert player.get(f"{ready.path}/table.txt").status_code == 404
    newest = player.get(f"/public/{ready.table.game}/results")
    assert newest.status_code == 404
    assert "No results have been sent yet." in newest.text


def test_what_was_put_right_since_stands_on_top(judged: Judged, player: TestClient) -> None:
    page_text = plain(player.get(judged.path).text)
    assert ("Correction by the coordinator What was said: Army Norfolk held. What is right: It "
            "moved.") in page_text


def test_the_players_archive_has_the_same_rectangle_and_photograph(
    judged: Judged, player: TestClient
) -> None:
    """From an order to its ink with the archive alone: judged order, line of a reading, photograph and
    corners in its pixels."""
    with zipfile.ZipFile(io.BytesIO(archived(judged.table, Edition.PLAYERS))) as zipped:
        entries = [json.loads(item) for item in zipped.read("record.jsonl").decode().splitlines()]
    bodies = [(item["n"], item["body"]) for item in entries if "body" in item]
    order = next(
        item
        for _, body in bodies
        if body["what"] == "judged"
        for item in body["tells"]["orders"]
        if item["line"] == judged.lines[6]
    )
    number, page, line = next(
        (n, page, line) for n, body in reversed(bodies) if body["what"] == "reading"
        for page in body["tells"]["pages"] for line in page["lines"] if line["line"] == order["line"])
    page_text = plain(player.get(f"{judged.path}/{order['line']}").text)
    assert page["photograph"] in page_text
    assert re.search(", ".join(re.escape(f"({x}, {y})") for x, y in line["box"]), page_text)
    assert f"Entry {number} of the record : what was read on it, line by line" in page_text
    assert (order["written"], line["text"]) == ("A Glasgow H", "A Gl4sgow S")


def test_of_a_sheet_that_hides_something_only_its_own_player_sees_the_ink(site: Site) -> None:
    """D66-06: the letter of another has no link, and the address of the line answers as an unknown one."""
    table = open_table(site, slug="britain1066")
    desk = replace(table.writer, sender=replace(table.writer.sender, base_url=BASE))
    table.announce = ResultsAnnouncer(desk, drawing=False)
    table.file("Harald Hardrada", ["Hidden Germanicus 1 lies in The Wash", "A/F Hidden Wash 1 H"])
    table.file("The Northern Earls", ["A Dunholm - Northumberland"])
    phase = table.phase()
    site.clock.set(phase.deadline)
    table.close_phase(phase.id)
    table.judge_when_read(phase.id)
    table.approve_phase(phase.id, "Ada")
    desk_site = open_desk(table, base_url=BASE, wall=SimulatedClock(site.clock.now()))
    desk_site.client.cookies.clear()
    with site.store() as session:
        hidden_id, _, shown_id = [row.id for row in session.scalars(select(LineRow).order_by(LineRow.id))]
    own_browser, other = visit(desk_site, "Harald Hardrada"), visit(desk_site, "The Northern Earls")
    path = f"/public/{table.game}/results/1"
    assert (
        own_browser.get(f"{path}/{hidden_id}").status_code, own_browser.get(f"{path}/{shown_id}").status_code,
    ) == (200, 200)
    known, unknown = other.get(f"{path}/{hidden_id}"), other.get(f"{path}/99999")
    assert (known.status_code, known.content) == (404, unknown.content)
    assert "Hidden Wash" not in other.get(path).text
    assert other.get(f"{path}/{shown_id}").status_code == 200
