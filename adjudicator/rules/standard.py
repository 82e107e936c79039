"""The classic game: the shared rules, without an override."""

from __future__ import annotations

from dataclasses import dataclass

from adjudicator.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Standard(Ruleset):
    """Rules of the classic board, with the choices of DATC 3.2."""


RULES = Standard
