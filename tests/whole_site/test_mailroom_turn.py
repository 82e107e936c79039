"""One turn on real servers: sample sheets by LMTP into Dovecot with IDLE waiting, read, reviewed at the desk,
judged, and the results out by SMTP with attachments that open."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image
from sqlalchemy import ColumnElement, func, select

from demo.coordinator import NAME, PASSWORD, ScriptedCoordinator
from demo.story import AUTHSERV, Story, read_story
from service.bootstrap import Running, Site, open_site
from service.config import MailIn, MailOut, Settings, Web
from service.games import create
from service.games.deadlines import PhaseWindow
from service.games.turns import extend_calendar
from service.store.tables import GameRow, MailRow, MailState, OutboxRow, PhaseRow, PhaseState, SubmissionRow
from service.web import sessions
from service.web.server import WebServer
from tests.support.mails import wait_for
from tests.support.servers.dovecot import PASSWORD as MAIL_PASSWORD, USER, Dovecot
from tests.support.servers.smtp_sink import Letter, SmtpSink

ROUND = "Summer 1642 Movement"
ORDERS = "orders@galloper.example"
SENT = {"The Crown", "Cumberland", "Montrose"}
"""Powers whose sheets are sent here; the demo plays all ten."""


@pytest.fixture(scope="module")
def story() -> Story:
    return read_story()


@pytest.fixture
def turn_site(
    tmp_path: Path, dovecot: Dovecot, smtp_sink: SmtpSink, story: Story
) -> Iterator[tuple[Site, str]]:
    site = open_site(
        Settings(
            data=str(tmp_path / "site"),
            order_address=ORDERS,
            coordinator="coordinator@galloper.example",
            mail_in=MailIn(
                host="127.0.0.1",
                port=dovecot.imap,
                tls=False,
                user=USER,
                password=MAIL_PASSWORD,
                trusted_authserv_ids=(AUTHSERV,),
            ),
            mail_out=MailOut(
                host="127.0.0.1", port=smtp_sink.port, starttls=False, sender=f"Galloper <{ORDERS}>"
            ),
            web=Web(secure_cookies=False),
        )
    )
    variant, now = site.load(story.variant), datetime.now(UTC)
    seats = [
        create.GameSeat(power, name, "Europe/London", (mail,))
        for power, (name, mail) in story.players.items()
    ]
    window = PhaseWindow(variant.start.phase, now - timedelta(days=1), now + timedelta(days=1))
    with site.store.begin() as session:
        sessions.add_user(session, NAME, PASSWORD, now)
        new = create.NewGame(story.game, story.variant, date(2027, 3, 1), seats)
        row = create.create(session, new, variant, window, now)
        extend_calendar(session, session.get_one(GameRow, row.game_id), variant)
    running, web = Running(site), WebServer(site.desk(), "127.0.0.1", 0)
    running.start()
    web.start()
    yield site, web.address
    web.stop()
    running.stop()
    site.engine.dispose()


def count(site: Site, *where: ColumnElement[bool]) -> int:
    with site.store() as session:
        return session.scalar(select(func.count()).select_from(MailRow).where(*where)) or 0


def unread(site: Site) -> int:
    with site.store() as session:
        return (
            session.scalar(
                select(func.count()).select_from(SubmissionRow).where(SubmissionRow.read_at.is_(None))
            )
            or 0
        )


def state(site: Site, phase: int) -> str:
    with site.store() as session:
        return session.get_one(PhaseRow, phase).state


def kinds(site: Site) -> dict[str, str]:
    """Message-ID to kind of letter."""
    with site.store() as session:
        return {row.message_id: row.kind for row in session.scalars(select(OutboxRow))}


def opened(part: EmailMessage) -> str:
    """Open an attachment as its kind; what it is."""
    kind, data = part.get_content_type(), part.get_content()
    if kind.startswith("image/") and kind != "image/svg+xml":
        with Image.open(io.BytesIO(data)) as picture:
            picture.load()
            assert min(picture.size) > 100
            assert not picture.getexif()
    elif kind == "application/pdf":
        with pypdfium2.PdfDocument(data) as document:
            assert len(document) >= 1
    elif kind == "application/json":
        # By this file the results can be checked.
        assert json.loads(data)["format"].startswith("galloper ")
    else:
        raise AssertionError(f"an attachment of kind {kind} that no test opens")
    return kind


@pytest.mark.slow
def test_a_turn_from_photographs_to_results(
    turn_site: tuple[Site, str], dovecot: Dovecot, smtp_sink: SmtpSink, story: Story
) -> None:
    site, address = turn_site
    mails = [m for m in story.mails_of(ROUND) if m.fate == "accepted" and m.power in SENT]
    stranger = next(m for m in story.mails_of(ROUND) if m.fate == "quarantined")
    for mail in [*mails, stranger]:
        dovecot.deliver(mail.to_bytes(ORDERS, datetime.now(UTC)), mail.sender)
    assert wait_for(lambda: count(site) == len(mails) + 1, 60)
    assert wait_for(lambda: count(site, MailRow.state == MailState.STORED) == 0, 60)
    assert count(site, MailRow.state == MailState.USED) == len(mails)
    assert count(site, MailRow.state == MailState.QUARANTINED) == 1
    assert wait_for(lambda: unread(site) == 0, 200)
    assert dovecot.contents() == []

    with site.store.begin() as session:
        phase = session.scalars(select(PhaseRow).where(PhaseRow.state == PhaseState.OPEN)).one()
        phase.deadline = datetime.now(UTC)
        number = phase.id
    assert wait_for(lambda: state(site, number) in {PhaseState.CLOSED, PhaseState.READY}, 60)
    hand = ScriptedCoordinator(address)
    hand.sign_in()
    powers = site.load(story.variant).powers.values()
    hand.read_lines(number, {p.name: story.written_lines(ROUND, p.id) for p in powers})
    assert wait_for(lambda: state(site, number) == PhaseState.READY, 60)
    hand.approve(number)
    assert wait_for(lambda: state(site, number) == PhaseState.SENT, 60)

    by_id = kinds(site)
    player_addresses = {mail for _, mail in story.players.values()}

    def results() -> list[Letter]:
        return [
            letter for letter in smtp_sink.letters if "results" in by_id.get(letter.message["Message-ID"], "")
        ]

    assert wait_for(lambda: {r for letter in results() for r in letter.recipients} == player_addresses, 60)
    assert len(results()) == len(player_addresses)
    for letter in results():
        files = [opened(part) for part in letter.message.iter_attachments()]
        assert any(kind.startswith("image/") for kind in files)
        body = letter.message.get_body(("plain",))
        assert body is not None
        assert "Raglan Castle" in body.get_content()
    assert not any("mallory" in to for letter in smtp_sink.letters for to in letter.recipients)
    receipts = [letter for letter in smtp_sink.letters
                if by_id.get(letter.message["Message-ID"]) == "receipt"]
    assert {r for letter in receipts for r in letter.recipients} == {m.sender for m in mails}
