"""What the pictures of one mail may cost together (MBX-05)."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from ocr.unreadable import FileTrouble
from service.intake.opening.sandbox import Decoded, SandboxLimits, decode_photo
from service.intake.sheets.recognizer import ImageOpener, OpenerProbe
from service.mail import message
from service.mail.message import read_mail
from tests.support.mail_builder import MONTROSE, SUBJECT, mail, multipart, part, picture


def with_scans(count: int, shade: int) -> bytes:
    """A progressive JPEG whose last scan comes again and again."""
    out = io.BytesIO()
    Image.new("L", (1600, 1200), shade).save(out, "JPEG", progressive=True)
    data = out.getvalue()
    last = data.rindex(b"\xff\xda")
    end = data.rindex(b"\xff\xd9")
    return data[:last] + data[last:end] * count + data[end:]


def test_pictures_with_thousands_of_scans_cost_no_more_than_a_mail_may(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four of them took 133 seconds of processor time, each within its own limit; with a tenth of the limits
    here. What a child used is its own count, and the kernel's for one that it ended."""
    opened_with: list[int] = []

    def decode(data: bytes, limits: SandboxLimits) -> Decoded:
        opened_with.append(limits.cpu_seconds)
        return decode_photo(data, limits)

    monkeypatch.setattr(message, "SECONDS_OF_A_MAIL", 6.0)
    raw = mail(SUBJECT, MONTROSE, body=multipart([part(with_scans(60_000, 40 * n)) for n in range(1, 5)]))
    opened = read_mail(raw, OpenerProbe(ImageOpener(SandboxLimits(cpu_seconds=3), decode=decode)))
    assert opened_with[0] == 3
    assert len(opened_with) < 4, "nothing is left for the last"
    assert [each.trouble for each in opened.pictures] == [FileTrouble.COSTLY] * 4


def test_an_honest_mail_of_many_pictures_is_opened_whole() -> None:
    pages = [part(picture(shade, width=2000, height=1500)) for shade in range(60, 160, 20)]
    opened = read_mail(
        mail(SUBJECT, MONTROSE, body=multipart(pages)), OpenerProbe(first_look=False))
    assert [each.trouble for each in opened.pictures] == [None] * 5
