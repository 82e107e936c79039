"""A year of each game as its players have it: by mail alone, through a real mailbox and a real mail server,
with a coordinator who is away past two deadlines, sheets that come before their phase opens, answers to our
letters, a sheet by post and an address that is dead (PHA-01, PHA-02, PHA-05, PHA-07, PHA-09).

What is checked is what the players have in hand, the letters that the mail server took, and the record. With
GALLOPER_TRANSCRIPT the course of each game is appended to the file of that name, for a person to read.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.serialize import codec
from bench.adjudicate.random_orders import any_order, classes, phase_orders, written
from grammar.print import canonical
from reading.vocabulary import known_game
from service.archive import export
from service.games.asking import owing
from service.games.deadlines import schedule
from service.games.decisions import own_lines
from service.games.phases import phase_title
from service.intake.sheets.typed_orders import TypedText
from service.store import records
from service.store.tables import PhaseRow, PhaseState
from tests.support.mailroom_play import BEGINS, MailroomPlay, SentLetter, open_play, player_address
from tests.support.servers.dovecot import Dovecot
from tests.support.servers.smtp_sink import SmtpSink
from tests.support.table import COORDINATOR

NAME = "Old Roads"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
LEAST_PHASES, MOST_PHASES = 4, 40
"""Phases with orders that are played at least, since a year of one game is a single turn, and at most. All
that a year must have is in the first ones; later only `MOST_WRITERS` powers write, to save time."""
MOST_WRITERS = 2
CORRECTED = 3
"""The phase whose results are put right after they were sent."""
MOST_ORDERS = 6
ASKING = {"welcome", "draftresults", "finalresults", "yearendresults", "retreatrequest", "adjustment"}
"""Kinds of letters that ask for orders, as their Message-IDs begin."""
WHY_LATE = "I was away from home."
_REPORTED = re.compile(r"(received:?|came|counts from|until now:|the results of) [^.]*$", re.IGNORECASE)
"""What is before an instant that a letter reports, and by which it requests nothing."""
_INSTANT = re.compile(r"\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d GMT")
TOOL = Path(__file__).parents[2] / "tools" / "verify_record.py"


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a player sent for a phase, and how."""

    power: str
    ordinal: int
    orders: tuple[str, ...]
    how: str


@dataclass
class Year:
    """The course of a game. `sheets`: those that must count, the newest of a power and phase; `misread`: an
    order to what the machine, and the coordinator after it, took it for; `early`: sheets that came before
    their phase opened."""

    play: MailroomPlay
    chance: Random
    sheets: dict[tuple[str, int], Sheet] = field(default_factory=dict)
    misread: dict[str, str] = field(default_factory=dict)
    early: list[Sheet] = field(default_factory=list)

    # What players write
    # --------------------------------------------------------------------------------------------------------

    def orders_for(self, row: PhaseRow) -> dict[str, list[str]]:
        """Orders of each power that owes some, for a phase whose board is known."""
        position = codec.load_position(row.position or {})
        orders = phase_orders(self.play.variant, position, self.chance)
        return {power: self._readable(power, row, [
            canonical(order, self.play.variant.board) for order in orders if order.power == power])
            for power in sorted(owing(row, self.play.variant))}

    def orders_ahead(self, power: str, row: PhaseRow) -> list[str]:
        """Orders for a phase that is announced, whose board is unknown."""
        variant, known = self.play.variant, classes(self.play.variant, PhaseKind(row.kind))
        return self._readable(power, row, [
            canonical(written(any_order(variant, self.chance.choice(known), self.chance, power)),
                      variant.board) for _ in range(30)])[:2]

    def _readable(self, power: str, row: PhaseRow, texts: Sequence[str]) -> list[str]:
        """Those that the grammar has one meaning for; the others would wait for a person."""
        variant = self.play.variant
        typed = TypedText(variant, PhaseKind(row.kind), power, [known_game(variant, NAME)])
        return [each for each in dict.fromkeys(texts) if typed.orders(each) == each][:MOST_ORDERS]

    def write(
        self, power: str, row: PhaseRow, orders: Sequence[str], how: str, *,
        answers: SentLetter | None = None, subject: str = "", version: int = 1,
    ) -> Sheet:
        """A player sends a sheet: typed, or on paper that is photographed or posted."""
        sheet = Sheet(power, row.ordinal, tuple(orders), how)
        play, named = self.play, subject or self.play.subject(power, row, version)
        if how == "typed":
            play.mail_in(
                power, named, play.typed(orders), answers=answers, words=f"{len(orders)} typed orders")
        elif how == "photographed":
            misread = [self.misread.get(order, order) for order in orders]
            play.mail_in(power, named, play.photographed(power, row, misread, version), answers=answers,
                         words="a photograph")
        else:
            now = play.clock.now()
            play.send("/post", "/post", place=f"{row.id} {power}", received=f"{now:%Y-%m-%d}",
                      hour=f"{now:%H:%M}", version=str(version),
                      files={"scan": ("scan.png", play.photograph(power, row, orders, version), "image/png")})
        self.sheets[power, row.ordinal] = sheet
        return sheet

    # What the coordinator does
    # --------------------------------------------------------------------------------------------------------

    def read(self, row: PhaseRow) -> None:
        """The coordinator reads the lines that wait."""
        if self.play.phase(row.ordinal).state == PhaseState.CLOSED:
            self.play.read_lines(row, {
                self.misread.get(order, order) for sheet in self.sheets.values()
                if sheet.ordinal == row.ordinal for order in sheet.orders})

    def approve(self, row: PhaseRow) -> bool:
        """The coordinator sends the results; whether a new deadline was asked for."""
        play, path = self.play, f"/results/{row.id}"
        page = play.page(path)
        for sheet in re.findall(r'action="/sheet/(\d+)/right"', page):
            play.send(path, f"/sheet/{sheet}/right")
        form = dict(re.findall(r'name="(day|hour)" required value="([^"]+)"', play.page(path)))
        if form:
            assert "Choose a deadline" in play.send(path, f"{path}/approve", 409)
            assert play.phase(row.ordinal).state == PhaseState.READY
            play.send(path, f"{path}/approve", **form, why=WHY_LATE)
        else:
            play.send(path, f"{path}/approve")
        assert play.phase(row.ordinal).state == PhaseState.SENT, play.says(path)[:3000]
        return bool(form)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("slug", sorted(set(maps.variants()) - {"standard"}))
def test_a_year_by_mail(slug: str, tmp_path: Path, dovecot: Dovecot, smtp_sink: SmtpSink) -> None:
    with open_play(tmp_path, dovecot, smtp_sink, slug, NAME, typed_orders=True) as play:
        try:
            year = Year(play, Random(slug))
            play_the_year(year)
            every_sheet_in_time_was_judged_in_its_phase(year)
            nobody_was_judged_unasked(year)
            no_letter_asks_by_a_date_that_is_past(year)
            no_letter_tells_of_an_early_sheet(year)
            the_archive_is_clean(year, tmp_path)
        finally:
            _keep_transcript(slug, play)


def _keep_transcript(slug: str, play: MailroomPlay) -> None:
    path = os.environ.get("GALLOPER_TRANSCRIPT")
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write("\n".join([f"== {slug} ==", *play.lines, "", ""]))


# The course of the year
# ----------------------------------------------------------------------------------------------------------


def play_the_year(year: Year) -> None:
    """Phase by phase, until the one of the opening comes round again."""
    play = year.play
    for number in range(1, MOST_PHASES):
        row = play.in_play()
        if row.ordinal > len(play.variant.calendar.steps) and number > LEAST_PHASES:
            return
        a_phase(year, number, row)
    raise AssertionError("the year does not end")


def a_phase(year: Year, number: int, row: PhaseRow) -> None:
    """One phase, from its opening to its results, with what happens in the phase of this number."""
    play = year.play
    play.note("—", f"{number}: {phase_title(row)}")
    before_opening(year, number, row)
    play.until(row.opens_at + 3 * HOUR)
    row = play.phase(row.ordinal)
    assert row.state == PhaseState.OPEN
    written_now(year, number, row)
    if number == 2:
        an_address_is_mended(year)
    play.until(row.deadline + timedelta(minutes=1))
    assert play.phase(row.ordinal).state in {PhaseState.CLOSED, PhaseState.READY}
    results(year, number, row)


def before_opening(year: Year, number: int, row: PhaseRow) -> None:
    """Sheets that come between the results and the next opening."""
    play = year.play
    if row.state != PhaseState.WAITING or len(year.early) >= 3 or number == 1:
        return
    since = len(play.left)
    for power, how in zip(list(play.variant.powers)[-2:], ("typed", "photographed"), strict=True):
        if len(year.early) < 2:
            year.early.append(year.write(power, row, year.orders_ahead(power, row), how))
    play.settle()
    only_the_writers_are_mailed(year, year.early, since, row)


def only_the_writers_are_mailed(year: Year, sheets: Sequence[Sheet], since: int, row: PhaseRow) -> None:
    play = year.play
    letters = play.letters(since=since)
    assert sorted(each.to for each in letters) == sorted(play.people[sheet.power] for sheet in sheets)
    for letter in letters:
        assert letter.kind == "receipt"
        assert f"{row.opens_at:%d %b %Y, %H:%M}".lstrip("0") in letter.words, letter.words
        assert "kept" in letter.words, letter.words


def written_now(year: Year, number: int, row: PhaseRow) -> None:
    play = year.play
    orders = year.orders_for(row)
    powers = [power for power in orders if orders[power] and (power, row.ordinal) not in year.sheets]
    powers = powers if number <= LEAST_PHASES else powers[:MOST_WRITERS]
    dead = dead_power(year)
    for place, power in enumerate(powers):
        if number == 2 and power == dead:
            continue
        if number == 1 and place == 0:
            year.write(power, row, orders[power], "posted")
        elif number == 1 and place == 1:
            a_refusal_is_answered(year, power, row, orders[power])
        elif number == CORRECTED and place == 0:
            # What the machine takes the first order for is another one of the same phase.
            year.misread[orders[power][0]] = next(
                each for each in year.orders_ahead(power, row) if each not in orders[power])
            year.write(power, row, orders[power], "photographed")
        elif number == 2 and place == 0:
            results_are_answered(year, power, row, orders[power], "photographed")
        elif number == 2 and place == 1:
            results_are_answered(year, power, row, orders[power], "typed")
        else:
            year.write(power, row, orders[power], "typed")
    if number == 2:
        later = next(each for each in play.phases() if each.ordinal > row.ordinal and
                     each.kind != PhaseKind.RETREAT)
        play.settle()
        since = len(play.left)
        power = list(play.variant.powers)[-3]
        year.early.append(year.write(power, later, year.orders_ahead(power, later), "photographed"))
        play.settle()
        only_the_writers_are_mailed(year, year.early[-1:], since, later)
    play.settle()


def dead_power(year: Year) -> str:
    return next(iter(year.play.variant.powers))


def a_refusal_is_answered(year: Year, power: str, row: PhaseRow, orders: Sequence[str]) -> None:
    play = year.play
    parts = play.photographed(power, row, orders)
    play.mail_in(power, "my orders", parts, words="a photograph under a subject that names nothing")
    play.settle()
    refusal = play.letters(power, "rejection")[-1]
    play.mail_in(power, f"Re: {refusal.subject}", parts, answers=refusal, words="the same photograph")
    play.settle()
    assert play.letters(power)[-1].kind == "receipt", play.letters(power)[-1].words
    year.sheets[power, row.ordinal] = Sheet(power, row.ordinal, tuple(orders), "photographed")


def results_are_answered(year: Year, power: str, row: PhaseRow, orders: Sequence[str], how: str) -> None:
    play = year.play
    letter = [each for each in play.letters(power) if each.kind.endswith("results")][-1]
    year.write(power, row, orders, how, answers=letter, subject=f"Re: {letter.subject}")
    play.settle()
    assert play.letters(power)[-1].kind == "receipt", play.letters(power)[-1].words


def an_address_is_mended(year: Year) -> None:
    """The coordinator writes down the new address, and what failed goes there; the player answers."""
    play, dead = year.play, dead_power(year)
    old, new = play.people[dead], f"new-{play.people[dead]}"
    game = f"/games/{play.game}"
    play.send(game, f"{game}/address", power=dead, mail=new)
    play.send(game, f"{game}/address/remove", power=dead, mail=old)
    play.people[dead] = new
    play.send("/health", "/health/retry")
    assert any(each.kind.endswith("results") for each in play.letters(new))
    row = play.in_play()
    orders = year.orders_for(row).get(dead, [])
    if orders and (dead, row.ordinal) not in year.sheets:
        year.write(dead, row, orders, "typed")
        play.settle()


def results(year: Year, number: int, row: PhaseRow) -> None:
    """The coordinator comes, in time or not, and sends the results."""
    play = year.play
    if number == 1:
        play.dead.add(play.people[dead_power(year)])
    if number == 2:
        following = [each for each in play.phases() if each.ordinal > row.ordinal][:2]
        play.note("the coordinator", "is away, past the next deadlines")
        play.until(following[-1].deadline + 5 * HOUR)
    if number == 3:
        play.note("the coordinator", "is away for a day and a half")
        play.until(play.clock.now() + 36 * HOUR)
    year.read(row)
    was_late = year.approve(row)
    if number == CORRECTED:
        a_wrong_reading_is_put_right(year, row)
    if number == 1:
        the_dead_address_is_named(year)
    if number == 2:
        assert was_late


def a_wrong_reading_is_put_right(year: Year, row: PhaseRow) -> None:
    """A player writes that the results have an order otherwise than her sheet. The coordinator looks at the
    ink, sees what changes, and has the phase judged again: everybody is informed, and has the new results
    (PHA-04)."""
    play = year.play
    play.until(play.clock.now() + HOUR)
    ((right, wrong),) = year.misread.items()
    form = f"/results/{row.id}/line/{line_of(play, row, wrong)}"
    since = len(play.left)
    look = play.look_and_send(form, form, do="edit", text=right, key="once",
                              why="The ink has another word.")
    assert "is at the desk again" in look
    announced_to = {each.to for each in play.letters(kind="announcement", since=since)}
    assert announced_to == set(play.people.values())
    assert play.phase(row.ordinal).state == PhaseState.READY
    since = len(play.left)
    year.approve(row)
    corrected_for = {each.to for each in play.letters(since=since) if each.kind.endswith("results")}
    assert corrected_for == set(play.people.values())


def line_of(play: MailroomPlay, row: PhaseRow, order: str) -> int:
    """The line that was read as an order."""
    with play.site.store() as session:
        (line,) = [line.id for sheet in records.submissions(session, row.id)
                   for line in own_lines(session, sheet.id) if line.order == order]
    return line


def the_dead_address_is_named(year: Year) -> None:
    """At the very instant of the results: with its power and the cause, on each page and in a notice."""
    play, name = year.play, year.play.variant.powers[dead_power(year)].name
    named = rf"{re.escape(name)}\): \d+ letters? did not arrive: [^.]*\(550"
    for page in ("/", "/health"):
        assert re.search(named, play.says(page)), page
    assert re.search(r"✗ \d+ letters? to it did not arrive: [^.]*\(550", play.says(f"/games/{play.game}"))
    (notice,) = [each for each in play.letters(COORDINATOR) if "(550" in each.words]
    assert name in notice.words
    assert notice.left_at == play.clock.now()


# What the players have at the end
# ----------------------------------------------------------------------------------------------------------


def every_sheet_in_time_was_judged_in_its_phase(year: Year) -> None:
    """Each order that was written has an outcome, in the phase that it was written for."""
    variant = year.play.variant
    for (power, ordinal), sheet in year.sheets.items():
        row = year.play.phase(ordinal)
        assert row.resolution is not None, (sheet, phase_title(row))
        judged = {canonical(outcome.order, variant.board)
                  for outcome in codec.load_resolution(row.resolution).outcomes
                  if outcome.order.power == power}
        assert set(sheet.orders) <= judged, (sheet, phase_title(row))


def nobody_was_judged_unasked(year: Year) -> None:
    """Anyone who owed orders in a phase that was judged was asked by a letter, and had from then on at least
    half of the time that the calendar gives."""
    play = year.play
    for row in play.phases():
        if row.resolution is None:
            continue
        for power in owing(row, play.variant):
            asked = [letter.left_at for letter in play.left if _asks(play, letter, power, row)]
            assert asked, (power, phase_title(row))
            had = row.deadline - max(min(asked), row.opens_at)
            assert had >= _planned(play, row) / 2, (power, phase_title(row), had)


def _asks(play: MailroomPlay, letter: SentLetter, power: str, row: PhaseRow) -> bool:
    """Whether a letter asks a power for a phase: with the subject to copy, by the name of its phase where
    nothing is due from it, or by the sheet that is kept for it."""
    if letter.to not in {play.people[power], player_address(power)} or letter.kind not in ASKING:
        return False
    copied = play.subject(power, row).removesuffix("v1")
    return (copied in letter.words or letter.subject.startswith(copied)
            or f"Your sheet for the {phase_title(row)} Orders is kept" in letter.words)


def _planned(play: MailroomPlay, row: PhaseRow) -> timedelta:
    """How long the handbook's calendar leaves a phase open."""
    windows = schedule(BEGINS, play.variant.calendar, play.variant.start.phase, row.ordinal)
    return windows[-1].deadline - windows[-1].opens


def no_letter_asks_by_a_date_that_is_past(year: Year) -> None:
    """Each instant in a letter to a player lies ahead of it, but for those that it reports."""
    past = set()
    for letter in year.play.left:
        if letter.to == COORDINATOR:
            continue
        for match in _INSTANT.finditer(letter.words):
            instant = datetime.strptime(match[0], "%d %b %Y, %H:%M GMT").replace(tzinfo=UTC)
            before = letter.words[max(0, match.start() - 90):match.start()]
            if instant < letter.left_at and not _REPORTED.search(before):
                past.add((letter.kind, letter.left_at, before[-60:] + match[0]))
    assert past == set()


def no_letter_tells_of_an_early_sheet(year: Year) -> None:
    """Nothing that came early is news, and of no one who sent a sheet do the results state that none
    came."""
    for letter in year.play.left:
        if letter.kind.endswith("results"):
            assert "set aside" not in letter.words, letter.words


def the_archive_is_clean(year: Year, folder: Path) -> None:
    """By the tool that anybody can run, with the letters of two players."""
    play = year.play
    names = []
    for power in list(play.variant.powers)[1:3]:
        raws = [each.raw for each in play.letters(power)] + play.sent.get(power, [])
        for number, raw in enumerate(raws):
            path = folder / f"{number:03}-{play.people[power]}.eml"
            path.write_bytes(raw)
            names.append(path.name)
    for edition in export.Edition:
        archive = folder / f"{edition.value}.zip"
        with play.site.store() as session, archive.open("w+b") as out:
            export.write_archive(
                session, play.site.blobs, play.game, edition, play.clock.now(), "test", out)
        tool = subprocess.run(
            [sys.executable, "-I", "-S", str(TOOL), archive.name, *names], cwd=folder, capture_output=True,
            text=True, check=False)
        assert tool.returncode == 0, tool.stdout[-3000:] + tool.stderr[-2000:]
        assert "NOT AS IT SHOULD BE" not in tool.stdout + tool.stderr
