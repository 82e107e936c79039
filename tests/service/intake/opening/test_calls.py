"""The calls that a jailed child may use, by the kernel's own numbers, and what its filter answers (SEC-02,
SEC-05).

`tests/data/linux_calls.tsv` has every call of the kernel's headers, of x86-64 and of 64-bit ARM where there
is one: `asm/unistd_64.h` and `asm-generic/unistd.h` of Debian's linux-libc-dev 6.1.187-1, the numbers alone.
"""

from __future__ import annotations

import csv
import errno
import operator
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from service.intake.opening import calls

FILE = Path(__file__).parents[3] / "data" / "linux_calls.tsv"
MACHINES = ("x86-64", "arm64")
GUARDED = {"open": calls._OPEN, "openat": calls._OPENAT, "ioctl": calls._IOCTL, "fcntl": calls._FCNTL,
           "clone": calls._CLONE, "clone3": calls._CLONE3, "tgkill": calls._TGKILL,
           "prlimit64": calls._PRLIMIT, "seccomp": calls._SECCOMP}
"""Calls that are allowed with some arguments, and the one that puts the filter up."""


def numbers_of(machine: str) -> Mapping[str, int]:
    """The number of each call on a machine."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {row["call"]: int(row[machine]) for row in rows if row[machine]}


@pytest.mark.parametrize("machine", MACHINES)
def test_each_call_has_the_kernels_number_and_none_that_is_there_is_called_missing(machine: str) -> None:
    theirs, column = numbers_of(machine), MACHINES.index(machine)
    ours = {name: numbers[column] for name, numbers in {**calls._NUMBERS, **GUARDED}.items()}
    assert len(ours) > 60
    assert ours == {name: theirs.get(name) for name in ours}


ARCHITECTURES = {"x86-64": ("x86_64", 0xC000003E), "arm64": ("aarch64", 0xC00000B7)}
"""What uname(2) and the kernel call a machine (linux/audit.h)."""
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
TESTS = {0x15: operator.eq, 0x35: operator.ge, 0x45: operator.and_}
OWN_PROCESS = 4321
READ_ONLY = os.O_RDONLY | os.O_CLOEXEC
THREAD = 0x003D0F00
"""The flags of a thread of the C library: memory, files, CLONE_THREAD and so on (sched.h)."""
NAMESPACES = (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
SOME_ALLOWED: Mapping[tuple[str, int], Mapping[int, int]] = {
    ("open", 1): {READ_ONLY: ALLOW} | dict.fromkeys(
        (os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC, os.O_APPEND), ERROR | errno.EACCES),
    ("openat", 2): {READ_ONLY: ALLOW} | dict.fromkeys(
        (os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC, os.O_APPEND), ERROR | errno.EACCES),
    # TCGETS, and the next one, which sets.
    ("ioctl", 1): {0x5401: ALLOW, 0x5402: ERROR | errno.ENOTTY},
    # F_SETFL, F_SETLK, F_SETOWN, F_NOTIFY after the five that are allowed.
    ("fcntl", 1): dict.fromkeys((0, 1, 2, 3, 1030), ALLOW) | dict.fromkeys(
        (4, 6, 8, 1026, 1031), ERROR | errno.EPERM),
    # Without CLONE_THREAD it is a process; the signal at its end, below 0x80, is no namespace.
    ("clone", 0): {THREAD: ALLOW, THREAD | 0x7F: ALLOW} | dict.fromkeys(
        (THREAD & ~0x10000, 17, *(THREAD | flag for flag in NAMESPACES)), ERROR | errno.EPERM),
    ("clone3", 0): {0: ERROR | errno.ENOSYS},
    ("tgkill", 0): {OWN_PROCESS: ALLOW, OWN_PROCESS + 1: ERROR | errno.EPERM},
    # An address is a limit that is set, also above four gigabytes.
    ("prlimit64", 2): {0: ALLOW, 1: ERROR | errno.EPERM, 1 << 32: ERROR | errno.EPERM},
}
"""Calls of which one argument decides, by its place, and what each value of it gets."""


def answer(program: bytes, machine: int, number: int, place: int = 0, value: int = 0) -> int:
    """What the kernel does with a call (seccomp(2)): it runs the program over `struct seccomp_data`."""
    arguments = [value if other == place else 0xFFFF_FFFF_FFFF_FFFF for other in range(6)]
    data = struct.pack("=IIQ6Q", number, machine, 0, *arguments)
    step, loaded = 0, 0
    while True:
        operation, hit, miss, constant = struct.unpack_from("=HBBI", program, 8 * step)
        if operation == 0x06:
            return int(constant)
        if operation == 0x20:
            (loaded,) = struct.unpack_from("=I", data, constant)
            step += 1
        else:
            step += 1 + (hit if TESTS[operation](loaded, constant) else miss)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("opens_files", [True, False])
def test_what_is_not_allowed_is_refused(
    machine: str, monkeypatch: pytest.MonkeyPatch, *, opens_files: bool
) -> None:
    """SEC-02: every call of the kernel, by number, with the arguments that decide."""
    name, word = ARCHITECTURES[machine]
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine=name))
    program, numbers = calls.program(OWN_PROCESS, opens_files=opens_files), numbers_of(machine)
    plain = numbers.keys() - {call for call, _ in SOME_ALLOWED}
    # Two names may have one number.
    allowed = {numbers[call] for call in calls.ALLOWED & plain}
    assert {call: answer(program, word, numbers[call]) for call in plain} == {
        call: ALLOW if numbers[call] in allowed else ERROR | errno.EPERM for call in plain}
    for (call, place), expected in SOME_ALLOWED.items():
        if call in numbers:
            given = {value: answer(program, word, numbers[call], place, value) for value in expected}
            is_closed = call in {"open", "openat"} and not opens_files
            assert given == (dict.fromkeys(expected, ERROR | errno.EACCES) if is_closed else expected), call


def test_calls_by_other_numbers_and_of_another_machine_end_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    for machine, (name, word) in ARCHITECTURES.items():
        monkeypatch.setattr(os, "uname", lambda name=name: SimpleNamespace(machine=name))
        program, read = calls.program(OWN_PROCESS, opens_files=True), numbers_of(machine)["read"]
        assert answer(program, 0x40000003, read) == KILL, "32-bit x86"
        # The second numbers of x86-64; on ARM there are none.
        assert answer(program, word, 0x40000000 | read) == (
            KILL if machine == "x86-64" else ERROR | errno.EPERM)


def test_a_call_has_the_number_of_this_machine_if_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    for machine, (name, _) in ARCHITECTURES.items():
        monkeypatch.setattr(os, "uname", lambda name=name: SimpleNamespace(machine=name))
        for call in ("seccomp", "read"):
            assert calls.number(call) == numbers_of(machine)[call]
    with monkeypatch.context() as small:
        small.setattr(struct, "calcsize", lambda _: 4)
        assert calls.number("read") is None, "a 32-bit program calls by other numbers"
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="riscv64"))
    assert calls.number("read") is None
