"""What docs/security.md claims and no other file tests; and that every test which docs/security.md and docs/faults.md name is
there."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import select

from service.bootstrap import open_site
from service.clock import SystemClock
from service.config import Settings, Web
from service.decode import _environment
from service.desk import access
from service.site import settings_of, write_settings
from service.store.tables import SessionRow, UserRow
from tests.support.own_site import own_site
from tests.support.site import Site

ROOT = Path(__file__).parents[2]
SECRET = "a secret of the tests"


def named(text: str) -> list[tuple[str, str]]:
    """File and beginning of a test's name, as they stand: `test_x.py` `test_a_...` `test_b`, or `test_x.py::test_a`."""
    found, file = [], ""
    for whole, at, name in re.findall(r"`(test_\w+\.py)(?:::(\w+))?`|`(test_\w+)\.{0,3}`", text):
        file = whole or file
        found.append((file, at or name))
    return found


@pytest.mark.parametrize("document", ["security.md", "faults.md"])
def test_every_test_that_a_document_names_is_there(document: str) -> None:
    pairs = named((ROOT / "docs" / document).read_text())
    assert len(pairs) > 40
    for file, name in pairs:
        texts = [path.read_text() for path in (ROOT / "tests").rglob(file)]
        assert any(f"def {name}" in text for text in texts), (document, file, name)


def test_settings_are_for_their_owner_alone(tmp_path: Path) -> None:
    assert write_settings(tmp_path / "site").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("secure", [True, False])
def test_the_cookie_goes_over_https_alone_unless_switched_off(tmp_path: Path, secure: bool) -> None:
    from fastapi.testclient import TestClient

    assert Web().secure_cookies
    settings = settings_of(own_site(tmp_path / "site"))
    site = open_site(settings.model_copy(update={"web": Web(secure_cookies=secure)}))
    with site.store.begin() as session:
        access.add_user(session, "Ada", SECRET, SystemClock().now())
    with TestClient(site.desk(), base_url="https://testserver", follow_redirects=False) as client:
        cookie = client.post("/sign-in", data={"name": "Ada", "password": SECRET}).headers["set-cookie"]
    site.engine.dispose()
    assert ("secure" in cookie.lower().replace(" ", "").split(";")) is secure


def test_passwords_and_sessions_are_kept_as_hashes_alone(site: Site) -> None:
    now = site.clock.now()
    with site.store.begin() as session:
        access.add_user(session, "Ada", SECRET, now)
        session.flush()
        token = access.sign_in(session, "Ada", SECRET, now)
        session.flush()
        user, held = session.scalars(select(UserRow)).one(), session.scalars(select(SessionRow)).one()
        assert token is not None
        assert user.password.startswith("$argon2id$")
        assert token not in {held.token_hash, held.csrf}
        again = access.sign_in(session, "Ada", SECRET, now)
        assert again not in {None, token}  # no sign-in goes on with a token from before it


def test_the_child_that_opens_files_has_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GALLOPER_MAIL_IN__PASSWORD", SECRET)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    assert SECRET not in str(_environment())


def test_the_child_that_opens_files_has_no_network() -> None:
    """Where the kernel lets a process leave its network; elsewhere the other limits stand alone, and this is left out."""
    program = """
import os, socket, sys
from service.decode_child import _leave_network
before = os.readlink("/proc/self/ns/net")
_leave_network()
if os.readlink("/proc/self/ns/net") == before:
    raise SystemExit(3)
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2)
except OSError:
    raise SystemExit(0)
raise SystemExit(1)
"""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        done = subprocess.run([sys.executable, "-c", program, str(listening.getsockname()[1])], check=False, cwd=ROOT, timeout=60)
    if done.returncode == 3:
        pytest.skip("this kernel lets nobody leave its network")
    assert done.returncode == 0


def test_a_settings_fault_quotes_no_secret() -> None:
    with pytest.raises(ValueError, match="sender") as caught:
        Settings.model_validate({"data": "x", "order_address": "a@example.org", "coordinator": "b@example.org",
                                 "mail_in": {"password": SECRET}, "mail_out": {"password": SECRET}})
    assert all(SECRET not in str(one["msg"]) for one in caught.value.errors())  # type: ignore[attr-defined]
