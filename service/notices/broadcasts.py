"""Letters to everybody in a game that do not come from a judged phase: a welcome, a moved deadline, the
correction of an error, a hand-over.

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
from service.facts.events import Event
from service.games.deadlines import DeadlineExtension
from service.games.in_play import next_phase
from service.games.options import options_of, with_options
from service.games.phases import phase_of, phase_title
from service.games.results import unit_text
from service.intake.verdicts.explanations import canonical_subject
from service.letters import render
from service.letters.calendar_feed import DueDate, feed, feed_path
from service.letters.facts import (
    Closing,
    CorrectionFacts,
    DeadlineFacts,
    GameInfo,
    HandOverFacts,
    NextDate,
    PlayingRules,
    Proofs,
    Recipient,
    WelcomeFacts,
    WelcomeLinks,
)
from service.letters.language import Sentence, phase_words
from service.mail.sending.compose import Attachment, OutLetter, domain_of
from service.notices.attachments import control_map
from service.notices.blank_sheets import blank_sheet
from service.notices.current_map import control
from service.notices.letter_context import LetterContext
from service.notices.order_examples import filled_sheet, order_examples, order_languages
from service.record import chain
from service.record.game_key import of_game
from service.record.references import RecordReference, commitments
from service.store import records
from service.store.signatures import fingerprint
from service.store.tables import CorrectionRow, GameRow, PhaseRow, PhaseState


@dataclass(frozen=True, slots=True)
class ResultsCorrection:
    """An error in results that were sent, as the coordinator writes it down; every field a sentence or
    two."""

    wrong: str
    right: str
    effect: str
    found_by: str


@dataclass(frozen=True, slots=True)
class Broadcasts:
    """The writer of letters to all."""

    letters: LetterContext

    def correct(
        self, session: Session, phase: PhaseRow, error: ResultsCorrection, key: str, by: str, now: datetime
    ) -> int:
        """Put an error on record and tell every player. Returns the number of letters, 0 if this form came
        before. The position, the judged results and earlier letters stay as they are."""
        # A form that is sent twice has the same key, and the second one must send no second letter.
        added = records.insert_once(
            session, CorrectionRow, key=key, phase_id=phase.id, said=error.wrong, right=error.right,
            effect=error.effect, found_by=error.found_by, by=by, at=now)
        if not added:
            return 0
        letters_put = sum(
            self.letters.put(session, letter, phase)
            for letter in self.correction(session, phase, error, key, drawing=True)
        )
        records.log_event(session, now, Event.RESULTS_CORRECTED, game_id=phase.game_id, actor=by,
                          detail={"phase": str(phase_of(phase)), "letters": letters_put})
        return letters_put

    def correction(
        self, session: Session, phase: PhaseRow, error: ResultsCorrection, key: str, *, drawing: bool = False
    ) -> list[OutLetter]:
        """The letters of a correction, one for each player's address; nothing is put into the outbox. Without
        `drawing` their picture is only named."""
        game = session.get_one(GameRow, phase.game_id)
        facts = CorrectionFacts(key, error.wrong, error.right, error.effect, error.found_by, phase.sent_at)
        info = self.letters.game_info(game)
        heading = f"{phase_title(phase)}: correction"
        pages = pictures.correction_pictures(info, heading, facts) if drawing else [b""]
        attached = [
            Attachment(f"correction-{number}.png", "image/png", page) for number, page in enumerate(pages, 1)
        ]
        return [
            render.correction(info, phase_of(phase), to, facts, attached)
            for to in self.everybody(session, game)
        ]

    def deadline_moved(self, session: Session, phase: PhaseRow, extension: DeadlineExtension) -> int:
        """Tell every player the old and the new instant, the reason, what else moves and what does not
        (OUT-12). Returns the number of letters. The calendar's new entries are attached."""
        game = session.get_one(GameRow, phase.game_id)
        moved = {move.phase: move for move in extension.moved}
        this_move = moved.pop(phase_of(phase))
        rows = [row for row in records.phases(session, game.id)
                if row.state in {PhaseState.OPEN, PhaseState.WAITING}]
        facts = DeadlineFacts(
            key=f"{phase.moved}-{this_move.new.isoformat()}", phase=phase_of(phase), old=this_move.old,
            new=this_move.new, reason=extension.reason,
            moved=tuple(NextDate(str(move.phase), move.new) for move in moved.values()),
            unchanged=tuple(NextDate(str(phase_of(row)), row.deadline) for row in rows
                            if phase_of(row) not in moved and row.id != phase.id))
        # Entries keep their UIDs, so a calendar program moves what it has and adds nothing (RFC 5545,
        # 3.8.4.7).
        attached = [self._calendar(game, [row for row in rows if row.moved])]
        info = self.letters.game_info(game)
        return sum(
            self.letters.put(session, render.deadline_moved(info, to, facts, attached), phase)
            for to in self.everybody(session, game))

    def hand_over(self, session: Session, game_id: str, name: str, key: str, by: str) -> int:
        """Another coordinator takes over: `name` signs letters from now on, and every player gets a letter
        with the record's root before the change (section 5 of the mail plan). Returns the number of letters,
        0 if this form came before."""
        game, now = session.get_one(GameRow, game_id), self.letters.clock.now()
        predecessor = self.letters.game_info(game).coordinator
        # The root is taken before this hand-over is on record, so it covers the predecessor's time and no
        # more.
        root = chain.root(session, game_id)
        phase = records.open_phase(session, game_id)
        closing = None if phase is None else Closing(phase_of(phase), phase.deadline)
        facts = HandOverFacts(key, predecessor, name, now, root.link, closing, root.number)
        # The successor signs this letter already.
        info = replace(self.letters.game_info(game), coordinator=name)
        letters_put = sum(
            self.letters.put(session, render.hand_over(info, to, facts))
            for to in self.everybody(session, game))
        # No letter was new: the form was sent twice, and the second one must not write a second event.
        if not letters_put:
            return 0
        game.options = with_options(game, coordinator=name)
        detail = {"from": predecessor, "to": name, "digest": root.link, "letters": letters_put}
        records.log_event(session, now, Event.COORDINATOR_CHANGED, game_id=game_id, actor=by, detail=detail)
        return letters_put

    def welcome(self, session: Session, game_id: str, power: str = "") -> int:
        """Tell every player of a game, or the one of a power, what they need to begin (OUT-01). Between two
        phases, where a seat may change hands too, of the phase that opens next. Returns the number of
        letters."""
        game = session.get_one(GameRow, game_id)
        variant = self.letters.load(game.variant)
        phase = records.open_phase(session, game_id) or next_phase(
            session, game_id, self.letters.clock.now())
        if phase is None:
            return 0
        position = _last_told(session, variant, phase)
        info, attached = self.letters.game_info(game), self._map(session, game, phase)
        letters_put = 0
        for seat, addresses in records.addresses(session, game_id).items():
            for address in addresses if power in {"", seat} else ():
                letter = self._welcome(
                    session, variant, info, phase, position, seat, address, attached)
                letters_put += self.letters.put(session, letter, phase)
        return letters_put

    def _welcome(
        self, session: Session, variant: Variant, info: GameInfo, phase: PhaseRow, position: Position,
        power: str, address: str, attached: Sequence[Attachment],
    ) -> OutLetter:
        name = variant.powers[power].name
        base, player = self.letters.sender.base_url.rstrip("/"), records.player_of(session, address)
        public = of_game(session, phase.game_id)
        # The key's entry is before the root that the letter names.
        chain.seal(session)
        game, root = session.get_one(GameRow, phase.game_id), chain.root(session, phase.game_id)
        facts = WelcomeFacts(
            units=tuple(sorted(unit_text(variant, unit) for unit in position.units if unit.power == power)),
            powers=tuple(each.name for each in variant.powers.values()),
            closing=Closing(phase_of(phase), phase.deadline),
            subject=canonical_subject(info.name, name, phase_of(phase), 1),
            builds=opening_builds(variant, position, power),
            examples=order_examples(variant, PhaseKind(phase.kind)),
            links=welcome_links(base, game, feed_path(player) if base and player is not None else ""),
            rules=playing_rules(game, variant),
            proofs=Proofs(
                # No results came before a welcome, so it also names the seed of the phase that is open.
                seeds=commitments(session, phase, with_it=True),
                # A record without entries has no root yet.
                record=RecordReference(root.number, root.link) if root.number else None,
                key="" if public is None else fingerprint(public)))
        to = self.letters.recipient(session, address, name)
        blank = blank_sheet(variant, info, facts.closing, power, to)
        files = [*attached, blank]
        if facts.examples:
            domain = domain_of(self.letters.sender.order_address)
            files.append(filled_sheet(variant, info.name, phase_of(phase), power, facts.examples, domain))
        return render.welcome(info, phase_of(phase), to, facts, files)

    def everybody(self, session: Session, game: GameRow) -> list[Recipient]:
        """Every address of every player of a game, each with its power."""
        powers = self.letters.load(game.variant).powers
        return [
            self.letters.recipient(session, address, powers[power].name)
            for power, addresses in records.addresses(session, game.id).items() for address in addresses
        ]

    def _map(self, session: Session, game: GameRow, phase: PhaseRow) -> list[Attachment]:
        # The map that everybody may see: to whom a seat changes hands in mid-year it says of when it is.
        public = control(session, game.id, self.letters.load)
        pdf = None if public is None else control_map(public)
        return [] if pdf is None else [Attachment(f"{game.id}-map-{phase.year}.pdf", "application/pdf", pdf)]

    def _calendar(self, game: GameRow, rows: Sequence[PhaseRow]) -> Attachment:
        base = self.letters.sender.base_url.rstrip("/")
        page = f"{base}/public/{game.id}/calendar" if base else ""
        due = [
            DueDate(game.id, game.name, row.ordinal, phase_words(phase_of(row)), row.deadline,
                    row.moved_at or row.opens_at, row.moved, page)
            for row in rows
        ]
        # RFC 2606 reserves .invalid, so a site without an address makes no UID under somebody's domain.
        host = urlsplit(base).hostname or "galloper.invalid"
        return Attachment("calendar.ics", "text/calendar", feed(game.name, due, host))


def _last_told(session: Session, variant: Variant, phase: PhaseRow) -> Position:
    """The position before a phase; where the phase before it is not judged yet, the newest that was told."""
    stored = session.scalar(select(PhaseRow.position).where(
        PhaseRow.game_id == phase.game_id, PhaseRow.ordinal <= phase.ordinal, PhaseRow.position.is_not(None))
        .order_by(PhaseRow.ordinal.desc()).limit(1))
    return variant.start if stored is None else codec.load_position(stored)


def welcome_links(base: str, game: GameRow, own_calendar: str = "") -> WelcomeLinks:
    """The addresses that a welcome names; `base` is the site's, or "", `own_calendar` the path of the
    player's own feed."""
    if not base:
        return WelcomeLinks()
    page = f"{base}/public/{game.id}"
    return WelcomeLinks(
        calendar=f"{page}/calendar.ics", players=f"{page}/players",
        own_calendar=f"{base}{own_calendar}" if own_calendar else "",
        game=page, moves=f"{base}/public/moves/{game.variant}", sheets=f"{page}#sheets")


def playing_rules(game: GameRow, variant: Variant) -> PlayingRules:
    """How this game takes orders, for its welcome."""
    options = options_of(game)
    # A board's own words, in the catalogues too; a folder of a user's may say "50 %".
    conduct = tuple(Sentence(rule.replace("%", "%%")) for rule in variant.conduct)
    return PlayingRules(options.first_counts, options.typed_orders, options.mail_commands, conduct,
                        order_languages(variant, options))


def corrections(session: Session, phase_id: int) -> list[CorrectionRow]:
    """The corrections of a phase's results, oldest first."""
    return list(session.scalars(
        select(CorrectionRow).where(CorrectionRow.phase_id == phase_id).order_by(CorrectionRow.id)))


def opening_builds(variant: Variant, position: Position, power: str) -> tuple[str, ...]:
    """The names of the centres in which a power without units may build at once, in a game that opens with
    builds (BRE-01); else empty."""
    if position.phase.kind is not PhaseKind.ADJUSTMENT or any(unit.power == power for unit in position.units):
        return ()
    return tuple(sorted(variant.board.provinces[centre].name for centre in position.centres.get(power, ())))
