"""Hostile files in a child process: pages without metadata come back, or a reason; the parent survives."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
import pytest
from PIL import Image as Pillow

from ocr.page import UnreadableReason
from service.intake.opening import sandbox
from service.intake.opening.sandbox import ChildFault, Decoded, SandboxLimits, decode_photo
from tests.support import odd_files as odd
from tests.support.opening import children_of

SHEETS = Path(__file__).parents[3] / "data" / "sheets"


def test_a_photograph_comes_back_upright_and_without_metadata() -> None:
    """SUB-11: EXIF rotation applied."""
    data = (SHEETS / "s019.jpg").read_bytes()
    with Pillow.open(BytesIO(data)) as before:
        assert before.getexif().get_ifd(0x8825), "the sample carries GPS"
        stored = before.size
    decoded = decode_photo(data)
    assert decoded.reason is None
    with Pillow.open(BytesIO(decoded.pages[0])) as after:
        assert after.format == "JPEG"
        assert after.size == stored[::-1], "EXIF orientation 6 swaps the sides"
        assert not after.getexif()
        assert set(after.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


def test_every_page_of_a_pdf_comes_back() -> None:
    """SUB-11."""
    decoded = decode_photo(odd.pdf(3))
    assert decoded.kind == "pdf"
    sizes = []
    for page in decoded.pages:
        with Pillow.open(BytesIO(page)) as image:
            sizes.append(image.size)
    assert sizes == [(556, 278)] * 3


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", UnreadableReason.NOT_AN_IMAGE),
        (b"not a picture at all", UnreadableReason.NOT_AN_IMAGE),
        (odd.locked_pdf(), UnreadableReason.NOT_AN_IMAGE),
        (odd.png_header(50_000, 40_000), UnreadableReason.TOO_LARGE),
        (odd.png_header(4000, 3000), UnreadableReason.TRUNCATED),
    ],
)
def test_a_bad_file_gives_its_reason(data: bytes, reason: UnreadableReason) -> None:
    decoded = decode_photo(data)
    assert decoded.reason is reason
    assert decoded.pages == ()


def test_a_child_that_outgrows_its_memory_is_stopped() -> None:
    # 49 million white pixels are a small PNG and 147 MB once opened.
    white = odd.saved(Pillow.new("RGB", (7000, 7000), "white"), "PNG")
    decoded = decode_photo(white, SandboxLimits(memory=250_000_000))
    assert decoded.pages == ()
    assert decoded.reason is UnreadableReason.TOO_LARGE


def _slow() -> bytes:
    """A picture that takes seconds to open."""
    # Almost as many pixels as are taken at all.
    pixels = np.random.default_rng(3).integers(0, 255, (7000, 7000, 3), dtype=np.uint8)
    data = odd.saved(Pillow.fromarray(pixels), "JPEG", quality=70, progressive=True)
    assert len(data) < SandboxLimits().data
    return data


def test_a_file_that_takes_too_much_processor_time_is_refused() -> None:
    decoded = decode_photo(_slow(), SandboxLimits(cpu_seconds=1))
    assert decoded.reason is UnreadableReason.TOO_LARGE
    assert decoded.detail == "opening it took too much time or memory"


def test_the_clock_is_never_held_against_a_file() -> None:
    """Fault 21, as the player sees it."""
    good = (SHEETS / "s019.jpg").read_bytes()
    # An overloaded machine opens a good photograph too late: our fault, so it is tried again.
    with pytest.raises(ChildFault, match=r"not over after 0\.001 s"):
        decode_photo(good, SandboxLimits(wall_seconds=0.001))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_child_ended_from_outside_says_nothing_of_its_file(number: signal.Signals) -> None:
    """SIGKILL, SIGTERM and SIGINT have nothing about the file."""
    # A service manager that stops a service signals its children too, as does a kernel without memory.
    data, outcomes = _slow(), list[Exception | Decoded]()

    def opened() -> None:
        try:
            outcomes.append(decode_photo(data))
        except ChildFault as fault:
            outcomes.append(fault)

    thread = threading.Thread(target=opened)
    thread.start()
    os.kill(_child(), number)
    thread.join(60)
    assert isinstance(outcomes[0], ChildFault), outcomes
    assert number.name in str(outcomes[0])


BUSY_KB = 60_000
"""Memory of a busy child: more than an interpreter with its imports, less than the opened picture."""


def _child() -> int:
    """The process id of our child, once it works on its file."""
    # Not earlier: an interrupt while the interpreter starts may be lost, and then the file is opened after
    # all.
    end = time.monotonic() + 30
    while time.monotonic() < end:
        for status in Path("/proc").glob("[0-9]*/status"):
            # A process may end while we look at it.
            with suppress(OSError):
                status_text = status.read_text()
                memory = re.search(r"VmRSS:\s+(\d+) kB", status_text)
                is_ours = any(f"PPid:\t{opener}\n" in status_text for opener in children_of(os.getpid()))
                is_busy = memory is not None and int(memory[1]) > BUSY_KB
                command = (status.parent / "cmdline").read_bytes()
                if is_ours and is_busy and b"service.intake.opening.sandbox_child" in command:
                    return int(status.parent.name)
        time.sleep(0.01)
    raise TimeoutError("no child was started")


def test_a_child_that_cannot_begin_says_nothing_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault is ours, not the file's."""
    # A module is missing, as while a new release replaces the old one on the disk.
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['ocr.image.open_image'] = None\n")
    usual = sandbox._environment()
    monkeypatch.setattr(sandbox, "_environment", lambda: usual | {"PYTHONPATH": f"{tmp_path}:{sandbox.ROOT}"})
    with pytest.raises(ChildFault, match=r"cannot work: ModuleNotFoundError: .*ocr\.image\.open_image"):
        decode_photo((SHEETS / "s019.jpg").read_bytes())


def test_a_full_disk_says_nothing_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault 28: /dev/full takes the pages as a full disk does."""
    with Path("/dev/full").open("r+b", buffering=0) as full, TemporaryFile() as complaints:
        files = iter([full, complaints])
        monkeypatch.setattr(sandbox, "TemporaryFile", lambda: next(files))
        with pytest.raises(ChildFault, match="no space left"):
            decode_photo((SHEETS / "s019.jpg").read_bytes())


def test_a_file_larger_than_the_limit_is_not_opened() -> None:
    decoded = decode_photo(bytes(1001), SandboxLimits(data=1000))
    assert decoded.reason is UnreadableReason.TOO_LARGE


def test_the_child_may_not_write_more_than_its_output() -> None:
    # Noise does not compress, so that the page is sure to be larger than what the child may write.
    noisy = odd.saved(odd.quarters(1200, 900).effect_spread(200), "PNG")
    assert len(decode_photo(noisy).pages[0]) > 20_000
    decoded = decode_photo(noisy, SandboxLimits(output=20_000))
    assert decoded.reason is UnreadableReason.TOO_LARGE
    assert decoded.pages == ()


def test_how_a_child_broke_is_said_without_a_word_of_the_file() -> None:
    traceback = b"Traceback (most recent call last):\nValueError: Army London to Surrey\n"
    died = sandbox._death(1, traceback)
    assert isinstance(died, sandbox.ChildDied)
    assert died.detail == "status 1, ValueError"
