"""A game that is carried on in another site (issue "Trust", 6; contract, `game import`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from service.archive.export import Edition
from service.archive.import_game import ImportFault, Opener, Receivers, contents_here, import_archive
from service.archive.jailed import contents_in_child
from service.facts.options import YES_OR_NO, DeclaredEnd, ReviewMode, StoredOptions, stored_form
from service.games.acts.act import perform
from service.games.acts.games import ChangeOption
from service.games.acts.seats import GiveSeat, Holder
from service.games.options import options_of, recorded_options
from service.mail.sending import hold
from service.notices.results import ResultsAnnouncer
from service.record import chain as record
from service.store import dump, records
from service.store.digests import plain
from service.store.tables import GameRow, PlayerRow, SeatRow, SubmissionRow
from tests.support.acting import at, do
from tests.support.altered import packed, unpacked
from tests.support.played import archived, begin, finish, played
from tests.support.site import Site, make_site
from tests.support.table import Table, open_table

LEFT_BEHIND = frozenset({"events", "record", "record_heads", "switches"})
"""Tables that an import itself adds to."""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    with make_site(tmp_path_factory.mktemp("site")) as site:
        yield played(site)


@pytest.fixture(scope="module")
def data(table: Table) -> bytes:
    return archived(table)


def rows(site: Site) -> dict[str, list[bytes]]:
    with site.engine.connect() as connection:
        return {
            table.name: list(dump.lines(connection, table))
            for table in dump.tables()
            if table.name not in LEFT_BEHIND
        }


def put_in(
    data: bytes, site: Site, folder: Path, opener: Opener = contents_here
) -> record.Root:
    path = folder / "game.zip"
    path.write_bytes(data)
    return import_archive(path, site.engine, site.blobs, None, site.clock.now(), opener)


@pytest.mark.slow
def test_a_game_comes_over_whole_on_either_database(
    table: Table, data: bytes, any_site: Site, tmp_path: Path
) -> None:
    root = put_in(data, any_site, tmp_path, contents_in_child)
    assert rows(any_site) == rows(table.site)
    with table.site.store() as session, any_site.store() as other:
        before, after = list(record.entries(session, table.game)), list(record.entries(other, table.game))
        # Letters of the game may have left its old site.
        assert hold.current_hold(other) is not None
    assert [row.link for row in after[:len(before)]] == [row.link for row in before]
    assert [json.loads(row.body)["tells"]["event"] for row in after[len(before):]] == ["game_imported"]
    assert root.number == len(before) + 1


def test_the_game_goes_on_where_it_is_now(table: Table, data: bytes, site: Site, tmp_path: Path) -> None:
    put_in(data, site, tmp_path)
    site.clock.set(table.site.clock.now())
    restored = Table(site, table.variant, table.game, table.announce)
    restored.announce = ResultsAnnouncer(restored.writer, drawing=False)
    finish(restored)
    begin(restored)
    assert archived(restored)


def test_a_game_comes_over_whose_player_was_replaced(tmp_path: Path) -> None:
    """The archive left out a player who had sent a sheet and has no seat any more, so no site took it in."""
    with make_site(tmp_path / "old") as old, make_site(tmp_path / "new") as new:
        table = played(old)
        with old.store.begin() as session:
            sender = session.scalars(select(SubmissionRow)).first()
            assert sender is not None
            before = sender.player_id
            perform(GiveSeat(table.game, sender.power,
                             Holder("Dora", "Europe/London", ("dora@friends.example",)),
                             "the player asked for it"), at(session, table))
        put_in(archived(table), new, tmp_path)
        with new.store() as session:
            assert session.get(PlayerRow, before) is not None
            assert session.scalars(select(SubmissionRow.player_id)).first() == before
            assert before not in set(session.scalars(select(SeatRow.player_id)))


def test_a_game_comes_over_and_is_judged_again_whose_threshold_was_set(tmp_path: Path) -> None:
    """A record has 0.99 as text, and the options of an archive are held against the model of options."""
    with make_site(tmp_path / "old") as old, make_site(tmp_path / "new") as new:
        table = played(old)
        do(table, ChangeOption(table.game, "auto_score", "0.99", "hands are hard to read"))
        put_in(archived(table), new, tmp_path)
        with new.store() as session:
            assert options_of(session.get_one(GameRow, table.game)).auto_score == 0.99


@pytest.mark.parametrize("name", [name for name, each in StoredOptions.model_fields.items()
                                  if "float" in str(each.annotation)])
@pytest.mark.parametrize("number", [0.5, 1.0])
def test_an_option_on_record_is_the_number_that_was_entered(name: str, number: float) -> None:
    entered = plain({name: number})
    assert getattr(recorded_options(entered), name) == number


def test_every_option_comes_back_from_a_record_as_it_was() -> None:
    given = StoredOptions(
        **dict.fromkeys(YES_OR_NO, True), order_languages=("german",), review=ReviewMode.ALL, auto_score=0.97,
        start="2027-03-01T12:30:00+00:00", rehearsal_hours=0.5, house_rules={"retreats": "as in 2020"},
        beacon="quicknet", draw_agreed=3, opened_by=("Montrose",), coordinator="Ada Löwe",
        ended=DeclaredEnd(kind="draw", powers=("Montrose", "Argyll"), why="all agreed"),
        own_wording={"de": {"Dear %(name)s": "Liebe %(name)s"}}, return_address=("1 High Street", "Bath"))
    assert given.model_fields_set == set(StoredOptions.model_fields)
    assert recorded_options(plain(stored_form(given))) == given


def test_nothing_is_written_over(data: bytes, site: Site, tmp_path: Path) -> None:
    open_table(site)
    before = rows(site)
    with pytest.raises(ImportFault, match="nothing was overwritten"):
        put_in(data, site, tmp_path)
    assert rows(site) == before


def test_a_players_archive_cannot_be_carried_on(table: Table, site: Site, tmp_path: Path) -> None:
    with pytest.raises(ImportFault, match="Ask the coordinator"):
        put_in(archived(table, Edition.PLAYERS), site, tmp_path)


@pytest.mark.parametrize(("name", "change", "message"), [
    ("submissions", {"version": 7}, "contradicts entry"),
    ("submissions", {"received_at": "2027-01-01T00:00:00+00:00"}, "contradicts entry"),
    ("lines", {"text": "A Kent H"}, "contradicts entry"),
    ("reviews", {"by": "Grace"}, "contradicts entry"),
    ("phases", {"seed": "0" * 64}, "contradicts entry"),
    ("record", {"link": "0" * 64}, "different records"),
    ("record_heads", {"number": 3}, "different records"),
])  # fmt: skip
def test_rows_that_say_otherwise_than_the_record_are_not_put_in(
    data: bytes, site: Site, tmp_path: Path, name: str, change: dict[str, object], message: str
) -> None:
    """tables.jsonl is evidence of nothing: anyone who alters it gains nothing."""
    files = unpacked(data)
    table_rows = [json.loads(line) for line in files["tables.jsonl"].splitlines()]
    next(row for row in table_rows if row["table"] == name)["row"].update(change)
    files["tables.jsonl"] = "\n".join(map(json.dumps, table_rows)).encode()
    with pytest.raises(ImportFault, match=message):
        put_in(packed(files), site, tmp_path)
    assert not any(rows(site).values())


def test_an_altered_archive_is_not_put_in_and_its_entry_is_named(
    data: bytes, site: Site, tmp_path: Path
) -> None:
    files = unpacked(data)
    chain = files["record.jsonl"].decode().splitlines()
    del chain[41]
    files["record.jsonl"] = ("\n".join(chain) + "\n").encode()
    with pytest.raises(ImportFault, match="Entry 42 is missing"):
        put_in(packed(files), site, tmp_path)
    assert not any(rows(site).values())


@pytest.mark.parametrize(("damage", "message"), [
    ("truncated", r"entries up to \d+ can be read"),
    ("without a photograph", r"of entry \d+ is missing"),
    ("two heads", r"Entry \d+ is there twice: the chain has two heads"),
    ("newer", "written by a newer Galloper; nothing is checked, from entry 1 on"),
])  # fmt: skip
def test_bad_input_is_told_in_a_sentence_and_nothing_is_put_in(
    data: bytes, site: Site, tmp_path: Path, damage: str, message: str
) -> None:
    files = unpacked(data)
    name = next(file for file in files if file.startswith("photographs/"))
    chain = files["record.jsonl"]
    build_by_name = {
        "truncated": lambda: data[:len(data) // 2],
        "without a photograph": lambda: packed({key: value for key, value in files.items() if key != name}),
        "two heads": lambda: packed({**files, "record.jsonl": chain + chain.splitlines(keepends=True)[-1]}),
        "newer": lambda: packed(files, format=3),
    }
    with pytest.raises(ImportFault, match=message):
        put_in(build_by_name[damage](), site, tmp_path)
    assert not any(rows(site).values())


@pytest.mark.parametrize("is_right", [True, False])
def test_players_and_addresses_are_shown_before_anything_is_put_in(
    table: Table, data: bytes, site: Site, tmp_path: Path, *, is_right: bool
) -> None:
    """TRU-14: no digest proves an address, and a letter that waits may be to anybody."""
    path = tmp_path / "game.zip"
    rows_of_archive = unpacked(data)
    lines = [json.loads(line) for line in rows_of_archive["tables.jsonl"].decode().splitlines()]
    letter = next(line["row"] for line in lines if line["table"] == "outbox")
    letter |= {"recipient": "mallory@elsewhere.example", "state": "delayed"}
    rows_of_archive["tables.jsonl"] = "".join(json.dumps(line) + "\n" for line in lines).encode()
    path.write_bytes(data if is_right else packed(rows_of_archive))
    shown: list[Receivers] = []

    def agree(receivers: Receivers) -> bool:
        shown.append(receivers)
        return is_right

    now = site.clock.now()
    if is_right:
        import_archive(path, site.engine, site.blobs, None, now, contents_here, agree=agree)
        assert not shown[0].letters
    else:
        with pytest.raises(ImportFault, match="was not imported"):
            import_archive(path, site.engine, site.blobs, None, now, contents_here, agree=agree)
        assert dict(shown[0].letters) == {"mallory@elsewhere.example": 1}
        with site.store() as session:
            assert session.scalar(select(GameRow.id)) is None
    with table.site.store() as session:
        powers = records.addresses(session, table.game)
    assert {power: addresses for power, _, addresses in shown[0].seats if addresses} == powers
