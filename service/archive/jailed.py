"""Archives of others, opened in the jailed child and never in this process (SEC-02, SEC-05).

Players are asked to run `galloper verify` on files of others: one of 10 MB took 5.9 GB of memory and was not
over after 100 s. Here it may cost what an archive of years of play costs, and no more.
"""

from __future__ import annotations

import json
import logging
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TextIO

import maps
from adjudicator.errors import UserFacingError
from service.intake.opening.sandbox import (
    WALL_PER_CPU,
    ChildDied,
    ChildEnd,
    ChildFault,
    Program,
    SandboxLimits,
    answer_of,
)

log = logging.getLogger(__name__)

_SECONDS = 120
# Eight years of play with seven powers take 400 MB and 40 s.
VERIFY = SandboxLimits(memory=1_500_000_000, output=8_000_000, cpu_seconds=_SECONDS,
                       wall_seconds=WALL_PER_CPU * float(_SECONDS))
CONTENTS = SandboxLimits(memory=1_500_000_000, output=20_000_000_000, cpu_seconds=_SECONDS,
                         wall_seconds=WALL_PER_CPU * float(_SECONDS))
_CHILD = "service.archive.jailed_child"
_ENDS = {
    ChildEnd.MEMORY: "checking it took more memory than any archive of ours",
    ChildEnd.TIME: "checking it took longer than any archive of ours",
    ChildEnd.OUTPUT: "it unfolds to more than any archive of ours",
    ChildEnd.CRASH: "it broke the program that checks it",
}


class ArchiveNotOpened(UserFacingError):
    """An archive was not opened; the sentence says whose fault it is."""


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
    """What the child wrote. One that broke is asked once more: what an archive does to it, it does twice, but
    a child of a sound archive broke now and then on a busy machine."""
    for is_last in (False, True):
        try:
            with _answer(program, path, limits) as answer:
                return answer.read().decode(errors="replace")
        except ArchiveNotOpened as fault:
            died = fault.__cause__
            if is_last or not isinstance(died, ChildDied) or died.end is not ChildEnd.CRASH:
                raise
            log.warning("a child that checks an archive broke (%s) and is asked once more", died.detail)
    raise AssertionError("unreachable")


@contextmanager
def contents_in_child(path: Path, limits: SandboxLimits = CONTENTS) -> Iterator[IO[bytes]]:
    """What `import_game.contents_of` writes, made in the jailed child. Raises ArchiveNotOpened."""
    with _answer(Program(_CHILD, "contents", (), maps.added_folders()), path, limits) as answer:
        yield answer


@contextmanager
def _answer(program: Program, path: Path, limits: SandboxLimits) -> Iterator[IO[bytes]]:
    try:
        with path.open("rb") as file, answer_of(program, file, limits) as answer:
            yield answer
    except ChildDied as died:
        raise ArchiveNotOpened(
            f"The archive was not checked to its end: {_ENDS[died.end]}. Do not rely on it.") from died
    except ChildFault as fault:
        sentence = f"The archive was not checked, and this machine is to blame: {fault}."
        raise ArchiveNotOpened(sentence) from fault


def _failed(sentence: str, *, as_json: bool) -> str:
    if as_json:
        return json.dumps({"sound": False, "faults": [sentence], "confirmed": []}, ensure_ascii=False)
    return f"NOT AS IT SHOULD BE: {sentence}"


def _plain(text: str) -> str:
    return "".join(letter if letter == "\n" or not unicodedata.category(letter).startswith("C") else "?"
                   for letter in text)
