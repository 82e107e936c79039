"""A game on the running site of `whole_house` that begins at a prepared position: for ends that no
story comes to (`PreparedPlay`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

from PIL import ImageFont

import maps
from adjudicator.calendar import Phase
from adjudicator.geo import Region
from adjudicator.position import Extension, Memory, Position
from adjudicator.units import Unit
from demo.coordinator import ScriptedCoordinator
from demo.story import ExpectedOutcome, story_of
from service.games import create
from service.games.acts.act import ActTable, perform
from service.games.acts.games import BeginGame
from service.games.deadlines import schedule
from service.games.options import stored_options
from service.store.tables import PhaseState
from tests.features.long_play import LongPlay
from tests.features.whole_house import PASSWORD, open_house
from tests.support.form_filling import filled_in
from tests.support.mail_builder import part
from tests.support.site import NOON
from tests.support.table import START
from training.handwriting.appearance import choose
from training.handwriting.sheet import SheetLine, SheetStyle, WrittenLineKind
from training.sheets.compose import Workshop, compose

Orders = Mapping[str, Mapping[str, ExpectedOutcome]]
"""Power to canonical order to what becomes of it."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A position and the phases that are played from it. `centres` and `units` (such as "A Antrim") by power;
    `turns`: title of a phase to its orders with their outcomes, worked out by hand; `extension`: what the
    rules file of the board remembers."""

    variant: str
    phase: Phase
    centres: Mapping[str, Sequence[str]]
    units: Mapping[str, Sequence[str]]
    turns: Mapping[str, Orders]
    extension: Extension | None = None
    options: Mapping[str, object] | None = None

    def position(self) -> Position:
        units = frozenset(
            Unit(power, kind, Region.of(place))
            for power, texts in self.units.items()
            for kind, _, place in (text.partition(" ") for text in texts))
        owned = {power: frozenset(places) for power, places in self.centres.items()}
        return Position(self.phase, units, owned, memory=Memory(), own=self.extension)


@contextmanager
def open_prepared(folder: Path, scene: Scene, name: str = "Last Stand") -> Iterator[PreparedPlay]:
    """A house with a game of the scene, its first phase open; the story's people play it."""
    opening = NOON.replace(year=START.year, month=START.month, day=START.day)
    board = maps.load(scene.variant)
    story = replace(story_of(scene.variant), game=name, mails=(), sheets={}, expected=scene.turns,
                    positions={}, secrets=(), reasons={})
    with open_house(folder, opening - timedelta(days=1)) as house:
        variant = replace(board, start=scene.position())
        window = schedule(START, variant.calendar, scene.phase, 1)[0]
        seats = [create.GameSeat(power, *_person(story.players[power])) for power in variant.powers]
        new = create.NewGame(name, scene.variant, START, seats, options=stored_options(scene.options or {}))
        house.clock.set(window.opens)
        with house.site.store.begin() as session:
            perform(BeginGame(new, variant), ActTable(session, "coordinator", house.clock.now()))
        play = PreparedPlay(house, story, board, ())
        play.people = {power: story.players[power][1] for power in variant.powers}
        play.names = {power: story.players[power][0] for power in variant.powers}
        house.settle()
        yield play


def _person(player: tuple[str, str]) -> tuple[str, str, tuple[str, ...]]:
    return player[0], "Europe/London", (player[1],)


class PreparedPlay(LongPlay):
    """The acts of a long play on a prepared position."""

    def at_desk(self) -> ScriptedCoordinator:
        """The coordinator, signed in."""
        hand = ScriptedCoordinator(self.house.web.address)
        hand.sign_in("Ada", PASSWORD)
        return hand

    def send_form(self, power: str, title: str, lines: Sequence[str], version: int = 1) -> None:
        """A power's sheet comes as the filled form, by mail."""
        phase = self.phase(title)
        player = self.house.visit(self.people[power])
        blank = player.data(f"{self.base}/sheet-form.pdf?power={power}&phase={phase.ordinal}")
        self.house.mail_in(self.people[power], self.subject(power, phase, version),
                           [part(filled_in(blank, lines, version), "application/pdf", "form.pdf")])
        self.house.settle()

    def send_photograph(self, power: str, title: str, lines: Sequence[str], fonts: Path) -> None:
        """A power's sheet comes as a photograph of ink, by mail. `fonts`: a folder to write in."""
        font = ImageFont.load_default(20)
        assert isinstance(font, ImageFont.FreeTypeFont)
        (fonts / "plain.ttf").write_bytes(font.font_bytes)
        workshop = Workshop(7, fonts, {"plain": fonts / "plain.ttf"})
        look = {"hand": "plain", "long_side": 1600, "turn": 0.5, "gloom": 0.1}
        heading = (self.variant.powers[power].name, self.story.game, f"{title} Orders")
        rows = [*(SheetLine(line, WrittenLineKind.HEADING) for line in heading),
                *(SheetLine(line, WrittenLineKind.REMARK) for line in lines)]
        style = SheetStyle("sheet", power, self.phase(title).kind, tuple(rows),
                           choose(look, ("plain",), workshop.rng("look")))
        self.mail_sheet(power, self.phase(title), compose(style, workshop)[0], "image/jpeg", "sheet.jpg")
        self.house.settle()

    def send_typed(self, power: str, title: str, lines: Sequence[str], *, bold: bool) -> None:
        """Orders in the text of a mail."""
        words = "\n".join(f"**{line}**" if bold else line for line in lines)
        self.house.mail_in(self.people[power], self.subject(power, self.phase(title)),
                           words=f"Dear all,\n{words}\nWith kind regards")
        self.house.settle()

    def close(self, title: str) -> None:
        """The deadline of a phase passes."""
        self.house.until(self.phase(title).deadline + timedelta(minutes=1))

    def approve(self, hand: ScriptedCoordinator, title: str) -> None:
        """The coordinator approves the results of a phase, and its letters leave."""
        hand.approve(self.phase(title).id)
        self.house.settle()
        assert self.phase(title).state == PhaseState.SENT

    def ended(self, power: str) -> EmailMessage:
        """The letter that shows a power's player of the end: there is one."""
        (letter,) = self.house.letters(self.people[power], "game_over")
        return letter
