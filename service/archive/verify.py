"""`galloper verify`: compare an archive with itself, with letters that were mailed, and with the judge.

The checker that players fetch (`service.archive.checker`) stops at the first fault; where it finds none,
every phase is judged again. Every fault is a sentence with the number of its entry. Nothing is written.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from service.archive.archive_file import ArchivePath, check_outside
from service.archive.checker import CheckedRecord, VerifyReport, checking
from service.archive.judge_again import check_stamps, judge_again


def read_record(path: ArchivePath, report: VerifyReport) -> CheckedRecord | None:
    """An archive whose chain, files and results fit, without a look at its keeper's conduct; None where the
    report has a fault."""
    record: CheckedRecord | None = None
    with checking(report) as checker:
        check_outside(path)
        record = checker.read_record(path)
        judge_again(record, report)
    return None if report.faults else record


def run_verify(
    path: Path, letters: Sequence[Path], out: TextIO, *, as_json: bool = False, quiet: bool = False,
    authorities: str = "",
) -> int:
    """Check an archive and letters and print a line for each result, with `quiet` only for what is wrong.
    `authorities`: certificates as PEM that must vouch for its time stamps. Returns 0 if nothing is wrong,
    else 1."""
    report = VerifyReport()
    record: CheckedRecord | None = None
    with checking(report) as checker:
        check_outside(path)
        record = checker.check(path, [(letter.name, letter.read_bytes()) for letter in letters])
        judge_again(record, report)
        check_stamps(record, report, authorities)
    return _print(report, None if report.faults else record, out, as_json=as_json, quiet=quiet)


def run_verify_receipt(
    path: Path, sheets: Sequence[Path], out: TextIO, *, as_json: bool = False, quiet: bool = False
) -> int:
    """Check a receipt alone, with the mails or photographs of its sheet. Returns 0 if nothing is wrong."""
    report = VerifyReport()
    with checking(report) as checker:
        receipt, *of_sheet = ((file.name, file.read_bytes()) for file in (path, *sheets))
        checker.check_receipt_alone(receipt, of_sheet)
    return _print(report, None, out, as_json=as_json, quiet=quiet)


def _print(
    report: VerifyReport, record: CheckedRecord | None, out: TextIO, *, as_json: bool, quiet: bool
) -> int:
    if as_json:
        print(json.dumps(_as_json(report, record), ensure_ascii=False), file=out)
        return 1 if report.faults else 0
    for line in () if quiet else report.confirmations:
        print(line, file=out)
    for line in () if quiet else report.notes:
        print(f"To know: {line}", file=out)
    for line in report.faults:
        print(f"NOT AS IT SHOULD BE: {line}", file=out)
    if record is not None and not quiet:
        opened = sum("body" in entry for entry in record.entries)
        print(f"{record.manifest['name']}: {len(record.entries)} entries, {opened} of them open, unbroken.",
              file=out)
        print(f"Root {record.manifest['root']}", file=out)
    return 1 if report.faults else 0


def _as_json(report: VerifyReport, record: CheckedRecord | None) -> dict[str, Any]:
    """The object of the contract. `record` is None where something is wrong with it."""
    data: dict[str, Any] = {"sound": not report.faults, "faults": report.faults,
                            "confirmed": report.confirmations, "notes": report.notes}
    if record is not None:
        data |= {"game": record.manifest["game"], "entries": len(record.entries),
                 "root": record.manifest["root"]}
    return data
