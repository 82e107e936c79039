"""The demo's site: its folder, mail server, desk and everything that `galloper serve` runs, on loopback."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from demo.arrivals import ORDERS
from demo.coordinator import NAME, PASSWORD, ScriptedCoordinator
from demo.mail_server import DemoMailServer
from demo.open_game import open_game
from demo.story import AUTHSERV, Story
from demo.teller import Teller
from demo.waiting import Patience
from service.bootstrap import Running, Site, open_site
from service.clock import SimulatedClock
from service.config import MailOut, ReaderSettings, Settings, Web
from service.pictures import board_plan
from service.web import sessions
from service.web.server import WebError, WebServer

# Seconds after which the mailbox is opened again: the demo's mail server may lose sight of mails that came
# while others were moved away.
KEEP_ALIVE_SECONDS = 15

START = date(2027, 3, 1)
COORDINATOR = "coordinator@galloper.example"
DESK_PORT = 8642


@dataclass(frozen=True, slots=True)
class Stage:
    """One run's site and all that belongs to it. `address`: the desk's."""

    story: Story
    root: Path
    site: Site
    clock: SimulatedClock
    server: DemoMailServer
    coordinator: ScriptedCoordinator
    patience: Patience
    teller: Teller
    address: str


@contextmanager
def open_stage(story: Story, root: Path, teller: Teller, *, fast: bool) -> Iterator[Stage]:
    """Start everything for a story in an empty folder, and end it afterwards.

    Raises what the site raises, such as OSError for a disk that is full.
    """
    # A site as a coordinator would set it up, with its own mailbox and a clock that the story moves.
    server = DemoMailServer()
    server.start()
    try:
        clock = SimulatedClock(datetime.fromisoformat(f"{START}T07:00:00+00:00"))
        site = open_site(_settings(root, server), clock=clock)
        try:
            open_game(site, story, START)
            with site.store.begin() as session:
                sessions.add_user(session, NAME, PASSWORD, clock.now())
            running = Running(site)
            web = _web_server(site, fast=fast)
            running.start()
            try:
                web.start()
                # Placing the map's names takes seconds; the first sheets are read meanwhile.
                threading.Thread(target=board_plan, args=(story.variant,), name="galloper-map",
                                 daemon=True).start()
                coordinator = ScriptedCoordinator(web.address)
                coordinator.sign_in()
                yield Stage(story, root, site, clock, server, coordinator,
                            Patience(site.store, root, teller, server.check), teller, web.address)
            finally:
                web.stop()
                running.stop()
        finally:
            site.engine.dispose()
    finally:
        server.stop()


def _web_server(site: Site, *, fast: bool) -> WebServer:
    """The desk at its usual port, or at any free one if that is taken: a demo should not fail on it."""
    try:
        return WebServer(site.desk(), "127.0.0.1", 0 if fast else DESK_PORT)
    except WebError:
        return WebServer(site.desk(), "127.0.0.1", 0)


def _settings(root: Path, server: DemoMailServer) -> Settings:
    trusted = {"trusted_authserv_ids": (AUTHSERV,), "keep_alive_seconds": KEEP_ALIVE_SECONDS}
    return Settings(
        data=str(root),
        # Next to `root` is a visitor's own folder.
        site_key=str(root / "site.key"),
        order_address=ORDERS,
        coordinator=COORDINATOR,
        mail_in=server.settings().model_copy(update=trusted),
        mail_out=MailOut(kind="folder", path=str(root / "outbox"), sender=f"Galloper <{ORDERS}>"),
        # A player's hand is learnt for the sheets of later seasons, which the demo does not play.
        reader=ReaderSettings(players_hands=False),
        web=Web(secure_cookies=False),
    )
