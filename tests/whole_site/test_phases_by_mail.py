"""The seams between phases, each by a real mailbox and a real mail server: what a player mailed and was
answered, and what the coordinator sees. The course of whole games is in `test_year_by_mail`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from adjudicator.serialize import codec
from grammar.print import canonical
from service.games.phases import phase_title
from service.store.tables import PhaseRow, PhaseState
from tests.support.mail_builder import text
from tests.support.mailroom_play import MailroomPlay, open_play
from tests.support.servers.dovecot import Dovecot
from tests.support.servers.smtp_sink import SmtpSink
from tests.support.table import COORDINATOR

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
POWER, NAME = "FRANCE", "France"
HOLD, MOVE = "A Paris H", "A Paris - Burgundy"
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture
def play(tmp_path: Path, dovecot: Dovecot, smtp_sink: SmtpSink) -> Iterator[MailroomPlay]:
    """The classic board in its first Spring, three hours after it opened."""
    with open_play(tmp_path, dovecot, smtp_sink, "standard", "Old Roads", typed_orders=True) as opened:
        opened.until(opened.phase(1).opens_at + 3 * HOUR)
        yield opened


def arrives(play: MailroomPlay, subject: str, parts: list[bytes]) -> None:
    play.mail_in(POWER, subject, parts)
    play.settle()


def posted(play: MailroomPlay, row: PhaseRow, order: str, version: int) -> None:
    """The coordinator logs a letter that came by post just now, with its scan."""
    now = play.clock.now()
    photo = play.photograph(POWER, row, [order], version)
    play.send("/post", "/post", place=f"{row.id} {POWER}", received=f"{now:%Y-%m-%d}", hour=f"{now:%H:%M}",
              version=str(version), files={"scan": ("scan.png", photo, "image/png")})


def judged(play: MailroomPlay, number: int, *orders: str) -> set[str]:
    """The orders of France with which a phase was judged, once its deadline has passed and the coordinator
    has read the lines that wait."""
    row = play.phase(number)
    play.until(row.deadline + timedelta(minutes=1))
    if play.phase(number).state == PhaseState.CLOSED:
        play.read_lines(row, orders)
    resolution = codec.load_resolution(play.phase(number).resolution or {})
    return {canonical(outcome.order, play.variant.board) for outcome in resolution.outcomes
            if outcome.order.power == POWER}


def approve(play: MailroomPlay, number: int) -> None:
    path = f"/results/{play.phase(number).id}"
    for sheet in re.findall(r'action="/sheet/(\d+)/right"', play.page(path)):
        play.send(path, f"/sheet/{sheet}/right")
    play.send(path, f"{path}/approve")
    assert play.phase(number).state == PhaseState.SENT


def test_a_sheet_by_post_and_one_by_mail_go_by_one_rule(play: MailroomPlay) -> None:
    """PHA-06: with a version 7 by post on file a mailed version 2 was informed that it replaces it."""
    row = play.phase(1)
    posted(play, row, HOLD, 7)
    play.clock.advance(HOUR)
    arrives(play, play.subject(POWER, row, 2), play.photographed(POWER, row, [MOVE], 2))
    receipt = play.letters(POWER)[-1]
    assert "Version 7, which came by post, is on file and counts before it" in receipt.words
    assert play.subject(POWER, row, 8) in receipt.words
    sheets = play.says(f"/sheets/{row.id}")
    assert re.search(r"✓ counts v7 by post.* ○ does not count v2 by mail", sheets)
    orders = judged(play, 1, HOLD)
    assert HOLD in orders
    assert MOVE not in orders


def test_a_mail_for_a_closed_phase_is_open_to_the_coordinator(play: MailroomPlay) -> None:
    """PHA-03: a mail that no one could place is sealed until its own deadline and not longer. One that
    came after it is sealed for the next phase, and keeps no results back."""
    row = play.phase(1)
    arrives(play, "my orders", play.photographed(POWER, row, [MOVE]))
    (mail,) = play.quarantine()
    assert "sealed" in play.says(f"/quarantine/{mail}").lower()
    play.until(row.deadline + timedelta(minutes=1))
    results = f"/results/{row.id}"
    assert "a mail in quarantine of France" in play.send(results, f"{results}/approve", 409)
    assert "sealed" not in play.says(f"/quarantine/{mail}").lower()
    play.send(f"/quarantine/{mail}", f"/quarantine/{mail}/assign", place=f"{row.id} {POWER}", version="1")
    assert MOVE in judged(play, 1, MOVE)
    play.clock.advance(HOUR)
    arrives(play, "my orders", play.photographed(POWER, row, [HOLD]))
    (early,) = play.quarantine()
    approve(play, 1)
    assert "sealed" in play.says(f"/quarantine/{early}").lower()


def test_help_with_a_sheet_on_file_names_the_next_version(play: MailroomPlay) -> None:
    """PHA-11: "Hilfe" was refused as a sheet, with a subject that was used already."""
    row = play.phase(1)
    arrives(play, play.subject(POWER, row), play.typed([MOVE]))
    arrives(play, "Hilfe", [text("")])
    assert play.letters(POWER)[-1].kind == "command"
    arrives(play, "my orders", play.typed([HOLD]))
    refusal = play.letters(POWER)[-1]
    assert refusal.kind == "rejection"
    assert play.subject(POWER, row, 2) in refusal.words
    play.send("/quarantine", f"/quarantine/{play.quarantine()[0]}/discard", why="The first one counts.")
    assert MOVE in judged(play, 1)
    approve(play, 1)


def test_no_phase_is_judged_before_a_dead_address_was_asked(play: MailroomPlay) -> None:
    """PHA-01, PHA-09: the phase waits for the player whose letter came back at once. The new address gets a
    letter, and a deadline that is ahead of it."""
    old, new = play.people[POWER], "new@france.example"
    judged(play, 1)
    play.dead.add(old)
    approve(play, 1)
    row = next(each for each in play.phases() if each.state != PhaseState.SENT)
    play.until(row.deadline + HOUR)
    assert play.phase(row.ordinal).state == PhaseState.OPEN
    notice = play.letters(COORDINATOR)[-1]
    assert f"No letter with the request for orders to {NAME} was accepted" in notice.words
    game = f"/games/{play.game}"
    assert phase_title(row) in play.says(game)
    play.send(game, f"{game}/address", power=POWER, mail=new)
    play.send(game, f"{game}/address/remove", power=POWER, mail=old)
    play.people[POWER] = new
    later = row.deadline + 14 * DAY
    play.look_and_send(
        game, f"{game}/move", phase=str(row.id), day=f"{later:%Y-%m-%d}", hour=f"{later:%H:%M}",
        why="An address was dead.", later="yes")
    play.send("/health", "/health/retry")
    assert {each.kind for each in play.letters(new)} >= {"deadlinemoved", "finalresults"}
    row = play.phase(row.ordinal)
    arrives(play, play.subject(POWER, row), play.typed([MOVE]))
    assert MOVE in judged(play, row.ordinal)
