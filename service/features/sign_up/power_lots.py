"""Sign-ups for a game that is to be, and how its powers are drawn (BEY-04): by lots that no one has to
believe. The digest of a seed is public from the offer's first day; with the seed and the list of preferences
anybody draws again with `sha256sum` (docs/how-to/fill-a-table.md).
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service import site_key
from service.games import lots
from service.games.refused import Refused
from service.store.digests import digest
from service.store.tables import OfferRow, SignUpRow

FIRST_LINE = "galloper lots of a new game 1"


@dataclass(frozen=True, slots=True)
class Seating:
    """How the powers went: the lines that each number is the digest of, the numbers of the sign-ups in the
    order in which they were drawn to choose, and the sign-up that got each power."""

    lines: tuple[str, ...]
    order: tuple[int, ...]
    seats: Mapping[str, int]


def seal(session: Session, offer_id: str) -> tuple[str, str]:
    """A nonce for a new offer, and the digest of the seed that is derived from it. Raises NoSiteKey."""
    nonce = secrets.token_hex(32)
    return nonce, digest(_seed(session, offer_id, nonce))


def lines_of(offer_id: str, seed: str, preferences: Mapping[int, Sequence[str]]) -> tuple[str, ...]:
    """The lines that each number is the digest of, without the count of the number, which is the last."""
    wishes = (f"{number}: {', '.join(preferences[number]) or '-'}" for number in sorted(preferences))
    return FIRST_LINE, offer_id, seed, *wishes


def draw_powers(
    lines: Sequence[str], preferences: Mapping[int, Sequence[str]], powers: Sequence[str]
) -> Seating:
    """Who plays which power. `preferences`: number of a sign-up to ids of powers, best first; at most as many
    as there are `powers`. Raises ValueError for more.

    The sign-ups are drawn one after the other. Each takes the best of its powers that is free; who has none
    left, or named none, draws among the free ones at the end, in the same order. Powers left over stay empty.
    """
    if len(preferences) > len(powers):
        raise ValueError("more sign-ups than powers")
    count = 0

    def drawn(among: Sequence[int] | Sequence[str]) -> int:
        nonlocal count
        count += 1
        return lots.number(lines, count) % len(among)

    left, order = sorted(preferences), []
    while left:
        order.append(left.pop(drawn(left)))
    free, seats, without = sorted(powers), {}, []
    for number in order:
        power = next((wish for wish in preferences[number] if wish in free), None)
        if power is None:
            without.append(number)
            continue
        free.remove(power)
        seats[power] = number
    for number in without:
        seats[free.pop(drawn(free))] = number
    return Seating(tuple(lines), tuple(order), seats)


def confirmed(session: Session, offer_id: str) -> list[SignUpRow]:
    """The people on the list, in the order in which their addresses were proved."""
    return list(session.scalars(select(SignUpRow).where(
        SignUpRow.offer_id == offer_id, SignUpRow.number.is_not(None)).order_by(SignUpRow.number)))


def confirm(session: Session, row: SignUpRow, now: datetime) -> bool:
    """Put a person whose address is proved on the list; False if they were on it."""
    if row.number is not None:
        return False
    highest = session.scalar(
        select(func.max(SignUpRow.number)).where(SignUpRow.offer_id == row.offer_id)) or 0
    drawn = (session.get_one(OfferRow, row.offer_id).drawn or {}).get("last", 0)
    row.number, row.confirmed_at = max(highest, drawn) + 1, now
    session.flush()
    return True


def draw(session: Session, offer: OfferRow, powers: Sequence[str], now: datetime) -> Seating:
    """Draw the powers of an offer among the first on its list, and open its seed. Raises Refused, and
    NoSiteKey."""
    if offer.drawn is not None:
        raise Refused("Nothing was changed: the powers of this game are drawn already.")
    rows = confirmed(session, offer.id)
    if not rows:
        raise Refused("Nothing was changed: the list is still empty.")
    seed = _seed(session, offer.id, offer.sealed)
    if digest(seed) != offer.commitment:
        raise Refused("Nothing was changed: the seed of this offer was made with another site key. Put the "
                      "right site.key next to the settings.")
    preferences = {row.number or 0: [str(wish) for wish in row.preferences] for row in rows[: len(powers)]}
    seating = draw_powers(lines_of(offer.id, seed, preferences), preferences, powers)
    offer.drawn = {"seed": seed, "lines": list(seating.lines), "order": list(seating.order),
                   "seats": dict(seating.seats), "last": rows[-1].number}
    offer.drawn_at = now
    session.flush()
    return seating


def _seed(session: Session, offer_id: str, nonce: str) -> str:
    return site_key.of_session(session).derive("seed of a new game", offer_id, nonce).hex()
