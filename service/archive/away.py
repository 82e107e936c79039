"""Games whose rows a feature put elsewhere, out of the tables: which there are, and how they come back.

Code that needs all rows of a game calls this first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from service.feature import features
from service.store.blobs import Blobs
from service.store.engine import Store


@dataclass(frozen=True, slots=True)
class GamesAway:
    """A feature's statement about the games that it stores elsewhere.

    `games(session)`: all of them; `games_of(session, player_id)`: those with rows of a player.
    `bring_back(session, blobs, game_id, now)` has a game back in the caller's transaction, and is False if it
    is here; it raises a UserFacingError where the rows that come are not those that went.
    `old_files(session, games)`: the files that games came back from and that still lie there.
    """

    games: Callable[[Session], Sequence[str]]
    games_of: Callable[[Session, int], Sequence[str]]
    bring_back: Callable[[Session, Blobs, str, datetime], bool]
    old_files: Callable[[Session, Iterable[str]], set[str]]


def games_away(session: Session) -> list[str]:
    """The games that are away, by name."""
    return sorted(game for each in _all() for game in each.games(session))


def bring_back_here(session: Session, blobs: Blobs, game_id: str, now: datetime) -> bool:
    """Bring a game back in the caller's transaction; False if it is here. Raises UserFacingError."""
    return any(each.bring_back(session, blobs, game_id, now) for each in _all())


def bring_back(store: Store, blobs: Blobs, game_id: str, now: datetime) -> bool:
    """Bring a game back; False if it is here. Raises UserFacingError."""
    with store.begin() as session:
        return bring_back_here(session, blobs, game_id, now)


def bring_back_all_of(store: Store, blobs: Blobs, player_id: int, now: datetime) -> None:
    """Bring back every game with rows of a player. Raises UserFacingError."""
    with store() as session:
        games = [game for each in _all() for game in each.games_of(session, player_id)]
    for game in games:
        bring_back(store, blobs, game, now)


def old_files(session: Session, games: Iterable[str]) -> set[str]:
    """The files that games came back from and that still lie there."""
    wanted = list(games)
    return {key for each in _all() for key in each.old_files(session, wanted)}


def _all() -> Iterator[GamesAway]:
    return (away for feature in features() if (away := feature.away()) is not None)
