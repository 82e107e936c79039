"""More than twenty thousand hostile files, made from real ones, in the limited child: none hangs, none gets
past the limits, and whatever a decoder dies of, `decode_photo` gives a reason."""

from __future__ import annotations

import email
import email.policy
import json
import struct
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from ocr.page import UnreadableReason
from service.intake.opening.sandbox import Decoded, decode_photo
from service.mail.message import read_mail
from service.mail.mime.tnef import read_tnef
from tests.support import odd_files
from tests.support.mail_builder import mail, part
from tests.support.opening import own_probe

DATA = Path(__file__).parents[3] / "data"
COUNTS = {"jpeg": 4000, "png": 3600, "webp": 3400, "tiff": 3600, "heic": 2400, "pdf": 1600, "tnef": 3000}
AT_ONCE = 400
TRIED_AGAIN = 12
"""Odd files of each kind and end that are tried at the real door, which takes half a second for each."""


def write_seeds(folder: Path) -> None:
    """Files to begin with: photographs of sheets, made small so that thousands can be opened, in every
    format; the HEIC and the TNEF of the mail fixtures as they came."""
    for number, path in enumerate(sorted((DATA / "sheets").glob("*.jpg"))):
        with Image.open(path) as photograph:
            sheet = photograph.convert("RGB")
            sheet.thumbnail((260, 260))
        exif = Image.Exif()
        exif[0x0112] = 6
        for kind, options in (
            ("JPEG", {"exif": exif, "progressive": bool(number % 2)}),
            ("PNG", {}),
            ("WEBP", {}),
            ("TIFF", {"compression": ("tiff_lzw", "jpeg", "tiff_deflate", "raw")[number % 4]}),
            ("HEIF", {}),
        ):
            name = "heic" if kind == "HEIF" else kind.lower()
            (folder / f"{name}-{number}").write_bytes(odd_files.saved(sheet, kind, **options))
        (folder / f"pdf-{number}").write_bytes(_small_pdf(sheet))
    for number, name in enumerate(("s02-iphone-heic-inline.eml", "s03-outlook-winmail.eml")):
        message = email.message_from_bytes((DATA / "mail" / name).read_bytes(), policy=email.policy.default)
        for leaf in message.walk():
            data = leaf.get_payload(decode=True)
            if isinstance(data, bytes) and data[4:8] == b"ftyp":
                (folder / f"heic-mail-{number}").write_bytes(data)
            elif isinstance(data, bytes) and read_tnef(data):
                (folder / f"tnef-mail-{number}").write_bytes(data)
    assert {path.name.partition("-")[0] for path in folder.iterdir()} == set(COUNTS)


def _small_pdf(sheet: Image.Image) -> bytes:
    out = BytesIO()
    sheet.save(out, "PDF", resolution=200)
    with pypdfium2.PdfDocument(out.getvalue()) as document:
        assert len(document) == 1
    return out.getvalue()


def fuzz(folder: Path, kind: str, count: int, seed: int) -> Counter[str]:
    completed_process = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.support.processes.fuzz_child",
            kind,
            str(count),
            str(seed),
            str(folder),
        ],
        check=False,
        capture_output=True,
        cwd=DATA.parents[1],
        timeout=1200,
    )
    assert completed_process.returncode == 0, completed_process.stderr.decode()[-2000:]
    return Counter(json.loads(completed_process.stdout))


def at_the_real_door(path: Path) -> Decoded | None:
    """The statement of the product about a file on which a decoder died or ran out of something."""
    data = path.read_bytes()
    if path.name.startswith("tnef"):
        read_mail(mail("x", parts=[part(data, "application/ms-tnef", "winmail.dat")]), own_probe())
        return None
    return decode_photo(data)


def check(folder: Path, counts: dict[str, int]) -> Counter[str]:
    write_seeds(folder)
    batches = [
        (kind, min(AT_ONCE, count - start), start)
        for kind, count in counts.items()
        for start in range(0, count, AT_ONCE)
    ]
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda batch: (batch[0], fuzz(folder, *batch)), batches))
    ends: Counter[str] = Counter()
    for kind, batch in outcomes:
        ends += batch
        print(kind, dict(batch))
    assert sum(ends.values()) == sum(counts.values())
    assert ends["unforeseen"] == 0, sorted(path.name for path in (folder / "odd").glob("*unforeseen"))[:20]
    tried: Counter[str] = Counter()
    for path in sorted((folder / "odd").iterdir()):
        sort = path.name.partition("-")[0] + path.name.rpartition("-")[2]
        tried[sort] += 1
        if tried[sort] <= TRIED_AGAIN:
            answer = at_the_real_door(path)
            assert answer is None or answer.pages or answer.reason is not None, path.name
    return ends


def test_a_tiff_whose_second_page_is_damaged_is_named_damaged() -> None:
    # Found by the long run below: Pillow raises an exception of its own (here TypeError) when it counts the
    # pages of such a file.
    pages = [odd_files.quarters(), odd_files.quarters()]
    intact = odd_files.saved(pages[0], "TIFF", save_all=True, append_images=pages[1:])
    assert len(decode_photo(intact).pages) == 2
    damaged = bytearray(intact)
    first = struct.unpack_from("<I", intact, 4)[0]
    second = struct.unpack_from("<I", intact, first + 2 + 12 * struct.unpack_from("<H", intact, first)[0])[0]
    assert struct.unpack_from("<H", intact, second + 2)[0] in {254, 256}
    for entry in range(struct.unpack_from("<H", intact, second)[0]):
        # 256 is ImageWidth.
        if struct.unpack_from("<H", intact, second + 2 + 12 * entry)[0] == 256:
            struct.pack_into("<H", damaged, second + 2 + 12 * entry, 9999)
    assert decode_photo(bytes(damaged)).reason is UnreadableReason.TRUNCATED


@pytest.mark.slow
def test_a_few_hundred_hostile_files_are_opened_or_refused(tmp_path: Path) -> None:
    ends = check(tmp_path, dict.fromkeys(COUNTS, 30))
    # Mutants that fail at their first bytes would test nothing of the decoders.
    assert ends["opened"] > 20
    assert ends["refused"] > 20


@pytest.mark.slow
def test_more_than_twenty_thousand_hostile_files_are_opened_or_refused(tmp_path: Path) -> None:
    assert sum(COUNTS.values()) > 20_000
    ends = check(tmp_path, COUNTS)
    assert ends["opened"] > 2000
    assert ends["refused"] > 2000
