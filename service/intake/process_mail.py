"""One stored mail to its end: used, refused, quarantined or ignored. One mail, one transaction."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import select, update
from sqlalchemy.orm import Session, sessionmaker

from maps.variant import Variant
from service.clock import Clock
from service.games import lots
from service.intake import load_context as contexts
from service.intake import typed_orders
from service.intake.context import IntakeContext
from service.intake.recognizer import UnopenedProbe
from service.intake.rules import judge_mail, remember
from service.intake.sandbox import ChildFault
from service.intake.verdict import RefusalReason, Verdict, VerdictKind
from service.jobs import Jobs
from service.mail import ingest, outbox
from service.mail.image_types import PictureProbe
from service.mail.message import IncomingMail, read_headers, read_mail
from service.mail.reports import DeliveryReport
from service.store import records
from service.store.blobs import Blobs
from service.store.tables import (
    GameRow,
    MailRow,
    MailState,
    PageRow,
    PhaseRow,
    SubmissionRow,
)

log = logging.getLogger(__name__)

READ_WORK = "read"
"""Name of the job that reads a submission; its payload is {"submission": id}."""

TELL_WORK = "mail-given-up"
"""Name of the job that answers the sender of a mail that was given up; its payload is {"mail": sha256}."""

# The sender can mend these by sending again, and is told how; everything else that is rejected is for the
# coordinator.
MENDED_BY_SENDER = frozenset({
    RefusalReason.PHASE_TYPE_MISMATCH, RefusalReason.WRONG_PHASE, RefusalReason.LATE, RefusalReason.ENCRYPTED,
    RefusalReason.TOO_LARGE,
    RefusalReason.BAD_IMAGE, RefusalReason.NO_PHOTO, RefusalReason.NOT_BOLD, RefusalReason.FIRST_BY_POST,
})
PAGES_PER_FILE = 100
"""Step of a page's ordinal from one file of a mail to the next, so that the pages of a PDF find room
between."""


class MailReplies(Protocol):
    """Who is written to about a mail. Each call puts letters into the caller's transaction."""

    def receipt(self, session: Session, submission: SubmissionRow, phase: PhaseRow, verdict: Verdict) -> None:
        """Tell the sender that a sheet arrived."""

    def refusal(self, session: Session, key: str, received_at: datetime, verdict: Verdict) -> bool:
        """Tell the sender why a mail does not count and how to mend it; nobody, when `verdict.reply_to` is
        None. False where the sender was answered too often to be told."""

    def notice(self, session: Session, key: str, received_at: datetime, verdict: Verdict) -> None:
        """Tell the coordinator of a mail that waits in quarantine."""

    def bounced(self, session: Session, letter_id: int) -> None:
        """Tell the coordinator of a letter that came back."""


@dataclass(frozen=True, slots=True)
class MailProcessor:
    """The step, with everything it needs.

    `own_addresses` are ours in any case; `own_domain` the right side of our Message-IDs;
    `trusted_authserv_id` the server whose Authentication-Results count.
    """

    store: sessionmaker[Session]
    blobs: Blobs
    jobs: Jobs
    clock: Clock
    probe: PictureProbe
    load: Callable[[str], Variant]
    post: MailReplies
    own_addresses: tuple[str, ...]
    own_domain: str
    trusted_authserv_id: str

    def take(self, payload: dict[str, Any]) -> None:
        """Handler of the job `inbox.WORK`. Safe to run twice: only a mail without an end is judged."""
        self._take(str(payload["mail"]), self.probe)

    def _take(self, key: str, probe: PictureProbe) -> None:
        with self.store() as session:
            row = session.get(MailRow, key)
            if row is None or row.state != MailState.STORED:
                return
            received_at, size, reason = row.received_at, row.size, row.reason
        raw = self.blobs.read(key)
        mail = read_headers(raw, size) if reason == ingest.TOO_LARGE else read_mail(raw, probe)
        with self.store.begin() as session:
            verdict, mail = self._judge(session, mail, received_at, raw)
            self._settle(session, key, received_at, mail, verdict)

    def give_up(self, payload: dict[str, Any], error: str) -> None:
        """The job failed three times, or its worker died whenever it was tried: the mail goes to quarantine
        with its bytes, the coordinator is told, and the sender by work of its own. Where only its photographs
        could not be opened, by a fault of this machine, they are filed unopened, and the sender has a
        receipt."""
        key = str(payload["mail"])
        if error.startswith(ChildFault.__name__) and self._taken_unopened(key):
            return
        verdict = Verdict(VerdictKind.REJECTED, alert=True)
        with self.store.begin() as session:
            row = session.get(MailRow, key)
            if row is None or not records.end_mail(
                session, key, MailState.QUARANTINED, RefusalReason.COULD_NOT_BE_HANDLED.value
            ):
                return
            records.log_event(session, self.clock.now(), "mail_given_up",
                              detail={"mail": key[:12], "fault": error.partition(":")[0]})
            self.post.notice(session, key, row.received_at, verdict)
            # Not here: whoever reports what killed one worker after the other must not look into it.
            self.jobs.enqueue(session, TELL_WORK, f"{TELL_WORK}:{key}", {"mail": key})

    def tell_sender(self, payload: dict[str, Any]) -> None:
        """Handler of the job `TELL_WORK`: tell the sender of a mail that was given up that it is safe and was
        not opened (OUT-03), or, where its subject shows already why it cannot count, that. Judged by its head
        alone, since its body may be what no worker survives; nobody is told who is not proved and registered
        (SUB-14). Safe to run twice."""
        key = str(payload["mail"])
        with self.store.begin() as session:
            row = session.get(MailRow, key)
            if row is None or (row.state, row.reason) != (
                MailState.QUARANTINED,
                RefusalReason.COULD_NOT_BE_HANDLED,
            ):
                return
            mail = read_headers(self.blobs.read(key), row.size)
            verdict = judge_mail(mail, row.received_at, self._context(session, row.received_at))
            kept = remember(key, mail, row.received_at, verdict)
            if kept is None:  # a machine, or not proved
                return
            # nothing but its body, which was left out, speaks against it
            if verdict.reason is RefusalReason.TOO_LARGE:
                verdict = replace(verdict, reason=RefusalReason.COULD_NOT_BE_HANDLED)
            row.sender, row.verdict = kept.sender.lower(), contexts.dump_verdict(verdict, mail)
            self.post.refusal(session, key, row.received_at, verdict)

    def _taken_unopened(self, key: str) -> bool:
        try:
            self._take(key, UnopenedProbe())
        except Exception as error:
            log.warning("a mail could not be filed unopened either (%s)", type(error).__name__)
            return False
        with self.store.begin() as session:
            records.log_event(session, self.clock.now(), "work_failed",
                              detail={"work": ingest.WORK, "phase": None, "fault": ChildFault.__name__})
        return True

    def _judge(
        self, session: Session, mail: IncomingMail, received_at: datetime, raw: bytes
    ) -> tuple[Verdict, IncomingMail]:
        """The verdict, and the mail: where orders may be typed and no sheet is attached, with what is bold as
        its sheet."""
        context = self._context(session, received_at)
        earlier = [one for sender in mail.senders[:1] for one in contexts.earlier_mails(session, sender)]
        verdict = judge_mail(mail, received_at, context, earlier)
        if verdict.reason is RefusalReason.NO_PHOTO and context.game(verdict.game or "").typed:
            lines = typed_orders.bold_lines(raw)
            if not lines:
                return replace(verdict, reason=RefusalReason.NOT_BOLD), mail
            mail = replace(mail, pictures=(typed_orders.sheet(lines),))
            verdict = judge_mail(mail, received_at, context, earlier)
        return verdict, mail

    def _context(self, session: Session, received_at: datetime) -> IntakeContext:
        return contexts.build(
            session, received_at, self.load, own_addresses=self.own_addresses, own_domain=self.own_domain,
            trusted_authserv_id=self.trusted_authserv_id,
        )

    def _settle(
        self, session: Session, key: str, received_at: datetime, mail: IncomingMail, verdict: Verdict
    ) -> None:
        kept = remember(key, mail, received_at, verdict)
        document = contexts.dump_verdict(verdict, mail)
        state = _end_of(verdict)
        reason = None if verdict.reason is None else verdict.reason.value
        if not records.end_mail(session, key, state, reason, document):
            return
        if kept is not None:
            session.execute(update(MailRow).where(MailRow.sha256 == key).values(sender=kept.sender.lower()))
        records.log_event(
            session, self.clock.now(), f"mail_{state.value}", detail={"mail": key[:12], "reason": reason}
        )
        if state is MailState.USED and not self._file(session, key, received_at, mail, verdict):
            session.execute(update(MailRow).where(MailRow.sha256 == key)
                            .values(state=MailState.IGNORED, reason=RefusalReason.DUPLICATE.value))
        elif state is MailState.IGNORED and verdict.report is not None:
            self._note_bounce(session, verdict.report)
        elif state in {MailState.REFUSED, MailState.QUARANTINED}:
            if verdict.reply_to is not None and not self.post.refusal(session, key, received_at, verdict):
                # Nobody told its sender what to mend: it is the coordinator's to see.
                session.execute(
                    update(MailRow).where(MailRow.sha256 == key).values(state=MailState.QUARANTINED)
                )
            if state is MailState.QUARANTINED:
                self.post.notice(session, key, received_at, verdict)

    def _note_bounce(self, session: Session, report: DeliveryReport) -> None:
        """A bounce only ever changes the state of the letter it speaks of, of which the coordinator is told
        once: it can be forged, by whoever has seen that letter."""
        if report.message_id and report.status == "failed":
            letter = outbox.bounced(session, [report.message_id])
            if letter is not None:
                self.post.bounced(session, letter)

    def _file(
        self, session: Session, key: str, received_at: datetime, mail: IncomingMail, verdict: Verdict
    ) -> bool:
        """File the paper and queue its reading; False when the same paper is on file."""
        game = session.scalars(select(GameRow).where(GameRow.name == verdict.game)).one()
        phase = contexts.taking(session, game.id, received_at)
        if phase is None:  # judged against the same phase a moment ago, in this transaction
            raise LookupError(f"no phase of {game.id} takes mail")
        variant = self.load(game.variant)
        power = next(p.id for p in variant.powers.values() if p.name == verdict.power)
        sender = verdict.sender or ""
        player = records.player_of(session, sender)
        submission = records.add_submission(
            session, sha256=key, phase_id=phase.id, power=power,
            player_id=None if player is None else player.id,
            sender=sender, received_at=received_at, version=verdict.version, flags=sorted(verdict.flags),
            semantic_key=semantic_key(verdict.version, mail.photo_keys),
        )
        if submission is None:
            return False
        for at, picture in enumerate(mail.good):
            session.add(PageRow(submission_id=submission.id, ordinal=at * PAGES_PER_FILE,
                                original=self.blobs.put(picture.data)))
        session.flush()
        lots.add_word(session, phase, power, lots.word_in(verdict.trailing), received_at, mail=key, by=power)
        self.jobs.enqueue(session, READ_WORK, f"{READ_WORK}:{submission.id}", {"submission": submission.id})
        self.post.receipt(session, submission, phase, verdict)
        return True


def _end_of(verdict: Verdict) -> MailState:
    if verdict.verdict is VerdictKind.ACCEPTED:
        return MailState.USED
    if verdict.verdict is VerdictKind.IGNORED:
        return MailState.IGNORED
    mended = verdict.reason in MENDED_BY_SENDER and verdict.reply_to is not None
    return MailState.REFUSED if mended else MailState.QUARANTINED


def semantic_key(version: int | None, photo_keys: tuple[str, ...]) -> str:
    """What is the same for one paper mailed twice: its version and its photographs."""
    return hashlib.sha256("\n".join([str(version), *photo_keys]).encode()).hexdigest()
