"""A game rehearsed on a real site, next to the real game of the same name, and removed again (INS-07)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlalchemy import select, update

from service.cli.games import create_game, show_games
from service.config import ConfigError
from service.desk import queries
from service.features.rehearsal.commands import as_rehearsal, game_new_rehearsal, remove_game
from service.features.rehearsal.removal import remove_rehearsal
from service.games import create
from service.games.acts.games import BeginGame
from service.games.deadlines import REHEARSAL_NOTICE
from service.games.phases import phase_of
from service.games.refused import Refused
from service.games.turns import NotReady
from service.intake.quarantine import DiscardMail
from service.notices.broadcasts import Broadcasts
from service.notices.reminders import Reminders, due
from service.notices.results import ResultsAnnouncer
from service.record import chain
from service.site_folder import opened, settings_of
from service.store import dump, records
from service.store.tables import (
    GameRow,
    MailState,
    OutboxRow,
    PhaseRow,
    PhaseState,
    PlayerRow,
    RecordPendingRow,
)
from tests.support import played
from tests.support.acting import do
from tests.support.own_site import game_file, own_site
from tests.support.public_site import visitor
from tests.support.site import Site
from tests.support.table import Table, address, open_table

SLOW_ON_POSTGRES = True
HOURS = 2.0
NAME, SLUG = "Rehearsal Powick Bridge", "rehearsal-powick-bridge"
GUEST, GUESTS_ADDRESS = "Newcastle", "guest@elsewhere.example"
"""A power that another person plays in the rehearsal, who has no seat in the real game."""


@pytest.fixture
def table(any_site: Site) -> Table:
    """The real game: a sheet by mail, its receipt, welcomes."""
    real = open_table(any_site)
    real.take(real.mail("Montrose", 90), any_site.clock.now() + timedelta(minutes=5))
    with any_site.store.begin() as session:
        Broadcasts(real.writer).welcome(session, real.game)
    return real


def rehearse(real: Table, begins: datetime) -> Table:
    """The same game as a rehearsal: the same people but for one."""
    site, variant = real.site, real.variant
    site.clock.set(begins)
    mails = {power: (address(power),) for power in variant.powers} | {GUEST: (GUESTS_ADDRESS,)}
    names = {power: f"Player {power}" for power in variant.powers} | {GUEST: "Guest"}
    seats = [create.GameSeat(power, names[power], "Europe/London", group) for power, group in mails.items()]
    new = as_rehearsal(create.NewGame("Powick Bridge", "w3k", begins.date(), seats), begins, HOURS)
    do(real, BeginGame(new, variant), now=begins)
    again = replace(real, game=new.slug)
    again.announce = ResultsAnnouncer(again.writer, drawing=False)
    return again


def everything(site: Site) -> tuple[dict[str, list[bytes]], list[str]]:
    """Every row of every table, and the name of every file."""
    with site.engine.connect() as connection:
        # A backup leaves out what waits to be entered in a record.
        rows = {table.name: sorted(dump.lines(connection, table)) for table in dump.tables()}
        pending = connection.execute(select(RecordPendingRow)).all()
        rows["record_due"] = [repr(tuple(row)).encode() for row in pending]
    folder = site.blobs.path("0" * 64).parents[1]
    return rows, sorted(path.name for path in folder.rglob("*") if path.is_file())


def play(again: Table) -> None:
    """Welcomes, a sheet by mail, a reminder, a mail that cannot be used, results, and the next phase."""
    site, first = again.site, again.phase()
    with site.store.begin() as session:
        Broadcasts(again.writer).welcome(session, again.game)
        session.execute(update(PlayerRow).where(PlayerRow.name == "Guest").values(reminders=True))
    subject = again.subject("Montrose").replace("Powick Bridge", NAME)
    mail = again.take(again.mail("Montrose", 120, subject=subject), first.opens_at + timedelta(minutes=5))
    assert (mail.state, (mail.verdict or {})["game"]) == (MailState.USED, NAME)
    strange = again.mail("Montrose", 121, subject="My orders", note="no game")
    strange = strange.replace(address("Montrose").encode(), GUESTS_ADDRESS.encode())
    strange = strange.replace(b"montrose.example", b"elsewhere.example")
    assert again.take(strange, first.opens_at + timedelta(minutes=6)).state == MailState.QUARANTINED
    site.clock.set(first.deadline - timedelta(minutes=15))
    with site.store.begin() as session:
        assert due(session, first.id, site.clock.now()) == 48
        assert Reminders(again.writer).put_due(session, first.id) == 1
    played.read(again, "Montrose", ["A Inverness H", "A Blair Castle H"])
    with pytest.raises(NotReady, match="a mail in quarantine of Newcastle"):
        played.finish(again)
    discard(again)
    again.approve_phase(first.id, "Ada")


def discard(table: Table) -> None:
    """The coordinator sets every mail in quarantine aside, for without that no results go out (LET-01)."""
    with table.site.store() as session:
        waiting = [mail.sha256 for mail in queries.quarantine(session)]
    assert waiting
    for sha256 in waiting:
        do(table, DiscardMail(sha256, "It names no game, and its player was asked to send it again."))


def letters(again: Table) -> Iterator[tuple[OutboxRow, EmailMessage]]:
    for row in again.letters():
        if row.game_id == again.game:
            yield row, again.message(row)


@pytest.mark.slow
def test_a_rehearsal_is_marked_timed_in_hours_and_gone_without_trace(table: Table) -> None:
    """INS-07: its phases take hours, every letter shows what it is in subject and first line, so do the
    pages, and after its removal every row and every file of the site is as it was before."""
    site = table.site
    with site.store() as session:
        root = chain.root(session, table.game)
    before = everything(site)
    again = rehearse(table, datetime(2027, 3, 2, 9, 30, tzinfo=UTC))
    assert [(row.deadline - row.opens_at).total_seconds() / 3600 for row in again.phases()] == [HOURS] * 9
    play(again)
    kinds = set()
    for row, message in letters(again):
        body, page = message.get_body(("plain",)), message.get_body(("html",))
        assert body is not None
        assert page is not None
        assert NAME in str(message["Subject"])
        assert body.get_content().splitlines()[0] == REHEARSAL_NOTICE, row.kind
        assert REHEARSAL_NOTICE in page.get_content()
        kinds.add(row.kind)
    assert {"welcome", "receipt", "reminder"} <= kinds
    # A letter that names no game is marked too, where its reader plays nothing but the rehearsal.
    about_guest = [again.message(row).get_body(("plain",)) for row in again.letters("coordinator_notice")
                   if row.game_id is None]
    assert [str(body.get_content()).splitlines()[0] for body in about_guest if body] == [REHEARSAL_NOTICE]
    # Who plays one game is refused in its name, whatever the mail names: that letter was marked above.
    assert "rejection" in kinds
    assert not [row for row in again.letters() if row.game_id is None and row.recipient == GUESTS_ADDRESS]
    assert kinds & {"draft_results", "final_results"}
    with visitor(site) as client:
        assert "This game is a rehearsal" in client.get(f"/public/{SLUG}").text
        assert "rehearsal" not in client.get(f"/public/{table.game}").text
    removed = remove_rehearsal(site.engine, site.blobs, SLUG)
    assert removed.roots == (root,)
    assert removed.rows["lines"] == 2
    after = everything(site)
    assert after[0] == before[0]
    assert after[1] == before[1]


def test_what_the_real_game_names_too_stays(table: Table) -> None:
    """INS-07: a mail of a person who plays in both games and named neither is in both records, so it stays;
    and the real game plays on with an unbroken record."""
    site = table.site
    rehearse(table, site.clock.now())
    unclear = table.take(table.mail("Argyll", 60, subject="Orders"), site.clock.now() + timedelta(minutes=1))
    assert unclear.state == MailState.QUARANTINED
    remove_rehearsal(site.engine, site.blobs, SLUG)
    with site.store() as session:
        assert chain.entry_of(session, table.game, "mail", unclear.sha256) is not None
        assert site.blobs.read(unclear.sha256)
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    played.read(table, "Montrose", ["A Inverness H", "A Blair Castle H"])
    phase = table.phase()
    with pytest.raises(NotReady, match="a mail in quarantine of Argyll"):
        played.finish(table)
    discard(table)
    table.approve_phase(phase.id, "Ada")
    assert table.phase().state == PhaseState.SENT
    with site.store() as session:
        assert chain.root(session, table.game).number > 30


def test_a_real_game_is_never_removed(table: Table) -> None:
    """INS-07: not even one whose row was changed by hand in the database, since its record states
    otherwise."""
    site = table.site
    before = everything(site)
    with pytest.raises(Refused, match="Powick Bridge is a real game"):
        remove_rehearsal(site.engine, site.blobs, table.game)
    assert everything(site) == before
    with site.store.begin() as session:
        row = session.get_one(GameRow, table.game)
        row.options = {**row.options, "rehearsal_hours": 4.0}
    with pytest.raises(Refused, match="Powick Bridge is a real game"):
        remove_rehearsal(site.engine, site.blobs, table.game)
    with site.store() as session:
        assert [game.id for game in records.games(session)] == [table.game]


@pytest.mark.slow
def test_by_the_commands_beside_the_real_game(tmp_path: Path) -> None:
    """INS-07: one file makes the rehearsal and the real game; a file cannot make a rehearsal by itself."""
    folder, file, out = own_site(tmp_path / "site"), game_file(tmp_path, date(2097, 3, 1)), io.StringIO()
    assert create_game(folder, file, out, changes=[game_new_rehearsal(rehearsal=True, hours=3.0)]) == 0
    assert "It is a rehearsal, 3 hours a phase" in out.getvalue()
    assert create_game(folder, file, io.StringIO()) == 0
    with opened(settings_of(folder)) as store, store() as session:
        rehearsal, real = (
            session.scalars(select(PhaseRow).where(PhaseRow.game_id == game).order_by(PhaseRow.ordinal)).all()
            for game in (SLUG, "powick-bridge"))
        assert [phase_of(row) for row in rehearsal] == [phase_of(row) for row in real]
        assert rehearsal[0].deadline - rehearsal[0].opens_at == timedelta(hours=3)
        assert real[0].deadline == datetime(2097, 3, 14, 7, 0, tzinfo=UTC)
    assert remove_game(folder, SLUG, out) == 0
    shown = io.StringIO()
    show_games(folder, shown)
    assert shown.getvalue().splitlines()[0] == "Powick Bridge (w3k)"
    text = file.read_text(encoding="utf-8")
    by_hand = text.replace("[seats]", "[options]\nrehearsal_hours = 4\n[seats]")
    for changed, words in ((by_hand, "options.rehearsal_hours"),
                           (text.replace("Powick", "Rehearsal Powick"), "belongs to a rehearsal")):
        file.write_text(changed, encoding="utf-8")
        with pytest.raises(ConfigError, match=words):
            create_game(folder, file, io.StringIO())
