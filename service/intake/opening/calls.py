"""The system calls that a jailed child may use, as a program of the kernel's filter (seccomp(2), BPF).

A list of what is allowed: what is not on it answers EPERM. So a new call of a new kernel is refused too.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Mapping
from typing import NamedTuple

# By name, the numbers on x86-64 and on 64-bit ARM (Linux 6.1: arch/x86/entry/syscalls/syscall_64.tbl,
# include/uapi/asm-generic/unistd.h). None: there is no such call.
_NUMBERS: Mapping[str, tuple[int | None, int | None]] = {
    # what is open already: its input, its answer, the libraries
    "read": (0, 63),
    "pread64": (17, 67),
    "readv": (19, 65),
    "write": (1, 64),
    "pwrite64": (18, 68),
    "writev": (20, 66),
    "lseek": (8, 62),
    "close": (3, 57),
    "fstat": (5, 80),
    "dup": (32, 23),
    "getdents64": (217, 61),
    "fadvise64": (221, 223),
    "poll": (7, None),
    "ppoll": (271, 73),
    # where something is
    "newfstatat": (262, 79),
    "stat": (4, None),
    "lstat": (6, None),
    "statx": (332, 291),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getcwd": (79, 17),
    # memory
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "brk": (12, 214),
    "membarrier": (324, 283),
    # threads of its own, which decoders start
    "futex": (202, 98),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "set_robust_list": (273, 99),
    "rseq": (334, 293),
    "set_tid_address": (218, 96),
    "gettid": (186, 178),
    "getcpu": (309, 168),
    # about itself and the clock
    "getpid": (39, 172),
    "getppid": (110, 173),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    "restart_syscall": (219, 128),
    "getrandom": (318, 278),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "getrusage": (98, 165),
    "times": (100, 153),
    "getrlimit": (97, 163),
    "exit": (60, 93),
    "exit_group": (231, 94),
}
# Calls of which only some arguments are allowed; see `program`.
_OPEN, _OPENAT, _IOCTL, _FCNTL = (2, None), (257, 56), (16, 29), (72, 25)
_CLONE, _CLONE3, _TGKILL, _PRLIMIT = (56, 220), (435, 435), (234, 131), (302, 261)
_SECCOMP = (317, 277)

ALLOWED = frozenset(_NUMBERS)
"""Calls that are allowed whatever their arguments are."""
RETURN_ERROR = 0x00050000
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_MACHINES: Mapping[str, tuple[int, int]] = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""The column of the numbers, and the kernel's word for the machine (AUDIT_ARCH)."""
_X32 = 0x40000000
"""Calls of x86-64 from here on are the same once more, by other numbers."""
_THREAD, _NAMESPACES = 0x00010000, 0x7E020080
"""Flags of clone(2): a thread of the same process; a namespace of its own (with CLONE_NEWTIME, 0x80)."""
_TCGETS = 0x5401
_FCNTL_ALLOWED = (0, 1, 2, 3, 1030)
"""F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC; F_SETOWN would have the kernel signal another
process."""
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# struct seccomp_data: the call's number at 0, the machine at 4, six arguments of eight bytes from 16 on. Both
# machines store the lower half first.
_NUMBER, _MACHINE = 0, 4
_LOAD, _EQUAL, _ANY_BIT, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06


class _Step(NamedTuple):
    """An instruction. `hit`, `miss`: how many instructions after it are left out where a test holds, and
    where it does not."""

    operation: int
    value: int
    hit: int = 0
    miss: int = 0


def number(name: str) -> int | None:
    """The number of a call on this machine; None where it, or the machine, is not known."""
    machine = _MACHINES.get(os.uname().machine)
    if machine is None or struct.calcsize("P") != 8:
        return None
    return (_SECCOMP if name == "seccomp" else _NUMBERS[name])[machine[0]]


def program(process: int, *, opens_files: bool) -> bytes:
    """The filter for a process. `opens_files`: whether it may open files for reading, because another wall
    shows which; without that it opens none any more. Raises KeyError on a machine whose numbers are not
    known."""
    column, machine = _MACHINES[os.uname().machine]
    allowed, denied = _Step(_RETURN, _ALLOW), _error(errno.EPERM)
    reading = [_error(errno.EACCES)]
    if opens_files:
        reading = [_Step(_ANY_BIT, _WRITING, miss=1), *reading, allowed]
    places = range(len(_FCNTL_ALLOWED), 0, -1)
    rules: list[tuple[tuple[int | None, int | None], list[_Step]]] = [
        *((numbers, [allowed]) for numbers in _NUMBERS.values()),
        (_OPEN, [_argument(1), *reading]),
        (_OPENAT, [_argument(2), *reading]),
        # Whether a file is a terminal, which Python tests for each.
        (_IOCTL, [_argument(1), *_only(_TCGETS, errno.ENOTTY)]),
        (_FCNTL, [_argument(1),
                  *(_Step(_EQUAL, command, hit=place)
                    for place, command in zip(places, _FCNTL_ALLOWED, strict=True)), denied, allowed]),
        (_CLONE, [_argument(0), _Step(_ANY_BIT, _NAMESPACES, miss=1), denied,
                  _Step(_ANY_BIT, _THREAD, hit=1), denied, allowed]),
        # Its flags lie in memory, which no filter reads; the C library then takes clone.
        (_CLONE3, [_error(errno.ENOSYS)]),
        # abort() signals itself; whatever it crashed by stays to be seen.
        (_TGKILL, [_argument(0), *_only(process, errno.EPERM)]),
        # Limits are read and never set: then the third argument is a null pointer, in both halves.
        (_PRLIMIT, [_argument(2), _Step(_EQUAL, 0, hit=1), denied,
                    _Step(_LOAD, _argument(2).value + 4), *_only(0, errno.EPERM)]),
    ]
    code = [_Step(_LOAD, _MACHINE), _Step(_EQUAL, machine, hit=1), _Step(_RETURN, _KILL),
            _Step(_LOAD, _NUMBER)]
    if column == 0:
        code += [_Step(_AT_LEAST, _X32, miss=1), _Step(_RETURN, _KILL)]
    for numbers, rule in rules:
        if (call := numbers[column]) is not None:
            code += [_Step(_EQUAL, call, miss=len(rule)), *rule]
    return b"".join(struct.pack("=HBBI", step.operation, step.hit, step.miss, step.value)
                    for step in [*code, denied])


def _argument(place: int) -> _Step:
    """Loads the lower half of an argument."""
    return _Step(_LOAD, 16 + 8 * place)


def _error(number: int) -> _Step:
    return _Step(_RETURN, RETURN_ERROR | number)


def _only(value: int, otherwise: int) -> list[_Step]:
    """Allows one value, and answers any other with an error."""
    return [_Step(_EQUAL, value, hit=1), _error(otherwise), _Step(_RETURN, _ALLOW)]
