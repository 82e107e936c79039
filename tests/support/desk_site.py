"""A desk with one game, one sheet of four lines and a coordinator, over a real SQLite file.

The file is migrated and filled once and copied for each test; signing in by the form is left to the tests
about it, as argon2 is slow on purpose.
"""

from __future__ import annotations

import hashlib
import io
import re
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import httpx
from fastapi.testclient import TestClient
from PIL import Image, ImageDraw
from sqlalchemy import Engine, select, text
from sqlalchemy.orm import Session

from reading.completions import Completions
from service.app import create_app
from service.clock import SimulatedClock
from service.desk import page_data
from service.desk.page_data import Load, TypedLine
from service.games.approval.approve import AnswerBy
from service.games.results import ShownPower
from service.record.sessions import sessions
from service.store.blobs import Blobs
from service.store.engine import Store, migrate, open_engine
from service.store.tables import (
    GameRow,
    LineRow,
    PageRow,
    PhaseRow,
    PhaseState,
    PlayerRow,
    ReviewRow,
    SeatRow,
    SessionRow,
    SubmissionRow,
    UserRow,
)
from service.web import sessions as access
from tests.support.desk_ports import desk_ports
from tests.support.servers.postgres import copy_of
from tests.support.site import KEY

GAME, PHASE = "powick-bridge", 7
DEADLINE = datetime(2027, 3, 14, 7, 0, tzinfo=UTC)
AFTER = DEADLINE + timedelta(minutes=5)
NAME, PASSWORD, TOKEN, CSRF = "Ada", "correct horse", "a-token-of-the-tests", "a-form-token-of-the-tests"
LINES: list[tuple[str, str, str, list[tuple[str, str | None, float]]]] = [
    ("Montrose", "heading", "not an order", []),
    ("Army Merse moves to Carham", "order", "auto",
     [("Army Merse moves to Carham", "A Merse - Carham Castle", 0.98)]),
    ("Arrny Eskdale holds", "order", "open",
     [("Army Eskdale holds", "A Eskdale H", 0.8), ("Army Easdale holds", None, 0.1)]),
    ("F Lyne Bay H", "order", "open", [("F Lyme Bay H", "F Lyme Bay H", 0.7)]),
]
COMPLAINT = "No order has this form."
WORDS = Completions(names=(("Carham", "Carham Castle"),), verbs=("moves to",), units=("Army", "Fleet"))
OTHER, OTHER_TOKEN, OTHER_CSRF = "Blaise", "another-token-of-the-tests", "another-form-token-of-the-tests"


@cache
def photograph() -> bytes:
    """A page of four dark strokes on white, 900 x 700 pixels."""
    page = Image.new("RGB", (900, 700), "white")
    # Where the boxes of the lines are.
    for row in range(len(LINES)):
        ImageDraw.Draw(page).line([(70, 100 * row + 30), (780, 100 * row + 30)], fill="#203040", width=20)
    out = io.BytesIO()
    page.save(out, "JPEG")
    return out.getvalue()


@cache
def _filled() -> bytes:
    """The database file every test starts with."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "desk.sqlite"
        migrate(f"sqlite:///{path}")
        engine = open_engine(f"sqlite:///{path}")
        _fill(sessions(engine, key=KEY))
        engine.dispose()
        return path.read_bytes()


def _sqlite(path: Path) -> Engine:
    path.write_bytes(_filled())
    return open_engine(f"sqlite:///{path}")


def _postgresql(url: str) -> Engine:
    """The same rows in a PostgreSQL database of their own."""
    return open_engine(copy_of(url, "desk_site", _prepare_postgresql))


def _prepare_postgresql(url: str) -> None:
    """Fill a database and set its counters behind the ids that the tests name."""
    migrate(url)
    engine = open_engine(url)
    _fill(sessions(engine, key=KEY))
    with engine.begin() as connection:
        for table in ("players", "phases", "submissions", "pages", "lines"):
            connection.execute(text(f"select setval(pg_get_serial_sequence('{table}', 'id'), 1000)"))
    engine.dispose()


def add_signed_in(session: Session, name: str, token: str, csrf: str) -> None:
    """A coordinator with a session that a browser may carry."""
    access.add_user(session, name, PASSWORD, AFTER)
    session.flush()
    # Put in as a row, so that no test pays for argon2 at a sign-in.
    add_session(session, name, token, csrf)


def add_session(session: Session, name: str, token: str, csrf: str) -> None:
    token_hash = hashlib.sha256(token.encode()).hexdigest()
    session.add(SessionRow(token_hash=token_hash, user=name, csrf=csrf, created_at=AFTER, seen_at=AFTER))


NO_LOTS: dict[str, Any] = {"sealed": "", "commitment": "0" * 64, "draw": {"rule": 2, "beacon": None}}
"""For a phase of which no lots are drawn."""


def add_closed_phase(session: Session, powers: Iterable[str]) -> None:
    """A game of one player for these powers, whose phase PHASE has just closed."""
    session.add(GameRow(id=GAME, name="Powick Bridge", variant="w3k", created_at=DEADLINE))
    session.add(PlayerRow(id=1, name="James"))
    session.flush()
    session.add_all(SeatRow(game_id=GAME, power=power, player_id=1) for power in powers)
    session.add(PhaseRow(
        id=PHASE, game_id=GAME, ordinal=1, year=1642, season="Summer", kind="movement",
        opens_at=DEADLINE - timedelta(days=13), deadline=DEADLINE, state=PhaseState.CLOSED, **NO_LOTS))
    session.flush()


def _fill(store: Store) -> None:
    key = hashlib.sha256(photograph()).hexdigest()
    with store.begin() as session:
        add_signed_in(session, NAME, TOKEN, CSRF)
        add_closed_phase(session, ("Montrose", "Ormond"))
        session.add(SubmissionRow(
            id=1, phase_id=PHASE, power="Montrose", player_id=1, sender="james@players.example",
            received_at=DEADLINE - timedelta(hours=1), version=1, semantic_key="x", read_at=DEADLINE))
        session.flush()
        session.add(PageRow(id=1, submission_id=1, ordinal=0, original=key, upright=key))
        session.flush()
        for row, (text, kind, status, candidates) in enumerate(LINES):
            readings = [{"text": t, "order": o, "score": s} for t, o, s in candidates]
            top = 100 * row
            session.add(LineRow(
                id=row + 1, page_id=1, ordinal=row, kind=kind, text=text, status=status, confidence=0.8,
                box=[[50, top], [800, top], [800, top + 60], [50, top + 60]], candidates=readings,
                order=readings[0]["order"] if readings else None))


class DeskSite:
    """The desk and its doors. `judged`, `approved` and `asked_again` record calls; set `judge_fault` or
    `approve_fault` to make them fail, `still_to_read` to have the judge find something unread; `shown` is
    what results show."""

    def __init__(self, folder: Path, url: str = "", base_url: str = "") -> None:
        self.engine = _postgresql(url) if url.startswith("postgresql") else _sqlite(folder / "desk.sqlite")
        self.store: Store = sessions(self.engine, key=KEY)
        self.blobs = Blobs(folder / "blobs")
        self.blobs.put(photograph())
        self.clock = SimulatedClock(AFTER)
        self.judged: list[int] = []
        self.approved: list[tuple[int, str]] = []
        self.asked_again: list[int] = []
        self.judge_fault: Exception | None = None
        self.approve_fault: Exception | None = None
        self.still_to_read = False
        self.csrf = CSRF
        self._acts = 0
        self.orders_of_words: dict[str, str] = {}
        self.shown: tuple[ShownPower, ...] = ()
        ports = desk_ports(
            sessions=self.store, blobs=self.blobs, clock=self.clock, wall=self.clock, secure_cookies=False,
            base_url=base_url,
            judge_when_read=self._judge, approve=self._approve,
            map_pdf=lambda game: b"%PDF-1.7" if game == "powick-bridge" else None,
            read_again=lambda _session, line: self.asked_again.append(line),
        )
        self._page_data = mock.patch.multiple(
            page_data, typed_line=self._typed_line, judged_powers=lambda *_: self.shown,
            words_to_complete=lambda *_: WORDS,
            suggested_readings=lambda _session, _phase, _load, _power, text: (
                [{"text": f"reread {text}", "order": "A Merse H", "score": 0.9}] if text else []))
        self._page_data.start()
        self.client = TestClient(
            create_app(ports),
            base_url="http://testserver",
            # A fault of ours is a page with status 500, as a person would meet it.
            raise_server_exceptions=False,
            follow_redirects=False,
        )

    def _typed_line(self, _session: Session, _phase: int, _load: Load, _power: str, text: str) -> TypedLine:
        if text == "Army Merse holds":
            return TypedLine("A Merse H")
        order = self.orders_of_words.get(text)
        return TypedLine(order, "" if order else COMPLAINT)

    def _judge(self, phase: int) -> bool:
        self.judged.append(phase)
        if self.judge_fault is not None:
            raise self.judge_fault
        if not self.still_to_read:
            self.change(7, state=PhaseState.READY, judged_at=self.clock.now())
        return not self.still_to_read

    def _approve(self, phase: int, by: str, _answer_by: AnswerBy | None) -> None:
        if self.approve_fault is not None:
            raise self.approve_fault
        self.approved.append((phase, by))

    def sign_in(self) -> None:
        """Carry the session that the file already holds."""
        self.csrf = CSRF
        self.client.cookies.set(access.COOKIE, TOKEN)

    def browser_at(self, address: str) -> TestClient:
        """A browser of another person, at another address."""
        return TestClient(self.client.app, base_url="http://testserver", client=(address, 5000),
                          raise_server_exceptions=False, follow_redirects=False)

    def page(self, path: str, status: int = 200) -> str:
        """A page's text, tags and all, after one check of its status; blanks run together."""
        answer = self.client.get(path)
        assert answer.status_code == status, answer.text
        return " ".join(answer.text.split())

    def text(self, path: str, status: int = 200) -> str:
        """The contents of a page, without its tags."""
        return " ".join(re.sub(r"<[^>]+>", " ", self.page(path, status)).split())

    def post(self, path: str, **values: object) -> httpx.Response:
        """Send a form with its token."""
        answer: httpx.Response = self.client.post(
            path, data={"csrf": self.csrf, **{key: str(value) for key, value in values.items()}}
        )
        return answer

    def decide(self, line: int, do: str, key: str = "k1", text: str = "") -> str:
        """File a decision; where the answer leads."""
        answer = self.post("/desk/7/decide", line=line, key=key, do=do, text=text)
        assert answer.status_code == 303, answer.text
        return str(answer.headers["location"])

    def second_reader(self) -> None:
        """Sit down as another person."""
        with self.store.begin() as session:
            # No password: this person never signs in by the form, and argon2 is slow on purpose.
            if session.get(UserRow, OTHER) is None:
                session.add(UserRow(name=OTHER, password="", created_at=AFTER))
                session.flush()
                add_session(session, OTHER, OTHER_TOKEN, OTHER_CSRF)
        self.client.cookies.set(access.COOKIE, OTHER_TOKEN)
        self.csrf = OTHER_CSRF

    def acts(self, *wishes: dict[str, Any], status: int = 200) -> dict[str, Any]:
        """Send acts as the page's script does; the answer."""
        answer = self.client.post(
            "/desk/7/acts", json={"acts": list(wishes)}, headers={"X-Galloper-Token": self.csrf}
        )
        assert answer.status_code == status, answer.text
        return dict(answer.json()) if status == 200 else {}

    def act(self, do: str, line: int = 0, key: str = "", **more: Any) -> dict[str, Any]:
        """File one act; its answer."""
        self._acts += 1
        wish = {"key": key or f"key-number-{self._acts}", "do": do, "line": line, **more}
        return dict(self.acts(wish)["acts"][0])

    def states(self) -> list[tuple[object, ...]]:
        """The state of every line at the desk, as the page's script gets it."""
        lines = self.client.get("/desk/7/lines").json()["lines"]
        return [
            tuple(line[name] for name in ("id", "number", "state", "version", "text", "order", "by", "asked"))
            for line in lines
        ]

    def reviews(self) -> list[ReviewRow]:
        """Every decision on file, oldest first."""
        with self.store() as session:
            return list(session.scalars(select(ReviewRow).order_by(ReviewRow.id)))

    def change(self, phase: int, **values: Any) -> None:
        """Set columns of a phase."""
        with self.store.begin() as session:
            row = session.get_one(PhaseRow, phase)
            for name, value in values.items():
                setattr(row, name, value)

    def close(self) -> None:
        """Let go of the database, so that it can be emptied for the next test."""
        self._page_data.stop()
        self.client.close()
        self.engine.dispose()

    def add(self, *rows: Any) -> None:
        """Put rows into the tables, one after the other."""
        with self.store.begin() as session:
            for row in rows:
                session.add(row)
                session.flush()
