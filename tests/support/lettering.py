"""Crops of one row in OpenCV's own lettering, and files with a fault, for tests of the networks and what is
laid over them."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

INK = (40, 40, 60)


def crop_of(text: str, *, struck: bool = False) -> npt.NDArray[np.uint8]:
    """A row in a script face, 420 pixels wide; `struck` with one stroke that is 250 long."""
    crop = np.full((48, 420, 3), 250, np.uint8)
    cv2.putText(crop, text, (12, 34), cv2.FONT_HERSHEY_SCRIPT_COMPLEX, 1.0, INK, 2, cv2.LINE_AA)
    if struck:
        cv2.line(crop, (8, 28), (260, 27), INK, 2, cv2.LINE_AA)
    return crop


def one_bit_off(file: Path, folder: Path) -> Path:
    """A copy under the same name in another folder, with one bit in its middle turned."""
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    other = folder / file.name
    other.write_bytes(data)
    return other
