"""What a full set of results costs to draw and word: ten powers, each with a sheet on file, the written
results as pictures, copies of every executed sheet, a letter for each address; and the map. Processor seconds
of one core, sending not counted.

The sheets are the demo's photographs, of Autumn 1642 and, where a power sent none then, of Summer. Their
lines are filed as the truth has them, so that nothing is read here.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TextIO

from PIL import Image
from sqlalchemy import select
from sqlalchemy.orm import Session

import maps
from adjudicator.calendar import PhaseKind
from demo.story import AUTHSERV, DEFAULT_FOLDER, Story, read_story
from service.bootstrap import Site, open_site
from service.clock import SimulatedClock
from service.config import MailIn, MailOut, Settings
from service.games import create
from service.games.ballots import executed
from service.games.deadlines import schedule
from service.games.lots import fresh_seed
from service.games.turns import extend_calendar, resolve_orders
from service.pictures import board_plan, map_pdf
from service.store import records
from service.store.tables import (
    GameRow,
    LineRow,
    LineState,
    MailRow,
    MailState,
    OutboxRow,
    PageRow,
    PhaseRow,
    SubmissionRow,
)

ORDERS = "orders@galloper.example"
START = date(2027, 3, 1)
TARGET, MAP_TARGET = 20.0, 3.0
"""Seconds on one core that a full set of results may take, and a map as PDF."""
ROUNDS = ("Summer 1642 Movement", "Autumn 1642 Movement")
MARGIN = 0.12
"""Where the writing begins, in parts of a photograph's height."""


@dataclass(frozen=True, slots=True)
class _Play:
    """A site with a game on it, and the clock that both go by."""

    site: Site
    clock: SimulatedClock
    story: Story


def run(out: TextIO, progress: TextIO) -> int:
    """Print the figures as JSON lines."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        with tempfile.TemporaryDirectory(prefix="galloper-letters-") as folder:
            play = _open(Path(folder))
            try:
                _map(play, out)
                _summer(play)
                print(("Summer 1642 is judged and sent; the results of Autumn are "
                       "drawn"), file=progress, flush=True)
                _autumn(play, out)
            finally:
                play.site.engine.dispose()
    finally:
        os.sched_setaffinity(0, cores)
    return 0


def _map(play: _Play, out: TextIO) -> None:
    """The map of control as PDF: the placing of names, which is done once for a board and paper, and a
    map."""
    variant = play.site.load(play.story.variant)
    begun = time.process_time()
    plan = board_plan(variant.slug)
    _say(out, "map: names placed, once in a process", time.process_time() - begun)
    begun = time.process_time()
    pdf = map_pdf(
        variant,
        maps.shapes(variant.slug),
        variant.start.centres,
        play.story.game,
        "at the beginning of 1643",
        plan=plan,
    )
    _say(
        out,
        "map as PDF",
        time.process_time() - begun,
        target=MAP_TARGET,
        megabytes=round(len(pdf) / 1e6, 2),
        most_megabytes=3,
    )


def _summer(play: _Play) -> None:
    phase = _phase(play, ROUNDS[0])
    for power in play.story.players:
        _file(play, phase, power, ROUNDS[0])
    play.clock.set(phase.deadline)
    play.site.close_phase(phase.id)
    play.site.approve_phase(phase.id, "bench")


def _autumn(play: _Play, out: TextIO) -> None:
    phase = _phase(play, ROUNDS[1])
    play.clock.set(phase.opens_at)
    for power in play.story.players:
        _file(play, phase, power, ROUNDS[1])
    play.clock.set(phase.deadline)
    play.site.close_phase(phase.id)
    for what in ("first time", "again"):
        with play.site.store() as session:
            row = session.get_one(PhaseRow, phase.id)
            resolution, _ = resolve_orders(session, row, play.site.load)
            begun = time.process_time()
            put: Callable[[Session], None] = play.site.announcements.prepare(session, row, resolution)
            drawn = time.process_time()
            before = set(session.scalars(select(OutboxRow.id)))
            put(session)
            session.flush()
            done = time.process_time()
            letters = [one for one in session.scalars(select(OutboxRow)) if one.id not in before]
            sizes = [len(play.site.blobs.read(one.message)) for one in letters]
            sheets = len(executed(session, row))
            session.rollback()
        _say(out, (f"draft results of {sheets} sheets to {len(letters)} letters, "
                   f"{what}"), done - begun, target=TARGET,
             drawn=round(drawn - begun, 2), written=round(done - drawn, 2),
             dislodged=len(resolution.dislodged),
             largest_letter_mb=round(max(sizes) / 1e6, 2))


def _say(out: TextIO, what: str, seconds: float, **more: object) -> None:
    print(
        json.dumps({"what": what, "value": round(seconds, 2), "unit": "CPU s", **more}), file=out, flush=True
    )


def _file(play: _Play, phase: PhaseRow, power: str, round_: str) -> None:
    """A power's sheet on file, its lines down the photograph as the truth has them."""
    story = play.story
    written = story.written_lines(round_, power)
    photo = _photo(story, power, round_)
    with Image.open(io.BytesIO(photo)) as opened:
        wide, high = opened.size
    key = play.site.blobs.put(photo + power.encode() + round_.encode())
    upright = play.site.blobs.put(photo)
    step = high * (1 - 2 * MARGIN) / max(1, len(written))
    with play.site.store.begin() as session:
        records.add_mail(session, key, len(photo), play.clock.now(), play.clock.now())
        session.get_one(MailRow, key).state = MailState.USED
        paper = SubmissionRow(
            sha256=key, phase_id=phase.id, power=power, sender=story.players[power][1],
            received_at=phase.opens_at, version=1,
            semantic_key=hashlib.sha256(key.encode()).hexdigest(), read_at=phase.opens_at, flags=[],
            fate="counts")
        session.add(paper)
        session.flush()
        page = PageRow(submission_id=paper.id, ordinal=0, original=upright, upright=upright, rotation=0)
        session.add(page)
        session.flush()
        lines = written or (("Nothing to order", "", True),)
        for at, (words, order, struck) in enumerate(lines):
            top, foot = high * MARGIN + step * at, high * MARGIN + step * (at + 0.8)
            session.add(LineRow(
                page_id=page.id, ordinal=at, kind="order" if order else "other", text=words,
                order=order or None, struck=struck,
                box=[[wide * 0.1, top], [wide * 0.9, top], [wide * 0.9, foot], [wide * 0.1, foot]],
                confidence=0.99,
                status=LineState.AUTO if order else LineState.NOT_ORDER, candidates=[]))


def _photo(story: Story, power: str, round_: str) -> bytes:
    """The photograph that a power sent, else one of somebody who did."""
    sent = [
        one
        for name in (round_, *ROUNDS)
        for one in story.mails_of(name)
        if one.fate == "accepted" and one.files
    ]
    own = [one for one in sent if one.power == power]
    return (DEFAULT_FOLDER / (own or sent)[0].files[0]).read_bytes()


def _phase(play: _Play, title: str) -> PhaseRow:
    season, year, _ = title.split()
    with play.site.store() as session:
        return session.scalars(select(PhaseRow).where(
            PhaseRow.season == season, PhaseRow.year == int(year), PhaseRow.kind == PhaseKind.MOVEMENT)).one()


def _open(folder: Path) -> _Play:
    story = read_story()
    clock = SimulatedClock(datetime(START.year, START.month, START.day, 12, tzinfo=UTC))
    (folder / "box").mkdir()
    for part in ("new", "cur", "tmp"):
        (folder / "box" / part).mkdir()
    site = open_site(
        Settings(
            data=str(folder / "data"),
            order_address=ORDERS,
            coordinator="coordinator@galloper.example",
            mail_in=MailIn(kind="maildir", path=str(folder / "box"), trusted_authserv_id=AUTHSERV),
            mail_out=MailOut(kind="folder", path=str(folder / "outbox"), sender=f"Galloper <{ORDERS}>"),
        ),
        clock=clock,
    )
    variant = site.load(story.variant)
    seats = [
        create.GameSeat(power, name, "Europe/London", (own,)) for power, (name, own) in story.players.items()
    ]
    first = schedule(START, variant.calendar, variant.start.phase, 1)[0]
    with site.store.begin() as session:
        row = create.create(
            session,
            create.NewGame(story.game, story.variant, START, seats),
            variant,
            first,
            fresh_seed(),
            clock.now(),
        )
        extend_calendar(session, session.get_one(GameRow, row.game_id), variant)
    return _Play(site, clock, story)
