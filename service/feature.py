"""A feature: a part of the program that can be taken out by deleting its folder (`service.features`).

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
    from datetime import datetime
    from typing import TextIO

    import typer
    from fastapi import APIRouter, FastAPI, Request
    from sqlalchemy.orm import Session

    from adjudicator.outcome import Resolution
    from maps.variant import Variant
    from ocr.engines.hand import Hand
    from service.archive.away import GamesAway
    from service.bootstrap import Site
    from service.config import Settings
    from service.facts.inbox import InboxEntry
    from service.games.acts.act import ActTable
    from service.games.acts.seats import Candidate
    from service.games.create import NewGame
    from service.intake.mail_handlers import MailHandler
    from service.letters.facts import ResultsPart
    from service.letters.kinds import AnyKind
    from service.notices.letter_context import LetterContext
    from service.operations.findings import Finding
    from service.operations.health import Check
    from service.store.tables import PhaseRow

PACKAGE = "service.features"
TEMPLATES = Path(templates.__file__).parent / "features"
"""A folder of templates for each feature; their names begin with the feature's."""


@dataclass(frozen=True, slots=True)
class CommandGroups:
    """The commands of the program, for a feature to add its own: those of `galloper` itself, and those of
    `galloper game`, `map`, `player` and `user`.

    `new_game(way)` adds the keyword parameters of `way` to the options of `galloper game new`; called with
    them, it returns what becomes of the game of the file.
    """

    program: typer.Typer
    games: typer.Typer
    maps: typer.Typer
    players: typer.Typer
    users: typer.Typer
    new_game: Callable[[Callable[..., GameChange]], None]


class GameChange(Protocol):
    """The game of a file as it would be created now, on the site of a folder."""

    def __call__(self, new: NewGame, now: datetime, folder: Path) -> tuple[NewGame, str]:
        """The game to create, and what is printed about it below the other words; "" for nothing."""
        ...


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
    """A place on a page or in a letter of the core that features may fill, each with its own template.
    The template has the values of the page or letter.

    GAME_PLAYERS: list items among the links for players on a game's public page (`game`, `options`,
    `is_over`).
    END: list items among the links on the page about a game's end (`game`).
    PAPER_TO_SETTLE: the way to settle a sheet, mail or letter that keeps results from leaving (`paper`, with
    its `kind`).
    ENTRY: a section of a player's own entry (`me`, `player`, `played`, `games`).
    QUARANTINED_MAIL: sections on the desk's page of a mail in quarantine (`mail`, `verdict`, `sealed`).
    SEATS: below the players on the desk's page of a game (`game`, `seats`).
    HEALTH: sections of the page Health.
    GAMES: buttons of the desk's page Games, for coordinators of the site.
    INBOX: below the desk's inbox (`show`, the kind that is shown, or "" for all).
    RESULTS: below the holdings in letters of results that end a season (`added`: what `results_part` of each
    feature gave, in the reader's language).
    PHASE: links among those of a phase at the desk (`phase`).
    BEFORE_SENDING: sentences where judged results wait to be sent (`phase`). JUDGED: buttons there, and where
    the last line of a judged phase was read (`phase`).
    LETTERS: above the list of a game's letters at the desk (`game`, `powers`, `power`).
    SIGN_IN: below the form of the page for signing in (`to` and `unsent_form`, which the next page needs).
    SECOND_FACTOR: the field `code` in that form, once `second_factor` of a feature wanted one.
    ACCOUNT: below the sessions on a signed-in person's own page (`visitor`, `rows`).
    LETTER_TITLE: the title of one of them, in place of the bare one (`game`, `kind`, `power`). LETTER: a
    button next to it, and where it is shown (`game`, `kind`).
    """

    GAME_PLAYERS = "game, for its players"
    END = "end of a game"
    ENTRY = "a player's entry"
    QUARANTINED_MAIL = "mail in quarantine"
    SEATS = "players of a game, at the desk"
    HEALTH = "health"
    GAMES = "games"
    INBOX = "inbox"
    PAPER_TO_SETTLE = "paper to settle"
    RESULTS = "letter of results"
    PHASE = "phase, at the desk"
    BEFORE_SENDING = "before results are sent"
    JUDGED = "judged results"
    SIGN_IN = "signing in"
    SECOND_FACTOR = "code beside the password"
    ACCOUNT = "account"
    LETTERS = "letters of a game, at the desk"
    LETTER_TITLE = "title of a letter"
    LETTER = "letter of a game, at the desk"


@dataclass(frozen=True, slots=True)
class FactorCheck:
    """Whether a person whose password was right may come in, and the sentence for them if not."""

    passes: bool
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Interval:
    """Periodic work of a running site: `body` is called `seconds` after its last call ended, in one
    process of the site at a time if `leader_only`."""

    name: str
    seconds: float
    body: Callable[[], object]
    leader_only: bool = False


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of work of the queue: `step` is called with the payload. `failed`, with the payload and the
    fault, once it failed three times; without it, an event shows the coordinator."""

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
    """The work of a feature on a site.

    `intervals`: what it does now and then; `jobs`: its kinds of work in the queue. `guards` are called before
    each page, with its request, and may raise an HTTPException. `doors`: what its pages find by their class
    (`DeskPorts.door`). `after_approval(session, phase_id)` is called
    once the letters of results are in the outbox, in its own transaction; it may be called twice.
    `hand_of(session, player_id)`: with whose hand the reader reads a player's sheets, None for everybody's.
    `renew` takes over settings that were changed while the site runs; `stop` ends what `intervals` left
    running.
    """

    intervals: Sequence[Interval] = ()
    jobs: Sequence[JobKind] = ()
    guards: Sequence[Callable[[Request], None]] = ()
    doors: Sequence[object] = ()
    after_approval: Callable[[Session, int], None] = _nothing_after
    hand_of: Callable[[Session, int], Hand | None] = _no_hand
    renew: Callable[[Settings], None] = _nothing_to_renew
    stop: Callable[[], None] = _nothing_to_stop


def _no_work(_site: Site) -> FeatureWork:
    return FeatureWork()


def _no_checks() -> Sequence[Check]:
    return ()


class SiteTest(Protocol):
    """A test of `galloper check`, which sends and changes nothing."""

    def __call__(self, settings: Settings, /) -> Finding:
        """Its result. A ConfigError is a trouble with its sentence, any other fault one of the
        installation."""
        ...


def _no_site_tests() -> Mapping[str, SiteTest]:
    return {}


def _no_letter_kinds() -> Sequence[AnyKind]:
    return ()


def _no_mail_handlers(_letters: LetterContext) -> Sequence[MailHandler]:
    return ()


def _no_candidates(_session: Session, _game_id: str) -> Sequence[Candidate]:
    return ()


def _empty_inbox(_session: Session, _own: frozenset[str] | None) -> Sequence[InboxEntry]:
    return ()


def _no_results_part(
    _session: Session, _phase: PhaseRow, _variant: Variant, _resolution: Resolution
) -> ResultsPart | None:
    return None


def _no_mounts(_app: FastAPI) -> Mapping[str, FastAPI]:
    return {}


def _no_routers() -> Sequence[APIRouter]:
    return ()


def _no_schemas() -> Mapping[str, tuple[str, dict[str, Any]]]:
    return {}


def _none_away() -> GamesAway | None:
    return None


def _keeps_nothing(_table: ActTable, _player_id: int) -> None:
    return None


def _asks_for_none(_session: Session, _person: str, _code: str, _now: datetime) -> FactorCheck:
    return FactorCheck(passes=True)


def _keeps_nothing_of(_session: Session, _person: str) -> None:
    return None


def _no_commands(_groups: CommandGroups) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Feature:
    """The additions of a feature to the program; each field is one place at which the core loops over
    features."""

    name: str
    """The name of its folder."""

    # Commands
    add_commands: Callable[[CommandGroups], None] = _no_commands
    exporters: Mapping[str, GameExporter] = field(default_factory=dict)
    """The formats in which `galloper game export --format` writes a game."""
    site_tests: Callable[[], Mapping[str, SiteTest]] = _no_site_tests
    """Its tests in `galloper check`, by their names there."""
    schemas: Callable[[], Mapping[str, tuple[str, dict[str, Any]]]] = _no_schemas
    """JSON Schemas by name, each with a sentence that describes it, for the documents."""

    # Pages
    routers: Callable[[], Sequence[APIRouter]] = _no_routers
    """Its pages; they are tried before those of the core."""
    mounts: Callable[[FastAPI], Mapping[str, FastAPI]] = _no_mounts
    """Its own applications below the one given, by their addresses."""
    slots: Mapping[Slot, str] = field(default_factory=dict)
    """By a place on pages or in letters of the core, the template below `templates/features` for it."""
    slot_values: Mapping[Slot, Callable[[Request, Session, Mapping[str, Any]], Mapping[str, object]]] = field(
        default_factory=dict)
    """By a place that it fills, what its template there takes besides the page's values, from the request,
    the session and those values."""
    notices: Mapping[str, str] = field(default_factory=dict)
    """Sentences that its acts leave on pages of the core, by the word in their address."""
    inbox: Callable[[Session, frozenset[str] | None], Sequence[InboxEntry]] = _empty_inbox
    """Its entries for a coordinator of the games of these ids, or of all (None): entries of the desk's
    inbox."""
    ways_out: Mapping[str, str] = field(default_factory=dict)
    """By the beginning of addresses of its pages for everybody, the template with the way on from an error
    there."""
    photograph_forms: Sequence[str] = ()
    """The beginnings of addresses whose forms bring the photographs of a sheet."""
    end_page: str = ""
    """The address of its page about a game that is over, with {game} for its id; the letter of the end names
    it."""
    second_factor: Callable[[Session, str, str, datetime], FactorCheck] = _asks_for_none
    """With session, person, code and instant. It is asked of everybody whose password was right, in the
    transaction in which their session is opened, with what they wrote next to it ("" for nothing): anyone who
    does not pass every one stays out, and so does everybody while it raises anything."""

    # Mail and letters
    mail_handlers: Callable[[LetterContext], Sequence[MailHandler]] = _no_mail_handlers
    """Handlers of mails without a sheet."""
    letter_kinds: Callable[[], Sequence[AnyKind]] = _no_letter_kinds
    results_part: Callable[[Session, PhaseRow, Variant, Resolution], ResultsPart | None] = _no_results_part
    """Its additions to the letters about a phase, with the resolution as its readers may know it; None for
    nothing."""
    file_kinds: Mapping[str, str] = field(default_factory=dict)
    """Words for its files of letters, by a part of their names."""

    # A site
    work: Callable[[Site], FeatureWork] = _no_work
    """Its work on an open site."""
    checks: Callable[[], Sequence[Check]] = _no_checks
    """Its checks among those of the page Health."""
    candidates: Callable[[Session, str], Sequence[Candidate]] = _no_candidates
    """Who waits for a seat in a game, given by its id."""
    away: Callable[[], GamesAway | None] = _none_away
    """The games whose rows it put elsewhere."""
    forget_player: Callable[[ActTable, int], None] = _keeps_nothing
    """Deletes what it keeps of a player, in the transaction in which the site forgets them."""
    forget_user: Callable[[Session, str], None] = _keeps_nothing_of
    """Deletes what it keeps of a person who signs in, in the transaction in which they are removed or get a
    new password."""
    tables: Sequence[str] = ()
    """The tables that are its own. They are declared in `service.store`: a site from which the feature was
    taken out can still forget a player, and be brought up to date."""


@cache
def features() -> tuple[Feature, ...]:
    """Every feature whose folder is there, by name."""
    return tuple(_registered())


def _registered() -> Iterator[Feature]:
    package = import_module(PACKAGE)
    for name in sorted(module.name for module in iter_modules(package.__path__) if module.ispkg):
        feature = import_module(f"{PACKAGE}.{name}").FEATURE
        if not isinstance(feature, Feature) or feature.name != name:
            raise TypeError(f"{PACKAGE}.{name}.FEATURE is not a Feature of the name {name}")
        yield feature


def templates_in(slot: str) -> list[str]:
    """The templates of the features that fill a place. Raises ValueError for an unknown place."""
    return [feature.slots[Slot(slot)] for feature in features() if Slot(slot) in feature.slots]


def with_slot_values(
    slot: Slot, request: Request, session: Session, values: Mapping[str, Any]
) -> dict[str, Any]:
    """The values of a page, and those that the features' templates in a place of it take besides."""
    whole = dict(values)
    for feature in features():
        if slot in feature.slot_values:
            whole |= feature.slot_values[slot](request, session, values)
    return whole


def notice(word: str) -> str:
    """The sentence of a feature for a word in the address of a page; "" for a word of none."""
    return next((feature.notices[word] for feature in features() if word in feature.notices), "")


def takes_photographs(path: str) -> bool:
    """Whether a form that is sent to an address brings the photographs of a sheet."""
    return path.startswith(tuple(start for feature in features() for start in feature.photograph_forms))


def way_out(path: str) -> str:
    """The template with the way on from an error at an address; "" for one that no feature claims."""
    return next((template for feature in features() for start, template in feature.ways_out.items()
                 if path.startswith(start)), "")


def end_page(game_id: str) -> str:
    """The address of the page about a game that is over; "" where no feature has one."""
    return next((feature.end_page.format(game=game_id) for feature in features() if feature.end_page), "")


def template_folders(name: str) -> list[Path]:
    """The folders of features' templates with this name below them, such as "static"."""
    folders = (TEMPLATES / feature.name / name for feature in features())
    return [folder for folder in folders if folder.is_dir()]
