"""A game that is played by mail alone: the running program between a real Dovecot and a real mail server that
takes letters, its desk on a socket, and people who come with a mail or a browser.

The clock is simulated and stands while work is done, so each letter has the instant at which it left. The
mailbox stamps mails with that clock too, so a game must begin in the past.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from html import unescape
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import func, select

import maps
from maps.variant import Variant
from ocr.page import Box, Page, Reading, ReadLine, Status, Strike
from service.bootstrap import Running, Site, open_site
from service.clock import SimulatedClock
from service.config import MailIn, MailOut, Settings, Web
from service.games import create
from service.games.acts.act import ActTable, perform
from service.games.acts.games import BeginGame
from service.games.deadlines import schedule
from service.games.options import stored_options
from service.games.phases import phase_of
from service.intake.sheets.recognizer import RecognizedPage, Recognizer
from service.intake.verdicts.explanations import canonical_subject
from service.notices.broadcasts import Broadcasts
from service.store import records
from service.store.tables import MailRow, MailState, OutboxRow, OutboxState, PhaseRow, PhaseState
from service.web import sessions
from service.web.server import WebServer
from tests.support.desk_table import carried
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.mails import wait_for
from tests.support.servers.dovecot import PASSWORD as MAIL_PASSWORD, USER, Dovecot, free_port
from tests.support.servers.smtp_sink import Letter, SmtpSink
from tests.support.table import COORDINATOR, ORDERS, SERVER, sheet_picture

BEGINS = date(2024, 3, 4)
"""T+0: so long ago that a year of the longest game, with all that delays it, ends in the past."""
NAME, PASSWORD = "Ada", "correct horse battery"
PATIENCE = 120.0
"""Seconds for the work of one moment, on a busy machine."""
_MOST_ROUNDS = 50
NEVER = 3600
"""Seconds between two looks at the mailbox without a push: only IDLE brings mail."""


@dataclass
class Seen:
    """A recognizer that sees in each picture what was written on its sheet."""

    sheets: dict[bytes, Sequence[str]] = field(default_factory=dict)

    def recognize(self, data: bytes, name: str) -> tuple[RecognizedPage, ...]:
        lines = tuple(
            ReadLine(Box(((50, y), (700, y), (700, y + 30), (50, y + 30))), (), words, 0.99, Strike())
            for y, words in enumerate(self.sheets[data], start=1))
        return (RecognizedPage(sheet_picture(), Reading(Status.READ, pages=(Page(1, 0, 0.0, lines),))),)


@dataclass(frozen=True, slots=True)
class SentLetter:
    """A letter that the mail server took. `left_at`: the instant at which it did; `to`: its address; `kind`:
    as its Message-ID begins, such as "finalresults"."""

    left_at: datetime
    to: str
    kind: str
    message: EmailMessage
    raw: bytes

    @property
    def subject(self) -> str:
        return str(self.message["Subject"]).strip()

    @property
    def words(self) -> str:
        """Its text without line ends."""
        body = self.message.get_body(("plain",))
        assert body is not None
        return " ".join(str(body.get_content()).split())


@dataclass
class MailroomPlay:
    """One game on a running site, and its doors. `people`: power to address; `left`: what the mail server
    took; `dead`: addresses that it refuses; `lines`: what happened, for a person to read."""

    site: Site
    clock: SimulatedClock
    dovecot: Dovecot
    web: WebServer
    variant: Variant
    recognizer: Seen
    game: str
    name: str
    people: dict[str, str]
    left: list[SentLetter] = field(default_factory=list)
    dead: set[str] = field(default_factory=set)
    sent: dict[str, list[bytes]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    delivered: int = 0
    _client: httpx.Client | None = None

    # Work and time
    # --------------------------------------------------------------------------------------------------------

    def note(self, who: str, words: str) -> None:
        """A line of the transcript."""
        self.lines.append(f"{self.clock.now():%a %d %b %Y %H:%M} | {who:<28} | {words}")

    def settle(self) -> None:
        """Wait until everything whose time has come is done."""
        for _ in range(_MOST_ROUNDS):
            assert wait_for(lambda: self._stored() >= self.delivered, PATIENCE), "the mailbox was not emptied"
            keys = self.site.look()
            assert self.site.jobs.wait_idle(PATIENCE), "work went on for too long"
            if not keys and not self._waits():
                return
        raise AssertionError("there was always more to do")

    def _stored(self) -> int:
        with self.site.store() as session:
            return session.scalar(select(func.count()).select_from(MailRow)) or 0

    def _waits(self) -> bool:
        with self.site.store() as session:
            mails = session.scalar(
                select(func.count()).select_from(MailRow).where(MailRow.state == MailState.STORED))
            letters = session.scalar(
                select(func.count()).select_from(OutboxRow).where(
                    OutboxRow.state.in_([OutboxState.QUEUED, OutboxState.SENDING]),
                    OutboxRow.due_at <= self.clock.now()))
        return bool(mails or letters)

    def until(self, moment: datetime) -> None:
        """Go on to a moment, with each phase's opening and deadline on the way, as time does."""
        while self.clock.now() < moment:
            with self.site.store() as session:
                stops = [
                    instant for row in records.phases(session, self.game)
                    if row.state in {PhaseState.OPEN, PhaseState.WAITING}
                    for instant in (row.opens_at, row.deadline, row.deadline - timedelta(hours=48),
                                    row.deadline - timedelta(hours=12))
                    if self.clock.now() < instant < moment]
            self.clock.set(min([*stops, moment]))
            self.settle()

    # What the database has
    # --------------------------------------------------------------------------------------------------------

    def phases(self) -> list[PhaseRow]:
        with self.site.store() as session:
            return records.phases(session, self.game)

    def phase(self, number: int) -> PhaseRow:
        """The phase with this number in the game."""
        return self.phases()[number - 1]

    def in_play(self) -> PhaseRow:
        """The first phase whose results were not sent."""
        return next(row for row in self.phases() if row.state != PhaseState.SENT)

    def quarantine(self) -> list[str]:
        """The digests of the mails that wait for the coordinator."""
        with self.site.store() as session:
            return list(session.scalars(
                select(MailRow.sha256).where(MailRow.state == MailState.QUARANTINED)))

    # Mail
    # --------------------------------------------------------------------------------------------------------

    def subject(self, power: str, phase: PhaseRow, version: int = 1) -> str:
        return canonical_subject(self.name, self.variant.powers[power].name, phase_of(phase), version)

    def mail_in(
        self, power: str, subject: str, parts: Sequence[bytes], *, answers: SentLetter | None = None,
        words: str = "",
    ) -> None:
        """A mail of a player arrives now; `settle` does what it brings. `answers`: the letter that it is a
        reply to, as mail programs do it."""
        sender, now = self.people[power], self.clock.now()
        domain = sender.rpartition("@")[2]
        self.delivered += 1
        headers = [f"Message-ID: <{self.delivered}@{domain}>", f"Date: {format_datetime(now)}"]
        if answers is not None:
            headers += [f"In-Reply-To: {answers.message['Message-ID']}",
                        f"References: {answers.message['Message-ID']}"]
        raw = mail(subject, sender, headers=headers, parts=parts, stamps=[stamp(domain, "pass", SERVER)])
        self.sent.setdefault(power, []).append(raw)
        self.note(power, f"mails “{subject}”{f': {words}' if words else ''}")
        self.dovecot.append(raw, now)

    def typed(self, orders: Iterable[str]) -> list[bytes]:
        """Orders as the bold text of a mail."""
        words = "\n".join(f"**{order}**" for order in orders)
        return [text(f"Dear coordinator,\n\n{words}\n\nWith kind regards")]

    def photograph(self, power: str, phase: PhaseRow, orders: Sequence[str], version: int = 1) -> bytes:
        """The picture of a sheet, which the recognizer reads as it was written."""
        photo = picture(len(self.recognizer.sheets), "PNG")
        heading = (self.variant.powers[power].name, self.name, f"{phase_of(phase)} Orders", f"v{version}")
        self.recognizer.sheets[photo] = (*heading, *orders)
        return photo

    def photographed(
        self, power: str, phase: PhaseRow, orders: Sequence[str], version: int = 1
    ) -> list[bytes]:
        """A sheet as the attachment of a mail."""
        return [text("See the sheet."),
                part(self.photograph(power, phase, orders, version), "image/png", "sheet.png")]

    def letters(self, to: str = "", kind: str = "", since: int = 0) -> list[SentLetter]:
        """What left for a power's player or an address, of a kind, from the one with this number on."""
        address = self.people.get(to, to)
        return [each for each in self.left[since:]
                if (not address or each.to == address) and each.kind.startswith(kind)]

    def take(self, letter: Letter) -> None:
        """Note a letter that the mail server takes."""
        kind = str(letter.message["Message-ID"])[1:].partition(".")[0]
        (to,) = letter.recipients
        self.left.append(SentLetter(self.clock.now(), to, kind, letter.message, letter.data))
        self.note(f"→ {to}", f"{self.left[-1].subject} [{kind}]")

    # The desk
    # --------------------------------------------------------------------------------------------------------

    @property
    def browser(self) -> httpx.Client:
        """The coordinator's browser, signed in."""
        if self._client is None:
            self._client = httpx.Client(
                base_url=self.web.address, timeout=PATIENCE,
                headers={"Origin": self.web.address, "Connection": "close"})
            signed = self._client.post("/sign-in", data={"name": NAME, "password": PASSWORD})
            assert signed.status_code == 303
        return self._client

    def page(self, path: str) -> str:
        answer = self.browser.get(path)
        assert answer.status_code == 200, (path, answer.status_code, plain(answer.text)[:600])
        return answer.text

    def says(self, path: str) -> str:
        return plain(self.page(path))

    def send(
        self, page: str, path: str, status: int = 303, files: Mapping[str, Any] | None = None, **values: Any
    ) -> str:
        """Send a form of a page, and do what it brings; the words of the answer."""
        return plain(self._post(path, {"csrf": _field(self.page(page), "csrf"), **values}, status, files))

    def look_and_send(self, page: str, path: str, **values: Any) -> str:
        """Send a form that first shows what it would do, and then the form of that page as it is; the
        words of the page."""
        look = self._post(path, {"csrf": _field(self.page(page), "csrf"), **values}, 200)
        self._post(path, carried(look, path), 303)
        return plain(look)

    def _post(
        self, path: str, fields: Mapping[str, Any], status: int, files: Mapping[str, Any] | None = None
    ) -> str:
        answer = self.browser.post(path, data=fields, files=files)
        assert answer.status_code == status, (path, answer.status_code, plain(answer.text)[:800])
        shown = {name: value for name, value in fields.items() if name not in {"csrf", "seen", "key"}}
        self.note("the coordinator", f"{path} {shown} → {answer.status_code}")
        self.settle()
        return answer.text

    def read_lines(self, phase: PhaseRow, orders: Collection[str]) -> int:
        """The coordinator reads the lines that wait, each as the words that it shows: an order if it is one
        of `orders`. Returns their number."""
        path, count = f"/desk/{phase.id}", 0
        page = self.page(path)
        while 'name="line"' in page:
            fields = {name: unescape(_field(page, name)) for name in ("csrf", "line", "key", "text")}
            do = "edit" if fields["text"] in orders else "not-order"
            answer = self.browser.post(f"{path}/decide", data={**fields, "do": do}, follow_redirects=True)
            assert answer.status_code == 200, plain(answer.text)[:800]
            page, count = answer.text, count + 1
        self.note("the coordinator", f"reads {count} lines of {phase_of(phase)}")
        self.settle()
        return count


def _field(page: str, name: str) -> str:
    value = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert value is not None, (name, plain(page)[:800])
    return value[1]


def plain(html: str) -> str:
    """The contents of a page, without its tags."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def player_address(power: str) -> str:
    return f"player@{re.sub('[^a-z]+', '-', power.lower())}.example"


@contextmanager
def open_play(
    folder: Path, dovecot: Dovecot, sink: SmtpSink, slug: str, name: str, *,
    load: Callable[[str], Variant] = maps.load, recognizer: Recognizer | None = None,
    people: Mapping[str, str] | None = None, server: str = SERVER, address: str = ORDERS, **options: object
) -> Iterator[MailroomPlay]:
    """A game of a board on its own site; its first phase is open and its welcomes have left. `people`:
    addresses of powers, others made up; `server`: whose stamps count; `address`: where orders go."""
    variant = load(slug)
    window = schedule(BEGINS, variant.calendar, variant.start.phase, 1)[0]
    clock, recognizes_all, port = SimulatedClock(window.opens), Seen(), free_port()
    site = open_site(
        Settings(
            data=str(folder / "site"), order_address=address, coordinator=COORDINATOR,
            mail_in=MailIn(host="127.0.0.1", port=dovecot.imap, tls=False, user=USER, password=MAIL_PASSWORD,
                           keep_alive_seconds=NEVER, trusted_authserv_ids=(server,)),
            mail_out=MailOut(
                host="127.0.0.1", port=sink.port, starttls=False, sender=f"Galloper <{address}>"),
            web=Web(secure_cookies=False, base_url=f"http://127.0.0.1:{port}")),
        clock=clock, recognizer=recognizer or recognizes_all, load=load)
    people = {power: player_address(power) for power in variant.powers} | dict(people or {})
    seats = [create.GameSeat(power, f"Player of {power}", "Europe/London", (mail,))
             for power, mail in people.items()]
    new = create.NewGame(name, slug, BEGINS, seats, options=stored_options(options))
    with site.store.begin() as session:
        sessions.add_user(session, NAME, PASSWORD, clock.now())
        game = perform(BeginGame(new, variant), ActTable(session, NAME, clock.now())).outcome.game_id
        Broadcasts(site.announcements.letters).welcome(session, game)
    reports: list[str] = []
    running, web = Running(site, report=reports.append), WebServer(site.desk(), "127.0.0.1", port)
    play = MailroomPlay(site, clock, dovecot, web, variant, recognizes_all, game, name, people)

    def accept(letter: Letter) -> str | None:
        play.take(letter)
        return None

    def recipient(address: str) -> str | None:
        if address not in play.dead:
            return None
        play.note(f"→ {address}", "the mail server answers 550 5.1.1")
        return f"550 5.1.1 <{address}> no such user"

    sink.at_data, sink.at_rcpt = accept, recipient
    running.start()
    web.start()
    try:
        play.settle()
        yield play
        assert not [report for report in reports if report], reports
    finally:
        if play._client is not None:
            play._client.close()
        web.stop()
        running.stop()
        site.engine.dispose()
