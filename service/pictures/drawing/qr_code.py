"""QR codes as we draw them."""

from __future__ import annotations

from service.pictures.drawing.render import RenderError


def qr_modules(text: str) -> list[list[bool]]:
    """The modules of a QR code, black is True, without its quiet zone: of level Q, so that a quarter may be
    hidden or spoilt (ISO/IEC 18004, 6.5.1). Raises RenderError for a text that no
    code holds."""
    # Imported here: a worker that only sends mail rarely draws a sheet.
    import cv2

    settings = cv2.QRCodeEncoder.Params()
    settings.mode = cv2.QRCodeEncoder_MODE_ALPHANUMERIC
    settings.correction_level = cv2.QRCodeEncoder_CORRECT_LEVEL_Q
    try:
        drawn = cv2.QRCodeEncoder.create(settings).encode(text)
    except cv2.error as error:
        raise RenderError("a sheet's code is too long for a QR code") from error
    rows, columns = (drawn == 0).nonzero()
    black = drawn[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1] == 0
    return [[bool(module) for module in row] for row in black]
