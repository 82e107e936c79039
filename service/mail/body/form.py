"""Mails on their way into the limited child, and their bodies on the way out: one line of JSON, then the
bytes of the mails or files.

A hostile mail may control the child, so what comes out of it is checked here like a mail itself.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from service.facts.files import FileFate, OtherKind
from service.mail.body.read import MOST_OTHER_FILES, BodyNeed, MailBody, MailFile, OtherFile, read_body
from service.mail.body.text import LONGEST, MOST_LINES, MOST_TEXT
from service.mail.reports import DeliveryReport, Evidence, Outcome, ReportKind

_LONGEST_NAME = 200
_LONGEST_FIELD = 2000
"""Characters of a file name, and of one value of a report."""


_ENUMS: dict[str, type[StrEnum]] = {"kind": ReportKind, "outcome": Outcome, "evidence": Evidence}


class FormError(ValueError):
    """The bytes are not bodies; anyone who wrote them was not our code, or was cut off."""


@dataclass(frozen=True, slots=True)
class BodyRequest:
    """A whole mail, and how much of its body is wanted."""

    raw: bytes
    need: BodyNeed


def dump_requests(requests: Sequence[BodyRequest]) -> bytes:
    """Requests as bytes."""
    heads = [[request.need.value, len(request.raw)] for request in requests]
    return b"".join([json.dumps(heads).encode(), b"\n", *(request.raw for request in requests)])


def answer_requests(form: bytes) -> bytes:
    """The bodies asked for, as bytes. This is what the child does."""
    line, _, rest = form.partition(b"\n")
    bodies, start = [], 0
    for need, size in json.loads(line):
        bodies.append(read_body(rest[start : start + size], BodyNeed(need)))
        start += size
    return dump_bodies(bodies)


def dump_bodies(bodies: Sequence[MailBody]) -> bytes:
    """Bodies as bytes."""
    heads = [
        {
            "files": [[file.name, len(file.content)] for file in body.files],
            "encrypted": body.encrypted,
            "overflow": body.overflow,
            "report": None if body.report is None else asdict(body.report),
            "bold": list(body.bold),
            "has_files": body.has_files,
            "text": body.text,
            "other_files": [[file.name, file.fate, file.kind] for file in body.other_files],
        }
        for body in bodies
    ]
    contents = b"".join(file.content for body in bodies for file in body.files)
    return json.dumps(heads).encode() + b"\n" + contents


def load_bodies(form: bytes, count: int) -> list[MailBody]:
    """The `count` bodies that `dump_bodies` wrote. Raises FormError."""
    line, _, contents = form.partition(b"\n")
    try:
        heads = json.loads(line)
        sizes = [_size(size) for head in heads for _, size in head["files"]]
        if len(heads) != count or sum(sizes) != len(contents):
            raise FormError("the lengths do not fit")
        rest = io.BytesIO(contents)
        return [_body(head, rest) for head in heads]
    # The child wrote it, so it may be anything.
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormError(type(error).__name__) from error


def _body(head: dict[str, Any], contents: io.BytesIO) -> MailBody:
    return MailBody(
        files=tuple(
            MailFile(_text(name, _LONGEST_NAME), contents.read(size)) for name, size in head["files"]
        ),
        encrypted=head["encrypted"] is True,
        overflow=head["overflow"] is True,
        report=_report(head["report"]),
        bold=tuple(_text(line, LONGEST) for line in head["bold"][:MOST_LINES]),
        text=_text(head["text"], MOST_TEXT),
        has_files=head["has_files"] is True,
        other_files=tuple(
            OtherFile(_text(name, _LONGEST_NAME), FileFate(fate), None if kind is None else OtherKind(kind))
            for name, fate, kind in head["other_files"][:MOST_OTHER_FILES]
        ),
    )


def _report(value: dict[str, Any] | None) -> DeliveryReport | None:
    if value is None:
        return None
    return DeliveryReport(**{name: _field(name, field) for name, field in value.items()})


def _field(name: str, value: Any) -> Any:
    if name in _ENUMS:
        return None if value is None else _ENUMS[name](value)
    if isinstance(value, list):
        return tuple(_text(item, _LONGEST_FIELD) for item in value[:_LONGEST_FIELD])
    return None if value is None else _text(value, _LONGEST_FIELD)


def _text(value: Any, longest: int) -> str:
    if not isinstance(value, str):
        raise FormError("a text is invalid")
    return value[:longest]


def _size(value: Any) -> int:
    if not isinstance(value, int) or value < 0:
        raise FormError("a length is invalid")
    return value
