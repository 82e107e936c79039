"""The text fields of a PDF form, from untrusted bytes. It belongs into the limited child, as opening a
picture does."""

from __future__ import annotations

import ctypes
from typing import Any

from ocr.image.formats import MOST_PAGES
from ocr.image.sheet_form import MOST_FIELDS, MOST_LETTERS

_MOST_BYTES = 2 * (MOST_LETTERS + 1)
"""Room for a value in UTF-16, with its end."""


def form_fields(data: bytes) -> tuple[tuple[str, str], ...]:
    """Name and value of each text field, in the order of the pages; empty for a PDF without a form, and for
    what does not open as a PDF."""
    import pypdfium2  # here, since it loads a library that most photographs do not need

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError:
        return ()
    with document:
        if document.get_formtype() == pypdfium2.raw.FORMTYPE_NONE:
            return ()
        document.init_forms()
        fields: list[tuple[str, str]] = []
        for number in range(min(MOST_PAGES, len(document))):
            try:
                page = document[number]
            except pypdfium2.PdfiumError:
                continue
            fields += _fields_of(document.formenv.raw, page.raw, MOST_FIELDS - len(fields))
        return tuple(fields)


def _fields_of(form: Any, page: Any, most: int) -> list[tuple[str, str]]:
    from pypdfium2 import raw

    fields: list[tuple[str, str]] = []
    for index in range(min(raw.FPDFPage_GetAnnotCount(page), 10 * MOST_FIELDS)):
        if len(fields) >= most:
            break
        annotation = raw.FPDFPage_GetAnnot(page, index)
        try:
            is_text = raw.FPDFAnnot_GetFormFieldType(form, annotation) == raw.FPDF_FORMFIELD_TEXTFIELD
            if is_text:
                fields.append((_words(raw.FPDFAnnot_GetFormFieldName, form, annotation),
                               _words(raw.FPDFAnnot_GetFormFieldValue, form, annotation)))
        finally:
            raw.FPDFPage_CloseAnnot(annotation)
    return fields


def _words(ask: Any, form: Any, annotation: Any) -> str:
    """A name or value of a field; "" where it is longer than any of ours."""
    from pypdfium2 import raw

    size = ask(form, annotation, None, 0)
    if not 2 <= size <= _MOST_BYTES:
        return ""
    room = ctypes.create_string_buffer(size)
    ask(form, annotation, ctypes.cast(room, ctypes.POINTER(raw.FPDF_WCHAR)), size)
    return room.raw[: size - 2].decode("utf-16-le", "replace")
