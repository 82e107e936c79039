"""A site made before an upgrade: the database, archives, backup and letters that commit a9edea3 left, read,
verified and played on by the code of today (HOU-08).

`expected.json` holds what that commit said of them; the README beside it tells how both were made.
"""

from __future__ import annotations

import html
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, func, inspect, select, text
from sqlalchemy.orm import Session

import maps
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.serialize import codec
from adjudicator.serialize.answers import answer
from adjudicator.serialize.cases import CaseReader
from demo.coordinator import NAME, PASSWORD, ScriptedCoordinator
from demo.story import StoryMail, WrittenLine
from grammar.print import canonical
from service.archive import rows as archive_rows
from service.archive.backup import newest_migration, restore
from service.archive.export import Edition, write_archive
from service.archive.import_game import import_archive
from service.archive.verify import run_verify
from service.bootstrap import Running, Site, open_site
from service.clock import SimulatedClock
from service.games.lines import lines_of
from service.record import chain
from service.record.chain import sessions
from service.site_folder import bring_up_to_date, settings_of
from service.store import records
from service.store.blobs import Blobs
from service.store.digests import leaf, link, start
from service.store.engine import Store, migrate, open_engine
from service.store.tables import (
    GameRow,
    LineRow,
    MailRow,
    MailState,
    OutboxRow,
    OutboxState,
    PageRow,
    PhaseRow,
    PhaseState,
    SubmissionRow,
)
from service.web.server import WebServer

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "data" / "old_site"
EXPECTED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
STOPPED = datetime.fromisoformat(EXPECTED["stopped"])
"""What the old site's clock said when it stopped."""
ARCHIVES = sorted(EXPECTED["archives"])
WHOLE_ARCHIVES = [name for name in ARCHIVES if name.endswith("-whole.zip")]
BRIDGE, CROWN = "powick-bridge", "broken-crown"
"""The two games on the old site: w3k from photographs, brittania from typed mails."""
RETREATS = {"Newcastle": "A Kesteven & Holland R Newark", "Ormond": "A County Wexford R Duncannon Fort"}
"""The orders on the two sheets of the phase that was open. The first was read before the upgrade, with
doubt; the second was taken in and waits to be judged."""
PATIENCE = 240.0
"""Seconds to wait for any one thing: reading loads the networks, which may find every core busy."""


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files as the old commit left them: `site`, `archives`, `letters`, `stored`, `backup.tar`.

    Nothing is written here."""
    folder = tmp_path_factory.mktemp("old-site")
    with tarfile.open(FOLDER / "old_site.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    return folder


@pytest.fixture
def site_folder(old: Path, tmp_path: Path) -> Path:
    """A copy of the old site's folder, to be written to."""
    return Path(shutil.copytree(old / "site", tmp_path / "site"))


@pytest.fixture
def store(site_folder: Path) -> Iterator[Store]:
    """The old site's database, brought up to date."""
    settings = settings_of(site_folder, {})
    bring_up_to_date(settings)
    engine = open_engine(settings.database_url)
    yield sessions(engine)
    engine.dispose()


@pytest.fixture
def new_database(tmp_path: Path) -> Iterator[Engine]:
    """An empty database in today's shape."""
    url = f"sqlite:///{tmp_path / 'new.sqlite'}"
    migrate(url)
    engine = open_engine(url)
    yield engine
    engine.dispose()


def kept_letters(old: Path, archive: str) -> list[Path]:
    """What two players kept of the game of an archive: the letters they received, and the sheets they
    sent."""
    game = next((game for game in (BRIDGE, CROWN) if archive.startswith(game)), "no game of the site")
    return sorted((old / "letters").glob(f"{game}*.eml"))


# The database -----------------------------------------------------------------------------------------------


def test_every_row_is_there_after_the_upgrade(old: Path, site_folder: Path) -> None:
    """Tables may get columns; no row of an old one goes."""
    before = open_engine(f"sqlite:///{old / 'site' / 'galloper.sqlite'}")
    tables = [name for name in inspect(before).get_table_names() if name != "alembic_version"]
    counts = {name: _row_count(before, name) for name in tables}
    before.dispose()
    settings = settings_of(site_folder, {})
    bring_up_to_date(settings)
    after = open_engine(settings.database_url)
    with after.connect() as connection:
        version = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
    assert version == newest_migration()
    assert {name: _row_count(after, name) for name in counts} == counts
    assert counts["lines"] == len(EXPECTED["lines"]) > 60
    after.dispose()


def _row_count(engine: Engine, table: str) -> int:
    with engine.connect() as connection:
        return int(connection.execute(text(f'SELECT count(*) FROM "{table}"')).scalar_one())


def test_readings_and_decisions_are_as_they_were(store: Store) -> None:
    with store() as session:
        assert lines_as_json(session) == EXPECTED["lines"]
    states = {line["state"] for line in EXPECTED["lines"]}
    assert {"auto", "open", "read", "not an order"} <= states
    assert any(len(line["candidates"]) > 1 for line in EXPECTED["lines"])


def test_boards_and_results_are_as_they_were(store: Store) -> None:
    with store() as session:
        assert phases_as_json(session) == EXPECTED["phases"]
    results = {result for phase in EXPECTED["phases"] for _, _, result, _ in phase["outcomes"]}
    assert {"succeeds", "fails"} <= results
    assert any(phase["own"] for phase in EXPECTED["phases"])
    assert any(phase["dislodged"] for phase in EXPECTED["phases"])


def test_mails_papers_and_letters_are_as_they_were(store: Store) -> None:
    with store() as session:
        assert mails_as_json(session) == EXPECTED["mails"]
        assert submissions_as_json(session) == EXPECTED["papers"]
        assert letters_as_json(session) == EXPECTED["letters"]


def test_every_file_is_there_and_unchanged(store: Store, site_folder: Path) -> None:
    blobs = Blobs(site_folder / "blobs")
    columns = (MailRow.sha256, PageRow.original, PageRow.upright, OutboxRow.message)
    with store() as session:
        keys = {key for column in columns for key in session.scalars(select(column)) if key is not None}
    assert len(keys) > 100
    for key in sorted(keys):
        assert blobs.read(key)  # which checks the bytes against their name


@pytest.mark.parametrize("game", [BRIDGE, CROWN])
def test_the_record_is_unbroken_and_tells_what_the_tables_do(store: Store, game: str) -> None:
    """Every digest is computed again; and each fact is described today as it was entered then."""
    with store() as session:
        before, number = start(game), 0
        for number, entry in enumerate(chain.entries(session, game), start=1):
            before = link(before, number, entry.leaf)
            assert (entry.number, entry.link) == (number, before)
            assert leaf(entry.salt, entry.body) == entry.leaf
        root = chain.root(session, game)
        assert (root.number, root.link) == (number, before)
        assert {"entries": number, "root": before} == EXPECTED["records"][game]
        assert archive_rows.first_difference(session, game) is None


# Archives, letters and the backup ---------------------------------------------------------------------------


def verified(archive: Path, letters: list[Path]) -> tuple[int, str]:
    """What `galloper verify` ends with, and what it prints."""
    printed = io.StringIO()
    return run_verify(archive, letters, printed), printed.getvalue()


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_old_archive_is_verified_with_the_letters_of_its_game(old: Path, name: str) -> None:
    expected = EXPECTED["archives"][name]
    code, printed = verified(old / "archives" / name, kept_letters(old, name))
    assert code == 0, printed
    assert f"{expected['entries']} entries, {expected['open']} of them open, unbroken." in printed
    assert printed.splitlines()[-1] == f"Root {expected['root']}"
    assert re.search(rf"^{expected['judged']} judged .* with the same results\.$", printed, re.MULTILINE)
    assert sorted(letters_named(printed)) == expected["letters"]


def letters_named(printed: str) -> set[str]:
    """The letters that a verification says something good of."""
    return {line.partition(":")[0] for line in printed.splitlines() if ".eml: " in line}


@pytest.mark.parametrize("name", ARCHIVES)
def test_the_checker_that_shares_no_code_agrees(old: Path, name: str) -> None:
    files = [old / "archives" / name, *kept_letters(old, name)]
    completed_process = subprocess.run(
        [sys.executable, "-I", "-S", str(ROOT / "tools" / "verify_record.py"), *map(str, files)],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "", "PYTHONUTF8": "1"},
    )
    assert completed_process.returncode == 0, completed_process.stdout + completed_process.stderr


@pytest.mark.parametrize("edition", list(Edition))
def test_a_letter_with_one_digit_changed_is_found_out(old: Path, tmp_path: Path, edition: Edition) -> None:
    archive, changed = old / "archives" / f"{BRIDGE}-{edition.value}.zip", 0
    for path in kept_letters(old, BRIDGE):
        letter = path.read_bytes()
        digest = re.search(rb"with\s+this\s+(?:digest|root):\s+([0-9a-f]{64})", letter)
        if digest is not None:
            first = digest.start(1)
            other = b"1" if letter[first : first + 1] == b"0" else b"0"
            forged = tmp_path / path.name
            forged.write_bytes(letter[:first] + other + letter[first + 1 :])
            assert verified(archive, [path])[0] == 0
            assert verified(archive, [forged])[0] == 1, path.name
            changed += 1
    assert changed >= 3


@pytest.mark.parametrize("edition", list(Edition))
@pytest.mark.parametrize("game", [BRIDGE, CROWN])
def test_an_archive_of_today_opens_the_same_entries(
    old: Path, store: Store, site_folder: Path, tmp_path: Path, game: str, edition: Edition
) -> None:
    """Nothing was done since: byte for byte the same record, and the same files beside it."""
    today, name = tmp_path / "today.zip", f"{game}-{edition.value}.zip"
    with store() as session, today.open("w+b") as file:
        write_archive(session, Blobs(site_folder / "blobs"), game, edition, STOPPED, "today", file)
    with zipfile.ZipFile(today) as new, zipfile.ZipFile(old / "archives" / name) as then:
        assert new.read("record.jsonl") == then.read("record.jsonl")
        assert sorted(new.namelist()) == sorted(then.namelist())
        for member in then.namelist():
            if member.startswith("positions/"):
                assert json.loads(new.read(member)) == json.loads(then.read(member))
    assert verified(today, kept_letters(old, name))[0] == 0


@pytest.mark.parametrize("name", WHOLE_ARCHIVES)
def test_a_game_is_put_into_a_new_site(old: Path, new_database: Engine, tmp_path: Path, name: str) -> None:
    """The import works out what the record tells of every row, and takes none that says otherwise."""
    blobs = Blobs(tmp_path / "blobs")
    root = import_archive(old / "archives" / name, new_database, blobs, None, STOPPED)
    today = tmp_path / "today.zip"
    with sessions(new_database)() as session, today.open("w+b") as file:
        write_archive(session, blobs, root.game_id, Edition.WHOLE, STOPPED, "today", file)
    code, printed = verified(today, kept_letters(old, name))
    assert code == 0, printed
    with zipfile.ZipFile(today) as new, zipfile.ZipFile(old / "archives" / name) as then:
        # Behind the old entries stands one more, which tells of the import.
        assert new.read("record.jsonl").startswith(then.read("record.jsonl"))


def test_the_old_backup_is_put_back(old: Path, new_database: Engine, tmp_path: Path) -> None:
    """A backup is restored by a Galloper with the same tables."""
    with (old / "backup.tar").open("rb") as source:
        # With the first migration after a9edea3 today's code must refuse this one and name the version that
        # made it; then this test is to say so.
        restored = restore(source, new_database, Blobs(tmp_path / "blobs"), None, STOPPED)
    roots = {root.game_id: {"entries": root.number, "root": root.link} for root in restored.roots}
    assert roots == EXPECTED["records"]
    assert restored.blobs > 100
    assert restored.letters == _letters_expected(OutboxState.QUEUED) > 0
    with sessions(new_database)() as session:
        assert lines_as_json(session) == EXPECTED["lines"]
        assert phases_as_json(session) == EXPECTED["phases"]
        assert letters_as_json(session) == EXPECTED["letters"]


# Stored values of every game --------------------------------------------------------------------------------


def test_there_are_stored_values_of_every_game(old: Path) -> None:
    assert {path.stem for path in (old / "stored").iterdir()} == set(maps.variants())


@pytest.mark.parametrize("slug", maps.variants())
def test_stored_values_come_back_and_are_judged_alike(old: Path, slug: str) -> None:
    """Positions, orders and resolutions come back to the same bytes; the same orders have the same results;
    the contract's case has the same answer. Sentences may be put better some day."""
    variant = maps.load(slug)
    context, rules = variant.context(), variant.rules
    lines = (old / "stored" / f"{slug}.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 10
    for line in lines:
        then = json.loads(line)
        name = then["name"]
        position = codec.load_position(then["position"])
        orders = codec.load_orders(then["orders"])
        resolution = codec.load_resolution(then["resolution"])
        assert json.dumps(codec.dump_position(position)) == json.dumps(then["position"]), name
        assert json.dumps(codec.dump_orders(orders)) == json.dumps(then["orders"]), name
        assert json.dumps(codec.dump_resolution(resolution)) == json.dumps(then["resolution"]), name
        again = codec.dump_resolution(judge(context, rules, position, orders, Lots(then["lots"])))
        assert without_sentences(again) == without_sentences(then["resolution"]), name
        if then["case"] is not None:
            case = CaseReader(context, rules, position.phase.year).read(then["case"])
            assert case.position == position, name
            again_judged = judge(context, rules, case.position, case.orders, case.lots)
            now = answer(case, again_judged, rules)
            assert without_sentences(json.loads(json.dumps(now))) == without_sentences(then["answer"]), name


def without_sentences(value: Any) -> Any:
    """A document of a judged phase without its reasons in words."""
    match value:
        case dict():
            return {
                key: without_sentences(item)
                for key, item in value.items()
                if key not in {"why", "cause", "notes"}
            }
        case list():
            return [without_sentences(item) for item in value]
        case _:
            return value


# The desk and the public pages ------------------------------------------------------------------------------


def test_every_page_of_the_old_site_is_shown(site_folder: Path) -> None:
    """To the old coordinator, who signs in by the old password."""
    site = open_site(settings_of(site_folder, {}), clock=SimulatedClock(STOPPED))
    with TestClient(site.desk(), base_url="http://127.0.0.1") as client:
        client.post("/sign-in", data={"name": NAME, "password": PASSWORD})
        with site.store() as session:
            moves = session.scalars(
                select(PhaseRow).where(PhaseRow.game_id == BRIDGE, PhaseRow.state == PhaseState.SENT)
            ).one()
            submissions = session.scalars(
                select(SubmissionRow).where(SubmissionRow.phase_id == moves.id)).all()
            results = session.scalars(select(OutboxRow.id).where(OutboxRow.kind == "draft_results")).first()
            strange = session.scalars(
                select(MailRow.sha256).where(MailRow.state == MailState.QUARANTINED)
            ).one()
            line = session.scalars(
                select(LineRow).where(
                    LineRow.order == "A County Kilkenny - County Wexford", LineRow.kind == "order"
                )
            ).one()
        pages = {
            "/": "Powick Bridge",
            f"/desk/{moves.id}": "Powick Bridge",
            f"/results/{moves.id}": "County Kilkenny",
            f"/results/{moves.id}/correct": "called the fleet at Wexford an army",
            f"/sheets/{moves.id}": "Protectorate",
            "/letters": "ada@players.example",
            f"/letters/{results}": "Autumn 1642",
            "/quarantine": "mallory@elsewhere.example",
            f"/quarantine/{strange}": "mallory@elsewhere.example",
            "/games": "Broken Crown",
            f"/games/{BRIDGE}": "cleo@players.example",
            f"/games/{CROWN}": "ansel.dray@other.example",
            "/log": "about to be upgraded",
            "/health": "about to be upgraded",
            "/people": "Blaise",
            "/post": "Newcastle",
            f"/public/{BRIDGE}": "Powick Bridge",
            f"/public/{BRIDGE}/calendar": "Winter 1643",
            f"/public/{BRIDGE}/lots": "seed",
            f"/public/{CROWN}/lots": "Harvest 602",
            **{f"/sheet/{submission.id}": submission.power for submission in submissions},
        }
        for path, words in pages.items():
            page = client.get(path)
            assert page.status_code == 200, path
            assert words in html.unescape(page.text), path
        for picture in (f"line/{line.id}", f"strip/{line.id}", f"page/{line.page_id}"):
            assert client.get(f"/images/{picture}.jpg").content.startswith(b"\xff\xd8"), picture
    site.jobs.stop()
    site.engine.dispose()


# The games go on --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_games_are_played_on(old: Path, site_folder: Path, tmp_path: Path) -> None:
    """A mail that waited in the queue is judged and its sheet read. Letters that were held leave once. The
    open phase is closed, its old reading settled at the desk, judged and sent, and a turn of the other game
    after it. The archives that follow begin with the old records and prove the old letters."""
    clock = SimulatedClock(STOPPED)
    with running_site(site_folder, clock) as (site, coordinator):
        wait(
            "the waiting mail to be judged",
            lambda: count(site, MailRow, MailRow.state == MailState.STORED) == 0,
        )
        wait("its sheet to be read", lambda: count(site, SubmissionRow, SubmissionRow.read_at.is_(None)) == 0)
        held_letters_leave_once(site, coordinator, clock, site_folder / "outbox")
        retreats_are_judged(site, coordinator, clock)
        archive_proves_letters(site, old, BRIDGE, judged=2, folder=tmp_path)
        harvest_is_played(site, coordinator, clock, site_folder / "mail")
        archive_proves_letters(site, old, CROWN, judged=3, folder=tmp_path)


@contextmanager
def running_site(site_folder: Path, clock: SimulatedClock) -> Iterator[tuple[Site, ScriptedCoordinator]]:
    """The old site, served by today's code, with its coordinator signed in."""
    settings = settings_of(site_folder, {})
    # Letters may be larger than they were: making their pictures small takes longer than all the rest.
    larger = settings.mail_out.model_copy(update={"max_bytes": 8_000_000})
    site = open_site(settings.model_copy(update={"mail_out": larger}), clock=clock)
    reports: list[str] = []
    running, web = Running(site, report=reports.append), WebServer(site.desk(), "127.0.0.1", 0)
    running.start()
    web.start()
    try:
        coordinator = ScriptedCoordinator(web.address)
        coordinator.sign_in()
        yield site, coordinator
    finally:
        web.stop()
        running.stop()
        site.engine.dispose()
    assert not [report for report in reports if report]


def wait(event: str, is_done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_done():
        assert time.monotonic() < end, f"waited {PATIENCE:.0f} s for {event}"
        time.sleep(0.1)


def count(site: Site, row: type[Any], *conditions: Any) -> int:
    """How many rows of a table fulfil the conditions."""
    with site.store() as session:
        return session.scalar(select(func.count()).select_from(row).where(*conditions)) or 0


def state_of(site: Site, phase_id: int) -> str:
    with site.store() as session:
        return session.get_one(PhaseRow, phase_id).state


def held_letters_leave_once(
    site: Site, coordinator: ScriptedCoordinator, clock: SimulatedClock, outbox: Path
) -> None:
    """None of them leaves before the coordinator allows it."""
    sent = len(list(outbox.iterdir()))
    assert sent == _letters_expected(OutboxState.SENT)
    clock.advance(timedelta(minutes=2))
    site.look()
    site.jobs.wait_idle(PATIENCE)
    assert len(list(outbox.iterdir())) == sent
    held = count(site, OutboxRow, OutboxRow.state == OutboxState.QUEUED)
    assert held == _letters_expected(OutboxState.QUEUED) + 1  # the receipt of the mail that waited
    page = coordinator.get("/health")
    coordinator.post("/health/resume", csrf=page.partition('name="csrf" value="')[2].partition('"')[0])
    all_letters_leave(site, clock)
    assert len(list(outbox.iterdir())) == sent + held


def all_letters_leave(site: Site, clock: SimulatedClock) -> None:
    """The clock goes on first: letters are sent once for each of its instants."""
    clock.advance(timedelta(minutes=2))
    site.look()
    wait("all letters to leave", lambda: count(site, OutboxRow, OutboxRow.state != OutboxState.SENT) == 0)


def _letters_expected(state: OutboxState) -> int:
    return sum(letter["state"] == state for letter in EXPECTED["letters"])


def retreats_are_judged(site: Site, coordinator: ScriptedCoordinator, clock: SimulatedClock) -> None:
    """The phase that was open at the upgrade. Newcastle's line was read before it, with doubt: the
    coordinator takes the first of the readings that lie in the database."""
    with site.store() as session:
        phase = session.scalars(
            select(PhaseRow).where(PhaseRow.game_id == BRIDGE, PhaseRow.state == PhaseState.OPEN)
        ).one()
        submissions = session.scalars(select(SubmissionRow).where(SubmissionRow.phase_id == phase.id)).all()
        assert sorted((submission.power, submission.fate) for submission in submissions) == [
            (power, "counts") for power in sorted(RETREATS)
        ]
    written = {power: [WrittenLine(order, order, struck=False)] for power, order in RETREATS.items()}
    outcomes = close_judge_send(site, coordinator, clock, phase, written)
    assert coordinator.decisions["reading"] >= 1
    assert sorted(outcomes) == [(power, order, "succeeds") for power, order in sorted(RETREATS.items())]


def harvest_is_played(
    site: Site, coordinator: ScriptedCoordinator, clock: SimulatedClock, maildir: Path
) -> None:
    """Harvest 603 was still to come: it opens, a typed mail is taken in, and it is judged and sent."""
    with site.store() as session:
        phase = session.scalars(
            select(PhaseRow).where(PhaseRow.game_id == CROWN, PhaseRow.ordinal == 3)
        ).one()
    clock.set(phase.opens_at)
    site.look()
    wait("Harvest 603 to open", lambda: state_of(site, phase.id) == PhaseState.OPEN)
    mail = StoryMail(
        "red-603",
        "Harvest 603 Turn",
        "ansel.dray@other.example",
        "Broken Crown - Red - Harvest 603 - Turn Orders",
        (),
        "accepted",
        body="**15 Grain for Investing of Essex**",
    )
    file = maildir / "tmp" / "red-603"
    file.write_bytes(mail.to_bytes("orders@galloper.example", clock.now()))
    os.utime(file, (clock.now().timestamp(), clock.now().timestamp()))
    file.rename(maildir / "new" / "red-603")
    read = (SubmissionRow.phase_id == phase.id, SubmissionRow.read_at.is_not(None))
    wait("the mail to be read", lambda: count(site, SubmissionRow, *read) == 1)
    outcomes = close_judge_send(site, coordinator, clock, phase, {})
    assert outcomes == [("Red", "15 Grain for Investing of Essex", "succeeds")]


def close_judge_send(
    site: Site,
    coordinator: ScriptedCoordinator,
    clock: SimulatedClock,
    phase: PhaseRow,
    written: dict[str, list[WrittenLine]],
) -> list[tuple[str, str, str]]:
    """Take a phase from its deadline to its letters; power, order and result of every order."""
    clock.set(phase.deadline + timedelta(minutes=1))
    site.look()
    closed = {PhaseState.CLOSED, PhaseState.READY}
    wait("the phase to close", lambda: state_of(site, phase.id) in closed)
    coordinator.sign_in()  # a sign-in ends after twelve hours of rest
    coordinator.read_lines(phase.id, written)
    wait("the phase to be judged", lambda: state_of(site, phase.id) == PhaseState.READY)
    coordinator.approve(phase.id)
    wait("the results to be sent", lambda: state_of(site, phase.id) == PhaseState.SENT)
    all_letters_leave(site, clock)
    with site.store() as session:
        resolution = codec.load_resolution(session.get_one(PhaseRow, phase.id).resolution or {})
        board = maps.load(session.get_one(GameRow, phase.game_id).variant).board
    return [
        (outcome.order.power, canonical(outcome.order, board), outcome.result.value)
        for outcome in resolution.outcomes
    ]


def archive_proves_letters(site: Site, old: Path, game: str, *, judged: int, folder: Path) -> None:
    """The whole archive of a game played on: the old record is its beginning, and it proves every letter of
    before and after the upgrade. `judged`: how many phases it judges again."""
    name = f"{game}-whole.zip"
    with site.store() as session, (folder / name).open("w+b") as file:
        write_archive(session, site.blobs, game, Edition.WHOLE, site.clock.now(), "today", file)
        letters = session.scalars(select(OutboxRow).where(OutboxRow.game_id == game)).all()
    paths = [folder / f"{game}-{letter.id}.eml" for letter in letters]
    for letter, path in zip(letters, paths, strict=True):
        path.write_bytes(site.blobs.read(letter.message))
    code, printed = verified(folder / name, [*kept_letters(old, name), *paths])
    assert code == 0, printed
    assert f"{judged} judged phases were judged again, with the same results." in printed
    marked = {"receipt", "draft_results", "final_results"}
    assert {
        path.name for letter, path in zip(letters, paths, strict=True) if letter.kind in marked
    } <= letters_named(printed)
    with zipfile.ZipFile(folder / name) as new, zipfile.ZipFile(old / "archives" / name) as then:
        assert new.read("record.jsonl").startswith(then.read("record.jsonl"))


# A site in plain values; `expected.json` was written by the same functions on the old code ------------------


def lines_as_json(session: Session) -> list[dict[str, Any]]:
    """Every line as it was read and as it stands."""
    submission_ids = list(session.scalars(select(SubmissionRow.id).order_by(SubmissionRow.id)))
    lines = [
        {
            "id": line.id,
            "paper": submission_id,
            "kind": line.kind,
            "state": line.state.value,
            "text": line.text,
            "order": line.order,
            "by": line.by,
            "confidence": line.confidence,
            "struck": line.struck,
            "candidates": list(line.candidates),
            "box": [list(corner) for corner in line.box],
            "seen": line.machine_text,
            "seen_order": line.machine_order,
        }
        for submission_id, settled in lines_of(session, submission_ids).items()
        for line in settled
    ]
    return sorted(lines, key=lambda line: line["id"])


def phases_as_json(session: Session) -> list[dict[str, Any]]:
    """Every phase with its clock and board, and of a judged one what became of the orders."""
    phases = []
    for game in session.scalars(select(GameRow).order_by(GameRow.id)):
        board = maps.load(game.variant).board
        for row in records.phases(session, game.id):
            phase: dict[str, Any] = {
                "game": game.id,
                "number": row.ordinal,
                "season": row.season,
                "year": row.year,
                "kind": row.kind,
                "state": row.state,
                "review": row.review,
                "opens": row.opens_at.isoformat(),
                "deadline": row.deadline.isoformat(),
                "seed": row.seed,
                "units": [],
                "centres": {},
                "dislodged": [],
                "own": None,
                "outcomes": [],
                "units_after": [],
            }
            if row.position is not None:
                position = codec.load_position(row.position)
                phase["units"] = sorted(map(str, position.units))
                phase["centres"] = {power: sorted(owned) for power, owned in sorted(position.centres.items())}
                phase["dislodged"] = [
                    f"{beaten.unit} from {beaten.attacker_from}" for beaten in position.dislodged
                ]
                phase["own"] = None if position.own is None else codec.dump_own(position.own)
            if row.resolution is not None:
                resolution = codec.load_resolution(row.resolution)
                phase["outcomes"] = [
                    [
                        outcome.order.power,
                        canonical(outcome.order, board),
                        outcome.result.value,
                        outcome.reason,
                    ]
                    for outcome in resolution.outcomes
                ]
                phase["units_after"] = sorted(map(str, resolution.position.units))
            phases.append(phase)
    return phases


def mails_as_json(session: Session) -> list[dict[str, Any]]:
    """Every mail that came, and what was judged of it."""
    return [
        {
            "mail": mail.sha256,
            "size": mail.size,
            "received": mail.received_at.isoformat(),
            "state": mail.state,
            "reason": mail.reason,
            "sender": mail.sender,
            "verdict": mail.verdict,
        }
        for mail in session.scalars(select(MailRow).order_by(MailRow.sha256))
    ]


def submissions_as_json(session: Session) -> list[dict[str, Any]]:
    """Every filed paper."""
    return [
        {
            "id": submission.id,
            "mail": submission.sha256,
            "power": submission.power,
            "version": submission.version,
            "fate": submission.fate,
            "flags": list(submission.flags),
            "semantic_key": submission.semantic_key,
        }
        for submission in session.scalars(select(SubmissionRow).order_by(SubmissionRow.id))
    ]


def letters_as_json(session: Session) -> list[dict[str, Any]]:
    """Every letter in the outbox."""
    return [
        {
            "id": letter.id,
            "key": letter.key,
            "kind": letter.kind,
            "recipient": letter.recipient,
            "subject": letter.subject,
            "state": letter.state,
            "message": letter.message,
            "message_id": letter.message_id,
        }
        for letter in session.scalars(select(OutboxRow).order_by(OutboxRow.id))
    ]
