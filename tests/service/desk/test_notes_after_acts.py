"""After each act the page shows what happened and what is safe; an address cannot make it say anything
else."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest

import service.desk
import templates
from tests.support.desk_table import DeskTable, carried, open_desk
from tests.support.mail_builder import mail, stamp
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
    """What the page states that an act leads to."""
    answer = desk.post(path, **values)
    if answer.status_code == 200:
        answer = desk.client.post(path, data=carried(answer.text, path))
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
    assert "The option is changed" in after(desk, f"{game}/options", on="post_first", why=WHY)
    day = (desk.table.phase().deadline + timedelta(days=1)).strftime("%Y-%m-%d")
    assert ("A letter to each player waits in "
            "Letters") in after(desk, f"{game}/move", phase=phase, day=day, why=WHY, later="yes")
    assert "The address is added" in after(desk, f"{game}/address", power="Argyll", mail="new@argyll.example")
    assert "may sign in" in after(
        desk, "/people/add", name="Grace", password="long enough words", role="second reader"
    )
    assert "The role is changed" in after(desk, "/people/role", name="Grace", role="coordinator")


def test_every_sentence_that_is_asked_for_is_there() -> None:
    known = set(re.findall(r'^  "([a-z-]+)":', SENTENCES.read_text(encoding="utf-8"), re.MULTILINE))
    notice_names = set()
    for name in ("corrections", "sheet/pages", "quarantine", "games/pages", "games/seats",
                 "door/people", "door/account", "operation"):
        text = (PAGES / f"{name}.py").read_text(encoding="utf-8")
        notice_names |= set(re.findall(r'notice=([a-z-]+)["#]', text))
        notice_names |= set(re.findall(r'_to_sheet\(submission_id, "([a-z-]+)"', text))
        # The notice of a page is the last text of what performs its act, "auto_score" the name of an option.
        for line in re.findall(r"^ *notice = (.*)$", text, re.MULTILINE):
            notice_names |= set(re.findall(r'"([a-z-]+)"', line))
        for call in re.findall(r"return (?:_?carry_out|look_then_do)\((.*?)\)\n\n", text + "\n\n", re.DOTALL):
            notice_names |= set(re.findall(r'"([a-z-]+)"', call)) - {"review"}
    # The results page has this sentence itself.
    notice_names -= {"corrected"}
    # Chosen in an expression of the handlers, which the patterns above do not see.
    notice_names |= {"added", "added-as-written"}
    assert notice_names == known


@pytest.mark.parametrize("path", ["/", "/people", "/games/powick-bridge"])
def test_an_address_cannot_make_a_page_say_anything_else(desk: DeskTable, path: str) -> None:
    page = desk.page(f"{path}?notice=You+have+won")
    assert "You have won" not in page
    assert 'class="said"' not in page
