"""Names with markup in them, on every page of the desk: shown as they are written, run by no browser."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.store.tables import EventRow, GameRow, MailRow, OutboxRow, PlayerRow, SessionRow, UserRow
from service.web import sessions
from tests.support.desk_site import AFTER, DEADLINE, DeskSite
from tests.support.features import of_features

# Markup, both quotation marks, an entity, the end of a script, and Jinja's own braces.
NASTY = """<img src=x onerror="alert(1)">'&amp;</script>{{ 7 * 7 }}"""
SHOWN = "&lt;img src=x onerror=&#34;alert(1)&#34;&gt;&#39;&amp;amp;&lt;/script&gt;{{ 7 * 7 }}"
PAGES = (
    "/", "/desk/7", "/desk/7?line=3", "/desk/7/line/3", "/results/7", "/sheets/7", "/sheet/1",
    "/", "/?show=mails", "/letters", "/games", "/games/powick-bridge", "/people", "/log",
    "/health", "/nowhere", *of_features("PAGES"),
)
TOKEN = "a-token-of-somebody-nasty"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskSite]:
    """A game, its player, a person at the desk, a mail, a letter and the log, all of such a name."""
    desk_site = DeskSite(tmp_path)
    with desk_site.store.begin() as session:
        session.get_one(GameRow, "powick-bridge").name = NASTY
        session.get_one(PlayerRow, 1).name = NASTY
        session.add(UserRow(name=NASTY, password="", created_at=AFTER))
        session.flush()
        session.add(
            SessionRow(
                token_hash=hashlib.sha256(TOKEN.encode()).hexdigest(), user=NASTY, csrf="t" * 24,
                created_at=AFTER, seen_at=AFTER,
            )
        )
        session.add(
            MailRow(
                sha256="a" * 64, size=9, received_at=DEADLINE, stored_at=DEADLINE, state="quarantined",
                reason=NASTY[:60], sender=NASTY, verdict={"subject": NASTY},
            )
        )
        session.add(
            OutboxRow(
                key="k", kind="rejection", recipient=NASTY, subject=NASTY, message="0" * 64,
                message_id="<1@x>", state="failed", error=NASTY, due_at=DEADLINE,
            )
        )
        session.add(
            EventRow(
                at=DEADLINE, game_id="powick-bridge", actor=NASTY, what="option_changed",
                detail={"why": NASTY},
            )
        )
    desk_site.client.cookies.set(sessions.COOKIE, TOKEN)
    desk_site.csrf = "t" * 24
    yield desk_site
    desk_site.close()


@pytest.mark.parametrize("path", PAGES)
def test_a_name_with_markup_is_shown_as_text(desk: DeskSite, path: str) -> None:
    page = desk.client.get(path).text
    assert "<img src=x" not in page
    # One line's part of the page names no game and no person.
    assert SHOWN in page or path == "/desk/7/line/3"


def test_what_a_person_of_such_a_name_decides_is_told_under_it(desk: DeskSite) -> None:
    desk.decide(3, "reading-1")
    for path in ("/desk/7", "/sheet/1"):
        assert "<img src=x" not in desk.page(path)
        assert SHOWN in desk.page(path)
    assert desk.client.get("/desk/7/lines").headers["content-type"].startswith("application/json")
