"""The record of the games whose rules keep more than units and centres: what was played is exported and
judged again, state, dice and all, and the digest of the first seed is mailed before anything is drawn
(docs/record.md, WSB-01, BRE-01, D66-06)."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import maps
from adjudicator.judge import judge
from adjudicator.serialize.answers import answer
from adjudicator.serialize.cases import CaseReader
from service.archive.checker import VerifyReport, checking
from service.archive.export import Edition
from service.games.turns import resolve_orders
from service.notices.broadcasts import Broadcasts
from service.notices.results import ResultsAnnouncer
from service.store.digests import plain
from service.store.letter_parts import finished
from tests.support.checks import print_check
from tests.support.played import archived, begin, finish
from tests.support.proofs import proof_of, with_proof
from tests.support.site import Site
from tests.support.table import Table, open_table

TOOL = Path(__file__).parents[3] / "tools" / "verify_record.py"
SLUGS = ("bretwalda", "britain1066", "brittania", "standard", "w3k", "war1648")


def _table(site: Site, slug: str) -> Table:
    table = open_table(site, slug=slug)
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    return table


def _told(data: bytes, kind: str) -> list[dict[str, Any]]:
    with zipfile.ZipFile(io.BytesIO(data)) as zipped:
        lines = [json.loads(line) for line in zipped.read("record.jsonl").decode().splitlines()]
    return [entry["body"]["tells"] for entry in lines if "body" in entry and entry["body"]["what"] == kind]


def _verify(data: bytes, folder: Path, *letters: Path) -> tuple[int, str]:
    path = folder / "game.zip"
    path.write_bytes(data)
    out = io.StringIO()
    return print_check(path, letters, out), out.getvalue()


def _tool(data: bytes, folder: Path, *letters: Path) -> tuple[int, str]:
    """The exit code and output of the checker that shares no code."""
    # -I and -S: neither our packages nor any installed one can be imported.
    path = folder / "game.zip"
    path.write_bytes(data)
    completed_process = subprocess.run(
        [sys.executable, "-I", "-S", str(TOOL), str(path), *map(str, letters)], capture_output=True,
        text=True,
        check=False,
        cwd=folder, env={"GALLOPER": "", "PATH": "", "PYTHONUTF8": "1"})  # fmt: skip
    return completed_process.returncode, completed_process.stdout + completed_process.stderr


def _case_is_judged_alike(slug: str, tells: dict[str, Any]) -> None:
    """The contract's form states all that was judged: anyone who has it alone comes to the same answer."""
    variant = maps.load(slug)
    assert tells["case"] is not None
    case = CaseReader(variant.context(), variant.rules, 0).read(json.loads(json.dumps(tells["case"])))
    resolution = judge(variant.context(), variant.rules, case.position, case.orders, case.lots)
    answered = answer(case.id, case.position.phase.kind, resolution, variant.rules)
    assert json.loads(json.dumps(answered)) == tells["answer"]


@pytest.mark.slow
def test_turns_of_brittania_are_judged_again(site: Site, tmp_path: Path) -> None:
    """Grain, capitals and alliances are in the record; its dice come from the seed that was told (WSB-12,
    Q-60)."""
    table = _table(site, "brittania")
    opens = table.phase().opens_at
    table.file("Red", ["Capital Essex"], received_at=opens + timedelta(hours=1), answered=True)
    table.file("Red", ["Capital York"], received_at=opens + timedelta(hours=2), version=2, answered=True)
    table.file("Gold", ["Capital Kent"], answered=True)
    finish(table)
    begin(table)
    table.file("Red", ["10 Grain for Conquest of Kent with the King"], number=2, answered=True)
    table.file("Gold", ["5 Grain for Defense of Kent", "5 Grain for Alliance with Red"], number=2,
        answered=True)
    finish(table)
    begin(table)
    data = archived(table)
    code, report = _verify(data, tmp_path)
    assert (code, "2 judged phases were judged again, with the same results." in report) == (0, True), report
    assert _tool(data, tmp_path)[0] == 0

    second = _told(data, "judged")[-1]
    assert second["lots"]["seed"] == table.phase(2).seed
    # One die for the attack and one for the defence, each a number of the tape as docs/record.md has it.
    sheets = sorted(f"{tells['power']}: {tells['mail']}" for tells in _told(data, "sheet")
                    if tells["phase"] == 2)
    lines = ["galloper lots 2", f"{table.game} 2", f"seed {table.phase(2).seed}",
             *(f"sheet {sheet}" for sheet in dict.fromkeys(sheets))]
    numbers = [int(hashlib.sha256("\n".join([*lines, str(position)]).encode()).hexdigest()[:8], 16)
               for position in (1, 2)]
    assert second["lots"]["numbers"] == numbers
    attack, defence = (1 + number % 10 for number in numbers)
    letter = next(row for row in table.letters("final_results") if row.phase_id == table.phase(2).id)
    assert f"{attack} + 10 + 2 = {attack + 12} against {defence} + 7 = {defence + 7}" in table.words(letter)
    assert second["position"]["position"]["own"]["capitals"] == {"Gold": "Kent", "Red": "Essex"}
    for tells in _told(data, "judged"):
        _case_is_judged_alike("brittania", tells)


def test_a_paper_that_is_not_the_first_is_told(site: Site, tmp_path: Path) -> None:
    """Q-60: an archive in which the executed sheet came later than another."""
    table = _table(site, "brittania")
    opens = table.phase().opens_at
    table.file("Red", ["Capital Essex"], received_at=opens + timedelta(hours=1), answered=True)
    table.file("Red", ["Capital York"], received_at=opens + timedelta(hours=2), version=2, answered=True)
    finish(table)
    path = tmp_path / "game.zip"
    path.write_bytes(archived(table))
    for is_fault, hour in ((False, 1), (True, 3)):
        report = VerifyReport()
        with checking(report) as checker:
            record = checker.read_record(path)
            for _, tells in record.facts["sheet"]:
                # The executed sheet is version 1, of the first hour; from the third on the other came first.
                if tells["version"] == 1:
                    tells["received"] = plain(opens + timedelta(hours=hour))
            (judged,) = record.final
            checker.rule_1_ballots(judged, record.clock(judged))
        faults = "".join(report.faults)
        assert ("another sheet of Red should have counted" in faults) is is_fault, faults


def test_a_year_of_bretwalda_is_judged_again(site: Site, tmp_path: Path) -> None:
    """Homes that moved, boats that were left behind (BRE-05, BRE-12)."""
    table = _table(site, "bretwalda")
    table.file("Gwynedd", ["Build B Denbigh", "Build F Caernarfon", "Home Denbigh - Aberystwyth"],
        answered=True)
    table.file("Mercia", ["Build A Shrewsbury", "Build A Tamworth"], answered=True)
    finish(table)
    spring = begin(table)
    table.file("Gwynedd", ["B Denbigh - Chester (db)", "F Caernarfon - Irish Sea"], number=spring.ordinal,
        answered=True)
    finish(table)
    begin(table)
    data = archived(table)
    code, report = _verify(data, tmp_path)
    assert (code, "2 judged phases were judged again, with the same results." in report) == (0, True), report
    assert _tool(data, tmp_path)[0] == 0
    for tells in _told(data, "judged"):
        _case_is_judged_alike("bretwalda", tells)


def test_the_players_archive_keeps_the_hidden_fleet_hidden(site: Site, tmp_path: Path) -> None:
    """D66-06, D66-14: no board, order or reading of a phase in which something lies unseen, and what is open
    still checks."""
    table = _table(site, "britain1066")
    table.file("Harald Hardrada", ["Hidden Germanicus 1 lies in The Wash", "A/F Hidden Wash 1 H"],
        answered=True)
    table.file("The Northern Earls", ["A Dunholm - Northumberland"], answered=True)
    finish(table)
    begin(table)
    theirs, full_archive = archived(table, Edition.PLAYERS), archived(table)
    with zipfile.ZipFile(io.BytesIO(theirs)) as zipped:
        text = b"".join(zipped.read(name) for name in zipped.namelist()).decode()
        boards = [name for name in zipped.namelist() if name.startswith("positions/")]
    assert "Hidden Wash" not in text
    assert not _told(theirs, "judged")
    assert boards == [f"positions/001-{table.phase().season}-{table.phase().year}-movement.json"]
    assert _told(full_archive, "judged")
    assert "Hidden Wash 1" in str(_told(full_archive, "judged"))
    for data in (theirs, full_archive):
        code, report = _verify(data, tmp_path)
        assert code == 0, report
        assert _tool(data, tmp_path)[0] == 0


@pytest.mark.parametrize("slug", [
    slug if slug in {"w3k", "war1648"} else pytest.param(slug, marks=pytest.mark.slow) for slug in SLUGS
])  # fmt: skip
def test_the_digest_of_the_first_seed_is_mailed_before_anything_is_drawn(
    site: Site, slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the first phase in which rules may draw lots, be it the very first of the game; both checkers follow
    the letter."""
    monkeypatch.setattr(Broadcasts, "_map", lambda *_: [])
    table = _table(site, slug)
    with site.store.begin() as session:
        assert Broadcasts(table.writer).welcome(session, table.game) == len(table.variant.powers)
    row = table.letters("welcome")[0]
    words = table.words(row)
    first = next(phase for phase in table.phases() if phase.kind in {"adjustment", "turn"})
    digest = hashlib.sha256(table.seed_of(first.ordinal).encode()).hexdigest()
    assert f"(phase {first.ordinal}) will be drawn from a seed that is fixed already." in words
    seeds = proof_of(finished(site.blobs, row))["seeds"]
    assert digest in [seed["digest"] for seed in seeds]
    assert table.seed_of(first.ordinal) not in words
    letter = tmp_path / "welcome.eml"
    letter.write_bytes(finished(site.blobs, row))
    code, report = _verify(archived(table, Edition.PLAYERS), tmp_path, letter)
    assert code == 0, report
    assert "up to entry" in report
    code, report = _tool(archived(table, Edition.PLAYERS), tmp_path, letter)
    assert code == 0, report
    assert f"the digest of the seed of phase {first.ordinal} is the one entered" in report

    # A letter with another digest must be found by both checkers.
    forged = [{**seed, "digest": seed["digest"][::-1]} for seed in seeds]
    letter.write_bytes(with_proof(letter.read_bytes(), seeds=forged))
    assert _verify(archived(table, Edition.PLAYERS), tmp_path, letter)[0] == 1
    assert _tool(archived(table, Edition.PLAYERS), tmp_path, letter)[0] == 1


@pytest.mark.parametrize("slug", SLUGS)
def test_a_tape_is_as_long_as_the_rules_may_need(
    site: Site, slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = _table(site, slug)
    tape_lengths: list[int] = []

    def note(context: object, rules: object, position: object, orders: object, lots: Any) -> None:
        tape_lengths.append(len(lots.tape))
        raise KeyboardInterrupt

    monkeypatch.setattr("service.games.turns.judge", note)
    with site.store() as session, pytest.raises(KeyboardInterrupt):
        resolve_orders(session, table.phase(), table.load)
    assert tape_lengths == [maps.load(slug).rules.LOTS]
