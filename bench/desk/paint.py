"""How soon a page's first content is painted, with twenty games and five or ten years of history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from secrets import token_urlsafe
from typing import Any

from sqlalchemy import select

from bench.desk import history
from bench.desk.browser import DESKTOP
from bench.desk.site import SheetLocation
from bench.figure import Figure, median, percentile, rounded
from service.clock import SystemClock
from service.public import visits
from service.site_folder import opened
from service.store.tables import AccessLinkRow, PhaseRow, PhaseState, PlayerRow, SeatRow
from service.web import sessions

GAMES = 20
YEARS = (5, 10)
# Milliseconds within which a page's first content is painted: set by the desk plan for the desk, by the issue
# for the public pages.
TARGET_MS = 200
# Visits to each page, after one that is not counted. The pages take turns, so that a busy moment does not hit
# one page alone.
VISITS = 15
VARIANT = "w3k"
GAME = "game, public"
_PAINTED = """() => {
  const paint = performance.getEntriesByType('paint').find(({ name }) => name === 'first-contentful-paint');
  return paint ? paint.startTime : null; }"""

Times = Mapping[str, list[float]]
"""Milliseconds from the beginning of the navigation to the first paint with something on it, by page."""


def fill(place: SheetLocation, years: int) -> None:
    """Add games with years of history to the sample's game; GAMES together."""
    with opened(place.settings) as store:
        for number in range(1, GAMES):
            with store.begin() as session:
                history.fill(session, number, years, VARIANT, SystemClock().now())


def pages(place: SheetLocation) -> dict[str, str]:
    """The pages to visit, by name: their addresses. The page of lines has the sample, the others all
    games."""
    with opened(place.settings) as store, store() as session:
        old = session.scalars(
            select(PhaseRow).where(PhaseRow.state == PhaseState.SENT, PhaseRow.kind == "movement")
        ).first()
        now = session.scalars(
            select(PhaseRow).where(PhaseRow.state == PhaseState.OPEN).order_by(PhaseRow.id)
        ).first()
        assert old is not None
        assert now is not None
        game = now.game_id
        return {
            "inbox": "/", "a line to read": f"/desk/{place.phase}",
            "a phase that is sealed": f"/desk/{now.id}",
            "sheets of a phase": f"/sheets/{place.phase}",
            "results of a phase years ago": f"/results/{old.id}",
            "rehearsal": f"/rehearsal/{place.phase}", "mails held": "/?show=mails", "letters": "/letters",
            "post": "/post", "games": "/games", "a game": f"/games/{game}", "log": "/log",
            "health": "/health",
            GAME: f"/public/{game}", "calendar, public": f"/public/{game}/calendar",
            "map, public": f"/public/{game}/map",
            "moves, public": f"/public/moves/{VARIANT}", "rules, public": f"/public/rules/{VARIANT}",
            "entry asked for, public": "/public/entry", "entry, a player's": "/public/me",
            "players, a player's": f"/public/{game}/players", "my file, a player's": f"/public/{game}/file",
        }


def visit(place: SheetLocation, game: str) -> str:
    """The secret of a visit by a player of this game, who is made up if the seat is empty."""
    with opened(place.settings) as store, store.begin() as session:
        seat = session.scalars(select(SeatRow).where(SeatRow.game_id == game).order_by(SeatRow.power)).first()
        assert seat is not None
        if seat.player_id is None:
            player = PlayerRow(name="A player of the measurement", zone="Europe/London")
            session.add(player)
            session.flush()
            seat.player_id = player.id
        secret = token_urlsafe(32)
        session.merge(
            AccessLinkRow(
                token_hash=visits.digest(secret),
                player_id=seat.player_id,
                opens=visits.VISIT,
                made_at=SystemClock().now(),
                until=SystemClock().now() + timedelta(days=1),
            )
        )
        return secret


def measure(browser: Any, place: SheetLocation, address: str) -> Times:
    """Visit every page VISITS times, in a browser that has the style sheets from its first visit."""
    addresses = pages(place)  # asked once: the server opens phases meanwhile
    context = browser.new_context(viewport=DESKTOP)
    secret = visit(place, addresses[GAME].removeprefix("/public/"))
    context.add_cookies([
        {"name": sessions.COOKIE, "value": place.token, "url": address},
        {"name": visits.COOKIE, "value": secret, "url": address},
    ])
    page, times = context.new_page(), {name: list[float]() for name in addresses}
    for number in range(VISITS + 1):
        for name, path in addresses.items():
            answer = page.goto(address + path)
            assert answer.status == 200, f"{path}: {answer.status}"
            page.wait_for_load_state("load")
            first_paint = _first_paint_ms(page)
            if number:
                times[name].append(first_paint)
    context.close()
    return times


def _first_paint_ms(page: Any) -> float:
    for _ in range(200):
        milliseconds = page.evaluate(_PAINTED)
        if milliseconds is not None:
            return float(milliseconds)
        page.wait_for_timeout(10)
    raise AssertionError(f"nothing was painted of {page.url}")


def figures(times_by_years: Mapping[int, Times]) -> Iterator[Figure]:
    """Each page with each history, and the ratio of the page that history slows down most."""
    for years, times in times_by_years.items():
        for name, milliseconds in times.items():
            middle = median(milliseconds)
            verdict = "kept" if middle is not None and middle < TARGET_MS else "missed"
            method = f"p95 {rounded(percentile(milliseconds, 0.95))} ms, best {rounded(min(milliseconds))} ms"
            yield Figure((f"first paint, {years} years, {name}: "
                          f"median"), rounded(middle), "ms", len(milliseconds),
                         f"under {TARGET_MS}: {verdict}", method)
    fewer_years, more_years = (times_by_years[years] for years in YEARS)
    worst = max(fewer_years, key=lambda name: min(more_years[name]) / min(fewer_years[name]))
    yield Figure(f"first paint with {YEARS[1]} years over {YEARS[0]}, best times, worst page",
                 rounded(min(more_years[worst]) / min(fewer_years[worst]), 2), "times", len(fewer_years),
                 "no slower", worst)
