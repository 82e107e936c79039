"""The parts of `galloper bench desk`. Loads nothing heavy: the command line reads it at every start."""

from __future__ import annotations

from enum import StrEnum


class DeskPart(StrEnum):
    """What may be measured alone."""

    READING = "reading"
    KILLS = "kills"
    UNDO = "undo"
    PAINT = "paint"
