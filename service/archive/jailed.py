"""Archives of others, opened in the jailed child and never in this process (SEC-02, SEC-05).

A file of 10 MB took 5.9 GB of memory and was not over after 100 s. Here it may cost what an archive of years
of play costs, and no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

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

CPU_SECONDS = 120
CONTENTS = SandboxLimits(memory=1_500_000_000, output=20_000_000_000, cpu_seconds=CPU_SECONDS,
                         wall_seconds=WALL_PER_CPU * float(CPU_SECONDS))
_CHILD = "service.archive.jailed_child"
_ENDS = {
    ChildEnd.MEMORY: "checking it took more memory than any genuine archive",
    ChildEnd.TIME: "checking it took longer than any genuine archive",
    ChildEnd.OUTPUT: "it unpacks to more than any genuine archive",
    ChildEnd.CRASH: "it made the checking program fail",
}


class ArchiveNotOpened(UserFacingError):
    """An archive was not opened; the sentence states whose fault it is."""


@contextmanager
def contents_in_child(path: Path, limits: SandboxLimits = CONTENTS) -> Iterator[IO[bytes]]:
    """The output of `import_game.contents_of`, made in the jailed child. Raises ArchiveNotOpened."""
    with answer_about(Program(_CHILD, "contents", (), maps.added_folders()), path, limits) as answer:
        yield answer


@contextmanager
def answer_about(program: Program, path: Path, limits: SandboxLimits) -> Iterator[IO[bytes]]:
    """The output of a child program about an archive. Raises ArchiveNotOpened."""
    try:
        with path.open("rb") as file, answer_of(program, file, limits) as answer:
            yield answer
    except ChildDied as died:
        raise ArchiveNotOpened(
            f"The archive was not checked to its end: {_ENDS[died.end]}. Do not rely on it.") from died
    except ChildFault as fault:
        sentence = f"The archive was not checked, because this machine failed: {fault}."
        raise ArchiveNotOpened(sentence) from fault
