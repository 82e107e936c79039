"""The secret address of a player's own calendar feed, of all their games (CAL-16): made when it is first
shown, and anew when they ask. It says no more than each game's public page, but that they are all one
person's is nobody else's business.
"""

from __future__ import annotations

from collections.abc import Callable
from secrets import token_urlsafe

from service.store.tables import PlayerRow

BYTES = 24
"""Of chance in an address: 192 bits cannot be guessed."""


def path_of(player: PlayerRow, secret: Callable[[int], str] = token_urlsafe) -> str:
    """The path of a player's feed on this site. A player without one gets it, in the caller's transaction."""
    if player.feed is None:
        player.feed = secret(BYTES)
    return f"/public/calendar/{player.feed}.ics"


def renew(player: PlayerRow, secret: Callable[[int], str] = token_urlsafe) -> None:
    """Another address, so that the one before opens nothing any more."""
    player.feed = secret(BYTES)
