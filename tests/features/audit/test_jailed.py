"""Archives of others are checked in the jail, within limits (SEC-02, SEC-05)."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from service.archive import jailed as archive_jail
from service.features.audit import jailed
from service.features.audit.jailed import verify_in_child
from service.features.audit.verify import run_verify
from service.intake.opening import jail, sandbox
from tests.support.altered import packed, unpacked
from tests.support.attacker import TAKEN_OVER
from tests.support.played import archived, kept, played
from tests.support.site import make_site
from tests.support.table import Table


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    with make_site(tmp_path_factory.mktemp("site")) as site:
        yield played(site)


@pytest.fixture
def path(table: Table, tmp_path: Path) -> Path:
    file = tmp_path / "game.zip"
    file.write_bytes(archived(table))
    return file


def verified(path: Path, letters: list[Path] | None = None, **options: Any) -> tuple[int, str]:
    out = io.StringIO()
    return verify_in_child(path, letters or [], out, **options), out.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("as_json", [False, True])
def test_the_child_says_what_the_check_says(table: Table, path: Path, tmp_path: Path, as_json: bool) -> None:
    letters, out = kept(table, tmp_path / "letters"), io.StringIO()
    code = run_verify(path, letters, out, as_json=as_json)
    # In a separate process, as the command runs: a worker that had run a thousand other tests gave a failed
    # check twice, which no run alone repeated.
    command = [sys.executable, "-c", CHECK, str(path), "json" if as_json else "words", *map(str, letters)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert answer.stdout == f"{code}\n{out.getvalue()}", answer.stdout[:2000]
    assert code == 0


@pytest.mark.slow
def test_a_child_that_broke_by_chance_is_asked_once_more(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In whole runs of the tests the child of a sound archive broke now and then; the cause is not known."""
    usual = sandbox.answer_of
    tries: list[tuple[Any, ...]] = []

    def breaks(times: int) -> Any:
        def answer_of(*arguments: Any) -> Any:
            tries.append(arguments)
            if len(tries) <= times:
                raise sandbox.ChildDied(sandbox.ChildEnd.CRASH)
            return usual(*arguments)

        return answer_of

    monkeypatch.setattr(archive_jail, "answer_of", breaks(1))
    assert verified(path)[0] == 0
    tries.clear()
    monkeypatch.setattr(archive_jail, "answer_of", breaks(2))
    code, words_of_check = verified(path)
    assert (code, len(tries)) == (1, 2)
    assert "it made the checking program fail" in words_of_check


def bomb(path: Path, name: str, text: bytes) -> Path:
    """An archive whose file of this name unfolds to far more than the archive."""
    path.write_bytes(packed({**unpacked(path.read_bytes()), name: text}))
    return path


CHECK = r"""
import io, sys
from pathlib import Path
from service.features.audit.jailed import verify_in_child
out = io.StringIO()
letters = [Path(name) for name in sys.argv[3:]]
code = verify_in_child(Path(sys.argv[1]), letters, out, as_json=sys.argv[2] == "json")
print(code, out.getvalue(), sep="\n", end="")
"""
PEAK = r"""
import io, resource, sys
from pathlib import Path
from service.features.audit.jailed import verify_in_child
out = io.StringIO()
code = verify_in_child(Path(sys.argv[1]), [], out)
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, out.getvalue(), sep="\n", end="")
"""
"""Checks an archive in its own process, whose only child is the one that opens the archive."""


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        pytest.param("record.jsonl", b'{"n":1}\n' * 60_000_000, "would unpack to 480 MB",
                     marks=pytest.mark.slow),
        ("tables.jsonl", b"[" * 20_000_000 + b"]" * 20_000_000, "would unpack to 40 MB"),
    ],
)
def test_a_small_archive_that_unfolds_is_refused_by_its_sizes(
    path: Path, name: str, text: bytes, words: str
) -> None:
    """One of 10 MB took 5.9 GB, and was not over after 100 s."""
    command = [sys.executable, "-c", PEAK, str(bomb(path, name, text))]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    code, peak, words_of_check = answer.stdout.split("\n", 2)
    assert (code, words_of_check.count("\n")) == ("1", 1)
    assert words in words_of_check
    assert int(peak) < 1_000_000_000


@pytest.mark.slow
def test_what_passes_the_sizes_is_stopped_by_memory(path: Path) -> None:
    """Lists of nothing take twenty times their text; random digits keep the ratio of the file small."""
    line = (
        b'{"leaf":"' + os.urandom(400_000).hex().encode() + b'","link":[' + b"[]," * 10_000_000 + b"[]]}"
    )
    limits = replace(jailed.VERIFY, memory=400_000_000)
    code, words_of_check = verified(bomb(path, "record.jsonl", line), limits=limits)
    assert code == 1
    assert "more memory than any genuine archive" in words_of_check


def test_what_takes_too_long_is_stopped(path: Path) -> None:
    code, words_of_check = verified(path, limits=replace(jailed.VERIFY, cpu_seconds=0), as_json=True)
    assert code == 1
    assert "took longer than any genuine archive" in json.loads(words_of_check)["faults"][0]


def test_an_archive_says_nothing_to_the_terminal(path: Path) -> None:
    files = unpacked(path.read_bytes())
    path.write_bytes(packed(files, game="\x1b]0;owned\x07\x1b[2J\u202egnp"))
    code, words_of_check = verified(path)
    assert code == 1
    assert "\x1b" not in words_of_check
    assert "\u202e" not in words_of_check


@pytest.mark.skipif(not jail.offered().whole, reason="this kernel has no Landlock or no seccomp")
def test_who_takes_the_check_over_gains_nothing(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").mkdir()
    aims = {"files": [str(path)], "folders": [str(tmp_path)], "sockets": [], "process": os.getpid()}
    hook = (
        "from service.features.audit import verify\n"
        "verify.run_verify = lambda path, letters, out, **_: "
        f"out.write(attack({json.dumps(aims).encode()!r}).decode()) and 0\n"
    )
    (tmp_path / "taken" / "sitecustomize.py").write_text(
        TAKEN_OVER.replace('sandbox_child" in', 'never" in') + hook
    )
    usual = sandbox._environment()
    monkeypatch.setattr(
        sandbox,
        "_environment",
        lambda: usual | {"PYTHONPATH": f"{tmp_path / 'taken'}{os.pathsep}{usual['PYTHONPATH']}"},
    )
    attempts = json.loads(verified(path)[1])
    assert len(attempts) > 30
    assert {name: end for name, end in attempts.items() if end == "done"} == {}
