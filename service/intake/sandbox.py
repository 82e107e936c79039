"""Hostile files, opened in a child process that may die in our place.

What comes back is drawn anew: upright pages as JPEG without EXIF, GPS or anything else that was not pixels.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from ocr.page import UnreadableReason
from service.intake.sandbox_child import UNABLE

ROOT = Path(__file__).resolve().parents[2]
FROM_OUTSIDE = frozenset({signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT})
"""Signals that a file does not raise: a service being stopped, the kernel being out of memory. What a file
spends too much of ends by SIGXCPU or SIGXFSZ, a fault in a decoder by SIGSEGV and its like."""
WALL_PER_CPU = 5
"""Seconds of the clock that a child has for each second of processor time: so many others may share the
machine."""


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """What one file may cost.

    `data` and `output`: bytes in and out. `memory`: bytes of address space; photographs of 50 million pixels
    of every format that is taken were opened within 1.2 thousand million, WebP needing most. `cpu_seconds`:
    of processor time, which a file needs alike on an idle and on an overloaded machine. `wall_seconds`: of
    the clock, after which the child is given up as stuck; that is never held against the file.
    `jpeg_quality`: 1..95, of the pages that come back.
    """

    data: int = 40_000_000
    output: int = 120_000_000
    memory: int = 1_600_000_000
    cpu_seconds: int = 30
    wall_seconds: float = WALL_PER_CPU * 30.0
    jpeg_quality: int = 92


@dataclass(frozen=True, slots=True)
class Decoded:
    """Pages as JPEG bytes in order, or a reason and none. `detail` is a phrase for people, `kind` the
    format."""

    pages: tuple[bytes, ...] = field(default=(), repr=False)
    reason: UnreadableReason | None = None
    detail: str = ""
    kind: str = ""


class ChildFault(RuntimeError):
    """A file was not opened, and this machine is to blame; the sentence says how. To be tried again."""


def decode_photo(data: bytes, name: str, limits: SandboxLimits = SandboxLimits()) -> Decoded:
    """An image or PDF of unknown worth as clean pages.

    Never raises on account of `data`: what the file does to the child gives a reason. Raises ChildFault where
    the child could not work or was stopped from outside, and OSError where none could be started. `name`
    plays no part in telling the type; it only stands in `detail` where the type is unknown.
    """
    if len(data) > limits.data:
        return Decoded(reason=UnreadableReason.TOO_LARGE, detail=f"the file has {len(data) / 1e6:.0f} MB")
    # Files, not pipes: the limit on file size then bounds what a child gone wild can write.
    with TemporaryFile() as out, TemporaryFile() as complaints:
        try:
            done = subprocess.run(  # noqa: S603 - our own module and numbers; the file goes in by pipe
                _command(limits),
                input=data,
                stdout=out,
                stderr=complaints,
                timeout=limits.wall_seconds,
                check=False,
                cwd=ROOT,
                env=_environment(),
            )
        except subprocess.TimeoutExpired as error:
            raise ChildFault(f"opening a file was not over after {limits.wall_seconds:g} s; the machine is "
                             f"overloaded, or "
                             "the child is stuck") from error
        out.seek(0)
        complaints.seek(0)
        if done.returncode != 0:
            return _died(done.returncode, complaints.read(100_000))
        return _parsed(out.read(), name)


def _command(limits: SandboxLimits) -> list[str]:
    sizes = (limits.memory, limits.cpu_seconds, limits.output, limits.jpeg_quality)
    return [sys.executable, "-s", "-m", "service.intake.sandbox_child", *(str(size) for size in sizes)]


def _environment() -> dict[str, str]:
    """No secrets of the parent's environment; one thread a library, whose stacks would eat the memory."""
    keep = {key: os.environ[key] for key in ("PATH", "LANG", "LC_ALL") if key in os.environ}
    return keep | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}


def _died(code: int, stderr: bytes) -> Decoded:
    """A child that was stopped: by its memory, its output, its processor time, or a fault in a decoder.
    Raises ChildFault for a death that no file brings about."""
    if b"MemoryError" in stderr or b"Unable to allocate" in stderr:
        return Decoded(reason=UnreadableReason.TOO_LARGE, detail="opening it took too much memory")
    if code == -signal.SIGXFSZ or b"File too large" in stderr:
        return Decoded(reason=UnreadableReason.TOO_LARGE, detail="its pages are too large")
    if code == -signal.SIGXCPU:
        return Decoded(reason=UnreadableReason.TOO_LARGE, detail="opening it took too long")
    if code == UNABLE:
        raise ChildFault(f"the child that opens files cannot work: {_last_line(stderr)}")
    if b"No space left on device" in stderr:
        raise ChildFault("the child that opens files finds no space left on the device")
    if _last_line(stderr) == "KeyboardInterrupt":
        # While the interpreter begins, an interrupt is still an exception.
        raise ChildFault("the child that opens files was ended from outside by SIGINT")
    if -code in FROM_OUTSIDE:
        raise ChildFault(f"the child that opens files was ended from outside by {signal.Signals(-code).name}")
    return Decoded(reason=UnreadableReason.NOT_AN_IMAGE, detail="opening it failed")


def _last_line(stderr: bytes) -> str:
    """What a traceback ends with: raised before the file was read, so nothing of a player's is in it."""
    lines = stderr.decode(errors="replace").split("\n")
    return next((line.strip()[:200] for line in reversed(lines) if line.strip()), "it says nothing")


def _parsed(out: bytes, name: str) -> Decoded:
    line, _, rest = out.partition(b"\n")
    try:
        head: dict[str, Any] = json.loads(line)
        sizes = [int(size) for size in head["sizes"]]
        reason = UnreadableReason(head["reason"]) if head["reason"] else None
    except (ValueError, KeyError, TypeError):
        return Decoded(reason=UnreadableReason.NOT_AN_IMAGE, detail=f"opening {name} failed")
    if sum(sizes) != len(rest) or (reason is None) != bool(sizes):
        return Decoded(reason=UnreadableReason.NOT_AN_IMAGE, detail=f"opening {name} failed")
    ends = [sum(sizes[: k + 1]) for k in range(len(sizes))]
    pages = tuple(rest[end - size : end] for end, size in zip(ends, sizes, strict=True))
    return Decoded(pages, reason, str(head.get("detail", "")), str(head.get("kind", "")))
