"""Letters to everybody in a game that no phase brings about: a welcome, a moved deadline, the correction of
an error.

Each is put into the outbox in the caller's transaction, once for its key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlsplit

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.calendar import PhaseKind
from adjudicator.position import Position
from adjudicator.serialize import codec
from maps.variant import Variant
from service import pictures
from service.games.deadlines import DeadlineExtension
from service.games.options import FIRST_COUNTS, TYPED
from service.games.phases import phase_of, phase_title
from service.games.results import unit_text
from service.intake.explanations import canonical_subject
from service.letters import render
from service.letters.calendar_feed import DueDate, feed, feed_path
from service.letters.facts import (
    Closing,
    CorrectionFacts,
    DeadlineFacts,
    GameInfo,
    HandOverFacts,
    NextDate,
    Recipient,
    WelcomeFacts,
)
from service.mail.compose import Attachment, OutLetter
from service.notices.attachments import control_map
from service.notices.blank_sheets import blank_sheet
from service.notices.current_map import Control, shown
from service.notices.replies import COORDINATOR, LetterContext
from service.record import chain
from service.record.references import RecordReference, commitments
from service.store import records
from service.store.tables import CorrectionRow, GameRow, PhaseRow, PhaseState


@dataclass(frozen=True, slots=True)
class Wrong:
    """An error in results that were sent, as the coordinator writes it down; every field a sentence or
    two."""

    said: str
    right: str
    effect: str
    found_by: str


@dataclass(frozen=True, slots=True)
class Broadcasts:
    """The writer of letters to all."""

    desk: LetterContext

    def correct(
        self, session: Session, phase: PhaseRow, wrong: Wrong, key: str, by: str, now: datetime
    ) -> int:
        """Put an error on record and tell every player; how many letters. 0 when this form came before. The
        position, the judged results and the letters of before stay as they are: nothing is judged anew behind
        a letter."""
        added = records.insert_once(
            session, CorrectionRow, key=key, phase_id=phase.id, said=wrong.said, right=wrong.right,
            effect=wrong.effect,
            found_by=wrong.found_by, by=by, at=now)
        if not added:
            return 0
        told = sum(
            self.desk.put(session, one, phase)
            for one in self.correction(session, phase, wrong, key, drawing=True)
        )
        records.log_event(session, now, "results_corrected", game_id=phase.game_id, actor=by,
                          detail={"phase": str(phase_of(phase)), "letters": told})
        return told

    def correction(
        self, session: Session, phase: PhaseRow, wrong: Wrong, key: str, *, drawing: bool = False
    ) -> list[OutLetter]:
        """The letters that a correction brings, one for each player's address; nothing is put. Without
        `drawing` their picture is only named."""
        game = session.get_one(GameRow, phase.game_id)
        facts = CorrectionFacts(key, wrong.said, wrong.right, wrong.effect, wrong.found_by, phase.sent_at)
        info = self.desk.game_info(game)
        heading = f"{phase_title(phase)}: correction"
        pages = pictures.correction_pictures(info, heading, facts) if drawing else [b""]
        attached = [Attachment(f"correction-{at}.png", "image/png", page) for at, page in enumerate(pages, 1)]
        return [
            render.correction(info, phase_of(phase), to, facts, attached)
            for to in self.everybody(session, game)
        ]

    def deadline_moved(self, session: Session, phase: PhaseRow, extension: DeadlineExtension) -> int:
        """Tell every player the old and the new instant, the reason, what else moves and what does not
        (OUT-12); how many letters. The calendar's new entries are attached, with the identities that they
        had."""
        game = session.get_one(GameRow, phase.game_id)
        moved = {one.phase: one for one in extension.moved}
        own = moved.pop(phase_of(phase))
        rows = [
            row
            for row in records.phases(session, game.id)
            if row.state in {PhaseState.OPEN, PhaseState.WAITING}
        ]
        facts = DeadlineFacts(
            key=f"{phase.moved}-{own.new.isoformat()}", phase=phase_of(phase), old=own.old, new=own.new,
            reason=extension.reason, moved=tuple(NextDate(str(one.phase), one.new) for one in moved.values()),
            unchanged=tuple(NextDate(str(phase_of(row)), row.deadline) for row in rows
                         if phase_of(row) not in moved and row.id != phase.id))
        attached = [self._calendar(game, [row for row in rows if row.moved])]
        info = self.desk.game_info(game)
        return sum(
            self.desk.put(session, render.deadline_moved(info, to, facts, attached), phase)
            for to in self.everybody(session, game))

    def hand_over(self, session: Session, game_id: str, name: str, key: str, by: str) -> int:
        """Another coordinator from now on: letters are signed by `name`, and every player is told, with the
        digest of the record before (section 5 of the mail plan); how many letters. 0 when this form came
        before."""
        game, now = session.get_one(GameRow, game_id), self.desk.clock.now()
        before = self.desk.game_info(game).coordinator
        root = chain.root(session, game_id)
        phase = records.open_phase(session, game_id)
        closing = None if phase is None else Closing(phase_of(phase), phase.deadline)
        facts = HandOverFacts(key, before, name, now, root.link, closing, root.number)
        info = replace(self.desk.game_info(game), coordinator=name)
        told = sum(
            self.desk.put(session, render.hand_over(info, to, facts)) for to in self.everybody(session, game)
        )
        if not told:
            return 0
        game.options = {**game.options, COORDINATOR: name}
        records.log_event(session, now, "coordinator_changed", game_id=game_id, actor=by,
                          detail={"from": before, "to": name, "digest": root.link, "letters": told})
        return told

    def welcome(self, session: Session, game_id: str, power: str = "") -> int:
        """Tell every player of a game, or the one of a power, what they need to begin (OUT-01); how many
        letters."""
        game = session.get_one(GameRow, game_id)
        variant = self.desk.load(game.variant)
        phase = records.open_phase(session, game_id)
        if phase is None:
            return 0
        info, attached = self.desk.game_info(game), self._map(variant, game, phase)
        told = 0
        for own, addresses in records.addresses(session, game_id).items():
            for address in addresses if power in {"", own} else ():
                letter = self._welcome(session, variant, info, phase, own, address, attached)
                told += self.desk.put(session, letter, phase)
        return told

    def _welcome(
        self, session: Session, variant: Variant, info: GameInfo, phase: PhaseRow, power: str, address: str,
        attached: Sequence[Attachment],
    ) -> OutLetter:
        name = variant.powers[power].name
        position = variant.start if phase.position is None else codec.load_position(phase.position)
        base, player = self.desk.sender.base_url.rstrip("/"), records.player_of(session, address)
        game, root = session.get_one(GameRow, phase.game_id), chain.root(session, phase.game_id)
        facts = WelcomeFacts(
            units=tuple(sorted(unit_text(variant, unit) for unit in position.units if unit.power == power)),
            powers=tuple(one.name for one in variant.powers.values()),
            closing=Closing(phase_of(phase), phase.deadline),
            subject=canonical_subject(info.name, name, phase_of(phase), 1),
            feed=f"{base}/public/{info.id}/calendar.ics" if base else "",
            own_feed=f"{base}{feed_path(player)}" if base and player is not None else "",
            players=f"{base}/public/{info.id}/players" if base else "",
            first_counts=bool(game.options.get(FIRST_COUNTS, False)),
            takes_typed_orders=bool(game.options.get(TYPED, False)),
            seeds=commitments(session, phase, with_it=True),
            record=RecordReference(root.number, root.link) if root.number else None,
            builds=opening_builds(variant, position, power), conduct=variant.conduct)
        to = self.desk.recipient(session, address, name)
        sample = blank_sheet(variant, info.name, phase_of(phase), power)
        return render.welcome(info, phase_of(phase), to, facts, [*attached, sample])

    def everybody(self, session: Session, game: GameRow) -> list[Recipient]:
        """Every address of every player of a game, each with its power."""
        powers = self.desk.load(game.variant).powers
        return [
            self.desk.recipient(session, address, powers[power].name)
            for power, addresses in records.addresses(session, game.id).items() for address in addresses
        ]

    def _map(self, variant: Variant, game: GameRow, phase: PhaseRow) -> list[Attachment]:
        position = variant.start if phase.position is None else codec.load_position(phase.position)
        known = variant.rules.visible_position(variant.context(), position, None)
        pdf = control_map(Control(
            variant, game.name, known.centres, f"at the beginning of {phase.year}", shown(game, known.units)))
        return [] if pdf is None else [Attachment(f"{game.id}-map-{phase.year}.pdf", "application/pdf", pdf)]

    def _calendar(self, game: GameRow, rows: Sequence[PhaseRow]) -> Attachment:
        base = self.desk.sender.base_url.rstrip("/")
        due = [
            DueDate(
                game.id,
                game.name,
                row.ordinal,
                render.phase_words(phase_of(row)),
                row.deadline,
                row.moved_at or row.opens_at,
                row.moved,
                f"{base}/public/{game.id}/calendar" if base else "",
            )
            for row in rows
        ]
        host = urlsplit(base).hostname or "galloper.invalid"
        return Attachment("calendar.ics", "text/calendar", feed(game.name, due, host))


def corrections(session: Session, phase_id: int) -> list[CorrectionRow]:
    """What was corrected of a phase, oldest first."""
    return list(session.scalars(
        select(CorrectionRow).where(CorrectionRow.phase_id == phase_id).order_by(CorrectionRow.id)))


def opening_builds(variant: Variant, position: Position, power: str) -> tuple[str, ...]:
    """The centres, by name, that a power without units may build in at once: of a game that opens with builds
    (BRE-01)."""
    if position.phase.kind is not PhaseKind.ADJUSTMENT or any(unit.power == power for unit in position.units):
        return ()
    return tuple(sorted(variant.board.provinces[centre].name for centre in position.centres.get(power, ())))
