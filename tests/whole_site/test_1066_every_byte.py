"""Two games of 1066 in which nothing differs but where Hardrada's fleet lies, what is ordered of it and what
of that can be read: every byte that leaves for another power, or for anybody, is the same in both until the
fleet shows itself (D66-06, D66-14)."""

from __future__ import annotations

import io
import json
import logging
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from service.archive.export import Edition
from service.clock import SimulatedClock
from service.games.acts.act import ResultsCorrection, perform
from service.games.acts.deadlines import MoveDeadline
from service.games.acts.results import CorrectResults
from service.notices.broadcasts import Broadcasts
from service.notices.letter_context import LetterContext
from service.notices.reminders import Reminders
from service.notices.results import ResultsAnnouncer
from service.operations.mailbox_status import MailboxStatus
from service.operations.metrics import Metrics
from service.store.tables import GameRow, LineState, PhaseRow, PlayerRow, SeatRow
from tests.service.public.test_entry import BASE, visit
from tests.support.acting import at, do
from tests.support.desk_table import DeskTable, open_desk
from tests.support.played import archived, begin
from tests.support.servers import outgoing
from tests.support.site import make_site
from tests.support.table import KINDS, Table, address, open_table

OWNER, EARLS = "Harald Hardrada", "The Northern Earls"
Line = str | tuple[str, LineState]
LAND: Line = "A/F Hidden Germanicus 3 - Clyveland"
UNSEEN: tuple[Sequence[Line], ...] = (
    [LAND],
    ["Hidden Germanicus 1 lies in The Wash", "Hidden Germanicus 2 lies in The Wash", "A/F Hidden Wash 1 H",
     "A/F Hidden Wash 2 - Clyveland", LAND, ("A/F Hidden Gerrn 4 - Nordf", LineState.VOID)],
    ["A/F Hidden Germanicus 1 H", LAND, ("Hidden Wasn 4 1ies in the Wash", LineState.VOID)],
)
"""Sheets of Hardrada's that show the same of it: one unit lands in Clyveland."""
GUESSES = ["A Dunholm S A/F Hidden Germanicus 2 - Northumberland", "A/F Hidden Wash 1 - Lincolia",
           "A Ripun S A/F Hidden Germanicus 4"]
"""What the Northern Earls try, to find out where it lies."""


@contextmanager
def played(folder: Path, orders: Sequence[Line], *, drawing: bool) -> Iterator[tuple[Table, DeskTable]]:
    """March 1066 judged and sent, April open; anyone who asked was reminded, and a deadline was moved."""
    folder.mkdir()
    with make_site(folder) as site:
        table = open_table(site, slug="britain1066")
        sender = replace(table.writer.sender, base_url=BASE)
        desk = LetterContext(site.blobs, site.clock, table.load, sender, KINDS)
        table.announce = ResultsAnnouncer(desk, drawing=drawing)
        _settings(table)
        with site.store.begin() as session:
            if drawing:
                Broadcasts(desk).welcome(session, table.game)
            phase = session.get_one(PhaseRow, table.phase().id)
            to = phase.deadline + timedelta(days=1)
            perform(MoveDeadline(table.game, phase.id, to.date().isoformat(), f"{to:%H:%M}",
                                 "A storm in the Channel.", later=True),
                    at(session, table, "ada", circulars=Broadcasts(desk)))
        site.clock.set(table.phase().deadline - timedelta(hours=12))
        with site.store.begin() as session:
            Reminders(desk).put_due(session, table.phase().id)
        table.file(OWNER, orders)
        # The other side names the hidden places, so their letters have every chance to reveal them.
        table.file(EARLS, GUESSES)
        first = table.phase()
        site.clock.set(first.deadline + timedelta(minutes=1))
        table.close_phase(first.id)
        table.approve_phase(first.id, "ada")
        do(table, CorrectResults(first.id, ResultsCorrection("A.", "B.", "None.", "Ada"), "k"), "ada",
           circulars=Broadcasts(desk))
        begin(table)
        yield table, open_desk(table, base_url=BASE, wall=SimulatedClock(site.clock.now()))


def _settings(table: Table) -> None:
    """The public map shows units, and the Earls are reminded."""
    with table.site.store.begin() as session:
        game = session.get_one(GameRow, table.game)
        game.options = {**game.options, "units_on_map": True}
        seat = session.get_one(SeatRow, (table.game, EARLS))
        session.get_one(PlayerRow, seat.player_id).reminders = True


def letters(table: Table) -> dict[str, str]:
    """Every letter to another power, by its kind and its reader."""
    other_addresses = {address(power) for power in table.variant.powers if power != OWNER}
    rows = [row for row in table.letters() if row.recipient in other_addresses]
    return {f"{index} {row.kind} {row.recipient}": outgoing.letter(table.message(row))
            for index, row in enumerate(rows)}


def pages(table: Table, desk: DeskTable) -> dict[str, str]:
    """Every page that the Earls, or anybody, can open, and every file behind it."""
    paths = [
        "",
        "/calendar",
        "/calendar.ics",
        "/lots",
        "/lots.json",
        "/map",
        "/players",
        "/file",
        "/results",
        "/results/1",
    ]
    paths += ["/map.svg", "/map.png", "/map-a4.pdf", "/sheets.pdf"]
    browser = visit(desk, EARLS)
    answers = {path: browser.get(f"/public/{table.game}{path}") for path in paths}
    answers |= {
        path: browser.get(path)
        for path in ("/public/moves/britain1066", "/public/rules/britain1066", "/public/me")
    }
    assert {path: answer.status_code for path, answer in answers.items()} == dict.fromkeys(answers, 200)
    return {path: outgoing.plain(outgoing.content(answer.content)) for path, answer in answers.items()}


def archive(table: Table) -> dict[str, str]:
    """What the players' archive has open, entry by entry, and its other files."""
    with zipfile.ZipFile(io.BytesIO(archived(table, Edition.PLAYERS))) as zipped:
        files = {name: zipped.read(name).decode() for name in zipped.namelist()}
    entries = [json.loads(line) for line in files.pop("record.jsonl").splitlines()]
    bodies = [json.dumps(entry["body"], sort_keys=True) for entry in entries if "body" in entry]
    assert any("correction" in entry for entry in bodies)
    # It holds digests of the whole record, which differ with the hidden orders.
    files.pop("manifest.json")
    return {
        f"archive {name}": outgoing.plain(text)
        for name, text in {**files, "record": "\n".join(bodies)}.items()
    }


@pytest.mark.parametrize("drawing", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_whatever_the_hidden_fleet_does_others_are_told_the_same(tmp_path: Path, drawing: bool) -> None:
    """D66-14: letters and the archive; in the slow run with their pictures and files, and pages, map and
    feed."""
    outputs = []
    for index, orders in enumerate(UNSEEN if drawing else UNSEEN[:2]):
        with played(tmp_path / str(index), orders, drawing=drawing) as (table, desk):
            written = letters(table)
            kinds = {row.kind for row in table.letters()}
            assert {"final_results", "deadline_moved", "reminder", "correction"} | (
                {"welcome"} if drawing else set()
            ) <= kinds
            assert any("Army/Fleet Hidden Germanicus 3 moves to Clyveland" in text
                       for text in written.values())
            outputs.append({**written, **(pages(table, desk) if drawing else {}), **archive(table)})
    for other in outputs[1:]:
        assert other.keys() == outputs[0].keys()
        assert {key for key in other if other[key] != outputs[0][key]} == set()


@pytest.mark.slow
def test_its_owner_and_the_coordinator_see_it_and_figures_and_logs_name_none(
    tmp_path: Path, log: io.StringIO
) -> None:
    """D66-06, D66-14: the comparison above can distinguish one fleet from another."""
    logging.getLogger().setLevel(logging.DEBUG)
    with played(tmp_path / "one", UNSEEN[1], drawing=False) as (table, _):
        owner_letters = [
            outgoing.letter(table.message(row))
            for row in table.letters("final_results")
            if row.recipient == address(OWNER)
        ]
        full_archive = archived(table)
        quiet = {
            "log": log.getvalue(),
            "metrics": Metrics(table.site.store, table.site.clock, MailboxStatus(table.site.clock), tmp_path)
            .text()
            .decode(),
        }
    assert len(owner_letters) == 1
    assert "Army/Fleet Hidden Wash 1 holds" in owner_letters[0]
    assert b"HW1" in _record(full_archive)
    assert "galloper_" in quiet["metrics"]
    for where, text in quiet.items():
        assert not [name for name in ("Hidden", "HG1", "HG2", "HG4", "HW1", "HW2") if name in text], where


def _record(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as zipped:
        return zipped.read("record.jsonl")
