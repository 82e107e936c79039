"""The files of a mail that count as photographs, and the reason if none does."""

from __future__ import annotations

import base64
import io
import random
from dataclasses import replace

import pytest
from PIL import Image

from ocr.image.formats import PictureFormat, format_of
from service.facts.files import FileFate
from service.intake.verdicts.rules import MOST_BYTES, judge_mail
from service.intake.verdicts.verdict import Verdict, VerdictKind
from service.mail.message import IncomingMail, read_head, read_mail
from tests.support.mail_builder import (
    IN_TIME,
    MONTROSE,
    SUBJECT,
    context,
    judge,
    locked_pdf,
    mail,
    multipart,
    part,
    pdf,
    picture,
    text,
)
from tests.support.opening import own_probe

TRUNCATED = picture(90)[:-200]
GIF = b"GIF89a" + b"\0" * 40


def reason(verdict: Verdict) -> str | None:
    return None if verdict.reason is None else verdict.reason.value


def read(raw: bytes) -> IncomingMail:
    return read_mail(raw, own_probe())


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF", "HEIF", "AVIF", "GIF", "BMP"])
@pytest.mark.parametrize("disposition", ["attachment", "inline"])
def test_told_by_content_not_by_type_or_name(form: str, disposition: str) -> None:
    """SUB-11, ARR-01: every format, inline as well as attached."""
    from pillow_heif import register_heif_opener

    register_heif_opener()
    raw = mail(parts=[text(), part(picture(60, form), "text/plain", "notes.txt", disposition)])
    verdict = judge(raw)
    assert (verdict.verdict, verdict.photos, verdict.flags) == (VerdictKind.ACCEPTED, 1, frozenset())


def test_each_page_of_a_pdf_is_a_photograph() -> None:
    """SUB-11."""
    verdict = judge(mail(parts=[part(pdf(3), "application/pdf", "s.pdf"), part(picture())]))
    assert (verdict.verdict, verdict.photos) == (VerdictKind.ACCEPTED, 4)


def test_pictures_keep_the_order_of_the_mail() -> None:
    """SUB-10."""
    shades = [7, 3, 9, 1]
    inner = multipart([part(picture(3)), part(picture(9))], boundary="inner")
    raw = mail(parts=[part(picture(7)), inner, part(picture(1))])
    usable = read(raw).usable_pictures
    assert [photograph.data for photograph in usable] == [picture(shade) for shade in shades]


@pytest.mark.parametrize(
    ("width", "height", "expected"), [(200, 200, None), (199, 900, "no_photo"), (900, 199, "no_photo")]
)
def test_pictures_under_200_pixels_are_decoration(width: int, height: int, expected: str | None) -> None:
    assert reason(judge(mail(parts=[part(picture(5, "PNG", width, height))]))) == expected


def test_decoration_beside_a_photograph_does_not_count() -> None:
    verdict = judge(mail(parts=[part(picture(5, "PNG", 60, 40)), part(picture())]))
    assert (verdict.photos, verdict.flags) == (1, frozenset())


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([text()], "no_photo"),
        ([text(), part(GIF, "image/gif", "smile.gif")], "no_photo"),
        ([text(), part(b"<svg/>", "image/svg+xml", "logo.svg")], "no_photo"),
        # The resource fork that Apple's mail program sends next to a photograph, under its name (RFC 1740).
        ([text(), part(b"\0\x05\x16\x07junk", "application/applefile", "IMG_1.JPG")], "no_photo"),
        ([part(TRUNCATED)], "bad_image"),
        ([part(b"")], "bad_image"),
        ([part(b"these are no bytes of a picture")], "bad_image"),
        ([part(b"junk", "application/octet-stream", "../../etc/sheet.HEIC")], "bad_image"),
        ([part(b"%PDF-1.7 and then nothing", "application/pdf", "s.pdf")], "bad_image"),
        ([part(locked_pdf(), "application/pdf", "s.pdf")], "encrypted"),
        ([part(picture(10 * shade)) for shade in range(21)], "too_large"),
        # Pages count, not files.
        ([part(pdf(21), "application/pdf", "s.pdf")], "too_large"),
        ([part(picture(10 * shade)) for shade in range(20)], None),
    ],
)
def test_reasons(parts: list[bytes], expected: str | None) -> None:
    assert reason(judge(mail(parts=parts))) == expected


@pytest.mark.parametrize("broken", [TRUNCATED, b"", locked_pdf()])
def test_some_readable_some_broken(broken: bytes) -> None:
    verdict = judge(mail(parts=[part(broken), part(picture())]))
    assert (verdict.verdict, verdict.photos, verdict.flags) == (
        VerdictKind.ACCEPTED,
        1,
        frozenset({"photo_unreadable"}),
    )


def test_more_than_25_megabytes() -> None:
    incoming = read(mail(parts=[part(picture()), part(picture(2))]))
    half = MOST_BYTES // 2

    def sized(*sizes: int) -> str | None:
        pictures = tuple(
            replace(photograph, data=bytes(size))
            for photograph, size in zip(incoming.pictures, sizes, strict=True)
        )
        return reason(judge_mail(replace(incoming, pictures=pictures), IN_TIME, context()))

    assert sized(half, half) is None
    assert sized(half, half + 1) == "too_large"


def test_a_mail_too_large_to_fetch_is_judged_by_its_headers() -> None:
    raw = mail()
    head = read_head(raw[: raw.index(b"\r\n\r\n") + 4], 40_000_000)
    verdict = judge_mail(head, IN_TIME, context())
    assert (reason(verdict), verdict.reply_to, verdict.version) == ("too_large", MONTROSE, 1)


@pytest.mark.parametrize(
    "body",
    [
        multipart(
            [
                b"Content-Type: application/pgp-encrypted\r\n\r\nVersion: 1\r\n",
                part(b"x", "application/octet-stream", "a"),
            ],
            'multipart/encrypted; protocol="application/pgp-encrypted"',
        ),
        part(
            bytes.fromhex("3080 06092a864886f70d010703 a080 0000 0000"),
            'application/pkcs7-mime; smime-type="enveloped-data"',
            "smime.p7m",
        ),
        part(
            bytes.fromhex("3080 06092a864886f70d010703 a080 0000 0000"),
            "application/octet-stream",
            "smime.p7m",
        ),
        text("-----BEGIN PGP MESSAGE-----\r\n\r\nhQEMA\r\n-----END PGP MESSAGE-----"),
    ],
)
def test_encrypted_content(body: bytes) -> None:
    assert reason(judge(mail(body=body))) == "encrypted"


def der(tag: int, *values: bytes) -> bytes:
    body = b"".join(values)
    size = len(body).to_bytes(4, "big")
    return bytes((tag, 0x84)) + size + body


def test_content_under_an_opaque_signature_is_used() -> None:
    # RFC 5652: ContentInfo { signedData, [0] SignedData { version, algorithms, { data, [0] OCTET STRING } }
    # }. The octet string is cut in two (tag 0x24), as BER allows.
    inner = multipart([text(), part(picture())])
    data, signed = bytes.fromhex("06092a864886f70d010701"), bytes.fromhex("06092a864886f70d010702")
    content = der(0x30, data, der(0xA0, der(0x24, der(0x04, inner[:999]), der(0x04, inner[999:]))))
    envelope = der(0x30, signed, der(0xA0, der(0x30, b"\x02\x01\x01", der(0x31), content, der(0x31))))
    raw = mail(body=part(envelope, "application/pkcs7-mime; smime-type=signed-data", "smime.p7m"))
    assert judge(raw).photos == 1
    cut = mail(body=part(envelope[:-400], "application/pkcs7-mime; smime-type=signed-data", "smime.p7m"))
    assert reason(judge(cut)) == "encrypted"


def test_a_forwarded_message_may_be_in_base64() -> None:
    # RFC 2046, 5.2.1 forbids it, and some programs do it.
    inner = base64.encodebytes(b"Subject: scan\r\n" + multipart([part(picture())], boundary="deep"))
    forwarded = b"Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n" + inner
    assert judge(mail(parts=[forwarded])).photos == 1


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF", "HEIF", "PDF"])
def test_a_file_cut_off_half_way_is_broken(form: str) -> None:
    from pillow_heif import register_heif_opener

    register_heif_opener()
    intact = pdf(2) if form == "PDF" else noisy(form)
    assert judge(mail(parts=[part(intact)])).verdict is VerdictKind.ACCEPTED
    assert reason(judge(mail(parts=[part(intact[: len(intact) // 2])]))) == "bad_image"


def noisy(form: str) -> bytes:
    """A picture of noise, which no format can make small."""
    out = io.BytesIO()
    Image.frombytes("RGB", (256, 256), random.Random(7).randbytes(256 * 256 * 3)).save(out, form)
    return out.getvalue()


def test_names_in_other_alphabets() -> None:
    coded = part(picture()).replace(b'filename="sheet.jpg"', b"filename*=utf-8''Bl%C3%A4tter%2F1.jpg")
    encoded = part(picture(2)).replace(b'filename="sheet.jpg"', b'filename="=?utf-8?B?QmzDpHR0ZXIuanBn?="')
    pictures = read(mail(parts=[coded, encoded])).pictures
    assert [photograph.name for photograph in pictures] == ["1.jpg", "Blätter.jpg"]


def test_names_lose_their_folders() -> None:
    raw = mail(
        parts=[part(picture(), name="../../etc/passwd"), part(picture(2), name="C:\\\\x\\\\sheet.jpg")]
    )
    assert [photograph.name for photograph in read(raw).pictures] == ["passwd", "sheet.jpg"]


@pytest.mark.parametrize(("width", "height"), [(50_000, 50_000), (12_001, 10_000)])
def test_a_picture_that_would_unfold_to_too_many_pixels_is_refused_unopened(width: int, height: int) -> None:
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    bomb = (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 9000))
        + chunk(b"IEND", b"")
    )
    refused = read(mail(parts=[part(bomb, "image/png", "s.png")])).pictures[0]
    assert (refused.kind, refused.fate, refused.pages) == (PictureFormat.PNG, FileFate.UNOPENED, 0)


def test_other_kinds_of_file_are_no_photographs() -> None:
    # "RIFF" begins WebP and also WAVE, "ftyp" also films, "BM" also words.
    film = b"\0\0\0\x14ftypqt  \0\0\0\0qt  "
    for data in (film, b"BM" + b"a" * 60, b"PK\x03\x04", b"", b"RIFF\0\0\0\0WAVE", SUBJECT.encode()):
        assert format_of(data) is None


def test_a_still_picture_in_av1_is_told_from_one_in_hevc() -> None:
    # ISO 23008-12: both may name the common brand mif1, as the major one or as a compatible one.
    for brands in (b"avif\0\0\0\0avifmif1miaf", b"mif1\0\0\0\0mif1avifmiaf"):
        assert format_of(b"\0\0\0\x1cftyp" + brands) is PictureFormat.AVIF
    assert format_of(b"\0\0\0\x1cftypmif1\0\0\0\0mif1heicmiaf") is PictureFormat.HEIC
