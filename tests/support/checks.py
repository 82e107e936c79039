"""The check of an archive, as `galloper verify` prints it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from service.archive.checker import VerifyReport
from service.archive.verify import check_archive


def print_check(path: Path, letters: Sequence[Path], out: TextIO) -> int:
    """Check an archive with letters and print each sentence; 0 if it is as it should be, else 1."""
    report = VerifyReport()
    check_archive(path, letters, report)
    print(*report.lines(), sep="\n", file=out)
    return 1 if report.faults else 0
