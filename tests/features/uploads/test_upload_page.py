"""The page that takes photographs, in a real browser with a camera that shows a file (BEY-05)."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageFilter
from sqlalchemy import select

import demo.data
from bench.desk import browser as desk_browser
from ocr.image.first_look import PhotoTrouble, first_look
from service.app import create_app
from service.features.uploads import links
from service.features.uploads.door import UploadDoor
from service.store.tables import MailRow, PageRow, SeatRow
from service.web.server import WebServer
from tests.support.desk_ports import desk_ports
from tests.support.site import make_site
from tests.support.table import ORDERS, Table, open_table

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), pytest.mark.xdist_group("browser")]
SHEETS = Path(demo.data.__file__).parent / "w3k"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with make_site(tmp_path / "site") as site:
        opened = open_table(site)
        site.clock.set(opened.phase().opens_at + timedelta(days=1))
        yield opened


@pytest.fixture
def address(table: Table) -> Iterator[str]:
    """The address of the page behind Montrose's link, on a running server."""
    site = table.site
    app = create_app(desk_ports(
        sessions=site.store, blobs=site.blobs, clock=site.clock, wall=site.clock, load=table.load,
        doors=[UploadDoor(site.store, site.blobs, site.jobs, site.clock, ORDERS)]))
    with site.store.begin() as session:
        player = session.get_one(SeatRow, (table.game, "Montrose")).player_id
        assert player is not None
        secret = links.make_link(session, player, table.game, site.clock.now())
    server = WebServer(app, "127.0.0.1", 0)
    server.start()
    yield f"{server.address}{links.PATH}{secret}"
    server.stop()


@pytest.fixture
def camera(playwright: Any, tmp_path: Path) -> Iterator[Any]:
    """A Chromium whose camera sees a sheet."""
    frame = on_a_table(sheet())
    out = io.BytesIO()
    Image.fromarray(frame).save(out, "JPEG", quality=92)
    (tmp_path / "camera.mjpeg").write_bytes(out.getvalue() * 3)
    try:
        with desk_browser.launched(
            playwright, "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream",
            f"--use-file-for-fake-video-capture={tmp_path / 'camera.mjpeg'}",
        ) as browser:
            yield browser
    except desk_browser.NoBrowser as error:
        pytest.skip(str(error))


def sheet() -> np.ndarray:
    """A written sheet as the demo has it, upright."""
    return np.asarray(Image.open(SHEETS / "summer-montrose-v1.jpg").convert("RGB"))


def on_a_table(page: np.ndarray, *, share: float = 0.9, moved: int = 0) -> np.ndarray:
    """A page on dark wood, 1280 by 960, so that it fills a share of the height; `moved` pixels down."""
    rng = np.random.default_rng(3)
    frame = np.clip(rng.normal(62, 6, (960, 1280, 3)), 0, 255).astype(np.uint8)
    height = round(960 * share)
    width = round(height * page.shape[1] / page.shape[0])
    small = np.asarray(Image.fromarray(page).resize((width, height), Image.Resampling.LANCZOS))
    top, left = (960 - height) // 2 + moved, (1280 - width) // 2
    part = small[: max(0, 960 - top)]
    frame[top : top + len(part), left : left + width] = part
    return frame


def hints(page: Any, frame: np.ndarray) -> dict[str, Any]:
    """What the page's script states about a frame."""
    rgba = np.dstack([frame, np.full(frame.shape[:2], 255, np.uint8)])
    code = base64.b64encode(rgba.tobytes()).decode()
    return dict(page.evaluate(
        "([code, width, height]) => frameHints({ width, height, data: Uint8ClampedArray.from("
        "atob(code), (letter) => letter.charCodeAt(0)) })",
        [code, frame.shape[1], frame.shape[0]]))


def test_the_hints_of_the_browser_are_those_of_the_servers_first_look(camera: Any, address: str) -> None:
    """BEY-05: dark and blurred by the server's own measures, and a corner out of view."""
    page = camera.new_page()
    page.goto(address)
    good = on_a_table(sheet())
    soft = np.asarray(Image.fromarray(good).filter(ImageFilter.GaussianBlur(4)))
    dark = (good * 0.25).astype(np.uint8)
    turned = np.asarray(Image.fromarray(good).rotate(12, fillcolor=(60, 60, 60)))
    for name, frame, expected in (
        ("good", good, []), ("turned", turned, []), ("soft", soft, ["blurred"]), ("dark", dark, ["dark"]),
        ("cut off", on_a_table(sheet(), moved=300), ["cut"]), ("no sheet", np.full_like(good, 150), ["none"]),
    ):
        judgement = hints(page, frame)
        assert judgement["hints"] == expected, (name, judgement)
        troubles = first_look(frame)
        assert ("dark" in judgement["hints"]) == (PhotoTrouble.DARK in troubles), name
        assert ("blurred" in judgement["hints"]) == (PhotoTrouble.BLURRED in troubles), name


def test_a_sheet_taken_without_a_net_waits_through_a_reload_and_arrives_once(
    camera: Any, address: str, table: Table
) -> None:
    """BEY-05: photographed by the camera, kept in the browser, sent when the net returns; the digest that the
    page shows is that of what is on file, and no word of the sheet is on the page."""
    context = camera.new_context(viewport={"width": 360, "height": 800}, permissions=["camera"])
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(address)
    page.wait_for_selector("body[data-kept]", state="attached")
    page.click("#open")
    page.locator("#hint", has_text="Good").wait_for(timeout=60_000)
    page.click("#take")
    page.wait_for_selector("#pages canvas")
    context.set_offline(True)
    page.click("#take-in")
    page.wait_for_selector("#waits a[download]")
    page.reload()
    assert "Not sent yet" in page.wait_for_selector("#waits li").inner_text()
    assert page.input_value("#version") == "2"
    with table.site.store() as session:
        assert session.scalars(select(MailRow)).all() == []
    context.set_offline(False)
    page.locator("#waits", has_text="Arrived").wait_for()
    words = page.inner_text("#waits")
    assert "is the one that this device computed" in words
    page.click("#try")
    page.reload()
    page.locator("#waits", has_text="Arrived").wait_for()
    with table.site.store() as session:
        (row,) = session.scalars(select(MailRow)).all()
    table.process(row.sha256)
    (filed,) = table.submissions()
    with table.site.store() as session:
        (original,) = session.scalars(select(PageRow.original).where(PageRow.submission_id == filed.id))
    assert original in words
    assert hashlib.sha256(table.site.blobs.read(original)).hexdigest() == original
    assert Image.open(io.BytesIO(table.site.blobs.read(original))).size == (1280, 960)
    assert faults == []
    context.close()


def test_what_is_too_large_or_refused_is_not_sent_again_and_again(camera: Any, address: str) -> None:
    """BEY-05: every half minute of a page in view is another try, and each would cost its player all the
    bytes. By hand it may be tried again."""
    context = camera.new_context(viewport={"width": 360, "height": 800})
    page = context.new_page()
    posts: list[str] = []
    page.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
    page.goto(address)
    page.set_input_files("#photograph", {
        "name": "scan.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7 " + bytes(26 * 1024 * 1024)})
    page.click("#take-in")
    page.locator("#told", has_text="too large together").wait_for()
    assert posts == []
    page.get_by_role("button", name="Remove").first.click()
    page.route("**/public/send/*", lambda route: route.fulfill(
        status=403, content_type="application/json", body='{"sentence": "Nothing was sent: not yours."}')
        if route.request.method == "POST" else route.continue_())
    page.set_input_files("#photograph", SHEETS / "summer-montrose-v1.jpg")
    page.click("#take-in")
    page.locator("#waits", has_text="not yours").wait_for()
    page.evaluate("dispatchEvent(new Event('online'))")
    page.reload()
    page.locator("#waits", has_text="not yours").wait_for()
    assert len(posts) == 1
    page.unroute("**/public/send/*")
    page.click("#try")
    page.locator("#waits", has_text="Arrived").wait_for()
    assert len(posts) == 2
    context.close()


def test_two_taps_send_one_sheet_and_too_many_pages_none(camera: Any, address: str, table: Table) -> None:
    """BEY-05: two taps in a row kept and sent the same pages twice, and twenty-one pages were informed that
    there is no answer, and would be tried again."""
    context = camera.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    posts: list[str] = []
    page.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
    page.goto(address)
    page.set_input_files("#photograph", [{"name": f"{number}.pdf", "mimeType": "application/pdf",
                                          "buffer": b"%PDF-1.7 "} for number in range(21)])
    page.click("#take-in")
    page.locator("#told", has_text="at most 20 photographs").wait_for()
    assert posts == []
    page.reload()
    page.set_input_files("#photograph", SHEETS / "summer-montrose-v1.jpg")
    page.wait_for_selector("#pages canvas")
    page.evaluate("for (const _ of [1, 2]) document.getElementById('take-in').click()")
    page.locator("#waits", has_text="Arrived").wait_for()
    page.wait_for_timeout(1000)
    assert (page.locator("#waits li").count(), len(posts)) == (1, 1)
    # PHA-11: the words at the file field went on to call it "on this device until it has arrived".
    assert re.fullmatch(r"Arrived \w{3} \d.* GMT\b.*, Version 1\.", page.inner_text("#told"))
    with table.site.store() as session:
        assert len(session.scalars(select(MailRow)).all()) == 1
    context.close()


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_page_is_accessible_narrow_and_works_without_a_script(
    camera: Any, address: str, table: Table, colours: str, tmp_path: Path
) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed (make setup-bench)")
    context = camera.new_context(
        viewport={"width": 360, "height": 800}, bypass_csp=True, color_scheme=colours)
    page = context.new_page()
    page.goto(address)
    page.set_input_files("#photograph", SHEETS / "summer-montrose-v1.jpg")
    page.wait_for_selector("#pages canvas")
    violations = axe.Axe().run(page).response["violations"]
    assert [f"{rule['id']}: {[node['target'] for node in rule['nodes']]}" for rule in violations] == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    context.close()
    plain = camera.new_context(java_script_enabled=False, viewport={"width": 320, "height": 800})
    page = plain.new_page()
    page.goto(address)
    assert not page.locator("#camera").is_visible()
    page.set_input_files("#photograph", SHEETS / "summer-montrose-v1.jpg")
    page.get_by_role("button", name="Send the sheet").click()
    assert hashlib.sha256((SHEETS / "summer-montrose-v1.jpg").read_bytes()).hexdigest() in page.content()
    plain.close()
