"""Every kind of letter as one power of one game would get it now, from the game's own facts: a coordinator
can read it before anybody else does. Nothing is sent, filed or drawn, and no sheet is opened: results are
those already judged, or what the position gives without a single order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.outcome import Resolution
from adjudicator.position import Dislodgement, Position
from adjudicator.serialize import codec
from maps.variant import Variant
from service.games.ended.ending import EndKind, GameEnd
from service.games.hold_reasons import REASONS
from service.games.phases import phase_of
from service.games.results import show, unit_text
from service.intake.commands import Command, MailCommand
from service.intake.verdicts.explanations import canonical_subject, explain
from service.intake.verdicts.verdict import RefusalReason, Verdict, VerdictKind
from service.letters import render
from service.letters.ending.statistics import statistics_of
from service.letters.facts import (
    AcknowledgementFacts,
    AnsweredMail,
    AnswerFacts,
    ArrivedSheet,
    Closing,
    CorrectionFacts,
    DeadlineFacts,
    GameInfo,
    GameOverFacts,
    HandOverFacts,
    HeldFacts,
    NextDate,
    NoticeFacts,
    PackFacts,
    PostedFacts,
    Proofs,
    ReceiptFacts,
    Recipient,
    RejectionFacts,
    ReminderFacts,
    ResultsFacts,
    RetreatFacts,
    WelcomeFacts,
)
from service.letters.language import ENGLISH, Sentence
from service.letters.own_wording import OwnWording
from service.mail.sending.compose import OutLetter
from service.notices import announcements
from service.notices.answers import command_answers
from service.notices.answers.correspondence import seats_on_file
from service.notices.answers.receipts import nobody
from service.notices.answers.replies import NO_OTHER, OTHER_COUNTS
from service.notices.broadcasts import playing_rules, welcome_links
from service.notices.ending import game_over_facts, players_of
from service.notices.letter_context import LetterContext
from service.notices.order_examples import order_examples
from service.notices.phase_letters.requests import adjustment_facts, attackers_of, retreat_unit
from service.notices.results_facts import results_facts
from service.record import chain
from service.record.references import RecordReference, commitments
from service.store import records
from service.store.tables import GameRow, PhaseRow, PhaseState, PlayerRow, SeatRow, SubmissionRow

RECEIVERS: Mapping[str, tuple[str, str]] = {
    "receipt": ("the sender", "a sheet arrives in time"),
    "receipt_late": ("the sender", "a sheet arrives after its deadline"),
    "receipt_posted": ("the player", "you log a letter that came by post"),
    "rejection": ("the sender, if registered", "a mail cannot be used"),
    "held": ("the sender", "a sheet waits for you"),
    "acknowledgement": ("the sender", "a player writes you a letter without a sheet"),
    "answer": ("the player", "you answer a letter at Correspondence"),
    "command": ("the sender", "a player asks by a word such as STATUS, in a game that takes such questions"),
    "coordinator_notice": ("you", "something waits for a person"),
    "reminder": ("a player who asked for reminders",
                 "48 and 12 hours before a deadline, while no sheet of theirs counts"),
    "draft_results": ("all players", "you approve a movement phase with dislodged units"),
    "retreat_request": ("owners of dislodged units", "with the draft results"),
    "final_results": ("all players", "you approve the retreats, or a movement phase without any"),
    "adjustment": ("all players, each a letter of their own", "with the results before builds and removals"),
    "year_end_results": ("all players", "you approve builds and removals"),
    "postal_pack": ("you", "with the last results of a game year"),
    "deadline_moved": ("all players", "you move a deadline"),
    "game_over": ("all players", "the game is won, or you declare a draw or a concession"),
    "correction": ("all players", "you correct an error in the results"),
    "welcome": ("a new player", "a game begins, or a seat changes hands"),
    "hand_over": ("all players", "another coordinator takes over the game"),
    "announcement": (
        "all players", "a player is away, the game pauses, a power changes hands, or a draw is agreed"),
}
"""Kind of letter to who gets it and when, in the order of a game."""
OF_PHASES: Mapping[str, PhaseKind] = {
    "draft_results": PhaseKind.MOVEMENT, "retreat_request": PhaseKind.RETREAT,
    "adjustment": PhaseKind.ADJUSTMENT,
    "year_end_results": PhaseKind.ADJUSTMENT,
}
"""The kind of phase without which a game has no such letter."""


def kinds_of(variant: Variant) -> Mapping[str, tuple[str, str]]:
    """The kinds of letter that a game of this variant has, with who gets each and when."""
    phase_kinds = {kind for _, kind in variant.calendar.steps}
    return {
        letter: receivers for letter, receivers in RECEIVERS.items()
        if OF_PHASES.get(letter) in {None, *phase_kinds}
    }


@dataclass(frozen=True, slots=True)
class Preview:
    """One letter, and a sentence that says which of its facts are the game's and which are made up because
    they have not happened yet."""

    letter: OutLetter
    basis: str


@dataclass(frozen=True, slots=True)
class Previews:
    """The writer of previews for one power of one game; with `language` and `wording`, as if its player had
    chosen the one and the game worded its letters by the other."""

    letters: LetterContext
    session: Session
    game: GameRow
    power: str
    language: str = ""
    wording: OwnWording | None = None

    def of(self, kind: str) -> Preview:
        """The preview of one kind of letter of `kinds_of`. Raises KeyError for any other kind."""
        makers: Mapping[str, Callable[[], Preview]] = {
            "receipt": self._receipt, "receipt_late": self._late,
            "receipt_posted": self._posted, "rejection": self._rejection,
            "held": self._held, "acknowledgement": self._acknowledgement, "answer": self._answer,
            "command": self._command, "coordinator_notice": self._notice, "reminder": self._reminder,
            "draft_results": self._draft,
            "retreat_request": self._retreats, "final_results": self._final, "adjustment": self._adjustment,
            "year_end_results": self._year_end, "postal_pack": self._pack, "deadline_moved": self._moved,
            "correction": self._correction, "welcome": self._welcome, "hand_over": self._hand_over,
            "announcement": self._announcement,
            "game_over": self._game_over,
        }
        return makers[kind]()

    # What all previews need

    @property
    def _info(self) -> GameInfo:
        info = self.letters.game_info(self.game)
        return info if self.wording is None else replace(info, wording=self.wording)

    @property
    def _variant(self) -> Variant:
        return self.letters.load(self.game.variant)

    @property
    def _name(self) -> str:
        return self._variant.powers[self.power].name

    @property
    def _to(self) -> Recipient:
        addresses = records.addresses(self.session, self.game.id).get(self.power, ())
        # RFC 2606 reserves .invalid: no such mailbox can exist.
        address = addresses[0] if addresses else "nobody@example.invalid"
        to = self.letters.recipient(self.session, address, self._name)
        return replace(to, language=self.language or to.language)

    @property
    def _you(self) -> Recipient:
        return Recipient(self.letters.sender.coordinator, language=self.language or ENGLISH)

    def _phase(self) -> PhaseRow:
        """The phase that takes orders; else the first that is not sent, else the last one."""
        rows = records.phases(self.session, self.game.id)
        return records.open_phase(self.session, self.game.id) or next(
            (row for row in rows if row.state != PhaseState.SENT), rows[-1])

    @property
    def _other(self) -> str:
        """Another power, or the power itself in a game of one."""
        return next((power for power in self._variant.powers if power != self.power), self.power)

    def _closing(self) -> Closing:
        phase = self._phase()
        return Closing(phase_of(phase), phase.deadline)

    def _subject(self, phase: Phase, version: int = 1) -> str:
        return canonical_subject(self.game.name, self._name, phase, version)

    # Single mails

    def _newest_sheet(self) -> SubmissionRow | None:
        """The power's newest sheet for the phase in play, if one came by mail."""
        return self.session.scalar(
            select(SubmissionRow)
            .where(SubmissionRow.phase_id == self._phase().id, SubmissionRow.power == self.power,
                   SubmissionRow.sha256.is_not(None))
            .order_by(SubmissionRow.id.desc()).limit(1))

    @property
    def _next_version(self) -> int:
        row = self._newest_sheet()
        return 1 if row is None else (row.version or 0) + 1

    def _made_up_sheet(self, received_at: datetime) -> ArrivedSheet:
        # A digest like any other: zeros would look like a fault.
        digest = hashlib.sha256(f"a sheet of {self.power}, {received_at}".encode()).hexdigest()
        return ArrivedSheet(received_at, self._closing().phase, self._next_version, 1, digest)

    def _receipt(self) -> Preview:
        closing, row = self._closing(), self._newest_sheet()
        if row is None:
            sheet = self._made_up_sheet(self.letters.clock.now())
            basis = "As if a first sheet for this phase had just come; its numbers are made up."
        else:
            pages = records.pages(self.session, row.id)
            sheet = ArrivedSheet(row.received_at, closing.phase, row.version, len(pages), row.sha256 or "")
            basis = "This power's newest sheet for this phase, as it came."
        facts = ReceiptFacts(sheet, closing, subject=self._subject(closing.phase, (sheet.version or 0) + 1))
        return Preview(render.receipt(self._info, self._to, facts), basis)

    def _late(self) -> Preview:
        closed = self._phase()
        # After a deadline a later phase is open: not one of retreats, for which most players have no unit.
        after = next((row for row in records.phases(self.session, self.game.id)
                      if row.ordinal > closed.ordinal and row.kind != PhaseKind.RETREAT), closed)
        late = ReceiptFacts(
            self._made_up_sheet(closed.deadline + timedelta(minutes=5)),
            Closing(phase_of(after), after.deadline), subject=self._subject(phase_of(after)),
            has_other=self._newest_sheet() is not None)
        letter = render.receipt_late(self._info, self._to, late)
        return Preview(letter, "As if a sheet came five minutes late and the next phase were open.")

    def _posted(self) -> Preview:
        closing = self._closing()
        facts = PostedFacts("preview", closing.phase, self.letters.clock.now(), closing, version=1)
        letter = render.receipt_posted(self._info, self._to, facts)
        return Preview(letter, "As if a letter with a scan were logged.")

    def _rejection(self) -> Preview:
        words, closing = self._words(RefusalReason.TOO_DARK), self._closing()
        subject = self._subject(closing.phase, self._next_version)
        mail = AnsweredMail("preview", self.letters.clock.now(), subject)
        facts = RejectionFacts(
            mail, words[0], Sentence(NO_OTHER if self._newest_sheet() is None else OTHER_COUNTS),
            words[1], subject, closing)
        return Preview(render.rejection(self._info, self._to, facts), "As if a photograph were too dark.")

    def _held(self) -> Preview:
        words, closing = self._words(RefusalReason.HEADING_DISAGREES), self._closing()
        mail = AnsweredMail(
            "preview", self.letters.clock.now(), self._subject(closing.phase, self._next_version))
        facts = HeldFacts(mail, *words)
        return Preview(render.held(self._info, self._to, facts),
                       "As if the sheet's heading and the mail's subject disagreed.")

    def _acknowledgement(self) -> Preview:
        player = self.session.get_one(SeatRow, (self.game.id, self.power)).player_id
        seats = () if player is None else seats_on_file(
            self.session, self.letters, self.session.get_one(PlayerRow, player), self.game)
        mail = AnsweredMail("preview", self.letters.clock.now(), "Three more days, please?")
        own_seats = tuple(seat for seat in seats if seat.power == self._name)
        facts = AcknowledgementFacts(mail, own_seats)
        return Preview(render.acknowledgement(self._info, self._to, facts), "As if this player had written.")

    def _answer(self) -> Preview:
        mail = AnsweredMail("preview", self.letters.clock.now(), "Three more days, please?")
        facts = AnswerFacts(mail, "(your words)", mail.subject)
        return Preview(render.answer(self._info, self._to, facts), "With your words left out.")

    def _command(self) -> Preview:
        asked = MailCommand(Command.STATUS, self.game.name, self._name, self._to.address)
        mail = AnsweredMail("preview", self.letters.clock.now(), f"{self.game.name}, {self._name}, STATUS")
        phase = command_answers.phase_due(self.session, self.game.id, self.power)
        facts = command_answers.facts_of(self.session, asked, mail, 1, phase, self.power)
        return Preview(render.command(self._info, self._to, facts), "As if this player had asked for STATUS.")

    def _words(self, reason: RefusalReason) -> tuple[str, str]:
        words = explain(
            Verdict(VerdictKind.REJECTED, reason, game=self.game.name, power=self._name), nobody()
        )
        return words.problem, words.remedy

    def _notice(self) -> Preview:
        base = self.letters.sender.base_url.rstrip("/")
        facts = NoticeFacts(
            "preview", f"A mail needs you: {REASONS['unknown_sender']}.",
            f"{base}/quarantine" if base else "", self.letters.clock.now(),
            "it does not count. The mail stays in quarantine, unchanged.")
        letter = render.coordinator_notice(self._info, self._you, facts)
        return Preview(letter, "As if a stranger had written.")

    def _reminder(self) -> Preview:
        closing, base = self._closing(), self.letters.sender.base_url.rstrip("/")
        facts = ReminderFacts(
            48, closing, closing.deadline - timedelta(hours=48),
            self._subject(closing.phase, self._next_version),
            f"{base}/public/{self.game.id}/calendar.ics" if base else "",
            f"{base}/public/entry" if base else "")
        letter = render.reminder(self._info, self._to, facts)
        return Preview(letter, "As it leaves two days before this deadline.")

    # Results

    def _results(self, kind: PhaseKind, make: Callable[..., OutLetter]) -> Preview:
        row, resolution = self._judged(kind)
        if row is not None and resolution is not None:
            facts = results_facts(
                self.session, row, resolution, self._variant, self.letters.sender.base_url)
            phase, basis = phase_of(row), f"As judged: {phase_of(row)}."
        else:
            phase, facts = self._unjudged(kind)
            basis = "No such phase is judged yet: this is what the position gives if nobody orders anything."
        return Preview(make(self._info, phase, self._to, facts), basis)

    def _judged(self, kind: PhaseKind) -> tuple[PhaseRow | None, Resolution | None]:
        judged = {PhaseState.READY, PhaseState.SENT}
        rows = [row for row in records.phases(self.session, self.game.id)
                if row.kind == kind and row.resolution is not None and row.state in judged]
        return (rows[-1], codec.load_resolution(rows[-1].resolution or {})) if rows else (None, None)

    def _unjudged(self, kind: PhaseKind) -> tuple[Phase, ResultsFacts]:
        position = self._position()
        phase = next(phase_of(row) for row in records.phases(self.session, self.game.id) if row.kind == kind)
        # Nothing of this is stored, so any lots will do; counting up gives the same letter each time.
        resolution = judge(
            self._variant.context(), self._variant.rules, replace(position, phase=phase), [],
            Lots(range(self._variant.rules.LOTS))
        )
        return phase, ResultsFacts(powers=show(self._variant, resolution, {}))

    def _position(self) -> Position:
        rows = [row for row in records.phases(self.session, self.game.id) if row.position is not None]
        return codec.load_position(rows[-1].position or {}) if rows else self._variant.start

    def _units(self) -> tuple[str, ...]:
        """The power's units as they stand, in words."""
        units = self._position().units
        return tuple(sorted(unit_text(self._variant, unit) for unit in units if unit.power == self.power))

    def _draft(self) -> Preview:
        return self._results(PhaseKind.MOVEMENT, render.draft_results)

    def _final(self) -> Preview:
        # A game that is played in whole turns has no retreat phase; its turns give the final results.
        retreats = any(kind is PhaseKind.RETREAT for _, kind in self._variant.calendar.steps)
        return self._results(PhaseKind.RETREAT if retreats else PhaseKind.TURN, render.final_results)

    def _year_end(self) -> Preview:
        return self._results(PhaseKind.ADJUSTMENT, render.year_end_results)

    def _coming(self, kind: PhaseKind) -> Closing:
        rows = [row for row in records.phases(self.session, self.game.id) if row.kind == kind]
        row = next((row for row in rows if row.state != PhaseState.SENT), rows[-1])
        return Closing(phase_of(row), row.deadline)

    def _retreats(self) -> Preview:
        closing = self._coming(PhaseKind.RETREAT)
        units = sorted((unit for unit in self._position().units if unit.power == self.power),
                       key=lambda unit: unit_text(self._variant, unit))
        # From the first neighbour by name, that an attack can come from.
        variant = self._variant
        asked = [retreat_unit(variant, Dislodgement(unit, attackers_of(variant, unit)[0]), frozenset())
                 for unit in units[:1]]
        facts = RetreatFacts(tuple(asked), closing, self._subject(closing.phase))
        return Preview(render.retreat_request(self._info, closing.phase, self._to, facts),
                       "As if the first of this power’s units had been dislodged.")

    def _adjustment(self) -> Preview:
        closing = self._coming(PhaseKind.ADJUSTMENT)
        _, resolution = self._judged(PhaseKind.ADJUSTMENT)
        count = 1 if resolution is None else resolution.adjust.get(self.power, 1)
        facts = adjustment_facts(self._variant, count, closing, self._subject(closing.phase))
        return Preview(
            render.adjustment(self._info, closing.phase, self._to, facts), "As if one unit were offered."
        )

    def _pack(self) -> Preview:
        season, kind = self._variant.calendar.year_end
        phase = replace(self._coming(kind).phase, season=season)
        facts = PackFacts(((self._name, 1),), tuple(
            power.name for power in self._variant.powers.values() if power.id != self.power))
        return Preview(render.postal_pack(self._info, phase, self._you, facts),
                       "As if this power alone had a postal address.")

    # Letters to all

    def _moved(self) -> Preview:
        closing = self._closing()
        two, phase = timedelta(days=2), self._phase()
        later = [row for row in records.phases(self.session, self.game.id) if row.ordinal > phase.ordinal]
        # The retreats of the same season follow within days, so they move along.
        along = [row for row in later if (row.season, row.year) == (phase.season, phase.year)]
        facts = DeadlineFacts(
            "preview", closing.phase, closing.deadline, closing.deadline + two, "The post is on strike.",
            moved=tuple(NextDate(str(phase_of(row)), row.deadline + two) for row in along),
            unchanged=tuple(NextDate(str(phase_of(row)), row.deadline) for row in later
                            if row not in along)[:3])
        letter = render.deadline_moved(self._info, self._to, facts)
        return Preview(letter, "As if this deadline moved by two days.")

    def _correction(self) -> Preview:
        row, _ = self._judged(PhaseKind.MOVEMENT)
        phase = phase_of(row or self._phase())
        facts = CorrectionFacts("preview", "(what the results said)", "(what is right)", "(what follows)",
                                "(a player)", None if row is None else row.sent_at)
        letter = render.correction(self._info, phase, self._to, facts)
        return Preview(letter, "With your words left out; a picture of them goes along.")

    def _welcome(self) -> Preview:
        root = chain.root(self.session, self.game.id)
        closing, base = self._closing(), self.letters.sender.base_url.rstrip("/")
        facts = WelcomeFacts(
            self._units(), tuple(power.name for power in self._variant.powers.values()), closing,
            self._subject(closing.phase),
            examples=order_examples(self._variant, closing.phase.kind),
            links=welcome_links(base, self.game),
            rules=playing_rules(self.game, self._variant),
            proofs=Proofs(seeds=commitments(self.session, self._phase(), with_it=True),
                          record=RecordReference(root.number, root.link) if root.number else None))
        return Preview(render.welcome(self._info, closing.phase, self._to, facts),
                       "As it would leave today, with a map, a blank sheet and the record’s fingerprint.")

    def _announcement(self) -> Preview:
        today = self.letters.clock.now().date()
        # Of another player's absence: who is away needs no letter to know it.
        facts = announcements.absence_facts(
            "preview", self._variant, (self._other,), today, today + timedelta(days=9),
            closing=self._closing())
        return Preview(render.announcement(self._info, self._to, facts),
                       "As if another player were away; who and when is made up.")

    def _hand_over(self) -> Preview:
        root = chain.root(self.session, self.game.id)
        facts = HandOverFacts("preview", self._info.coordinator, "(the new name)", self.letters.clock.now(),
                              root.link, self._closing(), root.number)
        return Preview(render.hand_over(self._info, self._to, facts),
                       "With the record’s fingerprint as it is now, and without the new name.")

    def _game_over(self) -> Preview:
        end = GameEnd(EndKind.DRAW, (self.power, self._other), "(your reason)")
        rows = [row for row in records.phases(self.session, self.game.id)
                if row.resolution is not None and row.state == PhaseState.SENT]
        if rows:
            last = rows[-1]
            facts = game_over_facts(
                self.session, self.game, self._variant, end, last,
                codec.load_resolution(last.resolution or {}), self.letters.sender.base_url)
        else:
            last, facts = self._phase(), self._over_at_once(end)
        return Preview(render.game_over(self._info, phase_of(last), self._to, facts),
                       "As if the game ended today in a draw; a printed sheet of the same goes along.")

    def _over_at_once(self, end: GameEnd) -> GameOverFacts:
        """The end of a game of which nothing is judged yet."""
        names = {power.id: power.name for power in self._variant.powers.values()}
        start = {power: len(self._variant.start.centres.get(power, ())) for power in names}
        return GameOverFacts(
            end.kind.value, tuple(names[power] for power in end.powers), end.why,
            tuple((names[power], number, number) for power, number in start.items()),
            players_of(self.session, self.game, self._variant), statistics_of(self._variant, ()),
            (str(self._phase().year),), {power: (number, number) for power, number in start.items()},
            has_centres=self._variant.has_adjustments)
