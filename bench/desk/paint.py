"""How soon the first of a page is painted, with twenty games and five or ten years of history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from secrets import token_urlsafe
from typing import Any

from sqlalchemy import select

from bench.desk import history
from bench.desk.browser import WIDE
from bench.desk.site import SheetLocation
from bench.figure import Figure, median, percentile, tidy
from service.clock import SystemClock
from service.public import me
from service.site_folder import opened
from service.store.tables import AccessLinkRow, PhaseRow, PhaseState, PlayerRow, SeatRow
from service.web import sessions

GAMES = 20
YEARS = (5, 10)
SOON = 200
"""Milliseconds within which a page's first is painted: the desk plan's of the desk, the issue's of the public
pages."""
LOOKS = 15
"""At each page, after one that is not counted; the pages take turns, so that a busy moment spoils no page
alone."""
VARIANT = "w3k"
GAME = "game, public"
_PAINTED = """() => { const found = performance.getEntriesByType('paint').find((one) => one.name === 'first-contentful-paint');
  return found ? found.startTime : null; }"""

Times = Mapping[str, list[float]]
"""Milliseconds from the beginning of the navigation to the first paint with something on it, by page."""


def fill(place: SheetLocation, years: int) -> None:
    """Games beside the one of the sample, `GAMES` together, with years of history."""
    with opened(place.settings) as store:
        for number in range(1, GAMES):
            with store.begin() as session:
                history.fill(session, number, years, VARIANT, SystemClock().now())


def pages(place: SheetLocation) -> dict[str, str]:
    """What is looked at: a page's name and its address. The page of lines has the sample's, the others all
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
            "today": "/", "a line to read": f"/desk/{place.phase}",
            "a phase that is sealed": f"/desk/{now.id}",
            "sheets of a phase": f"/sheets/{place.phase}",
            "results of a phase years ago": f"/results/{old.id}",
            "rehearsal": f"/rehearsal/{place.phase}", "quarantine": "/quarantine", "letters": "/letters",
            "post": "/post", "games": "/games", "a game": f"/games/{game}", "log": "/log",
            "health": "/health",
            GAME: f"/public/{game}", "calendar, public": f"/public/{game}/calendar",
            "map, public": f"/public/{game}/map",
            "moves, public": f"/public/moves/{VARIANT}", "rules, public": f"/public/rules/{VARIANT}",
            "entry asked for, public": "/public/entry", "entry, a player's": "/public/me",
            "players, a player's": f"/public/{game}/players", "my file, a player's": f"/public/{game}/file",
        }


def visit(place: SheetLocation, game: str) -> str:
    """The secret of a visit by a player of this game, who plays for this."""
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
                token_hash=me.digest(secret),
                player_id=seat.player_id,
                opens=me.VISIT,
                made_at=SystemClock().now(),
                until=SystemClock().now() + timedelta(days=1),
            )
        )
        return secret


def measure(browser: Any, place: SheetLocation, address: str) -> Times:
    """Every page `LOOKS` times, in a browser that has the style sheets from its first look."""
    found_at = pages(place)  # once: the server opens phases meanwhile
    context = browser.new_context(viewport=WIDE)
    context.add_cookies(
        [
            {"name": sessions.COOKIE, "value": place.token, "url": address},
            {
                "name": me.COOKIE,
                "value": visit(place, found_at[GAME].removeprefix("/public/")),
                "url": address,
            },
        ]
    )
    page, found = context.new_page(), {name: list[float]() for name in found_at}
    for look in range(LOOKS + 1):
        for name, path in found_at.items():
            answer = page.goto(address + path)
            assert answer.status == 200, f"{path}: {answer.status}"
            page.wait_for_load_state("load")
            painted = _painted(page)
            if look:
                found[name].append(painted)
    context.close()
    return found


def _painted(page: Any) -> float:
    for _ in range(200):
        found = page.evaluate(_PAINTED)
        if found is not None:
            return float(found)
        page.wait_for_timeout(10)
    raise AssertionError(f"nothing was painted of {page.url}")


def figures(found: Mapping[int, Times]) -> Iterator[Figure]:
    """Each page with each history, and the slowest page's ratio."""
    for years, times in found.items():
        for name, own in times.items():
            middle = median(own)
            kept = "kept" if middle is not None and middle < SOON else "missed"
            yield Figure((f"first paint, {years} years, {name}: "
                          f"median"), tidy(middle), "ms", len(own), f"under {SOON}: {kept}",
                         f"p95 {tidy(percentile(own, 0.95))} ms, best {tidy(min(own))} ms")
    few, many = (found[years] for years in YEARS)
    worst = max(few, key=lambda name: min(many[name]) / min(few[name]))
    yield Figure((f"first paint with {YEARS[1]} years over {YEARS[0]}, best times, worst "
                  f"page"), tidy(min(many[worst]) / min(few[worst]), 2),
                 "times", len(few), "no slower", worst)
