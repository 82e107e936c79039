"""One game from its offer to its end, as people play it who come through every door: `LongPlay` has the acts,
each what one person does, over the demo's story of a board (`demo.story`), whose outcomes were worked out by
hand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import select

import maps
from adjudicator.serialize import codec
from demo.coordinator import ScriptedCoordinator
from demo.story import Story, WrittenLine, story_of
from grammar.print import canonical
from maps.variant import Variant
from service.games.create import NewGame
from service.games.phases import phase_of
from service.intake.verdicts.explanations import canonical_subject
from service.store import records
from service.store.tables import LineRow, OfferRow, PageRow, PhaseRow, PhaseState, SubmissionRow
from tests.features.receiver import Receiver
from tests.features.whole_house import Browser, House, link_in, open_house, plain
from tests.support.form_filling import filled_in
from tests.support.mail_builder import part
from tests.support.site import NOON
from tests.support.table import START

PROGRAM = "a program that follows"
TOKENS = {PROGRAM: "a" * 64, "another program": "b" * 64}
LATE = ("Wanda Late", "wanda@late.example")
"""Who signs up when every power has a person already."""
JSON = {"Accept": "application/json"}


@dataclass
class LongPlay:
    """`people`: the address of each power's player, once the lots are drawn; `names`: theirs."""

    house: House
    story: Story
    variant: Variant
    receivers: Sequence[Receiver]
    people: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    @property
    def game(self) -> str:
        return NewGame(self.story.game, self.story.variant, START, ()).slug

    @property
    def base(self) -> str:
        return f"/public/{self.game}"

    # What the database has
    # --------------------------------------------------------------------------------------------------------

    def phases(self) -> list[PhaseRow]:
        with self.house.site.store() as session:
            return records.phases(session, self.game)

    def phase(self, title: str) -> PhaseRow:
        """The phase of a title such as "Summer 1642 Movement"."""
        return next(row for row in self.phases() if str(phase_of(row)) == title)

    def sheets(self, phase: PhaseRow) -> list[SubmissionRow]:
        with self.house.site.store() as session:
            return list(session.scalars(select(SubmissionRow).where(SubmissionRow.phase_id == phase.id)
                                        .order_by(SubmissionRow.id)))

    def lines(self, phase: PhaseRow) -> list[tuple[str, LineRow]]:
        """The lines of a phase's sheets, each with its power."""
        with self.house.site.store() as session:
            rows = session.execute(
                select(SubmissionRow.power, LineRow).join(PageRow, PageRow.submission_id == SubmissionRow.id)
                .join(LineRow, LineRow.page_id == PageRow.id).where(SubmissionRow.phase_id == phase.id)
                .order_by(LineRow.id)).all()
        return [(str(power), line) for power, line in rows]

    def orders(self, title: str) -> dict[str, list[str]]:
        """The orders of a phase by the id of their power, as the story has them."""
        ids = {power.name: power.id for power in self.variant.powers.values()}
        return {ids.get(power, power): list(orders) for power, orders in self.story.expected[title].items()}

    # A table to sit down at (BEY-04)
    # --------------------------------------------------------------------------------------------------------

    def offer(self, desk: Browser, days: Sequence[str]) -> None:
        """The coordinator offers the game."""
        desk.send("/new-games", "/new-games", name=self.story.game, variant=self.story.variant,
                  dates=" ".join(days), note="Two letters a week.")

    def sign_up_by_page(self, name: str, address: str, powers: str, days: Sequence[str]) -> None:
        """A person fills in the page, and presses the button behind the link that is mailed."""
        browser, path = self.house.browser(), f"/public/sign-up/{self.game}"
        form = {"mail": address, "name": name, "powers": powers, "dates": list(days),
                "home": "1 High Street\nTown"}
        assert browser.client.post(path, data=form).status_code == 303
        self.house.settle()
        link = link_in(self.house.letters(address, "sign_up")[-1], f"{path}/")
        browser.send(link, link, do="confirm")

    def sign_up_by_mail(self, name: str, address: str, powers: str) -> None:
        """A person signs up by the subject of a mail."""
        self.house.mail_in(address, f"Sign up - {self.story.game} - {name} - {powers}")
        self.house.settle()

    def begin(self, desk: Browser, day: str) -> dict[str, Any]:
        """The coordinator has the powers drawn and begins the game; how they were drawn."""
        desk.send("/new-games", f"/new-games/{self.game}/draw")
        with self.house.site.store() as session:
            drawn = session.get_one(OfferRow, self.game).drawn or {}
        page = self.house.browser().says(f"/public/sign-up/{self.game}/lots")
        assert all(" ".join(line.split()) in page for line in drawn["lines"])
        desk.send("/new-games", f"/new-games/{self.game}/begin", day=day)
        self.house.settle()
        return drawn

    def switch_on(self, desk: Browser, option: str) -> None:
        page = f"/games/{self.game}"
        on = re.findall(r'name="on" value="([a-z_]+)" checked', desk.page(page))
        desk.send(page, f"{page}/options", on=[*on, option], why="As we all agreed before")

    # Sheets (BEY-05, BEY-08)
    # --------------------------------------------------------------------------------------------------------

    def form(self, player: Browser, power: str, phase: PhaseRow, orders: Sequence[str]) -> bytes:
        """The sheet as a form, filled in by keyboard."""
        blank = player.data(f"{self.base}/sheet-form.pdf?power={power}&phase={phase.ordinal}")
        return filled_in(blank, orders)

    def subject(self, power: str, phase: PhaseRow, version: int = 1) -> str:
        return canonical_subject(self.story.game, self.variant.powers[power].name, phase_of(phase), version)

    def mail_sheet(self, power: str, phase: PhaseRow, data: bytes, kind: str, name: str) -> None:
        self.house.mail_in(self.people[power], self.subject(power, phase), [part(data, kind, name)])

    def upload_link(self, player: Browser) -> str:
        """The page that takes photographs, opened on the player's own device."""
        answer = player.send("/public/me", f"/public/me/do/upload-link/{self.game}", do="open")
        return str(answer.headers["location"])

    def upload(self, browser: Browser, link: str, data: bytes, **values: str) -> httpx.Response:
        """Send one file by the page of a link; `values` in place of the page's own."""
        fields = fields_of(browser.page(link)) | values
        return browser.client.post(link, data=fields, headers=JSON,
                                   files=[("photograph", ("sheet", data, "application/octet-stream"))])

    def photographs(self, title: str) -> dict[str, bytes]:
        """Two photographs of ink by power, in the first phase of the story that has some."""
        for phase in self.story.phases():
            files = {mail.power: mail for mail in self.story.mails_of(phase)
                     if mail.fate == "accepted" and mail.files}
            if files:
                powers = [power for power in self.orders(phase) if power in files][:2]
                return {power: (files[power].folder / files[power].files[0]).read_bytes()
                        for power in powers} if phase == title else {}
        return {}

    # A phase
    # --------------------------------------------------------------------------------------------------------

    def read(self, hand: ScriptedCoordinator, title: str) -> None:
        """The coordinator looks at every line in doubt; a script has what is there."""
        photographed = self.photographs(title)
        written = {self.variant.powers[power].name: (
            self.story.written_lines(title, power) if power in photographed
            else tuple(WrittenLine(order, order, False) for order in orders))
            for power, orders in self.orders(title).items()}
        hand.read_lines(self.phase(title).id, written)
        self.house.settle()
        assert self.phase(title).state == PhaseState.READY

    def outcomes(self, phase: PhaseRow) -> dict[tuple[str, str], tuple[str, str]]:
        """The outcome of each order, by power and canonical text."""
        resolution = codec.load_resolution(phase.resolution or {})
        return {(each.order.power, canonical(each.order, self.variant.board)):
                (each.result.value, str(each.reason or "")) for each in resolution.outcomes}

    def standing(self, phase: PhaseRow, power: str) -> set[str]:
        """The units of a power after a phase, such as "A London"."""
        position = codec.load_resolution(phase.resolution or {}).position
        return {f"{unit.kind} {self.variant.board.region_text(unit.region)}"
                for unit in position.units if unit.power == self.power_id(power)}

    def power_id(self, power: str) -> str:
        """The id of a power that the story has by name or id."""
        return next(each.id for each in self.variant.powers.values() if power in {each.id, each.name})

    # What programs and players see
    # --------------------------------------------------------------------------------------------------------

    def ask(self, path: str = "") -> Any:
        """What the program that follows gets of the game."""
        answer = self.house.ask(f"/games/{self.game}{path and '/'}{path}", PROGRAM)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def everything_public(self) -> dict[str, Any]:
        """Every answer about the game but the drawn map, which is drawn from one of them."""
        sent = [f"results/{row.ordinal}" for row in self.phases() if row.state == PhaseState.SENT
                and row.resolution is not None]
        return {path: self.ask(path) for path in ("", "calendar", "results", "map", "record", *sent)}

    def drawn_in_turn(self, player: Browser, path: str) -> bytes:
        """A PDF that is drawn a year at a time: the browser reloads by itself."""
        for _ in range(30):
            answer = player.client.get(path)
            if answer.status_code != 503:
                break
            assert answer.headers["refresh"]
        assert answer.status_code == 200, plain(answer.text)
        return answer.content


def fields_of(page: str) -> dict[str, str]:
    """The hidden and filled fields of a page's form."""
    return {name: value for tag in re.findall(r"<input[^>]*>", page)
            for name in re.findall(r' name="(\w+)"', tag) for value in re.findall(r' value="([^"]*)"', tag)}


@contextmanager
def open_play(folder: Path, slug: str, receivers: Sequence[Receiver]) -> Iterator[LongPlay]:
    """A house for the story of a board, some weeks before its first day."""
    people = {"Ada": "coordinator", "Bo": "by game"}
    begin = NOON.replace(year=START.year, month=START.month, day=START.day) - timedelta(days=28)
    with open_house(folder, begin, receivers, people=people, tokens=TOKENS) as house:
        yield LongPlay(house, story_of(slug), maps.load(slug), receivers)
