"""Years of history for a site, written in bulk: games with submissions, lines, decisions, letters and log.

The rows look like those of a played game: a year of the board's own calendar, two submissions in ten sent
twice, one line in five read by a person. Their words repeat, and there are no photographs, because no
measured page shows one.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

import maps
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.serialize import codec
from maps.variant import Variant
from service.games import create, lots, sealed_lots, turns
from service.games.deadlines import PhaseWindow, schedule
from service.store.tables import (
    EventRow,
    GameRow,
    LineRow,
    MailRow,
    OutboxRow,
    PageRow,
    PhaseRow,
    PhaseState,
    ReviewActionRow,
    ReviewRow,
    SubmissionRow,
)

LINES = 14  # of a sheet: about as many as a power of the board has units, and its heading
READ_EVERY = 5  # every fifth line was read by a person
TWICE_EVERY = 5  # every fifth power sent an earlier version
_TEXT, _ORDER = "Army Basing House supports Army Brittany to hold", "A Basing House S A Brittany"

Rows = list[dict[str, Any]]


def fill(session: Session, number: int, years: int, slug: str, now: datetime) -> None:
    """Add a game with all phases of `years` years of its calendar, all sent, and after them the phase that is
    open now, for which every power has a submission."""
    variant = maps.load(slug)
    steps = years * len(variant.calendar.steps)
    plan = schedule(now.date(), variant.calendar, variant.start.phase, steps + 1)
    start = (now - (plan[-1].opens - plan[0].opens) - timedelta(days=2)).date()
    windows = schedule(start, variant.calendar, variant.start.phase, steps + 1)
    seats = [
        create.GameSeat(power, f"Player {number} of {power}", mail=(f"p{number}-{seat}@players.example",))
        for seat, power in enumerate(variant.powers)
    ]
    new = create.NewGame(f"The long game {number}", slug, start, seats)
    first = create.create(session, new, variant, windows[0], windows[0].opens)
    first.state, first.sent_at = PhaseState.SENT, windows[0].deadline
    first.closed_at = first.judged_at = windows[0].deadline
    _History(session, variant, new.slug, number).write(first, windows)
    turns.extend_calendar(session, session.get_one(GameRow, new.slug), variant)


class _History:
    """Writes the rows of one game, table by table."""

    def __init__(self, session: Session, variant: Variant, game: str, number: int) -> None:
        self._session, self._variant, self._game, self._number = session, variant, game, number
        self._position = codec.dump_position(variant.start)
        tape = Lots(lots.tape((secrets.token_hex(32),), variant.rules.LOTS))
        # One judged phase represents all: what a page costs depends on the rows, not on who moved where.
        self._resolution = codec.dump_resolution(
            judge(variant.context(), variant.rules, variant.start, [], tape))

    def write(self, first: PhaseRow, windows: Sequence[PhaseWindow]) -> None:
        """Write all phases and everything that belongs to them."""
        first.resolution = self._resolution
        self._session.flush()
        later = [
            self._phase(ordinal, window, last=ordinal == len(windows))
            for ordinal, window in enumerate(windows[1:], start=2)
        ]
        self._session.execute(insert(PhaseRow), later)
        phases = self._session.scalars(
            select(PhaseRow).where(PhaseRow.game_id == self._game).order_by(PhaseRow.ordinal)).all()
        for phase in phases:
            self._submissions(phase)
            if phase.state == PhaseState.SENT:
                self._letters(phase)

    def _phase(self, ordinal: int, window: PhaseWindow, *, last: bool) -> dict[str, Any]:
        over = None if last else window.deadline
        drawn = PhaseRow(game_id=self._game, ordinal=ordinal)
        sealed_lots.seal(self._session, drawn, self._session.get_one(GameRow, self._game))
        return {
            "game_id": self._game, "ordinal": ordinal, "year": window.phase.year,
            "season": window.phase.season,
            "kind": window.phase.kind.value, "opens_at": window.opens, "deadline": window.deadline,
            "state": PhaseState.OPEN if last else PhaseState.SENT, "position": self._position,
            "resolution": None if last else self._resolution,
            "seed": None if last else sealed_lots.opened_seed(self._session, drawn),
            "sealed": drawn.sealed, "commitment": drawn.commitment, "draw": drawn.draw,
            "closed_at": over, "judged_at": over, "sent_at": over,
        }

    def _submissions(self, phase: PhaseRow) -> None:
        """Each power's submission, some in two versions, with their mails, pages, lines and decisions."""
        submissions: Rows = []
        for seat, power in enumerate(self._variant.powers):
            for version in range(1, 3 if seat % TWICE_EVERY == 0 else 2):
                submissions.append(self._submission(phase, seat, power, version))
        self._session.execute(insert(MailRow), [
            {"sha256": submission["sha256"], "size": 900_000, "received_at": submission["received_at"],
             "stored_at": submission["received_at"], "state": "used",
             "sender": submission["sender"]} for submission in submissions])
        ids = self._ids(SubmissionRow, submissions)
        pages: Rows = [
            {"submission_id": key, "ordinal": 0, "original": f"{key:064x}", "upright": f"{key:064x}"}
            for key in ids
        ]
        lines: Rows = [
            {
                "page_id": page,
                "ordinal": row,
                "kind": "order" if row else "heading",
                "text": _TEXT,
                "order": _ORDER if row else None,
                "box": [[100, 60 * row], [900, 60 * row], [900, 60 * row + 44], [100, 60 * row + 44]],
                "confidence": 0.97,
                "status": "not an order" if row == 0 else "open" if row % READ_EVERY == 0 else "auto",
                "candidates": [
                    {"text": _TEXT, "order": _ORDER, "score": 0.9},
                    {"text": _TEXT[:-7], "order": None, "score": 0.1},
                ],
            }
            for page in self._ids(PageRow, pages)
            for row in range(LINES)
        ]
        line_ids = self._ids(LineRow, lines)
        if phase.state == PhaseState.SENT:
            self._decisions(
                phase, [key for key, line in zip(line_ids, lines, strict=True) if line["status"] == "open"]
            )

    def _submission(self, phase: PhaseRow, seat: int, power: str, version: int) -> dict[str, Any]:
        received = phase.opens_at + timedelta(hours=5 + seat, minutes=version)
        return {
            "sha256": f"{phase.id:030x}{seat:030x}{version:04x}", "phase_id": phase.id, "power": power,
            "version": version,
            "sender": f"p{self._number}-{seat}@players.example", "received_at": received, "fate": "counts",
            "flags": [],
            "semantic_key": f"{seat} {version}", "read_at": received + timedelta(minutes=1)}

    def _decisions(self, phase: PhaseRow, lines: list[int]) -> None:
        by_ada = {"by": "Ada", "at": phase.deadline}
        reviews: Rows = [
            {"line_id": line, "key": f"history-{line}", "decision": "read", "text": _ORDER, "order": _ORDER,
             **by_ada}
            for line in lines
        ]
        self._session.execute(insert(ReviewActionRow), [
            {"key": f"history-act-{key}", "phase_id": phase.id, "kind": "decide", "reviews": [key], **by_ada}
            for key in self._ids(ReviewRow, reviews)
        ])

    def _letters(self, phase: PhaseRow) -> None:
        """A receipt and the results for every power, and the phase's events in the log."""
        common: dict[str, Any] = {
            "game_id": self._game, "phase_id": phase.id, "state": "sent", "message": "0" * 64,
            "due_at": phase.deadline,
            "sent_at": phase.deadline}
        self._session.execute(insert(OutboxRow), [
            {**common, "kind": kind, "key": f"{self._game} {phase.id} {kind} {seat}",
             "subject": f"{self._game}: {kind}",
             "recipient": f"p{self._number}-{seat}@players.example",
             "message_id": f"<{phase.id}.{kind}.{seat}@galloper.example>"}
            for kind in ("receipt", "results") for seat in range(len(self._variant.powers))])
        events = ("phase_opened", *(["mail_taken"] * len(self._variant.powers)), "phase_closed",
                  "phase_judged", "results_approved")
        self._session.execute(insert(EventRow), [
            {"at": phase.deadline, "game_id": self._game, "actor": "galloper", "what": event,
             "detail": {"phase": f"{phase.season} {phase.year}"}}
            for event in events
        ])

    def _ids(self, table: Any, rows: Rows) -> list[int]:
        """Insert rows with ids after the table's last one, and return the ids."""
        # A bulk insert returns no ids, so they are chosen here.
        last = self._session.scalar(select(func.max(table.id))) or 0
        self._session.execute(
            insert(table), [{"id": last + number, **row} for number, row in enumerate(rows, start=1)]
        )
        return list(range(last + 1, last + 1 + len(rows)))
