"""The attacker inside the child (SEC-02): code that a mail or a picture has taken over, in the real child
process with its own limits, tries the site around it."""

from __future__ import annotations

import errno
import json
import os
import platform
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pillow

from ocr.unreadable import UnreadableReason
from service.intake.opening import jail, sandbox
from service.intake.opening.sandbox import SandboxLimits, decode_photo, run_child
from service.intake.opening.sandbox_child import ChildJob
from tests.support import odd_files as odd
from tests.support.attacker import CALLS, LEAVES_MARKS, TAKEN_OVER
from tests.support.mails import wait_for
from tests.support.opening import children_of

ROOT = Path(__file__).parents[4]
NUMBERED = platform.machine() == "x86_64"
walled = pytest.mark.skipif(not jail.offered().whole, reason="this kernel has no Landlock or no seccomp")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """A site's folder with what it must keep, and a server that listens next to it, as PostgreSQL does."""
    data = tmp_path / "data"
    data.mkdir()
    (tmp_path / "galloper.toml").write_text('[mail_in]\npassword = "hunter2"\n')
    (data / "galloper.sqlite").write_bytes(b"SQLite format 3\0 and the orders")
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as hidden:
        server.bind(str(tmp_path / ".s.PGSQL.5432"))
        server.listen()
        hidden.bind(f"\0galloper-{os.getpid()}")
        hidden.listen()
        yield {
            "files": [str(tmp_path / "galloper.toml"), str(data / "galloper.sqlite"), "/etc/passwd"],
            "folders": [str(tmp_path), str(data), "/tmp", str(ROOT)],
            "sockets": [str(tmp_path / ".s.PGSQL.5432"), f"\0galloper-{os.getpid()}"],
            "process": os.getpid(),
        }


@pytest.fixture(params=[ChildJob.PHOTO, ChildJob.MAILS])
def taken_over(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ChildJob:
    """A child whose decoder or parser is the attacker's: what it is given it does, from the first byte on."""
    job: ChildJob = request.param
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "sitecustomize.py").write_text(TAKEN_OVER)
    usual = sandbox._environment()
    path = f"{tmp_path / 'taken'}{os.pathsep}{usual['PYTHONPATH']}{os.pathsep}{ROOT}"
    monkeypatch.setattr(sandbox, "_environment", lambda: usual | {"PYTHONPATH": path})
    return job


def attack(job: ChildJob, aims: dict[str, Any]) -> dict[str, str]:
    """Each attempt, and "done" or the error that it met."""
    answer: dict[str, str] = json.loads(run_child(job, json.dumps(aims).encode(), SandboxLimits()))
    return answer


@pytest.mark.parametrize(("landlock", "seccomp"), [(0, False), (0, True), (1, False), (1, True)])
def test_both_walls_make_a_whole(landlock: int, *, seccomp: bool) -> None:
    assert jail.Walls(landlock, seccomp).whole is (landlock == 1 and seccomp)


@walled
def test_who_takes_the_child_over_gains_nothing(site: dict[str, Any], taken_over: ChildJob) -> None:
    """It read the mailbox password and the database, wrote into data/, reached PostgreSQL's socket, signalled
    its parent and started a program."""
    attempts = attack(taken_over, site)
    assert len(attempts) > 30, attempts
    assert {name: end for name, end in attempts.items() if end == "done"} == {}


@pytest.mark.parametrize("job", [ChildJob.PHOTO, ChildJob.MAILS])
def test_nothing_of_one_file_reaches_the_next(
    job: ChildJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file has a fork of one opener (SCA-11): what a child that was taken over leaves in its memory, its
    environment, its modules and its signals is gone with it, and it has no file but its own three, also while
    another child works."""
    (tmp_path / "sitecustomize.py").write_text(LEAVES_MARKS)
    usual = sandbox._environment()
    monkeypatch.setattr(sandbox, "_environment", lambda: usual | {"PYTHONPATH": f"{tmp_path}:{ROOT}"})

    def visit(mark: str) -> dict[str, Any]:
        met: dict[str, Any] = json.loads(run_child(job, mark.encode(), SandboxLimits()))
        return met

    first = visit("first")
    with ThreadPoolExecutor(2) as pool:
        slow = pool.submit(visit, "slow")
        assert wait_for(lambda: bool(children_of(first["opener"])), 30)
        beside = visit("beside")
        assert not slow.done()
    clean = {"word": "", "environment": "", "argument": job.value, "module": False, "handler": False,
             "limit": sys.getrecursionlimit(), "opener": first["opener"], "codec": "dumps",
             "files": [0, 1, 2]}
    for mark, met in (("first", first), ("slow", slow.result()), ("beside", beside), ("last", visit("last"))):
        assert met == clean | {"input": len(mark)}


@walled
def test_a_child_reaches_neither_its_opener_nor_a_fork_beside_it(
    site: dict[str, Any], taken_over: ChildJob
) -> None:
    """The opener has the memory that every later fork begins with."""
    attack(taken_over, site)  # starts the opener
    (opener,) = (process for process in children_of(os.getpid())
                 if taken_over.value.encode() in Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0"))
    attempts = attack(taken_over, site | {"process": opener})
    assert {name: end for name, end in attempts.items() if end == "done"} == {}
    assert opener in children_of(os.getpid())


def test_after_a_file_that_ended_its_child_the_next_has_another_opener() -> None:
    """A file that crashes a decoder may have learned where things lie in memory."""
    white = odd.saved(Pillow.new("RGB", (7000, 7000), "white"), "PNG")
    assert decode_photo(odd.saved(odd.quarters(), "PNG")).pages
    before = set(children_of(os.getpid()))
    assert decode_photo(white, SandboxLimits(memory=250_000_000)).reason is UnreadableReason.TOO_LARGE
    assert decode_photo(odd.saved(odd.quarters(), "PNG")).pages
    after = set(children_of(os.getpid()))
    assert len(after) == len(before)
    assert after != before


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_an_opener_that_somebody_ended_is_started_anew(number: signal.Signals) -> None:
    picture = odd.saved(odd.quarters(), "PNG")
    assert decode_photo(picture).pages
    for process in children_of(os.getpid()):
        os.kill(process, number)
    assert decode_photo(picture).pages


@walled
@pytest.mark.skipif(not NUMBERED, reason="the numbers are those of x86-64")
def test_the_kernel_refuses_the_calls_themselves() -> None:
    """By number, past every check of Python's: the filter answers, not a lack of rights."""
    program = (
        "import ctypes, json, sys; from pathlib import Path; from service.intake.opening import jail; "
        "libc = ctypes.CDLL(None, use_errno=True); jail.close(Path(sys.argv[1])); "
        "print(json.dumps({name: [libc.syscall(*map(ctypes.c_long, call)), ctypes.get_errno()] "
        "for name, call in json.loads(sys.argv[2]).items()}))"
    )
    child = subprocess.run(
        [sys.executable, "-c", program, str(ROOT), json.dumps(CALLS)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        env=sandbox._environment(),
    )
    refused = json.loads(child.stdout)
    assert len(refused) > 40
    assert {name: answer for name, answer in refused.items() if answer != [-1, 1]} == {}


def test_the_child_has_no_secret_and_its_limits(
    taken_over: ChildJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the child itself sees them, before the first byte of the file."""
    for name in ("GALLOPER_MAIL_IN__PASSWORD", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "a secret of the tests")
    usual = sandbox._environment()
    monkeypatch.setattr(sandbox, "_environment", lambda: usual | {"ONLY_TELL": "1"})
    told: dict[str, Any] = attack(taken_over, {})
    assert "PYTHONPATH" in told["environment"]
    assert "a secret of the tests" not in told["environment"].values()
    limits, most = SandboxLimits(), told["limits"]
    assert most["AS"] == [limits.memory] * 2
    assert most["FSIZE"] == [limits.output] * 2
    assert most["CPU"] == [limits.cpu_seconds, limits.cpu_seconds + 1]
    assert most["NOFILE"][1] <= 64
    # A core dump would lay a player's photograph on the disk.
    assert most["CORE"] == [0, 0]


def test_a_child_without_landlock_opens_no_file_at_all(
    site: dict[str, Any], taken_over: ChildJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container whose kernel has seccomp alone."""
    if not jail.offered().seccomp:
        pytest.skip("this kernel has no seccomp")
    usual = sandbox._environment()
    monkeypatch.setattr(sandbox, "_environment", lambda: usual | {"WITHOUT_LANDLOCK": "1"})
    attempts = attack(taken_over, site)
    assert {name: end for name, end in attempts.items() if end == "done"} == {}


def test_the_probe_of_the_check_finds_what_an_open_child_can_do(site: dict[str, Any]) -> None:
    from service.intake.opening.probe import answer_probe

    inside = json.loads(run_child(ChildJob.PROBE, json.dumps(site).encode(), SandboxLimits()))
    outside = json.loads(answer_probe(json.dumps(site).encode()))
    assert len(outside) > 8
    assert inside == ([] if jail.offered().whole else inside)


def test_a_wall_that_a_machine_refuses_after_all_is_not_there_and_another_fault_ends_the_child() -> None:
    """A container may offer Landlock and refuse it (EPERM)."""

    def refused() -> None:
        raise jail.JailFault("no", errno.EPERM)

    def broken() -> None:
        raise jail.JailFault("no", errno.ENOMEM)

    assert jail._stands(refused) is False
    assert jail._stands(lambda: None) is True
    with pytest.raises(jail.JailFault):
        jail._stands(broken)
