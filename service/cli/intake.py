"""`galloper intake`: the verdict on mail files, without taking them in."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, TextIO

from adjudicator.errors import UserFacingError
from service.cli.program.faults import file_sentence
from service.intake.opening.open_mail import ChildBodies, joined
from service.intake.opening.sandbox import ChildFault
from service.intake.sender_proof import with_proof
from service.intake.sheets.recognizer import EngineRecognizer, ImageOpener, OpenerProbe
from service.intake.sheets.sheet_test import ReadingTest, SheetTest
from service.intake.verdicts.context import (
    ContextError,
    IntakeContext,
    context_from_json,
    instant,
    txt_records,
)
from service.intake.verdicts.explanations import explain
from service.intake.verdicts.rules import as_earlier_mail, body_need, judge_mail
from service.intake.verdicts.verdict import EarlierMail, Verdict, VerdictKind
from service.mail.authentication.dns import TableLookup, TxtLookup
from service.mail.authentication.verdict import Authentication
from service.mail.body.read import BodyNeed
from service.mail.message import IncomingMail, read_head, without_pictures
from service.mail.mime.image_types import PictureProbe

_TOGETHER = 64
"""Mails that are held in memory at the same time."""


class IntakeFault(UserFacingError):
    """The command cannot do what was asked; the sentence shows what to do."""


@dataclass(frozen=True, slots=True)
class _MailFile:
    """`context`: what it is judged by, with the provider that its case names."""

    path: Path
    received_at: datetime
    context: IntakeContext


def run_intake(
    context_path: Path,
    index_path: Path | None,
    files: Sequence[Path],
    as_json: bool,
    out: TextIO,
    probe: PictureProbe | None = None,
    sheet_test: SheetTest | None = None,
) -> int:
    """Judge `files` and print one object (or one paragraph) a mail.

    The receipt time is in `FILE.internaldate` next to each mail or in the index, whose order is then kept; an
    index without files means all its cases. Exit status: 0, or 1 with one sentence on standard error.
    """
    try:
        given = _json(context_path)
        index = {} if index_path is None else _json(index_path)

        @cache
        def context_of(provider: str | None) -> IntakeContext:
            return context_from_json(given, index, provider)

        context_of(None)
        due = _mails_in_order(index_path, index, files, context_of)
        lookup = TableLookup(txt_records(given, index))
        opener = ImageOpener()
        _judge(due, lookup, as_json, out, probe or OpenerProbe(opener, first_look=False),
               sheet_test or ReadingTest(EngineRecognizer(opener=opener)))
    except ChildFault as fault:
        sys.stderr.write(f"galloper intake: the mails cannot be opened: {fault}; try again\n")
        return 1
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
    # Bytes that are not text, and brackets within brackets without end.
    except (ValueError, RecursionError) as error:
        raise IntakeFault(f"{path} is not JSON; save it as JSON in UTF-8 and try again.") from error


def _mails_in_order(
    index_path: Path | None, index: Any, files: Sequence[Path],
    context_of: Callable[[str | None], IntakeContext],
) -> list[_MailFile]:
    cases: dict[str, tuple[datetime, str | None]] = {}
    paths = list(files)
    if index_path is not None:
        cases = _cases(index_path, index)
        paths = paths or [index_path.parent / name for name in cases]
        place = {name: number for number, name in enumerate(cases)}
        # Mails that the index does not name come last.
        paths.sort(key=lambda path: place.get(path.name, len(place)))
    due: list[_MailFile] = []
    for path in paths:
        received_at, provider = cases.get(path.name) or (_stamp_beside(path), None)
        due.append(_MailFile(path, received_at, context_of(provider)))
    return due


def _cases(path: Path, index: Any) -> dict[str, tuple[datetime, str | None]]:
    """Receipt time and provider of each file."""
    try:
        return {
            str(case["file"]): (instant(case["internaldate"]), case.get("provider"))
            for case in index["cases"]
        }
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise IntakeFault(f"{path} is not an index of mails: cases need file and internaldate") from error


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
        raise IntakeFault(f"{stamp} is not a time; write one such as 2025-03-21T10:14:00Z") from error


def _judge(
    due: Sequence[_MailFile], lookup: TxtLookup, as_json: bool, out: TextIO, probe: PictureProbe,
    sheet_test: SheetTest,
) -> None:
    earlier: list[EarlierMail] = []
    for mail_file, opened in zip(due, _opened(due, lookup, probe), strict=True):
        context = mail_file.context
        mail, verdict = opened, judge_mail(opened, mail_file.received_at, context, earlier)
        if verdict.verdict is VerdictKind.ACCEPTED:
            # What brings no orders is put aside, and the mail judged without it.
            mail = without_pictures(opened, sheet_test.fates(opened, context.game(verdict.game or "").known))
            verdict = judge_mail(mail, mail_file.received_at, context, earlier)
        remembered = as_earlier_mail(mail_file.path.name, mail, mail_file.received_at, verdict)
        if remembered is not None:
            # A repeat and a higher version are known only next to the mails before them.
            earlier.append(remembered)
        if as_json:
            out.write(json.dumps(verdict_json(mail_file.path.name, verdict), ensure_ascii=False) + "\n")
        else:
            out.write(_paragraph(mail_file.path.name, verdict, context))


def _opened(
    due: Sequence[_MailFile], lookup: TxtLookup, probe: PictureProbe
) -> Iterator[IncomingMail]:
    """The mails, each opened as far as its headers deserve."""
    for start in range(0, len(due), _TOGETHER):
        some = due[start : start + _TOGETHER]
        raws = [_bytes(mail_file.path) for mail_file in some]
        heads = [
            with_proof(read_head(raw), raw, mail_file.received_at, mail_file.context, lookup)
            for mail_file, raw in zip(some, raws, strict=True)
        ]
        needs = [body_need(head, mail_file.context) for mail_file, head in zip(some, heads, strict=True)]
        wanted = [(raw, need) for raw, need in zip(raws, needs, strict=True) if need is not BodyNeed.NONE]
        bodies = iter(ChildBodies().read_all(wanted))
        for head, need in zip(heads, needs, strict=True):
            yield joined(head, need, None if need is BodyNeed.NONE else next(bodies), probe)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise IntakeFault(f"{path} cannot be read ({error.strerror}); check the name") from error


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
        "proof": proof_json(verdict.authentication),
        "authentication": None if verdict.authentication is None else verdict.authentication.reason,
        "files": [{"name": file.name, "fate": file.fate.value, "why": file.why or None}
                  for file in verdict.files],
    }
    if verdict.report is not None:
        # Only a report has these.
        fields |= {
            "recipients": list(verdict.report.recipients),
            "outbox_message_id": verdict.report.message_id,
            "outbox_status": None if verdict.report.outcome is None else verdict.report.outcome.value,
            "enhanced_status": verdict.report.status_code,
        }
    return fields


def proof_json(authentication: Authentication | None) -> dict[str, str] | None:
    """The proof of the sender; None without proof."""
    proof = None if authentication is None else authentication.proof
    return None if proof is None else {"method": proof.method.value, "by": proof.by, "domain": proof.domain}


def _paragraph(name: str, verdict: Verdict, context: IntakeContext) -> str:
    head = f"{name}: {verdict.verdict.value}" + (f" ({verdict.reason.value})" if verdict.reason else "")
    words = explain(verdict, context)
    body = " ".join(part for part in (words.problem, words.reassurance, words.remedy) if part)
    flags = f"\n  flags: {', '.join(sorted(verdict.flags))}" if verdict.flags else ""
    return f"{head}\n  {body}{flags}\n"
