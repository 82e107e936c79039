"""The map of a game for anybody: stable addresses, the newest year-end that was sent, and nothing that is not
told yet."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace

import pypdfium2
import pytest
from fastapi.testclient import TestClient
from PIL import Image

from adjudicator.serialize import codec
from service.store.tables import PhaseState
from tests.support.public_site import map_of, visitor
from tests.support.site import Site
from tests.support.table import Table, open_table


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


@pytest.fixture
def client(site: Site, table: Table) -> Iterator[TestClient]:
    with visitor(site, map_of(table)) as visiting:
        yield visiting


def row(page: str, power: str) -> str:
    heading = rf'<th scope="row"(?: class="name")?>{power}(?:, [A-Z])?</th>'
    match = re.search(rf"{heading}<td>(\d+)</td><td>(.*?)</td>", page)
    assert match is not None
    return f"{match.group(1)}: {match.group(2)}"


def test_the_table_says_in_words_who_holds_what(client: TestClient, table: Table) -> None:
    """MAP-02, MAP-05: letters and a table, without any picture. The opening's six centres of Montrose stand
    in the board's own file."""
    page = client.get(f"/public/{table.game}/map").text
    own_centres = sorted(table.variant.start.centres["Montrose"])
    assert row(page, "Montrose") == f"{len(own_centres)}: {', '.join(own_centres).replace('&', '&amp;')}"
    assert "at the beginning of 1642" in page
    assert "(49" not in row(page, "No power")


@pytest.mark.parametrize(("ending", "points"), [
    pytest.param(".pdf", (841.89, 1190.55), marks=pytest.mark.slow), ("-a4.pdf", (595.28, 841.89)),
])  # fmt: skip
def test_the_map_is_there_as_pdf_of_two_sizes(
    client: TestClient, table: Table, ending: str, points: tuple[float, float]
) -> None:
    """MAP-01, OUT-09."""
    pdf = client.get(f"/public/{table.game}/map{ending}").content
    assert pypdfium2.PdfDocument(io.BytesIO(pdf))[0].get_size() == pytest.approx(points, abs=0.5)


def test_the_map_is_there_as_a_picture(client: TestClient, table: Table) -> None:
    """MAP-01."""
    base = f"/public/{table.game}/map"
    svg = client.get(f"{base}.svg")
    assert svg.headers["content-type"] == "image/svg+xml"
    assert "sandbox" in svg.headers["content-security-policy"]
    with Image.open(io.BytesIO(client.get(f"{base}.png").content)) as picture:
        assert picture.size[0] == 1600


def test_only_a_winter_that_was_sent_changes_the_map(client: TestClient, table: Table) -> None:
    """MAP-01, MAP-03: not what is judged and not sent, and never a unit."""
    winter = next(
        number for number, phase in enumerate(table.phases(), start=1) if phase.kind == "adjustment"
    )
    # A centre that Montrose does not have at the start, so that the map tells whose results it shows.
    position = replace(table.variant.start, centres={"Montrose": frozenset({"London"})})
    phase = table.phase()
    table.site.clock.set(phase.deadline)
    table.close_phase(phase.id)
    judged = table.resolution()
    table.set_phase(winter, state=PhaseState.READY,
                    resolution=codec.dump_resolution(replace(judged, position=position)))
    page = client.get(f"/public/{table.game}/map").text
    assert "London" not in row(page, "Montrose")
    table.set_phase(winter, state=PhaseState.SENT, sent_at=table.site.clock.now())
    page = client.get(f"/public/{table.game}/map").text
    assert row(page, "Montrose") == "1: London"
    assert "at the beginning of 1643" in page
    assert not re.search(r"\b(Army|Fleet)\b", page)


def test_a_game_that_is_not_there_is_said_to_be_none(client: TestClient) -> None:
    for path in ("map", "map.pdf", "map-a4.pdf", "map.svg", "map.png"):
        assert client.get(f"/public/nowhere/{path}").status_code == 404


def test_one_power_that_holds_every_centre_is_drawn_and_told(client: TestClient, table: Table) -> None:
    """109 centres of one power."""
    winter = next(
        number for number, phase in enumerate(table.phases(), start=1) if phase.kind == "adjustment"
    )
    phase = table.phase()
    table.site.clock.set(phase.deadline)
    table.close_phase(phase.id)
    everything = replace(table.variant.start, centres={"Argyll": frozenset(table.variant.board.centres())})
    table.set_phase(winter, state=PhaseState.SENT, sent_at=table.site.clock.now(),
                    resolution=codec.dump_resolution(replace(table.resolution(), position=everything)))
    page = client.get(f"/public/{table.game}/map").text
    assert row(page, "Argyll").startswith("109: ")
    assert row(page, "No power") == "0: none"
    assert client.get(f"/public/{table.game}/map.png").status_code == 200
