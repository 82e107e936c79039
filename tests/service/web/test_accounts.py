"""Who may sign in: a coordinator always can, also when two remove each other at one moment (INS-05)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Barrier

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.roles import Role
from service.games.acts.act import ActTable, perform
from service.store.tables import EventRow, SessionRow, UserRow
from service.web import accounts, sessions
from service.web.accounts import LastCoordinator
from tests.support.desk_table import NAME, open_desk
from tests.support.site import Site
from tests.support.table import open_table

NOW = datetime(2027, 3, 1, tzinfo=UTC)


def _add(any_site: Site, *names: str) -> None:
    with any_site.store.begin() as session:
        for name in names:
            session.add(UserRow(name=name, password="x", role=Role.COORDINATOR, created_at=NOW))


def _demote(session: Session, name: str) -> None:
    perform(accounts.ChangeRole(name, Role.SECOND_READER), ActTable(session, "a test", NOW))


def _remove(session: Session, name: str) -> None:
    perform(accounts.RemovePerson(name), ActTable(session, "a test", NOW))


@pytest.mark.parametrize("act", [_demote, _remove])
def test_of_two_at_one_moment_a_coordinator_stays(
    any_site: Site, act: Callable[[Session, str], None]
) -> None:
    _add(any_site, "Ada", "Bo")
    start = Barrier(2)

    def attempt(name: str) -> bool:
        start.wait()
        try:
            with any_site.store.begin() as session:
                act(session, name)
        except LastCoordinator:
            return False
        return True

    for _ in range(5):
        with ThreadPoolExecutor(2) as pool:
            assert sorted(pool.map(attempt, ("Ada", "Bo"))) == [False, True]
        with any_site.store.begin() as session:
            for name in ("Ada", "Bo"):
                session.merge(UserRow(name=name, password="x", role=Role.COORDINATOR, created_at=NOW))


def test_whoever_is_removed_is_signed_out_and_it_is_on_record(any_site: Site) -> None:
    _add(any_site, "Ada")
    with any_site.store.begin() as session:
        sessions.add_user(session, "Bo", "correct horse battery", NOW, Role.SECOND_READER)
        token = sessions.sign_in(session, "Bo", "correct horse battery", NOW)
    with any_site.store.begin() as session:
        _remove(session, "Bo")
    with any_site.store() as session:
        assert sessions.visitor(session, token, NOW) is None
        assert not session.scalars(select(SessionRow)).all()
        event = session.scalars(select(EventRow).where(EventRow.what == "person_removed")).one()
        assert event.detail == {"person": "Bo", "role": Role.SECOND_READER}


LOOK_ALIKES = (
    "ada", "ＡＤＡ", "Ad\u0430", "\u202eadA", "A\u200bda", "Ada\n", "A\u0000da", "Be\nss", "a" * 81, "",
)
"""In wide letters, with a Cyrillic one, turned round, with one that is not seen, and so on."""


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_a_name_that_passes_for_another_is_refused(site: Site, name: str) -> None:
    """The log names people by these letters (SEC-04)."""
    desk = open_desk(open_table(site))  # with Ada signed in
    answer = desk.post("/people/add", name=name, password="long enough it is", role="coordinator")
    assert answer.status_code in {400, 409}
    with site.store() as session:
        assert session.scalars(select(UserRow.name)).all() == [NAME]
        for plain in ("Bess", "Jürgen", "Иван", "太郎 Taro"):
            accounts.require_new_name(session, plain)
