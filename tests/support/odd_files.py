"""Images and files that tests make for themselves; nothing here comes from the code under test."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO

import numpy as np
import numpy.typing as npt
import pillow_heif
from PIL import Image as Pillow

RED, GREEN, BLUE, WHITE = (200, 30, 30), (30, 160, 30), (30, 30, 200), (240, 240, 240)


def quarters(width: int = 96, height: int = 64) -> Pillow.Image:
    """Four colours: red top left, green top right, blue bottom left, white bottom right."""
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[: height // 2, : width // 2] = RED
    pixels[: height // 2, width // 2 :] = GREEN
    pixels[height // 2 :, : width // 2] = BLUE
    pixels[height // 2 :, width // 2 :] = WHITE
    return Pillow.fromarray(pixels)


def corners(pixels: npt.NDArray[np.uint8]) -> list[str]:
    """The colours of the four quarters: top left, top right, bottom left, bottom right."""
    high, wide = pixels.shape[:2]
    names = {"red": RED, "green": GREEN, "blue": BLUE, "white": WHITE}
    names_of_corners = []
    for y in (high // 4, 3 * high // 4):
        for x in (wide // 4, 3 * wide // 4):
            pixel = pixels[y, x].astype(int)
            names_of_corners.append(min(names, key=lambda name: int(np.abs(pixel - names[name]).sum())))
    return names_of_corners


UPRIGHT = ["red", "green", "blue", "white"]


def saved(image: Pillow.Image, kind: str, **options: object) -> bytes:
    """An image as the bytes of a file."""
    pillow_heif.register_heif_opener()
    out = BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def stored_turned(orientation: int) -> bytes:
    """A JPEG that shows `quarters` once its EXIF orientation is heeded."""
    # The pixels are stored so that orientation 1..8 makes `quarters` of them (CIPA DC-008).
    stored = {
        1: None,
        2: Pillow.Transpose.FLIP_LEFT_RIGHT,
        3: Pillow.Transpose.ROTATE_180,
        4: Pillow.Transpose.FLIP_TOP_BOTTOM,
        5: Pillow.Transpose.TRANSPOSE,
        6: Pillow.Transpose.ROTATE_90,
        7: Pillow.Transpose.TRANSVERSE,
        8: Pillow.Transpose.ROTATE_270,
    }[orientation]
    image = quarters()
    return with_orientation(image if stored is None else image.transpose(stored), orientation)


def with_orientation(image: Pillow.Image, value: int) -> bytes:
    """A JPEG with that number in its EXIF orientation tag, valid or not, and a GPS position."""
    exif = Pillow.Exif()
    # 0x0112 is the orientation and 0x8825 the directory of GPS tags (Exif 2.32).
    exif[0x0112] = value
    exif.get_ifd(0x8825)[1] = "N"
    return saved(image, "JPEG", quality=95, exif=exif)


def png(head: bytes, rows: bytes) -> bytes:
    """A PNG of an IHDR and of rows, each behind its filter byte."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def png_header(width: int, height: int) -> bytes:
    """A PNG that promises that many pixels."""
    # It holds a few bytes of them: a decompression bomb's header.
    return png(struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0), bytes(10_000))


def pdf(pages: int) -> bytes:
    """A PDF of `pages` pages, page k with k black squares on white, written by hand from ISO 32000-1."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{3 + 2 * k} 0 R" for k in range(pages))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>".encode())
    for k in range(pages):
        squares = " ".join(f"{20 + 40 * n} 40 20 20 re" for n in range(k + 1)) + " f"
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents {4 + 2 * k} 0 R >>"
        objects.append(page.encode())
        objects.append(f"<< /Length {len(squares)} >>\nstream\n{squares}\nendstream".encode())
    return _pdf_file(objects, "")


def locked_pdf() -> bytes:
    """A PDF encrypted with an unknown user password."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>",
        # Its /U does not fit the empty password.
        b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <" + b"ab" * 32 + b"> /U <" + b"cd" * 32 + b"> >>",
    ]
    return _pdf_file(objects, "/Encrypt 4 0 R /ID [<00112233> <00112233>]")


def _pdf_file(objects: list[bytes], trailer: str) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    out += (
        f"trailer << /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    )
    return bytes(out)
