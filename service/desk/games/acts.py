"""The form of a new game, as it is typed: its faults, and the game that it begins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy.orm import Session

import maps
from maps.variant import Variant
from service.config import ConfigError
from service.facts.options import THRESHOLDS, YES_OR_NO, GameOptions, ReviewMode
from service.games import create
from service.games.acts.act import ActTable, perform
from service.games.acts.games import BeginGame
from service.games.create import GameSeat, NewGame
from service.games.refused import Refused
from service.store.addresses import is_address


def threshold_choice(score: float | None) -> str:
    """The option `auto_score` as a form has it."""
    return "" if score is None else f"{score:g}"


THRESHOLD_CHOICES: dict[str, str] = {threshold_choice(score): words for score, words in THRESHOLDS.items()}
"""How sure the machine must be to accept a line automatically: the form's values with their words. A game
cannot go below the site's own setting."""


@dataclass(frozen=True, slots=True)
class NewGameForm:
    """A new game as typed into the form, so that the form can be shown again next to its faults."""

    name: str = ""
    start: str = ""
    variant: str = ""
    zone: str = "Europe/London"
    players: Mapping[str, tuple[str, str]] | None = None
    options: frozenset[str] = frozenset()
    languages: tuple[str, ...] = ()
    review: str = ReviewMode.NONE
    threshold: str = ""


def begin(session: Session, form: NewGameForm, own_address: str, by: str, now: datetime) -> str:
    """Create a game with its first phase open and the rest of its year waiting; returns its id. Raises
    Refused with every fault."""
    variant = maps.load(form.variant)
    new, faults = _game(form, variant, own_address)
    if faults or new is None:
        raise Refused("No game was created. " + " ".join(faults))
    try:
        perform(BeginGame(new, variant), ActTable(session, by, now))
    except ConfigError as fault:
        raise Refused(f"No game was created: {fault}.") from fault
    return new.slug


def _game(form: NewGameForm, variant: Variant, own_address: str) -> tuple[NewGame | None, list[str]]:
    faults = []
    if not form.name.strip() or len(form.name) > 200:
        faults.append("The game needs a name of at most 200 letters.")
    try:
        start = date.fromisoformat(form.start)
    except ValueError:
        faults.append("The first day is written like 2027-03-01.")
        start = date.min
    if not create.known_zone(form.zone):
        faults.append(f"The time zone {form.zone!r} is unknown; write it like Europe/London.")
    seats = []
    for power in variant.powers.values():
        name, mail = (form.players or {}).get(power.id, ("", ""))
        # Addresses are compared with a mail's sender in lower case.
        addresses = tuple(address.lower() for address in mail.replace(",", " ").split())
        if not name.strip():
            faults.append(f"{power.name} has no player.")
        if not addresses:
            faults.append(f"{power.name} has no mail address.")
        seats.append(GameSeat(power.id, name.strip(), form.zone, addresses))
    faults += _address_faults(seats, own_address)
    if form.review not in set(ReviewMode) or form.threshold not in THRESHOLD_CHOICES:
        faults.append("Choose how lines are read.")
    if faults:
        return None, faults
    return NewGame(form.name.strip(), variant.slug, start, seats, (), _options(form)), []


def _options(form: NewGameForm) -> GameOptions:
    options: dict[str, Any] = dict.fromkeys(sorted(form.options & YES_OR_NO.keys()), True)
    options |= {"order_languages": form.languages} if form.languages else {}
    options |= {"review": form.review} if form.review != ReviewMode.NONE else {}
    options |= {"auto_score": float(form.threshold)} if form.threshold else {}
    return GameOptions(**options)


def _address_faults(seats: Sequence[GameSeat], own_address: str) -> Iterable[str]:
    owner: dict[str, str] = {}
    for seat in seats:
        for mail in seat.mail:
            if not is_address(mail):
                yield f"{mail!r} is not a mail address."
            elif mail == own_address.lower():
                yield f"{mail} is this site's own address."
            # A mail is routed by its sender, so one address cannot belong to two players.
            elif owner.setdefault(mail, seat.player) != seat.player:
                yield f"{mail} is given to both {owner[mail]} and {seat.player}."
