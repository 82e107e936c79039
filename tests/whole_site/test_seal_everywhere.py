"""The seal on everything that leaves before the deadline (issue "Trust", 4; DESK-02, Q-14, Q-37).

Two sites are equal except for what is sealed: the words on the sheets, the names above them, the ink itself.
If any answer, its size, the work it took, a mail or a line of the log distinguishes them, the seal leaks.
"""

from __future__ import annotations

import email
import email.policy
import io
import itertools
import logging
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from PIL import Image, ImageDraw
from sqlalchemy import event, select
from sqlalchemy.orm import Session, object_session
from starlette.routing import Mount

from service.clock import SimulatedClock
from service.notices.reminders import Reminders
from service.operations.mailbox_status import MailboxStatus
from service.operations.metrics import Metrics
from service.store import records
from service.store.blobs import Blobs
from service.store.letter_parts import finished
from service.store.tables import LineRow, LineState, PhaseRow, SubmissionRow
from service.web.public_limits import RateLimit
from tests.service.public.test_entry import BASE, visit
from tests.support.desk_table import CSRF, DeskTable, open_desk
from tests.support.features import of_features
from tests.support.mail_builder import mail, part, picture, stamp, text as plain_part
from tests.support.site import Site, make_site
from tests.support.table import SERVER, Table, address, open_table

TOKEN = "a token of the tests"


@dataclass(frozen=True, slots=True)
class Sealed:
    """The contents of one of the two sites under its seal. Both have the same number of lines, equally
    certain."""

    orders: tuple[str, ...]
    read: tuple[str, ...]
    name: str
    hidden: str
    shade: int


ONE = Sealed(
    ("A Moray & Nairn H", "F Pentland Firth H"),
    ("A Mory & Narn H", "F Pntland Frth H"),
    "Ada Lovelace",
    "Attack Ormond",
    80,
)
OTHER = Sealed(
    ("A Caerlaverock Castle S A Atholl - The Mearns", "F Firth of Tay C A The Mearns - Northumberland"),
    ("A Carlaverok Casle S A Athol - Teh Maerns", "F Frith of Tay C A Teh Maerns - Northmberland"),
    "Bartholomew Featherstonehaugh, 112 Long Acre, Inverness",
    "Support Ormond against everybody who comes near him this year", 130)


@dataclass
class World:
    """A site before its deadline, with sheets on file; everything that leaves it is noted."""

    site: Site
    table: Table
    desk: DeskTable
    log: io.StringIO
    work: list[str] = field(default_factory=list)


def page(sealed: Sealed) -> bytes:
    """A photograph whose ink is as long as the sealed words."""
    picture = Image.new("RGB", (900, 1200), (236, 230, 214))
    for row, words in enumerate((sealed.name, *sealed.orders)):
        ImageDraw.Draw(picture).text((100, 100 + 60 * row), words, fill=(sealed.shade,) * 3)
    out = io.BytesIO()
    picture.save(out, "JPEG")
    return out.getvalue()


def _lines(site: Site, sealed: Sealed) -> None:
    """The reading of every sheet: a name, a doubtful line and a certain one, a signature."""
    with site.store.begin() as session:
        for submission in session.query(SubmissionRow).all():
            (row, *_) = records.pages(session, submission.id)
            row.upright = row.original
            rows = [
                (sealed.name, None, "heading", LineState.NOT_ORDER),
                (sealed.read[0], None, "order", LineState.OPEN),
                (sealed.read[1], sealed.orders[1], "order", LineState.AUTO),
                (sealed.name, None, "other", LineState.NOT_ORDER),
            ]
            for index, (words, order, kind, state) in enumerate(rows):
                box = [[100, 100 + 60 * index], [700, 100 + 60 * index], [700, 140 + 60 * index],
                       [100, 140 + 60 * index]]
                session.add(
                    LineRow(
                        page_id=row.id,
                        ordinal=index,
                        kind=kind,
                        text=words,
                        order=order,
                        box=box,
                        confidence=0.9,
                        candidates=[{"text": order, "order": order, "score": 0.5} for order in sealed.orders],
                        status=state.value,
                    )
                )
            submission.read_at = site.clock.now()


def build(site: Site, sealed: Sealed, log: io.StringIO) -> World:
    """A game of w3k two days before its deadline. Montrose and Argyll sent photographs, Hamilton orders as
    text that is never read, and a mail of Ormond's names no game that runs."""
    table = open_table(site)
    opens = table.phase().opens_at
    for minute, (power, subject, parts) in enumerate([
        ("Montrose", table.subject("Montrose"), [plain_part(sealed.hidden), part(page(sealed))]),
        ("Argyll", table.subject("Argyll"), [plain_part(sealed.hidden), part(page(sealed))]),
        ("Hamilton", table.subject("Hamilton"), [plain_part(f"{sealed.orders[0]}\n{sealed.hidden}")]),
        ("Ormond", ("Edgehill - Ormond - Summer 1642 - Movement Orders - "
                    "v1"), [plain_part(sealed.hidden), part(picture(90))]),
    ]):
        domain = address(power).rpartition("@")[2]
        table.take(
            mail(subject, address(power), parts=parts, stamps=[stamp(domain, "pass", SERVER)]),
            opens + timedelta(minutes=minute),
        )
    _lines(site, sealed)
    # Two days before: reminders are due, so the walk has letters to compare.
    site.clock.set(table.phase().deadline - timedelta(days=2))
    site.clock.advance(timedelta(minutes=1))
    with site.store.begin() as session:
        Reminders(table.writer).put_due(session, table.phase().id)
    doors: dict[str, Any] = {
        "base_url": BASE, "wall": SimulatedClock(site.clock.now()), "metrics_token": TOKEN,
        "health": lambda: (),
        "metrics": Metrics(site.store, site.clock, MailboxStatus(site.clock), Path()).text}
    world = World(site, table, open_desk(table, **doors), log)
    app: Any = world.desk.client.app
    app.state.public_limit = RateLimit(at_once=1_000_000)  # the walk has one address for everybody
    event.listen(site.engine, "before_cursor_execute", lambda *args: world.work.append(str(args[2])))
    return world


PLACES = {
    "phase_id": "1", "line_id": "2", "page_id": "1", "submission_id": "1", "game_id": "powick-bridge",
    "slug": "w3k", "letter_id": "1",
    "number": "0", "sha256": "{mail}", "posted_id": "1", "row_id": "1", "kind": "receipt",
    "name": "results-1.png", "secret": "x", "player_id": "1",
    "token": "x", "scan_id": "1", "offer_id": "1", "form": "csv", "index": "0", "phase": "1", "year": "1642"}
"""A value for each part of an address. A route with another is not walked until it has one here."""
DRAWN = frozenset(
    {
        "/public/{game_id}/map-a4.pdf",
        "/public/{game_id}/map.png",
        "/public/{game_id}/map.svg",
        "/public/moves/{slug}",
        "/public/{game_id}/sheets.pdf",
        "/public/{game_id}/envelopes.pdf",
        "/public/{game_id}/labels.pdf",
        *of_features("DRAWN"),
    }
)
"""Drawn in seconds, from the board and the players alone: the long walk has them."""
BREAKS = frozenset({"/desk/{phase_id}/unseal"})
"""What breaks the seal, with a reason that all players are informed."""
ENDS = frozenset({"/sign-out", "/public/me/do/leave"})
"""What ends a visit."""
READ, WRITTEN = ("get",), ("get", "post")
KNOWN = {
    "/sign-in": WRITTEN, "/sign-out": ("post",), "/": READ, "/alive": READ, "/metrics": READ, "/health": READ,
    "/log": READ,
    "/log/export": READ, "/letters": READ, "/people": READ, "/games": READ,
    # Of past phases alone: how many lines they had.
    "/deadlines": READ,
    # Tables of boards; no game is on them.
    "/boards": READ, "/boards/{slug}": WRITTEN,
    "/quarantine": READ,
    # Search goes over what its reader may open. Account and people are of the desk's own users.
    "/search": READ, "/account": READ,
    # A scan in the tray is shown to who put it there, and to no one else before it is filed.
    **dict.fromkeys((
        "/account/sessions", "/people/remove", "/people/game-role", "/people/sign-out",
        "/quarantine/discard"), ("post",)),
    **dict.fromkeys((
        "/quarantine/{sha256}/queue", "/quarantine/{sha256}/leave"), ("post",)),
    "/games/new": WRITTEN, "/desk/keys": ("post",),
    "/results/{phase_id}/correct": WRITTEN, "/results/{phase_id}/line/{line_id}": WRITTEN,
    "/results/{phase_id}/take-back": ("post",), "/results/{phase_id}/board": ("post",),
    **dict.fromkeys((
        "/public/check", "/public/verify_record.py",
        "/public/{game_id}", "/public/{game_id}/map", "/public/{game_id}/map.pdf",
        "/public/{game_id}/map-a4.pdf",
        "/public/{game_id}/map.svg", "/public/{game_id}/map.png", "/public/{game_id}/calendar",
        "/public/{game_id}/calendar.ics",
        "/public/calendar/{token}.ics", "/public/moves/{slug}", "/public/rules/{slug}",
        "/public/{game_id}/sheets.pdf",
        "/public/{game_id}/roots", "/public/{game_id}/roots.json", "/public/{game_id}/roots.atom",
        "/public/{game_id}/roots/{phase}.tsr",
        "/public/{game_id}/lots", "/public/{game_id}/lots.json", "/public/letter/{token}",
        "/public/letter/{token}/{number}",
        "/public/me", "/public/{game_id}/players", "/public/{game_id}/envelopes.pdf",
        "/public/{game_id}/labels.pdf",
        "/public/{game_id}/file", "/public/{game_id}/file/{page_id}.jpg", "/public/{game_id}/archive.zip",
        "/public/{game_id}/results",
        "/public/{game_id}/results/{number}", "/public/{game_id}/results/{number}/{line_id}",
        "/public/{game_id}/results/{number}/{line_id}.jpg", "/desk/{phase_id}", "/desk/{phase_id}/lines",
        "/desk/{phase_id}/line/{line_id}", "/desk/{phase_id}/words", "/images/line/{line_id}.jpg",
        "/images/strip/{line_id}.jpg",
        "/images/page/{page_id}.jpg", "/results/{phase_id}", "/proof/{phase_id}", "/letters/{letter_id}",
        "/letters/{letter_id}/part/{number}",
        "/sheets/{phase_id}", "/sheet/{submission_id}", "/sheet/{submission_id}/page/{page_id}.jpg",
        "/sheet/{submission_id}/original/{page_id}", "/quarantine/{sha256}", "/quarantine/{sha256}.eml",
        "/games/{game_id}",
        "/previews/{game_id}"), READ),
    **dict.fromkeys((
        "/public/me/do/address", "/public/me/do/address/{row_id}/end", "/public/me/do/settings",
        "/public/me/do/feed",
        "/public/me/do/leave", "/desk/{phase_id}/decide", "/desk/{phase_id}/accept", "/desk/{phase_id}/undo",
        "/desk/{phase_id}/redo",
        "/proof/{phase_id}/wrong", "/proof/{phase_id}/done",
        "/desk/{phase_id}/late", "/desk/{phase_id}/close", "/desk/{phase_id}/unseal",
        "/desk/{phase_id}/judge", "/desk/{phase_id}/acts",
        "/desk/{phase_id}/here", "/results/{phase_id}/approve", "/sheet/{submission_id}/choose",
        "/sheet/{submission_id}/leave",
        "/sheet/{submission_id}/refuse", "/sheet/{submission_id}/unrefuse", "/sheet/{submission_id}/right",
        "/sheet/{submission_id}/refile", "/sheet/{submission_id}/take-over", "/sheet/{submission_id}/line",
        "/sheet/{submission_id}/box",
        "/quarantine/{sha256}/discard",
        "/quarantine/{sha256}/take-back", "/games/{game_id}/move",
        "/games/{game_id}/roll-back", "/games/{game_id}/judge-without",
        "/games/{game_id}/end",
        "/games/{game_id}/options",
        "/games/{game_id}/address",
        "/games/{game_id}/address/remove", "/games/{game_id}/seat", "/people/add", "/people/role",
        "/health/pause", "/health/resume",
        "/health/retry", "/previews/{game_id}/hand-over",
        "/previews/{game_id}/return-address", "/previews/{game_id}/accommodation"), ("post",)),
    "/public/entry": WRITTEN, "/public/me/{secret}": WRITTEN,
    **dict.fromkeys((
        # Days away, pauses and draws are reported to everybody at once.
        "/public/me/do/absence/{game_id}", "/games/{game_id}/absence",
        "/games/{game_id}/absence/{row_id}/end", "/games/{game_id}/pause", "/games/{game_id}/away",
        "/games/{game_id}/draw"),
        ("post",)),
    # Sent results, the public map and an empty sheet, each in another form.
    "/public/{game_id}/map-table.{form}": READ, "/public/{game_id}/results/{number}/table.{form}": READ,
    "/public/{game_id}/sheet-form.pdf": READ,
    **of_features("ROUTES"),
}
"""Every route there is; those of features are in their `routes.py`. Before one is added here, its author has
asked what it tells before a deadline."""


def routes(app: Any) -> dict[str, tuple[str, ...]]:
    """The application's own table: each route with its methods."""
    return {route: tuple(sorted(methods)) for route, methods in app.openapi()["paths"].items()}


def test_every_route_is_known_and_can_be_walked(site: Site) -> None:
    """A new route fails here until it is listed, and then it is walked."""
    app: Any = open_desk(open_table(site)).client.app
    # The list is by hand on purpose: who adds a route must ask what it tells before a deadline.
    assert routes(app) == KNOWN
    # Applications of features, each with its own walk, and files of the program.
    mounts = [route.path for route in app.routes if isinstance(route, Mount)]
    assert mounts == [*of_features("MOUNTS"), "/static"]
    for route in KNOWN:
        assert set(re.findall("{(.*?)}", route)) <= set(PLACES), f"give this walk a value for {route}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What one request gave: its status, its words with every digest and secret blotted out, its size and its
    work."""

    status: int
    words: str
    size: int
    work: tuple[str, ...]


_CHANCE = (
    r"[0-9a-f]{24,64}",
    (
        r"[0-9a-f]{4} [0-9a-f]{4} "
        r"[0-9a-f]{4}"
    ),
    r"(?<=/public/me/)[\w-]{43}",
    r"(?<=/<wbr>public/<wbr>me/<wbr>)[\w-]{43}",
    r"\b[0-9a-f]{12}\b",
    r"\d{19}(?===)",
    r"(?<=/public/calendar/)[\w-]{32}",
    r'(?<="entered":")[^"]*',
    r"(?<=<p><code>)(?:[A-Z2-7]{4} ){8}(?=</code>)",
    r"(?<=[?]secret=)[A-Z2-7]{32}",
    # What a passkey signs: drawn for each try (WebAuthn, 13.4.3).
    r'(?<="challenge": ")[\w-]{86}',
)
_MACHINE = re.compile(r"(?m)^(?:galloper_disk|galloper_\w+_seconds|process_|python_).*$")
"""Numbers of the machine, which differ from one second to the next."""
"""What is chance or digest in any two sites: of one length, and telling nothing
(`test_likely_bodies_cannot_be_tried_on_a_digest`)."""


def blotted(text: str) -> str:
    text = _MACHINE.sub("", text)
    for pattern in _CHANCE:
        text = re.sub(pattern, lambda match: "#" * len(match[0]), text)
    return text


def _words(content: bytes, kind: str) -> str:
    if kind == "application/zip":
        with zipfile.ZipFile(io.BytesIO(content)) as zipped:
            return "\n".join(f"{name}\n{zipped.read(name).decode()}" for name in zipped.namelist())
    return content.decode("utf-8", "replace")


def walk(world: World, known: dict[str, tuple[str, ...]]) -> Iterator[tuple[tuple[str, str, str], Answer]]:
    """Every route with each of its methods, as the coordinator, as a player and as a stranger; what ends a
    visit comes last."""
    held = _quarantined(world)
    # Without any cookie: what anybody on the web can ask.
    stranger = TestClient(world.desk.client.app, base_url="http://testserver", follow_redirects=False)
    visitors = {"coordinator": world.desk.client, "Ormond": visit(world.desk, "Ormond"), "stranger": stranger}
    form = {
        "csrf": CSRF,
        "line": "2",
        "key": "k",
        "do": "reading-1",
        "page": "1",
        "text": "x",
        "phase": "1",
        "named": "1",
        "review": "1",
        "one": "2  reading-1",
        "why": "A reason of more than ten letters.",
    }
    for visitor, client in visitors.items():
        cookies = {cookie.name: str(cookie.value) for cookie in client.cookies.jar}
        for route, methods in sorted(known.items(), key=lambda entry: (entry[0] in ENDS, entry[0])):
            if (
                visitor != "coordinator"
                and not route.startswith("/public/")
                and route not in {"/", "/alive", "/metrics", "/log/export"}
            ):
                continue  # the door of the desk: `test_fuzz_http.py`, `test_desk_access.py`
            path = route
            for name, value in PLACES.items():
                path = path.replace("{" + name + "}", value.replace("{mail}", held[0]))
            for method in methods:
                # An answer may end the visit or set a cookie; each request starts from the same ones.
                client.cookies.clear()
                client.cookies.update(cookies)
                # SQL parameters and files read count as work: a page that is slower for one sheet tells
                # something too.
                world.work.clear()
                answer = client.request(method.upper(), path, headers={"Authorization": f"Bearer {TOKEN}"},
                                        **({} if method == "get" else {"data": {**form, "key": f"k {path}"}}))
                words = _words(answer.content, answer.headers.get("content-type", ""))
                # A ZIP is as large as its digests happen to shrink to, and metrics as long as the machine's
                # own numbers.
                exact = route not in {"/metrics", "/public/{game_id}/archive.zip"}
                yield (visitor, method, route), Answer(
                    answer.status_code, blotted(words), len(answer.content) if exact else len(blotted(words)),
                    tuple(world.work))


def _quarantined(world: World) -> list[str]:
    from service.desk import queries

    with world.site.store() as session:
        return [row.sha256 for row in queries.quarantine(session)]


def spied(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading a file counts as work too."""
    read = Blobs.read

    def noted(self: Blobs, key: str) -> bytes:
        world.work.append("a file was read")
        return read(self, key)

    monkeypatch.setattr(Blobs, "read", noted)


def mails(world: World) -> list[tuple[str, str, str, int]]:
    """Every mail that leaves: to whom, its headers and words decoded, its size."""
    answers = []
    for row in world.table.letters():
        raw = finished(world.site.blobs, row)
        message = email.message_from_bytes(raw, policy=email.policy.default)
        parts = [
            str(part.get_content())
            if part.get_content_maintype() == "text"
            else str(part.get_payload(decode=True))
            for part in message.walk()
            if not part.is_multipart()
        ]
        answers.append(
            (row.kind, row.recipient, blotted("\n".join([*map(str, message.values()), *parts])), len(raw))
        )
    return answers


def planted(text: str) -> list[str]:
    """The sealed words that a text shows."""
    return [
        words
        for sealed in (ONE, OTHER)
        for words in (*sealed.orders, *sealed.read, sealed.name, sealed.hidden)
        if words in text
    ]


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Every line that anything logs, at any level."""
    out = io.StringIO()
    handler, root = logging.StreamHandler(out), logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield out
    root.removeHandler(handler)
    root.setLevel(before)


def _apart(first: Answer, second: Answer) -> tuple[object, object]:
    """What distinguishes two answers: the first line that differs, or the size, or the work."""
    lines = [
        pair
        for pair in itertools.zip_longest(first.words.splitlines(), second.words.splitlines())
        if pair[0] != pair[1]
    ]
    work = [pair for pair in itertools.zip_longest(first.work, second.work) if pair[0] != pair[1]]
    return (lines or work or [((first.status, first.size), (second.status, second.size))])[0]


def _compared(
    tmp_path: Path, log: io.StringIO, known: dict[str, tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> int:
    walks: list[dict[tuple[str, str, str], Answer]] = []
    left, lines = [], []
    for index, sealed in enumerate((ONE, OTHER)):
        (tmp_path / str(index)).mkdir()
        with make_site(tmp_path / str(index)) as site, monkeypatch.context() as patch:
            world = build(site, sealed, log)
            spied(world, patch)
            walks.append(dict(walk(world, known)))
            left.append(mails(world))
        lines.append(log.getvalue())
        log.seek(0)
        log.truncate()
    for place, answer in walks[0].items():
        assert (planted(answer.words), planted(walks[1][place].words)) == ([], []), place
    assert {
        place: _apart(answer, walks[1][place])
        for place, answer in walks[0].items() if answer != walks[1][place]
    } == {}
    # Letters must be equal byte for byte in length, or a mailbox's listing shows the sealed sheet's size.
    for own_row, theirs in itertools.zip_longest(*left):
        assert (planted(own_row[2]), planted(theirs[2])) == ([], []), own_row[:2]
        assert own_row == theirs
    for text in lines:
        assert planted(text) == []
    return len(walks[0])


@pytest.mark.slow
def test_no_answer_mail_or_log_line_tells_what_is_sealed(
    tmp_path: Path, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every route that is not drawn in seconds, read and sent; receipts, refusals and reminders; every line
    of the log."""
    known = {route: methods for route, methods in KNOWN.items() if route not in DRAWN | BREAKS}
    # A count from below: a walk that found no routes would find no difference either.
    assert _compared(tmp_path, log, known, monkeypatch) > 150


@pytest.mark.slow
def test_a_page_that_is_longer_for_longer_orders_is_found(
    tmp_path: Path, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check of the check: the walk can fail."""
    def leaking(row: PhaseRow) -> str:
        with Session(object_session(row).get_bind()) as session:  # type: ignore[union-attr]
            # By characters without ink alone, one for each letter of a sealed line. Blanks would not do: a
            # sentence that is translated has its blanks gathered into one.
            return "Winter" + "\u200b" * len(session.scalars(select(LineRow.text)).first() or "")

    monkeypatch.setattr("service.public.lots.phase_title", leaking)
    with pytest.raises(AssertionError, match="lots"):
        _compared(tmp_path, log, {"/public/{game_id}/lots": READ}, monkeypatch)


@pytest.mark.slow
def test_no_drawn_page_tells_what_is_sealed(
    tmp_path: Path, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest: maps, blank sheets, envelopes, previews of letters."""
    known = {route: KNOWN[route] for route in DRAWN}
    assert _compared(tmp_path, log, known, monkeypatch) > 2 * len(DRAWN)
