"""What each role reaches (SEC-04): an operator keeps the machine and reads nothing that is sealed."""

from __future__ import annotations

import re

from fastapi import FastAPI

from tests.support.desk_table import open_desk
from tests.support.site import Site
from tests.support.table import open_table

OF_AN_OPERATOR = {
    "/account",
    "/account/app",
    "/account/app/confirm",
    "/account/app/remove",
    "/account/sessions",
    "/health",
    "/health/note",
    "/health/pause",
    "/health/resume",
    "/health/retry",
    "/sign-out",
}
OF_NOBODY = ("/public/", "/sign-in", "/alive", "/metrics", "/static")


def test_an_operator_keeps_the_site_and_unseals_nothing(site: Site) -> None:
    """Every route of the site, whoever added it."""
    desk = open_desk(open_table(site), "operator")
    app = desk.client.app
    assert isinstance(app, FastAPI)
    reached = set()
    for path, methods in app.openapi()["paths"].items():
        if path.startswith(OF_NOBODY):
            continue
        address = re.sub(r"\{[^}]+\}", "1", path)
        for method in methods:
            answer = desk.client.request(
                method, address, data={"csrf": "a guess"} if method == "post" else None
            )
            # Past the role stands the token of the form, which says that the form is out of date.
            if answer.status_code != 403 or "out of date" in answer.text:
                reached.add(path)
    assert reached == OF_AN_OPERATOR
    assert "unseal" not in desk.page("/health").lower()
    answer = desk.client.get("/desk/1")
    assert answer.status_code == 403
    assert "Nothing was shown" in answer.text


def test_an_address_that_names_no_mail_is_refused_in_words(site: Site) -> None:
    """The fuzz of every route came upon it: a fault of ours, where the address was wrong."""
    desk = open_desk(open_table(site))
    for key in ("0", "a" * 64, "..%2f..%2fetc%2fpasswd"):
        assert desk.post(f"/quarantine/{key}/queue").status_code in {404, 409}, key
