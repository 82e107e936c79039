"""The options of a game: names, types, defaults and words.

The game file, the desk's forms, `galloper game set`, the JSON Schema and the documents are made from
`GameOptions`. A game's row keeps what was set and nothing else, so a missing option has its default.
`service.games.options` reads and writes that row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from grammar.fragments.languages import LANGUAGES

BEACON = "beacon"
"""The option of a game that names its beacon, and the name under which a session has the site's; without one
the sheets take part in the lots."""


class ReviewMode(StrEnum):
    """Which lines of a game two people must read alike (desk plan, "Two-person review")."""

    NONE = "none"
    DOUBTFUL = "doubtful"
    ALL = "all"


REVIEW_WORDS: Mapping[ReviewMode, str] = {
    ReviewMode.NONE: "One person reads a line",
    ReviewMode.DOUBTFUL: ("Two people read each doubtful line, the second without seeing what the first one "
                          "read"),
    ReviewMode.ALL: "Two people read every line, the second without seeing what the first one read",
}
"""The modes as forms and documents have them."""
THRESHOLDS: Mapping[float | None, str] = {
    None: "as sure as the site requires", 0.9: "at least 90 per cent sure", 0.95: "at least 95 per cent sure",
    0.99: "at least 99 per cent sure", 2.0: "never: a person reads every line",
}
"""The choices of `auto_score` on forms."""


@dataclass(frozen=True, slots=True)
class SettledAtStart:
    """Marks an option that no act changes once the game has begun."""


def threshold_words(score: float | None) -> str:
    """How sure the machine must be at this value of `auto_score`."""
    if score is None or score in THRESHOLDS:
        return THRESHOLDS[score]
    return THRESHOLDS[2.0] if score > 1 else f"at least {100 * score:g} per cent sure"


def _check_languages(names: object) -> tuple[object, ...]:
    if not isinstance(names, list | tuple) or not all(name in tuple(LANGUAGES) for name in names):
        raise ValueError(f"write a list of any of {', '.join(LANGUAGES)}")
    return tuple(names)


def _check_instant(text: str) -> str:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("write a day such as 2027-03-01") from None
    return text


_Language = Annotated[str, WithJsonSchema({"type": "string", "enum": list(LANGUAGES)})]
# A list of TOML or JSON is a list, which strict mode takes for no tuple.
_Texts = Annotated[tuple[str, ...], Field(strict=False)]


class GameOptions(BaseModel):
    """Options of a game. Each text is the option's sentence on forms and in the documents."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, use_attribute_docstrings=True)
    NOUN: ClassVar[str] = "option"
    """The word for an unknown name in a sentence."""

    typed_orders: bool = False
    """Orders may be typed into the mail instead of written by hand: the words in bold type count as a
    sheet."""
    first_counts: bool = False
    """The first sheet of a power counts in each phase, and later ones do not replace it."""
    mail_commands: bool = True
    """Players may write STATUS, SHEET, MAP, RESULTS or HELP as a subject, also in German or French, and are
    answered at once, five times a day."""
    post_first: bool = False
    """The first movement orders of a power must come by post (strict games)."""
    reading: bool = False
    """A receipt shows its sender each line as the machine read it, with a picture; it is sent once the sheet
    has been read."""
    gazette: bool = False
    """Each game year ends with a gazette, written from the results alone, in the letter and as a printed
    page."""
    gazette_without_omens: bool = False
    """The gazette leaves out weather and omens."""
    units_on_map: bool = False
    """The map at a year's end, which everybody can see, shows the units too, not only who holds what."""
    units_in_results: bool = False
    """Each letter of results lists the units that its reader has now; without it players keep track of them
    themselves."""
    order_languages: Annotated[
        tuple[_Language, ...], BeforeValidator(_check_languages), SettledAtStart()] = ()
    """The languages whose order words count next to the English ones."""
    review: Annotated[ReviewMode, Field(strict=False)] = ReviewMode.NONE
    """Who reads the lines of a sheet: one person (`none`), or two people each doubtful line (`doubtful`) or
    every line (`all`), the second without seeing what the first one read."""
    auto_score: Annotated[float, Field(ge=0, le=2)] | None = None
    """How sure the machine must be to accept a line by itself, 0 to 1; 2 for never. The site's own setting is
    the minimum, and counts alone without this option."""


NO_OPTIONS = GameOptions()
"""Every option has its default."""
YES_OR_NO: Mapping[str, str] = {
    name: " ".join((field.description or "").split()).removesuffix(".")
    for name, field in GameOptions.model_fields.items() if field.annotation is bool
}
"""The options that are on or off, each with its sentence."""
SETTLED = frozenset(
    name for name, field in GameOptions.model_fields.items()
    if any(isinstance(mark, SettledAtStart) for mark in field.metadata))
"""The options that no act changes once the game has begun."""


class DeclaredEnd(BaseModel):
    """How its coordinator declared a game ended."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    kind: Literal["draw", "concession"]
    powers: _Texts
    why: str = ""


class StoredOptions(GameOptions):
    """The options in a game's row: what a coordinator set, and what the program itself wrote. No file, form
    or command sets the second part."""

    start: Annotated[str, AfterValidator(_check_instant)] = ""
    """T+0: the first day of the game, of a rehearsal its first instant (UTC), in ISO 8601."""
    rehearsal_hours: Annotated[float, Field(gt=0)] | None = None
    """The hours of each phase of a rehearsal; no other game has this."""
    house_rules: dict[str, str] = {}
    """Of the house rules that were ever changed, those with which the game began."""
    beacon: Literal["quicknet"] | None = None
    """The public beacon that its lots are drawn with."""
    draw_agreed: int | None = None
    """The ordinal of the phase with whose results the game ends in a draw that all agreed on."""
    ended: DeclaredEnd | None = None
    """How its coordinator declared it ended; absent for a victory, which the judge finds."""
    opened_by: _Texts = ()
    """The powers whose players agreed that the public may see the game once it is over."""
    own_wording: dict[str, dict[str, str]] = {}
    """The sentences of its letters that the coordinator words, by language and by our English message."""
    return_address: _Texts = ()
    """The coordinator's name and address, line by line, for letters by post."""
    coordinator: str = ""
    """Who signs its letters, after a hand-over."""

    @property
    def is_rehearsal(self) -> bool:
        """Whether the game only tries things out, and may be removed."""
        return self.rehearsal_hours is not None


KEPT = frozenset(StoredOptions.model_fields) - frozenset(GameOptions.model_fields)
"""The options that the program itself writes."""


def stored_form(options: GameOptions) -> dict[str, Any]:
    """The options that were given, as a game's row keeps them."""
    return options.model_dump(mode="json", exclude_unset=True)
