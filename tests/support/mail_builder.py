"""Mails for the intake tests, built byte by byte so that they may be as odd as the fault under test."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image

from service.intake.verdicts.context import IntakeContext, context_from_json
from service.intake.verdicts.rules import as_earlier_mail, judge_mail
from service.intake.verdicts.verdict import EarlierMail, Verdict
from service.mail.message import read_mail
from tests.support.opening import own_probe

FIXTURES = Path(__file__).parents[1] / "data" / "mail"
IN_TIME = datetime(2025, 3, 22, 12, 0, tzinfo=UTC)
MONTROSE = "graham.j@mailbox.example"
SUBJECT = "Powick Bridge, Montrose, Autumn 1644 Retreats, v1"


@cache
def index() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((FIXTURES / "index.json").read_text(encoding="utf-8"))
    return loaded


def context(**changes: Any) -> IntakeContext:
    """The fixtures' context, with keys of its JSON form changed."""
    return context_from_json({**index()["context"], **changes})


@cache
def picture(shade: int = 90, form: str = "JPEG", width: int = 320, height: int = 240) -> bytes:
    out = io.BytesIO()
    # One colour a number: pictures with different numbers have different digests.
    Image.new("RGB", (width, height), (shade % 256, shade // 256, 40)).save(out, form)
    return out.getvalue()


def pdf(pages: int) -> bytes:
    out = io.BytesIO()
    sheets = [Image.new("L", (300, 400), 255) for _ in range(pages)]
    sheets[0].save(out, "PDF", save_all=True, append_images=sheets[1:])
    return out.getvalue()


def locked_pdf() -> bytes:
    """A PDF that opens only with a password."""
    # Its encryption dictionary fits no empty password (ISO 32000-1, 7.6).
    return (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
        b"3 0 obj<</Filter/Standard/V 1/R 2/P -44/O<" + b"41" * 32 + b">/U<" + b"42" * 32 + b">>>endobj\n"
        b"trailer<</Root 1 0 R/Size 4/Encrypt 3 0 R/ID[<01020304><01020304>]>>\n%%EOF\n"
    )


def stamp(domain: str, result: str = "pass", server: str = "mx.w3k.example") -> str:
    return (f"Authentication-Results: {server}; dkim={result} header.d={domain}; dmarc={result} "
            f"header.from={domain}")


def part(
    data: bytes, kind: str = "image/jpeg", name: str = "sheet.jpg", disposition: str = "attachment"
) -> bytes:
    head = (
        f'Content-Type: {kind}; name="{name}"\r\nContent-Transfer-Encoding: base64\r\n'
        f'Content-Disposition: {disposition}; filename="{name}"\r\n\r\n'
    )
    return head.encode() + base64.encodebytes(data).replace(b"\n", b"\r\n")


def text(body: str = "hello") -> bytes:
    return f"Content-Type: text/plain; charset=utf-8\r\n\r\n{body}\r\n".encode()


def multipart(parts: Iterable[bytes], kind: str = "multipart/mixed", boundary: str = "cut") -> bytes:
    """Type header, blank line and body of a multipart."""
    body = b"".join(b"--" + boundary.encode() + b"\r\n" + mime_part + b"\r\n" for mime_part in parts)
    return (
        f'Content-Type: {kind}; boundary="{boundary}"\r\n\r\n'.encode()
        + body
        + f"--{boundary}--\r\n".encode()
    )


def mail(
    subject: str = SUBJECT,
    sender: str = MONTROSE,
    *,
    parts: Sequence[bytes] | None = None,
    headers: Sequence[str] = (),
    stamps: Sequence[str] | None = None,
    from_lines: Sequence[str] | None = None,
    body: bytes | None = None,
) -> bytes:
    """A whole mail. `body` is the type header and the body, in place of `parts`."""
    if stamps is None:
        stamps = [stamp(sender.rpartition("@")[2])]
    if from_lines is None:
        from_lines = [f"From: {sender}"]
    lines = [f"Return-Path: <{sender}>", *stamps, *headers, *from_lines, f"Subject: {subject}"]
    content = body if body is not None else multipart([text(), part(picture())] if parts is None else parts)
    # Surrogates represent bytes that are not UTF-8, so that a header may have any byte.
    return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n" + content


def judge(
    raw: bytes, *, received_at: datetime = IN_TIME, earlier: Sequence[EarlierMail] = (),
    known: IntakeContext | None = None, taken_back: bool = False
) -> Verdict:
    return judge_mail(
        read_mail(raw, own_probe()), received_at, known or context(), earlier, taken_back=taken_back)


def judge_all(*raws: bytes, known: IntakeContext | None = None) -> list[Verdict]:
    """Verdicts on mails received one after the other."""
    earlier: list[EarlierMail] = []
    verdicts = []
    for number, raw in enumerate(raws):
        read = read_mail(raw, own_probe())
        verdict = judge_mail(read, IN_TIME, known or context(), earlier)
        earlier_mail = as_earlier_mail(str(number), read, IN_TIME, verdict)
        earlier += [earlier_mail] if earlier_mail is not None else []
        verdicts.append(verdict)
    return verdicts
