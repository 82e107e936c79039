"""A game in hand: its table, the chance that plays it, and the letters that its players keep."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import maps
from adjudicator.calendar import Phase, PhaseKind
from service.archive.export import Edition
from service.notices.results import ResultsAnnouncer
from service.store import records
from service.store.letter_parts import finished
from service.store.tables import GameRow, PhaseRow, PhaseState, SubmissionRow, UserRow
from tests.support.keeper import Evidence
from tests.support.played import archived
from tests.support.site import Site, make_site
from tests.support.table import Table, address, open_table

COORDINATORS = ("Ada", "Ben", "Cleo")
REASON = "the players asked for it in their letters"


@dataclass
class HonestGame:
    """A game that is played by chance. `done`: the acts so far, for the message of a failure; `letters_kept`:
    of each player, from sites that were given up; `sites`: closed at the end."""

    table: Table
    folder: Path
    chance: random.Random
    sites: ExitStack
    database: Callable[[], str] | None = None
    done: list[str] = field(default_factory=list)
    letters_kept: dict[str, dict[str, bytes]] = field(default_factory=dict)
    shade: int = 300
    moves: int = 0
    moves_at_desk: int = 0
    is_kept: bool = False
    """Whether the players have all their letters, and the site has not."""

    @property
    def site(self) -> Site:
        return self.table.site

    @property
    def now(self) -> datetime:
        return self.site.clock.now()

    def wait(self, span: timedelta) -> None:
        self.site.clock.set(self.now + span)

    def phase(self) -> PhaseRow | None:
        """The first phase whose results are not sent; None of a game that is over."""
        return next((phase for phase in self.table.phases() if phase.state != PhaseState.SENT), None)

    def powers(self) -> dict[str, str]:
        """Each power that a person holds, with the address of its player."""
        with self.site.store() as session:
            groups = records.addresses(session, self.table.game)
        return {power: min(group) for power, group in groups.items() if group}

    def submissions(self, phase_id: int) -> list[SubmissionRow]:
        with self.site.store() as session:
            return records.submissions(session, phase_id)

    def new_shade(self) -> int:
        """A colour that no picture of this game has yet, so that no two photographs are the same."""
        self.shade += 1
        return self.shade

    def keep_letters(self) -> None:
        """Every player files the letters that came until now: a site that is put back forgets some."""
        if self.is_kept:
            return
        with self.site.store() as session:
            name = session.get_one(GameRow, self.table.game).name
        for row in self.table.letters():
            mine = self.letters_kept.setdefault(row.recipient, {})
            words = finished(self.site.blobs, row)
            if row.game_id in {self.table.game, None} and name:
                mine[f"{self.moves}-{row.id:04}-{row.kind}.eml"] = words

    def settle_in(self, site: Site) -> None:
        """Go on at another site, whose database has the same game."""
        self.moves += 1
        table = Table(site, self.table.variant, self.table.game, self.table.announce)
        table.announce = ResultsAnnouncer(table.writer, drawing=False)
        table.sent = self.table.sent
        self.table = table

    def new_site(self, url: str = "") -> Site:
        """A site in its own folder, a few minutes later."""
        place = self.folder / f"site-{self.moves + 1}"
        place.mkdir(parents=True)
        return self.sites.enter_context(make_site(place, url, now=self.now + timedelta(minutes=7)))

    def evidence(self) -> tuple[Evidence, list[str]]:
        """Both archives, with each player's letters, and the names of the players."""
        self.keep_letters()
        shown = Evidence(archived(self.table), archived(self.table, Edition.PLAYERS), self.letters_kept)
        return shown, sorted(self.letters_kept)


def named_phase(row: PhaseRow) -> Phase:
    """The phase as a subject names it."""
    return Phase(row.year, row.season, PhaseKind(row.kind))


def begin_game(site: Site, slug: str, chance: random.Random) -> Table:
    """A new game on a board, with people at the desk; one player commands two powers."""
    with site.store.begin() as session:
        for name in COORDINATORS:
            session.add(UserRow(name=name, password="-", role="coordinator", created_at=site.clock.now()))
    # Four players: each letter is written for each of them, and takes its time.
    powers = sorted(chance.sample(sorted(maps.load(slug).powers), k=5))
    players = {power: (address(power),) for power in powers}
    players[powers[-1]] = players[powers[0]]
    table = open_table(site, slug=slug, players=players)
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    return table
