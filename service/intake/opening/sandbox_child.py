"""The child process of `service.intake.opening.sandbox`: a hostile file or mails on standard input, the
answer on standard output.

For a file it writes one line of JSON (`trouble`, `number`, `kind`, `sizes`, `fields` of a PDF form, `more`,
`seconds` of processor time), then the pages one after the other, `sizes` bytes each. For mails: see
`service.mail.body.form`.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import partial
from importlib import import_module
from io import BytesIO
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, TypeVar

from service.intake.opening import jail
from service.intake.opening.opener import serve

if TYPE_CHECKING:
    from PIL.Image import Image

READABLE = "GALLOPER_CHILD_READS"
"""The variable of the environment that names more folders which the child may read, such as a site's
boards."""
UNABLE = 75
"""Exit status of a child that could not begin (EX_TEMPFAIL of sysexits.h); the file is not to blame."""
# Flags of unshare(2).
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
ROOT = Path(__file__).resolve().parents[3]
Loaded = TypeVar("Loaded")


class ChildJob(StrEnum):
    """What a child does with its input."""

    PHOTO = "photo"
    MAILS = "mails"
    PROBE = "probe"
    """It tries what it must not do, and answers what it could (`service.intake.opening.probe`)."""


def main() -> None:
    """Arguments: the job, bytes of address space, CPU seconds, bytes of output, JPEG quality (1..95); or the
    job and an open socket, by which an opener gets its requests (`service.intake.opening.opener`)."""
    job, numbers = ChildJob(sys.argv[1]), list(map(int, sys.argv[2:]))
    if len(numbers) == 1:
        serve(socket.socket(fileno=numbers[0]), _warm(job))
    else:
        _open_input(job, numbers)


def _warm(job: ChildJob) -> Callable[[tuple[int, ...]], None]:
    """What a fork of an opener does with its numbers; what it needs is loaded."""
    try:
        _answer_of(job, quality=0)
        if job is ChildJob.PHOTO:
            # The usual photograph; the other formats are loaded by the forks that need them.
            import_module("PIL.JpegImagePlugin")
        if not jail.offered().landlock:
            _load_all()
    except Exception:
        traceback.print_exc()
        sys.exit(UNABLE)
    return partial(_open_input, job)


def _open_input(job: ChildJob, numbers: Sequence[int]) -> None:
    *limits, quality = numbers
    answer, data = begin(lambda: _answer_of(job, quality), limits), b""
    try:
        data = sys.stdin.buffer.read()
    except Exception:
        traceback.print_exc()
        sys.exit(UNABLE)
    # JSON and lengths, no pickle: the parent must not execute what a child wrote that a file may have taken
    # over.
    sys.stdout.buffer.write(answer(data))
    sys.stdout.buffer.flush()


def _answer_of(job: ChildJob, quality: int) -> Callable[[bytes], bytes]:
    if job is ChildJob.PHOTO:
        return photo_answer(quality)
    return _mails() if job is ChildJob.MAILS else _probe()


def begin(load: Callable[[], Loaded], limits: Sequence[int] = ()) -> Loaded:
    """Limit this process, load what it needs, close the jail, and return what was loaded. `limits`: bytes of
    address space, CPU seconds, bytes of output; else the process has them as arguments from the second on."""
    # Python's own answer to SIGINT is an exception, which a decoder may take for a fault of the file.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        memory, seconds, output = limits or map(int, sys.argv[2:5])
        _limit(memory, seconds, output)
        # Our own code and libraries are loaded first; nothing of the file is read before the walls stand.
        loaded = load()
        close_jail()
    except Exception:
        traceback.print_exc()
        sys.exit(UNABLE)
    return loaded


def close_jail() -> jail.Walls:
    """Put up the walls that this machine offers; where it offers few, what is left of the older ones."""
    walls = jail.offered()
    if not walls.landlock:
        # No file is opened any more, so everything is loaded now.
        _load_all()
    if not walls.seccomp:
        _leave_network()
    more = os.environ.get(READABLE, "").split(os.pathsep)
    return jail.close(ROOT, [Path(place) for place in more if place])


def _load_all() -> None:
    """Load what the jobs would load when they need it."""
    import encodings
    import pkgutil

    names = [f"encodings.{module.name}" for module in pkgutil.iter_modules(encodings.__path__)]
    if (opener := sys.modules.get("ocr.image.open_image")) is not None:
        names += ["numpy", "pillow_heif", "pypdfium2", *opener.READER_MODULES]
    if "service.mail.mime.containers" in sys.modules:
        names.append("olefile")
    for name in names:
        # Some are of another system; `open_image` does without those that are not installed.
        with suppress(ImportError, LookupError):
            import_module(name)


def _probe() -> Callable[[bytes], bytes]:
    from service.intake.opening.probe import answer_probe

    return answer_probe


def _mails() -> Callable[[bytes], bytes]:
    from service.mail.body.form import answer_requests

    return answer_requests


def photo_answer(quality: int) -> Callable[[bytes], bytes]:
    """A function that returns the pages of a file, as JPEG of this quality (1..95)."""
    from ocr.image.form_fields import form_fields
    from ocr.image.formats import PictureFormat
    from ocr.image.open_image import ImageRefused, iter_pages

    def pages_of(data: bytes) -> bytes:
        # Without what the start of this process took: twenty small pictures are not costly mail.
        begun = process_time()
        pages: list[bytes] = []
        answer: dict[str, object] = {
            "trouble": None, "number": 0, "kind": "", "sizes": [], "fields": [], "more": 0}
        try:
            for page in iter_pages(data):
                pages.append(_jpeg(page.picture, quality))
                answer |= {"kind": page.kind, "more": page.more}
            answer["fields"] = form_fields(data) if answer["kind"] == PictureFormat.PDF else []
        except ImageRefused as refused:
            pages = []
            answer |= {"trouble": refused.trouble, "number": refused.number}
        answer["sizes"] = [len(page) for page in pages]
        answer["seconds"] = process_time() - begun
        return json.dumps(answer).encode() + b"\n" + b"".join(pages)

    return pages_of


def _limit(memory: int, seconds: int, output: int) -> None:
    for resource_kind, wanted_limit in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, output),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
    ):
        hard_limit = resource.getrlimit(resource_kind)[1]
        limit = wanted_limit if hard_limit == resource.RLIM_INFINITY else min(wanted_limit, hard_limit)
        resource.setrlimit(resource_kind, (limit, limit))
    # The kernel first sends SIGXCPU, and SIGKILL a second later. So a child that ends by SIGKILL was killed
    # by another person.
    hard_limit = resource.getrlimit(resource.RLIMIT_CPU)[1]
    hard_seconds = seconds + 1 if hard_limit == resource.RLIM_INFINITY else min(seconds + 1, hard_limit)
    resource.setrlimit(resource.RLIMIT_CPU, (min(seconds, hard_seconds), hard_seconds))


def _leave_network() -> None:
    """Cut this process off the network, if the kernel lets an ordinary user do so."""
    # Many kernels and containers forbid it, and the other limits hold without it.
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).unshare(CLONE_NEWUSER | CLONE_NEWNET)


def _jpeg(picture: Image, quality: int) -> bytes:
    """A page as JPEG without metadata."""
    encoded = BytesIO()
    picture.save(encoded, "JPEG", quality=quality, subsampling=0)
    return encoded.getvalue()


if __name__ == "__main__":
    main()
