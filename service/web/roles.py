"""What each role may do at the desk: a coordinator everything, a second reader reads lines only, an operator
keeps the site running and sees no sheet. Each stands for the whole site, or a person has a role in single
games."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class SubjectKind(StrEnum):
    """What an address of the desk is about, by the name of its parameter."""

    GAME = "game_id"
    PHASE = "phase_id"
    SHEET = "submission_id"
    PAGE = "page_id"
    LINE = "line_id"
    LETTER = "letter_id"
    MAIL = "sha256"
    PLAYER = "player_id"
    POSTED = "posted_id"


@dataclass(frozen=True, slots=True)
class Subject:
    """What an address is about: a game's id, or the number or digest of something that belongs to games."""

    kind: SubjectKind
    key: str


_DIGEST = re.compile(r"[0-9a-f]{64}")


def subject_of(parameters: Mapping[str, Any]) -> Subject | None:
    """What an address is about, by the first of its parameters that names something; None for an address that
    names nothing of one game."""
    named = next((name for name in parameters if name in set(SubjectKind)), None)
    if named is None:
        return None
    kind, key = SubjectKind(named), str(parameters[named])
    if kind is SubjectKind.GAME:
        return Subject(kind, key)
    if kind is SubjectKind.MAIL:
        return Subject(kind, key) if _DIGEST.fullmatch(key) else None
    # "+1", "1_0" and digits of other scripts are numbers to some readers and not to others.
    return Subject(kind, key) if key.isascii() and key.isdigit() and len(key) < 19 else None
