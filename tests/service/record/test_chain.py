"""The record: nothing happens to a game without an entry of its chain (issue "Trust", 1).

The chain is reckoned here again with hashlib alone, from what docs/record.md states.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, insert, select, text, update
from sqlalchemy.exc import IntegrityError

from service.facts.events import Event
from service.games.acts.phases import Unseal
from service.games.acts.seats import GiveSeat, Holder
from service.record import chain as record
from service.record.sessions import sessions
from service.store import records
from service.store.engine import Store
from service.store.record_triggers import TRIGGERS
from service.store.tables import EntryRow, EventRow, HeadRow, OutboxRow, PhaseRow, SubmissionRow
from tests.support.acting import do, enter
from tests.support.site import NOON, Site, make_site
from tests.support.table import address, open_table

GAME = "powick-bridge"


def chain(store: Store, game: str = GAME) -> list[dict[str, Any]]:
    """Every entry's words, after its digests were reckoned again."""
    with store() as session:
        rows = list(record.entries(session, game))
        root = record.root(session, game)
    before = hashlib.sha256(f"galloper record 2\n{game}".encode()).hexdigest()
    for number, row in enumerate(rows, start=1):
        assert row.number == number
        body = json.loads(row.body)
        phase = body["tells"].get("phase", "-")
        inner = hashlib.sha256(f"{row.salt}\n{row.body}".encode()).hexdigest()
        assert row.leaf == hashlib.sha256(f"{body['what']} {phase}\n{inner}".encode()).hexdigest()
        before = hashlib.sha256(f"{before}\n{number}\n{row.leaf}".encode()).hexdigest()
        assert row.link == before
    assert (root.number, root.link) == (len(rows), before)
    return [json.loads(row.body) for row in rows]


def whats(store: Store, *kinds: str) -> list[dict[str, Any]]:
    return [entry["tells"] for entry in chain(store) if entry["what"] in kinds]


def test_a_new_game_begins_with_nothing_found(site: Site) -> None:
    open_table(site)
    entries = chain(site.store)
    assert entries[0]["what"] == "begun"
    assert entries[0]["tells"] == {"format": 2, "game": GAME, "variant": "w3k", "board": None}
    assert {entry["what"] for entry in entries[1:]} == {"game", "seat", "addresses", "phase", "event"}
    assert len(whats(site.store, "seat")) == 10


def test_an_address_that_comes_with_a_seat_is_told_in_each_game_of_its_player(site: Site) -> None:
    """(TRU-14) The checker called it an address without an act, in the other game."""
    table, other = open_table(site), open_table(site, name="Edgehill")
    mails = (address("Montrose"), "second@montrose.example")
    do(table, GiveSeat(table.game, "Argyll", Holder("Montrose", "Europe/London", mails), "It was free."))
    last = chain(site.store, other.game)[-2:]
    assert [entry["what"] for entry in last] == ["addresses", "event"]
    assert last[1]["tells"]["event"] == "address_added"
    assert last[1]["tells"]["detail"]["power"] == "Montrose"
    new = [digest for digest in last[0]["tells"]["addresses"]
           if digest.startswith(last[1]["tells"]["detail"]["address"])]
    assert new == [hashlib.sha256(mails[1].encode()).hexdigest()]


def test_a_mail_is_entered_with_its_sheet_its_stamp_and_its_receipt(site: Site) -> None:
    table = open_table(site)
    before = len(chain(site.store))
    received_at = table.phase().opens_at + timedelta(minutes=7)
    row = table.take(table.mail("Montrose"), received_at)
    new = chain(site.store)[before:]
    # The first receipt of a game without a welcome makes the key that it is signed with.
    assert [entry["what"] for entry in new] == ["mail", "sheet", "key", "letter"]
    mail, sheet, _, letter = (entry["tells"] for entry in new)
    stamp = received_at.isoformat(timespec="seconds").replace("+00:00", "Z")
    assert (mail["mail"], mail["stamped"], mail["became"]) == (row.sha256, stamp, "used")
    assert (sheet["mail"], sheet["received"], sheet["power"], sheet["version"]) == (
        row.sha256,
        stamp,
        "Montrose",
        1,
    )
    with site.store() as session:
        submission = session.scalars(select(SubmissionRow)).one()
        assert sheet["photographs"] == [records.pages(session, submission.id)[0].original]
    assert (letter["kind"], letter["to"], letter["became"]) == ("receipt", ["Montrose"], "written")


def test_unsealing_is_entered_with_its_reason(site: Site) -> None:
    table = open_table(site)
    do(table, Unseal(table.phase().id, "the reader is down, so I look now"), now=NOON)
    assert whats(site.store, "phase")[-1]["unsealed"] == {
        "at": "2026-03-01T12:00:00Z", "by": "Ada", "why": "the reader is down, so I look now"}
    assert whats(site.store, "event")[-1]["event"] == "phase_unsealed"


def test_what_is_rolled_back_leaves_no_entry(site: Site) -> None:
    open_table(site)
    before = chain(site.store)
    # Sealed before it fails: the entry is written, and must go with its transaction.
    with contextlib.suppress(RuntimeError), site.store.begin() as session:
        records.log_event(session, NOON, "x", game_id=GAME)  # type: ignore[arg-type]
        record.seal(session)
        raise RuntimeError
    assert chain(site.store) == before


def test_a_write_past_the_program_is_entered_with_the_next_transaction(any_site: Site) -> None:
    open_table(any_site)
    before = len(chain(any_site.store))
    # Past the session maker: nothing seals this transaction, and only the trigger sees the write.
    with any_site.engine.begin() as connection:
        connection.execute(text("UPDATE phases SET deadline = :to WHERE ordinal = 1"),
                           {"to": "2031-01-01 00:00:00+00:00"})
    assert len(chain(any_site.store)) == before
    with any_site.store.begin():
        pass
    new = chain(any_site.store)[before:]
    assert [(entry["what"], entry["tells"]["deadline"]) for entry in new] == [
        ("phase", "2031-01-01T00:00:00Z")]


def test_bulk_statements_are_entered_row_by_row(any_site: Site) -> None:
    open_table(any_site)
    before = len(chain(any_site.store))
    with any_site.store.begin() as session:
        session.execute(update(PhaseRow).values(review="all"))
    new = chain(any_site.store)[before:]
    assert [entry["tells"]["phase"] for entry in new] == list(range(1, 10))
    assert {entry["tells"]["review"] for entry in new} == {"all"}


def test_what_changes_nothing_that_is_told_makes_no_entry(site: Site) -> None:
    table = open_table(site)
    table.take(table.mail("Montrose"), table.phase().opens_at)
    before = chain(site.store)
    with site.store.begin() as session:
        # Both write rows of which the record tells, and neither changes what it tells.
        session.execute(update(OutboxRow).values(state="sending", tries=1))
        session.execute(update(PhaseRow).values(review="none"))
    assert chain(site.store) == before


def test_likely_bodies_cannot_be_tried_on_a_digest(site: Site) -> None:
    """The same words twice: neither digests nor salts are the same."""
    open_table(site)
    with site.store.begin() as session:
        for _ in range(2):
            records.log_event(session, NOON, "x", game_id=GAME)  # type: ignore[arg-type]
    with site.store() as session:
        first, second = session.scalars(select(EntryRow).order_by(EntryRow.number.desc()).limit(2))
    assert json.loads(first.body)["tells"] == json.loads(second.body)["tells"]
    assert first.leaf != second.leaf
    assert first.salt != second.salt
    assert len(first.salt) == 64


def test_no_second_entry_can_have_a_number(any_site: Site) -> None:
    open_table(any_site)
    with any_site.store() as session:
        first = session.get_one(EntryRow, (GAME, 1))
        values = {name: getattr(first, name) for name in EntryRow.__mapper__.columns.keys()}  # noqa: SIM118
    with pytest.raises(IntegrityError), any_site.store.begin() as session:
        session.execute(insert(EntryRow).values(values))


def test_many_at_once_make_one_chain(any_site: Site) -> None:
    # Six writers on one head: each takes it in turn, and nothing is left out or entered twice.
    open_table(any_site)
    before = len(chain(any_site.store))
    faults: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for step in range(10):
                with any_site.store.begin() as session:
                    what = f"w{number}.{step}"
                    records.log_event(session, NOON, what, game_id=GAME)  # type: ignore[arg-type]
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert faults == []
    new = [entry["tells"]["event"] for entry in chain(any_site.store)[before:]]
    assert sorted(new) == sorted(f"w{number}.{step}" for number in range(6) for step in range(10))


def test_every_trigger_is_in_the_database(any_site: Site) -> None:
    """On both databases."""
    named = ("SELECT name FROM sqlite_master WHERE type = "
             "'trigger'") if any_site.url.startswith("sqlite") else (
        "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")
    with any_site.engine.connect() as connection:
        trigger_names = set(connection.execute(text(named)).scalars())
    assert trigger_names >= {trigger.name for trigger in TRIGGERS}
    assert len({trigger.name for trigger in TRIGGERS}) == len(TRIGGERS)


def test_the_machine_keeps_no_entry_for_what_concerns_no_game(site: Site) -> None:
    with site.store.begin() as session:
        enter(session, NOON, "Ada", Event.LETTERS_PAUSED)
    with site.store() as session:
        assert session.scalars(select(HeadRow)).all() == []
        assert session.scalar(text("SELECT count(*) FROM record_due")) == 0
        assert session.scalars(select(EventRow)).one().what == "letters_paused"


def test_entries_are_dated_by_the_clock_of_the_site(tmp_path: Path) -> None:
    with make_site(tmp_path) as site:
        open_table(site)
        store = sessions(site.engine, site.clock)
        site.clock.set(NOON + timedelta(days=400))
        with store.begin() as session:
            records.log_event(session, NOON, "x", game_id=GAME)  # type: ignore[arg-type]
            session.execute(delete(OutboxRow))
        assert chain(store)[-1]["entered"] == "2027-04-05T12:00:00Z"
