"""The site as anybody sees it, over a game that is open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fastapi.testclient import TestClient

from service.app import create_app
from service.notices.results import ResultsAnnouncer
from tests.support.desk_ports import desk_ports
from tests.support.site import Site
from tests.support.table import Table

BASE = "https://orders.example.org"


def map_of(table: Table) -> Callable[[str], bytes | None]:
    """The map of a game as its page hands it out."""

    def pdf(game: str) -> bytes | None:
        with table.site.store() as session:
            return ResultsAnnouncer(table.writer).map_pdf(session, game)

    return pdf


@contextmanager
def visitor(site: Site, map_pdf: Callable[[str], bytes | None] = lambda _: None) -> Iterator[TestClient]:
    """A browser without a sign-in."""
    app = create_app(desk_ports(
        sessions=site.store, blobs=site.blobs, clock=site.clock, map_pdf=map_pdf, base_url=BASE,
    ))
    with TestClient(app) as client:
        yield client
