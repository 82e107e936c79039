"""Codes of an app next to the password (SEC-04, RFC 6238): right, used once, and guessed by no one."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from service.features.passkeys_and_codes import code_app
from service.store.tables import CodeAppRow
from service.web import sessions
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


def test_codes_are_those_of_the_rfc_and_work_once(any_site: Site) -> None:
    """RFC 6238, appendix B: the secret 12345678901234567890 at 1111111109 s gives 07081804; six digits of
    it."""
    pytest.importorskip("pyotp")
    at = datetime.fromtimestamp(1111111109, UTC)
    with any_site.store.begin() as session:
        sessions.add_user(session, "Ada", PASSWORD, NOW)
        session.flush()
        code_app.begin(session, "Ada", NOW)
        session.flush()
        row = session.get_one(CodeAppRow, "Ada")
        row.secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        # Until it has shown a code, none is asked for.
        assert code_app.check(session, "Ada", "", at)
        assert not code_app.confirm(session, "Ada", "000000", at)
        assert code_app.confirm(session, "Ada", "081 804", at)
        assert not code_app.check(session, "Ada", "081804", at)
        assert not code_app.check(session, "Ada", "", at)
        # Of the same appendix, two seconds later and in the next period.
        assert code_app.check(session, "Ada", "050471", datetime.fromtimestamp(1111111111, UTC))


def test_whoever_has_an_app_is_asked_for_its_code(desk: DeskSite) -> None:
    pyotp = pytest.importorskip("pyotp")
    desk.sign_in()
    answer = desk.post("/account/app")
    assert answer.status_code == 200, answer.text
    page = answer.text
    secret = "".join(re.findall(r"<code>(.*?)</code>", page, re.DOTALL)[0].split())
    code = pyotp.TOTP(secret).at(desk.clock.now())
    assert desk.post("/account/app/confirm", code=code).status_code == 303
    desk.client.cookies.clear()
    desk.clock.advance(timedelta(minutes=2))
    answer = desk.client.post("/sign-in", data={"name": NAME, "password": PASSWORD})
    assert answer.status_code == 401
    assert "one-time-code" in answer.text
    assert enter(desk, PASSWORD, code="123456") == 401
    assert enter(desk, PASSWORD, code=pyotp.TOTP(secret).at(desk.clock.now())) == 303


def test_whoever_finds_a_signed_in_browser_cannot_guess_the_code(desk: DeskSite) -> None:
    """SEC-04: six digits of which three are right at a time are guessed in a night where no one counts."""
    pyotp = pytest.importorskip("pyotp")
    desk.sign_in()
    secret = "".join(re.findall(r"<code>(.*?)</code>", desk.post("/account/app").text, re.DOTALL)[0].split())
    assert desk.post("/account/app/confirm", code=pyotp.TOTP(secret).at(desk.clock.now())).status_code == 303
    desk.clock.advance(timedelta(minutes=2))
    right = pyotp.TOTP(secret).at(desk.clock.now())
    wrong = "000000" if right != "000000" else "000001"
    answers = [desk.post("/account/app/remove", code=code).status_code for code in [*[wrong] * 5, right]]
    assert answers == [400] * 5 + [429]
    desk.clock.advance(timedelta(minutes=6))
    right = pyotp.TOTP(secret).at(desk.clock.now())
    assert desk.post("/account/app/remove", code=right).status_code == 303


def test_without_the_package_a_sentence_says_so(desk: DeskSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyotp", None)
    desk.sign_in()
    answer = desk.post("/account/app")
    assert answer.status_code == 503
    assert "galloper[codes]" in answer.text
