"""The year of a ten-power game, run from the inbox by keys, one of its phases on a telephone by touch.

The orders and their ink are those of the demo's photographs, and the boards that must come of them were
worked out by hand (demo/data/w3k/expected.toml). Of every sheet some lines are doubtful: their letters are
confused, and of every fifth of them the right order is not among the readings, so that it must be typed
(DSK-01, DSK-06).
"""

from __future__ import annotations

import json
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from importlib.resources import files
from typing import Any

import pytest
from sqlalchemy import select

from adjudicator.calendar import PhaseKind
from bench.desk.browser import DESKTOP, Tab
from bench.desk.typing import correct
from demo.story import read_story
from reading.completions import suggest
from service.games.phases import phase_of
from service.notices.results import ResultsAnnouncer
from service.store.tables import LineRow, LineState, PageRow, PhaseRow, PhaseState, ReviewRow
from tests.browser.reading_site import misread, upright, whole_box
from tests.support.desk_table import NAME, PASSWORD, TOKEN, open_desk, served
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.table import SERVER, Table

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800), pytest.mark.xdist_group("browser")]

DOUBTFUL_EVERY, LOST_EVERY = 4, 5
BY_TOUCH = "Autumn 1642 Movement"
TELEPHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 780}, "has_touch": True, "is_mobile": True}
CLICKS = "() => addEventListener('click', (event) => { if (event.detail) sessionStorage.clicks = 1; }, true)"


@dataclass
class Work:
    """The keys or touches of each kind of act, and its seconds."""

    presses: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def table(self) -> str:
        """A line for each kind of act."""
        return "\n".join(
            f"{act}: {len(presses)} times, {max(presses)} presses at most, {sum(presses)} in all, "
            f"{sum(self.seconds[act]) / len(presses):.2f} s each"
            for act, presses in self.presses.items())


class Coordinator:
    """A person at the inbox: with a keyboard alone, or with a finger alone."""

    def __init__(self, tab: Tab, work: Work, *, by_touch: bool) -> None:
        self.tab, self.page, self.work, self.by_touch = tab, tab.page, work, by_touch
        self._touches = 0

    @contextmanager
    def act(self, name: str) -> Iterator[None]:
        """Count what is pressed and how long it takes."""
        before, began = self.tab.keys + self._touches, time.monotonic()
        yield
        name = f"{name}, {'touch' if self.by_touch else 'keys'}"
        self.work.presses[name].append(self.tab.keys + self._touches - before)
        self.work.seconds[name].append(time.monotonic() - began)

    def at_inbox(self) -> None:
        """Open the inbox, where every act begins; sign in where the week of a sign-in is over."""
        self.page.goto("/")
        if "/sign-in" not in self.page.url:
            return
        with self.act("sign in"):
            self.write("[name=name]", NAME)
            self.write("[name=password]", PASSWORD)
            with self.page.expect_navigation():
                self.tab.press("Enter")

    def take(self, title: str) -> None:
        """The next act of the first entry whose title begins so."""
        entry = self.page.locator(".entry", has=self.page.locator(f"h2:has-text('{title}')")).first
        step = entry.locator("[data-step]")
        if self.by_touch:
            return self.touch(step)
        with self.page.expect_navigation():
            self.tab.press(step.get_attribute("data-key") or "Enter")
        return None

    def touch(self, control: Any) -> None:
        """Touch a control, which is large enough for a finger."""
        control.scroll_into_view_if_needed()
        assert control.bounding_box()["height"] >= 44, control
        self._touches += 1
        control.tap()

    def press(self, words: str) -> None:
        """Press the button or link with these words: by touch, or by Tab from the page's beginning."""
        if self.by_touch:
            with self.page.expect_navigation():
                self.touch(self.page.locator("main").locator("button, a.button").filter(has_text=words).first)
            return
        self.page.evaluate("() => document.activeElement.blur()")
        self.tab.press("Tab", "Enter")  # past the bar
        self.tab_to(words)
        with self.page.expect_navigation():
            self.tab.press("Enter")

    def tab_to(self, words: str) -> None:
        """Tab on until what has the focus is called so."""
        for _ in range(60):
            self.tab.press("Tab")
            if words in self.page.evaluate("() => document.activeElement.textContent"):
                return
        raise AssertionError(f"Tab never comes to {words!r} on {self.page.url}")

    def write(self, field: str, words: str) -> None:
        """Write into a field."""
        if self.by_touch:
            self.page.locator(field).tap()
            self._touches += 1 + len(words)
            self.page.keyboard.type(words)
            return
        for _ in range(60):
            if self.page.evaluate("(field) => document.activeElement.matches(field)", field):
                break
            self.tab.press("Tab")
        self.tab.press(*words)

    def read(self, truth: dict[int, str]) -> None:
        """Decide every doubtful line of the reading page."""
        self.page.wait_for_selector("html[data-reading]")
        self.tab.until("window.readingNames !== undefined")
        while self.page.locator("#reading").count():
            line = self.tab.line()
            offers = self.tab.offers()
            with self.act("a line" if truth[line] in offers else "a line that is typed"):
                if self.by_touch:
                    self._decide_by_touch(truth[line], offers)
                elif truth[line] in offers:
                    at = offers.index(truth[line])
                    self.tab.press("Enter" if at == 0 else str(at + 1))
                else:
                    correct(self.tab, truth[line])
                self.tab.wait_other(line)
        self.page.wait_for_load_state("load")

    def _decide_by_touch(self, order: str, offers: list[str]) -> None:
        if order in offers:
            self.touch(self.page.locator("#work .reading").nth(offers.index(order)))
            return
        # As with a telephone's keyboard: the box is touched, emptied and filled in.
        box = self.page.locator("#work .words")
        self._touches += 1
        box.tap()
        box.fill(order)
        self._touches += len(order)
        self.touch(self.page.locator("#work").get_by_role("button", name="Use my words"))


@pytest.fixture
def game(table: Table) -> Table:
    """The demo's game, whose letters are written as they are on a site; their pictures are only named."""
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    return table


def file_sheets(table: Table, row: PhaseRow, chance: random.Random) -> dict[int, str]:
    """File the sheets of a phase with their readings; the orders of the doubtful lines, by the line's id."""
    folder, named = files("demo") / "data" / "w3k", phase_of(row)
    sheets = {sheet["file"]: sheet
              for sheet in json.loads((folder / "truth.json").read_text("utf-8"))["sheets"]}
    powers = {power.name: power.id for power in table.variant.powers.values()}
    truth: dict[int, str] = {}
    for sent in read_story().mails:
        if sent.phase != str(named) or sent.fate != "accepted":
            continue
        sheet = sheets[sent.files[0]]
        submission = table.file(
            powers[sent.power], number=row.ordinal, received_at=row.opens_at + timedelta(hours=2))
        with table.site.store.begin() as session:
            page = session.scalars(select(PageRow).where(PageRow.submission_id == submission)).one()
            page.original = page.upright = table.site.blobs.put(upright(sheet["file"]))
            lines = [line for line in sheet["lines"] if line["kind"] == "order" and not line["struck"]]
            for number, line in enumerate(lines):
                is_doubtful = (number + len(truth)) % DOUBTFUL_EVERY == 0
                line_row = _line(table, row, line, number, page.id, chance, is_doubtful,
                                 is_lost=len(truth) % LOST_EVERY == LOST_EVERY - 1)
                session.add(line_row)
                session.flush()
                if is_doubtful:
                    truth[line_row.id] = line["order"]
    return truth


def _line(
    table: Table, row: PhaseRow, line: dict[str, Any], number: int, page: int, chance: random.Random,
    is_doubtful: bool, *, is_lost: bool
) -> LineRow:
    words = misread(line["text"], chance) if is_doubtful else line["text"]
    candidates: list[dict[str, Any]] = suggest(table.variant, PhaseKind(row.kind), "", words)
    if is_doubtful and is_lost:
        candidates = [each for each in candidates if each["order"] != line["order"]]
    if not is_doubtful:
        candidates = [{"text": line["text"], "order": line["order"], "score": 0.99}]
    return LineRow(
        page_id=page, ordinal=number, box=whole_box(line["boxes"]), kind="order", text=words,
        order=str(candidates[0]["order"]) if candidates else None,
        confidence=0.6 if is_doubtful else 0.99, candidates=candidates[:5],
        status=LineState.OPEN if is_doubtful else LineState.AUTO)


def stranger(table: Table, row: PhaseRow) -> None:
    """A mail from a sender whom the game does not have."""
    sender = "somebody@elsewhere.example"
    raw = mail(
        table.subject("Argyll", phase=phase_of(row)), sender, headers=[f"X-Phase: {row.ordinal}"],
        stamps=[stamp("elsewhere.example", "pass", SERVER)],
        parts=[text("Here is a sheet."), part(picture(91))])
    table.take(raw, row.opens_at + timedelta(hours=1))


def test_a_year_of_ten_powers_is_run_from_the_inbox(chromium: Any, game: Table) -> None:
    """Every act begins at an entry of the inbox, no mouse is clicked, and the boards are those that were
    worked out by hand."""
    story, chance, work = read_story(), random.Random(1642), Work()
    truth: dict[int, str] = {}
    played: list[str] = []
    with served(open_desk(game)) as address:
        keyboard = Tab(chromium, address, "/", TOKEN, viewport=DESKTOP, base_url=address)
        telephone = Tab(chromium, address, "/", TOKEN, base_url=address, **TELEPHONE)
        keyboard.context.add_init_script(f"({CLICKS})()")
        while (row := next((each for each in game.phases()
                            if each.state in {PhaseState.OPEN, PhaseState.WAITING}), None)):
            title = str(phase_of(row))
            if title not in {*story.positions, BY_TOUCH}:
                break
            person = Coordinator(telephone if title == BY_TOUCH else keyboard, work,
                                 by_touch=title == BY_TOUCH)
            run_phase(person, game, row, chance, truth)
            played.append(title)
            if title in story.positions:
                assert units_of(game, row.ordinal) == {
                    power: set(units) for power, units in story.positions[title].items()}, title
        assert keyboard.page.evaluate("() => sessionStorage.clicks") is None
        assert keyboard.faults == telephone.faults == []
        keyboard.close()
        telephone.close()
    print(f"\n{', '.join(played)}\n{work.table()}")
    assert played == [
        "Summer 1642 Movement", "Autumn 1642 Movement", "Autumn 1642 Retreat", "Winter 1643 Adjustment"]
    # No decision is lost, and none is there that nobody made.
    with game.site.store() as session:
        decided = {review.line_id: review.order for review in session.scalars(
            select(ReviewRow).where(ReviewRow.undone_at.is_(None)))}
    assert decided == truth
    assert max(work.presses["a line, keys"]) == 1
    assert max(work.presses["a line, touch"]) == 1


def run_phase(
    person: Coordinator, game: Table, row: PhaseRow, chance: random.Random, truth: dict[int, str]
) -> None:
    """One phase from its opening to its results."""
    if row.state == PhaseState.WAITING:
        game.site.clock.set(max(row.opens_at, game.site.clock.now()))
        game.open_phase(row.id)
    game.site.clock.set(max(row.opens_at + timedelta(hours=3), game.site.clock.now()))
    doubtful = file_sheets(game, row, chance)
    truth |= doubtful
    stranger(game, row)
    person.at_inbox()
    with person.act("discard a mail"):
        person.take("Powick Bridge")
        discard(person)
    if row.kind == PhaseKind.MOVEMENT and not person.by_touch:
        person.at_inbox()
        move_deadline(person, game, row)
    game.site.clock.set(game.phase(row.ordinal).deadline + timedelta(minutes=1))
    game.close_phase(row.id)
    person.at_inbox()
    with person.act("read a phase"):
        person.take("Read ")
        person.read(doubtful)
    with person.act("to the results"):
        if person.by_touch:
            person.press("Results")
        else:
            with person.page.expect_navigation():
                person.tab.press("Enter")
    while person.page.locator("#asked").count():
        with person.act("say that a sheet is right"):
            person.press("Yes, it is the right sheet")
    with person.act("approve"):
        person.press("Approve and send")
    assert "Sent" in person.page.locator("main").inner_text()
    assert game.phase(row.ordinal).state == PhaseState.SENT


def move_deadline(person: Coordinator, game: Table, row: PhaseRow) -> None:
    """Move the deadline of the open phase by a day, from the game's name below the inbox."""
    day = row.deadline + timedelta(days=1)
    with person.act("move a deadline"):
        person.press("Powick Bridge")
        person.tab_to("Deadlines")
        person.tab.press("Enter")
        person.write("form[action$='/move'] [name=day]", f"{day:%m%d%Y}")
        person.write("form[action$='/move'] [name=why]", "the post is on strike")
        with person.page.expect_navigation():
            person.tab.press("Enter")
        assert "Nothing is done yet." in person.page.locator("main").inner_text()
        person.press("Move the deadline")
    assert game.phase(row.ordinal).deadline == day


def discard(person: Coordinator) -> None:
    """Discard the mail that is shown, with a reason."""
    person.write("form[action$='/discard'] [name=why]", "nobody here knows its sender")
    if person.by_touch:
        person.press("Discard")
        return
    with person.page.expect_navigation():
        person.tab.press("Enter")


def units_of(game: Table, ordinal: int) -> dict[str, set[str]]:
    """The units of each power after a phase, as the story writes them."""
    position = game.resolution(ordinal).position
    board = game.variant.board
    return {power: {f"{unit.kind} {board.region_text(unit.region)}" for unit in position.units
                    if unit.power == power} for power in game.variant.powers}
