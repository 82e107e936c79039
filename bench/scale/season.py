"""A season of a site on a simulated clock: mails, sheets, deadlines, results and letters, with the costs that
were measured.

Nothing is run. Each piece of work takes the processor seconds that it took on a site of this size, or that it
is charged with; so many cores take the most urgent piece first, as the queue's ranks do, and so many
connections to the relay each hand over one letter at a time. What it leaves out: what several machines wait
for each other, and what people wait (a line to be read by a person, results to be approved).
"""

from __future__ import annotations

import heapq
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from bench.figure import Figure, percentile
from bench.scale.costs import POWERS, Costs
from bench.scale.parts import Arrivals, Sizes

HOUR, DAY = 3600.0, 86400.0
DEADLINE = 12 * DAY
"""From a season's first day to its first deadline."""
DEADLINE_HOURS = 4
"""All games of a site close in so many hours, a quarter of them at the beginning of each."""
LEAST_LEFT = 60.0
"""Seconds before a deadline at which the last mails of `Arrivals.INVERSE` come."""
RELAY_SECONDS = 0.2
"""What a relay takes for a letter of 2 MB on one connection: some five a second."""
CONNECTIONS = (2, 4, 8, 16)
"""Connections to the relay that are tried; the first is the default of `mail_out.connections`."""
CORES = (2, 4, 6, 8, 12, 16, 24, 32)
JUDGED_WITHIN, MAILED_WITHIN = 300.0, 3600.0
"""Seconds within which 99 of 100 games are judged, and mailed, on a site that has enough machines."""
CORES_OF_A_MACHINE = 4


class Work(IntEnum):
    """A kind of work; the lowest goes first."""

    CLOSE = 0
    MAIL = 1
    RECEIPT = 2
    READ = 3
    RESULTS = 4


@dataclass(slots=True)
class Season:
    """The fate of a season on `cores` cores and `connections` to the relay. Waits are seconds from a
    deadline until a game is judged, until its results are written, and until the relay has its last letter;
    `busy`: processor seconds by kind of work; `backlog`: an hour of the clock, and the jobs that waited
    then."""

    cores: int
    connections: int
    arrivals: Arrivals = Arrivals.SHARES
    judged: list[float] = field(default_factory=list)
    written: list[float] = field(default_factory=list)
    mailed: list[float] = field(default_factory=list)
    read: list[float] = field(default_factory=list)
    busy: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    backlog: list[tuple[int, int]] = field(default_factory=list)

    @property
    def has_enough_cores(self) -> bool:
        """Whether nearly all games were judged and their results written in time."""
        return _p99(self.judged) <= JUDGED_WITHIN and _p99(self.written) <= MAILED_WITHIN

    @property
    def is_enough(self) -> bool:
        """Whether nearly all results were mailed in time, too."""
        return self.has_enough_cores and _p99(self.mailed) <= MAILED_WITHIN


def figures(costs: Costs, sizes: Sizes) -> Iterator[Figure]:
    """The season of a site of `costs.games` games, for each way in which mails come."""
    for arrivals in sizes.arrivals:
        yield from _figures(costs, sizes, arrivals)
    of = costs.games
    yield Figure(f"season of {of} games: mails", of * POWERS, "mails", of=of)
    letters = of * (POWERS + costs.letters_a_game)
    yield Figure(f"season of {of} games: letters", round(letters), "letters", of=of)


def _figures(costs: Costs, sizes: Sizes, arrivals: Arrivals) -> Iterator[Figure]:
    """Figures for each number of cores up to the least that is enough, and then of connections to the relay;
    how many machines and connections it takes."""

    def played(cores: int, connections: int) -> Season:
        return play(costs, sizes, cores, connections, arrivals)

    seasons = [played(CORES[0], CONNECTIONS[0])]
    for cores in CORES[1:]:
        if not seasons[-1].has_enough_cores:
            seasons.append(played(cores, CONNECTIONS[0]))
    for connections in CONNECTIONS[1:]:
        if seasons[-1].has_enough_cores and not seasons[-1].is_enough:
            seasons.append(played(seasons[-1].cores, connections))
    for season in seasons:
        yield from _figures_of(costs, season)
    last, of = seasons[-1], costs.games
    cores, connections = last.cores, last.connections
    how = f"{cores} cores in all, {CORES_OF_A_MACHINE} a machine; {connections} connections to the relay"
    yield Figure(f"season of {of} games, mails {_pattern(sizes, arrivals)}: machines it takes",
                 -(-cores // CORES_OF_A_MACHINE) if last.is_enough else None, "machines", of=of,
                 how=how if last.is_enough else f"not enough: {how}")


def _pattern(sizes: Sizes, arrivals: Arrivals) -> str:
    if arrivals is Arrivals.INVERSE:
        return "by the inverse of the time left"
    return f"{sizes.last_day:.0%} on the last day, {sizes.last_hour:.0%} in the last hour"


def _p99(waits: list[float]) -> float:
    return percentile(waits, 0.99) or 0.0


def _figures_of(costs: Costs, season: Season) -> Iterator[Figure]:
    name = (f"season of {costs.games} games, mails by {season.arrivals.value}, {season.cores} cores, "
            f"{season.connections} to the relay: ")
    how, of = "simulated from the costs above", costs.games
    for what, waits in (("judged", season.judged), ("results written", season.written),
                        ("mailed", season.mailed)):
        for share in (0.5, 0.99):
            wait = percentile(waits, share) or 0.0
            yield Figure(f"{name}deadline to {what}, p{share * 100:.0f}", round(wait, 1), "s", of=of, how=how)
    wait = round(_p99(season.read))
    yield Figure(f"{name}mail to sheet read, p99", wait, "s", of=len(season.read), how=how)
    parts = ", ".join(f"{part} {seconds / HOUR:.2f} h" for part, seconds in sorted(season.busy.items()))
    hours = round(sum(season.busy.values()) / HOUR, 2)
    yield Figure(f"{name}processor time", hours, "CPU h", of=of, how=parts)
    backlog = " ".join(f"{hour}h:{waiting}" for hour, waiting in season.backlog if waiting)
    most = max((waiting for _, waiting in season.backlog), default=0)
    yield Figure(f"{name}jobs that wait at a full hour, at most", most, "jobs", of=of, how=backlog or "none")


def play(
    costs: Costs, sizes: Sizes, cores: int, connections: int, arrivals: Arrivals = Arrivals.SHARES,
    seed: int = 1,
) -> Season:
    """A season on so many cores: mails come, games close, results are drawn and leave."""
    chance = random.Random(seed)  # noqa: S311 no secret
    before = [[time_left(chance, sizes, arrivals) for _ in range(POWERS)] for _ in range(costs.games)]
    return _Clockwork(costs, sizes.read_seconds, Season(cores, connections, arrivals), before).run()


class _Clockwork:
    """One run of the simulated clock."""

    def __init__(
        self, costs: Costs, read_seconds: float, season: Season, before: Sequence[Sequence[float]]
    ) -> None:
        """`before`: of each game, how many seconds before its deadline its mails come."""
        self._season, self._costs = season, costs
        self._seconds = {
            Work.MAIL: costs.mail, Work.READ: read_seconds, Work.RECEIPT: costs.letter,
            Work.CLOSE: costs.close + costs.database, Work.RESULTS: costs.results,
        }
        self._free, self._relay_free = season.cores, [0.0] * season.connections
        self._waiting: list[tuple[Work, float, int, int, float]] = []
        self._count = 0
        # When something happens: a job comes, or one ends.
        self._events: list[tuple[float, int, Work, int, float, bool]] = []
        self._deadlines = [DEADLINE + HOUR * (game * DEADLINE_HOURS // costs.games)
                           for game in range(costs.games)]
        self._unread = [POWERS] * costs.games
        for game, deadline in enumerate(self._deadlines):
            self._come(deadline, Work.CLOSE, game, deadline)
            for left in before[game]:
                self._come(deadline - left, Work.MAIL, game, deadline - left)

    def run(self) -> Season:
        """Let the clock run until everything is done."""
        hour = 0
        while self._events:
            now, _, work, game, since, ended = heapq.heappop(self._events)
            while hour * HOUR <= now:
                self._season.backlog.append((hour, len(self._waiting)))
                hour += 1
            if ended:
                self._free += 1
                self._end(now, work, game, since)
            else:
                self._queue(work, game, since)
            self._start(now)
        return self._season

    def _queue(self, work: Work, game: int, since: float) -> None:
        self._count += 1
        # Sheets are read by their deadline, and closing and results in the order of theirs.
        order = since if work in {Work.MAIL, Work.RECEIPT} else self._deadlines[game]
        heapq.heappush(self._waiting, (work, order, self._count, game, since))

    def _start(self, now: float) -> None:
        while self._free and self._waiting:
            work, _, _, game, since = heapq.heappop(self._waiting)
            self._free -= 1
            self._season.busy[work.name.lower()] += self._seconds[work]
            self._happen(now + self._seconds[work], work, game, since, ended=True)

    def _end(self, now: float, work: Work, game: int, since: float) -> None:
        """What follows from a piece of work that is done."""
        match work:
            case Work.MAIL:
                self._queue(Work.READ, game, since)
            case Work.READ:
                self._season.read.append(now - since)
                self._queue(Work.RECEIPT, game, since)
                self._unread[game] -= 1
                if self._unread[game] == 0 and now > self._deadlines[game]:
                    self._queue(Work.CLOSE, game, since)
            case Work.CLOSE if self._unread[game] == 0:
                self._season.judged.append(now - self._deadlines[game])
                self._queue(Work.RESULTS, game, since)
            case Work.RESULTS:
                self._season.written.append(now - self._deadlines[game])
                self._season.mailed.append(self._send(now) - self._deadlines[game])
            case _:
                pass

    def _send(self, now: float) -> float:
        """When the last letter of a game's results is with the relay."""
        self._season.busy["letters"] += self._costs.letter * self._costs.letters_a_game
        for _ in range(round(self._costs.letters_a_game)):
            free_at = heapq.heappop(self._relay_free)
            last = max(now, free_at) + RELAY_SECONDS
            heapq.heappush(self._relay_free, last)
        return last

    def _come(self, when: float, work: Work, game: int, since: float) -> None:
        self._happen(when, work, game, since, ended=False)

    def _happen(self, when: float, work: Work, game: int, since: float, *, ended: bool) -> None:
        self._count += 1
        heapq.heappush(self._events, (when, self._count, work, game, since, ended))


def time_left(chance: random.Random, sizes: Sizes, arrivals: Arrivals) -> float:
    """How many seconds before the deadline a mail comes."""
    if arrivals is Arrivals.INVERSE:
        # The logarithm of the time left is spread evenly.
        return float(LEAST_LEFT * (DEADLINE / LEAST_LEFT) ** chance.random())
    draw = chance.random()
    if draw < sizes.last_hour:
        return HOUR * chance.random()
    return (DAY if draw < sizes.last_day else DEADLINE) * chance.random()
