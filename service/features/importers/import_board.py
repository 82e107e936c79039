"""`galloper map import`: a board from our own tables, from DPjudge's `.map` or from jDip's XML into a folder
of our form."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TextIO

import maps
from maps.importers import board_files, dpjudge, jdip, tables
from maps.importers.board_files import MODEL_FILES, ModelBoard
from maps.importers.draft import ImportReport, check_links
from maps.importers.source import MAX_BYTES, SourceFile
from service.cli.check_board import run_check
from service.cli.program.results import print_result

LIKE = "standard"
_COMMAND = "galloper map import"


def run_import(
    source: Path, folder: Path, *, name: str = "", like: str = LIKE, one_way: bool = False, out: TextIO,
    as_json: bool = False, quiet: bool = False
) -> int:
    """Read a board and write it into `folder`, which must be new or empty, then check it.

    `name` chooses among jDip's variants, `like` is the board whose calendar, units and rules are taken if
    the source has none itself, `one_way` keeps one-way borders. Exit status: 0; 1 with each
    fault on `out`, by file and line of the source, or by file and row of the tables written; what could not
    be carried over on standard error.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        return _refuse(f"{folder} is not empty and was not changed; give a new folder")
    report = ImportReport()
    files = _board_files(source, name, like, one_way, report)
    sys.stderr.writelines(f"{note}\n" for note in report.notes() if not quiet)
    faults = report.faults()
    if faults or files is None:
        for fault in faults:
            print_result(out, str(fault), {"file": fault.file, "line": fault.line, "message": fault.message},
                         as_json=as_json)
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        return _refuse(f"{source} has {count}; nothing was written; correct the lines named and import again")
    folder.mkdir(parents=True, exist_ok=True)
    for file_name, content in files.items():
        (folder / file_name).write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    # Tables of our form may have faults that show only on the whole board: they are named by row of the new
    # file.
    return run_check(str(folder), out, as_json=as_json, quiet=quiet)


def _board_files(
    source: Path, name: str, like: str, one_way: bool, report: ImportReport
) -> dict[str, str | bytes] | None:
    source_file = _source_kind(source, report)
    if source_file is None:
        return None
    path, suffix = source_file
    if suffix == ".csv":
        files = FolderFiles(path)
        title = path.resolve().name.replace("_", " ").title()
        # Tables with a heading of their own need none from another board.
        model = None if board_files.HEADING in files else _model_board(like)
        return tables.read(files, title, model, report)
    files = FolderFiles(path.parent)
    if suffix == ".xml":
        draft = jdip.read(files, path.name, name, report)
    else:
        draft = dpjudge.read(files, path.name, report)
    if draft is None:
        return None
    if not draft.places or not draft.seats:
        missing = "places" if not draft.places else "powers"
        report.fault(path.name, 0, f"it has no {missing}, so it is not a board")
    # Each place lists its own neighbours. A border that one end lacks is a fault without `--one-way`.
    check_links(draft, one_way=one_way, report=report)
    return dict(board_files.board_files(draft, _model_board(like), report))


class FolderFiles(Mapping[str, SourceFile]):
    """The files of a folder by name, each read when it is asked for; the importers open none themselves."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __getitem__(self, name: str) -> SourceFile:
        path = self._folder / name
        if not path.exists():
            raise KeyError(name)
        try:
            # A pipe is read for ever, and a device has no end.
            if not path.is_file():
                return SourceFile(b"", 0, "it is not a regular file")
            size = path.stat().st_size
            # A file that is too large is refused by its size and never read.
            return SourceFile(path.read_bytes() if size <= MAX_BYTES else b"", size)
        except OSError as error:
            return SourceFile(b"", 0, error.strerror or str(error))

    def __contains__(self, name: object) -> bool:
        return (self._folder / str(name)).is_file()

    def __iter__(self) -> Iterator[str]:
        return (path.name for path in sorted(self._folder.iterdir()) if path.is_file())

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _model_board(slug: str) -> ModelBoard:
    """The board that lends its calendar, units and rules. Raises MapError when there is none of that name."""
    paths = {name: maps.folder(slug) / name for name in MODEL_FILES}
    return ModelBoard(slug, {name: path.read_text("utf-8") for name, path in paths.items() if path.exists()})


def _source_kind(source: Path, report: ImportReport) -> tuple[Path, str] | None:
    """The source to read, and its format by its name; None with a fault."""
    suffix = source.suffix.lower()
    if source.is_dir():
        return _in_folder(source, report)
    if not source.is_file():
        report.fault(source.name, 0, "there is no such file or folder")
    elif suffix not in {".csv", ".map", ".xml"}:
        report.fault(source.name, 0, ("this is not a board: give a folder of our tables, a .map file, or "
                                      "jDip's variants.xml"))
    else:
        return (source.parent if suffix == ".csv" else source), suffix
    return None


def _in_folder(source: Path, report: ImportReport) -> tuple[Path, str] | None:
    judge_maps = sorted(source.glob("*.map"))
    if (source / board_files.PROVINCES).exists():
        return source, ".csv"
    if (source / jdip.MAIN).exists():
        return source / jdip.MAIN, ".xml"
    if len(judge_maps) == 1:
        return judge_maps[0], ".map"
    report.fault(source.name, 0, f"it holds {len(judge_maps)} .map files; give one" if judge_maps else (
        f"it holds neither {board_files.PROVINCES} nor {jdip.MAIN} nor a .map file"))
    return None


def _refuse(sentence: str) -> int:
    sys.stderr.write(f"{_COMMAND}: {sentence}\n")
    return 1
