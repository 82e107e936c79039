"""A player who holds only her own mails and the players' archive (issue "Trust", done when), with both
checkers."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.archive.export import Edition
from tests.support.checks import print_check
from tests.support.played import HERSELF, SHORT, archived, kept, played
from tests.support.proofs import proof_of, with_proof, with_words, words_of
from tests.support.site import make_site
from tests.support.table import Table

TOOL = Path(__file__).parents[3] / "tools" / "verify_record.py"
GALLOPER = Path(sys.executable).parent / "galloper"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    with make_site(tmp_path_factory.mktemp("site")) as site:
        yield played(site)


@pytest.fixture(scope="module")
def hers(table: Table, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """All that she has: the archive, and her mails."""
    folder = tmp_path_factory.mktemp("hers")
    path = folder / "powick-bridge.zip"
    path.write_bytes(archived(table, Edition.PLAYERS))
    return path, kept(table, folder / "mails")


def tool(path: Path, letters: list[Path], judge: str = "") -> subprocess.CompletedProcess[str]:
    """The independent checker, in a Python that has nothing of ours."""
    return subprocess.run(
        [sys.executable, "-I", "-S", str(TOOL), str(path), *map(str, letters)], capture_output=True,
        text=True, check=False,
        cwd=path.parent, env={"GALLOPER": judge, "PATH": os.defpath, "PYTHONUTF8": "1"})  # fmt: skip


def entries(path: Path) -> list[dict[str, Any]]:
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as zipped:
        return [json.loads(line) for line in zipped.read("record.jsonl").decode().splitlines()]


def tells_of(path: Path, kind: str) -> list[dict[str, Any]]:
    bodies = [entry["body"] for entry in entries(path) if "body" in entry]
    return [body["tells"] for body in bodies if body["what"] == kind]


def test_the_independent_checker_proves_what_she_wants_to_know(hers: tuple[Path, list[Path]]) -> None:
    path, letters = hers
    completed_process = tool(path, letters)
    assert (completed_process.returncode, completed_process.stderr) == (0, "")
    sheets = {tells["version"]: tells for tells in tells_of(path, "sheet") if tells["power"] == HERSELF}
    receipts = [line for line in completed_process.stdout.splitlines()
        if "is the sheet of this receipt" in line]
    assert [line.partition("received ")[2] for line in receipts] == [
        f"{sheets[version]['received']}." for version in (1, 2)
    ]
    photographs = [line for line in completed_process.stdout.splitlines()
        if "is on the sheet of entry" in line]
    # Her own two, by the mails she sent.
    assert len(photographs) == 2
    executed = {tells["phase"]: tells for tells in tells_of(path, "judged")}[sheets[2]["phase"]]["executed"]
    assert executed[HERSELF] == sheets[2]["sheet"]
    assert "the digest of the seed of phase" in completed_process.stdout
    assert "No phase was judged again" in completed_process.stdout


@pytest.mark.slow
def test_with_the_program_installed_every_phase_is_judged_again(hers: tuple[Path, list[Path]]) -> None:
    path, letters = hers
    completed_process = tool(path, letters, str(GALLOPER))
    assert (completed_process.returncode, completed_process.stderr) == (0, "")
    assert "2 of 2 phases were judged again, with the same results" in completed_process.stdout


def test_galloper_verify_says_the_same(hers: tuple[Path, list[Path]]) -> None:
    path, letters = hers
    out = io.StringIO()
    assert print_check(path, letters, out) == 0, out.getvalue()
    for words in (
        "is the sheet of this receipt",
        "is on the sheet of entry",
        "is the one mailed",
        "judged again, with the same",
    ):
        assert words in out.getvalue()


def test_lots_were_drawn_and_come_from_the_seed(hers: tuple[Path, list[Path]]) -> None:
    # two of Newcastle's six units, drawn without replacement over units sorted by region name.
    path, _ = hers
    winter = tells_of(path, "judged")[0]
    assert winter["lots"]["used"] == 2
    units = sorted(
        unit.partition(f"{SHORT} ")[2][2:] for unit in winter["case"]["units"] if unit.startswith(f"{SHORT} ")
    )
    removed = [units.pop(number % len(units)) for number in winter["lots"]["numbers"]]
    assert removed == winter["answer"]["removed_by_lot"]


def test_the_players_archive_opens_nothing_that_was_not_sent_to_all(
    table: Table, hers: tuple[Path, list[Path]]
) -> None:
    """Q-37 and the seal: no photograph, no mail address, no name or address from a sheet, no phase that still
    runs."""
    path, _ = hers
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as zipped:
        names, text = zipped.namelist(), b"".join(zipped.read(name) for name in zipped.namelist()).decode()
    assert {name.partition("/")[0] for name in names} == {
        "README.txt",
        "words.txt",
        "manifest.json",
        "record.jsonl",
        "positions",
    }
    assert "@" not in text
    assert "Lovelace" not in text
    running = max(tells["phase"] for tells in tells_of(path, "phase") if tells["state"] == "open")
    for kind in ("sheet", "reading", "decision", "judged", "word"):
        assert all(tells["phase"] < running for tells in tells_of(path, kind)), kind
    replaced = next(
        tells["sheet"] for tells in tells_of(path, "sheet")
        if tells["power"] == HERSELF and tells["version"] == 1
    )
    assert all(tells["sheet"] != replaced for tells in tells_of(path, "reading"))
    for row in table.phases():
        assert table.seed_of(row.ordinal) not in text or row.state == "sent"


def test_another_players_receipt_is_not_hers(
    table: Table, hers: tuple[Path, list[Path]], tmp_path: Path
) -> None:
    # One receipt has another hour, the other another digest. Both checkers must find either.
    path, letters = hers
    receipt = next(letter for letter in letters if "receipt" in letter.name)
    stamp = next(
        tells["received"] for tells in tells_of(path, "sheet")
        if tells["power"] == HERSELF and tells["version"] == 1
    )
    digest = next(entry["leaf"] for entry in entries(path) if entry.get("body", {}).get("what") == "sheet")
    of_receipt = receipt.read_bytes()
    for other in (with_words(of_receipt, lambda words: words.replace(stamp, stamp.replace("T0", "T1"))),
                  with_proof(of_receipt, leaf=digest[::-1])):
        changed = tmp_path / "receipt.eml"
        changed.write_bytes(other)
        out = io.StringIO()
        assert print_check(path, [changed], out) == 1
        assert "Entry" in out.getvalue()
        completed_process = tool(path, [changed])
        assert completed_process.returncode == 1
        assert "entry" in completed_process.stderr


FAULTS = ("executed other sheets than", "name other versions than its file")


def test_the_version_that_counted_is_the_one_her_results_name(
    hers: tuple[Path, list[Path]], tmp_path: Path
) -> None:
    """The executed version is the one named. A letter that names another is found by both checkers."""
    path, letters = hers
    counted = "Montrose, version 2"
    results = next(letter.read_bytes() for letter in letters
                   if b"record.json" in letter.read_bytes() and counted in words_of(letter.read_bytes()))
    sheets = proof_of(results)["sheets"]
    changed = tmp_path / "results.eml"
    for letter, is_changed in (
        (results, False),
        (with_words(results, lambda words: words.replace(counted, "Montrose, version 1")), True),
        (with_proof(results, sheets=[{**sheet, "version": 1} for sheet in sheets]), True)
    ):
        changed.write_bytes(letter)
        out = io.StringIO()
        checked, code = tool(path, [changed]), print_check(path, [changed], out)
        assert (code, checked.returncode) == ((1, 1) if is_changed else (0, 0)), out.getvalue()
        for text in (out.getvalue(), checked.stdout + checked.stderr):
            assert any(fault in text for fault in FAULTS) is is_changed
            assert ("the versions that it names as counted are those of entry" in text) is not is_changed


def test_a_letter_of_another_game_proves_nothing_here(hers: tuple[Path, list[Path]], tmp_path: Path) -> None:
    """And is not a fault."""
    path, letters = hers
    receipt = next(path for path in letters if "receipt" in path.name).read_bytes()
    other = tmp_path / "other.eml"
    other.write_bytes(with_proof(receipt, game="edgehill")
                      .replace(b"List-Id: <powick-bridge", b"List-Id: <edgehill"))
    out = io.StringIO()
    assert print_check(path, [other], out) == 0, out.getvalue()
    for text in (out.getvalue(), tool(path, [other]).stdout):
        assert "is the sheet of this receipt" not in text
