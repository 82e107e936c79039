"""The parts of `galloper bench desk`, apart from what measures them, so that the command line loads nothing
heavy."""

from __future__ import annotations

from enum import StrEnum


class DeskPart(StrEnum):
    """What may be measured by itself."""

    READING = "reading"
    KILLS = "kills"
    UNDO = "undo"
    PAINT = "paint"
