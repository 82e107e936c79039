"""Acceptance J1: two games at once, ten powers each and one player in both, from their creation through
Summer, Autumn and Winter 1643, on a real Dovecot with a simulated clock; every letter that leaves is compared
with table A5 of the requirements (OUT-01 to OUT-12), none missing and none extra, and every file is opened
(OUT-13, OUT-14, MAP-01, CAL-03 to CAL-09, CAL-13, NON-04, NON-05).

Who is written to is worked out here from that table and from what the demo's story states by hand of its
game: no one is beaten in Summer, Newcastle and Ormond are in Autumn (demo/data/w3k/expected.toml). The
second game has no orders. Reading is left to a stand-in that sees what was written; a whole turn with the
real recognizer is in test_whole_turn. """

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from email.message import EmailMessage
from functools import cache
from pathlib import Path

import pypdfium2
import pytest
from ical.calendar_stream import IcsCalendarStream
from PIL import Image
from sqlalchemy import func, select

from demo.story import Story, read_story
from ocr.page import Box, Page, Reading, ReadLine, Status, Strike
from service.bootstrap import Site, open_site
from service.clock import SimulatedClock
from service.config import MailIn, MailOut, Settings, Web
from service.desk import queries
from service.games import create
from service.games.acts.act import ActTable, perform
from service.games.acts.deadlines import MoveDeadline
from service.games.acts.games import BeginGame
from service.games.phases import phase_of
from service.intake.quarantine import DiscardMail
from service.intake.sheets.recognizer import RecognizedPage
from service.intake.verdicts.explanations import canonical_subject
from service.notices.broadcasts import Broadcasts
from service.store import records
from service.store.tables import (
    GameRow,
    LineRow,
    LineState,
    OutboxRow,
    OutboxState,
    PageRow,
    PhaseRow,
    PhaseState,
    PlayerRow,
    PostalAddressRow,
    ReviewRow,
    SeatRow,
    SubmissionRow,
)
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.servers.dovecot import PASSWORD, USER, Dovecot
from tests.support.servers.mailboxes import ImapBox
from tests.support.servers.smtp_sink import SmtpSink
from tests.support.table import sheet_picture

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

T0 = date(2025, 3, 3)
"""T+0: a Monday, as in the worked dates of the requirements, and past, as Dovecot takes no mail from its own
future."""
ORDERS, COORDINATOR, SERVER = "orders@galloper.example", "coordinator@galloper.example", "mx.galloper.example"
BASE = "https://orders.example.org"
FIRST, SECOND = "Powick Bridge", "Edgehill"
SHARED = "ada@players.example"
NotedAnnouncer = Counter[tuple[str, str, str]]
"""Kind of letter, game and recipient, each with how often."""


def worked(day: int) -> datetime:
    """07:00 GMT so many days after T+0, as the worked dates count them."""
    return datetime.combine(T0, time(7), UTC) + timedelta(days=day)


@dataclass
class Seen:
    """A recognizer that sees in each picture what was written on its sheet."""

    sheets: dict[bytes, Sequence[str]] = field(default_factory=dict)

    def recognize(self, data: bytes, name: str) -> tuple[RecognizedPage, ...]:
        lines = tuple(
            ReadLine(Box(((50, y), (700, y), (700, y + 30), (50, y + 30))), (), words, 0.99, Strike())
            for y, words in zip(
                range(60, 60 + 45 * len(self.sheets[data]), 45), self.sheets[data], strict=True
            )
        )
        return (RecognizedPage(sheet_picture(), Reading(Status.READ, pages=(Page(1, 0, 0.0, lines),))),)


@dataclass
class Tables:
    """Two games on one site, with the servers about them, and the letters that A5 requests so far."""

    site: Site
    clock: SimulatedClock
    box: ImapBox
    sink: SmtpSink
    story: Story
    recognizer: Seen
    seats: dict[str, dict[str, str]]
    expected: NotedAnnouncer = field(default_factory=Counter)
    sent: int = 0

    def due(self, kind: str, game: str, recipients: Sequence[str]) -> None:
        self.expected.update((kind, game, recipient) for recipient in recipients)

    def everybody(self, game: str) -> list[str]:
        return list(self.seats[game].values())

    def settle(self) -> None:
        """Everything whose time has come, until nothing waits."""
        self.site.take_in()
        for _ in range(3):
            self.site.look()
            assert self.site.jobs.wait_idle(300)
        with self.site.store() as session:
            waiting = session.scalar(select(func.count()).select_from(OutboxRow).where(
                OutboxRow.state.in_([OutboxState.QUEUED, OutboxState.SENDING])))
        if waiting:
            self.site.send_letters()

    def phase(self, game: str, name: str) -> PhaseRow:
        with self.site.store() as session:
            key = session.scalars(select(GameRow.id).where(GameRow.name == game)).one()
            return next(row for row in records.phases(session, key) if str(phase_of(row)) == name)

    def deliver(self, raw: bytes, received_at: datetime) -> None:
        self.clock.set(max(received_at, self.clock.now()))
        self.box.deliver(raw, received_at)

    def write(
        self, game: str, power: str, phase: PhaseRow, lines: Sequence[str], received_at: datetime,
        version: int = 1
    ) -> None:
        """A power's sheet, photographed and mailed, and the receipt that it brings."""
        self.sent += 1
        photo = picture(self.sent, "PNG")
        title = self.site.load("w3k").powers[power].name
        heading = (title, game, f"{phase_of(phase)} Orders", f"v{version}")
        self.recognizer.sheets[photo] = (*heading, *lines)
        sender = self.seats[game][power]
        self.deliver(
            self._mail(
                sender,
                canonical_subject(game, title, phase_of(phase), version),
                [part(photo, "image/png", "sheet.png")],
            ),
            received_at,
        )
        self.due("receipt" if received_at <= phase.deadline else "receipt_late", game, [sender])

    def _mail(self, sender: str, subject: str, files: Sequence[bytes]) -> bytes:
        return mail(subject, sender, parts=[text("See the sheet."), *files],
                    stamps=[stamp(sender.rpartition("@")[2], "pass", SERVER)])

    def close(self, name: str) -> None:
        """Both games come to a deadline, their reminders on the way, are judged, and the results are
        approved."""
        running = [(game, self.phase(game, name)) for game in (FIRST, SECOND)
                   if self.phase(game, name).state != PhaseState.SENT]
        # The two reminders, and then the deadline itself.
        for before in (timedelta(hours=48), timedelta(hours=12), timedelta()):
            for _, phase in sorted(running, key=lambda pair: pair[1].deadline):
                self.clock.set(max(self.clock.now(), phase.deadline - before))
                self.settle()
        for game, phase in running:
            self._read_by_hand(phase)
            assert self.phase(game, name).state == PhaseState.READY, (game, name, self._open(phase.id))
            self.site.approve_phase(phase.id, "ada")
        self.settle()

    def discard(self) -> None:
        """The coordinator sets a mail in quarantine aside, for without that no results go out (LET-01)."""
        with self.site.store() as session:
            (waiting,) = queries.quarantine(session)
        with self.site.store.begin() as session:
            perform(DiscardMail(waiting.sha256, "Nobody in these games sent it."),
                    ActTable(session, "ada", self.site.clock.now()))

    def _read_by_hand(self, phase: PhaseRow) -> None:
        """What the coordinator does at the desk: the lines that wait are read as they were written."""
        round_ = str(phase_of(phase))
        truth = {
            words: order
            for power in self.story.players
            for words, order, _ in self.story.written_lines(round_, power)
        }
        with self.site.store.begin() as session:
            rows = session.scalars(select(LineRow).join(PageRow).join(SubmissionRow).where(
                SubmissionRow.phase_id == phase.id, LineRow.status == LineState.OPEN)).all()
            for row in rows:
                session.add(
                    ReviewRow(
                        line_id=row.id,
                        key=f"by hand {row.id}",
                        decision=LineState.READ,
                        text=row.text,
                        order=truth[row.text],
                        by="ada",
                        at=self.clock.now(),
                    )
                )
        if rows:
            assert self.site.judge_when_read(phase.id)

    def _open(self, phase_id: int) -> list[str]:
        with self.site.store() as session:
            return list(session.scalars(select(LineRow.text).where(LineRow.status == LineState.OPEN)))

    def written_letters(self) -> NotedAnnouncer:
        """What the mail server took."""
        names = {slug: name for name, slug in self.games().items()}
        # A Message-ID has only letters of the kind: "retreatrequest" for retreat_request.
        kinds = {re.sub(r"[^a-z]", "", kind): kind for kind, _, _ in self.expected}
        counts: NotedAnnouncer = Counter()
        for letter in self.sink.letters:
            kind = letter.message["Message-ID"][1:].partition(".")[0]
            list_id = str(letter.message["List-Id"] or "")
            game = names.get(list_id.strip("<>").partition(".")[0], "")
            counts[kinds.get(kind, kind), game, letter.recipients[0]] += 1
        return counts

    def games(self) -> dict[str, str]:
        with self.site.store() as session:
            return {row.name: row.id for row in session.scalars(select(GameRow))}


@pytest.fixture
def tables(tmp_path: Path, dovecot: Dovecot, smtp_sink: SmtpSink) -> Iterator[Tables]:
    story, clock, recognizer = read_story(), SimulatedClock(worked(0)), Seen()
    into = MailIn(
        host="127.0.0.1",
        port=dovecot.imap,
        tls=False,
        user=USER,
        password=PASSWORD,
        trusted_authserv_ids=(SERVER,),
    )
    site = open_site(
        Settings(
            data=str(tmp_path / "site"),
            order_address=ORDERS,
            coordinator=COORDINATOR,
            mail_in=into,
            mail_out=MailOut(
                host="127.0.0.1", port=smtp_sink.port, starttls=False, sender=f"Galloper <{ORDERS}>"
            ),
            web=Web(secure_cookies=False, base_url=BASE),
        ),
        clock=clock,
        recognizer=recognizer,
    )
    seats = {
        FIRST: {power: player_address for power, (_, player_address) in story.players.items()},
        SECOND: {power: f"{power.lower().replace(' ', '-')}@second.example" for power in story.players},
    }
    # One person plays in both games, so letters must not mix what each game may know.
    seats[SECOND]["Montrose"] = SHARED
    assert seats[FIRST]["The Crown"] == SHARED
    opened = Tables(site, clock, ImapBox(into), smtp_sink, story, recognizer, seats)
    for game in (FIRST, SECOND):
        _create(opened, game)
    site.jobs.start()
    yield opened
    site.jobs.stop()
    site.engine.dispose()


def _create(tables: Tables, game: str) -> None:
    variant = tables.site.load("w3k")
    new = create.NewGame(game, "w3k", T0, [
        create.GameSeat(power, f"Player of {player_address}", "Europe/London", (player_address,))
        for power, player_address in tables.seats[game].items()])
    with tables.site.store.begin() as session:
        # Both games begin on one day, so their deadlines fall together.
        row = perform(BeginGame(new, variant), ActTable(session, "coordinator", tables.clock.now())).outcome
        assert Broadcasts(tables.site.announcements.letters).welcome(session, row.game_id) == 10
    tables.due("welcome", game, tables.everybody(game))


def test_two_games_run_a_short_first_year_and_every_letter_is_one_of_the_table(tables: Tables) -> None:
    """J1."""
    _people(tables)
    _summer(tables)
    assert tables.written_letters() == tables.expected
    _autumn(tables)
    assert tables.written_letters() == tables.expected
    _winter(tables)
    assert tables.written_letters() == tables.expected
    _every_file_opens(tables)
    _nothing_is_told_across(tables)
    _the_calendar_is_the_worked_one(tables)


def _people(tables: Tables) -> None:
    """One player of the second game asked for reminders; one of the first has a postal address."""
    ids = tables.games()
    with tables.site.store.begin() as session:
        def player(game: str, power: str) -> PlayerRow:
            return session.get_one(PlayerRow, session.get_one(SeatRow, (ids[game], power)).player_id)

        player(SECOND, "Protectorate").reminders = True
        session.add(PostalAddressRow(player_id=player(FIRST, "Argyll").id, lines=["Quill Cottage", "Oban"],
                                     made_at=tables.clock.now(), made_by="ada"))


def _round(tables: Tables, name: str) -> None:
    """The story's sheets of a round in the first game, a day after its phase opened."""
    phase = tables.phase(FIRST, name)
    sent_at = max(phase.opens_at, tables.clock.now()) + timedelta(hours=20)
    tables.clock.set(sent_at)
    tables.settle()
    for power in tables.story.players:
        lines = [words for words, _, struck in tables.story.written_lines(name, power) if not struck]
        if lines:
            tables.write(FIRST, power, phase, lines, sent_at)
    tables.settle()


def _summer(tables: Tables) -> None:
    name = "Summer 1642 Movement"
    _round(tables, name)
    phase = tables.phase(SECOND, name)
    tables.write(SECOND, "Montrose", phase, ["Fleet Orkney holds"], tables.clock.now())
    strange = mail(canonical_subject(FIRST, "Montrose", phase_of(phase), 9), "stranger@elsewhere.example",
                   parts=[text(), part(picture(5000))], stamps=[stamp("elsewhere.example", "pass", SERVER)])
    tables.deliver(strange, tables.clock.now())
    # A stranger gets no answer, however well the subject is written.
    tables.expected["coordinator_notice", "", COORDINATOR] += 1
    sender = tables.seats[FIRST]["Argyll"]
    bare = mail(canonical_subject(FIRST, "Argyll", phase_of(phase), 2), sender, parts=[text("A Fife H")],
                stamps=[stamp("players.example", "pass", SERVER)])
    tables.deliver(bare, tables.clock.now())
    tables.due("rejection", FIRST, [sender])
    tables.settle()
    tables.discard()
    tables.due("reminder", SECOND, 2 * [tables.seats[SECOND]["Protectorate"]])
    tables.close(name)
    for game in (FIRST, SECOND):
        tables.due("final_results", game, tables.everybody(game))
    tables.write(FIRST, "Cumberland", tables.phase(FIRST, name), ["Army Carlisle holds"],
                 # One second late: the answer must be receipt_late, and the results stay.
                 tables.phase(FIRST, name).deadline + timedelta(seconds=1), version=2)
    tables.settle()


def _autumn(tables: Tables) -> None:
    name = "Autumn 1642 Movement"
    tables.clock.set(tables.phase(FIRST, name).opens_at)
    tables.settle()
    with tables.site.store.begin() as session:
        phase = session.get_one(PhaseRow, tables.phase(FIRST, name).id)
        to = phase.deadline + timedelta(days=1)
        done = perform(
            MoveDeadline(phase.game_id, phase.id, to.date().isoformat(), f"{to:%H:%M}",
                         "The post is on strike."),
            ActTable(session, "ada", tables.clock.now(),
                     circulars=Broadcasts(tables.site.announcements.letters)))
        assert done.letters == 10
    tables.due("deadline_moved", FIRST, tables.everybody(FIRST))
    _round(tables, name)
    tables.due("reminder", SECOND, 2 * [tables.seats[SECOND]["Protectorate"]])
    tables.close(name)
    tables.due("draft_results", FIRST, tables.everybody(FIRST))
    # Only the second game's phase ends without retreats, so its results are final at once.
    tables.due("retreat_request", FIRST, [tables.seats[FIRST][power] for power in ("Newcastle", "Ormond")])
    for kind in ("final_results", "adjustment"):
        tables.due(kind, SECOND, tables.everybody(SECOND))
    _round(tables, "Autumn 1642 Retreat")
    tables.close("Autumn 1642 Retreat")
    for kind in ("final_results", "adjustment"):
        tables.due(kind, FIRST, tables.everybody(FIRST))


def _winter(tables: Tables) -> None:
    name = "Winter 1643 Adjustment"
    _round(tables, name)
    tables.due("reminder", SECOND, 2 * [tables.seats[SECOND]["Protectorate"]])
    tables.close(name)
    for game in (FIRST, SECOND):
        tables.due("year_end_results", game, tables.everybody(game))
        tables.due("postal_pack", game, [COORDINATOR])


WITH_FILES = {
    "welcome": r".*-map-1642\.pdf|blank-.*\.pdf|filled-sheet\.png|record\.json",
    "finalresults": r"results-\d\.png|sheet-.*\.png|record\.json",
    "draftresults": r"results-\d\.png|sheet-.*\.png|record\.json",
    "yearendresults": r"results-\d\.png|sheet-.*\.png|.*-map-1643\.pdf|record\.json",
    "retreatrequest": r"blank-[a-z-]+-autumn-1642-retreat\.pdf",
    "adjustment": r"blank-[a-z-]+-winter-1643-adjustment\.pdf",
    # A5 has "-" for OUT-03; section 5 of the desk plan, the later text, gives a refusal the blank sheet, and
    # so do its words.
    "rejection": r"blank-argyll-summer-1642-movement\.pdf",
    "receipt": r"receipt\.json",
    "postalpack": r"(envelopes|results|map|order-sheets)\.pdf", "deadlinemoved": r"calendar\.ics",
}
"""Kind of letter to the names of its files, by the column "Attached" of the table."""


def _every_file_opens(tables: Tables) -> None:
    for letter in tables.sink.letters:
        kind = letter.message["Message-ID"][1:].partition(".")[0]
        parts = list(letter.message.iter_attachments())
        # Who has nothing to build or remove gets no sheet to write it on.
        is_due = "nothing to build or remove" not in str(letter.message["Subject"])
        assert bool(parts) == (kind in WITH_FILES and is_due), kind
        assert len(letter.data) <= 8_000_000
        for file in parts:
            name, data = str(file.get_filename()), file.get_content()
            assert re.fullmatch(WITH_FILES[kind], name), (kind, name)
            _opens(name, data if isinstance(data, bytes) else str(data).encode())
        names = {str(file.get_filename()) for file in parts}
        if kind == "yearendresults":
            assert any(name.endswith("-map-1643.pdf") for name in names)
        if kind.endswith("results"):
            assert "results-1.png" in names


def _opens(name: str, data: bytes) -> None:
    if name.endswith(".pdf"):
        assert len(pypdfium2.PdfDocument(io.BytesIO(data))) >= 1, name
    elif name.endswith(".ics"):
        assert IcsCalendarStream.calendar_from_ics(data.decode()).events
    elif name.endswith(".json"):
        assert json.loads(data), name
    else:
        with Image.open(io.BytesIO(data)) as opened:
            opened.load()
            assert not opened.getexif(), name


def _nothing_is_told_across(tables: Tables) -> None:
    """NON-05 and section 5: no letter to a player names the other game or anybody else's address."""
    addresses = {address for seats in tables.seats.values() for address in seats.values()}
    for letter in tables.sink.letters:
        if letter.recipients[0] == COORDINATOR:
            continue
        words = " ".join(
            str(part.get_content()) for part in letter.message.walk() if part.get_content_maintype() == "text"
        )
        # The bytes of a picture in base64 spell any four letters by chance: what can be read is looked at.
        read = [
            words,
            *(f"{name}: {value}" for name, value in letter.message.items()),
            *_papers(letter.message),
        ]
        assert not [part for part in read if "Oban" in part]
        assert not [address for address in addresses if address not in letter.recipients and address in words]
        assert (FIRST in words) != (SECOND in words), letter.message["Subject"]


def _papers(message: EmailMessage) -> list[str]:
    """The names of a mail's files, and the words on those that are PDF."""
    texts = []
    for file in message.iter_attachments():
        texts.append(str(file.get_filename()))
        if file.get_content_type() == "application/pdf":
            texts.append(_words_on(file.get_content()))
    return texts


@cache
def _words_on(pdf: bytes) -> str:
    """The same map goes to everybody and is looked at once."""
    return " ".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(io.BytesIO(pdf)))


def _the_calendar_is_the_worked_one(tables: Tables) -> None:
    """CAL-03 to CAL-09 of the second game, whose deadlines no one moved; the days are those of the
    requirements."""
    for name, day in (
        ("Summer 1642 Movement", 13),
        ("Autumn 1642 Movement", 28),
        ("Winter 1643 Adjustment", 33),
    ):
        assert tables.phase(SECOND, name).deadline == worked(day), name
    assert tables.phase(SECOND, "Spring 1643 Movement").opens_at == worked(34)
    assert tables.phase(FIRST, "Autumn 1642 Movement").deadline == worked(29)
