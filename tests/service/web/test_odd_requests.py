"""Requests that no page of ours makes (SEC-06): each is refused in words, and is not a fault of ours."""

from __future__ import annotations

import pytest

from tests.support.desk_table import CSRF, open_desk
from tests.support.site import Site
from tests.support.table import open_table

FORM = "application/x-www-form-urlencoded"
ODD_FORMS = {
    "no boundary": ("multipart/form-data", b"x"),
    "three thousand fields": (FORM, b"&".join(b"a%d=1" % number for number in range(3000))),
    "a field of two megabytes": (FORM, b"name=" + b"x" * 2_000_000),
    "1500 files": ("multipart/form-data; boundary=b", b"".join(
        b'--b\r\nContent-Disposition: form-data; name="scan"; filename="%d"\r\n\r\nx\r\n' % number
        for number in range(1500)) + b"--b--\r\n"),
}


@pytest.mark.parametrize("odd", ODD_FORMS)
def test_a_form_that_nobody_can_read_is_no_fault_of_ours(site: Site, odd: str) -> None:
    """The page that told of it read the form once more, so that each was a fault of ours in the log."""
    desk = open_desk(open_table(site))
    content_type, body = ODD_FORMS[odd]
    for path in ("/sign-in", "/health/pause", "/games/new", f"/quarantine/{'a' * 64}/take-back"):
        answer = desk.client.post(path, content=body, headers={"content-type": content_type})
        assert answer.status_code in {400, 413}, path
        assert "othing was changed" in answer.text, path
        assert answer.headers["x-content-type-options"] == "nosniff"
    desk.client.cookies.clear()
    for path in ("/health/pause", "/sign-in", "/public/entry"):
        answer = desk.client.post(path, content=body, headers={"content-type": content_type})
        assert answer.status_code in {303, 400, 413}, path


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b'{"acts":' * 50_000, b'{"acts":[{"line":NaN}]}', b"", b"null"])
def test_acts_that_nobody_can_read_change_nothing(site: Site, body: bytes) -> None:
    """A body of a script: brackets without end, what is not a number, nothing at all."""
    desk = open_desk(open_table(site))
    path = f"/desk/{desk.table.phase().id}/acts"
    answer = desk.client.post(
        path, content=body, headers={"content-type": "application/json", "X-Galloper-Token": CSRF})
    assert answer.status_code == 400
    assert "othing was changed" in answer.text


def test_no_address_leads_to_the_host_that_a_request_names(site: Site) -> None:
    """An address with one slash more led to it, no matter who's it is."""
    desk = open_desk(open_table(site))
    for path in ("/sign-in/", "/games/", "/", "//evil.example/", "/public/powick-bridge/", "/sign-out"):
        for signed_in in (True, False):
            if not signed_in:
                desk.client.cookies.clear()
            answer = desk.client.get(path, headers={"host": "evil.example"})
            assert "evil" not in answer.headers.get("location", ""), path
