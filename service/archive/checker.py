"""The independent checker as players fetch it: one file that needs Python alone
(`tools/verify_record.py`)."""

from __future__ import annotations

import sys
from pathlib import Path

NAME = "verify_record.py"
_PLACES = (Path(__file__).parents[2] / "tools" / NAME, Path(sys.prefix) / "share" / "galloper" / NAME)
"""In a checkout, and where a wheel puts it."""


def checker_file() -> bytes | None:
    """The file; None where an installation left it out."""
    return next((path.read_bytes() for path in _PLACES if path.is_file()), None)
