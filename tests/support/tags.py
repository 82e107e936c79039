"""What a screen reader finds in a PDF: its tags with their words (ISO 32000-1, 14.7), read by pdfium, which
did not write them."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pypdfium2
from pypdfium2 import raw


@dataclass(frozen=True, slots=True)
class Tags:
    """`is_tagged`: whether the file says so; how often each tag is in it, and the alternate text of each
    figure. `language` and `title`: of the whole file."""

    is_tagged: bool
    counts: Counter[str]
    alternates: tuple[str, ...]
    language: str = ""
    title: str = ""


def tags_of(data: bytes) -> Tags:
    """The tags of every page of a PDF."""
    counts: Counter[str] = Counter()
    alternates: list[str] = []
    document = pypdfium2.PdfDocument(data)

    def walk(element: Any) -> None:
        tag = _words(raw.FPDF_StructElement_GetType, element)
        counts[tag] += 1
        if tag == "Figure":
            alternates.append(_words(raw.FPDF_StructElement_GetAltText, element))
        for index in range(raw.FPDF_StructElement_CountChildren(element)):
            child = raw.FPDF_StructElement_GetChildAtIndex(element, index)
            if child:
                walk(child)

    for page in document:
        tree = raw.FPDF_StructTree_GetForPage(page.raw)
        for index in range(raw.FPDF_StructTree_CountChildren(tree)):
            walk(raw.FPDF_StructTree_GetChildAtIndex(tree, index))
        raw.FPDF_StructTree_Close(tree)
    tagged = bool(raw.FPDFCatalog_IsTagged(document.raw))
    title, language = document.get_metadata_value("Title"), _words(_language, document.raw)
    document.close()
    return Tags(tagged, counts, tuple(alternates), language, title)


def _language(document: Any, room: Any, size: int) -> int:
    return int(raw.FPDFCatalog_GetLanguage(document, ctypes.cast(room, ctypes.POINTER(raw.FPDF_WCHAR)), size))


def _words(ask: Callable[..., int], thing: Any) -> str:
    size = ask(thing, None, 0)
    if size < 2:
        return ""
    room = ctypes.create_string_buffer(size)
    ask(thing, room, size)
    return room.raw[: size - 2].decode("utf-16-le")
