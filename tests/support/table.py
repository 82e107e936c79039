"""A game on a site without mail servers, networks or threads: mails, sheets and letters by hand, one step at
a time."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from email.message import EmailMessage
from typing import Any

from PIL import Image
from sqlalchemy import select, update
from sqlalchemy.orm import Session

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.outcome import Resolution
from adjudicator.position import Memory, Position
from adjudicator.serialize import codec
from adjudicator.units import Unit
from demo.story import read_story
from grammar.print import canonical
from maps.variant import Variant
from service.bootstrap import letter_kinds, mail_handlers
from service.games import create, sealed_lots, turns
from service.games.acts.act import ActTable, Circulars, perform
from service.games.acts.games import BeginGame
from service.games.approval.approve import Announcer, AnswerBy, approve_phase, time_to_answer
from service.games.deadlines import schedule
from service.games.options import stored_options
from service.intake.load_context import Concern, build_context
from service.intake.opening.open_mail import BodyReader, OwnBodies
from service.intake.process_mail import MailOpener, MailStore, give_up_mail, process_mail, tell_sender
from service.intake.verdicts.context import IntakeContext
from service.intake.verdicts.explanations import canonical_subject
from service.jobs import DbosJobs, Jobs
from service.mail.authentication.dns import NO_DNS, TxtLookup
from service.mail.authentication.trust import Trust, trust_in
from service.mail.mailbox import ingest
from service.mail.mime.image_types import PictureProbe
from service.notices.answers import receipts
from service.notices.answers.replies import Replies
from service.notices.letter_context import LetterContext, Sender
from service.store import records
from service.store.letter_parts import finished, message_of
from service.store.tables import (
    GameRow,
    LineRow,
    LineState,
    MailRow,
    OutboxRow,
    OutboxState,
    PageRow,
    PhaseRow,
    SubmissionRow,
)
from tests.support.mail_builder import mail, multipart, part, picture, stamp, text
from tests.support.opening import own_probe
from tests.support.site import Site, begin_once

# T+0 of the worked dates in the handbook's calendar.
START = date(2027, 3, 1)
ORDERS = "orders@galloper.example"
COORDINATOR = "coordinator@galloper.example"
SUMMER = Phase(1642, "Summer", PhaseKind.MOVEMENT)
SERVER = "mx.galloper.example"
KINDS = letter_kinds()

__all__ = ["multipart", "part", "picture", "text"]


def address(power: str) -> str:
    """The registered address of a power's player; each has its own domain."""
    return f"player@{power.lower().replace(' ', '-')}.example"


@dataclass
class NotedAnnouncer:
    """The announcements' port, noting what was asked. `fails` makes a rendering fail."""

    prepared: list[Phase] = field(default_factory=list)
    put: list[Phase] = field(default_factory=list)
    fails: bool = False
    circulars: Circulars | None = None

    def prepare(
        self, session: Session, phase: PhaseRow, resolution: Resolution
    ) -> Callable[[Session], None]:
        named = Phase(phase.year, phase.season, PhaseKind(phase.kind))
        self.prepared.append(named)
        if self.fails:
            raise RuntimeError("no picture could be drawn")
        return lambda _session: self.put.append(named)


@dataclass
class Table:
    """One game of w3k. `announce` is what an approval calls; `drained` counts looks into the mailbox, `sent`
    are mails that a player keeps a copy of."""

    site: Site
    variant: Variant
    game: str
    announce: Announcer
    drained: list[datetime] = field(default_factory=list)
    on_drain: Callable[[], None] = lambda: None
    sent: list[bytes] = field(default_factory=list)
    probe: PictureProbe = field(default_factory=own_probe)
    bodies: BodyReader = field(default_factory=OwnBodies)
    trust: Trust = field(default_factory=lambda: trust_in((SERVER,)))
    dns: TxtLookup = NO_DNS
    jobs: Jobs | None = None
    takes_letters: bool = True

    def load(self, _slug: str) -> Variant:
        return self.variant

    @property
    def writer(self) -> LetterContext:
        sender = Sender(f"Galloper <{ORDERS}>", ORDERS, COORDINATOR, 8_000_000)
        return LetterContext(self.site.blobs, self.site.clock, self.load, sender, KINDS)

    @property
    def mail_store(self) -> MailStore:
        site = self.site
        return MailStore(site.store, site.blobs, self.jobs or site.jobs, site.clock, self.load)

    def context_of(
        self, session: Session, received_at: datetime, about: Concern | None = None
    ) -> IntakeContext:
        return build_context(
            session, received_at, self.load, own_addresses=(ORDERS,), trust=self.trust, about=about)

    def process(self, key: str) -> None:
        """Judge a stored mail, as the job does."""
        process_mail(
            key, self.mail_store, MailOpener(self.bodies, self.probe, self.dns), self.context_of,
            mail_handlers(self.writer), Replies(self.writer),
        )

    def handle_mail(self, payload: dict[str, Any]) -> None:
        """The handler of the job `ingest.WORK`."""
        self.process(payload["mail"])

    def give_up(self, key: str, error: str) -> None:
        give_up_mail(key, error, self.mail_store, self.bodies, self.context_of, mail_handlers(self.writer),
                     Replies(self.writer))

    def tell_sender(self, key: str) -> None:
        tell_sender(key, self.mail_store, self.context_of, Replies(self.writer))

    def register_intake(self, jobs: DbosJobs) -> None:
        """Have a real queue judge mails."""
        jobs.register(
            ingest.WORK,
            self.handle_mail,
            failed=lambda payload, error: self.give_up(payload["mail"], error),
        )

    def open_phase(self, phase_id: int) -> None:
        turns.open_phase(self.site.store, phase_id, self.site.clock)

    def close_phase(self, phase_id: int) -> None:
        self._drain()
        turns.close_phase(self.site.store, phase_id, self.site.clock, self.load, judge_mails=self._judge_here)

    def _judge_here(self, keys: Sequence[str]) -> None:
        """What the jobs of these mails do; one that fails is tried again later."""
        for key in keys:
            with suppress(Exception):
                self.process(key)

    def judge_when_read(self, phase_id: int) -> bool:
        return turns.judge_when_read(self.site.store, phase_id, self.site.clock, self.load)

    def judge_phase(self, phase_id: int) -> Resolution:
        return turns.judge_phase(self.site.store, phase_id, self.site.clock, self.load)

    def approve_phase(self, phase_id: int, by: str, answer_by: AnswerBy | None = None) -> None:
        """Send the results of a phase. The mail server accepts its letters at once if it `takes_letters`."""
        approve_phase(self.site.store, phase_id, by, self.announce, self.site.clock, self.load, answer_by)
        if not self.takes_letters:
            return
        with self.site.store.begin() as session:
            session.execute(update(OutboxRow).where(OutboxRow.phase_id == phase_id).values(
                state=OutboxState.SENT, sent_at=self.site.clock.now()))

    def approve_however_late(self, phase_id: int, by: str) -> None:
        """Send the results of a phase; if they are late, with the deadline that is proposed."""
        with self.site.store() as session:
            answer = time_to_answer(
                session, session.get_one(PhaseRow, phase_id), self.load, self.site.clock.now())
        late = answer is not None and answer.is_short
        self.approve_phase(phase_id, by, AnswerBy(answer.proposed) if answer and late else None)

    def _drain(self) -> None:
        self.drained.append(self.site.clock.now())
        self.on_drain()

    # Phases
    # --------------------------------------------------------------------------------------------------------

    def phases(self) -> list[PhaseRow]:
        with self.site.store() as session:
            return records.phases(session, self.game)

    def phase(self, number: int = 1) -> PhaseRow:
        """The game's first phase, or the one of another ordinal."""
        return self.phases()[number - 1]

    def seed_of(self, number: int = 1) -> str:
        """The seed of a phase by rule 2, as only who has the site's key can know it."""
        with self.site.store() as session:
            row = records.phases(session, self.game)[number - 1]
            return sealed_lots.opened_seed(session, row) or "-"

    def set_phase(self, number: int = 1, **values: object) -> None:
        with self.site.store.begin() as session:
            row = records.phases(session, self.game)[number - 1]
            for name, value in values.items():
                setattr(row, name, value)

    def position(self, number: int) -> Position:
        return codec.load_position(self.phase(number).position or {})

    def resolution(self, number: int = 1) -> Resolution:
        return codec.load_resolution(self.phase(number).resolution or {})

    def outcomes(self, number: int = 1) -> dict[tuple[str, str], str]:
        """The outcome of each order of a judged phase: by power and canonical text."""
        return {
            (o.order.power, canonical(o.order, self.variant.board)): o.reason or o.result.value
            for o in self.resolution(number).outcomes
        }

    # Mails
    # --------------------------------------------------------------------------------------------------------

    def subject(self, power: str, version: int = 1, phase: Phase = SUMMER) -> str:
        return canonical_subject("Powick Bridge", self.variant.powers[power].name, phase, version)

    def mail(
        self, power: str, shade: int = 90, *, subject: str = "", result: str = "pass", note: str = ""
    ) -> bytes:
        """A player's mail with one small picture of a colour. `note` makes the same mail different bytes."""
        sender = address(power)
        stamps = [stamp(sender.rpartition("@")[2], result, SERVER)]
        return mail(
            subject or self.subject(power), sender,
            parts=[text(note or "See the sheet."), part(picture(shade))],
            stamps=stamps,
        )  # fmt: skip

    def arrive(self, raw: bytes, received_at: datetime) -> str:
        """Store a mail as the inbox does; its key."""
        key = self.site.blobs.put(raw)
        with self.site.store.begin() as session:
            records.add_mail(session, key, len(raw), received_at, self.site.clock.now(),
                             author=ingest.author_of(raw))
        return key

    def take(self, raw: bytes, received_at: datetime) -> MailRow:
        """Store a mail and judge it."""
        key = self.arrive(raw, received_at)
        self.process(key)
        return self.mail_row(key)

    def mail_row(self, key: str) -> MailRow:
        with self.site.store() as session:
            return session.get_one(MailRow, key)

    # Sheets
    # --------------------------------------------------------------------------------------------------------

    def submissions(self) -> list[SubmissionRow]:
        with self.site.store() as session:
            return list(session.scalars(select(SubmissionRow).order_by(SubmissionRow.id)))

    def file(
        self, power: str, orders: Sequence[str | tuple[str, LineState]] = (), *, version: int = 1,
        number: int = 1,
        received_at: datetime | None = None, read: bool = True, heading: Sequence[str] = (),
        answered: bool = False,
    ) -> int:  # fmt: skip
        """File a sheet with its lines as read; the submission's id. A line is its canonical order, or that
        with a state; `heading` are the lines above. `answered`: at its time, and with a receipt."""
        phase = self.phase(number)
        when = received_at or phase.opens_at
        if answered:
            self.site.clock.set(max(when, self.site.clock.now()))
        # A mail with the photograph, as the record's checkers look for it there.
        photograph = sheet_picture()
        raw = mail(
            self.subject(power, version), address(power), headers=[f"X-Orders: {number} {when}"],
            parts=[text(" ".join(map(str, orders))), part(photograph)])
        key = self.site.blobs.put(raw)
        lines = [(t, None, LineState.NOT_ORDER) for t in heading] + [
            (line, line, LineState.AUTO) if isinstance(line, str) else (line[0], line[0], line[1])
            for line in orders
        ]
        with self.site.store.begin() as session:
            records.add_mail(session, key, len(raw), when, when)
            mail_row = session.get_one(MailRow, key)
            mail_row.state, mail_row.verdict = "used", {"game": session.get_one(GameRow, self.game).name}
            session.flush()
            submission = SubmissionRow(
                sha256=key, phase_id=phase.id, power=power, sender=address(power), received_at=when,
                version=version,
                semantic_key=hashlib.sha256(raw).hexdigest(), read_at=when if read else None, flags=[],
                fate="counts",
            )  # fmt: skip
            session.add(submission)
            session.flush()
            upright = self.site.blobs.put(photograph)
            page = PageRow(
                submission_id=submission.id, ordinal=0, original=upright, upright=upright, rotation=0)
            session.add(page)
            session.flush()
            for at_line, (words, order, state) in enumerate(lines):
                top = 100 + 60 * at_line
                session.add(LineRow(
                    page_id=page.id, ordinal=at_line, kind="order" if order else "heading", text=words,
                    order=order,
                    box=[[100, top], [700, top], [700, top + 40], [100, top + 40]], confidence=0.99,
                    status=state.value, candidates=[],
                ))  # fmt: skip
            if answered:
                name = self.variant.powers[power].name
                verdict = receipts.verdict_of(session, submission, phase, name)
                Replies(self.writer).receipt(session, submission, phase, verdict)
            return submission.id

    # Letters
    # --------------------------------------------------------------------------------------------------------

    def letters(self, kind: str = "") -> list[OutboxRow]:
        with self.site.store() as session:
            rows = session.scalars(select(OutboxRow).order_by(OutboxRow.id)).all()
        return [row for row in rows if not kind or row.kind == kind]

    def written_letters(self) -> list[tuple[str, str]]:
        """Kind and recipient of every letter, in the order they were written."""
        return [(row.kind, row.recipient) for row in self.letters()]

    def message(self, row: OutboxRow) -> EmailMessage:
        return message_of(self.site.blobs, row)

    def mail_of(self, row: OutboxRow) -> bytes:
        """The finished mail of a letter, as it is sent."""
        return finished(self.site.blobs, row)

    def words(self, row: OutboxRow) -> str:
        """The text of a letter without its line ends."""
        body = self.message(row).get_body(("plain",))
        assert body is not None
        return " ".join(body.get_content().split())


def sheet_picture(width: int = 800, height: int = 1000) -> bytes:
    """A page of paper's colour, as the recognizer leaves it upright."""
    out = io.BytesIO()
    Image.new("RGB", (width, height), (236, 230, 214)).save(out, "JPEG")
    return out.getvalue()


def open_table(
    site: Site, *, first: Phase = SUMMER, start: date = START, announce: Announcer | None = None,
    position: Position | None = None, players: Mapping[str, Sequence[str]] | None = None, slug: str = "w3k",
    name: str = "Powick Bridge", options: Mapping[str, object] | None = None,
) -> Table:  # fmt: skip
    """A game whose first phase is open, the site's clock at its beginning. `position` replaces the opening
    one."""
    board = maps.load(slug)
    opening = position or (replace(board.start, phase=first) if slug == "w3k" else board.start)
    variant = replace(board, start=opening)
    window = schedule(start, variant.calendar, opening.phase, 1)[0]
    site.clock.set(window.opens)
    mails = players or {power: (address(power),) for power in variant.powers}
    seats = [
        create.GameSeat(power, f"Player {power}", "Europe/London", tuple(addresses))
        for power, addresses in mails.items()
    ]
    new = create.NewGame(name, slug, start, seats, options=stored_options(options or {}))

    def begin() -> str:
        with site.store.begin() as session:
            acting = ActTable(session, "coordinator", site.clock.now())
            return perform(BeginGame(new, variant), acting).outcome.game_id

    game = begin_once(site, board, repr((new, opening)), begin)
    return Table(site, variant, game, announce or NotedAnnouncer())


def autumn_1642() -> Position:
    """The demo's board when its Autumn begins (demo/data/w3k/expected.toml); Argyll's army at Carrickfergus
    Castle has converted for one season."""
    story = read_story()
    units = frozenset(
        Unit(power, text[0], Region.of(text[2:]))
        for power, unit_texts in story.positions["Summer 1642 Movement"].items()
        for text in unit_texts
    )
    converting = frozenset({Unit("Argyll", "A", Region("Carrickfergus Castle"))})
    phase = Phase(1642, "Autumn", PhaseKind.MOVEMENT)
    return Position(phase, units, maps.load(story.variant).start.centres, memory=Memory(converting))


def utc(text: str) -> datetime:
    """An instant in UTC: utc("2027-03-14 07:00")."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
