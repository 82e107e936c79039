"""The options in a game's row, read with their types and written with their checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from adjudicator.errors import UserFacingError
from service.config import plain_faults
from service.facts.options import SETTLED, YES_OR_NO, GameOptions, StoredOptions, stored_form
from service.store.tables import GameRow

_Options = TypeVar("_Options", bound=GameOptions)
_WORDS_OF_YES: Mapping[str, bool] = {"yes": True, "no": False}


class OptionFault(UserFacingError, ValueError):
    """Options that no game can have; the sentence names each."""


_FRACTIONS = frozenset({"auto_score", "rehearsal_hours"})
"""Options whose numbers need not be whole."""


def _checked(model: type[_Options], values: Mapping[str, Any]) -> _Options:
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        faults = [f"options.{name}: {words}" for name, words in plain_faults(error, model)]
        raise OptionFault("; ".join(faults)) from error


def stored_options(values: Mapping[str, Any]) -> StoredOptions:
    """The options of a row. Raises OptionFault."""
    return _checked(StoredOptions, values)


def recorded_options(values: Mapping[str, Any]) -> StoredOptions:
    """The options of an entry in a game's record. Raises OptionFault."""
    # A record has numbers that are not whole as text (`service.store.digests.plain`).
    return stored_options({name: _number(value) if name in _FRACTIONS and isinstance(value, str) else value
                           for name, value in values.items()})


def options_of(game: GameRow) -> StoredOptions:
    """The options of a game. Raises OptionFault naming the game."""
    try:
        return stored_options(game.options)
    except OptionFault as fault:
        raise OptionFault(f"The game {game.id} has options that cannot be used: {fault}.") from fault


def with_options(game: GameRow, **changes: Any) -> dict[str, Any]:
    """The options of a game for its row with some of them changed; those that are None go. Raises
    OptionFault."""
    # A new dict: SQLAlchemy does not notice a change inside a JSON value.
    stored = stored_form(stored_options(
        {name: value for name, value in changes.items() if value is not None}))
    options = {**game.options, **stored}
    return {name: value for name, value in options.items() if name in stored or name not in changes}


def option_from_text(name: str, text: str) -> object:
    """The value of an option as a person writes it in a form or a command: yes or no, a number, a word. Empty
    text is None, the option's default. Raises OptionFault, also where no act changes the option."""
    if name not in GameOptions.model_fields or name in SETTLED:
        # The model has the sentence, with the nearest name.
        _checked(GameOptions, {} if name in GameOptions.model_fields else {name: text})
        raise OptionFault(f"options.{name}: it is fixed when the game begins")
    value: object = text
    if name in YES_OR_NO:
        if text not in _WORDS_OF_YES:
            raise OptionFault(f"options.{name}: write yes or no")
        value = _WORDS_OF_YES[text]
    elif name == "auto_score":
        value = _number(text)
    return getattr(_checked(GameOptions, {name: value}), name) if text else None


def _number(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        # Not a number: the model has the sentence.
        return text
