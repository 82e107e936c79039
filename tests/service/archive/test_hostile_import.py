"""An archive that a person made on purpose, put into a site (SEC-01): one sentence each, and nothing is
written."""

from __future__ import annotations

import hashlib
import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from service.archive.export import seal
from service.archive.import_game import ImportFault, Opener, contents_here, import_archive
from service.archive.jailed import contents_in_child
from service.store import dump
from service.store.tables import EventRow, PlayerRow, TableBase
from tests.support.altered import entries, packed, rechained, unpacked
from tests.support.played import archived, played
from tests.support.site import Site, make_site
from tests.support.table import Table

AT = "2026-03-01T12:00:00+00:00"
Row = dict[str, Any]
SAMPLES: dict[str, Row] = {
    "postal": {"id": 1, "player_id": 1, "lines": ["1 High Street"], "made_at": AT, "made_by": "Mallory"},
    "posted": {
        "id": 1,
        "phase_id": 9000,
        "power": "Argyll",
        "received": "2026-03-01",
        "made_at": AT,
        "made_by": "M",
    },
    "corrections": {
        "id": 1,
        "key": "k",
        "phase_id": 9000,
        "said": "a",
        "is_right": "b",
        "effect": "c",
        "found_by": "d",
        "by": "e",
        "at": AT,
    },
    "hands": {
        "id": 1,
        "player_id": 1,
        "version": 1,
        "digest": "0" * 64,
        "base": "0" * 64,
        "lines": [],
        "made_at": AT,
    },
    "lot_words": {
        "id": 1,
        "phase_id": 9000,
        "power": "Argyll",
        "word": "x",
        "received_at": AT,
        "mail": None,
        "made_by": "M",
    },
}
"""A row of each table of which the played game has none."""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    with make_site(tmp_path_factory.mktemp("site")) as site:
        yield played(site)


@pytest.fixture(scope="module")
def files(table: Table) -> dict[str, bytes]:
    return unpacked(archived(table))


def table_rows(files: dict[str, bytes]) -> list[Row]:
    return [json.loads(line) for line in files["tables.jsonl"].splitlines()]


def refused(data: bytes, site: Site, folder: Path, opener: Opener = contents_here) -> str:
    """The sentence of the refusal; nothing at all was written, no row and no file."""
    path = folder / "game.zip"
    path.write_bytes(data)
    with pytest.raises(ImportFault) as caught:
        import_archive(path, site.engine, site.blobs, None, site.clock.now(), opener)
    with site.engine.connect() as connection:
        for each in TableBase.metadata.sorted_tables:
            assert not list(dump.lines(connection, each)), each.name
    assert not [file for file in site.blobs.root.rglob("*") if file.is_file()]
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert "Traceback" not in sentence
    return sentence


def with_rows(files: dict[str, bytes], rows: list[Row], *raw: str) -> bytes:
    return packed({**files, "tables.jsonl": ("\n".join([*map(json.dumps, rows), *raw]) + "\n").encode()})


# What a whole archive has of one game; every other table is another person's.
OF_A_GAME = frozenset(
    {
        "games",
        "players",
        "postal",
        "addresses",
        "seats",
        "hands",
        "phases",
        "mails",
        "submissions",
        "posted",
        "pages",
        "lines",
        "reviews",
        "acts",
        "corrections",
        "lot_words",
        "outbox",
        "events",
        "record",
        "record_heads",
        "game_keys",
    }
)
USERS = {
    "name": "Mallory",
    "password": "$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA",
    "role": "coordinator",
    "created_at": AT,
    "keys": None,
}


@pytest.mark.parametrize("name", sorted({each.name for each in TableBase.metadata.sorted_tables} - OF_A_GAME))
def test_no_row_of_another_table_comes_in(
    files: dict[str, bytes], site: Site, tmp_path: Path, name: str
) -> None:
    """One `users` row in an honest archive once gave a site a second coordinator."""
    row = USERS if name == "users" else {}
    sentence = refused(with_rows(files, [*table_rows(files), {"table": name, "row": row}]), site, tmp_path)
    assert f"table {name}" in sentence


def a_stranger(row: Row, name: str) -> Row:
    """A row of that table which belongs to no part of the game."""
    keys = [column.name for column in TableBase.metadata.tables[name].primary_key.columns]
    other = {key: row[key] + 9000 if isinstance(row[key], int) else row[key][:-3] + "abc" for key in keys}
    return {**row, **other, **{name: "x" * 60 for name in ("key", "feed") if name in row}}


@pytest.mark.parametrize("name", sorted(OF_A_GAME))
def test_a_row_that_is_none_of_the_game_is_refused_by_its_table_and_key(
    table: Table, files: dict[str, bytes], site: Site, tmp_path: Path, name: str
) -> None:
    rows = table_rows(files)
    sample = next((line["row"] for line in rows if line["table"] == name), None)
    sample = sample or SAMPLES[name]
    game = next(line["row"] for line in rows if line["table"] == "games")
    other_game = {**game, "id": "another", "name": "Another"}
    row = a_stranger(sample, name)
    match name:
        case "games":
            added = [{"table": "games", "row": other_game}]
        case "acts":
            added = [{"table": "acts", "row": {**row, "phase_id": 9000}}]
        case "phases" | "seats" | "events" | "record" | "record_heads" | "outbox":
            row = {**row, "game_id": "another"} | ({"phase_id": None} if name == "outbox" else {})
            added = [{"table": "games", "row": other_game}, {"table": name, "row": row}]
        case "addresses" | "postal" | "hands":
            player = a_stranger(next(line["row"] for line in rows if line["table"] == "players"), "players")
            added = [
                {"table": "players", "row": player},
                {"table": name, "row": {**row, "player_id": player["id"]}},
            ]
        case _:
            added = [{"table": name, "row": row}]
    sentence = refused(with_rows(files, rows + added), site, tmp_path)
    assert "tables.jsonl" in sentence


def test_seats_and_addresses_are_held_against_their_entries(
    files: dict[str, bytes], site: Site, tmp_path: Path
) -> None:
    """(TRU-14) One address more, and seats that two players exchanged: both came in as "unbroken"."""
    rows = table_rows(files)
    first, second = [line["row"]["id"] for line in rows if line["table"] == "players"][:2]
    address = {"table": "addresses", "row": {"email": "mallory@elsewhere.example", "player_id": first}}
    other = {first: second, second: first}
    exchanged = [{**line, "row": {**line["row"], "player_id": other.get(line["row"]["player_id"])}}
                 if line["table"] == "seats" and line["row"]["player_id"] in other else line for line in rows]
    for altered in ([*rows, address], exchanged):
        assert "contradicts entry" in refused(with_rows(files, altered), site, tmp_path)


def test_a_letter_that_the_record_does_not_know_is_refused(
    files: dict[str, bytes], site: Site, tmp_path: Path
) -> None:
    """A letter to a stranger, which the site would send once its letters may leave."""
    rows = table_rows(files)
    letter = a_stranger(next(line["row"] for line in rows if line["table"] == "outbox"), "outbox")
    letter |= {"recipient": "victim@elsewhere.example", "state": "queued"}
    sentence = refused(with_rows(files, [*rows, {"table": "outbox", "row": letter}]), site, tmp_path)
    assert f"row {letter['id']} of outbox" in sentence


@pytest.mark.parametrize(("name", "change", "words"), [
    ("phases", {"ordinal": "1; DROP TABLE games"}, "phases.ordinal"),
    ("phases", {"deadline": "tomorrow"}, "phases.deadline"),
    ("phases", {"deadline": "2026-03-01T12:00:00"}, "phases.deadline"),
    ("phases", {"state": "won"}, "phases.state"),
    ("phases", {"lots": {"a": 1}}, "phases.lots"),
    ("phases", {"year": 10 ** 30}, "phases.year"),
    ("phases", {"year": None}, "phases.year"),
    ("outbox", {"tries": True}, "outbox.tries"),
    ("outbox", {"shrunk": 1}, "outbox.shrunk"),
    ("outbox", {"error": "a\0b"}, "outbox.error"),
    ("outbox", {"error": "\ud800"}, "outbox.error"),
    ("outbox", {"files": [{"at": 1, "blob": "../../etc/passwd"}]}, "outbox.files"),
    ("players", {"zone": "Z" * 100}, "players.zone"),
    ("players", {"admin": True}, "players.admin"),
    ("lines", {"confidence": "1"}, "lines.confidence"),
    ("pages", {"original": "../../etc/passwd"}, "pages.original"),
    ("games", {"options": {"frist_counts": True}},
     "games.options has options.frist_counts: there is no such option (did you mean first_counts?)"),
    ("games", {"options": {"first_counts": "no"}}, "options.first_counts: write true or false"),
    ("games", {"options": {"beacon": "mallory"}}, "options.beacon: write 'quicknet'"),
    ("games", {"options": {"start": "soon"}}, "options.start: write a day"),
    ("games", {"options": {"ended": {"kind": "victory", "powers": ["Argyll"]}}}, "options.ended.kind"),
])  # fmt: skip
def test_a_badly_typed_value_is_told_by_its_column(
    files: dict[str, bytes], site: Site, tmp_path: Path, name: str, change: Row, words: str
) -> None:
    rows = table_rows(files)
    next(line for line in rows if line["table"] == name)["row"].update(change)
    assert words in refused(with_rows(files, rows), site, tmp_path)


def test_a_record_with_an_option_that_there_is_not_is_refused_by_its_name(
    files: dict[str, bytes], site: Site, tmp_path: Path
) -> None:
    chain = entries(files)
    number, entry = next((number, each["body"]) for number, each in enumerate(chain, start=1)
                         if each.get("body", {}).get("what") == "game")
    entry["tells"]["options"]["frist_counts"] = True
    sentence = refused(rechained(files, chain), site, tmp_path)
    assert f"Entry {number} of record.jsonl has options.frist_counts: there is no such option" in sentence


@pytest.mark.parametrize("line", [
    '{"table": "games", "table": "users", "row": {}}', '{"table": "games", "row": {"id": "a", "id": "b"}}',
    '{"table": "games", "row": {}, "more": 1}', '{"table": "games"}', "[]", '{"table": 7, "row": {}}',
    '{"table": "games", "row": []}', "no JSON", '{"table": "games", "row": {"options": NaN}}',
    '{"table": "games", "row": {"options": ' + "[" * 90_000 + "}}",
    '{"table": "games", "row": {"year": ' + "9" * 6000 + "}}",
    "\x00", '{"table": "record_due", "row": {"id": 1, "what": "x", "fact": "y"}}',
], ids=range(13))  # fmt: skip
def test_a_line_of_another_form_is_told_in_a_sentence(
    files: dict[str, bytes], site: Site, tmp_path: Path, line: str
) -> None:
    assert "tables.jsonl" in refused(with_rows(files, table_rows(files), line), site, tmp_path)


@pytest.mark.parametrize("name", ["games", "players", "outbox", "record"])
def test_a_key_that_stands_twice_is_told_with_its_row(
    files: dict[str, bytes], site: Site, tmp_path: Path, name: str
) -> None:
    rows = table_rows(files)
    twice = next(line for line in rows if line["table"] == name)
    assert "twice" in refused(with_rows(files, [*rows, twice]), site, tmp_path)


def test_a_row_may_not_point_into_the_site_it_comes_to(
    table: Table, files: dict[str, bytes], site: Site, tmp_path: Path
) -> None:
    """The seat of a player whom the site has already: with it their address would be of the game."""
    with site.store.begin() as session:
        session.add(PlayerRow(id=4711, name="Alice"))
    rows = table_rows(files)
    next(line for line in rows if line["table"] == "seats")["row"]["player_id"] = 4711
    path = tmp_path / "game.zip"
    path.write_bytes(with_rows(files, rows))
    with pytest.raises(ImportFault, match=r"seats.* points to row 4711 of players"):
        import_archive(path, site.engine, site.blobs, None, site.clock.now(), contents_here)


def zipped(files: dict[str, bytes], alter: Callable[[zipfile.ZipFile], None]) -> bytes:
    """The archive with files that `alter` adds in its own way, sealed as it must be."""
    out = io.BytesIO()
    seal(out, files.items())
    with zipfile.ZipFile(out, "a") as archive:
        alter(archive)
        archive.comment = b"0" * 64
    raw = out.getvalue()[:-64]
    return raw + hashlib.sha256(raw).hexdigest().encode()


def _symlink(archive: zipfile.ZipFile) -> None:
    link = zipfile.ZipInfo("photographs/link.jpg")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    archive.writestr(link, "/etc/passwd")


def _bomb(archive: zipfile.ZipFile) -> None:
    archive.writestr(zipfile.ZipInfo("photographs/bomb.jpg"), bytes(200_000_000), zipfile.ZIP_DEFLATED)


def _many(archive: zipfile.ZipFile) -> None:
    for number in range(70_000):
        archive.writestr(zipfile.ZipInfo(f"photographs/{number}"), b"")


def _together(archive: zipfile.ZipFile) -> None:
    """Forty files, none of them a bomb by its own ratio, and all of them a disk full."""
    for number in range(40):
        text = random.Random(number).randbytes(60_000) + bytes(4_000_000)
        archive.writestr(zipfile.ZipInfo(f"photographs/{number}"), text, zipfile.ZIP_DEFLATED)


@pytest.mark.parametrize(("alter", "words"), [
    (_together, "would unpack to 16"),
    (_symlink, "photographs/link.jpg is not a regular file"),
    pytest.param(_bomb, "photographs/bomb.jpg", marks=pytest.mark.slow),
    (_many, "files"),
    (lambda archive: archive.writestr("../../etc/cron.d/x", b"* * * * * root sh"), "no part of an archive"),
    (lambda archive: archive.writestr("photographs/../../x", b"x"), "photographs/../../x"),
    (lambda archive: archive.mkdir("photographs"), "photographs/ is not a regular file"),
])  # fmt: skip
def test_a_file_that_is_none_is_told_by_its_name(
    files: dict[str, bytes], site: Site, tmp_path: Path, alter: Callable[[zipfile.ZipFile], None], words: str
) -> None:
    # The child takes seconds to begin, and what it states is what the check states: the bomb alone goes
    # there.
    opener = contents_in_child if alter is _bomb else contents_here
    assert words in refused(zipped(files, alter), site, tmp_path, opener)


@pytest.mark.slow
def test_the_record_says_what_was_put_in(
    table: Table, files: dict[str, bytes], site: Site, tmp_path: Path
) -> None:
    """Every file has its digest in the record: those that are named by it, and these."""
    path = tmp_path / "game.zip"
    path.write_bytes(packed(files))
    import_archive(path, site.engine, site.blobs, None, site.clock.now())
    with site.store() as session:
        event = session.scalars(select(EventRow).where(EventRow.what == "game_imported")).one()
    for name in ("README.txt", "manifest.json", "record.jsonl", "tables.jsonl"):
        assert event.detail["files"][name] == hashlib.sha256(files[name]).hexdigest()
