"""Hostile files and mails are opened in a child process, which may die instead of us.

Of a file it returns new pictures: upright pages as JPEG without EXIF, GPS or anything else that was not
pixels. `service.intake.opening.open_mail` has it read mails.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from ocr.image.sheet_form import MOST_FIELDS
from ocr.unreadable import FileTrouble, UnreadableReason
from service.intake.opening import jail, openers
from service.intake.opening.sandbox_child import READABLE, UNABLE, ChildJob

ROOT = Path(__file__).resolve().parents[3]
# No file brings these signals about, but a service being stopped or a kernel without memory. A file that
# costs too much ends by SIGXCPU or SIGXFSZ, a fault in a decoder by SIGSEGV or a similar one.
FROM_OUTSIDE = frozenset({signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT})
_SIGNALLED = 128
"""bubblewrap ends with this and the number of the signal by which the child ended."""
_MODULE = "service.intake.opening.sandbox_child"
WALL_PER_CPU = 5
"""Seconds of the clock that a child has for each second of processor time, since others share the machine."""


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """The limits of one file.

    `data` and `output`: bytes in and out. `memory`: bytes of address space. `cpu_seconds`: processor time.
    `wall_seconds`: time by the clock, after which the child counts as stuck. `jpeg_quality`: 1..95, of the
    pages that come back.
    """

    data: int = 40_000_000
    output: int = 120_000_000
    # Photographs of 108 million pixels were opened within 1.2 thousand million bytes, but JPEG XL within 1.6
    # and WebP within 2.0.
    memory: int = 2_000_000_000
    # A file needs the same processor time on an idle and on an overloaded machine. The clock alone is
    # therefore never held against it.
    cpu_seconds: int = 30
    wall_seconds: float = WALL_PER_CPU * 30.0
    jpeg_quality: int = 92


@dataclass(frozen=True, slots=True)
class Decoded:
    """Pages as JPEG bytes in order, or a trouble and no pages. `number`: the figure in the trouble's phrase.
    `kind`: the format. `fields`: name and value of each text field of a PDF form. `more`: pictures of the
    file that are not read, as those of a film. `seconds`: processor time that it took, as the child
    states."""

    pages: tuple[bytes, ...] = field(default=(), repr=False)
    trouble: FileTrouble | None = None
    number: int = 0
    kind: str = ""
    fields: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    more: int = 0
    seconds: float = field(default=0.0, compare=False)

    @property
    def reason(self) -> UnreadableReason | None:
        """Why there are no pages, as the contract has it."""
        return None if self.trouble is None else self.trouble.reason

    @property
    def detail(self) -> str:
        """A phrase for people: why there are no pages."""
        return "" if self.trouble is None else self.trouble.phrase % {"number": self.number}


class ChildFault(RuntimeError):
    """A file was not opened, and this machine is to blame; the sentence shows how. A later try may work."""


class ChildEnd(StrEnum):
    """What a file or mail did to the child that opened it."""

    MEMORY = "memory"
    OUTPUT = "output"
    TIME = "time"
    CRASH = "crash"


class ChildDied(Exception):
    """A child was stopped by what it opened, and `end` shows how. A later try would end the same way.
    `detail`: its exit status and the class of its last exception, which quote nothing of a file."""

    def __init__(self, end: ChildEnd, detail: str = "") -> None:
        super().__init__(end.value)
        self.end, self.detail = end, detail


_EXCEPTION = re.compile(r"[A-Za-z_.]{1,60}(?:Error|Exception|Interrupt|Warning)(?=:|$)")
"""The class that the last line of a traceback begins with; what follows may quote a file."""
_TROUBLES = {ChildEnd.CRASH: FileTrouble.FAILED}
"""What a file does to the child, if not too much."""


def decode_photo(data: bytes, limits: SandboxLimits = SandboxLimits()) -> Decoded:
    """An untrusted image or PDF as clean pages.

    Never raises because of `data`: what the file does to the child is a trouble. Raises ChildFault if the
    child could not be started or could not work, or was stopped from outside.
    """
    if len(data) > limits.data:
        return Decoded(trouble=FileTrouble.MANY_BYTES, number=round(len(data) / 1_000_000))
    try:
        return parse_photo(run_child(ChildJob.PHOTO, data, limits))
    except ChildDied as died:
        # How long it lived is not known: as long as it might.
        return Decoded(trouble=_TROUBLES.get(died.end, FileTrouble.COSTLY), seconds=float(limits.cpu_seconds))


def run_child(job: ChildJob, data: bytes, limits: SandboxLimits) -> bytes:
    """What a limited child makes of `data`; its answer may be false, as `data` may control it.

    Raises ChildDied if `data` stopped the child, and ChildFault if this machine is to blame.
    """
    if _jail is Jail.BWRAP or not openers.AVAILABLE:
        with answer_of(Program(_MODULE, job.value), data, limits) as answer:
            return answer.read()
    # Files, not pipes: as in `answer_of`.
    with TemporaryFile() as answer_file, TemporaryFile() as error_file, openers.in_memory(data) as source:
        numbers = (limits.memory, limits.cpu_seconds, limits.output, limits.jpeg_quality)
        request = openers.ForkRequest(
            numbers, (source, answer_file.fileno(), error_file.fileno()), limits.wall_seconds)
        command = [sys.executable, "-s", "-m", _MODULE, job.value]
        try:
            status = openers.status_of(command, ROOT, _environment(), request)
        except TimeoutError as error:
            raise _overdue(limits) from error
        except OSError as error:
            raise _not_started(error) from error
        except openers.OpenerEnded as end:
            fault = _fault(end.status, end.errors) or f"ended with status {end.status}"
            raise ChildFault(f"the child that opens files {fault}") from end
        if status != 0:
            error_file.seek(0)
            raise _death(status, error_file.read(100_000))
        answer_file.seek(0)
        return answer_file.read()


@dataclass(frozen=True, slots=True)
class Program:
    """A module that begins as `sandbox_child.begin` does, its first argument, and what it may have besides
    its input: open files, and folders that it may read. `words`: arguments after the limits."""

    module: str
    job: str
    files: tuple[int, ...] = ()
    folders: tuple[Path, ...] = ()
    words: tuple[str, ...] = ()


@contextmanager
def answer_of(program: Program, data: bytes | IO[bytes], limits: SandboxLimits) -> Iterator[IO[bytes]]:
    """The answer of a limited child, as a file at its beginning; its input is bytes or an open file.

    Raises ChildDied if `data` stopped the child, and ChildFault if this machine is to blame.
    """
    # Files, not pipes: then the limit on file size also limits what a child out of control can write.
    with TemporaryFile() as answer_file, TemporaryFile() as error_file:
        source: dict[str, Any] = {"input": data} if isinstance(data, bytes) else {"stdin": data}
        try:
            child = subprocess.run(  # noqa: S603 - our own module and numbers; the data goes in by pipe
                _command(program, limits),
                stdout=answer_file,
                stderr=error_file,
                timeout=limits.wall_seconds,
                check=False,
                cwd=ROOT,
                env=_environment() | {READABLE: os.pathsep.join(map(str, program.folders))},
                pass_fds=program.files,
                **source,
            )
        except subprocess.TimeoutExpired as error:
            raise _overdue(limits) from error
        # No process, no memory for one, or no room on the disk.
        except OSError as error:
            raise _not_started(error) from error
        answer_file.seek(0)
        error_file.seek(0)
        if child.returncode != 0:
            raise _death(child.returncode, error_file.read(100_000))
        yield answer_file


def _overdue(limits: SandboxLimits) -> ChildFault:
    return ChildFault(f"opening a file was not over after {limits.wall_seconds:g} s; the machine is "
                      "overloaded, or the child is stuck")


def _not_started(error: OSError) -> ChildFault:
    return ChildFault(f"no child that opens files can be started ({error.strerror})")


class Jail(StrEnum):
    """Who shuts the child in. KERNEL: it does so itself, by what the kernel offers. BWRAP: bubblewrap next to
    it, in namespaces of its own."""

    KERNEL = "kernel"
    BWRAP = "bwrap"


_jail = Jail.KERNEL


def use_jail(choice: Jail) -> None:
    """Have every child of this process shut in so from now on (`reader.child_jail`)."""
    global _jail  # noqa: PLW0603 it is chosen once, when the program starts
    _jail = choice


def _command(program: Program, limits: SandboxLimits) -> list[str]:
    sizes = (limits.memory, limits.cpu_seconds, limits.output, limits.jpeg_quality)
    command = [sys.executable, "-s", "-m", program.module, program.job, *map(str, sizes), *program.words]
    return [*_bwrap(program.folders), *command] if _jail is Jail.BWRAP else command


def _bwrap(folders: Sequence[Path]) -> list[str]:
    """The beginning of the command by which bubblewrap starts the child, in a file system of what it may
    read."""
    interpreter = [Path(sys.executable), Path(sys.prefix) / "pyvenv.cfg"]
    readable = dict.fromkeys([*interpreter, *jail.readable(ROOT), *folders])
    binds = [part for path in readable for part in ("--ro-bind-try", str(path), str(path))]
    return ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", *binds,
            "--chdir", str(ROOT), "--"]


def _environment() -> dict[str, str]:
    """The child's environment, without the secrets in the parent's."""
    # One thread for each library: the stacks of more would use up the address space.
    environment = {key: os.environ[key] for key in ("PATH", "LANG", "LC_ALL") if key in os.environ}
    return environment | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}


def _death(code: int, stderr: bytes) -> ChildDied | ChildFault:
    """Why a child was stopped: by its memory, its output, its processor time, or a fault in a decoder; or by
    what no file brings about."""
    if _jail is Jail.BWRAP and code > _SIGNALLED:
        code = _SIGNALLED - code
    if b"MemoryError" in stderr or b"Unable to allocate" in stderr:
        return ChildDied(ChildEnd.MEMORY)
    if code == -signal.SIGXFSZ or b"File too large" in stderr:
        return ChildDied(ChildEnd.OUTPUT)
    if code == -signal.SIGXCPU:
        return ChildDied(ChildEnd.TIME)
    fault = _fault(code, stderr)
    if fault is not None:
        return ChildFault(f"the child that opens files {fault}")
    exception = _EXCEPTION.match(_last_line(stderr))
    return ChildDied(ChildEnd.CRASH, f"status {code}, {exception.group() if exception else 'no exception'}")


def _fault(code: int, stderr: bytes) -> str | None:
    """What this machine did to a child; None if it was what it opened."""
    if code == UNABLE:
        return f"cannot work: {_last_line(stderr)}"
    if b"No space left on device" in stderr:
        return "finds no space left on the device"
    # While the interpreter starts, an interrupt is still an exception.
    if _last_line(stderr) == "KeyboardInterrupt":
        return "was ended from outside by SIGINT"
    return f"was ended from outside by {signal.Signals(-code).name}" if -code in FROM_OUTSIDE else None


def _last_line(stderr: bytes) -> str:
    """The last line of a traceback. It was raised before the file was read, so it quotes no player."""
    lines = stderr.decode(errors="replace").split("\n")
    return next((line.strip()[:200] for line in reversed(lines) if line.strip()), "it printed nothing")


def parse_photo(output: bytes) -> Decoded:
    """What `sandbox_child.photo_answer` answered; its lengths and words are checked."""
    line, _, picture_bytes = output.partition(b"\n")
    try:
        answer: dict[str, Any] = json.loads(line)
        sizes = [int(size) for size in answer["sizes"]]
        trouble = FileTrouble(answer["trouble"]) if answer["trouble"] else None
        number, more = (max(0, int(answer[name])) for name in ("number", "more"))
        seconds = min(1e6, max(0.0, float(answer.get("seconds", 0.0))))
        fields = tuple((str(name), str(value)) for name, value in answer.get("fields", [])[:MOST_FIELDS])
    except (ValueError, KeyError, TypeError):
        return Decoded(trouble=FileTrouble.FAILED)
    # A hostile file may control the child, so its answer is trusted no further than its lengths fit.
    if sum(sizes) != len(picture_bytes) or (trouble is None) != bool(sizes):
        return Decoded(trouble=FileTrouble.FAILED)
    ends = [sum(sizes[: k + 1]) for k in range(len(sizes))]
    pages = tuple(picture_bytes[end - size : end] for end, size in zip(ends, sizes, strict=True))
    return Decoded(pages, trouble, number, str(answer.get("kind", "")), fields, more, seconds)
