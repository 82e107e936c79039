"""The rights of a site's files (SEC-03): what is in them is for the account that runs the site, and no one
else."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from service.config import Settings
from service.operations.findings import Finding, FindingState
from service.site_folder import OTHERS

NAME = "files"
MOST_LOOKED_AT = 20_000
"""Files and folders that one look takes in; those of years are more, and were made by the same program."""


def open_paths(settings: Settings) -> list[Path]:
    """The folders and files of a site that other accounts may read or write, the data's folder first."""
    return [path for path in islice(_paths(settings), MOST_LOOKED_AT) if _is_open(path)]


def close_files(settings: Settings) -> int:
    """Take the rights of other accounts off the site's files: 0700 and 0600. How many were open. What cannot
    be changed, such as a file of another owner, stays for `check_files` to report."""
    closed = 0
    for path in open_paths(settings):
        try:
            path.chmod(0o700 if path.is_dir() else 0o600)
        except OSError:
            continue
        closed += 1
    return closed


def check_files(settings: Settings) -> Finding:
    """Whether another account can read what the site keeps."""
    if not Path(settings.data).exists():
        return Finding(NAME, FindingState.WELL, "will be readable only by their owner")
    paths = open_paths(settings)
    if not paths:
        return Finding(NAME, FindingState.WELL, "only the site's own account can read its files")
    return Finding(
        NAME, FindingState.TROUBLE,
        f"{len(paths)} files or folders are readable by other accounts of this machine, such as {paths[0]}; "
        f"start the site once with galloper serve, or run: chmod -R go= {settings.data}")


def _paths(settings: Settings) -> Iterator[Path]:
    roots = [Path(settings.data)]
    if settings.mail_out.kind == "folder":
        roots.append(Path(settings.mail_out.path))
    for root in roots:
        if root.exists():
            yield root
        for folder, folders, files in os.walk(root):
            yield from (Path(folder) / name for name in (*folders, *files))


def _is_open(path: Path) -> bool:
    try:
        status = path.lstat()
    except OSError:
        # It went away meanwhile.
        return False
    return not stat.S_ISLNK(status.st_mode) and bool(status.st_mode & OTHERS)
