"""One file gets one answer by every door: mail, page for photographs, scan of a letter, command (ARR-01)."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial

import pytest
from PIL import Image

from ocr.image.formats import MOST_PAGES, PictureFormat, format_of, media_type
from ocr.image.open_image import open_images
from service.features.post.postal_mail import PostalMail
from service.games.refused import Refused
from service.intake.opening.sandbox import decode_photo
from service.intake.sheets.recognizer import ImageOpener
from service.mail.message import read_mail
from tests.support import odd_files as odd
from tests.support.mail_builder import locked_pdf, mail, part
from tests.support.opening import own_probe
from tests.support.table import Table


def pages(kind: str, count: int) -> bytes:
    frames = [odd.quarters(300, 240).rotate(90 * number) for number in range(count)]
    return odd.saved(frames[0], kind, save_all=True, append_images=frames[1:])


def jxl() -> bytes:
    import numpy as np

    encode = pytest.importorskip("pylibjxl", reason="JPEG XL has no package for this machine").encode
    return bytes(encode(np.asarray(odd.quarters(300, 240))))


FILES: dict[str, Callable[[], bytes]] = {
    **{kind: partial(odd.saved, odd.quarters(300, 240), kind)
       for kind in ("JPEG", "PNG", "HEIF", "AVIF", "WEBP", "GIF", "BMP", "TIFF")},
    "JXL": jxl,
    "PDF of three pages": lambda: odd.pdf(3),
    "PDF of too many": lambda: odd.pdf(MOST_PAGES + 1),
    "PDF with a password": locked_pdf,
    "TIFF of two pages": lambda: pages("TIFF", 2),
    "film as GIF": lambda: pages("GIF", 4),
    "film as WebP": lambda: pages("WEBP", 4),
    "film as PNG": lambda: pages("PNG", 4),
    "burst as HEIC": lambda: pages("HEIF", 4),
    "half a JPEG": lambda: odd.saved(odd.quarters(300, 240), "JPEG")[:900],
    "JPEG without its end": lambda: odd.saved(odd.quarters(300, 240), "JPEG")[:-2],
    "turned JPEG": lambda: odd.stored_turned(6),
    "panorama": lambda: odd.png_header(20_000, 10_000),
    "text": lambda: b"Army Derry to Isle of Man",
    "nothing": lambda: b"",
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_opens_alike_by_every_door(name: str, table: Table) -> None:
    data = FILES[name]()
    read = open_images(data)
    child = decode_photo(data)
    assert (child.reason, child.detail, child.kind, child.more) == (
        read.reason, read.detail, read.kind, read.more)
    sizes = []
    for page in child.pages:
        with Image.open(io.BytesIO(page)) as opened:
            sizes.append(opened.size)
    assert sizes == [(page.shape[1], page.shape[0]) for page in read.pages]
    mailed = read_mail(mail(parts=[part(data, "application/octet-stream", "sheet.jpg")]), own_probe())
    assert len(mailed.outcomes) == 1
    is_small = bool(sizes) and min(sizes[0]) < 200
    assert mailed.photos == (0 if is_small else len(sizes)), mailed.outcomes
    door = PostalMail(table.site.blobs, table.site.jobs, ImageOpener(), table.writer)
    if sizes:
        door.check([data])
    else:
        with pytest.raises(Refused, match="does not open as a picture or PDF"):
            door.check([data])


@pytest.mark.parametrize("kind", PictureFormat)
def test_every_format_has_a_media_type_and_is_known_by_its_bytes(kind: PictureFormat) -> None:
    data = {PictureFormat.HEIC: FILES["HEIF"], PictureFormat.PDF: FILES["PDF of three pages"]}.get(
        kind, FILES.get(kind.name, FILES["nothing"]))()
    assert format_of(data) is kind
    assert media_type(kind)[1] == kind.value
