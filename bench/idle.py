"""The cost of a site without a game and without a mail: its share of a core, its memory, and the commands
that an operator gives (SCA-11)."""

from __future__ import annotations

import mailbox
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from bench.desk.site import SETTINGS, serving_folder
from bench.figure import Figure
from bench.process import processor_seconds, running_seconds
from bench.servers.ports import free_port
from service.site_folder import FILE, bring_up_to_date, settings_of

SETTLED_SECONDS = 60.0
"""From the start of a site until it is at rest: the queue slows down after half a minute without work."""
KIB = 1024
_PROGRAM = "from service.cli.main import main; main()"


def run(seconds: float, out: TextIO, progress: TextIO) -> int:
    """Print a JSON line for each figure; 0. `seconds`: for how long the site is watched at rest."""
    with tempfile.TemporaryDirectory(prefix="galloper-idle-") as name:
        folder = Path(name)
        (folder / FILE).write_text(SETTINGS.format(data="data", port=free_port()), encoding="utf-8")
        mailbox.Maildir(str(folder / "box"), create=True)
        for figure in _figures(folder, seconds):
            figure.print_to(out)
            print(f"{figure.name}: {figure.value} {figure.unit}", file=progress, flush=True)
    return 0


def _figures(folder: Path, seconds: float) -> Iterator[Figure]:
    settings = settings_of(folder)
    bring_up_to_date(settings)
    server = serving_folder(folder, settings)
    server.start()
    try:
        assert server.process is not None
        time.sleep(SETTLED_SECONDS)
        before, begun = running_seconds(server.process.pid), time.monotonic()
        time.sleep(seconds)
        spent, passed = running_seconds(server.process.pid) - before, time.monotonic() - begun
        memory = _resident_mb(server.process.pid)
    finally:
        server.kill()
    yield Figure("idle site: share of a core", round(100 * spent / passed, 2), "%", target="1 at most",
                 how=f"over {passed:.0f} s, SQLite")
    yield Figure("idle site: memory", round(memory), "MB", target="180 at most", how="resident, of `serve`")
    for command, *more in (("user list",), ("backup", folder / "backup.tar"), ("check",)):
        seconds = _cost([*command.split(), str(folder), *map(str, more)])
        yield Figure(f"galloper {command}", round(seconds, 2), "CPU s")


def _cost(words: Sequence[str]) -> float:
    before = processor_seconds()
    command = [sys.executable, "-c", _PROGRAM, *words]
    subprocess.run(command, check=False, stdin=subprocess.DEVNULL,  # noqa: S603 our own command
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return processor_seconds() - before


def _resident_mb(process: int) -> float:
    lines = Path(f"/proc/{process}/status").read_text("ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmRSS:"))) * KIB / 1e6
