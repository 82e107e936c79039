"""The end of a season in a real browser at a real `galloper serve`, at a desk's width and at a phone's: what
is set aside is settled first, odd sheets are asked about, and the letters are made while the page shows how
far they are (LET-01 to LET-06). On every page an automated check of accessibility."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from bench.desk.sample import load_sample
from bench.desk.site import SheetLocation, make, serving
from service.clock import SystemClock
from service.site_folder import opened
from service.store import records
from service.store.blobs import Blobs
from service.store.tables import LineRow, MailRow, MailState, OutboxRow, PageRow, PhaseRow, SubmissionRow
from service.web import sessions
from tests.browser.test_desk_reading import _violations as violations
from tests.support.features import of_features

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800), pytest.mark.xdist_group("browser")]
REASON = "it is headed for another power and season"
LETTERS = {
    "retreat_request": "Every place in which a unit stands is barred as well",
    "adjustment": "may build one unit", **of_features("LETTERS_THAT_ANSWER"),
    "receipt_late": "came after the deadline", "held": "It does not count yet",
}
"""Letters that ask or answer, and what each states."""
SHOTS = os.environ.get("PICTURES_OF_PAGES", "")
"""A folder for pictures of the pages, to be looked at; none by default."""


@pytest.fixture
def place(tmp_path: Path) -> SheetLocation:
    """A closed phase: every line is sure, one sheet is held, and one mail of a power is in quarantine."""
    location = make(tmp_path / "site", load_sample())
    blobs, now = Blobs(Path(location.settings.data) / "blobs"), SystemClock().now()
    with opened(location.settings) as store, store.begin() as session:
        session.execute(update(LineRow).where(LineRow.order.is_not(None)).values(status="auto"))
        session.execute(update(LineRow).where(LineRow.order.is_(None)).values(status="not an order"))
        sheet = session.scalars(select(SubmissionRow).order_by(SubmissionRow.power)).first()
        assert sheet is not None
        sheet.fate, sheet.flags = "held", ["heading_disagrees"]
        posted = session.scalars(select(SubmissionRow).where(SubmissionRow.id != sheet.id)).first()
        assert posted is not None
        posted.flags = ["posted", "year_differs"]
        phase = session.get_one(PhaseRow, location.phase)
        raw = b"From: mallory@elsewhere.example\r\nSubject: Orders of Argyll\r\n\r\nhello"
        key = blobs.put(raw)
        records.add_mail(session, key, len(raw), phase.deadline - (now - now), now)
        mail = session.get_one(MailRow, key)
        mail.state, mail.reason = MailState.QUARANTINED, "unknown_sender"
        mail.verdict = {"game": "Powick Bridge", "power": "Argyll", "season": phase.season,
                        "year": phase.year, "kind": phase.kind, "subject": "Orders of Argyll",
                        "reason": "unknown_sender"}
    return location


@pytest.fixture(params=[1280, 360])
def page(chromium: Any, place: SheetLocation, request: pytest.FixtureRequest) -> Iterator[Any]:
    server = serving(place)
    server.start()
    context = chromium.new_context(viewport={"width": request.param, "height": 800}, base_url=server.address)
    context.set_default_timeout(120_000)
    context.add_cookies([{"name": sessions.COOKIE, "value": place.token, "url": server.address}])
    yield context.new_page()
    context.close()
    server.kill()


def look(page: Any, name: str) -> str:
    """The words of the page, after a check of its accessibility and that nothing sticks out."""
    page.wait_for_load_state("load")
    width = page.viewport_size["width"]
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        if SHOTS:
            page.screenshot(path=f"{SHOTS}/{name}-{width}-{scheme}.png", full_page=True)
        assert violations(page) == [], (name, scheme)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width, name
    return str(page.locator("main").inner_text())


def test_nothing_false_leaves(page: Any, place: SheetLocation) -> None:
    results = f"/results/{place.phase}"
    page.goto("/")
    today = look(page, "today")
    assert "something came, and nothing counts" in today
    page.goto(f"/desk/{place.phase}")
    page.get_by_role("button", name="Judge the turn").click()
    page.wait_for_url(f"**{results}")
    words = look(page, "results-blocked")
    assert "2 sheets to settle first" in words
    assert page.get_by_role("button", name="Approve and send").count() == 0
    # 1. The sheet that was set aside is looked at and refused.
    page.get_by_role("link", name="Look at the sheet, use it or refuse it").click()
    assert "set aside" in look(page, "sheet-held") or "held" in look(page, "sheet-held")
    page.fill("#why-refuse", REASON)
    page.get_by_role("button", name="Refuse this sheet").click()
    assert f"set aside: {REASON}" in look(page, "sheet-refused")
    # 2. The mail in quarantine is discarded.
    page.goto(results)
    page.get_by_role("link", name="Assign the mail, refuse it or discard it").click()
    look(page, "quarantine")
    page.fill("form[action$='/discard'] [name=why]", "nobody here knows its sender")
    with page.expect_navigation():
        page.locator("form[action$='/discard'] button").click()
    # 3. Odd sheets are asked about, each once.
    page.goto(results)
    words = look(page, "results-asked")
    assert "Is this the right sheet?" in words
    assert "Its heading names another year than" in words  # LET-02: filed by hand, so asked and not held
    first = page.locator("section[aria-labelledby=asked] a.button").first
    first.click()
    assert "Is this the right sheet?" in look(page, "sheet-asked")
    page.get_by_role("button", name="Yes, it is the right sheet").click()
    page.wait_for_url(f"**{results}*")
    while (more := page.locator("section[aria-labelledby=asked] button")).count():
        with page.expect_navigation():  # the address is the same before and after
            more.first.click()
    assert "Approve and send" in look(page, "results-ready")
    # 4. A letter that cannot be made is named with its reason, and nothing leaves (LET-04).
    with opened(place.settings) as store, store() as session:
        picture = session.scalars(select(PageRow.upright).order_by(PageRow.id.desc())).first()
    hidden = Blobs(Path(place.settings.data) / "blobs").path(picture or "")
    hidden.rename(hidden.with_suffix(".away"))
    page.get_by_role("button", name="Approve and send").click()
    page.wait_for_selector("text=could not be made", timeout=600_000)
    words = look(page, "results-failed")
    assert "is missing" in words
    assert "Nothing was sent" in words
    with opened(place.settings) as store, store() as session:
        assert session.scalars(select(OutboxRow).where(OutboxRow.kind.like("%_results"))).all() == []
    hidden.with_suffix(".away").rename(hidden)
    # 5. The letters are made while the page shows how far they are.
    page.get_by_role("button", name="Approve and send").click()
    page.wait_for_url(f"**{results}")
    # The page looks again by itself, and would go on to the end under the check.
    page.route(f"**{results}", lambda route: route.abort())
    if page.get_by_role("heading", name="The letters are being made").count():
        look(page, "results-drawing")
    page.unroute(f"**{results}")
    page.wait_for_selector("a:text-is('The letters')", timeout=600_000)
    look(page, "results-sent")
    with opened(place.settings) as store, store() as session:
        rows = session.scalars(select(OutboxRow).where(OutboxRow.kind.like("%_results"))).all()
        assert len(rows) == 10
        assert all(row.words is not None and REASON in row.words.replace("=\r\n", "") for row in rows)
    # 6. A letter is put together from its parts and shown with its pictures.
    page.goto(f"/letters/{rows[0].id}")
    assert f"A sheet was received and set aside: {REASON}" in " ".join(look(page, "letter").split())
    for picture in page.locator("main img").all():
        picture.scroll_into_view_if_needed()  # a picture out of sight is not loaded before
        assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 0
    # 7. The letters that ask, and the receipt of a letter by post.
    letters = of_features("LETTER").values()
    for kind, phrase, letter in ((*each, letter) for each in LETTERS.items() for letter in letters):
        assert page.goto(letter.format(kind=kind)).status == 200, kind
        words = " ".join(look(page, f"preview-{kind}").split())
        assert phrase in words, kind
