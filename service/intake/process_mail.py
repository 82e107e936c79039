"""Judge one stored mail and act on the verdict: used, refused, quarantined or ignored.

Each step is a function of the mail's key and of what it needs. Effects are handed in, so the tests need no
queue and no mail server. One mail is one transaction.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol, TypeAlias

from sqlalchemy import select, update
from sqlalchemy.orm import Session, sessionmaker

from maps.variant import Variant
from service.clock import Clock
from service.facts.events import Event
from service.facts.refusals import RefusalReason
from service.facts.sheets import SheetFlag
from service.games import lots
from service.intake import ignored_mails, load_context as contexts, waiting_proof
from service.intake.filing import file_submission, semantic_key
from service.intake.load_context import Concern
from service.intake.mail_handlers import JudgedMail, MailHandler
from service.intake.opening.open_mail import BodyReader, open_mail
from service.intake.opening.sandbox import ChildFault
from service.intake.sender_proof import with_proof
from service.intake.sheets import typed_orders
from service.intake.sheets.recognizer import UnopenedProbe
from service.intake.verdicts.context import IntakeContext
from service.intake.verdicts.rules import as_earlier_mail, body_need, judge_mail
from service.intake.verdicts.verdict import Verdict, VerdictKind
from service.jobs import Jobs
from service.mail.authentication.dns import NO_DNS, TxtLookup
from service.mail.body.read import BodyNeed
from service.mail.mailbox import ingest
from service.mail.message import BodyState, IncomingMail, read_head
from service.mail.mime.image_types import PictureProbe
from service.mail.reports import Outcome
from service.mail.sending import returned
from service.store import records
from service.store.blobs import Blobs
from service.store.tables import GameRow, IgnoredMailRow, MailRow, MailState, PhaseRow, SubmissionRow

_REPORTS = {RefusalReason.BOUNCE, RefusalReason.RECEIPT}


class BounceNotices(Protocol):
    """The letters about letters that came back."""

    def bounced(self, session: Session, letter_id: int) -> None:
        """Inform the coordinator about a letter that came back."""

    def unknown_letter_bounced(self, session: Session, player_id: int) -> None:
        """Inform the coordinator that some letter to this player came back."""


def note_report(session: Session, notices: BounceNotices, verdict: Verdict) -> None:
    """Note what a bounce or receipt states about its letter, and inform the coordinator of a lost one."""
    report = verdict.report
    # A vacation answer may have words of a report in it, and reports on nothing.
    if report is None or verdict.reason not in _REPORTS:
        return
    letter_id = returned.note_report(session, report)
    if letter_id is not None:
        notices.bounced(session, letter_id)
    elif report.outcome is Outcome.FAILED and not returned.names_letter(session, report):
        players = {player.id for address in report.recipients
                   if (player := records.player_of(session, address)) is not None}
        for player_id in sorted(players):
            notices.unknown_letter_bounced(session, player_id)


log = logging.getLogger(__name__)

LONGEST_JOB = timedelta(minutes=15)
"""A mail that is stored for longer and not judged may have lost its job."""
TELL_WORK = "mail-given-up"
"""Name of the job that answers the sender of a mail that was given up; its payload is {"mail": sha256}."""

# The sender can correct these by sending again, and is informed how. The coordinator decides the rest.
SENDER_CAN_CORRECT = frozenset({
    RefusalReason.PHASE_TYPE_MISMATCH, RefusalReason.WRONG_PHASE, RefusalReason.LATE, RefusalReason.ENCRYPTED,
    RefusalReason.TOO_LARGE, RefusalReason.BAD_IMAGE, RefusalReason.NO_PHOTO, RefusalReason.NOT_BOLD,
    RefusalReason.FIRST_BY_POST,
})

ContextOf: TypeAlias = Callable[[Session, datetime, Concern], IntakeContext]
"""The state at the moment of receipt (UTC) of what a mail may be about; see
`service.intake.load_context.build_context`."""


Load: TypeAlias = Callable[[str], Variant]
"""Gives a variant by its slug."""


@dataclass(frozen=True, slots=True)
class MailStore:
    """Where mails are stored and sheets filed: tables, files by hash, job queue, clock."""

    tables: sessionmaker[Session]
    blobs: Blobs
    jobs: Jobs
    clock: Clock
    load: Load


class MailReplies(BounceNotices, Protocol):
    """The letters about one mail. Each call puts them into the caller's transaction."""

    def receipt(self, session: Session, submission: SubmissionRow, phase: PhaseRow, verdict: Verdict) -> None:
        """Inform the sender that a sheet arrived."""

    def refusal(self, session: Session, key: str, received_at: datetime, verdict: Verdict) -> bool:
        """Answer to `verdict.reply_to` why a mail does not count and how to correct it; no answer if that is
        None. False if the sender has had too many answers and gets none."""

    def notice(self, session: Session, key: str, received_at: datetime, verdict: Verdict) -> None:
        """Inform the coordinator about a mail in quarantine."""

    def ignored(self, session: Session, row: IgnoredMailRow) -> None:
        """Inform the coordinator about an ignored mail that may be a player's sheet."""


@dataclass(frozen=True, slots=True)
class MailOpener:
    """Openers of mails: `bodies` their bodies, `probe` the pictures in them, `dns` the keys of their senders'
    domains."""

    bodies: BodyReader
    probe: PictureProbe
    dns: TxtLookup = NO_DNS


def process_mail(
    key: str, mail_store: MailStore, opener: MailOpener, context_of: ContextOf,
    handlers: Sequence[MailHandler], replies: MailReplies
) -> None:
    """Handle the job `ingest.WORK` for the mail with this SHA-256. Safe to run twice.

    1. Expect the mail STORED. Otherwise an earlier run has finished it: return.
    2. Read its headers. If they prove a registered sender, or look like a bounce's, read its body too, in the
       limited child and outside any transaction. No other mail is opened (BOX-05). A mail that only its own
       signature can prove stays STORED while DNS does not answer (BOX-03).
    3. Judge it, and take bold text as a sheet where the game allows typed orders. The first of `handlers`
       that takes the mail ends it; steps 4 and 5 are for all others.
    4. Claim STORED -> USED, REFUSED, QUARANTINED or IGNORED. If another process was faster, do nothing.
    5. Act on the verdict in the same transaction: file the sheet, note a bounce, or answer.
    6. Note an ignored mail that may be a player's sheet, for the coordinator.

    Raises ChildFault when this machine could not open the mail or a picture; the queue then tries again.
    """
    with mail_store.tables() as session:
        row = session.get(MailRow, key)
        if row is None or row.state != MailState.STORED:
            return
        received_at = row.received_at
        # The size that a server states is not always exact. It counts only where the bytes were not fetched.
        size = row.size if row.reason == ingest.TOO_LARGE else None
        proof = waiting_proof.kept_proof(row.proof)
    raw = mail_store.blobs.read(key)
    head = replace(read_head(raw, size), authentication=proof)
    about = contexts.Concern(head.senders, head.subject)
    with mail_store.tables() as session:
        context = context_of(session, received_at, about)
    if proof is None:
        head = with_proof(head, raw, received_at, context, opener.dns, is_whole=size is None)
    if waiting_proof.must_wait(mail_store.tables, key, head.authentication, mail_store.clock.now()):
        return
    need = body_need(head, context)
    # Outside a transaction: opening a mail takes seconds, and SQLite lets one writer in at a time.
    mail = open_mail(head, raw, need, opener.bodies, opener.probe)
    with mail_store.tables.begin() as session:
        if need is BodyNeed.WHOLE:
            context = context_of(session, received_at, about)
        taken_back = ignored_mails.is_taken_back(session, key)
        context = contexts.with_own_letters(session, context, mail, mail_store.load)
        mail = contexts.without_our_files(session, mail)
        verdict, mail = _judge(
            session, mail, received_at, context, mail_store.load, taken_back=taken_back)
        judged = JudgedMail(key, received_at, mail, verdict, context)
        if not any(handler.take(session, judged) for handler in handlers):
            _settle(session, mail_store, replies, key, received_at, mail, verdict)
        ignored = ignored_mails.note_ignored_mail(session, key, mail, raw, mail_store.clock.now())
        if ignored is not None:
            replies.ignored(session, ignored)


def hasten(
    tables: sessionmaker[Session], jobs: Jobs, clock: Clock, phase_id: int, keys: Sequence[str]
) -> None:
    """Have stored mails judged before other work: a deadline waits for them. Jobs do it, and a mail that was
    judged meanwhile is not decoded again.

    1. Those in the queue are judged first; one that waits for its sender's DNS is due now.
    2. One that has been here longer than a job takes may have lost its job, and gets another one.
    """
    jobs.hasten([f"{ingest.WORK}:{key}" for key in keys])
    with tables.begin() as session:
        now = clock.now()
        session.execute(update(MailRow).where(
            MailRow.sha256.in_(keys), MailRow.state == MailState.STORED, MailRow.try_again_at > now,
        ).values(try_again_at=now))
        for key in session.scalars(select(MailRow.sha256).where(
                MailRow.sha256.in_(keys), MailRow.stored_at < now - LONGEST_JOB,
                MailRow.try_again_at.is_(None))):
            jobs.enqueue(session, ingest.WORK, f"{ingest.WORK}:{key}:deadline-{phase_id}", {"mail": key})


def give_up_mail(
    key: str, error: str, mail_store: MailStore, bodies: BodyReader, context_of: ContextOf,
    handlers: Sequence[MailHandler], replies: MailReplies
) -> None:
    """Put a mail into quarantine whose job failed three times, or killed its worker each time.

    1. If only its pictures could not be opened, by a fault of this machine, file them unopened: the sender
       gets a receipt, and the reader tries again later.
    2. Otherwise claim STORED -> QUARANTINED. The mail's bytes are stored.
    3. Inform the coordinator at once, and the sender by its own job.
    """
    if error.startswith(ChildFault.__name__) and _filed_unopened(
        key, mail_store, bodies, context_of, handlers, replies
    ):
        return
    with mail_store.tables.begin() as session:
        row = session.get(MailRow, key)
        if row is None or not records.end_mail(
            session, key, MailState.QUARANTINED, RefusalReason.COULD_NOT_BE_HANDLED.value
        ):
            return
        records.log_event(session, mail_store.clock.now(), Event.MAIL_GIVEN_UP,
                          detail={"mail": key[:12], "fault": error.partition(":")[0]})
        replies.notice(session, key, row.received_at, Verdict(VerdictKind.REJECTED, alert=True))
        # Not here: what killed one worker after the other must not be parsed by the code that reports it.
        mail_store.jobs.enqueue(session, TELL_WORK, f"{TELL_WORK}:{key}", {"mail": key})


def tell_sender(key: str, mail_store: MailStore, context_of: ContextOf, replies: MailReplies) -> None:
    """Handle the job `TELL_WORK`: inform the sender of a mail that was given up that it is safe (OUT-03).

    1. Expect QUARANTINED with COULD_NOT_BE_HANDLED; otherwise return.
    2. Judge it by its headers alone. If the subject shows why the mail cannot count, the answer states that.
    3. Write only to a proved and registered sender (SUB-14), and to no machine.

    Safe to run twice: the letter's key is the mail's.
    """
    with mail_store.tables.begin() as session:
        row = session.get(MailRow, key)
        if row is None or (row.state, row.reason) != (
            MailState.QUARANTINED, RefusalReason.COULD_NOT_BE_HANDLED,
        ):
            return
        # The headers alone, because the body may be what no worker survives.
        head = read_head(mail_store.blobs.read(key))
        mail = replace(
            head, body=BodyState.HARMFUL, authentication=waiting_proof.kept_proof(row.proof))
        about = contexts.Concern(head.senders, head.subject)
        context = contexts.with_own_letters(
            session, context_of(session, row.received_at, about), mail, mail_store.load)
        verdict = judge_mail(mail, row.received_at, context)
        remembered = as_earlier_mail(key, mail, row.received_at, verdict)
        # A machine, or a sender who is not proved.
        if remembered is None:
            return
        row.sender, row.verdict = remembered.sender.lower(), contexts.dump_verdict(verdict, mail)
        replies.refusal(session, key, row.received_at, verdict)


def _filed_unopened(
    key: str, mail_store: MailStore, bodies: BodyReader, context_of: ContextOf,
    handlers: Sequence[MailHandler], replies: MailReplies
) -> bool:
    """Process the mail without opening its pictures. True if that worked."""
    try:
        process_mail(key, mail_store, MailOpener(bodies, UnopenedProbe()), context_of, handlers, replies)
    except Exception as error:
        log.warning("a mail could not be filed unopened either (%s)", type(error).__name__)
        return False
    with mail_store.tables.begin() as session:
        records.log_event(session, mail_store.clock.now(), Event.WORK_FAILED,
                          detail={"work": ingest.WORK, "phase": None, "fault": ChildFault.__name__})
    return True


def _judge(
    session: Session, mail: IncomingMail, received_at: datetime, context: IntakeContext, load: Load, *,
    taken_back: bool,
) -> tuple[Verdict, IncomingMail]:
    """The verdict, and the mail. If orders may be typed and no sheet is attached, its bold text becomes its
    only picture, and the verdict gets `SheetFlag.TYPED`."""
    # The first address of From only: a mail with several is refused, whatever came before it.
    earlier = [entry for sender in mail.senders[:1] for entry in contexts.earlier_mails(session, sender)]

    def judged(mail: IncomingMail) -> Verdict:
        return judge_mail(mail, received_at, context, earlier, taken_back=taken_back)

    verdict = judged(mail)
    names_sheet = (verdict.reason is RefusalReason.NO_PHOTO
                   and context.game(verdict.game).takes_typed_orders)
    if names_sheet and not mail.bold:
        return replace(verdict, reason=RefusalReason.NOT_BOLD), mail
    if mail.pictures or not mail.bold or not (names_sheet or mail.references):
        return verdict, mail
    # Judged again: as a sheet the same text may be a duplicate or a version that is on file, or be for the
    # phase of the letter that it answers (PHA-05).
    sheet = replace(mail, pictures=(typed_orders.as_picture(mail.bold),))
    typed = judged(sheet)
    if not (names_sheet or _is_typed_answer(session, typed, mail.bold, context, load)):
        return verdict, mail
    if typed.verdict is VerdictKind.ACCEPTED:
        typed = replace(typed, flags=typed.flags | {str(SheetFlag.TYPED)})
    return typed, sheet


def _is_typed_answer(
    session: Session, typed: Verdict, rows: Sequence[str], context: IntakeContext, load: Load
) -> bool:
    """Whether typed rows that answer a letter are a sheet: at least one of them is an order. "That was
    **very** good" would be the first sheet of its phase, and in some games the only one that counts."""
    if SheetFlag.BY_ANSWER not in typed.flags or not context.game(typed.game).takes_typed_orders:
        return False
    variant = load(session.scalars(select(GameRow.variant).where(GameRow.name == typed.game)).one())
    power = next(power.id for power in variant.powers.values() if power.name == typed.power)
    text = typed_orders.TypedText(variant, typed.phase.kind, power, ())
    return any(text.orders(row) is not None for row in rows)


def _settle(
    session: Session, mail_store: MailStore, replies: MailReplies, key: str, received_at: datetime,
    mail: IncomingMail, verdict: Verdict,
) -> None:
    """Claim the mail's final state and act on it; steps 4 and 5 of `process_mail`."""
    remembered = as_earlier_mail(key, mail, received_at, verdict)
    state = _final_state(verdict)
    reason = None if verdict.reason is None else verdict.reason.value
    if not records.end_mail(session, key, state, reason, contexts.dump_verdict(verdict, mail)):
        return
    if verdict.authentication is not None:
        proof = waiting_proof.dump_authentication(verdict.authentication)
        _change_mail(session, key, proof=proof, try_again_at=None)
    if remembered is not None:
        contexts.note_sender(session, key, remembered.sender)
    records.log_event(
        session, mail_store.clock.now(), Event[f"MAIL_{state.name}"],
        detail={"mail": key[:12], "reason": reason}
    )
    if state is MailState.USED:
        if not _file(session, mail_store, replies, key, received_at, mail, verdict):
            _change_mail(session, key, state=MailState.IGNORED, reason=RefusalReason.DUPLICATE.value)
    elif state is MailState.IGNORED:
        note_report(session, replies, verdict)
    else:
        if verdict.reply_to is not None and not replies.refusal(session, key, received_at, verdict):
            # The sender has had too many answers and gets none, so the coordinator must see the mail.
            _change_mail(session, key, state=MailState.QUARANTINED)
        if state is MailState.QUARANTINED:
            replies.notice(session, key, received_at, verdict)


def _change_mail(session: Session, key: str, **values: object) -> None:
    session.execute(update(MailRow).where(MailRow.sha256 == key).values(**values))


def _file(
    session: Session, mail_store: MailStore, replies: MailReplies, key: str, received_at: datetime,
    mail: IncomingMail, verdict: Verdict,
) -> bool:
    """File the sheet, queue its reading and send the receipt. False if the same sheet is on file."""
    # Found by its content, not by its bytes: a server on the way may add a header to a copy.
    game = session.scalars(select(GameRow).where(GameRow.name == verdict.game)).one()
    # It is there: the mail was judged against this phase a moment ago, in this transaction.
    phase = contexts.phases_taking_mail(session, game.id, received_at).named(verdict.phase)
    powers = mail_store.load(game.variant).powers.values()
    power = next(power.id for power in powers if power.name == verdict.power)
    # As it is registered: the receipt goes there, however the mail spells its sender.
    sender = verdict.reply_to or ""
    player = records.player_of(session, sender)
    submission = file_submission(
        session, mail_store.blobs, mail_store.jobs, [picture.data for picture in mail.usable_pictures],
        sha256=key, phase_id=phase.id, power=power, player_id=None if player is None else player.id,
        sender=sender, received_at=received_at, version=verdict.version, flags=sorted(verdict.flags),
        semantic_key=semantic_key(verdict.version, mail.photo_keys),
    )
    if submission is None:
        return False
    lots.add_word(session, phase, power, lots.word_in(verdict.trailing), received_at, mail=key, by=power)
    replies.receipt(session, submission, phase, verdict)
    return True


def _final_state(verdict: Verdict) -> MailState:
    if verdict.verdict is VerdictKind.ACCEPTED:
        return MailState.USED
    if verdict.verdict is VerdictKind.IGNORED:
        return MailState.IGNORED
    # Without an address to answer no one would correct it, so it goes to the coordinator.
    can_correct = verdict.reason in SENDER_CAN_CORRECT and verdict.reply_to is not None
    return MailState.REFUSED if can_correct else MailState.QUARANTINED
