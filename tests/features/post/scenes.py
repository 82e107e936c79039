"""Letters by post in games that honest keepers and cheats play (tests/service/archive)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from service.features.post.postal_mail import LogLetter, PostalMail, PostedLetter
from service.intake.opening.sandbox import SandboxLimits
from service.intake.sheets.recognizer import ImageOpener
from service.notices import results_facts
from service.store.tables import PhaseState
from tests.service.archive.cheats.table import BEFORE, WITH_PLAYER, Cheat, exchange
from tests.service.archive.honest.game import HonestGame
from tests.service.archive.honest.sheets import read_all
from tests.support import keeper
from tests.support.acting import do
from tests.support.keeper import OTHER, SHORT, recognize
from tests.support.mail_builder import picture
from tests.support.table import Table

if TYPE_CHECKING:
    from tests.service.web.test_roles import TwoGames


def post_room(table: Table) -> PostalMail:
    return PostalMail(table.site.blobs, table.site.jobs, ImageOpener(SandboxLimits()), table.writer)


def log(table: Table, letter: PostedLetter, scans: Sequence[bytes]) -> int | None:
    """Log a letter; the id of the sheet that its scans were filed as."""
    return do(table, LogLetter(post_room(table), letter, scans)).submission_id


def posts(game: HonestGame) -> None:
    """A letter by post with a scan, or only ticked, with or without a word for the lots."""
    row = game.phase()
    if row is None or row.state not in {PhaseState.OPEN, PhaseState.CLOSED} or game.now < row.opens_at:
        return
    arrival = min(game.now, row.deadline) - timedelta(minutes=1)
    word = "thistle" if game.chance.random() < 0.4 and game.now < row.deadline else ""
    letter = PostedLetter(row.id, game.chance.choice(sorted(game.powers())), arrival.date(), arrival.time(),
                          word=word, version=game.chance.choice((None, 3)))
    scans = [picture(game.new_shade())] if game.chance.random() < 0.7 else []
    log(game.table, letter, scans)
    read_all(game)


def logs(table: Table, chance: random.Random) -> None:
    row = keeper.in_play(table)
    if row.state not in {PhaseState.OPEN, PhaseState.CLOSED} or table.site.clock.now() < row.opens_at:
        return
    arrival = min(table.site.clock.now(), row.deadline) - timedelta(minutes=1)
    letter = PostedLetter(row.id, SHORT, arrival.date(), arrival.time())
    number = log(table, letter, [picture(chance.randrange(300, 30_000))])
    if number is not None:
        recognize(table, number, doubtful=False)


def ticks(table: Table, _chance: random.Random) -> None:
    row = keeper.in_play(table)
    if row.state == PhaseState.OPEN:
        letter = PostedLetter(row.id, OTHER, table.site.clock.now().date(), row.opens_at.time())
        log(table, letter, [])


def _word_by_hand(table: Table) -> None:
    """The word that gives the wished draw, tried out with the seed in hand and logged as by post."""
    row = keeper.in_play(table)
    table.site.clock.set(row.deadline - timedelta(minutes=30))
    arrival = row.deadline - timedelta(hours=1)
    letter = PostedLetter(row.id, SHORT, arrival.date(), arrival.time(), word="heather")
    # With a scan: results do not leave while a letter without one waits.
    number = log(table, letter, [picture(215)])
    assert number is not None
    recognize(table, number, doubtful=False)


def _posted_behind(table: Table) -> None:
    """A letter by post that is typed in three hours after the sheets were open, as come before that."""
    row = keeper.in_play(table)
    table.site.clock.set(row.deadline + timedelta(hours=3))
    hour = (row.deadline - timedelta(hours=1)).time()
    letter = PostedLetter(row.id, OTHER, row.deadline.date(), hour, version=5)
    number = log(table, letter, [picture(210)])
    assert number is not None
    recognize(table, number, moved=True, doubtful=False)


def _posted_in_silence(table: Table) -> None:
    """The same, and the program that writes the results has nothing of it."""
    _posted_behind(table)
    exchange(results_facts, "notable_of", lambda *_facts: ())


def settles_letters_of_one_game(games: TwoGames) -> None:
    """The coordinator of one game has the letters of that game, and no scan that another put into the tray;
    anyone who reads in it has neither."""
    own, other, desk = games.own_ids, games.other_ids, games.desk
    games.become("coordinator of it")
    letter = {"place": f"{own['phase_id']} Hamilton", "received": "2027-01-02"}
    assert desk.post("/post", **letter).status_code == 303
    assert "original received" in desk.page("/post")
    for form in ({**letter, "scan": str(other["scan"])}, {**letter, "scan": str(own["scan"])}):
        assert desk.post("/post/scans/file", **form).status_code == 403
    assert desk.post("/post/scans/take-out", scan=str(other["scan"])).status_code == 403
    assert desk.post("/post", place=f"{2**70} Argyll", received="2027-01-02").status_code == 403
    for role in ("reader of it", "of no game"):
        games.become(role)
        assert desk.post("/post/scans").status_code == 403
        assert desk.post("/post", **letter).status_code == 403


CHEATS = (
    Cheat("a word for the lots is logged as by post", WITH_PLAYER, BEFORE, "winter", _word_by_hand, "C15",
          is_named=True),
    Cheat("a letter by post is typed in once all sheets are open", WITH_PLAYER, BEFORE, "closed",
          _posted_behind, "C15", is_named=True),
    Cheat("the same, and the results say nothing of it", WITH_PLAYER, BEFORE, "closed", _posted_in_silence,
          "C15"),
)
