"""Blank order sheets with the heading filled in: letters attach them, the coordinator and players print them
(POST-07, LET-12); and one order of each kind, in a game's own words, for a welcome: as a list, and written on
a sheet (LET-08)."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.position import Position
from grammar.fragments.languages import LANGUAGES
from grammar.headings.sheet_code import code_of
from maps.variant import Variant
from reading.completions import written, written_in
from reading.vocabulary import parse_typed
from service import pictures
from service.facts.options import GameOptions
from service.games.results import order_text, unit_text
from service.games.rulings import as_written
from service.letters.facts import Closing, GameInfo, Recipient
from service.letters.language import ENGLISH, N_, Sentence, language, phase_words
from service.mail.sending.compose import Attachment
from service.pictures import BlankSheet

_BOXES = ("A", "F")
_BOXED = frozenset({PhaseKind.MOVEMENT, PhaseKind.RETREAT, PhaseKind.TURN})
_NONCE_LETTERS = 8
FORM_ROWS = 16
"""Fields for orders on a form, at least."""
_HOW = {
    PhaseKind.RETREAT: N_("Write one retreat or disbandment on a line."),
    PhaseKind.ADJUSTMENT: N_("Write one build or removal on a line."),
}
_ORDERS = N_("Write one order on a line.")
_HEADS = {
    PhaseKind.MOVEMENT: N_("MOVEMENT ORDERS"), PhaseKind.RETREAT: N_("RETREAT ORDERS"),
    PhaseKind.ADJUSTMENT: N_("BUILDS AND REMOVALS"), PhaseKind.TURN: N_("ORDERS"),
}

FILLED_SHEET = "filled-sheet.png"
_TITLES = {"german": N_("German"), "french": N_("French")}
"""The name of a language of order words, as the catalogues know it."""


@dataclass(frozen=True, slots=True)
class OrderLanguage:
    """A language whose order words a game takes. `title`: what people call it. `examples`: orders in its
    words."""

    title: str
    examples: tuple[str, ...]


def order_examples(variant: Variant, kind: PhaseKind) -> tuple[str, ...]:
    """An order of each kind that a phase takes, in full words. The places are the board's first names by the
    alphabet that are short, so that an example shows nothing of the position."""
    power = next(iter(variant.powers))
    orders = [
        order for text, _ in written(variant, kind)
        for order in parse_typed(variant, kind, power, text).orders[:1]
    ]
    return tuple(dict.fromkeys(order_text(variant, order) for order in orders))


def order_languages(variant: Variant, options: GameOptions) -> tuple[OrderLanguage, ...]:
    """The languages whose order words a game with these options takes next to the English ones, each with
    examples (WRD-07)."""
    return tuple(
        OrderLanguage(Sentence(_TITLES.get(name, LANGUAGES[name].title)), written_in(variant, name))
        for name in as_written(variant, options).languages
    )


def filled_sheet(
    variant: Variant, game: str, phase: Phase, power: str, orders: Sequence[str], domain: str,
    *, drawing: bool = True,
) -> Attachment:
    """A picture of a sheet with these orders on it, which the welcome shows; without `drawing` only its name.
    `domain` is the site's own, for the Content-ID."""
    heading = (variant.powers[power].name, game, phase_words(phase))
    data = pictures.filled_sheet_picture(heading, orders) if drawing else b""
    return Attachment(FILLED_SHEET, "image/png", data, f"filled-sheet@{domain}")


@dataclass(frozen=True, slots=True)
class SheetReader:
    """For whom a sheet is printed: a language of `service.letters.language`, a time zone or "", and the
    address for orders, "" where it must not be on paper that anybody may print."""

    language: str = ENGLISH
    zone: str = ""
    address: str = ""


def printed_sheet(
    variant: Variant, game_id: str, game: str, phase: Phase, power: str, reader: SheetReader = SheetReader(),
    *, deadline: datetime | None = None, nonce: str = "", units: Sequence[str] = (), rows: int = 1,
) -> BlankSheet:
    """One power's sheet for a phase. `game_id` and `game`: the game's id and its name. `nonce`: see
    `sheet_code.SheetCode`; by default one that is always the same for this sheet, since a letter that is
    drawn again must be the same letter. `units`: names to be under the rules. `rows`: how many
    are wanted."""
    say = language(reader.language).say
    has_boxes = phase.kind in _BOXED and set(_BOXES) <= set(variant.kinds)
    notes = [
        # The heading above is what is read back, and so it is English; here it is in the reader's own words.
        "" if language(reader.language).code == ENGLISH else f"{say(_HEADS[phase.kind])}.",
        say("Photograph this whole sheet with its four corners, and mail the picture to %(address)s.",
            address=reader.address) if reader.address
        else say("Photograph this whole sheet with its four corners, and mail the picture."),
        "" if deadline is None else say("It must arrive before %(instant)s.",
                                        instant=language(reader.language).instant(deadline, reader.zone)),
        say(_HOW.get(phase.kind, _ORDERS)),
        say("Tick A for an army or F for a fleet, or write it.") if has_boxes else "",
    ]
    # Of a movement phase the second: the first holds, and shows less.
    examples = order_examples(variant, phase.kind)[: 2 if phase.kind is PhaseKind.MOVEMENT else 1]
    example = examples[-1] if examples else ""
    return BlankSheet(
        variant.powers[power].name, game, phase_words(phase), rows,
        code_of(game_id, power, phase, 1, nonce or _fixed_nonce(game_id, power, phase)),
        (" ".join(note for note in notes if note),
         *((say("Example: %(order)s", order=example),) if example else ())),
        say("Version"), _BOXES if has_boxes else (), tuple(units),
        # No one has results before the game's first phase.
        words="" if phase == variant.start.phase else say("Four words of your last results"))


def blanks(
    variant: Variant, game_id: str, game: str, phase: Phase, position: Position | None,
    powers: Sequence[str], reader: SheetReader = SheetReader(), *, deadline: datetime | None = None,
    nonce: str = "", names_units: bool = False,
) -> list[BlankSheet]:
    """Blank sheets of a phase for some powers, with a row for each unit. `names_units`: each power's own
    units are small under the rules, as `names_under_rules` states."""
    units = () if position is None else position.units
    return [
        printed_sheet(variant, game_id, game, phase, power, reader, deadline=deadline, nonce=nonce,
                      rows=sum(unit.power == power for unit in units),
                      units=names_under_rules(variant, phase, position, power) if names_units else ())
        for power in powers
    ]


def sheet_form(
    variant: Variant, game: str, phase: Phase, power: str, reader: SheetReader, *, deadline: datetime,
    units: Sequence[str] = (), rows: int = 0,
) -> pictures.FormSheet:
    """One power's sheet for a phase as a form to be filled in with a keyboard (BEY-08). `units` and `rows` as
    for `printed_sheet`."""
    say = language(reader.language).say
    examples = order_examples(variant, phase.kind)[: 2 if phase.kind is PhaseKind.MOVEMENT else 1]
    notes = [
        say("Type one order into each field, save this file, and mail it to %(address)s.",
            address=reader.address) if reader.address
        else say("Type one order into each field, save this file, and mail it."),
        say("It is read from its fields, letter by letter. Fields that you leave empty are not orders."),
        say("It must arrive before %(instant)s.", instant=language(reader.language).instant(
            deadline, reader.zone)),
        say("Example: %(order)s", order=examples[-1]) if examples else "",
    ]
    return pictures.FormSheet(
        variant.powers[power].name, game, phase_words(phase), max(FORM_ROWS, rows, len(units)),
        tuple(note for note in notes if note),
        (say("Power"), say("Game"), say("Phase"), say("Version"), say("Orders, one in each field")),
        say("Order %(number)s", number="%s"), language(reader.language).code, tuple(units))


def names_under_rules(
    variant: Variant, phase: Phase, position: Position | None, power: str
) -> tuple[str, ...]:
    """The names of a power's units that await orders, in the order of the alphabet: all that are on the
    board, those to retreat in a retreat phase, none where units are built and removed. Empty without the
    phase's position."""
    # Where units stand, and nothing of what they may do: a list of what is legal would be advice (NON-02). A
    # list of units in a Winter would read as one of units to remove.
    if position is None or phase.kind is PhaseKind.ADJUSTMENT or position.phase != phase:
        return ()
    awaiting = ([retreat.unit for retreat in position.dislodged] if phase.kind is PhaseKind.RETREAT
                else position.units)
    return tuple(sorted(unit_text(variant, unit) for unit in awaiting if unit.power == power))


def blank_sheet(
    variant: Variant, game: GameInfo, closing: Closing, power: str, to: Recipient | None = None, *,
    drawing: bool = True,
) -> Attachment:
    """One power's blank sheet for a phase as a PDF, in the words of whom it goes to; without `drawing` only
    its name."""
    phase = closing.phase
    name = f"blank-{power}-{phase.season}-{phase.year}-{phase.kind.value}.pdf".lower().replace(" ", "-")
    if not drawing:
        return Attachment(name, "application/pdf", b"")
    reader = SheetReader(address=game.order_address)
    if to is not None:
        reader = replace(reader, language=to.language, zone=to.zone)
    sheet = printed_sheet(variant, game.id, game.name, phase, power, reader, deadline=closing.deadline)
    return Attachment(name, "application/pdf", _pdf(sheet))


def _fixed_nonce(game_id: str, power: str, phase: Phase) -> str:
    digest = hashlib.sha256(f"{game_id}/{power}/{phase}".encode()).digest()
    return base64.b32encode(digest).decode()[:_NONCE_LETTERS]


def nonce_of(chance: bytes) -> str:
    """A nonce from some bytes of chance, five at least."""
    return base64.b32encode(chance).decode()[:_NONCE_LETTERS]


# A player who sends one bad photograph after the other gets the same sheet each time: it is drawn once.
@lru_cache(maxsize=128)
def _pdf(blank: BlankSheet) -> bytes:
    """A sheet as PDF, about 25 kB."""
    return pictures.sheets_pdf([blank])
