"""`galloper verify`: an archive is compared with itself, with letters that were mailed, and with the judge
(`service.archive.verify`), and its time stamps with those who signed them."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from service.archive.checker import CheckedRecord, VerifyReport, checking
from service.archive.verify import check_archive
from service.facts.events import Event
from service.features.audit import time_stamps
from service.features.audit.time_stamps import FalseStamp, NoStampLibrary


def run_verify(
    path: Path, letters: Sequence[Path], out: TextIO, *, as_json: bool = False, quiet: bool = False,
    authorities: str = "",
) -> int:
    """Check an archive and letters and print a line for each result, with `quiet` only for what is wrong.
    `authorities`: certificates as PEM that must vouch for its time stamps. Returns 0 if nothing is wrong,
    else 1."""
    report = VerifyReport()
    record = check_archive(path, letters, report)
    if record is not None:
        with checking(report):
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


def check_stamps(record: CheckedRecord, report: VerifyReport, authorities: str) -> None:
    """C24: certificates as PEM vouch for each time stamp of the record's roots; with "" none is asked for,
    and a note shows how to."""
    stamped = [(number, tells["detail"]) for number, tells in record.facts["event"]
               if tells["event"] == Event.ROOT_STAMPED]
    if not stamped:
        return
    if not authorities:
        report.notes.append("Whether the time stamps are signed is checked with --authority FILE, the "
                            "authority's certificate.")
        return
    try:
        for number, detail in stamped:
            reply = base64.b64decode(detail["reply"], validate=True)
            if not time_stamps.is_signed(reply, detail["root"], authorities):
                report.faults.append(f"Entry {number}: its time stamp is not valid: none of your "
                                     "certificates covers it (rule C24).")
    except NoStampLibrary as fault:
        report.notes.append(str(fault))
    except FalseStamp as fault:
        report.faults.append(f"Entry {number}: its time stamp is not valid: {fault} (rule C24).")
    else:
        if not report.faults:
            report.notes.append(f"Your authority signed the time stamps. Stamps: {len(stamped)}. Their "
                                "signatures are valid.")


def _print(
    report: VerifyReport, record: CheckedRecord | None, out: TextIO, *, as_json: bool, quiet: bool
) -> int:
    if as_json:
        print(json.dumps(_as_json(report, record), ensure_ascii=False), file=out)
        return 1 if report.faults else 0
    for line in report.lines(quiet=quiet):
        print(line, file=out)
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
