"""A player's own hand (INK-05): learnt from lines of theirs that are certain, used for their next sheets.

Certain is what a person decided at the desk and what the machine was sure of beyond doubt, on sheets whose
results were sent. Lines that fit badly teach nothing (`ocr.engines.hand.fits`). A hand is of one player and
reads that player's sheets alone; nothing of the board goes into it, only ink and what it states.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, sessionmaker

from ocr.engines.hand import Hand
from ocr.page import Box
from service.clock import Clock
from service.facts.events import Event
from service.facts.sheets import SheetFlag
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.lines import SettledLine, lines_of
from service.games.options import options_of, stored_options
from service.intake.sheets.recognizer import HandRecognizer, LessonPage, Recognizer
from service.jobs import Jobs
from service.store.blobs import Blobs
from service.store.tables import GameRow, HandRow, LineState, PageRow, PhaseRow, PhaseState, SubmissionRow

WORK = "learn hand"

BEYOND_DOUBT = 0.98
"""Confidence, 0..1, from which a line that no one looked at is learnt from. By hand."""

MOST_LINES = 80
"""Lines that a hand is fitted to, the newest: about ten sheets, a second of one core. By hand."""


def enqueue(jobs: Jobs, session: Session, phase_id: int) -> None:
    """Queue what a phase's sheets teach, once this transaction is committed."""
    game = session.get_one(GameRow, session.get_one(PhaseRow, phase_id).game_id)
    # A rehearsal is removed without trace, so nothing is learnt of it.
    if options_of(game).is_rehearsal:
        return
    players = session.scalars(
        select(SubmissionRow.player_id).where(SubmissionRow.phase_id == phase_id).distinct())
    for player in players:
        if player is not None:
            key = f"{WORK}:{player}:{phase_id}"
            # Learning takes minutes; letters that are due go first.
            jobs.enqueue(session, WORK, key, {"player": player, "phase": phase_id}, is_last=True)


def newest(session: Session, player_id: int) -> HandRow | None:
    """The hand that a player's next sheet is read with, unless the network is another one since."""
    return session.scalars(
        select(HandRow).where(HandRow.player_id == player_id, HandRow.forgotten_at.is_(None))
        .order_by(HandRow.version.desc()).limit(1)
    ).first()


def hand_of(session: Session, player_id: int) -> Hand | None:
    """The layer that a player's sheets are read with; None where nothing is known."""
    row = newest(session, player_id)
    if row is None or row.layer is None:
        return None
    return Hand(base64.b64decode(row.layer), row.base)


@dataclass(frozen=True, slots=True)
class ForgetHand(Act[int]):
    """Deletes every version of a player's hand and how they write with it; what was read stays. The outcome
    is their number, 0 where nothing was known."""

    player: int

    def change(self, table: ActTable) -> int:
        """Delete them."""
        rows = table.session.execute(
            update(HandRow).where(HandRow.player_id == self.player, HandRow.forgotten_at.is_(None))
            .values(layer=None, forgotten_at=table.now, forgotten_by=table.by)
        )
        return int(getattr(rows, "rowcount", 0))

    def event(self, table: ActTable, outcome: int, letters: int) -> LoggedEvent | None:
        """The player by number, and how many versions."""
        if not outcome:
            return None
        return LoggedEvent(Event.HAND_FORGOTTEN, None, {"player": self.player, "versions": outcome})


@dataclass(frozen=True, slots=True)
class HandLearner:
    """The step, with everything it needs. A `recognizer` that cannot learn leaves everything as it is."""

    store: sessionmaker[Session]
    blobs: Blobs
    clock: Clock
    recognizer: Recognizer
    is_on: bool = True

    def learn(self, payload: Mapping[str, Any]) -> None:
        """Handle the job `WORK`: fit a new version to all that is certain of the player's lines by now. Safe
        to run twice: the same lines make no second version."""
        player = int(payload["player"])
        if not self.is_on or not isinstance(self.recognizer, HandRecognizer):
            return
        with self.store() as session:
            pages = lessons(session, player, self.blobs.read)
            before = newest(session, player)
            known = [] if before is None else before.lines
        line_ids = sorted(line for page in pages for line in page.line_ids)
        if not line_ids or line_ids == known:
            return
        # Outside any transaction, since it takes seconds.
        hand = self.recognizer.learn(pages)
        if hand is not None:
            with self.store.begin() as session:
                self._store(session, player, hand, line_ids)

    def _store(self, session: Session, player: int, hand: Hand, line_ids: Sequence[int]) -> None:
        of_player = HandRow.player_id == player
        last = session.scalar(select(func.max(HandRow.version)).where(of_player)) or 0
        session.add(HandRow(
            player_id=player, version=last + 1, digest=hand.digest, base=hand.base,
            layer=base64.b64encode(hand.data).decode(), lines=list(line_ids), made_at=self.clock.now(),
        ))


_KEYED = {SheetFlag.TYPED, SheetFlag.FORM_FILLED}
"""Flags of sheets that came from a keyboard."""


def lessons(session: Session, player_id: int, read: Callable[[str], bytes]) -> list[LessonPage]:
    """The certain lines of a player's sheets whose results were sent, newest sheets first, at most
    MOST_LINES. `read` gives the bytes of a blob."""
    forgotten = session.scalar(
        select(func.max(HandRow.forgotten_at)).where(HandRow.player_id == player_id))
    query = (
        select(SubmissionRow.id, SubmissionRow.flags, GameRow.options)
        .join(PhaseRow, PhaseRow.id == SubmissionRow.phase_id).join(GameRow, GameRow.id == PhaseRow.game_id)
        .where(SubmissionRow.player_id == player_id, PhaseRow.state == PhaseState.SENT)
        .order_by(SubmissionRow.id.desc()).limit(MOST_LINES)
    )
    if forgotten is not None:
        query = query.where(SubmissionRow.received_at > forgotten)
    # What was typed is our own drawing of it, and no one's hand.
    submissions = [key for key, flags, options in session.execute(query)
                   if not stored_options(options).is_rehearsal and not _KEYED & set(flags)]
    by_page: dict[int, list[SettledLine]] = {}
    count = 0
    by_submission = lines_of(session, submissions)
    for submission in submissions:
        lines = by_submission[submission]
        certain = [line for line in lines if is_certain(line)][: MOST_LINES - count]
        count += len(certain)
        for line in certain:
            by_page.setdefault(line.page_id, []).append(line)
    pages = {row.id: row for row in session.scalars(select(PageRow).where(PageRow.id.in_(by_page)))}
    return [
        LessonPage(read(upright), pages[page].rotation, tuple(_box(line) for line in lines),
                   tuple(line.text for line in lines), tuple(line.id for line in lines))
        for page, lines in by_page.items() if (upright := pages[page].upright) is not None
    ]


def is_certain(line: SettledLine) -> bool:
    """True if it is known what a line of orders states, letter by letter."""
    if line.order is None or line.struck or not line.text:
        return False
    if line.by is not None:
        return line.state is LineState.READ
    return line.state is LineState.AUTO and line.confidence >= BEYOND_DOUBT


def _box(line: SettledLine) -> Box:
    a, b, c, d = line.box
    return Box((a, b, c, d))
