"""The order sheet's form, filled in with a keyboard."""

from __future__ import annotations

import ctypes
import io
from collections.abc import Sequence

import pypdfium2
from pypdfium2 import raw


def filled_in(form: bytes, orders: Sequence[str], version: int = 1) -> bytes:
    """The form with an order in each field."""
    return typed_into(form, {"galloper-version": str(version)} | {
        f"galloper-order-{number:02}": order for number, order in enumerate(orders, start=1)})


def typed_into(form: bytes, values: dict[str, str]) -> bytes:
    """The form as a program for PDF saves it once a person has typed into it."""
    document = pypdfium2.PdfDocument(form)
    document.init_forms()
    for page in document:
        for index in range(raw.FPDFPage_GetAnnotCount(page.raw)):
            annotation = raw.FPDFPage_GetAnnot(page.raw, index)
            room = ctypes.create_string_buffer(200)
            size = raw.FPDFAnnot_GetFormFieldName(
                document.formenv.raw, annotation, ctypes.cast(room, ctypes.POINTER(raw.FPDF_WCHAR)), 200)
            name = room.raw[: max(0, size - 2)].decode("utf-16-le")
            if name in values:
                words = ctypes.create_string_buffer((values[name] + "\0").encode("utf-16-le"))
                raw.FPDFAnnot_SetStringValue(
                    annotation, b"V", ctypes.cast(words, ctypes.POINTER(raw.FPDF_WCHAR)))
            raw.FPDFPage_CloseAnnot(annotation)
    out = io.BytesIO()
    document.save(out)
    document.close()
    return out.getvalue()
