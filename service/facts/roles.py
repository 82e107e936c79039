"""The roles of people who sign in at the desk."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """A coordinator does everything; a second reader reads lines only; an operator keeps the site running and
    sees no sheet. BY_GAME: a person who has a role in single games alone."""

    COORDINATOR = "coordinator"
    SECOND_READER = "second reader"
    OPERATOR = "operator"
    BY_GAME = "by game"


GAME_ROLES = (Role.COORDINATOR, Role.SECOND_READER)
"""The roles that a person may have in one game."""
