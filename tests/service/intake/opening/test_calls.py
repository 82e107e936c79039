"""The numbers of the calls that a jailed child may use, against the kernel's own headers (SEC-05)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from service.intake.opening import calls

HEADERS = (Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm-generic/unistd.h"))
"""Of x86-64 and of 64-bit ARM, in the order of the columns (Debian: linux-libc-dev)."""


def numbers_in(header: Path) -> Mapping[str, int]:
    """The number of each call that a header defines."""
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)$", header.read_text("utf-8"), re.MULTILINE)
    numbers = {name: int(number) for name, number in found}
    # The generic header has a name of its own for a call whose arguments are wider on 32 bits.
    return numbers | ({"newfstatat": numbers["fstatat"]} if "fstatat" in numbers else {})



@pytest.mark.parametrize("column", [0, 1], ids=["x86-64", "arm64"])
def test_each_call_has_the_kernels_number(column: int) -> None:
    header = HEADERS[column]
    if not header.exists():
        pytest.skip("the kernel's headers are not installed")
    theirs = numbers_in(header)
    ours = {name: both[column] for name, both in calls._NUMBERS.items() if both[column] is not None}
    assert len(ours) > 50
    assert ours == {name: theirs[name] for name in ours}
    guarded = {"openat": calls._OPENAT, "ioctl": calls._IOCTL, "fcntl": calls._FCNTL, "clone": calls._CLONE,
               "clone3": calls._CLONE3, "tgkill": calls._TGKILL, "prlimit64": calls._PRLIMIT,
               "seccomp": calls._SECCOMP}
    assert {name: both[column] for name, both in guarded.items()} == {name: theirs[name] for name in guarded}
