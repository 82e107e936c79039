"""A desk with a hundred doubtful lines of real ink, for a real browser: `python -m tests.browser.reading_site
FOLDER PORT`.

The ink is that of the demo's photographs, cut where their own list of boxes states. What the recognizer
"read" is made here: the written text with letters confused by a fixed chance. On every fifth line the right
order is taken out of the readings, so that it must be typed. `truth.json` in the folder has the true lines.
"""

from __future__ import annotations

import io
import json
import random
import sys
from dataclasses import dataclass
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from PIL import Image, ImageOps

import maps
from adjudicator.calendar import PhaseKind
from reading.completions import suggest
from service.app import create_app
from service.clock import SimulatedClock
from service.record.sessions import sessions
from service.store.blobs import Blobs
from service.store.engine import Store, migrate, open_engine
from service.store.tables import LineRow, PageRow, SubmissionRow
from tests.support.desk_ports import desk_ports
from tests.support.desk_site import AFTER, DEADLINE, PHASE, add_closed_phase, add_signed_in

NAMES = ("Ada", "Blaise")
LIKE = {"n": "u", "u": "n", "a": "o", "o": "a", "e": "c", "l": "i", "h": "b", "r": "v", "t": "l", "m": "w",
        "g": "y"}
# Chance that a letter with a twin is taken for it.
CONFUSED = 0.12
# Every fifth line does not have the right order among its readings; every seventh has it in the second place.
LOST_EVERY, SECOND_EVERY = 5, 7
MOST = 100


@dataclass(frozen=True, slots=True)
class Written:
    """One line of ink: whose, on which photograph, where, and what it states."""

    power: str
    file: str
    box: list[list[float]]
    text: str
    order: str


def written() -> list[Written]:
    """The orders of the demo's movement sheets, at most a hundred."""
    folder = files("demo") / "data" / "w3k"
    sheets = json.loads((folder / "truth.json").read_text("utf-8"))["sheets"]
    lines: list[Written] = []
    sheet_ids: set[str] = set()
    for sheet in sheets:
        if sheet["phase"] != "Movement" or sheet["id"] in sheet_ids:
            continue
        sheet_ids.add(sheet["id"])
        lines += [
            Written(sheet["power"], sheet["file"], whole_box(line["boxes"]), line["text"], line["order"])
            for line in sheet["lines"] if line["kind"] == "order" and not line["struck"]
        ]
    return lines[:MOST]


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
        for name in NAMES:
            add_signed_in(session, name, token(name), f"form-token-of-{name}")
        powers = list(dict.fromkeys(line.power for line in lines))
        by_name = {power.name: power.id for power in variant.powers.values()}
        add_closed_phase(session, [by_name[power] for power in powers])
        for number, power in enumerate(powers, start=1):
            power_lines = [line for line in lines if line.power == power]
            session.add(SubmissionRow(
                id=number, phase_id=PHASE, power=by_name[power], player_id=1,
                sender=f"p{number}@players.example",
                received_at=DEADLINE - timedelta(hours=number), version=1, semantic_key=str(number),
                read_at=DEADLINE))
            session.flush()
            for ordinal, file in enumerate(dict.fromkeys(line.file for line in power_lines)):
                key = Blobs(folder / "blobs").put(upright(file))
                page = number * 10 + ordinal
                session.add(
                    PageRow(id=page, submission_id=number, ordinal=ordinal, original=key, upright=key))
                session.flush()
                for row, line in enumerate(line for line in power_lines if line.file == file):
                    line_row = _line(line, len(truth) + 1, page, row, chance)
                    session.add(line_row)
                    session.flush()
                    truth[line_row.id] = {"order": line.order, "text": line.text, "power": power}
    (folder / "truth.json").write_text(json.dumps(truth))
    engine.dispose()


def app(folder: Path) -> FastAPI:
    """The desk over such a folder. Nothing is judged: the browser's tests end where the reading does."""
    store: Store = sessions(open_engine(_url(folder)))
    return create_app(desk_ports(
        sessions=store, blobs=Blobs(folder / "blobs"), clock=SimulatedClock(AFTER), secure_cookies=False,
        judge_when_read=lambda _phase: False, wall=SimulatedClock(AFTER),
    ))


def _line(line: Written, number: int, page: int, row: int, chance: random.Random) -> LineRow:
    variant = maps.load("w3k")
    words = misread(line.text, chance)
    candidates: list[dict[str, Any]] = suggest(variant, PhaseKind.MOVEMENT, "", words)
    if number % LOST_EVERY == 0:
        candidates = [candidate for candidate in candidates if candidate["order"] != line.order]
    elif number % SECOND_EVERY == 0:
        candidates = [*candidates[1:2], *candidates[:1], *candidates[2:]]
    order = str(candidates[0]["order"]) if candidates else None
    return LineRow(id=number, page_id=page, ordinal=row, box=line.box, kind="order", text=words,
                   status="open", order=order, confidence=0.6, candidates=candidates[:5])


def whole_box(boxes: list[list[list[float]]]) -> list[list[float]]:
    """One box around the rows of a line."""
    if len(boxes) == 1:
        return boxes[0]
    xs, ys = zip(*(point for box in boxes for point in box), strict=True)
    return [[min(xs), min(ys)], [max(xs), min(ys)], [max(xs), max(ys)], [min(xs), max(ys)]]


def misread(text: str, chance: random.Random) -> str:
    """A text with letters taken for their twins."""
    return "".join(LIKE[c] if c in LIKE and chance.random() < CONFUSED else c for c in text)


def upright(file: str) -> bytes:
    """A photograph of the demo as JPEG, upright."""
    with (files("demo") / "data" / "w3k" / file).open("rb") as opened, Image.open(opened) as picture:
        out = io.BytesIO()
        ImageOps.exif_transpose(picture).convert("RGB").save(out, "JPEG", quality=85)
    return out.getvalue()


def _url(folder: Path) -> str:
    return f"sqlite:///{folder / 'desk.sqlite'}"


if __name__ == "__main__":
    uvicorn.run(app(Path(sys.argv[1])), host="127.0.0.1", port=int(sys.argv[2]), log_level="error")
