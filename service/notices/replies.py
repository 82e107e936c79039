"""Letters about single mails: receipts, refusals, papers on hold, and notices to the coordinator.

Each is put into the outbox in the transaction of its event. Nobody is answered who is not registered, and
nobody more than five times an hour (`answers.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import parseaddr
from hashlib import sha256

from sqlalchemy import select
from sqlalchemy.orm import Session

from maps.variant import Variant
from service.clock import Clock
from service.games import rulings
from service.games.phases import phase_of
from service.intake import load_context as contexts
from service.intake.context import IntakeContext
from service.intake.explanations import Explanation, canonical_subject, explain, seat_meant
from service.intake.verdict import RefusalReason, Verdict, VerdictKind
from service.letters import render
from service.letters.facts import (
    Closing,
    GameInfo,
    HeldFacts,
    NoticeFacts,
    ReceiptFacts,
    Recipient,
    RejectionFacts,
)
from service.mail import outbox
from service.mail.compose import Attachment, OutLetter
from service.notices import answers, receipts
from service.notices.blank_sheets import blank_sheet
from service.notices.receipts import nobody
from service.store import records
from service.store.blobs import Blobs
from service.store.tables import GameRow, MailRow, OutboxRow, PhaseRow, SubmissionRow

COORDINATOR = "coordinator"
"""The game's option with the name that letters are signed with."""


@dataclass(frozen=True, slots=True)
class Sender:
    """What stands in the head of every letter. `base_url` is the site's public address or ""; `authserv_id`
    the server whose word on senders counts."""

    sender: str
    order_address: str
    coordinator: str
    max_bytes: int
    base_url: str = ""
    authserv_id: str = ""

    @property
    def domain(self) -> str:
        """The right side of our Message-IDs."""
        return parseaddr(self.sender)[1].rpartition("@")[2]


@dataclass(frozen=True, slots=True)
class LetterContext:
    """What every writer of letters has at hand."""

    blobs: Blobs
    clock: Clock
    load: Callable[[str], Variant]
    sender: Sender

    def put(self, session: Session, letter: OutLetter, phase: PhaseRow | None = None) -> bool:
        """The letter into the caller's transaction, once for its key."""
        known = letter if phase is None else replace(letter, phase_id=phase.id)
        return outbox.put(session, self.blobs, known, sender=self.sender.sender,
                          reply_to=self.sender.order_address, now=self.clock.now(),
                          max_bytes=self.sender.max_bytes, base_url=self.sender.base_url.rstrip("/"))

    def game_info(self, game: GameRow) -> GameInfo:
        """The game as letters name it."""
        title = self.load(game.variant).title
        coordinator = str(game.options.get(COORDINATOR) or "The Coordinator")
        base, path = self.sender.base_url.rstrip("/"), rulings.path_of(game.variant)
        return GameInfo(
            game.id,
            game.name,
            title,
            self.sender.order_address,
            coordinator,
            f"{base}{path}" if base and path else "",
        )

    def recipient(self, session: Session, address: str, power: str = "") -> Recipient:
        """An address with its player's clock."""
        player = records.player_of(session, address)
        return Recipient(address, power, "" if player is None else player.zone)


@dataclass(frozen=True, slots=True)
class Replies:
    """Who is written to about one mail or one paper."""

    desk: LetterContext

    def receipt(self, session: Session, submission: SubmissionRow, phase: PhaseRow, verdict: Verdict) -> None:
        """A sheet arrived (OUT-02)."""
        if not receipts.waits_for_reading(session, phase):
            self._receipt(session, submission, phase, verdict)

    def read(self, session: Session, submission: SubmissionRow, phase: PhaseRow) -> None:
        """A sheet was read: where the game shows readings, its receipt leaves now."""
        if submission.sha256 is None or not receipts.waits_for_reading(session, phase):
            return
        info, to = self._about(session, submission, phase)
        self.desk.put(
            session, receipts.read_letter(session, self.desk.blobs, info, to, submission, phase), phase
        )

    def unread(self, session: Session, submission: SubmissionRow, phase: PhaseRow) -> None:
        """A sheet could not be read by the machine: its receipt leaves without a reading, where it waited for
        one."""
        if submission.sha256 is not None and receipts.waits_for_reading(session, phase):
            _, to = self._about(session, submission, phase)
            self._receipt(
                session, submission, phase, receipts.verdict_of(session, submission, phase, to.power)
            )

    def _receipt(
        self, session: Session, submission: SubmissionRow, phase: PhaseRow, verdict: Verdict
    ) -> None:
        info, to = self._about(session, submission, phase)
        facts = receipts.facts_of(session, submission, phase, verdict, to.power)
        self.desk.put(session, render.receipt(info, to, facts), phase)

    def _about(
        self, session: Session, submission: SubmissionRow, phase: PhaseRow
    ) -> tuple[GameInfo, Recipient]:
        game = session.get_one(GameRow, phase.game_id)
        power = self.desk.load(game.variant).powers[submission.power].name
        return self.desk.game_info(game), self.desk.recipient(session, submission.sender, power)

    def refusal(self, session: Session, key: str, received_at: datetime, verdict: Verdict) -> bool:
        """Why a mail does not count, and how to mend it (OUT-03). False where its sender was answered often
        enough within the hour, and the mail is for the coordinator alone."""
        address = verdict.reply_to
        if address is None:
            return True
        game = None
        if verdict.game is not None:
            game = session.scalar(select(GameRow).where(GameRow.name == verdict.game))
        before = self._answered(session, address, game)
        if before >= answers.AN_HOUR:
            return False
        mail = session.get_one(MailRow, key)
        context = self._context(session, received_at)
        words = explain(verdict, context)
        if verdict.reason is RefusalReason.LATE and game is not None:
            self._late(session, game, mail, verdict, words)
            return True
        facts = RejectionFacts(
            key=key, received_at=received_at, problem=words.problem,
            reassurance=_safe(words.reassurance, before),
            remedy=words.remedy,
            their_subject=verdict.subject, subject=words.subject, closing=self._closing(session, game),
            answers=_answers(mail),
        )
        to = self.desk.recipient(session, address, verdict.power or "")
        info = None if game is None else self.desk.game_info(game)
        self.desk.put(session, render.rejection(info, to, facts, self.sheet(session, verdict, context)))
        return True

    def sheet(self, session: Session, verdict: Verdict, context: IntakeContext) -> list[Attachment]:
        """The blank sheet that goes with a refusal: of the sender's own power for the phase whose subject is
        offered; none where more than one power may be meant, or no phase is open."""
        seat = seat_meant(verdict, context)
        if seat is None or seat[0].open_phase is None:
            return []
        row = session.scalars(select(GameRow).where(GameRow.name == seat[0].name)).one()
        variant = self.desk.load(row.variant)
        power = next(one.id for one in variant.powers.values() if one.name == seat[1])
        return [blank_sheet(variant, row.name, seat[0].open_phase, power)]

    def notice(self, session: Session, key: str, received_at: datetime, verdict: Verdict) -> None:
        """A mail waits in quarantine. The coordinator is told the reason, never what it says."""
        given_up = verdict.reason is None
        reason = "could not be handled" if verdict.reason is None else verdict.reason.value.replace("_", " ")
        facts = NoticeFacts(
            key=key, event=f"A mail is in quarantine: {reason}.", since=received_at,
            link=f"{self.desk.sender.base_url}/quarantine" if self.desk.sender.base_url else "",
            consequence="it does not count. Its bytes are kept whole." if not given_up else
            "it does not count unless you file it before its phase is judged. Its bytes are kept whole, and "
            "its sender is asked for "
            "another photograph where their address is proved and registered.",
        )
        to = Recipient(self.desk.sender.coordinator)
        self.desk.put(session, render.coordinator_notice(None, to, facts))

    def bounced(self, session: Session, letter_id: int) -> None:
        """A letter came back: the coordinator is told which and for whom, without the address, and that
        results may go by post. A notice that came back itself brings no other."""
        row = session.get_one(OutboxRow, letter_id)
        if row.recipient == self.desk.sender.coordinator:
            return
        game = None if row.game_id is None else session.get_one(GameRow, row.game_id)
        base = self.desk.sender.base_url
        facts = NoticeFacts(
            key=f"bounce-{row.id}", event=f"A letter came back as undeliverable: {row.subject}",
            since=self.desk.clock.now(), link=f"{base}/letters/{row.id}" if base else "",
            consequence="its reader does not have it. Ask them for another address by another way; results "
                        "can be printed "
                        "from Letters and posted.")
        info = None if game is None else self.desk.game_info(game)
        self.desk.put(
            session, render.coordinator_notice(info, Recipient(self.desk.sender.coordinator), facts)
        )

    def unusable(
        self, session: Session, submission: SubmissionRow, phase: PhaseRow, reason: RefusalReason
    ) -> None:
        """No page of a paper could be read: tell its sender how to photograph it better. Of a letter that
        came by post the coordinator is told, who has the paper."""
        if submission.sha256 is None:
            self._posted(session, submission, phase, reason)
            return
        game = session.get_one(GameRow, phase.game_id)
        before = self._answered(session, submission.sender, game)
        if before >= answers.AN_HOUR:
            return
        variant = self.desk.load(game.variant)
        power = variant.powers[submission.power].name
        words = explain(
            Verdict(VerdictKind.REJECTED, reason, game=game.name, power=power, sender=submission.sender),
            nobody()
        )
        mail = session.get_one(MailRow, submission.sha256)
        facts = RejectionFacts(
            key=f"{mail.sha256}-{reason.value}", received_at=submission.received_at, problem=words.problem,
            reassurance=_safe("The photograph is kept, and a version you sent before still counts.", before),
            remedy=words.remedy,
            their_subject=str((mail.verdict or {}).get("subject", "")),
            subject=canonical_subject(game.name, power, phase_of(phase), (submission.version or 1) + 1),
            closing=Closing(phase_of(phase), phase.deadline), answers=_answers(mail),
        )
        to = self.desk.recipient(session, submission.sender, power)
        blank = blank_sheet(variant, game.name, phase_of(phase), submission.power)
        self.desk.put(session, render.rejection(self.desk.game_info(game), to, facts, [blank]), phase)

    def held(
        self, session: Session, submission: SubmissionRow, phase: PhaseRow, reason: RefusalReason
    ) -> None:
        """A paper waits for the coordinator: both are told, and what would settle it (HEAD-03, Q-07)."""
        if submission.sha256 is None:
            self._posted(session, submission, phase, reason)
            return
        game = session.get_one(GameRow, phase.game_id)
        power = self.desk.load(game.variant).powers[submission.power].name
        words = explain(
            Verdict(VerdictKind.REJECTED, reason, game=game.name, power=power, sender=submission.sender),
            nobody()
        )
        mail = session.get_one(MailRow, submission.sha256)
        facts = HeldFacts(
            key=mail.sha256, received_at=submission.received_at, problem=words.problem, remedy=words.remedy,
            their_subject=str((mail.verdict or {}).get("subject", "")), answers=_answers(mail),
        )
        if self._answered(session, submission.sender, game) < answers.AN_HOUR:
            to = self.desk.recipient(session, submission.sender, power)
            self.desk.put(session, render.held(self.desk.game_info(game), to, facts), phase)
        notice = NoticeFacts(
            key=f"held-{mail.sha256}", event=f"A paper of {power} is held: {words.problem}",
            since=submission.received_at,
            link=self.desk.sender.base_url, consequence="it does not count, and the version before it does.",
        )
        coordinator = Recipient(self.desk.sender.coordinator)
        self.desk.put(
            session, render.coordinator_notice(self.desk.game_info(game), coordinator, notice), phase
        )

    def _posted(
        self, session: Session, submission: SubmissionRow, phase: PhaseRow, reason: RefusalReason
    ) -> None:
        """A letter that came by post waits for the coordinator; there is no mail to answer."""
        game = session.get_one(GameRow, phase.game_id)
        power = self.desk.load(game.variant).powers[submission.power].name
        what = explain(Verdict(VerdictKind.REJECTED, reason, game=game.name, power=power), nobody()).problem
        facts = NoticeFacts(
            key=f"posted-{submission.id}-{reason.value}", event=f"A posted sheet of {power} waits: {what}",
            since=submission.received_at, link=self.desk.sender.base_url,
            consequence="it does not count until you settle it. Its scan is kept.",
        )
        info, to = self.desk.game_info(game), Recipient(self.desk.sender.coordinator)
        self.desk.put(session, render.coordinator_notice(info, to, facts), phase)

    def _late(
        self, session: Session, game: GameRow, mail: MailRow, verdict: Verdict, words: Explanation
    ) -> None:
        phase = session.scalar(select(PhaseRow).where(
            PhaseRow.game_id == game.id, PhaseRow.season == verdict.season, PhaseRow.year == verdict.year,
            PhaseRow.kind == (verdict.kind.value if verdict.kind else "")))
        if phase is None or verdict.reply_to is None:
            return
        facts = ReceiptFacts(
            key=mail.sha256, received_at=mail.received_at, phase=phase_of(phase), version=verdict.version,
            photographs=verdict.photos, digest=mail.sha256, closing=self._closing(session, game),
            subject=words.subject, answers=_answers(mail),
        )
        to = self.desk.recipient(session, verdict.reply_to, verdict.power or "")
        self.desk.put(session, render.receipt_late(self.desk.game_info(game), to, facts), phase)

    def _context(self, session: Session, received_at: datetime) -> IntakeContext:
        sender = self.desk.sender
        return contexts.build_context(
            session,
            received_at,
            self.desk.load,
            own_addresses=(sender.order_address,),
            own_domain=sender.domain,
            trusted_authserv_id=sender.authserv_id,
        )

    def _closing(self, session: Session, game: GameRow | None) -> Closing | None:
        phase = None if game is None else records.open_phase(session, game.id)
        return None if phase is None else Closing(phase_of(phase), phase.deadline)

    def _answered(self, session: Session, address: str, game: GameRow | None) -> int:
        """How many answers an address had within the hour. Where that is enough the coordinator is told, once
        an hour."""
        now = self.desk.clock.now()
        before = answers.within_the_hour(session, address, now)
        if before >= answers.AN_HOUR:
            base = self.desk.sender.base_url.rstrip("/")
            facts = NoticeFacts(
                key=f"enough-{sha256(address.encode()).hexdigest()[:12]}-{now:%Y-%m-%d-%H}",
                event=f"One player sent more than {answers.AN_HOUR} mails within an hour that could not be "
                     f"used, and is not "
                     "answered until the hour is over.",
                since=now, link=f"{base}/quarantine" if base else "",
                consequence="they do not know it of the last ones. What could not be read is held among the "
                            "sheets; the rest is "
                            "in quarantine. All of it is kept.")
            info = None if game is None else self.desk.game_info(game)
            self.desk.put(
                session, render.coordinator_notice(info, Recipient(self.desk.sender.coordinator), facts)
            )
        return before


def _safe(said: str, before: int) -> str:
    """What a refusal says of what is safe, and in the last one of an hour that it is the last."""
    return f"{said} {answers.FIFTH}" if before == answers.AN_HOUR - 1 else said


def _answers(mail: MailRow) -> tuple[str, ...]:
    found = (mail.verdict or {}).get("message_id")
    return (str(found),) if found else ()
