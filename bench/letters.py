"""What a full set of results costs to draw and write, and what the map costs; processor seconds of one core.

Ten powers, each with a sheet on file: the written results as pictures, copies of every executed sheet, a
letter for each address. Sending is not counted. The sheets are the demo's photographs of Autumn 1642 and, for
a power that sent none then, of Summer. Their lines are filed as the truth has them, so nothing is read here.
"""

from __future__ import annotations

import hashlib
import io
import json
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TextIO

from PIL import Image
from sqlalchemy import select
from sqlalchemy.orm import Session

import maps
from adjudicator.calendar import PhaseKind
from bench import approval
from bench.figure import print_line
from bench.process import one_core
from demo.open_game import open_game
from demo.story import AUTHSERV, DEFAULT_FOLDER, Story, WrittenLine, read_story
from service.bootstrap import Site, open_site
from service.clock import SimulatedClock
from service.config import MailIn, MailOut, Settings
from service.games import turns
from service.games.ballots import executed
from service.games.turns import resolve_orders
from service.pictures import board_plan, map_pdf
from service.store import records
from service.store.letter_parts import blob_keys, finished
from service.store.tables import (
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
# Seconds on one core that a full set of results may take, and a map as PDF; megabytes of that PDF (OUT-04,
# MAP-01).
RESULTS_TARGET, MAP_TARGET, MAP_MEGABYTES = 20.0, 3.0, 3
DISK_TARGET = 1.3
"""Disk of a movement phase of ten powers over its distinct pictures (LET-05)."""
SUMMER, AUTUMN, WINTER = "Summer 1642 Movement", "Autumn 1642 Movement", "Winter 1643 Adjustment"
MARGIN = 0.12  # where the writing begins and ends, in shares of a photograph's height
NO_ORDERS = (WrittenLine("Nothing to order", "", struck=True),)


@dataclass(frozen=True, slots=True)
class _Play:
    """A site with a game, and the site's clock."""

    site: Site
    clock: SimulatedClock
    story: Story


def run(out: TextIO, progress: TextIO) -> int:
    """Print the figures as JSON lines; 0."""
    with one_core(), tempfile.TemporaryDirectory(prefix="galloper-letters-") as folder:
        play = _open(Path(folder))
        try:
            _measure_map(play, out)
            _play_summer(play)
            text = "Summer 1642 is judged and sent; the results of Autumn are drawn"
            print(text, file=progress, flush=True)
            _measure_autumn(play, out)
            year_end = _play_to_year_end(play)
        finally:
            play.site.engine.dispose()
        print("The year is judged; its end is approved at a real server", file=progress, flush=True)
        approval.measure(Path(folder), year_end, out)
    return 0


def _measure_map(play: _Play, out: TextIO) -> None:
    """The map of control as PDF, and the placing of its names, which happens once for a board and paper."""
    variant = play.site.load(play.story.variant)
    begun = time.process_time()
    plan = board_plan(variant.slug)
    _print(out, "map: names placed, once in a process", time.process_time() - begun)
    begun = time.process_time()
    shapes, centres = maps.shapes(variant.slug), variant.start.centres
    pdf = map_pdf(variant, shapes, centres, play.story.game, "at the beginning of 1643", plan=plan)
    _print(out, "map as PDF", time.process_time() - begun, target=MAP_TARGET,
           megabytes=round(len(pdf) / 1e6, 2), most_megabytes=MAP_MEGABYTES)


def _play_summer(play: _Play) -> None:
    phase = _phase(play, SUMMER)
    for power in play.story.players:
        _file_sheet(play, phase, power, SUMMER)
    play.clock.set(phase.deadline)
    play.site.close_phase(phase.id)
    _approve(play, phase)


def _measure_autumn(play: _Play, out: TextIO) -> None:
    phase = _phase(play, AUTUMN)
    play.clock.set(phase.opens_at)
    for power in play.story.players:
        _file_sheet(play, phase, power, AUTUMN)
    _close(play, phase)
    # The first time pays for what is drawn once in a process; the second is what the next game costs.
    for occasion in ("first time", "again"):
        with play.site.store() as session:
            _measure_results(play, session, session.get_one(PhaseRow, phase.id), occasion, out)
            session.rollback()


def _play_to_year_end(play: _Play) -> int:
    """Send the results of Autumn and of its retreats, and judge the adjustments; the key of that phase."""
    for kind in (PhaseKind.MOVEMENT, PhaseKind.RETREAT):
        phase = _phase(play, AUTUMN, kind)
        _close(play, phase)
        _approve(play, phase)
    winter = _phase(play, WINTER, PhaseKind.ADJUSTMENT)
    turns.open_phase(play.site.store, winter.id, play.clock)
    for power in play.story.players:
        _file_sheet(play, winter, power, WINTER)
    _close(play, winter)
    return winter.id


def _approve(play: _Play, phase: PhaseRow) -> None:
    play.site.approve_phase(phase.id, "bench")
    # A deadline waits for players who were not asked in time.
    play.site.send_letters()


def _close(play: _Play, phase: PhaseRow) -> None:
    turns.open_phase(play.site.store, phase.id, play.clock)
    play.clock.set(phase.deadline)
    play.site.close_phase(phase.id)


def _measure_results(play: _Play, session: Session, phase: PhaseRow, occasion: str, out: TextIO) -> None:
    resolution, _ = resolve_orders(session, phase, play.site.load)
    kept_before = _blobs(play)
    # 1. Draw the pictures, outside of the transaction as ever.
    begun = time.process_time()
    put_letters = play.site.announcements.prepare(session, phase, resolution)
    drawn_at = time.process_time()
    # 2. Write the letters into the outbox.
    before = set(session.scalars(select(OutboxRow.id)))
    put_letters(session)
    session.flush()
    written = time.process_time()
    letters = [letter for letter in session.scalars(select(OutboxRow)) if letter.id not in before]
    sizes = [len(finished(play.site.blobs, letter)) for letter in letters]
    label = f"draft results of {len(executed(session, phase))} sheets to {len(letters)} letters, {occasion}"
    _print(out, label, written - begun, target=RESULTS_TARGET, drawn=round(drawn_at - begun, 2),
           written=round(written - drawn_at, 2), dislodged=len(resolution.dislodged),
           largest_letter_mb=round(max(sizes) / 1e6, 2))
    # 3. What it costs on the disk: each picture once, and the words of each letter in its row.
    blobs = _blobs(play)
    distinct = sum(blobs[key] for key in blob_keys((row.message, row.words, row.files) for row in letters))
    grown = sum(size for key, size in blobs.items() if key not in kept_before)
    words = sum(len(letter.words or "") + len(json.dumps(letter.files)) for letter in letters)
    if occasion == "first time":
        label = f"disk of {len(letters)} letters with real photographs, over their distinct pictures"
        print_line(out, what=label,
                   value=round((grown + words) / distinct, 3), unit="times", target=DISK_TARGET,
                   files_mb=round(grown / 1e6, 2), words_mb=round(words / 1e6, 3),
                   distinct_mb=round(distinct / 1e6, 2), sent_mb=round(sum(sizes) / 1e6, 2))


def _blobs(play: _Play) -> dict[str, int]:
    """The size of each file that the site keeps, by its key."""
    return {path.name: path.stat().st_size
            for path in (Path(play.site.settings.data) / "blobs").rglob("*") if path.is_file()}


def _print(out: TextIO, label: str, seconds: float, **details: object) -> None:
    print_line(out, what=label, value=round(seconds, 2), unit="CPU s", **details)


def _file_sheet(play: _Play, phase: PhaseRow, power: str, title: str) -> None:
    """File a power's sheet, its lines spread evenly down the photograph."""
    photo = _photograph(play.story, power, title)
    with Image.open(io.BytesIO(photo)) as opened:
        width, height = opened.size
    # Two powers may be given the same photograph; their mails must differ.
    key = play.site.blobs.put(photo + power.encode() + title.encode())
    upright = play.site.blobs.put(photo)
    lines = play.story.written_lines(title, power) or NO_ORDERS
    step = height * (1 - 2 * MARGIN) / len(lines)
    with play.site.store.begin() as session:
        records.add_mail(session, key, len(photo), play.clock.now(), play.clock.now())
        session.get_one(MailRow, key).state = MailState.USED
        submission = SubmissionRow(
            sha256=key, phase_id=phase.id, power=power, sender=play.story.players[power][1],
            received_at=phase.opens_at, version=1,
            semantic_key=hashlib.sha256(key.encode()).hexdigest(), read_at=phase.opens_at, flags=[],
            fate="counts")
        session.add(submission)
        session.flush()
        page = PageRow(submission_id=submission.id, ordinal=0, original=upright, upright=upright, rotation=0)
        session.add(page)
        session.flush()
        for ordinal, line in enumerate(lines):
            top, bottom = height * MARGIN + step * ordinal, height * MARGIN + step * (ordinal + 0.8)
            box = [[width * 0.1, top], [width * 0.9, top], [width * 0.9, bottom], [width * 0.1, bottom]]
            session.add(LineRow(
                page_id=page.id, ordinal=ordinal, kind="order" if line.order else "other", text=line.text,
                order=line.order or None, struck=line.struck, box=box, confidence=0.99,
                status=LineState.AUTO if line.order else LineState.NOT_ORDER, candidates=[]))


def _photograph(story: Story, power: str, title: str) -> bytes:
    """The photograph that a power sent, or that of another power if it sent none."""
    sent = [
        mail for phase in (title, SUMMER, AUTUMN) for mail in story.mails_of(phase)
        if mail.fate == "accepted" and mail.files
    ]
    by_power = [mail for mail in sent if mail.power == power]
    return (DEFAULT_FOLDER / (by_power or sent)[0].files[0]).read_bytes()


def _phase(play: _Play, title: str, kind: PhaseKind = PhaseKind.MOVEMENT) -> PhaseRow:
    season, year, _ = title.split()
    with play.site.store() as session:
        return session.scalars(select(PhaseRow).where(
            PhaseRow.season == season, PhaseRow.year == int(year), PhaseRow.kind == kind)).one()


def _open(folder: Path) -> _Play:
    story = read_story()
    clock = SimulatedClock(datetime(START.year, START.month, START.day, 12, tzinfo=UTC))
    for part in ("new", "cur", "tmp"):
        (folder / "box" / part).mkdir(parents=True)
    site = open_site(
        Settings(
            data=str(folder / "data"),
            order_address=ORDERS,
            coordinator="coordinator@galloper.example",
            mail_in=MailIn(kind="maildir", path=str(folder / "box"), trusted_authserv_ids=(AUTHSERV,)),
            mail_out=MailOut(kind="folder", path=str(folder / "outbox"), sender=f"Galloper <{ORDERS}>"),
        ),
        clock=clock,
    )
    open_game(site, story, START)
    return _Play(site, clock, story)
