"""`galloper user`: who may sign in at the desk."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest

from service.cli import users
from service.cli.users import add_user
from service.site_folder import SiteError, opened, settings_of
from service.store.tables import UserRow
from service.web import sessions
from service.web.accounts import BadName
from tests.support.own_site import own_site

GOOD = "correct horse battery"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return own_site(tmp_path / "site")


def _piped(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def _typed(monkeypatch: pytest.MonkeyPatch, *answers: str) -> list[str]:
    """A terminal at which these passwords are typed; gives the questions that were asked."""
    replies, questions = list(answers), []

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    def ask(question: str) -> str:
        questions.append(question)
        return replies.pop(0)

    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr(users, "getpass", ask)
    return questions


def _may_sign_in(folder: Path, name: str, password: str) -> bool:
    with opened(settings_of(folder)) as store, store.begin() as session:
        return sessions.sign_in(session, name, password, datetime.now(UTC)) is not None


def test_a_line_of_standard_input_is_the_password(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _piped(monkeypatch, f"{GOOD}\nanother line\n")
    out = io.StringIO()
    assert add_user(folder, "Ada", out) == 0
    assert out.getvalue() == "Ada can sign in at the desk now.\n"
    assert _may_sign_in(folder, "Ada", GOOD)
    # The line feed is not part of the password.
    assert not _may_sign_in(folder, "Ada", GOOD + "\n")


def test_the_password_itself_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _piped(monkeypatch, GOOD)
    add_user(folder, "Ada", io.StringIO())
    with opened(settings_of(folder)) as store, store() as session:
        assert session.get_one(UserRow, "Ada").password.startswith("$argon2id$")
    # Nor in a log, a journal of SQLite or a file of settings.
    assert all(GOOD.encode() not in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_at_a_terminal_it_is_asked_for_twice(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    questions = _typed(monkeypatch, GOOD, GOOD)
    assert add_user(folder, "Ada", io.StringIO()) == 0
    assert len(questions) == 2
    assert _may_sign_in(folder, "Ada", GOOD)


def test_two_that_differ_change_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A slip at the second entry, which no one sees while typing.
    _typed(monkeypatch, GOOD, GOOD + "s")
    with pytest.raises(SiteError, match="differ"):
        add_user(folder, "Ada", io.StringIO())
    assert not _may_sign_in(folder, "Ada", GOOD)


@pytest.mark.parametrize("text", ["", "\n", "nine char\n"])
def test_a_short_one_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    _piped(monkeypatch, text)
    with pytest.raises(SiteError, match="at least 10 characters"):
        add_user(folder, "Ada", io.StringIO())
    assert not _may_sign_in(folder, "Ada", text.strip())


def test_ten_characters_are_enough(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _piped(monkeypatch, "tencharact\n")
    assert add_user(folder, "Ada", io.StringIO()) == 0


@pytest.mark.parametrize("name", ["", "   ", "a" * 81])
def test_a_name_nobody_could_have_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    _piped(monkeypatch, GOOD)
    with pytest.raises(BadName, match="1 to 80 letters"):
        add_user(folder, name, io.StringIO())


def test_a_new_password_ends_what_was_signed_in_with_the_old_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(UTC)
    _piped(monkeypatch, GOOD)
    add_user(folder, "Ada", io.StringIO())
    with opened(settings_of(folder)) as store, store.begin() as session:
        token = sessions.sign_in(session, "Ada", GOOD, now)
    _piped(monkeypatch, "another long one")
    out = io.StringIO()
    add_user(folder, "Ada", out)
    assert out.getvalue() == "Ada has a new password.\n"
    with opened(settings_of(folder)) as store, store() as session:
        assert token is not None
        assert sessions.visitor(session, token, now) is None
    assert not _may_sign_in(folder, "Ada", GOOD)
    assert _may_sign_in(folder, "Ada", "another long one")


def test_a_new_password_leaves_the_rights_as_they_are(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(settings_of(folder)) as store, store.begin() as session:
        # A reader who gets a new password must not become a coordinator.
        sessions.add_user(session, "Ada", GOOD, datetime.now(UTC), role="reader")
    _piped(monkeypatch, GOOD + "\n")
    add_user(folder, "Ada", io.StringIO())
    with opened(settings_of(folder)) as store, store() as session:
        assert session.get_one(UserRow, "Ada").role == "reader"
