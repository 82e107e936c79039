"""`galloper intake`: the verdict on mail files, without taking them in."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from adjudicator.errors import UserFacingError
from service.cli.program.faults import file_sentence
from service.intake.context import ContextError, IntakeContext, context_from_json, instant
from service.intake.explanations import explain
from service.intake.rules import as_earlier_mail, judge_mail
from service.intake.verdict import EarlierMail, Verdict
from service.mail.image_types import PictureProbe, PillowProbe
from service.mail.message import read_mail


class IntakeFault(UserFacingError):
    """The command cannot do what was asked; the sentence says what to do."""


@dataclass(frozen=True, slots=True)
class _MailFile:
    path: Path
    received_at: datetime


def run_intake(
    context_path: Path,
    index_path: Path | None,
    files: Sequence[Path],
    as_json: bool,
    out: TextIO,
    probe: PictureProbe | None = None,
) -> int:
    """Judge `files` and print one object (or one paragraph) a mail.

    The receipt time is in `FILE.internaldate` beside each mail or in the index, whose order is then kept; an
    index without files means all its cases. Exit status: 0, or 1 with one sentence on standard error.
    """
    try:
        context = context_from_json(_json(context_path))
        due = _mails_in_order(index_path, files)
        _judge(due, context, as_json, out, probe or PillowProbe())
    except (IntakeFault, ContextError) as fault:
        sys.stderr.write(f"galloper intake: {fault}\n")
        return 1
    return 0


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise IntakeFault(f"{file_sentence(error, path)} Give the path of a JSON file.") from error
    except json.JSONDecodeError as error:
        raise IntakeFault(f"{path} is not JSON (line {error.lineno}, column {error.colno}); correct it and "
                          "try again.") from error
    # Bytes that are no text, and brackets within brackets without end.
    except (ValueError, RecursionError) as error:
        raise IntakeFault(f"{path} is not JSON; save it as JSON in UTF-8 and try again.") from error


def _mails_in_order(index_path: Path | None, files: Sequence[Path]) -> list[_MailFile]:
    times: dict[str, datetime] = {}
    paths = list(files)
    if index_path is not None:
        times = _index(index_path)
        paths = paths or [index_path.parent / name for name in times]
        place = {name: number for number, name in enumerate(times)}
        # Mails that the index does not name come last.
        paths.sort(key=lambda path: place.get(path.name, len(place)))
    return [_MailFile(path, times.get(path.name) or _stamp_beside(path)) for path in paths]


def _index(path: Path) -> dict[str, datetime]:
    try:
        return {str(case["file"]): instant(case["internaldate"]) for case in _json(path)["cases"]}
    except (KeyError, TypeError, ValueError) as error:
        raise IntakeFault(f"{path} is not an index of mails: a case needs file and internaldate") from error


def _stamp_beside(path: Path) -> datetime:
    stamp = path.with_name(path.name + ".internaldate")
    try:
        # The time of receipt is the mail server's; the mail's own `Date:` is the sender's clock and is never
        # read.
        return instant(stamp.read_text(encoding="utf-8"))
    except OSError as error:
        raise IntakeFault(
            f"the receipt time of {path} is not known: write it to {stamp}, such as 2025-03-21T10:14:00Z, "
            f"or give --index"
        ) from error
    except ValueError as error:
        raise IntakeFault(f"{stamp} does not hold a time; write one such as 2025-03-21T10:14:00Z") from error


def _judge(
    due: Sequence[_MailFile], context: IntakeContext, as_json: bool, out: TextIO, probe: PictureProbe
) -> None:
    earlier: list[EarlierMail] = []
    for mail_file in due:
        try:
            raw = mail_file.path.read_bytes()
        except OSError as error:
            raise IntakeFault(f"{mail_file.path} cannot be read ({error.strerror}); check the "
                              f"name") from error
        mail = read_mail(raw, probe)
        verdict = judge_mail(mail, mail_file.received_at, context, earlier)
        remembered = as_earlier_mail(mail_file.path.name, mail, mail_file.received_at, verdict)
        if remembered is not None:
            # A repeat and a higher version are known only beside the mails before them.
            earlier.append(remembered)
        if as_json:
            out.write(json.dumps(verdict_json(mail_file.path.name, verdict), ensure_ascii=False) + "\n")
        else:
            out.write(_paragraph(mail_file.path.name, verdict, context))


def verdict_json(name: str, verdict: Verdict) -> dict[str, Any]:
    """The object of the contract, and after it what receipts and the outbox need."""
    fields: dict[str, Any] = {
        "file": name,
        "verdict": verdict.verdict.value,
        "reason": None if verdict.reason is None else verdict.reason.value,
        "game": verdict.game,
        "power": verdict.power,
        "season": verdict.season,
        "year": verdict.year,
        "type": verdict.phase_type,
        "version": verdict.version,
        "photos": verdict.photos,
        "flags": sorted(verdict.flags),
        "reply_to": verdict.reply_to,
        "alert": verdict.alert,
        "of": verdict.duplicate_of,
    }
    if verdict.report is not None:
        # Only a delivery report has these.
        fields |= {
            "outbox_message_id": verdict.report.message_id,
            "outbox_status": verdict.report.action,
            "enhanced_status": verdict.report.status_code,
        }
    return fields


def _paragraph(name: str, verdict: Verdict, context: IntakeContext) -> str:
    head = f"{name}: {verdict.verdict.value}" + (f" ({verdict.reason.value})" if verdict.reason else "")
    words = explain(verdict, context)
    body = " ".join(part for part in (words.problem, words.reassurance, words.remedy) if part)
    flags = f"\n  flags: {', '.join(sorted(verdict.flags))}" if verdict.flags else ""
    return f"{head}\n  {body}{flags}\n"
