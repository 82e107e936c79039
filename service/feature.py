"""What a feature is: a part of the program that can be taken out by deleting its folder (`service.features`).

The core imports no feature. It loops over `features()` at the few places where a feature adds something, and
each field of `Feature` is one such place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Protocol

import templates

if TYPE_CHECKING:  # `galloper --help` loads no web framework
    from typing import TextIO

    import typer
    from fastapi import APIRouter, FastAPI
    from sqlalchemy.orm import Session

    from ocr.engines.hand import Hand
    from service.bootstrap import Site
    from service.config import Settings
    from service.games.acts.act import ActTable
    from service.letters.kinds import AnyKind
    from service.operations.health import Check

PACKAGE = "service.features"
TEMPLATES = Path(templates.__file__).parent / "features"
"""A folder of templates for each feature; their names begin with the feature's."""


@dataclass(frozen=True, slots=True)
class CommandGroups:
    """The commands of the program, for a feature to add its own: those of `galloper` itself, and those of
    `galloper game`, `map`, `player` and `user`."""

    program: typer.Typer
    games: typer.Typer
    maps: typer.Typer
    players: typer.Typer
    users: typer.Typer


class GameExporter(Protocol):
    """Writes a game of a site into a new file, in the format of another program."""

    def __call__(
        self, folder: Path, game: str, output: Path, form: str, out: TextIO, *, lossy: bool, as_json: bool,
        quiet: bool,
    ) -> int:
        """Exit status. Raises a UserFacingError for what the format cannot hold, unless `lossy` leaves it
        out."""
        ...


class Slot(StrEnum):
    """A place on a page of the core that features may fill, each with a template of its own. The template has
    the values of the page.

    GAME_PLAYERS: list items among the links for players on a game's public page (`game`, `is_over`).
    END: list items among the links on the page about a game's end (`game`).
    GAMES: buttons of the desk's page Games, for coordinators of the site.
    PHASE: links among those of a phase at the desk (`phase`).
    BEFORE_SENDING: sentences where judged results wait to be sent (`phase`). JUDGED: buttons there, and where
    the last line of a judged phase was read (`phase`).
    LETTERS: above the list of a game's letters at the desk (`game`, `powers`, `power`).
    LETTER_TITLE: the title of one of them, in place of the bare one (`game`, `kind`, `power`). LETTER: a
    button beside it, and where it is shown (`game`, `kind`).
    """

    GAME_PLAYERS = "game, for its players"
    END = "end of a game"
    GAMES = "games"
    PHASE = "phase, at the desk"
    BEFORE_SENDING = "before results are sent"
    JUDGED = "judged results"
    LETTERS = "letters of a game, at the desk"
    LETTER_TITLE = "title of a letter"
    LETTER = "letter of a game, at the desk"


@dataclass(frozen=True, slots=True)
class Interval:
    """What a running site does now and then: `body` is called `seconds` after its last call ended, in one
    process of the site at a time if `leader_only`."""

    name: str
    seconds: float
    body: Callable[[], object]
    leader_only: bool = False


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of work of the queue: `step` is called with the payload. `failed`, with the payload and the
    fault, once it failed three times; without it, an event tells the coordinator."""

    name: str
    step: Callable[[Mapping[str, Any]], None]
    failed: Callable[[Mapping[str, Any], str], None] | None = None


def _nothing_to_renew(_settings: Settings) -> None:
    return None


def _nothing_to_stop() -> None:
    return None


def _nothing_after(_session: Session, _phase_id: int) -> None:
    return None


def _no_hand(_session: Session, _player_id: int) -> Hand | None:
    return None


@dataclass(frozen=True, slots=True)
class FeatureWork:
    """What a feature does on a site.

    `intervals`: what it does now and then; `jobs`: its kinds of work in the queue. `after_approval(session,
    phase_id)` is called once the letters of results are in the outbox, in a transaction of its own; it may be
    called twice. `hand_of(session, player_id)`: with whose hand the reader reads a player's sheets, None for
    everybody's. `renew` takes over settings that were changed while the site runs; `stop` ends what
    `intervals` left running.
    """

    intervals: Sequence[Interval] = ()
    jobs: Sequence[JobKind] = ()
    after_approval: Callable[[Session, int], None] = _nothing_after
    hand_of: Callable[[Session, int], Hand | None] = _no_hand
    renew: Callable[[Settings], None] = _nothing_to_renew
    stop: Callable[[], None] = _nothing_to_stop


def _no_work(_site: Site) -> FeatureWork:
    return FeatureWork()


def _no_checks() -> Sequence[Check]:
    return ()


def _no_letter_kinds() -> Sequence[AnyKind]:
    return ()


def _no_mounts(_app: FastAPI) -> Mapping[str, FastAPI]:
    return {}


def _no_routers() -> Sequence[APIRouter]:
    return ()


def _keeps_nothing(_table: ActTable, _player_id: int) -> None:
    return None


def _no_commands(_groups: CommandGroups) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Feature:
    """What a feature adds to the program. `name`: the name of its folder.

    `add_commands` adds its commands. `exporters`: the formats in which `galloper game export --format` writes
    a game. `routers`: its pages; they are tried before those of the core. `mounts`: applications of its own
    below the one given, by their addresses. `slots`: by places on pages of the core, the template below
    `templates/features` that fills them. `work`: what it does on an open site. `checks`: its checks among
    those of the page Health. `letter_kinds`: the kinds of letters that it sends. `forget_player(table,
    player_id)` deletes what it keeps of a player, in the transaction in which the site forgets them.
    """

    name: str
    add_commands: Callable[[CommandGroups], None] = _no_commands
    exporters: Mapping[str, GameExporter] = field(default_factory=dict)
    routers: Callable[[], Sequence[APIRouter]] = _no_routers
    mounts: Callable[[FastAPI], Mapping[str, FastAPI]] = _no_mounts
    slots: Mapping[Slot, str] = field(default_factory=dict)
    work: Callable[[Site], FeatureWork] = _no_work
    checks: Callable[[], Sequence[Check]] = _no_checks
    letter_kinds: Callable[[], Sequence[AnyKind]] = _no_letter_kinds
    forget_player: Callable[[ActTable, int], None] = _keeps_nothing


@cache
def features() -> tuple[Feature, ...]:
    """Every feature whose folder is there, by name."""
    return tuple(_registered())


def _registered() -> Iterator[Feature]:
    package = import_module(PACKAGE)
    for name in sorted(module.name for module in iter_modules(package.__path__) if module.ispkg):
        feature = import_module(f"{PACKAGE}.{name}").FEATURE
        if not isinstance(feature, Feature) or feature.name != name:
            raise TypeError(f"{PACKAGE}.{name}.FEATURE is no Feature of the name {name}")
        yield feature


def templates_in(slot: str) -> list[str]:
    """The templates of the features that fill a place on a page. Raises ValueError for an unknown place."""
    return [feature.slots[Slot(slot)] for feature in features() if Slot(slot) in feature.slots]


def template_folders(name: str) -> list[Path]:
    """The folders of features' templates with this name below them, such as "static"."""
    folders = (TEMPLATES / feature.name / name for feature in features())
    return [folder for folder in folders if folder.is_dir()]
