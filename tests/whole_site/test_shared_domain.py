"""A site on its players' own domain, with a real Dovecot: every sheet counts, and only what the site sent is
its own mail (BOX-01)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from service.bootstrap import Site, open_site
from service.config import MailIn, MailOut, Settings
from service.games import create
from service.games.deadlines import PhaseWindow
from service.intake.ignored_mails import waiting
from service.notices.answers.replies import Replies
from service.store import records
from service.store.tables import MailRow, MailState, OutboxRow, PhaseRow, SubmissionRow
from tests.support.mail_builder import FIXTURES
from tests.support.servers.dovecot import PASSWORD, USER, Dovecot

MAILS = FIXTURES / "world" / "clients"
ORDERS = "orders@lettersite.example"
PLAYERS = {
    "Montrose": ("hal@marlpost.example",),
    "Argyll": ("nan.b@lettersite.example",),
    "The Crown": ("t.vane@lettersite.example",),
    "Newcastle": ("wat@lettersite.example",),
    "Manchester": ("e.quay@quaymail.example",),
}


@pytest.fixture
def site(tmp_path: Path, dovecot: Dovecot) -> Iterator[Site]:
    """Cropredy Bridge in Summer 1644, whose site and most players write from lettersite.example."""
    site = open_site(Settings(
        data=str(tmp_path / "site"), order_address=ORDERS, coordinator="ada@lettersite.example",
        mail_in=MailIn(host="127.0.0.1", port=dovecot.imap, tls=False, user=USER, password=PASSWORD,
                       trusted_authserv_ids=("mx.lettersite.example",)),
        mail_out=MailOut(kind="folder", path=str(tmp_path / "out"), sender=f"Games desk <{ORDERS}>"),
    ))
    variant, now = site.load("w3k"), datetime.now(UTC)
    powers = {power.name: power.id for power in variant.powers.values()}
    seats = [create.GameSeat(powers[name], name, "Europe/London", mails) for name, mails in PLAYERS.items()]
    window = PhaseWindow(variant.start.phase, now - timedelta(days=1), now + timedelta(days=1))
    with site.store.begin() as session:
        new = create.NewGame("Cropredy Bridge", "w3k", date(2027, 3, 1), seats)
        create.create(session, new, variant, window, now)
        session.flush()
        # The mails name the third summer; which one it is matters not to the mailbox.
        session.scalars(select(PhaseRow)).one().year = 1644
    yield site
    site.engine.dispose()


def judge_all(site: Site) -> None:
    """Empty the mailbox and judge what came, as the queue does."""
    site.take_in()
    with site.store() as session:
        keys = [row.sha256 for row in records.unfinished_mails(session)]
    for key in keys:
        site.process_mail(key)


def ends(site: Site) -> list[tuple[str, str | None]]:
    with site.store() as session:
        rows = session.scalars(select(MailRow).order_by(MailRow.stored_at, MailRow.sha256))
        return [(row.state, row.reason) for row in rows]


@pytest.mark.slow
def test_every_sheet_of_a_player_on_the_sites_domain_counts(site: Site, dovecot: Dovecot) -> None:
    """BOX-01: mail programs write the sender's domain, which is the site's, into Message-IDs; 24 of 26 such
    mails were dropped as own mail."""
    sheets = sorted(MAILS.glob("c0*.eml")) + sorted(MAILS.glob("c1[0-3]*.eml"))
    assert len(sheets) == 13
    for sheet in sheets:
        dovecot.append(sheet.read_bytes())
    judge_all(site)
    assert ends(site) == [(MailState.USED, None)] * 13
    with site.store.begin() as session:
        sheets_on_file = session.scalars(select(SubmissionRow)).all()
        assert len(sheets_on_file) == 13
        # The photographs of these mails are blank, and a receipt of a doubtful one waits for the reading
        # (SEC-07).
        for sheet_on_file in sheets_on_file:
            Replies(site.announcements.letters).read(
                session, sheet_on_file, session.get_one(PhaseRow, sheet_on_file.phase_id))
    with site.store() as session:
        letters = session.scalars(select(OutboxRow).where(OutboxRow.kind == "receipt")).all()
    assert len(letters) == 13
    assert all(letter.message_id.endswith("@lettersite.example>") for letter in letters)

    # Our own address, and a letter of ours under a player's name: its Message-ID is in the outbox.
    reflected = (MAILS / "c15-own-letter-reflected.eml").read_bytes().replace(
        b"<receipt.234242947f4c07eb5999cc2c@lettersite.example>", letters[0].message_id.encode())
    dovecot.append((MAILS / "c14-own-address.eml").read_bytes())
    dovecot.append(reflected)
    judge_all(site)
    assert sorted(ends(site))[:2] == [(MailState.IGNORED, "own_mail")] * 2
    with site.store() as session:
        (row,) = waiting(session)
        assert row.sender == "nan.b@lettersite.example"
        notices = session.scalars(select(OutboxRow).where(OutboxRow.kind == "coordinator_notice")).all()
    assert len(notices) == 1
