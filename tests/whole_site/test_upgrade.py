"""A site made before an upgrade: the database, archives, backup and letters that commit a9edea3 left, read,
and verified by the code of today (HOU-08).

`expected.json` holds what that commit said of them; the README beside it tells how both were made.
"""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, inspect, select, text

import maps
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.serialize import codec
from adjudicator.serialize.answers import answer
from adjudicator.serialize.cases import CaseReader
from demo.coordinator import NAME, PASSWORD
from service.archive import rows as archive_rows
from service.archive.backup import BackupFault, newest_migration, restore
from service.archive.export import Edition, write_archive
from service.archive.import_game import import_archive
from service.archive.verify_game import in_stored_words
from service.bootstrap import open_site
from service.clock import SimulatedClock
from service.facts.options import StoredOptions
from service.games.rulings import as_played
from service.record import chain
from service.record.chain import sessions
from service.site_folder import bring_up_to_date, settings_of
from service.store.blobs import Blobs
from service.store.digests import leaf, link, start
from service.store.engine import Store, migrate, open_engine
from service.store.tables import (
    LineRow,
    MailRow,
    MailState,
    OutboxRow,
    PageRow,
    PhaseRow,
    PhaseState,
    SubmissionRow,
)
from tests.whole_site.old_site import (
    ARCHIVES,
    BRIDGE,
    CROWN,
    EXPECTED,
    ROOT,
    STOPPED,
    WHOLE_ARCHIVES,
    kept_letters,
    letters_as_json,
    letters_named,
    lines_as_json,
    mails_as_json,
    phases_as_json,
    submissions_as_json,
    verified,
)


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
        before, number = start(game, 1), 0
        for number, entry in enumerate(chain.entries(session, game), start=1):
            before = link(before, number, entry.leaf)
            assert (entry.number, entry.link) == (number, before)
            assert leaf(entry.salt, entry.body, 1) == entry.leaf
        root = chain.root(session, game)
        assert (root.number, root.link) == (number, before)
        assert {"entries": number, "root": before} == EXPECTED["records"][game]
        assert archive_rows.first_difference(session, game) is None


# Archives, letters and the backup ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_old_archive_is_verified_with_the_letters_of_its_game(old: Path, name: str) -> None:
    expected = EXPECTED["archives"][name]
    code, printed = verified(old / "archives" / name, kept_letters(old, name))
    assert code == 0, printed
    assert f"{expected['entries']} entries, {expected['open']} of them open, unbroken." in printed
    assert printed.splitlines()[-1] == f"Root {expected['root']}"
    assert re.search(rf"^{expected['judged']} judged .* with the same results\.$", printed, re.MULTILINE)
    assert sorted(letters_named(printed)) == expected["letters"]


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


@pytest.mark.parametrize("name", [
    name if name.startswith("powick-bridge") else pytest.param(name, marks=pytest.mark.slow)
    for name in WHOLE_ARCHIVES
])  # fmt: skip
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


def test_the_old_backup_is_refused_and_names_its_galloper(
    old: Path, new_database: Engine, tmp_path: Path
) -> None:
    """A backup is restored by a Galloper with the same tables; nothing of another one is written."""
    with (old / "backup.tar").open("rb") as source, pytest.raises(
        BackupFault, match=r"by Galloper 0\.1\.0 with tables 0008, .* Nothing was put back"
    ):
        restore(source, new_database, Blobs(tmp_path / "blobs"), None, STOPPED)
    with sessions(new_database)() as session:
        assert not [*lines_as_json(session), *phases_as_json(session), *letters_as_json(session)]


# Stored values of every game --------------------------------------------------------------------------------


def test_there_are_stored_values_of_every_game(old: Path) -> None:
    assert {path.stem for path in (old / "stored").iterdir()} == set(maps.variants())


@pytest.mark.parametrize("slug", maps.variants())
def test_stored_values_come_back_and_are_judged_alike(old: Path, slug: str) -> None:
    """Positions, orders and resolutions come back to the same bytes; the same orders have the same results;
    the contract's case has the same answer."""
    # A game that began then is judged by the house rules of then.
    variant = as_played(maps.load(slug), StoredOptions())
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
        # Every sentence is the stored one or says the same in today's words, and nothing else differs.
        again = in_stored_words(judge(context, rules, position, orders, Lots(then["lots"])), resolution)
        assert json.loads(json.dumps(codec.dump_resolution(again))) == then["resolution"], name
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
