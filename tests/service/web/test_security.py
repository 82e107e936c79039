"""What docs/security.md claims and no other file tests; and that every test which docs/security.md and
docs/faults.md name is there."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from threading import Thread

import pytest
from fastapi import FastAPI
from PIL import Image
from sqlalchemy import select

from service.bootstrap import open_site
from service.clock import SystemClock
from service.config import Settings, Web
from service.intake.opening.sandbox import ChildFault, SandboxLimits, decode_photo
from service.site_folder import settings_of, write_settings
from service.store.tables import SessionRow, UserRow
from service.web import sessions
from tests.support.desk_table import open_desk
from tests.support.mails import wait_for
from tests.support.own_site import own_site
from tests.support.site import Site
from tests.support.table import open_table

ROOT = Path(__file__).parents[3]
SECRET = "a secret of the tests"


def named(text: str) -> list[tuple[str, str]]:
    """File and beginning of a test's name, as they stand: `test_x.py` `test_a_...` `test_b`, or
    `test_x.py::test_a`."""
    named_tests, file = [], ""
    for reference, path, name in re.findall(
        r"`((?:[a-z0-9_]+/)*test_\w+\.py)(?:::(\w+))?`|`(test_\w+)\.{0,3}`", text
    ):
        file = reference or file
        named_tests.append((file, path or name))
    return named_tests


@pytest.mark.parametrize("document", ["security.md", "faults.md"])
def test_every_test_that_a_document_names_is_there(document: str) -> None:
    pairs = named((ROOT / "docs" / document).read_text())
    # If the pattern no longer fits the document, the test must fail and not pass over nothing.
    assert len(pairs) > 40
    for file, name in pairs:
        texts = [path.read_text() for path in (ROOT / "tests").rglob(file)]
        assert any(f"def {name}" in text for text in texts), (document, file, name)


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


@dataclass(frozen=True, slots=True)
class Child:
    """What the kernel tells of a running child that opens files."""

    environment: bytes
    network: str
    limits: dict[str, int]


@pytest.fixture(scope="module")
def child() -> Child:
    """The real child, looked at while it opens a file that takes it long, and then stopped."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("GALLOPER_MAIL_IN__PASSWORD", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, SECRET)
        slow = Thread(target=_open_until_killed)
        slow.start()
        children: list[Child] = []
        assert wait_for(lambda: any(_look(pid, children) for pid in _children()), 60)
        slow.join(60)
    return children[0]


def _open_until_killed() -> None:
    white = BytesIO()
    # 49 megapixels take the child long enough to be looked at.
    Image.new("RGB", (7000, 7000), "white").save(white, "PNG")
    with suppress(ChildFault):
        decode_photo(white.getvalue(), "slow.png")


def _children() -> list[int]:
    tasks = Path("/proc/self/task").glob("*/children")
    return [int(pid) for task in tasks for pid in task.read_text().split()]


def _look(pid: int, children: list[Child]) -> bool:
    """Whether this process is the child and has begun to decode, with its limits lowered; then it is
    killed."""
    try:
        place = Path(f"/proc/{pid}")
        if (
            b"service.intake.opening.sandbox_child" not in (place / "cmdline").read_bytes()
            # Loaded once the child has lowered its limits and begins to decode.
            or "libjpeg" not in (place / "maps").read_text()
        ):
            return False
        limits = {
            line[:26].strip(): line[26:].split()[0]
            for line in (place / "limits").read_text().splitlines()[1:]
        }
        children.append(Child((place / "environ").read_bytes(), str((place / "ns" / "net").readlink()),
                           {name: int(most) for name, most in limits.items() if most.isdecimal()}))
        os.kill(pid, signal.SIGKILL)
    except OSError:  # it has ended
        return False
    return True


def test_the_child_that_opens_files_has_no_secret(child: Child) -> None:
    # That the environment was read at all.
    assert b"PYTHONPATH=" in child.environment
    assert SECRET.encode() not in child.environment


def test_the_child_that_opens_files_has_no_network(child: Child) -> None:
    """Where the kernel lets a process leave its network."""
    leave = ("from service.intake.opening.sandbox_child import _leave_network as leave; import os; leave(); "
             "print(os.readlink('/proc/self/ns/net'))")
    own_network = str(Path("/proc/self/ns/net").readlink())
    if (
        subprocess.run(
            [sys.executable, "-c", leave], check=True, cwd=ROOT, capture_output=True, text=True
        ).stdout.strip()
        == own_network
    ):
        # Elsewhere the other limits stand alone.
        pytest.skip("this kernel lets nobody leave its network")
    assert child.network != own_network


def test_the_child_that_opens_files_is_limited_by_the_kernel(child: Child) -> None:
    # As the kernel reports them of the running child; the functions that set them had tests of their own
    # before.
    limits = SandboxLimits()
    assert child.limits["Max address space"] <= limits.memory
    assert child.limits["Max file size"] <= limits.output
    assert child.limits["Max cpu time"] <= limits.cpu_seconds + 1
    assert child.limits["Max open files"] <= 64
    # A core dump would lay a player's photograph on the disk.
    assert child.limits["Max core file size"] == 0


# Doors of the desk
# --------------------------------------------------------------------------------------------------


def test_no_form_of_the_whole_site_does_anything_without_its_token(site: Site) -> None:
    """Every address that takes a form, whoever added it: signed in and without the token, or with a guess, it
    is refused before anything is looked at. The two that need no session have a secret of their own, or only
    ask for one."""
    desk = open_desk(open_table(site))
    app = desk.client.app
    assert isinstance(app, FastAPI)
    paths = {path for path, methods in app.openapi()["paths"].items() if "post" in methods}
    assert len(paths) > 40
    # Signing in, asking for a link and using it need no session: nobody has one yet.
    entered = {"/sign-in", "/public/entry", "/public/me/{secret}"}
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
