"""Acts on a mail that no rule could route: assign it, or refuse it with a prepared
answer. Only registered senders get an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from adjudicator.calendar import PhaseKind
from maps.variant import Variant
from service.facts.events import Event
from service.facts.files import FileFate
from service.facts.refusals import RefusalReason
from service.games import ballots
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.ballots import RankedSubmission
from service.games.refused import Refused
from service.intake import load_context as contexts
from service.intake.filing import file_submission, semantic_key
from service.intake.load_context import TAKING_STATES
from service.intake.opening.open_mail import BodyReader, ChildBodies
from service.intake.opening.sandbox import ChildFault
from service.intake.quarantine import announced_for, of_mail, settle, waiting_mail
from service.intake.sheets.recognizer import ImageOpener, OpenerProbe, UnopenedProbe
from service.intake.verdicts.context import IntakeContext
from service.intake.verdicts.explanations import Explanation, explain
from service.intake.verdicts.verdict import Verdict, VerdictKind
from service.jobs import Jobs
from service.letters import render
from service.letters.facts import AnsweredMail
from service.mail.body.read import BodyNeed
from service.mail.message import IncomingMail, read_head, with_body
from service.notices.answers.replies import REJECTION, RejectionFacts, Replies
from service.store import records
from service.store.blobs import Blobs
from service.store.tables import GameRow, MailRow, MailState, PhaseRow, PhaseState, SubmissionRow

ANSWERS = (
    RefusalReason.NO_PHOTO, RefusalReason.BAD_IMAGE, RefusalReason.TOO_LARGE, RefusalReason.ENCRYPTED,
    RefusalReason.TOO_DARK, RefusalReason.BLURRED, RefusalReason.CUT_OFF, RefusalReason.BLANK,
    RefusalReason.NOT_A_SHEET, RefusalReason.SUBJECT_UNPARSED, RefusalReason.UNKNOWN_GAME,
    RefusalReason.UNKNOWN_POWER, RefusalReason.SENDER_NOT_POWER, RefusalReason.WRONG_PHASE,
    RefusalReason.LATE, RefusalReason.FIRST_BY_POST,
)
"""The prepared answers, those about the picture first."""


@dataclass(frozen=True, slots=True)
class QuarantinedMail:
    """Where a mail may be filed: a phase that takes mail, and a power."""

    phase_id: int
    power: str


@dataclass(frozen=True, slots=True)
class Quarantine:
    """Opens and judges mails, with everything that needs. `opener` opens pictures in the sandboxed child
    process."""

    blobs: Blobs
    jobs: Jobs
    opener: ImageOpener
    load: Callable[[str], Variant]
    post: Replies
    bodies: BodyReader = ChildBodies()

    def preview(self, mail: MailRow, number: int) -> bytes | None:
        """The first page of one of these files as a new JPEG without EXIF or GPS. None if it does not open.
        Raises ChildFault."""
        pictures = self.read(mail).pictures
        if not 0 <= number < len(pictures) or pictures[number].fate is not FileFate.SHEET:
            return None
        decoded = self.opener.open(pictures[number].data)
        return decoded.pages[0] if decoded.pages else None

    def registered(self, session: Session, mail: MailRow) -> str | None:
        """The registered address that may be answered: the proved sender's. None if no player has it."""
        address = None if mail.sender is None else records.registered_address(session, mail.sender)
        return None if address is None else address.email

    def answers(self, session: Session, mail: MailRow) -> list[tuple[RefusalReason, Explanation]]:
        """Every prepared answer as the mail's sender would read it."""
        return [(reason, explain(*self.judged(session, mail, reason))) for reason in ANSWERS]

    def judged(
        self, session: Session, mail: MailRow, reason: RefusalReason
    ) -> tuple[Verdict, IntakeContext]:
        """The verdict and the games that a prepared answer is written from."""
        stored = mail.verdict_fields
        kind = PhaseKind(stored["kind"]) if stored.get("kind") else None
        verdict = Verdict(VerdictKind.REJECTED, reason, game=stored.get("game"), power=stored.get("power"),
                          season=stored.get("season"), year=stored.get("year"), kind=kind,
                          version=stored.get("version"), sender=mail.sender,
                          flags=frozenset(stored.get("flags", ())),
                          subject=str(stored.get("subject", "")))
        return verdict, self._context(session, mail.received_at, verdict)

    def _context(self, session: Session, received_at: datetime, verdict: Verdict) -> IntakeContext:
        sender = self.post.letters.sender
        return contexts.build_context(
            session, received_at, self.load, own_addresses=(sender.order_address,),
            about=contexts.Concern((verdict.sender or "",), verdict.subject, verdict.game))

    def verdict(
        self, session: Session, game: GameRow, phase: PhaseRow, place: QuarantinedMail, row: MailRow,
        mail: IncomingMail, version: int | None,
    ) -> Verdict:
        """The verdict with which a mail is filed by hand."""
        on_file = ballots.on_file(session, phase.id, place.power)
        sheet = RankedSubmission(
            max((other.id for other in on_file), default=0) + 1, place.power, row.received_at, version)
        came = ballots.arrival(
            sheet, on_file, phase.deadline, first=ballots.first_counts(session, phase))
        return Verdict(
            VerdictKind.ACCEPTED, game=game.name, power=self.load(game.variant).powers[place.power].name,
            season=phase.season, year=phase.year, kind=PhaseKind(phase.kind), version=version,
            photos=mail.photos,
            flags=came.marks, sender=row.sender, subject=mail.subject, before=came.before)

    def read(self, row: MailRow) -> IncomingMail:
        """The mail, opened. Raises Refused if that cannot be done now."""
        raw = self.blobs.read(row.sha256)
        head = read_head(raw)
        # Of a mail over the size limit only the headers were fetched, and nothing below them is read.
        try:
            body = self.bodies.read(raw, BodyNeed.WHOLE)
        except ChildFault as fault:
            raise Refused(f"This mail cannot be opened now: {fault}. It is stored; try again in a "
                          "minute.") from fault
        if body is None:
            raise Refused("This mail was not opened: that takes too much time or memory. It is stored and "
                          "can be downloaded; ask the player for the photograph in a new mail.")
        try:
            return with_body(head, body, OpenerProbe(self.opener))
        # The sandboxed child failed. A person who files the mail need not wait until this machine is well.
        except ChildFault:
            return with_body(head, body, UnopenedProbe())


@dataclass(frozen=True, slots=True)
class AssignMail(Act[SubmissionRow]):
    """Files a mail for a power and phase; from there it is read like any other. The outcome is the sheet."""

    room: Quarantine
    sha256: str
    place: QuarantinedMail
    version: int | None

    def change(self, table: ActTable) -> SubmissionRow:
        """Refuse a mail that is settled or has no picture, and a place that it cannot be filed in."""
        session, room, place = table.session, self.room, self.place
        row = waiting_mail(session, self.sha256)
        mail = room.read(row)
        if not mail.usable_pictures:
            raise Refused("Nothing was filed: no picture of this mail opens, so there is nothing to "
                          "read. Refuse it with an answer, or ask the player for a new photograph. The mail "
                          "is stored.")
        phase = _phase(session, place, row.received_at)
        game = session.get_one(GameRow, phase.game_id)
        to = _to(session, game, place.power, row)
        verdict = room.verdict(session, game, phase, place, row, mail, self.version)
        # Claimed before anything is filed: if another person was faster, the whole transaction is undone.
        settle(session, row, MailState.USED, None, contexts.dump_verdict(verdict, mail))
        player = records.player_of(session, to)
        submission = file_submission(
            session, room.blobs, room.jobs, [picture.data for picture in mail.usable_pictures],
            sha256=self.sha256, phase_id=phase.id, power=place.power,
            player_id=None if player is None else player.id, sender=to, received_at=row.received_at,
            # Shown with the sheet: a person, not the subject, chose its power and phase.
            version=self.version, flags=["assigned"],
            semantic_key=semantic_key(self.version, mail.photo_keys))
        if submission is None:
            raise Refused("Nothing was filed: the same photographs are already on file for this power, with "
                          "the same version number. The mail stays here; discard it as a repeat.")
        room.post.receipt(session, submission, phase, verdict)
        return submission

    def event(self, table: ActTable, outcome: SubmissionRow, letters: int) -> LoggedEvent:
        """The mail, the power and the sheet."""
        phase = table.any_phase(outcome.phase_id)
        return LoggedEvent(Event.MAIL_ASSIGNED, phase.game_id, {
            "mail": self.sha256[:12], "received": outcome.received_at.isoformat(), "phase": phase.ordinal,
            "power": self.place.power, "submission": outcome.id})


@dataclass(frozen=True, slots=True)
class RefuseMail(Act[None]):
    """Answers the registered sender of a mail once with a prepared answer; the mail is then settled."""

    room: Quarantine
    sha256: str
    reason: RefusalReason

    def check(self, table: ActTable) -> None:
        """Refuse a mail that is settled, and one whose sender is not registered."""
        self._to(table.session, waiting_mail(table.session, self.sha256))

    def change(self, table: ActTable) -> None:
        """Put the answer."""
        session, post = table.session, self.room.post
        row = waiting_mail(session, self.sha256)
        judged = self.room.judged(session, row, self.reason)
        words, stored, game = explain(*judged), row.verdict_fields, _game(session, row)
        message_ids = (str(stored["message_id"]),) if stored.get("message_id") else ()
        subject = str(stored.get("subject", ""))
        mail = AnsweredMail(f"{self.sha256}-desk", row.received_at, subject, message_ids)
        facts = RejectionFacts(
            mail, words.problem, words.reassurance, words.remedy, words.subject,
            post.closing(session, *judged))
        info = None if game is None else post.letters.game_info(game)
        receiver = post.letters.recipient(session, self._to(session, row), str(stored.get("power") or ""))
        letter = render.letter(
            REJECTION, info, receiver, facts, attached=post.sheet(session, *judged, receiver))
        post.letters.put(session, letter)
        settle(session, row, MailState.REFUSED, self.reason.value, row.verdict)

    def event(self, table: ActTable, outcome: None, letters: int) -> list[LoggedEvent]:
        """The mail and the answer, in each game that it concerns."""
        return of_mail(table, Event.MAIL_REFUSED_BY_HAND, self.sha256, reason=self.reason.value)

    def _to(self, session: Session, row: MailRow) -> str:
        to = self.room.registered(session, row)
        if to is None:
            raise Refused("Nothing was sent: its sender is not registered or could not be proved, and only "
                          "proved players get answers. Discard or assign it. The mail is stored.")
        return to


def _phase(session: Session, place: QuarantinedMail, received_at: datetime) -> PhaseRow:
    phase = session.get(PhaseRow, place.phase_id)
    takes_mail = phase is not None and phase.state in {*TAKING_STATES, PhaseState.WAITING}
    if phase is None or not takes_mail or place.power not in records.seats(session, phase.game_id):
        raise Refused("Nothing was filed: this phase no longer takes mail, or has no such power. Reload the "
                      "page and choose again. The mail is stored.")
    # The mail server's stamp decides, not the minute in which a coordinator files it.
    if received_at > phase.deadline:
        raise Refused("Nothing was filed: the mail came after the deadline of this phase and cannot "
                      "count. Refuse it with the answer for late mails. The mail is stored.")
    return phase


def _to(session: Session, game: GameRow, power: str, row: MailRow) -> str:
    addresses = records.addresses(session, game.id).get(power, ())
    if not addresses:
        raise Refused("Nothing was filed: this power has no player with a mail address, so no receipt could "
                      "be sent. Enter the address under Games first, or log the sheet at Post. The mail is "
                      "stored.")
    sender = records.registered_address(session, row.sender or "")
    return sender.email if sender is not None and sender.email in addresses else addresses[0]


def _game(session: Session, row: MailRow) -> GameRow | None:
    name = row.verdict_fields.get("game")
    return None if name is None else session.scalar(select(GameRow).where(GameRow.name == name))


def places(session: Session, mail: MailRow) -> list[tuple[PhaseRow, GameRow, list[str]]]:
    """The phases that a mail may be filed in, each with its powers: those that take mail, or are announced
    and named by it, and whose deadline the mail met."""
    rows = session.execute(
        select(PhaseRow, GameRow).join(GameRow, GameRow.id == PhaseRow.game_id)
        .where(or_(PhaseRow.state.in_(TAKING_STATES), announced_for(mail)),
               PhaseRow.deadline >= mail.received_at)
        .order_by(GameRow.name, PhaseRow.ordinal)).all()
    return [(phase, game, sorted(records.seats(session, game.id))) for phase, game in rows]


