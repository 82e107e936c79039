"""The one place where the parts are joined: settings in, a site with every step ready to run out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parseaddr
from functools import cache, partial
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine
from sqlalchemy.orm import Session

import maps
from maps.variant import Variant
from ocr.decoding.confidence import default_table, least_confidence
from ocr.engines.hand import Hand
from ocr.page import Box, ReadLine
from reading.review import ReviewLimits
from service import scheduler
from service.clock import Clock, SystemClock
from service.config import MailIn, ReaderSettings, Settings
from service.facts import events
from service.feature import FeatureWork, features
from service.games import turns
from service.games.approval.approve import AnswerBy, approve_phase
from service.intake import ignored_mails, process_mail
from service.intake.filing import READ_WORK
from service.intake.load_context import Concern, build_context
from service.intake.mail_handlers import MailHandler
from service.intake.opening.open_mail import ChildBodies
from service.intake.opening.sandbox import WALL_PER_CPU, Jail, SandboxLimits, use_jail
from service.intake.process_mail import MailOpener, MailStore
from service.intake.sender_proof import is_expected
from service.intake.sheets import reread_line
from service.intake.sheets.read_submission import SubmissionReader
from service.intake.sheets.recognizer import (
    EngineRecognizer,
    ImageOpener,
    LessonPage,
    LineRecognizer,
    OpenerProbe,
    Recognizer,
)
from service.intake.sheets.reread_line import LineReader
from service.intake.verdicts.context import IntakeContext
from service.jobs import DbosJobs, share_of_queue
from service.letters.kinds import LetterKinds
from service.letters.language import say_in
from service.mail.access.login import Login
from service.mail.account import LiveSource, LiveTransport, MailAccount, open_source
from service.mail.authentication.dns import CachedLookup, SystemLookup
from service.mail.mailbox import ingest, mark
from service.mail.mailbox.drain import MailboxDrain
from service.mail.mailbox.source import MailboxError, MailFault, MailSource
from service.mail.sending import outbox
from service.mail.sending.connections import Connections
from service.mail.sending.smtp import Transport
from service.mail.trust_settings import trust_of
from service.notices import kinds, outside_notices
from service.notices.answers.replies import Replies
from service.notices.broadcasts import Broadcasts
from service.notices.coordinator_notices import notify, older_mails, report_failed
from service.notices.letter_context import LetterContext, Sender
from service.notices.phase_letters import approval
from service.notices.phase_letters.approval import Approvals
from service.notices.reminders import Reminders
from service.notices.results import ResultsAnnouncer
from service.operations import reread_settings, retention
from service.operations.alarms import SECONDS as ALARM_SECONDS, Alarms
from service.operations.beacon_rounds import SECONDS as BEACON_SECONDS, BeaconRounds, Relays
from service.operations.clock_check import ClockSkewGuard
from service.operations.health import Health
from service.operations.inspection import SECONDS as INSPECTION_SECONDS, Inspection
from service.operations.mailbox_status import MailboxStatus
from service.operations.mailbox_wait import MailboxWait
from service.operations.metrics import Metrics
from service.operations.reread_settings import SettingsReader
from service.record.sessions import sessions
from service.scheduler import Leadership
from service.site_folder import key_of
from service.store import records
from service.store.blobs import Blobs, open_blobs
from service.store.engine import Store, end_when_silent, migrate, open_engine
from service.web.ports import ApiTokens, DeskActions, DeskPorts, PageSettings, SiteChecks

if TYPE_CHECKING:  # workers serve no pages
    from fastapi import FastAPI

log = logging.getLogger(__name__)

TEND_SECONDS = 30.0
"""Between two calls of `DbosJobs.tend`. A worker counts as dead after three of them (`jobs.LEASE`)."""

CLOCK_SECONDS = 3600.0
"""Between two looks at the mail server's clock, besides the one at each deadline."""

CLAIM_PATIENCE = 10.0
"""Seconds for which a start waits for the mailbox that it marks."""

CLOCK_PATIENCE = 30.0
"""Seconds that the mail server has to say its time."""


@dataclass(frozen=True, slots=True)
class Site:
    """Everything one site runs on. Close it with `stop` of a `Running`, or not at all when nothing was
    started."""

    settings: Settings
    engine: Engine
    store: Store
    blobs: Blobs
    clock: Clock
    jobs: DbosJobs
    account: MailAccount
    transport: Transport
    drain: MailboxDrain
    mailbox_wait: MailboxWait
    process_mail: Callable[[str], None]
    recognizer: Recognizer
    load: Callable[[str], Variant]
    announcements: ResultsAnnouncer
    health: Health
    opener: ImageOpener
    api_tokens: ApiTokens
    guard: ClockSkewGuard | None = None
    expects: ingest.Expects = ingest.expects_all
    features: list[FeatureWork] = field(default_factory=list)

    def claim_mailbox(self, source: MailSource) -> None:
        """Mark the mailbox for this start of the site, and inform the coordinator once of mails that are
        older than the site. Raises MailboxTaken if it is another site's."""
        older = mark.claim(source, self.store, self.clock)
        if older:
            with self.store.begin() as session:
                notify(session, self.announcements.letters, None, older_mails(
                    older, self.account.mail_in.folder, self.clock.now()))

    def take_in(self) -> ingest.IngestCounts:
        """Empty the mailbox over a separate connection."""
        source = self.account.source()
        try:
            return ingest.take_in(source, self.store, self.blobs, self.jobs, self.clock, self.expects)
        finally:
            source.close()

    def renew(self, settings: Settings) -> None:
        """Take over, while the site runs, who may read by a program, and what features take over: a token or
        an address that got into wrong hands ends at once."""
        self.api_tokens.digests = settings.web.api_tokens
        for feature in self.features:
            feature.renew(settings)

    def look(self) -> tuple[str, ...]:
        """Enqueue everything whose time has come."""
        return scheduler.due_now(self.clock, self.store, self.jobs)

    def send_letters(self) -> outbox.SendCounts:
        """Send what is due."""
        out = self.settings.mail_out
        # Files in a folder are numbered in order, and SQLite has one writer.
        is_alone = out.kind == "folder" or self.engine.dialect.name == "sqlite"
        return outbox.send_due(
            self.store, self.blobs, self.transport, self.clock, sender=out.sender,
            connections=Connections(self.store, 1 if is_alone else out.connections, out.per_minute),
            not_sent=partial(report_failed, self.announcements.letters), addressees=letter_kinds().addressees,
            say=say_in)

    def close_phase(self, phase_id: int) -> None:
        """Close a phase whose deadline has passed and whose mails are all here
        (`service.games.turns.close_phase`)."""
        if not self.mailbox_wait.must_wait(phase_id):
            turns.close_phase(
                self.store, phase_id, self.clock, self.load,
                judge_mails=partial(process_mail.hasten, self.store, self.jobs, self.clock, phase_id))

    def write_gathered_notices(self) -> None:
        """Write to the coordinator about what strangers' mails caused in the last hour."""
        with self.store.begin() as session:
            outside_notices.send_due(session, self.announcements.letters)

    def judge_when_read(self, phase_id: int) -> bool:
        """Judge a closed phase if everything is read (`service.games.turns.judge_when_read`)."""
        return turns.judge_when_read(self.store, phase_id, self.clock, self.load)

    @property
    def beacon_rounds(self) -> BeaconRounds:
        """Fetches rounds of the public beacon for phases whose lots wait for one."""
        return BeaconRounds(self.store, self.clock, Relays(), self.judge_when_read)

    @property
    def approvals(self) -> Approvals:
        """Approvals of results as jobs."""
        return Approvals(
            self.store, self.jobs, self.clock, self.load, self.announcements, self.after_approval)

    def approve_phase(self, phase_id: int, by: str, answer_by: AnswerBy | None = None) -> None:
        """Send the results of a judged phase at once; the desk requests a job (`approvals`)."""
        approve_phase(self.store, phase_id, by, self.announcements, self.clock, self.load, answer_by)
        self.after_approval(phase_id)

    def after_approval(self, phase_id: int) -> None:
        """Have features do what they do after the results of a phase were sent."""
        with self.store.begin() as session:
            for feature in self.features:
                feature.after_approval(session, phase_id)

    def hand_of(self, session: Session, player_id: int) -> Hand | None:
        """The hand with which a player's sheets are read; None for everybody's."""
        hands = (feature.hand_of(session, player_id) for feature in self.features)
        return next((hand for hand in hands if hand is not None), None)

    def map_pdf(self, game_id: str) -> bytes | None:
        """The current map of a game."""
        with self.store() as session:
            return self.announcements.map_pdf(session, game_id)

    def desk(self) -> FastAPI:
        """The web application over this site."""
        from service.app import create_app

        web = self.settings.web
        metrics = Metrics(self.store, self.clock, self.health.mailbox, Path(self.settings.data))
        return create_app(DeskPorts(
            sessions=self.store, blobs=self.blobs, clock=self.clock, load=self.load,
            actions=DeskActions(
                judge_when_read=self.judge_when_read, approve=self.approvals.request, map_pdf=self.map_pdf,
                read_again=partial(reread_line.enqueue, self.jobs),
                circulars=Broadcasts(self.announcements.letters),
                judge_again=partial(ignored_mails.judge_again, self.jobs),
            ),
            settings=PageSettings(
                base_url=web.base_url.rstrip("/"), secure_cookies=web.secure_cookies,
                metrics_token=web.metrics_token, api_tokens=self.api_tokens,
            ),
            checks=SiteChecks(self.health.findings, metrics.text),
            letter_kinds=letter_kinds(),
            guards=[guard for feature in self.features for guard in feature.guards],
            doors=[door for feature in self.features for door in feature.doors],
        ))


def open_site(
    settings: Settings, *, clock: Clock | None = None, recognizer: Recognizer | None = None,
    load: Callable[[str], Variant] = maps.load, workers: int = 4, polls: bool = True,
) -> Site:
    """A site from its settings, the database brought up to date. The demo and tests give a `clock` and an
    `recognizer`. `polls`: this process has a poller, which may be asked for a look."""
    migrate(settings.database_url)
    of_queue = share_of_queue(settings.database_connections)
    engine = open_engine(settings.database_url, settings.database_connections - of_queue)
    end_when_silent(engine)
    now = clock or SystemClock()
    store = sessions(engine, now, key_of(settings, engine), settings.beacon)
    blobs = open_blobs(settings)
    jobs = DbosJobs(engine, workers=workers, connections=of_queue)
    jobs.prepare()
    use_jail(Jail(settings.reader.child_jail))
    opener = ImageOpener(SandboxLimits(memory=settings.reader.child_memory_mb * 1_000_000,
                           cpu_seconds=settings.reader.child_seconds,
                           wall_seconds=WALL_PER_CPU * settings.reader.child_seconds))
    writer = LetterContext(blobs, now, load, _sender(settings), letter_kinds())
    account = MailAccount(settings.mail_in, settings.mail_out)
    status = MailboxStatus(SystemClock(), is_refused=lambda: account.login_in.is_refused)
    post, announce = Replies(writer), ResultsAnnouncer(writer)
    mail_store = MailStore(store, blobs, jobs, now, load)
    handlers, trust = mail_handlers(writer), trust_of(settings.mail_in)

    def context_of(session: Session, received_at: datetime, about: Concern) -> IntakeContext:
        return build_context(
            session, received_at, load, own_addresses=_own(settings), trust=trust, about=about)

    bodies = ChildBodies()
    mail_opener = MailOpener(bodies, OpenerProbe(opener), CachedLookup(SystemLookup()))

    def process(key: str) -> None:
        process_mail.process_mail(key, mail_store, mail_opener, context_of, handlers, post)

    def process_job(payload: dict[str, Any]) -> None:
        process(payload["mail"])

    def give_up(payload: dict[str, Any], error: str) -> None:
        # No `go_on`: what killed its workers is not parsed again. A phase that waits looks every ten seconds.
        process_mail.give_up_mail(payload["mail"], error, mail_store, bodies, context_of, handlers, post)

    def go_on(payload: dict[str, Any]) -> None:
        turns.go_on(store, ingest.senders_of(blobs.read(payload["mail"])), now, load)
        scheduler.send_soon(now, store, jobs)

    def tell_sender(payload: dict[str, Any]) -> None:
        process_mail.tell_sender(payload["mail"], mail_store, context_of, post)

    used_recognizer = recognizer or _LazyRecognizer(opener, settings.reader.at_once)
    expects = partial(is_expected, trust=trust)
    drain = MailboxDrain(
        account.source, store, blobs, jobs, now, status.wait_for_look if polls else _nobody_looks,
        has_poller=polls, expects=expects)
    site = Site(
        settings=settings, engine=engine, store=store, blobs=blobs, clock=now, jobs=jobs,
        account=account, transport=LiveTransport(account),
        drain=drain, mailbox_wait=MailboxWait(store, now, writer, drain.empty),
        process_mail=process, recognizer=used_recognizer, load=load, announcements=announce,
        health=Health(store, SystemClock(), status, Path(settings.data),
                      getattr(used_recognizer, "loaded", lambda: False)),
        opener=opener,
        api_tokens=ApiTokens(settings.web.api_tokens),
        # A simulated clock has no mail server to be compared with.
        guard=None if clock is not None
        else ClockSkewGuard(store, now, writer, lambda: server_time(account.mail_in, account.login_in)),
        expects=expects,
    )
    reader = SubmissionReader(
        store=store, blobs=blobs, clock=now, recognizer=used_recognizer, load=load, replies=post,
        on_read=lambda phase_id: turns.judge_when_read(store, phase_id, now, load),
        limits=_limits(settings.reader), hand_of=site.hand_of,
    )
    # Two steps: if the process dies between them, the second one runs all the same.
    jobs.register(ingest.WORK, process_job, go_on, failed=give_up)
    jobs.register(process_mail.TELL_WORK, tell_sender, failed=_noted(site, process_mail.TELL_WORK))
    _register(site, reader)
    line_recognizer = used_recognizer if isinstance(used_recognizer, LineRecognizer) else None
    again = LineReader(store, blobs, line_recognizer, load, reader.limits)
    jobs.register(reread_line.WORK, again.read, failed=_noted(site, reread_line.WORK))
    site.features.extend(feature.work(site) for feature in features())
    for kind in (kind for feature in site.features for kind in feature.jobs):
        jobs.register(kind.name, kind.step, failed=kind.failed or _noted(site, kind.name))
    return site


def _register(site: Site, reader: SubmissionReader) -> None:
    """Say what each kind of work does."""
    sending, is_wanted = Lock(), Event()

    def letters(_payload: dict[str, Any]) -> None:
        # One round in a process. A job that comes meanwhile leaves its wish and goes: a thread that waited
        # for an hour of letters would judge no mail. The wish is noted before the lock is asked for, and
        # looked at after it is given back, so that none is lost.
        is_wanted.set()
        while is_wanted.is_set() and sending.acquire(blocking=False):
            try:
                is_wanted.clear()
                site.send_letters()
            finally:
                sending.release()

    def remind(payload: dict[str, Any]) -> None:
        with site.store.begin() as session:
            Reminders(site.announcements.letters).put_due(session, int(payload["phase"]))

    site.jobs.register(READ_WORK, reader.read, failed=reader.give_up)
    site.jobs.register(approval.WORK, site.approvals.run, failed=site.approvals.give_up)

    def open_phase(payload: dict[str, Any]) -> None:
        turns.open_phase(site.store, int(payload["phase"]), site.clock)

    def close_phase(payload: dict[str, Any]) -> None:
        # A deadline is an instant on the mail server's clock. If ours is off, closing waits (`clock_check`).
        if site.guard is None or not site.guard.must_wait(int(payload["phase"])):
            site.close_phase(int(payload["phase"]))

    for name, step in (
        (scheduler.OPEN, open_phase),
        (scheduler.DEADLINE, close_phase),
        (scheduler.REMIND, remind),
        (scheduler.LETTERS, letters),
    ):
        site.jobs.register(name, step, failed=_noted(site, name))


def _nobody_looks(_after: datetime, _seconds: float) -> bool:
    """In place of the poller in a process that has none."""
    return False


def _noted(site: Site, name: str) -> Callable[[dict[str, Any], str], None]:
    """The reaction to a job that failed three times: an event for the coordinator."""
    # Only the kind of the fault is logged, since its text may quote a mail. The sweep enqueues the work
    # again.
    def failed(payload: dict[str, Any], error: str) -> None:
        with site.store.begin() as session:
            records.log_event(
                session,
                site.clock.now(),
                events.Event.WORK_FAILED,
                detail={"work": name, "phase": payload.get("phase"), "fault": error.partition(":")[0]},
            )

    return failed


def _limits(settings: ReaderSettings) -> ReviewLimits:
    """The site's limits for lines that pass without a person."""
    share, least = settings.accepted_wrong_share, settings.auto_accept_confidence
    if share is not None:
        least = max(least, least_confidence(default_table(), share))
    return ReviewLimits(least, settings.min_margin_letters)


class _LazyRecognizer:
    """A recognizer that loads the networks at the first photograph, once per process."""

    def __init__(self, opener: ImageOpener, at_once: int = 0) -> None:
        self._opener, self._at_once = opener, at_once
        self._recognizer: EngineRecognizer | None = None
        self._lock = Lock()

    def loaded(self) -> bool:
        """Whether a photograph was looked at, so that the networks are in memory."""
        return self._recognizer is not None

    def recognize(self, data: bytes, name: str) -> Any:
        return self._loaded().recognize(data, name)

    def learn(self, pages: Sequence[LessonPage]) -> Hand | None:
        """See `service.intake.sheets.recognizer.HandRecognizer`."""
        return self._loaded().learn(pages)

    def with_hand(self, hand: Hand) -> Recognizer:
        """See `service.intake.sheets.recognizer.HandRecognizer`."""
        return self._loaded().with_hand(hand)

    def recognize_line(self, upright: bytes, box: Box, rotation: int) -> tuple[ReadLine, ...]:
        """See `service.intake.sheets.recognizer.LineRecognizer`."""
        return self._loaded().recognize_line(upright, box, rotation)

    def _loaded(self) -> EngineRecognizer:
        with self._lock:
            if self._recognizer is None:
                self._recognizer = EngineRecognizer(opener=self._opener, at_once=self._at_once)
            return self._recognizer


def server_time(settings: MailIn, login: Login | None = None) -> datetime | None:
    """The mail server's time, over a separate connection; None if it does not say it."""
    # A maildir answers with the time of its disk, which stamps its mails.
    source = open_source(settings, login=login, until=monotonic() + CLOCK_PATIENCE)
    try:
        ask = getattr(source, "server_time", None)
        return None if ask is None else ask()
    finally:
        source.close()


def _own(settings: Settings) -> tuple[str, ...]:
    return (settings.order_address, parseaddr(settings.mail_out.sender)[1])


@cache
def letter_kinds() -> LetterKinds:
    """Every kind of letter of this program: those of the core, and of the features that are there."""
    return LetterKinds.of(kinds.CORE, *(feature.letter_kinds() for feature in features()))


def mail_handlers(letters: LetterContext) -> tuple[MailHandler, ...]:
    """Handlers of mails without a sheet, in the order in which each mail is offered."""
    handlers = (handler for feature in features() for handler in feature.mail_handlers(letters))
    return tuple(sorted(handlers, key=lambda handler: handler.basis))


def writer_of(settings: Settings, blobs: Blobs, clock: Clock) -> LetterContext:
    """The letter context of a site, for a command that serves nothing."""
    return LetterContext(blobs, clock, maps.load, _sender(settings), letter_kinds())


def _sender(settings: Settings) -> Sender:
    return Sender(
        sender=settings.mail_out.sender, order_address=settings.order_address,
        coordinator=settings.coordinator,
        max_bytes=settings.mail_out.max_bytes, base_url=settings.web.base_url,
        contact=settings.contact or settings.coordinator, deputy=settings.deputy,
        links_copies=settings.mail_out.copies == "links", checker_url=settings.checker_url,
        letters_a_day=settings.mail_out.per_day,
    )


class Running:
    """A started site: workers, the schedule, and, unless `poll` is False, a thread that keeps the mailbox
    empty."""

    def __init__(
        self, site: Site, report: Callable[[str], None] = lambda _text: None, *, poll: bool = True,
        settings_reader: SettingsReader | None = None,
    ) -> None:
        self._site = site
        self._stop = Event()
        # The settings of the mailbox (`MailAccount.generation`) that this process has marked.
        self.claimed = -1
        # One process alone serves a database in a file, and need not ask whether it leads.
        self._leadership = (None if site.engine.dialect.name == "sqlite"
                            else Leadership(site.store, site.jobs.executor))
        self._schedule = scheduler.Schedule(
            site.clock, site.store, site.jobs,
            leads=(lambda: True) if self._leadership is None else self._leadership.leads)
        if site.guard is not None:
            self._schedule.every("clock", CLOCK_SECONDS, site.guard.skew_warning, leader_only=True)
        if poll and self._leadership is not None:
            self._schedule.every("drain", scheduler.LETTER_SECONDS, site.drain.answer)
        self._schedule.every("jobs", TEND_SECONDS, lambda: site.jobs.tend(datetime.now(UTC)))
        if isinstance(site.clock, SystemClock):  # what is simulated worries no one
            self._schedule.every(
                "alarms", ALARM_SECONDS, Alarms(site.health, site.store, site.announcements.letters).look,
            )
        self._schedule.every(
            "notices", outside_notices.SECONDS, site.write_gathered_notices, leader_only=True)
        if isinstance(site.clock, SystemClock):
            self._schedule.every(
                "inspection", INSPECTION_SECONDS,
                Inspection(site.engine, site.store, site.blobs, site.clock).look, leader_only=True)
        self._schedule.every("beacon", BEACON_SECONDS, site.beacon_rounds.look, leader_only=True)
        if settings_reader is not None:
            self._schedule.every("settings", reread_settings.SECONDS, settings_reader.look)
        days = site.settings.unrelated_mail_retention_days
        if days is not None:
            self._schedule.every("strays", retention.SECONDS, lambda: retention.forget_strays(
                site.store, site.blobs, days, site.clock.now()), leader_only=True)
        for each in (interval for feature in site.features for interval in feature.intervals):
            self._schedule.every(each.name, each.seconds, each.body, leader_only=each.leader_only)
        self._watch = self._watcher(report) if poll else None

    def _watcher(self, report: Callable[[str], None]) -> Thread:
        site, status = self._site, self._site.health.mailbox
        source = LiveSource(site.account)

        def look() -> ingest.IngestCounts:
            # Also after the settings named another mailbox.
            if self.claimed != site.account.generation:
                generation = site.account.generation
                site.claim_mailbox(source)
                self.claimed = generation
            return site.drain.look(source)

        return Thread(
            target=ingest.watch,
            name="galloper-inbox",
            daemon=True,
            args=(
                source,
                lambda: status.look(look),
                self._stop,
                status.recording(report),
                float(site.settings.mail_in.keep_alive_seconds),
            ),
            kwargs={"wake": status.wanted},
        )

    def claim_mailbox(self) -> None:
        """Mark the mailbox before anything begins. One that cannot be reached is marked at the first look.
        Raises MailboxTaken if it is another site's."""
        generation = self._site.account.generation
        source = self._site.account.source(monotonic() + CLAIM_PATIENCE)
        try:
            self._site.claim_mailbox(source)
            self.claimed = generation
        except mark.MailboxTaken:
            raise
        except (MailboxError, MailFault):
            log.warning("the mailbox is not marked yet")
        finally:
            source.close()

    def start(self) -> None:
        """Begin taking in, working and looking at the clock."""
        self._site.jobs.start()
        self._schedule.start()
        if self._watch is not None:
            self._watch.start()

    def stop(self) -> None:
        """End in order; what is cut off resumes at the next start."""
        self._stop.set()
        self._schedule.stop()
        if self._leadership is not None:
            self._leadership.resign()
        if self._watch is not None:
            self._watch.join(timeout=10)
        for feature in self._site.features:
            feature.stop()
        self._site.jobs.stop()
        self._site.transport.close()
