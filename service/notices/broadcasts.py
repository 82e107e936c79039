"""Letters to everybody in a game that do not come from a judged phase: a welcome, a moved deadline, the
correction of an error, a hand-over.

Each is put into the outbox in the caller's transaction, once for its key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime, timedelta
from urllib.parse import urlsplit

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.position import Position
from adjudicator.serialize import codec
from maps.variant import Variant
from service import pictures
from service.games.acts.act import HandOver, ResultsCorrection
from service.games.approval.approve import LATE
from service.games.ballots import next_version
from service.games.deadlines import DeadlineExtension
from service.games.ending import GameEnd
from service.games.options import options_of
from service.games.phases import next_phase, phase_of, phase_title, resolution_of
from service.games.results import unit_text
from service.games.taken_back import Difference
from service.intake.verdicts.explanations import canonical_subject
from service.letters import render
from service.letters.calendar_feed import DueDate, feed, feed_path
from service.letters.facts import (
    Closing,
    CorrectionFacts,
    GameInfo,
    KeyedFacts,
    LetterFacts,
    NextDate,
    Proofs,
    Recipient,
    proof_file,
)
from service.letters.kinds import LetterKind, Occasion, Sample
from service.letters.language import Sentence, phase_words
from service.mail.sending.compose import Addressee, Attachment, OutLetter, Rank, domain_of
from service.notices import announcements
from service.notices.attachments import control_map
from service.notices.current_map import control
from service.notices.ending import Farewell
from service.notices.letter_context import LetterContext
from service.notices.order_sheets import (
    OrderLanguage,
    blank_sheet,
    filled_sheet,
    order_examples,
    order_languages,
)
from service.notices.phase_letters.requests import ADJUSTMENT, RETREAT_REQUEST
from service.notices.previews import Previews
from service.notices.results_facts import DRAFT_RESULTS, FINAL_RESULTS, YEAR_END_RESULTS
from service.record import chain
from service.record.game_key import of_game
from service.record.references import RecordReference, checker_digest, commitments, letter_file
from service.store import records
from service.store.signatures import fingerprint
from service.store.tables import (
    AbsenceRow,
    CorrectionRow,
    GameRow,
    OutboxRow,
    OutboxState,
    PhaseRow,
    PhaseState,
)

_OF_RESULTS = (DRAFT_RESULTS, FINAL_RESULTS, YEAR_END_RESULTS, RETREAT_REQUEST, ADJUSTMENT)
"""Letters that results bring, each with what was judged or what follows from it."""


@dataclass(frozen=True, slots=True)
class WelcomeLinks:
    """Addresses on the site, each "" if the site has none: the game's calendar, the list of players
    (LIST-01), the player's own calendar with all their games (CAL-16), the game's page, the moves of its
    board, and blank sheets."""

    calendar: str = ""
    players: str = ""
    own_calendar: str = ""
    game: str = ""
    moves: str = ""
    sheets: str = ""


@dataclass(frozen=True, slots=True)
class PlayingRules:
    """How a game takes orders: whether the first sheet of a phase counts (Q-60), whether typed orders
    and mail commands are taken, the sentences on how players meet, and the languages whose order words count
    next to the English ones (WRD-07)."""

    first_counts: bool = False
    takes_typed_orders: bool = False
    takes_commands: bool = False
    conduct: tuple[str, ...] = ()
    languages: tuple[OrderLanguage, ...] = ()


@dataclass(frozen=True, slots=True)
class WelcomeFacts(LetterFacts):
    """The letter that begins a game for a player (OUT-01). `units` are those at the start, `powers` the names
    of all powers; `builds` are the centres to build in at once, in a game that opens with builds; `examples`
    has an order of each kind, in words."""

    units: tuple[str, ...]
    powers: tuple[str, ...]
    closing: Closing
    subject: str
    builds: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    links: WelcomeLinks = WelcomeLinks()
    rules: PlayingRules = PlayingRules()
    proofs: Proofs = field(default_factory=Proofs)

    @property
    def proof(self) -> Attachment | None:
        """See `LetterFacts`."""
        return proof_file(self.proofs.file)


@dataclass(frozen=True, slots=True)
class DeadlineFacts(KeyedFacts):
    """A deadline that was moved (OUT-12), and the reason. `moved` are later deadlines at their new instants,
    `unchanged` those that stay. `key` distinguishes this move from others of the same phase. `first_counts`:
    the first sheet of a phase counts (Q-60)."""

    phase: Phase
    old: datetime
    new: datetime
    reason: str
    moved: tuple[NextDate, ...] = ()
    unchanged: tuple[NextDate, ...] = ()
    first_counts: bool = False

    @property
    def letter_phase(self) -> Phase:
        """See `LetterFacts`."""
        return self.phase


@dataclass(frozen=True, slots=True)
class Broadcasts:
    """The writer of letters to all."""

    letters: LetterContext

    def corrected(self, session: Session, phase: PhaseRow, error: ResultsCorrection, key: str) -> int:
        """Inform every player of an error in results that were sent. Returns the number of letters."""
        return sum(self.letters.put(session, letter, phase)
                   for letter in self.correction(session, phase, error, key, drawing=True))

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
            render.letter(CORRECTION, info, to, facts, phase=phase_of(phase), attached=attached)
            for to in self.everybody(session, game)
        ]

    def deadline_moved(self, session: Session, phase: PhaseRow, extension: DeadlineExtension) -> int:
        """Inform every player the old and the new instant, the reason, what else moves and what does not
        (OUT-12). Returns the number of letters. The calendar's new entries are attached."""
        game = session.get_one(GameRow, phase.game_id)
        moved = {move.phase: move for move in extension.moved}
        this_move = moved.pop(phase_of(phase))
        # Where late results move it, retreats before it that are not due still wait for these to be sent.
        rows = [row for row in records.phases(session, game.id) if row.state == PhaseState.OPEN
                or (row.state == PhaseState.WAITING and row.ordinal >= phase.ordinal)]
        facts = DeadlineFacts(
            key=f"{phase.moved}-{this_move.new.isoformat()}", phase=phase_of(phase), old=this_move.old,
            # A reason of ours is in the reader's language, a coordinator's as it was written.
            new=this_move.new, reason=Sentence(LATE) if extension.reason == LATE else extension.reason,
            moved=tuple(NextDate(str(move.phase), move.new) for move in moved.values()),
            unchanged=tuple(NextDate(str(phase_of(row)), row.deadline) for row in rows
                            if phase_of(row) not in moved and row.id != phase.id),
            first_counts=options_of(game).first_counts)
        # Entries keep their UIDs, so a calendar program moves what it has and adds nothing (RFC 5545,
        # 3.8.4.7).
        attached = [self._calendar(game, [row for row in rows if row.moved])]
        info = self.letters.game_info(game)
        return sum(
            self.letters.put(
                session, render.letter(DEADLINE_MOVED, info, to, facts, attached=attached), phase)
            for to in self.everybody(session, game))

    def seat_changed(
        self, session: Session, game: GameRow, power: str, now: datetime, *, is_empty: bool
    ) -> int:
        """Inform everybody that a power has another player, or none. Returns the number of letters."""
        return announcements.tell_of_new_player(
            session, self.letters, game, power, f"{now:%Y%m%d%H%M%S}", is_empty=is_empty)

    def absent(self, session: Session, row: AbsenceRow) -> int:
        """Inform everybody of an absence, or that it was taken back. Returns the number of letters."""
        return announcements.tell_of_absence(session, self.letters, row)

    def paused(self, session: Session, phase: PhaseRow, days: int, why: str) -> int:
        """Inform everybody that a game pauses: every deadline ahead is later by so many days, the next one is
        that of `phase`. Returns the number of letters."""
        return announcements.tell_of_pause(
            session, self.letters, session.get_one(GameRow, phase.game_id), days, phase.deadline, why,
            f"{phase.ordinal}-{phase.moved}")

    def coordinator_away(self, session: Session, phase: PhaseRow, first: date, last: date) -> int:
        """Inform everybody that the coordinator is away on these days, and that each deadline from that of
        `phase` on is later by their number. Returns the number of letters."""
        return announcements.tell_of_holiday(
            session, self.letters, session.get_one(GameRow, phase.game_id), phase, first, last)

    def results_taken_back(
        self, session: Session, phase: PhaseRow, later: Sequence[Phase], why: str, times: int
    ) -> int:
        """Inform everybody that the results of a phase are taken back, with those of `later` ones; their own
        letters do not leave any more. Returns the number of letters."""
        withdraw_results(session, phase)
        return announcements.tell_of_results_taken_back(session, self.letters, phase, later, why, times)

    def board_corrected(
        self, session: Session, phase: PhaseRow, changes: Sequence[Difference], why: str, key: str
    ) -> int:
        """Inform everybody what is different on the board of a phase. Returns the number of letters."""
        game = session.get_one(GameRow, phase.game_id)
        return announcements.tell_of_corrected_board(session, self.letters, game, phase, changes, why, key)

    def handed_over(self, session: Session, game: GameRow, name: str, key: str) -> HandOver:
        """Inform every player that another coordinator takes over, with the record's root before the change
        (section 5 of the mail plan). No letter is new if the form with this key came before."""
        now = self.letters.clock.now()
        predecessor = self.letters.game_info(game).coordinator
        # The root is taken before this hand-over is on record, so it covers the predecessor's time and no
        # more.
        root = chain.root(session, game.id)
        closing = announcements.closing_of(session, game.id)
        mark = RecordReference(root.number, root.link)
        facts = announcements.new_coordinator_facts(
            key, game.name, (predecessor, name), now, mark, letter_file(game.id, mark), closing)
        # The successor signs this letter already.
        info = replace(self.letters.game_info(game), coordinator=name)
        letters_put = sum(
            self.letters.put(session, render.letter(announcements.ANNOUNCEMENT, info, to, facts))
            for to in self.everybody(session, game))
        return HandOver(letters_put, predecessor, root.link)

    def game_ended(self, session: Session, game: GameRow, end: GameEnd, last: PhaseRow) -> int:
        """Inform every player of the end that was declared. Returns the number of letters."""
        resolution = resolution_of(last)
        letters = Farewell(self.letters).all(session, game, end, last, resolution)
        return sum(self.letters.put(session, letter, last) for letter in letters)

    def draw_agreed(self, session: Session, phase: PhaseRow, powers: Sequence[str]) -> int:
        """Inform everybody that the game ends in a draw that all survivors asked for. Returns the number of
        letters."""
        game = session.get_one(GameRow, phase.game_id)
        names = [self.letters.load(game.variant).powers[power].name for power in powers]
        return announcements.tell_of_draw(session, self.letters, game, names, str(phase.ordinal))

    def welcome(self, session: Session, game_id: str, power: str = "") -> int:
        """Inform every player of a game, or the one of a power, what they need to begin (OUT-01). Between two
        phases, where a seat may change hands too, of the phase that opens next. Returns the number of
        letters."""
        game = session.get_one(GameRow, game_id)
        variant = self.letters.load(game.variant)
        phase = records.open_phase(session, game_id) or next_phase(session, game_id)
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
        # No results came before a welcome, so it also names the seed of the phase that is open.
        seeds = commitments(session, phase, with_it=True)
        # A record without entries has no root yet.
        mark = RecordReference(root.number, root.link) if root.number else None
        key = "" if public is None else fingerprint(public)
        facts = WelcomeFacts(
            units=tuple(sorted(unit_text(variant, unit) for unit in position.units if unit.power == power)),
            powers=tuple(each.name for each in variant.powers.values()),
            closing=Closing(phase_of(phase), phase.deadline),
            subject=canonical_subject(
                info.name, name, phase_of(phase), next_version(session, phase.id, power)),
            builds=opening_builds(variant, position, power),
            examples=order_examples(variant, PhaseKind(phase.kind)),
            links=welcome_links(base, game, feed_path(player) if base and player is not None else ""),
            rules=playing_rules(game, variant),
            proofs=Proofs(
                seeds=seeds, record=mark, key=key, checker=checker_digest(),
                checker_url=self.letters.sender.checker_url, file=b"" if mark is None else letter_file(
                    game.id, mark, key=key, seeds=[asdict(seed) for seed in seeds])))
        to = self.letters.recipient(session, address, name)
        blank = blank_sheet(variant, info, facts.closing, power, to)
        files = [*attached, blank]
        if facts.examples:
            domain = domain_of(self.letters.sender.order_address)
            files.append(filled_sheet(variant, info.name, phase_of(phase), power, facts.examples, domain))
        return render.letter(WELCOME, info, to, facts, phase=phase_of(phase), attached=files)

    def everybody(self, session: Session, game: GameRow) -> list[Recipient]:
        """Every address of every player of a game, each with its power."""
        powers = self.letters.load(game.variant).powers
        return [
            self.letters.recipient(session, address, powers[power].name)
            for power, addresses in records.addresses(session, game.id).items() for address in addresses
        ]

    def _map(self, session: Session, game: GameRow, phase: PhaseRow) -> list[Attachment]:
        # The map that everybody may see: to whom a seat changes hands in mid-year it has its date.
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
        # RFC 2606 reserves .invalid, so a site without an address makes no UID under a person's domain.
        host = urlsplit(base).hostname or "galloper.invalid"
        return Attachment("calendar.ics", "text/calendar", feed(game.name, due, host))


def _last_told(session: Session, variant: Variant, phase: PhaseRow) -> Position:
    """The position before a phase; where the phase before it is not judged yet, the newest that was sent."""
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


def withdraw_results(session: Session, phase: PhaseRow) -> None:
    """Cancel what waits in the outbox of the results of a phase, and of those after it."""
    rows = [row.id for row in records.phases(session, phase.game_id) if row.ordinal >= phase.ordinal]
    session.execute(update(OutboxRow).where(
        OutboxRow.phase_id.in_(rows), OutboxRow.kind.in_([kind.name for kind in _OF_RESULTS]),
        OutboxRow.state.in_([OutboxState.QUEUED, OutboxState.HELD, OutboxState.FAILED])).values(
        state=OutboxState.CANCELLED, error="the results were taken back"))


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


# The kinds of these letters
# --------------------------------------------------------------------------------------------------


def _welcome_sample(seat: Previews) -> Sample[WelcomeFacts]:
    root = chain.root(seat.session, seat.game.id)
    closing, base = seat.closing(), seat.letters.sender.base_url.rstrip("/")
    facts = WelcomeFacts(
        seat.units(), tuple(power.name for power in seat.variant.powers.values()), closing,
        seat.subject(closing.phase),
        examples=order_examples(seat.variant, closing.phase.kind),
        links=welcome_links(base, seat.game),
        rules=playing_rules(seat.game, seat.variant),
        proofs=Proofs(seeds=commitments(seat.session, seat.phase(), with_it=True),
                      record=RecordReference(root.number, root.link) if root.number else None))
    return Sample(facts, "As it would be sent today, with a map, a blank sheet and the record’s fingerprint.",
        closing.phase)


def _deadline_moved_sample(seat: Previews) -> Sample[DeadlineFacts]:
    closing = seat.closing()
    two, phase = timedelta(days=2), seat.phase()
    later = [row for row in records.phases(seat.session, seat.game.id) if row.ordinal > phase.ordinal]
    # The retreats of the same season follow within days, so they move along.
    along = [row for row in later if (row.season, row.year) == (phase.season, phase.year)]
    facts = DeadlineFacts(
        "preview", closing.phase, closing.deadline, closing.deadline + two, "The post is on strike.",
        moved=tuple(NextDate(str(phase_of(row)), row.deadline + two) for row in along),
        unchanged=tuple(NextDate(str(phase_of(row)), row.deadline) for row in later
                        if row not in along)[:3],
        first_counts=options_of(seat.game).first_counts)
    return Sample(facts, "As if this deadline moved by two days.")


def _correction_sample(seat: Previews) -> Sample[CorrectionFacts]:
    row, _ = seat.judged(PhaseKind.MOVEMENT)
    phase = phase_of(row or seat.phase())
    facts = CorrectionFacts("preview", "(what the results said)", "(what is right)", "(what follows)",
                            "(a player)", None if row is None else row.sent_at)
    return Sample(facts, "Your text is left out; a picture of it is attached.", phase)


WELCOME = LetterKind(
    "welcome", WelcomeFacts, "Welcome to a new player",
    Occasion("a new player", "a game begins, or a seat changes hands", _welcome_sample),
    rank=Rank.LATER, addressee=Addressee.SEATED_PLAYER)
"""The letter that begins a game for a player (OUT-01). The picture that its HTML shows is the filled
sheet."""

DEADLINE_MOVED = LetterKind(
    "deadline_moved", DeadlineFacts, "A deadline is moved",
    Occasion("all players", "you move a deadline", _deadline_moved_sample),
    rank=Rank.URGENT, addressee=Addressee.SEAT)
"""A deadline was moved: old, new, why, what else moves and what does not (OUT-12)."""

CORRECTION = LetterKind(
    "correction", CorrectionFacts, "Correction of results",
    Occasion("all players", "you correct an error in the results", _correction_sample),
    addressee=Addressee.SEAT)
"""Corrects an error in results that were sent, with a picture of the right words. The earlier letter stays
valid in everything else."""
