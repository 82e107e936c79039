"""Letters about single mails: receipts, refusals, sheets on hold, and notices to the coordinator.

Each is put into the outbox in the transaction of its event. Only registered addresses get an answer, and each
at most five in a day (SEC-07): thirty dark photographs bring five letters, and two machines that answer each
other stop.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.facts.refusals import RefusalReason
from service.games import ballots
from service.games.options import options_of
from service.games.phases import phase_of
from service.intake import load_context as contexts
from service.intake.verdicts.context import IntakeContext
from service.intake.verdicts.explanations import (
    Explanation,
    canonical_subject,
    explain,
    seat_meant,
    sheet_meant,
    subject_line,
)
from service.intake.verdicts.verdict import Verdict, VerdictKind
from service.letters import render
from service.letters.facts import AnsweredMail, AnswerToMail, Closing, GameInfo, Recipient
from service.letters.kinds import LetterKind, Occasion, Sample
from service.letters.language import N_, Sentence
from service.mail.sending.compose import Attachment, Rank
from service.notices import coordinator_notices, outside_notices
from service.notices.answers import receipts
from service.notices.answers.files import file_notes, files_of
from service.notices.answers.receipts import RECEIPT_LATE, ArrivedSheet, ReceiptFacts, Trouble, nobody
from service.notices.coordinator_notices import NoticeFacts
from service.notices.letter_context import LetterContext
from service.notices.order_sheets import blank_sheet
from service.notices.previews import Previews
from service.store import records
from service.store.tables import (
    GameRow,
    IgnoredMailRow,
    MailRow,
    OutboxRow,
    PhaseRow,
    PlayerRow,
    SubmissionRow,
)

ANSWERS_A_DAY = 5
"""Answers to one address within a day."""
_UNPROVED = {RefusalReason.AUTH_FAILED, RefusalReason.AUTH_UNAVAILABLE}
LAST_ANSWER = Sentence(
    "This is answer number %(number)s to you within a day. Further unusable mails of this day are stored "
    "and shown to the coordinator, but get no answer.", number=ANSWERS_A_DAY)
"""The addition to the last answer of a day."""
_TOO_LATE_TO_MEND = Sentence(
    "The deadline has passed, so no new version can count. The coordinator will look at this one as it is.")
"""Advice about a sheet that waits, where nothing can be done about it any more."""
_OVER = Sentence("The deadline has passed, so no new version can count.")
OTHER_COUNTS = N_("The photograph is stored. The sheet that you sent before still counts.")
NO_OTHER = N_("The photograph is stored. No other sheet of yours counts for this phase.")


@dataclass(frozen=True, slots=True)
class RejectionFacts(AnswerToMail):
    """A mail that cannot be used (OUT-03): what happened, what is safe, how to mend it, each one sentence.

    `subject` is filled in, to copy, or ""; `closing` is its phase, or None; `files`: what is wrong with which
    file.
    """

    problem: str
    reassurance: str
    remedy: str
    subject: str = ""
    closing: Closing | None = None
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HeldFacts(AnswerToMail):
    """A mail that waits for the coordinator: what is wrong with it, and what would settle it at once."""

    problem: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Replies:
    """The writer of answers to one mail or one sheet."""

    letters: LetterContext

    def receipt(self, session: Session, submission: SubmissionRow, phase: PhaseRow, verdict: Verdict) -> None:
        """A sheet arrived (OUT-02)."""
        if not receipts.waits_for_reading(session, submission, phase):
            self._receipt(session, submission, phase, verdict)

    def read(self, session: Session, submission: SubmissionRow, phase: PhaseRow) -> None:
        """A sheet was read and can be used: a receipt that waited for it leaves now."""
        # A submission without a hash of a mail came by post, so there is no mail to answer.
        if submission.sha256 is None or not receipts.waits_for_reading(session, submission, phase):
            return
        info, to = self._about(session, submission, phase)
        if not receipts.shows_reading(session, phase):
            verdict = receipts.verdict_of(session, submission, phase, to.power)
            self._receipt(session, submission, phase, verdict)
            return
        variant = self.letters.load(session.get_one(GameRow, phase.game_id).variant)
        letter = receipts.read_letter(session, self.letters.blobs, info, to, submission, phase, variant,
                                      is_over=self._is_over(phase))
        self.letters.put(session, letter, phase)

    def _with_receipt(
        self, session: Session, submission: SubmissionRow, phase: PhaseRow, words: Explanation
    ) -> bool:
        """Have the receipt show why the sheet does not count yet, if it waited for the reading: one mail
        brings its sender one letter (SEC-07)."""
        if not receipts.waits_for_reading(session, submission, phase):
            return False
        _, to = self._about(session, submission, phase)
        verdict = receipts.verdict_of(session, submission, phase, to.power)
        remedy = _TOO_LATE_TO_MEND if self._is_over(phase) else words.remedy
        self._receipt(session, submission, phase, verdict, Trouble(words.problem, remedy))
        return True

    def _is_over(self, phase: PhaseRow) -> bool:
        """Whether a new version would come too late: a sheet of the last minute is read after it."""
        return self.letters.clock.now() > phase.deadline

    def _receipt(
        self, session: Session, submission: SubmissionRow, phase: PhaseRow, verdict: Verdict,
        trouble: Trouble | None = None,
    ) -> None:
        info, to = self._about(session, submission, phase)
        facts = receipts.facts_of(session, submission, phase, verdict, to.power, trouble,
                                  is_over=self._is_over(phase))
        self.letters.put(session, receipts.receipt(info, to, facts), phase)

    def _about(
        self, session: Session, submission: SubmissionRow, phase: PhaseRow
    ) -> tuple[GameInfo, Recipient]:
        game = session.get_one(GameRow, phase.game_id)
        power = self.letters.load(game.variant).powers[submission.power].name
        return self.letters.game_info(game), self.letters.recipient(session, submission.sender, power)

    def refusal(self, session: Session, key: str, received_at: datetime, verdict: Verdict) -> bool:
        """Say why a mail does not count and how to mend it (OUT-03). False if its sender had enough answers
        within the day; the mail is then for the coordinator alone."""
        address = verdict.reply_to
        # Only a registered sender whose address is proved has one.
        if address is None:
            return True
        game = None
        if verdict.game is not None:
            game = session.scalar(select(GameRow).where(GameRow.name == verdict.game))
        before = answers_today(session, self.letters, address, game)
        if before >= ANSWERS_A_DAY:
            return False
        mail = session.get_one(MailRow, key)
        context = self._context(session, received_at, verdict)
        words = explain(verdict, context)
        # A late sheet has its own letter: it names the fingerprint and what is open now (CAL-03, Q-34).
        if verdict.reason is RefusalReason.LATE and game is not None:
            self._late(session, game, mail, verdict, context)
            return True
        # The game that the offered subject names signs the letter, though the mail named none (LET-08).
        seat = seat_meant(verdict, context)
        if game is None and seat is not None:
            game = session.scalar(select(GameRow).where(GameRow.name == seat[0].name))
        facts = RejectionFacts(
            AnsweredMail(key, received_at, verdict.subject, _message_ids(mail)),
            words.problem, _reassurance(words.reassurance, before), words.remedy,
            subject=words.subject, closing=self.closing(session, verdict, context),
            files=file_notes(verdict.files),
        )
        to = self.letters.recipient(session, address, verdict.power or ("" if seat is None else seat[1]))
        info = None if game is None else self.letters.game_info(game)
        attached = self.sheet(session, verdict, context, to)
        self.letters.put(session, render.letter(REJECTION, info, to, facts, attached=attached))
        return True

    def sheet(
        self, session: Session, verdict: Verdict, context: IntakeContext, to: Recipient
    ) -> list[Attachment]:
        """The blank sheet that goes with a refusal: for the sender's own power and the phase whose subject
        the refusal offers. None if more than one power may be meant or nothing is asked of it."""
        seat, closing = seat_meant(verdict, context), self.closing(session, verdict, context)
        if seat is None or closing is None:
            return []
        row = session.scalars(select(GameRow).where(GameRow.name == seat[0].name)).one()
        variant = self.letters.load(row.variant)
        power = next(power.id for power in variant.powers.values() if power.name == seat[1])
        return [blank_sheet(variant, self.letters.game_info(row), closing, power, to)]

    def closing(self, session: Session, verdict: Verdict, context: IntakeContext) -> Closing | None:
        """The phase whose subject a refusal offers, with its deadline; None where it offers none."""
        seat = seat_meant(verdict, context)
        sheet = None if seat is None else sheet_meant(verdict, seat)
        if seat is None or sheet is None:
            return None
        phase = sheet.phase
        return Closing(phase, session.scalars(
            select(PhaseRow.deadline).join(GameRow, GameRow.id == PhaseRow.game_id)
            .where(GameRow.name == seat[0].name, PhaseRow.season == phase.season,
                   PhaseRow.year == phase.year, PhaseRow.kind == phase.kind)).one())

    def notice(self, session: Session, key: str, received_at: datetime, verdict: Verdict) -> None:
        """A mail waits in quarantine. The coordinator learns whose it is and why, never what it states."""
        code = RefusalReason.COULD_NOT_BE_HANDLED if verdict.reason is None else verdict.reason
        consequence = "it does not count. The mail stays in quarantine, unchanged."
        if verdict.reason is None:
            consequence = ("it does not count unless you file it before its phase is judged. The mail "
                           "stays in quarantine, unchanged. If its sender's address is proved and "
                           "registered, they were asked for another photograph.")
        reason = code.because
        if code in _UNPROVED and verdict.authentication is not None:
            consequence += f" {verdict.authentication.reason}"
        facts = NoticeFacts(
            key=key, event=f"A mail needs you: {reason}.", since=received_at,
            link=f"{base}/quarantine/{key}" if (base := self.letters.sender.base_url.rstrip("/")) else "",
            consequence=consequence, mail=coordinator_notices.about_verdict(session, self.letters, verdict),
        )
        player = records.player_of(session, verdict.sender) if verdict.sender else None
        outside_notices.note(
            session, self.letters, facts, mark=self.letters.rehearsal_mark(session, player))

    def ignored(self, session: Session, row: IgnoredMailRow) -> None:
        """A mail under a player's address was ignored and seems to have an attachment (BOX-01)."""
        # The earlier mail counts, or was answered; the list at the desk is enough.
        if row.reason != RefusalReason.DUPLICATE:
            player = session.get_one(PlayerRow, row.player_id)
            outside_notices.note(
                session, self.letters, coordinator_notices.about_ignored_mail(session, self.letters, row),
                mark=self.letters.rehearsal_mark(session, player))

    def bounced(self, session: Session, letter_id: int) -> None:
        """A letter came back."""
        coordinator_notices.report_failed(self.letters, session, session.get_one(OutboxRow, letter_id))

    def unknown_letter_bounced(self, session: Session, player_id: int) -> None:
        """Some letter to a player came back."""
        player, base = session.get_one(PlayerRow, player_id), self.letters.sender.base_url
        outside_notices.note(session, self.letters, coordinator_notices.about_returned_mail_of(
            player, self.letters.clock.now(), base))

    def unusable(
        self, session: Session, submission: SubmissionRow, phase: PhaseRow, reason: RefusalReason
    ) -> None:
        """No page of a sheet could be read: advise its sender how to photograph it better. If it came by
        post, inform the coordinator, who has the sheet."""
        if submission.sha256 is None:
            self._posted(session, submission, phase, reason)
            return
        game = session.get_one(GameRow, phase.game_id)
        variant = self.letters.load(game.variant)
        power = variant.powers[submission.power].name
        words = explain(
            Verdict(VerdictKind.REJECTED, reason, game=game.name, power=power, sender=submission.sender),
            nobody()
        )
        brings_orders = reason is not RefusalReason.NO_PHOTO
        if brings_orders and self._with_receipt(session, submission, phase, words):
            return
        before = answers_today(session, self.letters, submission.sender, game)
        if before >= ANSWERS_A_DAY:
            return
        mail = session.get_one(MailRow, submission.sha256)
        answered = _answered_mail(mail, submission, f"{mail.sha256}-{reason.value}")
        to = self.letters.recipient(session, submission.sender, power)
        info, closing = self.letters.game_info(game), Closing(phase_of(phase), phase.deadline)
        if self._is_over(phase) and brings_orders:
            # No new version can come in time, so the coordinator settles this one (LET-01).
            late = HeldFacts(answered, words.problem, _TOO_LATE_TO_MEND)
            self.letters.put(session, render.letter(HELD, info, to, late), phase)
            return
        other = submission.power in ballots.executed(session, phase)
        reassurance = Sentence(OTHER_COUNTS if other else NO_OTHER)
        # Above every version on file, or the better photograph would count behind an older one.
        number = ballots.next_version(session, phase.id, submission.power)
        is_over = self._is_over(phase)
        facts = RejectionFacts(
            answered, words.problem, _reassurance(reassurance, before), _OVER if is_over else words.remedy,
            subject="" if is_over else canonical_subject(game.name, power, phase_of(phase), number),
            closing=None if is_over else closing, files=file_notes(files_of(session, submission)),
        )
        blank = blank_sheet(variant, info, closing, submission.power, to)
        self.letters.put(session, render.letter(REJECTION, info, to, facts, attached=[blank]), phase)

    def held(
        self, session: Session, submission: SubmissionRow, phase: PhaseRow, reason: RefusalReason
    ) -> None:
        """A sheet waits for the coordinator: its sender and the coordinator learn why, and what would settle
        it (HEAD-03, Q-07)."""
        if submission.sha256 is None:
            self._posted(session, submission, phase, reason)
            return
        game = session.get_one(GameRow, phase.game_id)
        power = self.letters.load(game.variant).powers[submission.power].name
        words = explain(
            Verdict(VerdictKind.REJECTED, reason, game=game.name, power=power, sender=submission.sender),
            nobody()
        )
        mail = session.get_one(MailRow, submission.sha256)
        facts = HeldFacts(_answered_mail(mail, submission, mail.sha256), words.problem,
                          _TOO_LATE_TO_MEND if self._is_over(phase) else words.remedy)
        # Past the limit the sender gets no answer, but the coordinator still hears of every sheet on hold.
        is_answered = self._with_receipt(session, submission, phase, words)
        if not is_answered and answers_today(session, self.letters, submission.sender, game) < ANSWERS_A_DAY:
            to = self.letters.recipient(session, submission.sender, power)
            self.letters.put(session, render.letter(HELD, self.letters.game_info(game), to, facts), phase)
        has_other = submission.power in ballots.executed(session, phase)
        notice = NoticeFacts(
            key=f"held-{mail.sha256}", event=f"A sheet of {power} is held: {words.problem}",
            since=submission.received_at,
            link=f"{base}/sheets/{phase.id}" if (base := self.letters.sender.base_url.rstrip("/")) else "",
            consequence="it does not count, and the version before it does." if has_other else
                        "it does not count, and the power has no other sheet.",
            mail=coordinator_notices.about_sheet(session, facts.mail.subject, submission, game, power),
        )
        coordinator_notices.notify(session, self.letters, game, notice, phase)

    def _posted(
        self, session: Session, submission: SubmissionRow, phase: PhaseRow, reason: RefusalReason
    ) -> None:
        """A sheet that came by post waits for the coordinator; there is no mail to answer."""
        game = session.get_one(GameRow, phase.game_id)
        power = self.letters.load(game.variant).powers[submission.power].name
        verdict = Verdict(VerdictKind.REJECTED, reason, game=game.name, power=power)
        problem = explain(verdict, nobody()).problem
        facts = NoticeFacts(
            key=f"posted-{submission.id}-{reason.value}", event=f"A posted sheet of {power} waits: {problem}",
            since=submission.received_at, link=self.letters.sender.base_url,
            consequence="it does not count until you settle it. Its scan is stored.",
        )
        coordinator_notices.notify(session, self.letters, game, facts, phase)

    def _late(
        self, session: Session, game: GameRow, mail: MailRow, verdict: Verdict, context: IntakeContext
    ) -> None:
        phase = session.scalar(select(PhaseRow).where(
            PhaseRow.game_id == game.id, PhaseRow.season == verdict.season, PhaseRow.year == verdict.year,
            PhaseRow.kind == (verdict.kind.value if verdict.kind else "")))
        if phase is None or verdict.reply_to is None:
            return
        sheet = ArrivedSheet(mail.received_at, phase_of(phase), verdict.version, verdict.photos, mail.sha256,
                             is_typed=not verdict.photos and options_of(game).typed_orders)
        power = verdict.power or ""
        coming, closing = context.game(game.name).next_sheet(power), self.closing(session, verdict, context)
        names = {power.name: power.id for power in self.letters.load(game.variant).powers.values()}
        facts = ReceiptFacts(
            sheet, closing, opens=None if coming is None else coming.opens,
            subject=subject_line(verdict, context), message_ids=_message_ids(mail),
            has_other=names.get(power) in ballots.executed(session, phase))
        to = self.letters.recipient(session, verdict.reply_to, power)
        self.letters.put(session, render.letter(RECEIPT_LATE, self.letters.game_info(game), to, facts), phase)

    def _context(self, session: Session, received_at: datetime, verdict: Verdict) -> IntakeContext:
        sender = self.letters.sender
        return contexts.build_context(
            session, received_at, self.letters.load, own_addresses=(sender.order_address,),
            about=contexts.Concern((verdict.sender or "",), verdict.subject, verdict.game))


def answers_today(session: Session, letters: LetterContext, address: str, game: GameRow | None) -> int:
    """How many answers an address had within the day. Once that is enough, the coordinator gets a
    notice, at most one a day."""
    now = letters.clock.now()
    # Answers to mails that bring no sheet into play. A receipt for a sheet in time is not counted: a
    # player relies on each of them.
    counted = letters.kinds.names(lambda kind: kind.is_counted)
    before = session.scalar(select(func.count()).select_from(OutboxRow).where(
        OutboxRow.recipient == address, OutboxRow.kind.in_(counted),
        OutboxRow.due_at > now - timedelta(days=1))) or 0
    if before >= ANSWERS_A_DAY:
        base = letters.sender.base_url.rstrip("/")
        # The outbox puts a key once, so this makes one notice a day for each address.
        facts = NoticeFacts(
            key=f"enough-{sha256(address.encode()).hexdigest()[:12]}-{now:%Y-%m-%d}",
            event=f"One player sent more than {ANSWERS_A_DAY} mails within a day that could not be "
                  "used. They get no more answers on this day.",
            since=now, link=f"{base}/?show=mails" if base else "",
            consequence="they have no notice that the last ones do not count. Sheets that could not be read "
            "are held; the other mails are in quarantine. All of them are stored.")
        coordinator_notices.notify(session, letters, game, facts)
    return before



def _reassurance(reassurance: str, before: int) -> str:
    """The safe parts; the last answer of a day adds that it is the last."""
    return Sentence.of(reassurance, LAST_ANSWER) if before == ANSWERS_A_DAY - 1 else reassurance


def _answered_mail(mail: MailRow, submission: SubmissionRow, key: str) -> AnsweredMail:
    subject = str(mail.verdict_fields.get("subject", ""))
    return AnsweredMail(key, submission.received_at, subject, _message_ids(mail))


def _message_ids(mail: MailRow) -> tuple[str, ...]:
    message_id = mail.verdict_fields.get("message_id")
    return (str(message_id),) if message_id else ()


# The kinds of these letters
# --------------------------------------------------------------------------------------------------


def _words_of(seat: Previews, reason: RefusalReason) -> tuple[str, str]:
    """The problem and the remedy of a refusal, as the seat's player would read them."""
    words = explain(Verdict(VerdictKind.REJECTED, reason, game=seat.game.name, power=seat.name), nobody())
    return words.problem, words.remedy


def _rejection_sample(seat: Previews) -> Sample[RejectionFacts]:
    words, closing = _words_of(seat, RefusalReason.TOO_DARK), seat.closing()
    subject = seat.subject(closing.phase, seat.next_version)
    mail = AnsweredMail("preview", seat.letters.clock.now(), subject)
    facts = RejectionFacts(
        mail, words[0], Sentence(NO_OTHER if seat.newest_sheet() is None else OTHER_COUNTS),
        words[1], subject, closing)
    return Sample(facts, "As if a photograph were too dark.")


def _held_sample(seat: Previews) -> Sample[HeldFacts]:
    words, closing = _words_of(seat, RefusalReason.HEADING_DISAGREES), seat.closing()
    mail = AnsweredMail(
        "preview", seat.letters.clock.now(), seat.subject(closing.phase, seat.next_version))
    facts = HeldFacts(mail, *words)
    return Sample(facts, "As if the sheet's heading and the mail's subject disagreed.")


REJECTION = LetterKind(
    "rejection", RejectionFacts, "Refusal of a mail",
    Occasion("the sender, if registered", "a mail cannot be used", _rejection_sample),
    rank=Rank.ANSWER, answers_mail=True, is_counted=True)
"""The answer to a mail that cannot be used: why, and how to mend it (OUT-03)."""

HELD = LetterKind(
    "held", HeldFacts, "A sheet waits for the coordinator",
    Occasion("the sender", "a sheet waits for you", _held_sample),
    rank=Rank.ANSWER, answers_mail=True, is_counted=True)
"""The answer to a mail that waits for the coordinator."""
