"""The child process of `service.archive.jailed`: an archive on standard input, which may be anybody's,
checked within the limits and the jail of `service.intake.opening`.

Arguments: "verify" or "contents", the limits, a number, and for "verify" the descriptor of a file of letters
and the certificates of time-stamping authorities, or "".
"""

from __future__ import annotations

import io
import json
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


@dataclass(frozen=True, slots=True)
class KeptLetter:
    """A letter, in the manner of a Path."""

    name: str
    data: bytes

    def read_bytes(self) -> bytes:
        """The letter."""
        return self.data


def main() -> None:
    """See above."""
    sandbox_child.begin(_load)()
    sys.stdout.buffer.flush()


def _load() -> Callable[[], None]:
    for folder in filter(None, os.environ.get(sandbox_child.READABLE, "").split(os.pathsep)):
        maps.add_folder(Path(folder))
    # Before the jail: the boards' and the judge's own code.
    from service.archive import checker, import_game, verify
    from service.games import beacons
    from service.record import time_stamps

    checker.checker_file()
    beacons.prepare()
    time_stamps.prepare()

    if sys.argv[1] == "contents":
        return partial(_contents, import_game.contents_of)
    return partial(_verify, verify.run_verify, *sys.argv[6:10])


def _verify(run: Callable[..., int], words: str, quiet: str, letters: str, authorities: str) -> None:
    out = io.StringIO()
    letter_files = list(_letters(int(letters)))
    code = run(OpenedFile(0), letter_files, out, as_json=words == "json", quiet=quiet == "quiet",
               authorities=authorities)
    sys.stdout.buffer.write(f"{code}\n{out.getvalue()}".encode(errors="replace"))


def _letters(handle: int) -> Iterator[KeptLetter]:
    """The letters in a file of frames: a line of JSON, [name, size], then the bytes."""
    with OpenedFile(handle).open() as frames:
        while line := frames.readline():
            name, size = json.loads(line)
            yield KeptLetter(name, frames.read(size))


def _contents(contents_of: Callable[..., Iterator[bytes]]) -> None:
    for part in contents_of(OpenedFile(0)):
        sys.stdout.buffer.write(part)


if __name__ == "__main__":
    main()
