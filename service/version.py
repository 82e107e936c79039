"""Which Galloper this is."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version as installed
from pathlib import Path

COMMIT_FILE = Path(__file__).with_name("commit.txt")
"""The commit that a wheel was built from; `tools/wheel` writes it, and a checkout has none."""


@cache
def version() -> str:
    """This Galloper's version; "" where it runs from a folder that is not installed."""
    # Every page needs it, and the metadata would be searched again each time.
    try:
        return installed("galloper")
    except PackageNotFoundError:
        return ""


def commit() -> str:
    """The commit that this Galloper was made from, as twelve hexadecimal digits; "" where it is not known."""
    if COMMIT_FILE.exists():
        return COMMIT_FILE.read_text("ascii").strip()
    git, root = shutil.which("git"), Path(__file__).parents[1]
    # A folder around the program may be another repository.
    if git is None or not (root / ".git").exists():
        return ""
    command = [git, "-C", str(root), "rev-parse", "--short=12", "HEAD"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    return answer.stdout.strip()
