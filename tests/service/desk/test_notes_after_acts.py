"""After each act the page says what happened and what is safe; an address cannot make it say anything
else."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest

import service.desk
import templates
from tests.support.desk_table import CSRF, DeskTable, open_desk, plain
from tests.support.mail_builder import mail, picture, stamp
from tests.support.site import Site
from tests.support.table import SERVER, open_table

WHY = "A reason of more than ten letters."
SENTENCES = Path(templates.__file__).parent / "desk" / "_notice.html"
PAGES = Path(service.desk.__file__).parent


@pytest.fixture
def desk(site: Site) -> DeskTable:
    table = open_table(site)
    site.clock.advance(timedelta(days=2))
    return open_desk(table)


def after(desk: DeskTable, path: str, **values: object) -> str:
    """What the page says that an act leads to."""
    answer = desk.post(path, **values)
    assert answer.status_code == 303, answer.text
    page = desk.page(answer.headers["location"])
    match = re.search(r'<p class="said" role="status">(.*?)</p>', page)
    assert match is not None, answer.headers["location"]
    return match[1]


def stranger(desk: DeskTable) -> str:
    raw = mail(
        desk.table.subject("Montrose"), "mallory@else.example", stamps=[stamp("else.example", server=SERVER)]
    )
    return desk.table.take(raw, desk.table.phase().opens_at).sha256


def test_after_each_act_the_page_says_what_happened_and_what_is_safe(desk: DeskTable) -> None:
    key, phase, game = stranger(desk), desk.table.phase().id, f"/games/{desk.table.game}"
    assert "kept unchanged" in after(desk, f"/quarantine/{key}/discard", why=WHY)
    assert "as it was" in after(desk, f"/quarantine/{key}/take-back")
    assert ("a receipt goes to the registered "
            "address") in after(desk, f"/quarantine/{key}/assign", place=f"{phase} Montrose")
    registered_mail = desk.table.take(
        desk.table.mail("Argyll", subject=desk.table.subject("Ormond")), desk.table.phase().opens_at
    )
    assert "is sent once" in after(desk, f"/quarantine/{registered_mail.sha256}/refuse", reason="too_dark")
    assert "The option is changed" in after(desk, f"{game}/option", name="post_first", value="yes", why=WHY)
    day = (desk.table.phase().deadline + timedelta(days=1)).strftime("%Y-%m-%d")
    assert ("A letter to each player waits in "
            "Letters") in after(desk, f"{game}/move", phase=phase, day=day, why=WHY, later="yes")
    assert "The address is added" in after(desk, f"{game}/address", power="Argyll", mail="new@argyll.example")
    assert "may sign in" in after(
        desk, "/people/add", name="Grace", password="long enough words", role="second reader"
    )
    assert "The role is changed" in after(desk, "/people/role", name="Grace", role="coordinator")
    assert "ticked as received" in after(desk, "/post", place=f"{phase} Argyll", received="2027-03-02")
    assert "The tick is taken back" in after(desk, "/post/1/untick")


def test_a_scan_that_came_late_is_said_not_to_count(desk: DeskTable) -> None:
    """SUB-13, SUB-16."""
    phase = desk.table.phase()
    desk.table.site.clock.set(phase.deadline + timedelta(days=1))
    late = open_desk(desk.table)
    notices = []
    # The deadline is at 07:00. Two shades, since the same scan twice is one sheet.
    for hour, shade in (("07:00", 10), ("07:01", 20)):
        answer = late.client.post(
            "/post",
            data={"csrf": CSRF, "place": f"{phase.id} Argyll", "received": "2027-03-14", "hour": hour},
            files={"scan": ("a.jpg", picture(shade), "image/jpeg")},
        )
        notices.append(plain(late.page(answer.headers["location"])))
    assert "its scan is filed" in notices[0]
    assert "it does not count" in notices[1]


def test_every_sentence_that_is_asked_for_is_there() -> None:
    known = set(re.findall(r'^  "([a-z-]+)":', SENTENCES.read_text(encoding="utf-8"), re.MULTILINE))
    notice_names = set()
    for name in ("sheet/pages", "quarantine", "games/pages", "games/seats", "games/table",
                 "door/people", "door/account", "post", "operation"):
        text = (PAGES / f"{name}.py").read_text(encoding="utf-8")
        notice_names |= set(re.findall(r'notice=([a-z-]+)["#]', text))
        notice_names |= set(re.findall(r'_to_sheet\(submission_id, "([a-z-]+)"', text))
        # The notice of a page is the last text of what performs its act, "auto_score" the name of an option.
        for line in re.findall(r"^ *notice = (.*)$", text, re.MULTILINE):
            notice_names |= set(re.findall(r'"([a-z-]+)"', line))
        for call in re.findall(r"return _?carry_out\((.*?)\)\n\n", text + "\n\n", re.DOTALL):
            notice_names |= set(re.findall(r'"([a-z-]+)"', call)) - {"review"}
    # Chosen in an expression of the handlers, which the patterns above do not see.
    notice_names |= {"added", "added-as-written", "letter-filed", "letter-late", "letter-ticked"}
    assert notice_names == known


@pytest.mark.parametrize("path", ["/quarantine", "/people", "/post", "/games/powick-bridge"])
def test_an_address_cannot_make_a_page_say_anything_else(desk: DeskTable, path: str) -> None:
    page = desk.page(f"{path}?notice=You+have+won")
    assert "You have won" not in page
    assert 'class="said"' not in page
