"""The jail of the child that opens what strangers send (SEC-02): what the kernel lets it do, once it has
begun.

Three walls, each of which stands without the others. Landlock lets it read the interpreter, its libraries and
this program's own code, and write nothing. Seccomp lets it use the system calls of `calls.ALLOWED` alone: no
socket, no new process or program, no signal. `no_new_privs` goes before both and lasts. All three can only be
narrowed afterwards, by anyone who runs in the child.

Sources: landlock(7), seccomp(2), prctl(2), and the headers of Linux 6.1 for numbers. By ctypes: the packages
that wrap them are unreleased or need a C compiler.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import struct
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from service.intake.opening import calls

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""The calls of Landlock, which have one number on every machine."""
_VERSION_FLAG, _PATH_BENEATH = 1, 1
# The rights of the first version, and those that later ones added (landlock(7), "Filesystem actions").
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_RIGHTS_BY_VERSION = ((1, 13), (2, 14), (3, 15), (5, 16))
_TCP = 0b11
_TCP_SINCE = 4
_SCOPES = 0b11
"""Neither an abstract socket nor a signal reaches a process outside."""
_SCOPES_SINCE = 6
_SET_NO_NEW_PRIVS, _SET_DUMPABLE, _SET_PDEATHSIG = 38, 4, 1
_SECCOMP_FILTER = 1
_NOT_OFFERED = frozenset({errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM, errno.EINVAL})
LONGEST_END = 2.0
"""Seconds for which the end of a thread is waited for."""
CODE = ("adjudicator", "grammar", "maps", "ocr", "reading", "service", "templates")
"""Folders of this program that it reads: next to them may lie the site itself."""
SYSTEM_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")
SYSTEM_FILES = (
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/usr/share/zoneinfo",
    "/dev/null",
    "/dev/urandom",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/sys/devices/system/cpu",
)


@dataclass(frozen=True, slots=True)
class Walls:
    """Which walls this kernel offers. `landlock`: its version, 0 where it has none."""

    landlock: int
    seccomp: bool

    @property
    def whole(self) -> bool:
        """Whether nothing is missing."""
        return self.landlock > 0 and self.seccomp


class JailFault(RuntimeError):
    """A wall that the kernel offers could not be put up, and nothing may be opened. `number`: errno, if
    any."""

    def __init__(self, sentence: str, number: int = 0) -> None:
        super().__init__(sentence)
        self.number = number


def offered() -> Walls:
    """The walls of this kernel, for a process that requests them now."""
    version = _libc().syscall(CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_FLAG)
    # The kernel answers whether it supports an action, here SECCOMP_RET_ERRNO, without installing anything.
    action = ctypes.c_uint32(calls.RETURN_ERROR)
    number = calls.number("seccomp")
    knows = number is not None and _libc().syscall(number, 2, 0, ctypes.byref(action)) == 0
    return Walls(max(version, 0), knows)


def close(root: Path, more: Iterable[Path] = ()) -> Walls:
    """Put up every wall that the kernel offers around this process, which must have one thread. `root`: where
    this program's folders lie. `more`: other folders that it may read. Raises JailFault."""
    walls = offered()
    threads = _threads()
    # One that has ended is still listed for a moment, longer on a busy machine.
    until = monotonic() + LONGEST_END
    while threads != 1 and monotonic() < until:
        sleep(0.01)
        threads = _threads()
    if threads != 1:
        # Landlock holds the thread that requests it, and those that it starts.
        raise JailFault(f"it has {threads} threads already")
    _prctl(_SET_NO_NEW_PRIVS, 1)
    # No one of the same account looks into its memory, and it leaves no core, whatever takes cores in.
    _prctl(_SET_DUMPABLE, 0)
    paths, landlock = [*readable(root), *more], walls.landlock
    if landlock and not _stands(lambda: _landlock(walls.landlock, paths)):
        landlock = 0
    return Walls(landlock, walls.seccomp and _stands(lambda: _seccomp(opens_files=landlock > 0)))


def end_with_parent() -> None:
    """Have the kernel end this process when its parent ends."""
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)


def _threads() -> int:
    tasks = Path("/proc/self/task")
    return sum(1 for _ in tasks.iterdir()) if tasks.is_dir() else 1


def _stands(build: Callable[[], None]) -> bool:
    """Build a wall; False where this machine refuses it after all, as a container may."""
    try:
        build()
    except JailFault as fault:
        if fault.number not in _NOT_OFFERED:
            raise
        return False
    return True


def readable(root: Path) -> list[Path]:
    """The paths that a child may read: the interpreter, the libraries, and this program's own folders."""
    # Its own library, and the packages that it looks into, also those of a virtual environment.
    paths = [Path(os.__file__).parent]
    paths += [
        Path(place)
        for place in sys.path
        if Path(place).name in {"site-packages", "dist-packages", "lib-dynload"}
    ]
    paths += [Path(sys.base_prefix) / "lib", *map(Path, SYSTEM_LIBRARIES), *map(Path, SYSTEM_FILES)]
    return [*dict.fromkeys(paths), *(root / name for name in CODE)]


def _landlock(version: int, paths: Iterable[Path]) -> None:
    bits = max(bits for since, bits in _RIGHTS_BY_VERSION if version >= since)
    attributes = struct.pack("=Q", (1 << bits) - 1)
    if version >= _TCP_SINCE:
        attributes += struct.pack("=Q", _TCP)
    if version >= _SCOPES_SINCE:
        attributes += struct.pack("=Q", _SCOPES)
    ruleset = _call(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    for path in paths:
        # Much of this is not on every machine.
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            _allow(ruleset, path)
    _call(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, path: Path) -> None:
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rights = _READ_FILE | _READ_DIR if path.is_dir() else _READ_FILE
        _call(ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, handle), 0)
    finally:
        os.close(handle)


def _seccomp(*, opens_files: bool) -> None:
    program = calls.program(os.getpid(), opens_files=opens_files)
    code = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))

    number = calls.number("seccomp")
    _call(number, _SECCOMP_FILTER, 0, ctypes.byref(Program(len(program) // 8, ctypes.addressof(code))))


def _prctl(option: int, value: int) -> None:
    if _libc().prctl(option, ctypes.c_ulong(value), *(ctypes.c_ulong(0) for _ in range(3))) != 0:
        raise _fault(f"prctl {option}")


def _call(number: int | None, *arguments: object) -> int:
    result = int(_libc().syscall(number, *arguments))
    if result < 0:
        raise _fault(f"system call {number}")
    return result


def _fault(name: str) -> JailFault:
    number = ctypes.get_errno()
    return JailFault(f"{name} is refused ({errno.errorcode.get(number, number)})", number)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
