"""The licences of all that a site runs, as a table.

    .venv/bin/python -m tools.licences

The packages are those of `requirements.lock`, their licences what they declare. Exits with 1 for one that
declares none.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import PackageNotFoundError, files, metadata
from pathlib import Path

LOCK = Path(__file__).parents[1] / "requirements.lock"
_TEXT = re.compile(r"(LICEN[CS]E|COPYING)", re.IGNORECASE)
_CLASSIFIER = "License :: OSI Approved :: "
HEADING = """# Licences

Galloper itself: MIT (`LICENSE`). Its networks: Apache-2.0; the fonts that it draws with: OFL-1.1; their
notes lie next to them. The Python packages that a site runs:

| package | version | licence |
| --- | --- | --- |
"""


def packages(lock: str) -> list[tuple[str, str]]:
    """Name and version of each package of a lock file's text."""
    return re.findall(r"^([A-Za-z0-9_.-]+)==([^ \\;]+)", lock, re.MULTILINE)


def licence_of(name: str) -> str:
    """What an installed package declares: its expression, its classifiers, the first line of its field, or
    the name of the file with the text; "" for nothing. Raises PackageNotFoundError."""
    fields = metadata(name)
    if fields["License-Expression"]:
        return str(fields["License-Expression"])
    named = [each.removeprefix(_CLASSIFIER) for each in fields.get_all("Classifier") or []
             if each.startswith(_CLASSIFIER)]
    first = str(fields["License"] or "").strip().partition("\n")[0]
    texts = [f"its file {path.name}" for path in files(name) or () if _TEXT.match(path.name)]
    return ", ".join(named) or first or ", ".join(texts)


def main() -> int:
    """Print the table."""
    print(HEADING, end="")
    without = []
    for name, version in packages(LOCK.read_text("utf-8")):
        try:
            licence = licence_of(name)
        except PackageNotFoundError:
            licence = "not for this system"
        if not licence:
            without.append(name)
        print(f"| {name} | {version} | {licence or 'none is declared'} |")
    if without:
        print(f"licences: none is declared by {', '.join(without)}", file=sys.stderr)
    return min(len(without), 1)


if __name__ == "__main__":
    sys.exit(main())
