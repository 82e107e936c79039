"""The child process of `service.features.audit.jailed`: an archive on standard input, which may be anybody's,
checked within the limits and the jail of `service.intake.opening`.

Arguments: "verify", the limits, a number, "json" or "words", "quiet" or "all", the descriptor of a file of
letters, and the certificates of time-stamping authorities, or "".
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from service.archive.jailed_child import OpenedFile, prepare
from service.intake.opening import sandbox_child


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
    prepare()
    from service.features.audit import time_stamps, verify

    time_stamps.prepare()
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


if __name__ == "__main__":
    main()
