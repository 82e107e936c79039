"""How often a person may try to sign in (SEC-04): many at once, by name and by address, and no one kept
out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from sqlalchemy import func, select

from service.store.tables import SignInTryRow
from service.web import sessions, sign_in_tries
from tests.support.desk_site import NAME, PASSWORD, DeskSite
from tests.support.site import Site

NOW = datetime(2027, 3, 1, tzinfo=UTC)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskSite]:
    desk_site = DeskSite(tmp_path)
    yield desk_site
    desk_site.close()


def enter(desk: DeskSite, password: str, name: str = NAME, **more: str) -> int:
    return int(desk.client.post("/sign-in", data={"name": name, "password": password, **more}).status_code)


def test_of_sixty_at_once_five_passwords_are_looked_at(
    desk: DeskSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty were, with 860 MB for their hashes."""
    at_once, most, looked_at = 0, 0, 0
    cheap_hasher, shipped_hasher = sessions.HASHER, PasswordHasher()

    class Counting:
        def hash(self, password: str) -> str:
            return cheap_hasher.hash(password)

        def verify(self, stored: str, password: str) -> bool:
            nonlocal at_once, most, looked_at
            at_once, looked_at = at_once + 1, looked_at + 1
            most = max(most, at_once)
            try:
                shipped_hasher.hash(password)
                return bool(cheap_hasher.verify(stored, password))
            finally:
                at_once -= 1

    monkeypatch.setattr(sessions, "HASHER", Counting())
    with ThreadPoolExecutor(60) as pool:
        answers = Counter(pool.map(lambda number: enter(desk, f"guess {number}"), range(60)))
    assert answers == {401: 5, 429: 55}
    assert looked_at == 5
    assert most <= sessions.HASHES_AT_ONCE


def try_often(site: Site, name: str, address: str, count: int, browser: str | None = None) -> int:
    """How many tries were let through."""
    free = 0
    for _ in range(count):
        with site.store.begin() as session:
            free += sign_in_tries.reserve(session, name, address, browser, NOW)
    return free


def test_tries_are_counted_by_name_and_by_address_on_either_database(any_site: Site) -> None:
    assert try_often(any_site, "Ada", "192.0.2.1", 9) == 5
    # A network of IPv6 is one customer.
    assert (
        sum(try_often(any_site, f"Name {number}", f"2001:db8::{number}", 1) for number in range(1, 40)) == 20
    )
    # From many addresses together.
    assert sum(try_often(any_site, "Bo", f"198.51.100.{number}", 2) for number in range(1, 40)) == 20
    # A web server that passes on no address does not make everybody one stranger.
    assert sum(try_often(any_site, f"N{number}", "127.0.0.1", 1) for number in range(40)) == 40


def test_nobody_keeps_a_person_out(any_site: Site) -> None:
    """A storm on the name of the coordinator, from everywhere and from her own address too."""
    with any_site.store.begin() as session:
        sessions.add_user(session, "Ada", PASSWORD, NOW)
        session.flush()
        known = sign_in_tries.succeeded(session, "Ada", "192.0.2.1", None, NOW)
    for number in range(1, 30):
        try_often(any_site, "Ada", f"198.51.100.{number}", 3)
    try_often(any_site, "Ada", "192.0.2.1", 9)
    assert try_often(any_site, "Ada", "192.0.2.1", 1) == 0
    # Her browser has its own count, and a cookie of another person has none.
    assert try_often(any_site, "Ada", "192.0.2.1", 9, known) == 5
    assert try_often(any_site, "Bo", "192.0.2.77", 9, known) == 5
    assert try_often(any_site, "Ada", "192.0.2.1", 1, "stolen or invented") == 0
    # Anyone who has the machine opens the door with a new password.
    with any_site.store.begin() as session:
        sessions.add_user(session, "Ada", PASSWORD, NOW)
    assert try_often(any_site, "Ada", "203.0.113.5", 1) == 1


def test_tries_are_forgotten_after_an_hour_and_hold_no_name(any_site: Site) -> None:
    try_often(any_site, "my password", "192.0.2.1", 5)
    with any_site.store.begin() as session:
        assert "password" not in str(session.scalars(select(SignInTryRow.subject)).all())
        assert sign_in_tries.reserve(session, "Ada", "192.0.2.9", None, NOW + timedelta(hours=2))
    with any_site.store() as session:
        assert session.scalar(select(func.count()).select_from(SignInTryRow)) == 3


def test_a_person_sees_and_ends_their_sessions(desk: DeskSite) -> None:
    desk.client.post(
        "/sign-in", data={"name": NAME, "password": PASSWORD}, headers={"user-agent": "Old <b>Phone"}
    )
    old = dict(desk.client.cookies)
    desk.client.cookies.clear()
    desk.client.post(
        "/sign-in", data={"name": NAME, "password": PASSWORD}, headers={"user-agent": "New Laptop"}
    )
    page = desk.page("/account")
    assert "Old &lt;b&gt;Phone" in page
    csrf = re.search(r'name="csrf" value="([^"]+)"', page)
    assert csrf is not None
    assert (
        desk.client.post("/account/sessions", data={"session": "others", "csrf": csrf[1]}).status_code == 303
    )
    assert "Old &lt;b&gt;Phone" not in desk.page("/account")
    desk.client.cookies.clear()
    desk.client.cookies.update(old)
    assert desk.client.get("/").status_code == 303
