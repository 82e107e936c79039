"""The child process of `service.archive.jailed`: an archive on standard input, which may be anybody's,
checked within the limits and the jail of `service.intake.opening`; its contents on standard output.

Arguments: "contents" and the limits.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, Literal

import maps
from service.intake.opening import sandbox_child


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file that is open already, in the manner of a Path: inside the jail none can be opened by its
    name."""

    handle: int
    name: str = "the archive"

    def stat(self) -> os.stat_result:
        """Its size and kind."""
        return os.fstat(self.handle)

    def open(self, mode: Literal["rb"] = "rb") -> BinaryIO:
        """A reader at its beginning, which closes nothing."""
        os.lseek(self.handle, 0, os.SEEK_SET)
        return os.fdopen(os.dup(self.handle), mode)


def main() -> None:
    """See above."""
    sandbox_child.begin(_load)()
    sys.stdout.buffer.flush()


def prepare() -> None:
    """Load what a check of any archive needs, before the jail: the boards' and the judge's own code."""
    for folder in filter(None, os.environ.get(sandbox_child.READABLE, "").split(os.pathsep)):
        maps.add_folder(Path(folder))
    from service.archive import verify  # noqa: F401
    from service.games import beacons
    from service.record import references

    references.checker_file()
    beacons.prepare()


def _load() -> Callable[[], None]:
    prepare()
    from service.archive import import_game

    return partial(_contents, import_game.contents_of)


def _contents(contents_of: Callable[..., Iterator[bytes]]) -> None:
    for part in contents_of(OpenedFile(0)):
        sys.stdout.buffer.write(part)


if __name__ == "__main__":
    main()
