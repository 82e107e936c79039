"""`galloper verify`: compare an archive with itself, with letters that were mailed, and with the judge.

It shares no code with `tools/verify_record.py`, only the description in docs/record.md: two programs that
agree are worth more than one. Every fault is a sentence with the number of its entry. Nothing is written.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from service.archive.archive_file import Archive, BrokenArchive, VerifyReport, read_archive
from service.archive.conduct.check import check_conduct
from service.archive.pooled_letters import Places, check_places
from service.archive.receipts import verify_receipt
from service.archive.verify_files import check_chain, check_files
from service.archive.verify_game import check_game
from service.archive.verify_letters import check_letter, check_own_letters
from service.archive.verify_stamps import check_stamps


def run_verify(
    path: Path, letters: Sequence[Path], out: TextIO, *, as_json: bool = False, quiet: bool = False,
    authorities: str = "",
) -> int:
    """Check an archive and letters and print a line for each result, with `quiet` only for what is wrong.
    `authorities`: certificates as PEM that must vouch for its time stamps. Returns 0 if nothing is wrong,
    else 1."""
    report = VerifyReport()
    try:
        archive = read_archive(path)
        check_chain(archive, report)
        if not report.faults:
            check_files(archive, report)
            check_game(archive, report)
            check_conduct(archive, report)
            check_own_letters(archive, report)
            check_stamps(archive, report, authorities)
            places: Places = {}
            for letter in letters:
                check_letter(archive, letter.name, letter.read_bytes(), report, places)
            check_places(archive, places, report)
    except BrokenArchive as fault:
        report.faults.append(str(fault))
    except (KeyError, TypeError, ValueError, IndexError) as fault:
        # The digests fit, but an entry has a shape that we never write: a forger who computed the chain
        # again.
        report.faults.append(
            f"An entry has another form than this Galloper writes ({type(fault).__name__}: {fault})."
        )
    if as_json:
        print(json.dumps(_as_json(report, None if report.faults else archive), ensure_ascii=False), file=out)
        return 1 if report.faults else 0
    for line in () if quiet else report.confirmations:
        print(line, file=out)
    for line in () if quiet else report.notes:
        print(f"To know: {line}", file=out)
    for line in report.faults:
        print(f"NOT AS IT SHOULD BE: {line}", file=out)
    if not report.faults and not quiet:
        opened = sum(entry.body is not None for entry in archive.entries)
        print((f"{archive.manifest['name']}: {len(archive.entries)} entries, {opened} of them open, "
               f"unbroken."), file=out)
        print(f"Root {archive.manifest['root']}", file=out)
    return 1 if report.faults else 0


def run_verify_receipt(
    path: Path, sheets: Sequence[Path], out: TextIO, *, as_json: bool = False, quiet: bool = False
) -> int:
    """Check a receipt alone, with the mails or photographs of its sheet. Returns 0 if nothing is wrong."""
    report = VerifyReport()
    sheet_files = [(sheet.name, sheet.read_bytes()) for sheet in sheets]
    verify_receipt(path.name, path.read_bytes(), sheet_files, report)
    if as_json:
        print(json.dumps(_as_json(report, None), ensure_ascii=False), file=out)
        return 1 if report.faults else 0
    for line in () if quiet else report.confirmations:
        print(line, file=out)
    for line in report.faults:
        print(f"NOT AS IT SHOULD BE: {line}", file=out)
    return 1 if report.faults else 0


def _as_json(report: VerifyReport, archive: Archive | None) -> dict[str, Any]:
    """The object of the contract. `archive` is None where something is wrong with it."""
    data: dict[str, Any] = {"sound": not report.faults, "faults": report.faults,
                            "confirmed": report.confirmations, "notes": report.notes}
    if archive is not None:
        data |= {"game": archive.manifest["game"], "entries": len(archive.entries),
                 "root": archive.manifest["root"]}
    return data
