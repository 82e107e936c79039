"""`galloper map import`: a board from our own tables, from DPjudge's `.map` or from jDip's XML into a folder
of our form."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

from maps.importers import dpjudge, jdip, tables, write
from maps.importers.draft import BoardDraft, ImportReport, check_links
from service.cli.check_board import run_check

LIKE = "standard"
_COMMAND = "galloper map import"


def run_import(
    source: Path, folder: Path, *, name: str = "", like: str = LIKE, one_way: bool = False, out: TextIO
) -> int:
    """Read a board and write it into `folder`, which must be new or empty, then check it.

    `name` chooses among jDip's variants, `like` is the board whose calendar, units and rules are taken where
    the source has none of its own, `one_way` keeps ways that nothing leads back. Exit status: 0; 1 with each
    fault on `out`, by file and line of the source, or by file and row of the tables written; what could not
    be carried over on standard error.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        return _refuse(f"{folder} holds something already; name a new folder, and nothing is written over")
    troubles = ImportReport()
    files = _board_files(source, name, like, one_way, troubles)
    sys.stderr.writelines(f"{note}\n" for note in troubles.notes())
    faults = troubles.faults()
    if faults or files is None:
        out.writelines(f"{fault}\n" for fault in faults)
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        return _refuse(f"{source} has {count}; nothing is written, mend the lines named and import again")
    write.write(folder, files)
    return run_check(str(folder), out)


def _board_files(
    source: Path, name: str, like: str, one_way: bool, troubles: ImportReport
) -> dict[str, str | bytes] | None:
    source_file = _source_kind(source, troubles)
    if source_file is None:
        return None
    path, suffix = source_file
    if suffix == ".csv":
        return tables.read(path, like, troubles)
    draft: BoardDraft | None
    draft = jdip.read(path, name, troubles) if suffix == ".xml" else dpjudge.read(path, troubles)
    if draft is None:
        return None
    if not draft.places or not draft.seats:
        missing = "places" if not draft.places else "powers"
        troubles.fault(path.name, 0, f"there are no {missing} in it, so it is no board")
    check_links(draft, one_way=one_way, troubles=troubles)
    return dict(write.tables(draft, like, troubles))


def _source_kind(source: Path, troubles: ImportReport) -> tuple[Path, str] | None:
    """What to read, and which form it has by its name; None with a fault."""
    suffix = source.suffix.lower()
    if source.is_dir():
        return _in_folder(source, troubles)
    if not source.is_file():
        troubles.fault(source.name, 0, "there is no such file or folder")
    elif suffix not in {".csv", ".map", ".xml"}:
        troubles.fault(source.name, 0, ("this is no board: name a folder of our tables, a .map file, or "
                                        "jDip's variants.xml"))
    else:
        return (source.parent if suffix == ".csv" else source), suffix
    return None


def _in_folder(source: Path, troubles: ImportReport) -> tuple[Path, str] | None:
    judge_maps = sorted(source.glob("*.map"))
    if (source / write.PROVINCES).exists():
        return source, ".csv"
    if (source / jdip.MAIN).exists():
        return source / jdip.MAIN, ".xml"
    if len(judge_maps) == 1:
        return judge_maps[0], ".map"
    troubles.fault(source.name, 0, f"it holds {len(judge_maps)} .map files; name one" if judge_maps else (
        f"it holds neither {write.PROVINCES} nor {jdip.MAIN} nor a .map file"))
    return None


def _refuse(sentence: str) -> int:
    sys.stderr.write(f"{_COMMAND}: {sentence}\n")
    return 1
