"""Whether a PDF is for everyone (ISO 14289-1, PDF/UA-1), asked of `page`, a checker in Rust that shares
nothing with what writes our files. Its rules are those of the Matterhorn protocol that need no human."""

from __future__ import annotations

import io
import re
import zlib

import page
from fontTools.ttLib import TTFont


def pdf_ua_faults(data: bytes) -> list[str]:
    """What a PDF lacks of ISO 14289-1, a sentence each behind the rule's name."""
    report = page.validate_pdf_bytes(data, profile=page.ValidationProfile.PDF_UA_1)
    return [f"{failure.rule_id}: {failure.message}" for failure in report.failures]


def wrong_widths(data: bytes) -> list[str]:
    """Glyphs for which a font dictionary and the font file in the PDF name other widths (7.21.5), which our
    checker does not compare. Widths are thousandths of the size; one of them is rounding."""
    objects = _objects(data)
    faults = []
    for number, (words, _) in objects.items():
        if "/FontDescriptor" not in words or not (rows := re.search(r"/W ?\[(.*\])\]", words, re.DOTALL)):
            continue
        descriptor = objects[_reference("FontDescriptor", words)][0]
        key = "FontFile3" if "/FontFile3" in descriptor else "FontFile2"
        font = TTFont(io.BytesIO(objects[_reference(key, descriptor)][1]))
        part, names = 1000 / font["head"].unitsPerEm, font.getGlyphOrder()
        for first, row in re.findall(r"(\d+) ?\[([^\]]*)\]", rows[1]):
            for glyph, width in enumerate(row.split(), int(first)):
                if abs(part * font["hmtx"][names[glyph]][0] - float(width)) > 1:
                    faults.append(f"{names[glyph]} of font {number}: {width}")
    return faults


def _reference(key: str, words: str) -> int:
    return int((re.search(rf"/{key} (\d+) 0 R", words) or [0, 0])[1])


def _objects(data: bytes) -> dict[int, tuple[str, bytes]]:
    """The objects of a file by number: their words, and what their stream holds (ISO 32000-1, 7.5.7)."""
    objects = {}
    for stream in re.finditer(rb"(\d+) 0 obj\s*(<<.*?>>)\s*stream\r?\n", data, re.DOTALL):
        words = stream[2].decode("latin-1")
        content = data[stream.end():stream.end() + int((re.search(r"/Length (\d+)", words) or [0, 0])[1])]
        content = zlib.decompress(content) if "/FlateDecode" in words else content
        objects[int(stream[1])] = words, content
        if "/ObjStm" in words:
            start = int((re.search(r"/First (\d+)", words) or [0, 0])[1])
            numbers = [int(word) for word in content[:start].split()]
            ends = [*numbers[3::2], len(content) - start]
            for inner, begin, end in zip(numbers[::2], numbers[1::2], ends, strict=True):
                objects[inner] = content[start + begin:start + end].decode("latin-1"), b""
    return objects
