"""A secret in a file of its own, which only its owner may read."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def write_secret(path: Path, secret: str) -> None:
    """Put a secret into a file in place of an older one, with mode 0600 from its first byte on. Raises
    OSError; then the older one is as it was."""
    # `mkstemp` makes it 0600 whatever the umask is; renaming is the only change that anybody can see.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(secret + "\n")
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def read_secret(path: Path) -> str:
    """The secret in a file, without blanks around it. Raises OSError, UnicodeDecodeError."""
    return path.read_text("utf-8").strip()
