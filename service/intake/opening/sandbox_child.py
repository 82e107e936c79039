"""The child process of `service.intake.opening.sandbox`: a hostile file or mails on standard input, the
answer on standard output.

For a file it writes one line of JSON (`reason`, `detail`, `kind`, `sizes`), then the pages one after the
other, `sizes` bytes each. For mails: see `service.mail.body.form`.
"""

from __future__ import annotations

import ctypes
import json
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

UNABLE = 75
"""Exit status of a child that could not begin (EX_TEMPFAIL of sysexits.h); the file is not to blame."""
# Flags of unshare(2).
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000


class ChildJob(StrEnum):
    """What a child does with its input."""

    PHOTO = "photo"
    MAILS = "mails"


def main() -> None:
    """Arguments: the job, bytes of address space, CPU seconds, bytes of output, JPEG quality (1..95)."""
    # Python's own answer to SIGINT is an exception, which a decoder may take for a fault of the file.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        job = ChildJob(sys.argv[1])
        memory, seconds, output, quality = (int(arg) for arg in sys.argv[2:6])
        _limit(memory, seconds, output)
        _leave_network()
        data = sys.stdin.buffer.read()
        # Imported only now: nothing that opens files runs before the limits are set.
        answer = _mails() if job is ChildJob.MAILS else _photo(quality)
    except Exception:
        traceback.print_exc()
        sys.exit(UNABLE)
    # JSON and lengths, no pickle: the parent must not execute what a child wrote that a file may have taken
    # over.
    sys.stdout.buffer.write(answer(data))
    sys.stdout.buffer.flush()


def _mails() -> Callable[[bytes], bytes]:
    from service.mail.body.form import answer_requests

    return answer_requests


def _photo(quality: int) -> Callable[[bytes], bytes]:
    from ocr.image.open_image import ImageRefused, iter_pages

    def pages_of(data: bytes) -> bytes:
        pages: list[bytes] = []
        answer: dict[str, object] = {"reason": None, "detail": "", "kind": "", "sizes": []}
        try:
            for kind, picture in iter_pages(data):
                pages.append(_jpeg(picture, quality))
                answer["kind"] = kind
        except ImageRefused as refused:
            pages = []
            answer |= {"reason": refused.reason, "detail": refused.detail}
        answer["sizes"] = [len(page) for page in pages]
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
    # by somebody else.
    hard_limit = resource.getrlimit(resource.RLIMIT_CPU)[1]
    hard_seconds = seconds + 1 if hard_limit == resource.RLIM_INFINITY else min(seconds + 1, hard_limit)
    resource.setrlimit(resource.RLIMIT_CPU, (min(seconds, hard_seconds), hard_seconds))


def _leave_network() -> None:
    """Cut this process off the network, if the kernel lets an ordinary user do so."""
    # Many kernels and containers forbid it, and the other limits hold without it.
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWUSER | CLONE_NEWNET)


def _jpeg(picture: Image, quality: int) -> bytes:
    """A page as JPEG without metadata."""
    encoded = BytesIO()
    picture.save(encoded, "JPEG", quality=quality, subsampling=0)
    return encoded.getvalue()


if __name__ == "__main__":
    main()
