"""The numbers of the calls that a jailed child may use, against the kernel's own (SEC-05).

`tests/data/linux_calls.tsv` has every call of the kernel's headers, of x86-64 and of 64-bit ARM where there
is one: `asm/unistd_64.h` and `asm-generic/unistd.h` of Debian's linux-libc-dev 6.1.187-1, the numbers alone.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

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
