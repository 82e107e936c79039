"""A desk with a hundred doubtful lines of real ink, for a real browser: `python -m tests.browser.reading_site
FOLDER PORT`.

The ink is that of the demo's photographs, cut where their own list of boxes says. What the eye "read" is made
here: the written text with letters confused by a fixed chance; on every fifth line the right order is taken
out of the readings, so that it must be typed. `truth.json` in the folder says what each line really says.
"""

from __future__ import annotations

import hashlib
import io
import json
import random
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from PIL import Image, ImageOps
from sqlalchemy.orm import Session

import maps
from adjudicator.calendar import PhaseKind
from reading.completions import suggest, words_of
from reading.vocabulary import parse_typed, printed
from service.app import create_app
from service.clock import SimulatedClock
from service.record.chain import sessions
from service.store.blobs import Blobs
from service.store.engine import Store, migrate, open_engine
from service.store.tables import (
    GameRow,
    LineRow,
    PageRow,
    PhaseRow,
    PhaseState,
    PlayerRow,
    SeatRow,
    SessionRow,
    SubmissionRow,
)
from service.web import sessions as access
from service.web.ports import DeskPorts, Understood

PHASE = 7
DEADLINE = datetime(2027, 3, 14, 7, 0, tzinfo=UTC)
NOW = DEADLINE + timedelta(minutes=5)
NAMES = ("Ada", "Blaise")
LIKE = {
    "n": "u",
    "u": "n",
    "a": "o",
    "o": "a",
    "e": "c",
    "l": "i",
    "h": "b",
    "r": "v",
    "t": "l",
    "m": "w",
    "g": "y",
}
CONFUSED = 0.12
"""Chance that a letter with a twin is taken for it."""
LOST_EVERY, SECOND_EVERY = 5, 7
"""Every so manieth line has the right order not at all among its readings, or has it in the second place."""
MOST = 100


@dataclass(frozen=True, slots=True)
class Written:
    """One line of ink: whose, on which photograph, where, and what it says."""

    power: str
    file: str
    box: list[list[float]]
    text: str
    order: str


def written() -> list[Written]:
    """The orders of the demo's movement sheets, at most a hundred."""
    folder = files("demo") / "data" / "w3k"
    sheets = json.loads((folder / "truth.json").read_text("utf-8"))["sheets"]
    found: list[Written] = []
    seen: set[str] = set()
    for sheet in sheets:
        if sheet["phase"] != "Movement" or sheet["id"] in seen:
            continue
        seen.add(sheet["id"])
        found += [
            Written(sheet["power"], sheet["file"], _whole(line["boxes"]), line["text"], line["order"])
            for line in sheet["lines"] if line["kind"] == "order" and not line["struck"]
        ]
    return found[:MOST]


def token(name: str) -> str:
    """The session token that a browser of this person carries."""
    return f"a-browser-of-{name}"


def fill(folder: Path) -> None:
    """Make the database, the blobs and `truth.json` in an empty folder."""
    migrate(_url(folder))
    engine = open_engine(_url(folder))
    lines, variant, chance = written(), maps.load("w3k"), random.Random(1642)
    truth: dict[int, dict[str, object]] = {}
    with sessions(engine).begin() as session:
        _people(session)
        powers = list(dict.fromkeys(line.power for line in lines))
        by_name = {power.name: power.id for power in variant.powers.values()}
        session.add_all(SeatRow(game_id="powick-bridge", power=by_name[p], player_id=1) for p in powers)
        session.flush()
        for number, power in enumerate(powers, start=1):
            own = [line for line in lines if line.power == power]
            session.add(SubmissionRow(
                id=number, phase_id=PHASE, power=by_name[power], player_id=1,
                sender=f"p{number}@players.example",
                received_at=DEADLINE - timedelta(hours=number), version=1, semantic_key=str(number),
                read_at=DEADLINE))
            session.flush()
            for at, file in enumerate(dict.fromkeys(line.file for line in own)):
                key = Blobs(folder / "blobs").put(_upright(file))
                page = number * 10 + at
                session.add(PageRow(id=page, submission_id=number, ordinal=at, original=key, upright=key))
                session.flush()
                for row, line in enumerate(line for line in own if line.file == file):
                    made = _line(line, len(truth) + 1, page, row, chance)
                    session.add(made)
                    session.flush()
                    truth[made.id] = {"order": line.order, "text": line.text, "power": power}
    (folder / "truth.json").write_text(json.dumps(truth))
    engine.dispose()


def app(folder: Path) -> FastAPI:
    """The desk over such a folder. Nothing is judged: the browser's tests end where the reading does."""
    store: Store = sessions(open_engine(_url(folder)))
    variant, kind = maps.load("w3k"), PhaseKind.MOVEMENT

    def understand(_session: Session, _phase: int, power: str, text: str) -> Understood:
        parsed = parse_typed(variant, kind, power, text)
        if parsed.complaint is not None:
            return Understood(None, parsed.complaint.message)
        return Understood(printed(parsed.orders, variant.board))

    return create_app(DeskPorts(
        sessions=store, blobs=Blobs(folder / "blobs"), clock=SimulatedClock(NOW), secure_cookies=False,
        understand=understand, settled=lambda _phase: False, approve=lambda _phase, _by: None,
        shown=lambda _phase: (),
        map_pdf=lambda _game: None, wall=SimulatedClock(NOW),
        suggest=lambda _session, _phase, power, text: suggest(variant, kind, power, text),
        words=lambda _session, _phase: words_of(variant, kind),
    ))


def _people(session: Session) -> None:
    for name in NAMES:
        access.add_user(session, name, "correct horse", NOW)
        session.flush()
        session.add(SessionRow(token_hash=hashlib.sha256(token(name).encode()).hexdigest(), user=name,
                               csrf=f"form-token-of-{name}", created_at=NOW, seen_at=NOW))
    session.add(GameRow(id="powick-bridge", name="Powick Bridge", variant="w3k", created_at=DEADLINE))
    session.add(PlayerRow(id=1, name="James"))
    session.flush()
    session.add(
        PhaseRow(
            id=PHASE,
            game_id="powick-bridge",
            ordinal=1,
            year=1642,
            season="Summer",
            kind="movement",
            opens_at=DEADLINE - timedelta(days=13),
            deadline=DEADLINE,
            state=PhaseState.CLOSED,
        )
    )
    session.flush()


def _line(line: Written, number: int, page: int, row: int, chance: random.Random) -> LineRow:
    variant = maps.load("w3k")
    seen = _misread(line.text, chance)
    candidates: list[dict[str, Any]] = suggest(variant, PhaseKind.MOVEMENT, "", seen)
    if number % LOST_EVERY == 0:
        candidates = [one for one in candidates if one["order"] != line.order]
    elif number % SECOND_EVERY == 0:
        candidates = [*candidates[1:2], *candidates[:1], *candidates[2:]]
    return LineRow(id=number, page_id=page, ordinal=row, box=line.box, kind="order", text=seen, status="open",
                   order=str(candidates[0]["order"]) if candidates else None, confidence=0.6,
                   candidates=candidates[:5])


def _whole(boxes: list[list[list[float]]]) -> list[list[float]]:
    """One box around the rows of a line."""
    if len(boxes) == 1:
        return boxes[0]
    xs, ys = zip(*(point for box in boxes for point in box), strict=True)
    return [[min(xs), min(ys)], [max(xs), min(ys)], [max(xs), max(ys)], [min(xs), max(ys)]]


def _misread(text: str, chance: random.Random) -> str:
    return "".join(LIKE[c] if c in LIKE and chance.random() < CONFUSED else c for c in text)


def _upright(file: str) -> bytes:
    with (files("demo") / "data" / "w3k" / file).open("rb") as opened, Image.open(opened) as picture:
        out = io.BytesIO()
        ImageOps.exif_transpose(picture).convert("RGB").save(out, "JPEG", quality=85)
    return out.getvalue()


def _url(folder: Path) -> str:
    return f"sqlite:///{folder / 'desk.sqlite'}"


if __name__ == "__main__":
    uvicorn.run(app(Path(sys.argv[1])), host="127.0.0.1", port=int(sys.argv[2]), log_level="error")
