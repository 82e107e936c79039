"""The desk over a real SQLite file: access, seal, reading by forms, undo, and the promise that no consequence shows."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from PIL import Image
from sqlalchemy import select

from service.clock import SimulatedClock
from service.desk import access
from service.desk.app import create_app
from service.desk.ports import DeskPorts, Understood
from service.store.blobs import Blobs
from service.store.engine import Store, migrate, open_engine, sessions
from service.store.tables import (
    GameRow,
    LineRow,
    LineState,
    PageRow,
    PhaseRow,
    PhaseState,
    PlayerRow,
    ReviewRow,
    SeatRow,
    SubmissionRow,
)

DEADLINE = datetime(2027, 3, 14, 7, 0, tzinfo=UTC)
LINES: list[tuple[str, str, str, list[tuple[str, str | None, float]]]] = [
    ("Montrose", "heading", "not an order", []),
    ("Army Merse moves to Carham", "order", "auto", [("Army Merse moves to Carham", "A Merse - Carham Castle", 0.98)]),
    ("Arrny Eskdale holds", "order", "open",
     [("Army Eskdale holds", "A Eskdale H", 0.8), ("Army Easdale holds", None, 0.1)]),
    ("F Lyne Bay H", "order", "open", [("F Lyme Bay H", "F Lyme Bay H", 0.7)]),
]


class Desk:
    """A desk with one game, one sheet of four lines, and a signed-in coordinator on demand."""

    def __init__(self, folder: Path) -> None:
        url = f"sqlite:///{folder / 'desk.sqlite'}"
        migrate(url)
        self.store: Store = sessions(open_engine(url))
        self.blobs = Blobs(folder / "blobs")
        self.clock = SimulatedClock(DEADLINE + timedelta(minutes=5))
        self.settled: list[int] = []
        self.approved: list[tuple[int, str]] = []
        ports = DeskPorts(
            sessions=self.store, blobs=self.blobs, clock=self.clock, wall=self.clock, secure_cookies=False,
            understand=lambda _session, _phase, _power, text: (
                Understood("A Merse H") if text == "Army Merse holds" else Understood(None, "No order has this form.")
            ),
            settled=self.settled.append,
            approve=lambda phase, by: self.approved.append((phase, by)),
            shown=lambda _phase: (),
            map_pdf=lambda game: b"%PDF-1.7" if game == "powick-bridge" else None,
        )
        self.client = TestClient(create_app(ports), base_url="http://testserver")
        self._fill()

    def _fill(self) -> None:
        picture = io.BytesIO()
        Image.new("RGB", (900, 700), "white").save(picture, "JPEG")
        key = self.blobs.put(picture.getvalue())
        with self.store.begin() as session:
            access.add_user(session, "Ada", "correct horse", self.clock.now())
            session.add(GameRow(id="powick-bridge", name="Powick Bridge", variant="w3k", created_at=DEADLINE))
            session.add(PlayerRow(id=1, name="James"))
            session.flush()
            session.add(SeatRow(game_id="powick-bridge", power="Montrose", player_id=1))
            session.add(PhaseRow(id=7, game_id="powick-bridge", ordinal=1, year=1642, season="Summer", kind="movement",
                                 opens_at=DEADLINE - timedelta(days=13), deadline=DEADLINE, state=PhaseState.CLOSED))
            session.flush()
            session.add(SubmissionRow(id=1, phase_id=7, power="Montrose", player_id=1, sender="james@players.example",
                                      received_at=DEADLINE - timedelta(hours=1), version=1, semantic_key="x",
                                      read_at=DEADLINE))
            session.flush()
            session.add(PageRow(id=1, submission_id=1, ordinal=0, original=key, upright=key))
            session.flush()
            for at, (text, kind, status, candidates) in enumerate(LINES):
                found = [{"text": t, "order": o, "score": s} for t, o, s in candidates]
                session.add(LineRow(id=at + 1, page_id=1, ordinal=at, box=[[50, 100 * at], [800, 100 * at],
                            [800, 100 * at + 60], [50, 100 * at + 60]], kind=kind, text=text, status=status,
                            order=found[0]["order"] if found else None, confidence=0.8, candidates=found))

    def sign_in(self) -> None:
        answer = self.client.post("/sign-in", data={"name": "Ada", "password": "correct horse"},
                                  follow_redirects=False)
        assert answer.status_code == 303

    def token(self, path: str = "/") -> str:
        found = re.search(r'name="csrf" value="([^"]+)"', self.client.get(path).text)
        assert found is not None
        return found[1]

    def decide(self, line: int, do: str, key: str = "k1", text: str = "") -> str:
        answer = self.client.post("/desk/7/decide", follow_redirects=False, data={
            "csrf": self.token(), "line": str(line), "key": key, "do": do, "text": text})
        assert answer.status_code == 303, answer.text
        return str(answer.headers["location"])

    def reviews(self) -> list[ReviewRow]:
        with self.store() as session:
            return list(session.scalars(select(ReviewRow).order_by(ReviewRow.id)))

    def set_state(self, state: PhaseState) -> None:
        with self.store.begin() as session:
            session.get_one(PhaseRow, 7).state = state


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize("path", ["/", "/desk/7", "/results/7", "/quarantine", "/letters", "/letters/1",
                                  "/images/line/1.jpg", "/images/page/1.jpg"])
def test_nothing_shows_without_signing_in(desk: Desk, path: str) -> None:
    answer = desk.client.get(path, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/sign-in"


def test_a_wrong_password_is_refused_and_five_of_them_rest_the_name(desk: Desk) -> None:
    wrong = {"name": "Ada", "password": "wrong"}
    assert [desk.client.post("/sign-in", data=wrong).status_code for _ in range(6)] == [401] * 5 + [429]
    desk.clock.advance(timedelta(minutes=6))
    desk.sign_in()


def test_a_session_ends_after_twelve_idle_hours(desk: Desk) -> None:
    desk.sign_in()
    desk.clock.advance(timedelta(hours=13))
    assert desk.client.get("/", follow_redirects=False).status_code == 303


def test_every_answer_carries_the_strict_headers(desk: Desk) -> None:
    answer = desk.client.get("/sign-in")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "unsafe-inline" not in answer.headers["content-security-policy"]
    assert not re.search(r"<script(?! src)|\son\w+=|style=", answer.text)


def test_a_form_without_its_token_changes_nothing(desk: Desk) -> None:
    desk.sign_in()
    for data in ({}, {"csrf": "guess"}):
        answer = desk.client.post("/desk/7/decide", data={"line": "3", "key": "k", "do": "reading-1", **data})
        assert answer.status_code == 403
        assert "Nothing was changed" in answer.text
    assert desk.reviews() == []


def test_the_desk_asks_for_the_first_open_line_and_its_readings(desk: Desk) -> None:
    desk.sign_in()
    page = desk.client.get("/desk/7").text
    assert "line 3 of 4" in page
    assert "Army Eskdale holds" in page
    assert "2 left" in page
    crop = desk.client.get("/images/line/3.jpg")
    with Image.open(io.BytesIO(crop.content)) as picture:
        assert picture.height >= 48


def test_the_last_decision_hands_the_phase_to_the_judge(desk: Desk) -> None:
    desk.sign_in()
    assert desk.decide(3, "reading-1", "a").startswith("/desk/7")
    assert desk.settled == []
    assert desk.decide(4, "edit", "b", "Army Merse holds") == "/results/7"
    assert desk.settled == [7]
    first, second = desk.reviews()
    assert (first.order, first.by) == ("A Eskdale H", "Ada")
    assert (second.text, second.order) == ("Army Merse holds", "A Merse H")


def test_text_that_is_no_order_is_kept_as_written(desk: Desk) -> None:
    desk.sign_in()
    where = desk.decide(3, "edit", "a", "God save the King")
    assert "No+order+has+this+form" in where
    assert desk.reviews()[0].order is None
    assert desk.reviews()[0].decision == LineState.READ


def test_the_same_request_twice_is_one_decision(desk: Desk) -> None:
    desk.sign_in()
    desk.decide(3, "reading-1", "same")
    desk.decide(3, "void", "same")
    assert [r.decision for r in desk.reviews()] == ["read"]


def test_undo_returns_to_the_line_and_the_eyes_reading_stands_again(desk: Desk) -> None:
    desk.sign_in()
    desk.decide(3, "void", "a")
    answer = desk.client.post("/desk/7/undo", data={"csrf": desk.token()}, follow_redirects=False)
    assert answer.headers["location"] == "/desk/7?line=3"
    assert "line 3 of 4" in desk.client.get("/desk/7?line=3").text
    assert "2 left" in desk.client.get("/desk/7").text


def test_skipped_lines_come_back_last_and_keep_the_phase_open(desk: Desk) -> None:
    desk.sign_in()
    desk.decide(3, "skip", "a")
    assert "line 4 of 4" in desk.client.get("/desk/7").text
    assert desk.decide(4, "not-order", "b").startswith("/desk/7")
    assert "line 3 of 4" in desk.client.get("/desk/7").text
    assert desk.settled == []


def test_before_the_deadline_only_counts_show(desk: Desk) -> None:
    desk.set_state(PhaseState.OPEN)
    desk.sign_in()
    pages = [desk.client.get(path) for path in ("/", "/desk/7", "/results/7", "/images/line/3.jpg",
                                                "/images/page/1.jpg")]
    assert "Sealed until Sun 14 Mar 2027, 07:00 GMT" in pages[1].text
    assert [p.status_code for p in pages[3:]] == [403, 403]
    for page in pages:
        assert "Eskdale" not in page.text
        assert "Lyme" not in page.text
    answer = desk.client.post("/desk/7/decide", data={"csrf": desk.token(), "line": "3", "key": "k",
                                                      "do": "reading-1"})
    assert answer.status_code == 409


def test_a_line_page_shows_no_consequence(desk: Desk) -> None:
    """DESK-03: nothing of board, legality or outcome while a line is being read."""
    desk.sign_in()
    page = desk.client.get("/desk/7").text.lower()
    for word in ("illegal", "bounce", "dislodged", "succeeds", "strength", "map.pdf", "adjacent"):
        assert word not in page


def test_a_line_of_another_phase_cannot_be_decided_here(desk: Desk) -> None:
    desk.sign_in()
    answer = desk.client.post("/desk/7/decide", data={"csrf": desk.token(), "line": "99", "key": "k",
                                                      "do": "void"})
    assert answer.status_code == 404
    assert "Nothing was changed" in answer.text


def test_the_map_has_a_stable_public_address(desk: Desk) -> None:
    assert desk.client.get("/public/powick-bridge/map.pdf").content.startswith(b"%PDF")
    missing = desk.client.get("/public/nowhere/map.pdf")
    assert missing.status_code == 404
    assert "no such game" in missing.text


def test_markup_in_a_reading_is_shown_as_text(desk: Desk) -> None:
    with desk.store.begin() as session:
        session.get_one(LineRow, 3).candidates = [{"text": "<script>alert(1)</script>", "order": None, "score": 0.5}]
    desk.sign_in()
    assert "<script>alert" not in desk.client.get("/desk/7").text
