"""What docs/security.md claims and no other file tests; and that every test which docs/security.md and
docs/faults.md name is there."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from argon2 import Type
from fastapi import FastAPI
from sqlalchemy import select

from service.bootstrap import open_site
from service.clock import SystemClock
from service.config import Settings, Web
from service.site_folder import settings_of, write_settings
from service.store.tables import SessionRow, UserRow
from service.web import sessions
from tests.support.desk_table import open_desk
from tests.support.features import of_features
from tests.support.own_site import own_site
from tests.support.site import Site
from tests.support.table import open_table

ROOT = Path(__file__).parents[3]
SECRET = "a secret of the tests"


def named(text: str) -> list[tuple[str, str]]:
    """File and beginning of a test's name, as they are: `test_x.py` `test_a_...` `test_b`, or
    `test_x.py::test_a`."""
    named_tests, file = [], ""
    for reference, path, name in re.findall(
        r"`((?:[a-z0-9_]+/)*test_\w+\.py)(?:::(\w+))?`|`(test_\w+)\.{0,3}`", text
    ):
        file = reference or file
        named_tests.append((file, path or name))
    return named_tests


def is_taken_out(file: str) -> bool:
    """Whether a test belongs to a feature whose folder is deleted: ARCHITECTURE.md still names it."""
    folder, _, rest = file.partition("/")
    name = rest.partition("/")[0]
    is_known = f"`{name}`" in (ROOT / "ARCHITECTURE.md").read_text("utf-8").partition("## Features")[2]
    return folder == "features" and is_known and not (ROOT / "tests" / folder / name).is_dir()


@pytest.mark.parametrize("document", ["security.md", "faults.md"])
def test_every_test_that_a_document_names_is_there(document: str) -> None:
    pairs = named((ROOT / "docs" / document).read_text())
    # If the pattern no longer fits the document, the test must fail and not pass over nothing.
    assert len(pairs) > 40
    for file, name in pairs:
        if is_taken_out(file):
            continue
        texts = [path.read_text() for path in (ROOT / "tests").rglob(file)]
        assert any(f"def {name}" in text for text in texts), (document, file, name)


def test_each_row_of_the_threat_model_has_who_what_how_guard_and_test() -> None:
    """SEC-08: a guard without a test, or a test that is gone, is a row that has nothing. Who attacks is the
    heading of a table."""
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    sections = [part.splitlines() for part in text.split("\n## ")[1:] if "\n| what, and how |" in part]
    assert len(sections) == 7
    threats = []
    for who, *lines in sections:
        assert who
        table = [line.strip("|") for line in lines if line.startswith("|")]
        rows = [[cell.strip() for cell in line.split(" | ")] for line in table]
        assert rows[:2] == [["what, and how", "guard", "test"], ["---"] * 3], who
        threats += rows[2:]
    assert len(threats) > 50
    for row in threats:
        assert len(row) == 3, row
        assert all(row), row
        assert all(row[0].partition(": ")), row
        tests = re.findall(r"`([\w/]+\.py)::(test_\w+)`", row[2])
        assert tests, row
        for path, name in tests:
            assert is_taken_out(path) or f"def {name}(" in (
                ROOT / "tests" / path).read_text(encoding="utf-8"), (path, name)


def test_settings_are_for_their_owner_alone(tmp_path: Path) -> None:
    # The file holds the passwords of mailbox and relay.
    assert write_settings(tmp_path / "site").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("secure", [True, False])
def test_the_cookie_goes_over_https_alone_unless_switched_off(tmp_path: Path, secure: bool) -> None:
    from fastapi.testclient import TestClient

    assert Web().secure_cookies
    settings = settings_of(own_site(tmp_path / "site"))
    site = open_site(settings.model_copy(update={"web": Web(secure_cookies=secure)}))
    with site.store.begin() as session:
        sessions.add_user(session, "Ada", SECRET, SystemClock().now())
    with TestClient(site.desk(), base_url="https://testserver", follow_redirects=False) as client:
        cookie = client.post("/sign-in", data={"name": "Ada", "password": SECRET}).headers["set-cookie"]
    site.engine.dispose()
    assert ("secure" in cookie.lower().replace(" ", "").split(";")) is secure


def test_passwords_and_sessions_are_kept_as_hashes_alone(site: Site) -> None:
    now = site.clock.now()
    with site.store.begin() as session:
        sessions.add_user(session, "Ada", SECRET, now)
        session.flush()
        token = sessions.sign_in(session, "Ada", SECRET, now)
        session.flush()
        user, held = session.scalars(select(UserRow)).one(), session.scalars(select(SessionRow)).one()
        assert token is not None
        assert user.password.startswith("$argon2id$")
        assert token not in {held.token_hash, held.csrf}
        again = sessions.sign_in(session, "Ada", SECRET, now)
        assert again not in {None, token}  # no sign-in goes on with a token from before it


def test_a_copied_database_gives_passwords_slowly() -> None:
    """RFC 9106, section 4, the second option: argon2id, three passes over 64 MiB in four lanes. The tests
    themselves use a cheap hash, so this asks a copy of the module as it is shipped."""
    hasher = runpy.run_path(str(sessions.__file__))["HASHER"]
    assert hasher.type is Type.ID
    assert (hasher.time_cost, hasher.memory_cost, hasher.parallelism) == (3, 64 * 1024, 4)


# Doors of the desk
# --------------------------------------------------------------------------------------------------


def test_no_form_of_the_whole_site_does_anything_without_its_token(site: Site) -> None:
    """Every address that takes a form, no matter who added it: signed in and without the token, or with a
    guess, it is refused before anything is looked at. Those that need no session have a secret of their own,
    or only ask for one."""
    desk = open_desk(open_table(site))
    app = desk.client.app
    assert isinstance(app, FastAPI)
    paths = {path for path, methods in app.openapi()["paths"].items() if "post" in methods}
    assert len(paths) > 40
    # Signing in, asking for a link and using it need no session: no one has one yet.
    entered = {"/sign-in", "/public/entry", "/public/me/{secret}",
               *of_features("WITHOUT_SESSION")}
    assert entered <= paths
    allowed = [
        (path, answer.status_code) for path in sorted(paths - entered) for form in ({}, {"csrf": "guess"})
        if (answer := desk.client.post(re.sub(r"\{[^}]+\}", "1", path), data=form)).status_code != 403]
    assert allowed == []


def test_a_settings_fault_quotes_no_secret() -> None:
    with pytest.raises(ValueError, match="sender") as caught:
        Settings.model_validate(
            {
                "data": "x", "order_address": "a@example.org", "coordinator": "b@example.org",
                "mail_in": {"password": SECRET}, "mail_out": {"password": SECRET},
            }
        )
    faults = caught.value.errors()  # type: ignore[attr-defined]
    assert all(SECRET not in str(fault["msg"]) for fault in faults)
