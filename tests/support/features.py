"""What of the program is a feature's, by the module in which it is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import typer

from service.cli import main
from service.feature import PACKAGE, features
from service.letters.facts import GameInfo, Recipient
from service.mail.sending.compose import OutLetter

IN_DOCUMENTS = {"map import": "importers", "map sketch": "sketch", "verify": "audit"}
"""Commands of features on pages of the documents that are not about the feature alone, and whose they are."""


def commands(command: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, object]]:
    """Every command below one, by its words."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield " ".join(path), command
    else:
        for name, sub in inner.items():
            yield from commands(sub, (*path, name))


def all_commands() -> dict[str, object]:
    """Every command of `galloper`, by its words."""
    return dict(commands(typer.main.get_command(main.app)))


def feature_of(command: object) -> str:
    """The feature that adds a command; "" for one of the core."""
    # Typer wraps the function, and keeps its name and module.
    module = str(getattr(getattr(command, "callback", None), "__module__", ""))
    return module.removeprefix(PACKAGE + ".").partition(".")[0] if module.startswith(PACKAGE + ".") else ""


def is_taken_out(words: Sequence[str]) -> bool:
    """Whether a command on a page of the documents, without `galloper`, is of a feature that is not there."""
    names = {each.name for each in features()}
    return any(f"{' '.join(words)} ".startswith(f"{command} ") and feature not in names
               for command, feature in IN_DOCUMENTS.items())


def commands_of(feature: str) -> set[str]:
    """The commands that a feature adds; those of the core for ""."""
    return {words for words, command in all_commands().items() if feature_of(command) == feature}


def letter_samples(game: GameInfo, to: Recipient, nasty: str) -> dict[str, OutLetter]:
    """A sample of each letter that features send, by `every_letter` of each `tests/features/<name>/
    letters_samples.py`; see `tests.support.letters_samples`."""
    samples: dict[str, OutLetter] = {}
    for feature in features():
        module = f"tests.features.{feature.name}.letters_samples"
        if find_spec(module) is not None:
            samples |= import_module(module).every_letter(game, to, nasty)
    return samples


def of_features(table: str) -> dict[str, Any]:
    """What features add to a table of a test that walks every route, page or act: `table` of each
    `tests/features/<name>/routes.py`."""
    rows: dict[str, Any] = {}
    for feature in features():
        module = f"tests.features.{feature.name}.routes"
        if find_spec(module) is not None:
            added = getattr(import_module(module), table, {})
            assert not rows.keys() & added.keys(), f"{module} has a key of another feature in {table}"
            rows |= added
    return rows
