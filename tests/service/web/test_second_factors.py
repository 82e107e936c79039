"""What a feature needs in addition to the password (`Feature.second_factor`): closed unless it lets in, and
forgotten with its person (SEC-04)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.desk.door import sign_in
from service.feature import FactorCheck, Feature
from service.games.acts.act import ActTable, perform
from service.store.tables import SessionRow, UserRow
from service.web import accounts, sessions
from tests.support.desk_site import NAME, OTHER, PASSWORD, DeskSite


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskSite]:
    desk_site = DeskSite(tmp_path)
    yield desk_site
    desk_site.close()


def have(monkeypatch: pytest.MonkeyPatch, *features: Feature) -> None:
    """The features of the door, in place of those that are there."""
    for module in (sign_in, sessions, accounts):
        monkeypatch.setattr(module, "features", lambda: features)


def enter(desk: DeskSite, password: str = PASSWORD, **more: str) -> tuple[int, str, int]:
    """The status and the page after a try to sign in, and how many sessions it opened."""
    before = opened(desk)
    answer = desk.client.post("/sign-in", data={"name": NAME, "password": password, **more})
    return answer.status_code, answer.text, opened(desk) - before


def opened(desk: DeskSite) -> int:
    with desk.store() as session:
        return session.scalar(select(func.count()).select_from(SessionRow)) or 0


def word(_session: Session, _person: str, code: str, _now: datetime) -> FactorCheck:
    return FactorCheck(code == "pegasus", "Write the word of the day.")


def test_without_features_the_password_alone_signs_in(
    desk: DeskSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    have(monkeypatch)
    assert (enter(desk)[0], enter(desk, "wrong")[0]) == (303, 401)


def test_each_factor_is_wanted_after_the_password(desk: DeskSite, monkeypatch: pytest.MonkeyPatch) -> None:
    have(monkeypatch, Feature("open"), Feature("word", second_factor=word))
    status, page, count = enter(desk)
    assert (status, "Write the word of the day." in page, count) == (401, True, 0)
    assert enter(desk, code="unicorn")[::2] == (401, 0)
    # Anyone who has no password learns of no factor.
    assert "word of the day" not in enter(desk, "wrong", code="pegasus")[1]
    assert enter(desk, code="pegasus")[::2] == (303, 1)


ODD: list[Any] = [None, True, "yes", (), "no", 1]
"""Answers, and `passes` of a check."""


@pytest.mark.parametrize("answer", [*ODD, *(FactorCheck(each) for each in ODD if each is not True)])
def test_whatever_else_a_factor_answers_keeps_the_door_shut(
    desk: DeskSite, monkeypatch: pytest.MonkeyPatch, answer: Any
) -> None:
    have(monkeypatch, Feature("odd", second_factor=lambda *_: answer), Feature("open"))
    status, _, count = enter(desk)
    assert (status in {401, 500}, count) == (True, 0)


def test_a_factor_that_fails_keeps_the_door_shut(desk: DeskSite, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> FactorCheck:
        raise RuntimeError("its table is away")

    have(monkeypatch, Feature("broken", second_factor=fails))
    assert enter(desk)[::2] == (500, 0)


def test_features_forget_a_person_who_is_removed_or_gets_a_new_password(
    desk: DeskSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten: list[str] = []
    have(monkeypatch, Feature("keys", forget_user=lambda _session, person: forgotten.append(person)))
    with desk.store.begin() as session:
        sessions.add_user(session, OTHER, "another password", desk.clock.now())
        assert forgotten == [OTHER]
        session.flush()
        perform(accounts.RemovePerson(OTHER), ActTable(session, NAME, desk.clock.now()))
    assert forgotten == [OTHER, OTHER]


def test_nobody_is_removed_while_a_feature_cannot_forget_them(
    desk: DeskSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_session: Session, _person: str) -> None:
        raise RuntimeError("its table is away")

    with desk.store.begin() as session:
        sessions.add_user(session, OTHER, "another password", desk.clock.now())
    have(monkeypatch, Feature("broken", forget_user=fails))
    act = accounts.RemovePerson(OTHER)
    with pytest.raises(RuntimeError), desk.store.begin() as session:
        perform(act, ActTable(session, NAME, desk.clock.now()))
    with desk.store() as session:
        assert session.get(UserRow, OTHER) is not None
