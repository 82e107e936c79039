"""Performs an act for a page: in a transaction of its own, refused with a sentence and a status."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from fastapi import HTTPException

from service.games.acts.act import Act, Performed, perform
from service.games.acts.sheets import NotAtTheDesk, SheetSealed
from service.games.refused import NoReason, NotFound, Refused
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

Outcome = TypeVar("Outcome")
_STATUS: dict[type[Refused], int] = {NotFound: 404, NoReason: 400, SheetSealed: 403, NotAtTheDesk: 409}
"""The status of a refusal; of any other the one that the page gives."""


def performed(
    ports: DeskPorts, visitor: Visitor, act: Act[Outcome], refused: int = 409
) -> Performed[Outcome]:
    """The act, done. Raises an HTTP error with the sentence of a refusal, with status `refused` unless it has
    its own; then nothing was changed."""
    with ports.sessions.begin() as session:
        table = ports.act_table(session, visitor.name, visitor.coordinates)
        return or_refuse(lambda: perform(act, table), refused)


def or_refuse(act: Callable[[], Outcome], refused: int = 409) -> Outcome:
    """The act's result. Raises an HTTP error with the sentence of a refusal, so that the caller's transaction
    ends without a change."""
    try:
        return act()
    except Refused as fault:
        raise refusal(fault, refused) from fault


def refusal(fault: Refused, refused: int = 409) -> HTTPException:
    """A refusal as the answer of a page."""
    return HTTPException(_STATUS.get(type(fault), refused), str(fault))
