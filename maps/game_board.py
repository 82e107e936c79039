"""A board of ours as the formats of other programs take it."""

from __future__ import annotations

from adjudicator.formats.game_log import GameBoard
from maps.variant import Variant


def game_board(variant: Variant) -> GameBoard:
    """The board with its rules and every spelling of its regions."""
    return GameBoard(
        variant.slug, variant.context(), variant.rules, {row.text: row.region for row in variant.names}
    )
