"""`galloper verify` in a jailed child (SEC-02, SEC-05): players are asked to run it on files of others."""

from __future__ import annotations

import json
import logging
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import TextIO

import maps
from service.archive.jailed import CPU_SECONDS, ArchiveNotOpened, answer_about
from service.intake.opening.sandbox import WALL_PER_CPU, ChildDied, ChildEnd, Program, SandboxLimits

log = logging.getLogger(__name__)
_CHILD = "service.features.audit.jailed_child"
# Eight years of play with seven powers take 400 MB and 40 s.
VERIFY = SandboxLimits(memory=1_500_000_000, output=8_000_000, cpu_seconds=CPU_SECONDS,
                       wall_seconds=WALL_PER_CPU * float(CPU_SECONDS))


def verify_in_child(
    path: Path, letters: Sequence[Path], out: TextIO, *, as_json: bool = False, quiet: bool = False,
    limits: SandboxLimits = VERIFY, authorities: str = "",
) -> int:
    """As `verify.run_verify`, in the jailed child. Raises ArchiveNotOpened."""
    with TemporaryFile() as frames:
        for letter in letters:
            data = letter.read_bytes()
            frames.write(json.dumps([letter.name, len(data)]).encode() + b"\n" + data)
        frames.flush()
        program = Program(_CHILD, "verify", (frames.fileno(),), maps.added_folders(),
                          ("json" if as_json else "words", "quiet" if quiet else "all", str(frames.fileno()),
                           authorities))
        try:
            text = _words(program, path, limits)
        except ArchiveNotOpened as fault:
            print(_failed(str(fault), as_json=as_json), file=out)
            return 1
    code, _, words = text.partition("\n")
    # A hostile archive may control the child and, by escape sequences, the terminal.
    out.write(_plain(words))
    return 0 if code == "0" else 1


def _words(program: Program, path: Path, limits: SandboxLimits) -> str:
    """The child's output. A child that broke is run once more: what an archive does to it, it does twice, but
    a child of a sound archive broke now and then on a busy machine."""
    for is_last in (False, True):
        try:
            with answer_about(program, path, limits) as answer:
                return answer.read().decode(errors="replace")
        except ArchiveNotOpened as fault:
            died = fault.__cause__
            if is_last or not isinstance(died, ChildDied) or died.end is not ChildEnd.CRASH:
                raise
            log.warning("a child process that checks an archive failed (%s) and is tried once more",
                        died.detail)
    raise AssertionError("unreachable")


def _failed(sentence: str, *, as_json: bool) -> str:
    if as_json:
        return json.dumps({"sound": False, "faults": [sentence], "confirmed": []}, ensure_ascii=False)
    return f"NOT AS IT SHOULD BE: {sentence}"


def _plain(text: str) -> str:
    return "".join(letter if letter == "\n" or not unicodedata.category(letter).startswith("C") else "?"
                   for letter in text)
