"""Alterations of a finished game's archive are found by the checker, by itself and within `galloper verify`,
and nothing else is (issue "Trust", figures)."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.altered import ALTERATIONS, entries, older, packed, rechained, unpacked
from tests.support.checks import print_check
from tests.support.played import archived, begin, finish, kept, played
from tests.support.site import make_site
from tests.support.table import Table

TOOL = Path(__file__).parents[3] / "tools" / "verify_record.py"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    with make_site(tmp_path_factory.mktemp("site")) as site:
        yield played(site)


@pytest.fixture(scope="module")
def data(table: Table) -> bytes:
    return archived(table)


@pytest.fixture(scope="module")
def letters(table: Table, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return kept(table, tmp_path_factory.mktemp("mails"))


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[bytes, list[Path]], str]:
    """The checker as players run it, within this process; what it found, or "". No program judges for it."""
    monkeypatch.delenv("GALLOPER", raising=False)
    # Otherwise it would find the `galloper` of this installation and let it judge.
    monkeypatch.setenv("PATH", str(tmp_path))
    spec = importlib.util.spec_from_file_location("verify_record", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def found(archive: bytes, mails: list[Path]) -> str:
        path = tmp_path / "archive.zip"
        path.write_bytes(archive)
        monkeypatch.setattr(sys, "argv", ["verify_record.py", str(path), *map(str, mails)])
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                module.run()
            except SystemExit as fault:
                return str(fault.code)
        return ""

    return found


def galloper(archive: bytes, mails: list[Path], folder: Path) -> str:
    """`galloper verify`; the faults it names, or ""."""
    path, out = folder / "archive.zip", io.StringIO()
    path.write_bytes(archive)
    status = print_check(path, mails, out)
    faults = [line for line in out.getvalue().splitlines() if line.startswith("NOT AS")]
    assert status == bool(faults)
    return "\n".join(faults)


def missed(
    data: bytes, letters: list[Path], tool: Callable[[bytes, list[Path]], str], count: int
) -> Counter[str]:
    """The alterations that the checker did not find. Each has its own seed: its number."""
    unnoticed: Counter[str] = Counter()
    # The seed is in the message of a failure, so an alteration can be made again.
    for seed in range(count):
        alter = ALTERATIONS[seed % len(ALTERATIONS)]
        changed = alter(data, random.Random(seed))
        if not tool(changed, letters):
            unnoticed[f"{alter.__name__} {seed}"] += 1
    return unnoticed


def test_alterations_are_found(
    data: bytes, letters: list[Path], tool: Callable[[bytes, list[Path]], str]
) -> None:
    # 36: each of the twelve kinds of alteration three times; the slow test tries a thousand.
    assert missed(data, letters, tool, 36) == Counter()


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_thousand_alterations_are_found(
    data: bytes, letters: list[Path], tool: Callable[[bytes, list[Path]], str]
) -> None:
    assert missed(data, letters, tool, 1000) == Counter()


def no_alarm(
    table: Table, letters: list[Path], tool: Callable[[bytes, list[Path]], str], folder: Path, count: int
) -> None:
    for _ in range(count):
        archive = archived(table)
        assert (galloper(archive, letters, folder), tool(archive, letters)) == ("", "")


def test_an_unaltered_archive_raises_no_alarm(
    table: Table, letters: list[Path], tool: Callable[[bytes, list[Path]], str], tmp_path: Path
) -> None:
    no_alarm(table, letters, tool, tmp_path, 2)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_two_hundred_unaltered_archives_raise_no_alarm(
    tool: Callable[[bytes, list[Path]], str], tmp_path: Path
) -> None:
    """Of twenty games, each after every one of ten further acts."""
    for game in range(20):
        folder = tmp_path / str(game)
        folder.mkdir()
        with make_site(folder) as site:
            table = played(site)
            for turn in range(10):
                # Every second turn plays a phase to its results and begins the next.
                if turn % 2:
                    finish(table)
                    begin(table)
                archive = archived(table)
                mails = kept(table, folder / f"mails-{turn}")
                assert (galloper(archive, mails, folder), tool(archive, mails)) == ("", ""), (game, turn)


# Each kind of bad input in one sentence with the entry's number
# --------------------------------------------------------


def both(
    archive: bytes, letters: list[Path], tool: Callable[[bytes, list[Path]], str], folder: Path
) -> tuple[str, str]:
    sentence = galloper(archive, letters, folder)
    assert sentence.count("\n") == 0, sentence
    return sentence, tool(archive, letters)


def test_a_truncated_archive(data: bytes, tool: Callable[[bytes, list[Path]], str], tmp_path: Path) -> None:
    # In the midst of the record, so that some entries can still be read.
    cut = data.index(b"record.jsonl") + 4000
    sentence, other = both(data[:cut], [], tool, tmp_path)
    assert "damaged or cut off" in sentence
    assert "entries up to" in sentence
    assert int(sentence.partition("entries up to ")[2].split()[0]) > 0
    assert "damaged or cut off" in other


def test_a_missing_photograph(data: bytes, tool: Callable[[bytes, list[Path]], str], tmp_path: Path) -> None:
    files = unpacked(data)
    name = next(file for file in files if file.startswith("photographs/"))
    key = name.partition("/")[2].partition(".")[0]
    number = next(entry["n"] for entry in entries(files)
                  if entry["body"]["what"] == "sheet" and key in entry["body"]["tells"]["photographs"])
    del files[name]
    for sentence in both(packed(files), [], tool, tmp_path):
        assert f"of entry {number} is missing" in sentence


def test_a_chain_with_two_heads(
    data: bytes, tool: Callable[[bytes, list[Path]], str], tmp_path: Path
) -> None:
    files = unpacked(data)
    chain = entries(files)
    for sentence in both(packed(files, [*chain, chain[-1]]), [], tool, tmp_path):
        assert f"ntry {len(chain)} is there twice: the chain has two heads" in sentence


def test_a_backup_older_than_mailed_roots(
    data: bytes, letters: list[Path], tool: Callable[[bytes, list[Path]], str], tmp_path: Path
) -> None:
    files = unpacked(data)
    last = [entry["n"] for entry in entries(files) if entry["body"]["what"] == "judged"][-1]
    assert both(older(files, last - 2), [], tool, tmp_path) == ("", "")  # by itself it is as good as any
    product_sentence, tool_sentence = galloper(older(files, last - 2), letters,
        tmp_path), tool(older(files, last - 2), letters)
    for sentence in (product_sentence, tool_sentence):
        assert f"ends at entry {last - 2}, and the letter names entry {last}" in sentence


def test_an_archive_from_a_newer_version(
    data: bytes, tool: Callable[[bytes, list[Path]], str], tmp_path: Path
) -> None:
    for sentence in both(packed(unpacked(data), format=3), [], tool, tmp_path):
        assert "newer" in sentence
        assert "entry 1" in sentence


def test_something_else_than_an_archive(tool: Callable[[bytes, list[Path]], str], tmp_path: Path) -> None:
    # Nothing, the first bytes of a ZIP file, another JSON file, and noise.
    for junk in (b"", b"PK\x03\x04", json.dumps({"a": 1}).encode(), b"x" * 200):
        sentence, other = both(junk, [], tool, tmp_path)
        assert sentence
        assert other


# What no digest shows
# -------------------------------------------------------------------------------------------------


def test_a_sheet_that_was_passed_over_is_found_though_every_digest_fits(
    data: bytes, tool: Callable[[bytes, list[Path]], str], tmp_path: Path
) -> None:
    """The record of a keeper who executed an older version than came in time."""
    files = unpacked(data)
    chain = entries(files)
    for entry in chain:
        if entry["body"]["what"] == "sheet" and (
            entry["body"]["tells"]["power"],
            entry["body"]["tells"]["version"],
        ) == ("Montrose", 1):
            entry["body"]["tells"]["version"] = 7
    # Computed again from end to end, so that no digest gives it away.
    forged = rechained(files, chain)
    sentence, other = galloper(forged, [], tmp_path), tool(forged, [])
    for words in (sentence, other):
        assert "another sheet of Montrose should have counted" in words
