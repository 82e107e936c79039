"""How soon the page answers when a year's end is approved, at a real `galloper serve` (LET-04).

The answer must not wait for the letters: a worker of the same process draws them. The pages that follow are
timed too, while it does.
"""

from __future__ import annotations

import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from sqlalchemy import select

from bench.desk.site import NAME, PASSWORD, SETTINGS, Server, serving_folder
from bench.figure import median, print_line
from bench.servers.ports import free_port
from service.clock import SystemClock
from service.site_folder import FILE, opened, settings_of
from service.store.tables import ApprovalRow, OutboxRow
from service.web import sessions

ANSWER_TARGET, LETTERS_TARGET = 300, 20.0
"""Milliseconds until the answer, and processor seconds for all letters (issue 14, "Done when")."""
_PATIENCE = 600.0  # seconds until every letter is made, on a busy machine
_PAGES = 5  # asked for before, to show how fast the machine is at present
_BETWEEN = 0.2  # seconds from one look at how far the letters are to the next


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    text: str
    seconds: float


def measure(folder: Path, phase: int, out: TextIO) -> None:
    """Approve a judged phase of the site in a folder, whose `data` no one has open, and print the
    figures."""
    (folder / FILE).write_text(SETTINGS.format(data="data", port=free_port()), encoding="utf-8")
    settings, now = settings_of(folder), SystemClock().now()
    with opened(settings) as store, store.begin() as session:
        sessions.add_user(session, NAME, PASSWORD, now)
        session.flush()
        token = sessions.sign_in(session, NAME, PASSWORD, now)
        assert token is not None
    server = serving_folder(folder, settings)
    server.start()
    try:
        figures = _approve(server, token, phase)
    finally:
        server.kill()
    with opened(settings) as store, store() as session:
        approval = session.get_one(ApprovalRow, phase)
        assert approval.state == "sent", approval.error
        kinds = session.scalars(select(OutboxRow.kind).where(OutboxRow.phase_id == phase)).all()
    results = sum(kind.endswith("_results") for kind in kinds)
    label = f"approving a year's end with {results} letters: the page answers"
    print_line(out, what=label, unit="ms", target=ANSWER_TARGET, **figures)


def _approve(server: Server, token: str, phase: int) -> dict[str, object]:
    path = f"/results/{phase}"
    page = _ask(server, path, token)
    while (form := re.search(r'action="(/sheet/\d+/right)"', page.text)) is not None:
        _ask(server, form[1], token, _form(page.text))
        page = _ask(server, path, token)
    quiet = [_ask(server, path, token).seconds for _ in range(_PAGES)]
    spent = _processor_seconds(server)
    answer = _ask(server, f"{path}/approve", token, _form(page.text))
    assert answer.status == 303, (answer.status, answer.text[:300])
    while_drawing: list[float] = []
    give_up_at = time.monotonic() + _PATIENCE
    while (page := _ask(server, path, token)).text.count("being made") and time.monotonic() < give_up_at:
        while_drawing.append(page.seconds)
        time.sleep(_BETWEEN)
    return {
        "value": round(1000 * answer.seconds),
        "same_page_before_ms": round(1000 * (median(quiet) or 0)),
        "slowest_page_while_drawing_ms": round(1000 * max(while_drawing, default=0)),
        "until_sent_cpu_s": round(_processor_seconds(server) - spent, 2),
        "most_cpu_s": LETTERS_TARGET,
    }


class _NotFollowed(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        """An approval answers with the address of the next page: that is the answer."""


def _ask(server: Server, path: str, token: str, form: dict[str, str] | None = None) -> _Answer:
    data = None if form is None else urllib.parse.urlencode(form).encode()
    request = urllib.request.Request(  # noqa: S310 loopback
        server.address + path, data=data, headers={"Cookie": f"{sessions.COOKIE}={token}"})
    begun = time.perf_counter()
    try:
        with urllib.request.build_opener(_NotFollowed).open(request, timeout=_PATIENCE) as response:
            text, status = response.read().decode(), response.status
    except urllib.error.HTTPError as answer:
        text, status = answer.read().decode(), answer.code
    return _Answer(status, text, time.perf_counter() - begun)


def _form(page: str) -> dict[str, str]:
    match = re.search(r'name="csrf" value="([^"]+)"', page)
    assert match is not None
    return {"csrf": match[1]}


def _processor_seconds(server: Server) -> float:
    """Processor seconds of the server so far, its threads and the children that it waited for included."""
    assert server.process is not None
    fields = Path(f"/proc/{server.process.pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")
