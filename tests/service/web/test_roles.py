"""What each role reaches (SEC-04): every route of the desk, for every role, in one's own game and in another.

An operator keeps the machine and reads nothing that is sealed; anyone who has a role in one game sees nothing
of another, and changes nothing there, also where a form of their own game names something of the other one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select

from service.store.columns import TableBase
from service.store.tables import (
    AddressRow,
    CorrespondenceRow,
    EntryRow,
    EventRow,
    GameRoleRow,
    GameRow,
    LineRow,
    LineState,
    MailRow,
    MailState,
    OutboxRow,
    PageRow,
    PlayerRow,
    PostalOriginalRow,
    ReviewRow,
    ScanRow,
    SeatRow,
    UserRow,
)
from service.web import sessions
from tests.support.desk_table import CSRF, NAME, DeskTable, open_desk
from tests.support.features import of_features
from tests.support.site import Site
from tests.support.table import Table, open_table

NOT_OF_THE_DESK = ("/public/", "/sign-in", "/alive", "/metrics", "/static")
READING = {"reader", "reader of it", "coordinator of it"}
GAME = {"coordinator of it"}
BY_GAME = {"reader of it", "coordinator of it", "of no game"}
WHO = {
    "/": {"reader", *BY_GAME},
    "/account": {"reader", "operator", *BY_GAME},
    "/account/sessions": {"reader", "operator", *BY_GAME},
    "/sign-out": {"reader", "operator", *BY_GAME},
    "/desk/keys": {"reader", *BY_GAME},
    "/health": {"operator"},
    "/health/pause": {"operator"},
    "/health/resume": {"operator"},
    "/health/retry": {"operator"},
    # Lists that show the person's own games alone.
    "/games": BY_GAME,
    "/deadlines": BY_GAME,
    "/letters": BY_GAME,
    "/log": BY_GAME,
    "/log/export": BY_GAME,
    "/quarantine": BY_GAME,
    "/quarantine/discard": BY_GAME,
    "/search": BY_GAME,
    "/desk/{phase_id}": READING,
    "/desk/{phase_id}/accept": READING,
    "/desk/{phase_id}/acts": READING,
    "/desk/{phase_id}/close": GAME,
    "/desk/{phase_id}/decide": READING,
    "/desk/{phase_id}/here": READING,
    "/desk/{phase_id}/judge": GAME,
    "/desk/{phase_id}/late": READING,
    "/desk/{phase_id}/line/{line_id}": READING,
    "/desk/{phase_id}/lines": READING,
    "/desk/{phase_id}/redo": READING,
    "/desk/{phase_id}/undo": READING,
    "/desk/{phase_id}/unseal": GAME,
    "/desk/{phase_id}/words": READING,
    "/images/line/{line_id}.jpg": READING,
    "/images/page/{page_id}.jpg": READING,
    "/images/strip/{line_id}.jpg": READING,
    "/games/{game_id}": GAME,
    "/games/{game_id}/absence": GAME,
    "/games/{game_id}/absence/{row_id}/end": GAME,
    "/games/{game_id}/address": GAME,
    "/games/{game_id}/address/remove": GAME,
    "/games/{game_id}/end": GAME,
    "/games/{game_id}/judge-without": GAME,
    "/games/{game_id}/move": GAME,
    "/games/{game_id}/options": GAME,
    "/games/{game_id}/draw": GAME,
    "/games/{game_id}/away": GAME,
    "/games/{game_id}/pause": GAME,
    "/games/{game_id}/roll-back": GAME,
    "/games/{game_id}/seat": GAME,
    "/letters/{letter_id}": GAME,
    "/letters/{letter_id}/part/{number}": GAME,
    "/previews/{game_id}": GAME,
    "/previews/{game_id}/accommodation": GAME,
    "/previews/{game_id}/hand-over": GAME,
    "/previews/{game_id}/return-address": GAME,
    "/proof/{phase_id}": GAME,
    "/proof/{phase_id}/done": GAME,
    "/proof/{phase_id}/wrong": GAME,
    "/results/{phase_id}": GAME,
    "/results/{phase_id}/approve": GAME,
    "/results/{phase_id}/board": GAME,
    "/results/{phase_id}/correct": GAME,
    "/results/{phase_id}/line/{line_id}": GAME,
    "/results/{phase_id}/take-back": GAME,
    "/sheet/{submission_id}": GAME,
    "/sheet/{submission_id}/box": GAME,
    "/sheet/{submission_id}/choose": GAME,
    "/sheet/{submission_id}/leave": GAME,
    "/sheet/{submission_id}/line": GAME,
    "/sheet/{submission_id}/original/{page_id}": GAME,
    "/sheet/{submission_id}/page/{page_id}.jpg": GAME,
    "/sheet/{submission_id}/refile": GAME,
    "/sheet/{submission_id}/refuse": GAME,
    "/sheet/{submission_id}/right": GAME,
    "/sheet/{submission_id}/take-over": GAME,
    "/sheet/{submission_id}/unrefuse": GAME,
    "/sheets/{phase_id}": GAME,
    # Post, by the games that it touches.
    "/quarantine/{sha256}": GAME,
    "/quarantine/{sha256}.eml": GAME,
    "/quarantine/{sha256}/discard": GAME,
    "/quarantine/{sha256}/leave": GAME,
    "/quarantine/{sha256}/queue": GAME,
    "/quarantine/{sha256}/take-back": GAME,
    # People, and what begins a game: of the site's coordinators alone.
    "/games/new": set(),
    "/boards": set(),
    "/boards/{slug}": set(),
    "/people": set(),
    "/people/add": set(),
    "/people/game-role": set(),
    "/people/remove": set(),
    "/people/role": set(),
    "/people/sign-out": set(),
    **of_features("WHO"),
}  # fmt: skip
"""Who reaches each route next to a coordinator of the site, who reaches all; a new route must be listed,
one of a feature in its `routes.py`."""
SITE_ROLES = {"reader": "second reader", "operator": "operator", "coordinator": "coordinator"}
IN_A_GAME = {"reader of it": "second reader", "coordinator of it": "coordinator", "of no game": ""}
OTHER = "Marston Moor"
SEEN_OF_OTHER = ("Marston", "Stranger", "elsewhere.example")
"""Words that are on a page only if it shows something of the other game."""


@dataclass
class TwoGames:
    """A desk over two games, each closed with one sheet, one letter and one posted letter; and what each
    number in an address is, in the one and in the other."""

    desk: DeskTable
    own_ids: Mapping[str, object]
    other_ids: Mapping[str, object]

    def become(self, role: str) -> None:
        """Give the signed-in person a role."""
        with self.desk.table.site.store.begin() as session:
            person = session.get_one(UserRow, NAME)
            for row in session.scalars(select(GameRoleRow)):
                session.delete(row)
            person.role = SITE_ROLES.get(role, "by game")
            if IN_A_GAME.get(role):
                game = str(self.own_ids["game_id"])
                session.add(GameRoleRow(user=NAME, game_id=game, role=IN_A_GAME[role]))

    def of_other(self) -> dict[str, list[Any]]:
        """Every row of the site but those that an act in the own game may write."""
        allowed = {"sessions", "sign_in_tries", "code_apps", "users", "game_roles"}
        rows = {}
        with self.desk.table.site.store() as session:
            for table in TableBase.metadata.sorted_tables:
                if table.name not in allowed:
                    rows[table.name] = [tuple(row) for row in session.execute(select(table))
                                        if self._is_of_other(table.name, dict(row._mapping))]
        return rows

    def _is_of_other(self, table: str, row: Mapping[str, Any]) -> bool:
        game, phase = self.other_ids["game_id"], self.other_ids["phase_id"]
        if "game_id" in row:
            return bool(row["game_id"] == game)
        if "phase_id" in row:
            return bool(row["phase_id"] == phase)
        keys = {"games": ("id", game), "scans": ("id", self.other_ids["scan"]),
                "mails": ("sha256", self.other_ids["sha256"]),
                "submissions": ("id", self.other_ids["submission_id"]),
                "pages": ("id", self.other_ids["page_id"]), "lines": ("id", self.other_ids["line_id"]),
                "reviews": ("line_id", self.other_ids["line_id"]),
                "players": ("id", self.other_ids["player_id"]),
                "addresses": ("player_id", self.other_ids["player_id"])}
        column, value = keys.get(table, ("", None))
        return bool(column and row[column] == value)


@pytest.fixture
def games(site: Site) -> TwoGames:
    own_table = open_table(site)
    start = site.clock.now()
    elsewhere = {power: (f"{number}@elsewhere.example",)
                 for number, power in enumerate(own_table.variant.powers)}
    other = open_table(site, name=OTHER, players=elsewhere)
    with site.store.begin() as session:
        for seat in session.scalars(select(SeatRow).where(SeatRow.game_id == other.game)):
            session.get_one(PlayerRow, seat.player_id).name = f"Stranger {seat.power}"
    site.clock.set(start)
    ids = [_filed(table, power, order) for table, power, order in (
        (own_table, "Argyll", "A Edinburgh H"), (other, "Hamilton", "A Ayr H"))]
    desk = open_desk(own_table)
    return TwoGames(desk, ids[0], ids[1])


def _filed(table: Table, power: str, order: str) -> dict[str, object]:
    """A sheet with one doubtful and one decided line, and the phase closed."""
    submission = table.file(power, [(order, LineState.OPEN)])
    phase = table.phase()
    table.site.clock.set(phase.deadline + timedelta(minutes=1))
    table.close_phase(phase.id)
    with table.site.store.begin() as session:
        page = session.scalars(select(PageRow.id).where(PageRow.submission_id == submission)).one()
        line = session.scalars(select(LineRow.id).where(LineRow.page_id == page)).one()
        player = session.get_one(SeatRow, (table.game, power)).player_id
        review = ReviewRow(line_id=line, key=f"{table.game}.0", decision="open", text=order, order=order,
                           by="Bess", at=phase.deadline)
        posted = PostalOriginalRow(phase_id=phase.id, power=power, received=phase.deadline.date(),
                                   made_at=phase.deadline, made_by="Bess")
        letter = OutboxRow(key=f"{table.game}/x", kind="results", game_id=table.game, phase_id=phase.id,
                           recipient=f"somebody@{table.game}.example", subject=f"Results of {table.game}",
                           message="0" * 64, message_id=f"<x@{table.game}>", due_at=phase.deadline)
        sender = session.scalars(select(AddressRow.email).where(AddressRow.player_id == player)).first()
        digest = table.site.blobs.put(f"From: {sender}\r\nSubject: orders\r\n\r\nHello.\r\n".encode())
        name = session.get_one(GameRow, table.game).name
        mail = MailRow(sha256=digest, size=9, received_at=phase.deadline, stored_at=phase.deadline,
                       state=MailState.QUARANTINED, reason="could_not_be_handled", sender=sender,
                       verdict={"subject": f"{phase.game_id} orders", "game": name, "power": power})
        plain = CorrespondenceRow(player_id=player, game_id=table.game, sha256=digest, at=phase.deadline,
                                  subject=f"Hello from {sender}", words="Hello.")
        scan = ScanRow(original=digest, upright=digest, put_at=phase.deadline, put_by=table.game,
                       phase_id=phase.id, power=power)
        session.add_all([review, posted, letter, mail])
        session.flush()
        session.add_all([plain, scan])
        session.flush()
        return {"game_id": table.game, "phase_id": phase.id, "submission_id": submission, "page_id": page,
                "line_id": line, "letter_id": letter.id, "player_id": player, "posted_id": posted.id,
                "review": review.id, "power": power,
                "sha256": digest, "scan": scan.id, "scan_id": scan.id}


def routes(desk: DeskTable) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Path, method and description of each route of the desk."""
    app = desk.client.app
    assert isinstance(app, FastAPI)
    for path, methods in app.openapi()["paths"].items():
        if not path.startswith(NOT_OF_THE_DESK):
            for method, description in methods.items():
                yield path, method, description


def address(path: str, ids: Mapping[str, object]) -> str:
    """An address of a route, with these numbers."""
    return re.sub(r"\{(\w+)\}", lambda name: str(ids.get(name[1], "1")), path)


def ask(desk: DeskTable, method: str, place: str) -> httpx.Response:
    """A request without the token of a form: past the role stands the form's own refusal."""
    answer: httpx.Response = desk.client.request(
        method, place, data={"csrf": "a guess"} if method == "post" else None)
    return answer


def is_refused(answer: httpx.Response) -> bool:
    return answer.status_code == 403 and "This page is the coordinator" in answer.text


@pytest.mark.slow
def test_each_role_reaches_its_routes_and_no_other(games: TwoGames) -> None:
    """Every route of the desk, no matter who added it (SEC-04)."""
    of_a_game = {path for path, roles in WHO.items() if roles in (READING, GAME)}
    for role in ("reader", "operator", *IN_A_GAME):
        games.become(role)
        reached, elsewhere = set(), set()
        for path, method, _ in routes(games.desk):
            if not is_refused(ask(games.desk, method, address(path, games.own_ids))):
                reached.add(path)
            if path in of_a_game and not is_refused(ask(games.desk, method, address(path, games.other_ids))):
                elsewhere.add(path)
        assert reached == {path for path, roles in WHO.items() if role in roles}, role
        assert elsewhere == (set() if role in IN_A_GAME else reached & of_a_game), role
    games.become("operator")
    assert "unseal" not in games.desk.page("/health").lower()
    games.desk.client.cookies.clear()
    for path, method, _ in routes(games.desk):
        answer = ask(games.desk, method, address(path, games.own_ids))
        assert (answer.status_code, answer.headers.get("location", "")[:8]) == (303, "/sign-in"), path


def test_no_page_shows_the_coordinator_of_one_game_anything_of_another(games: TwoGames) -> None:
    games.become("coordinator of it")
    shown = 0
    for path, method, _ in routes(games.desk):
        if method != "get":
            continue
        page, other = address(path, games.own_ids), games.other_ids
        query = (f"?line={other['line_id']}&against={other['submission_id']}&game={other['game_id']}"
                 f"&after={other['line_id']}&kept={other['line_id']}")
        for place in (page, page + query):
            answer = games.desk.client.get(place)
            shown += answer.status_code == 200
            assert not [word for word in SEEN_OF_OTHER if word in answer.text], place
    assert shown > 30
    # A page of one's own sheet with the number of another sheet's page shows no picture of it.
    mixed = {**games.own_ids, "page_id": games.other_ids["page_id"]}
    for path in ("/sheet/{submission_id}/page/{page_id}.jpg", "/sheet/{submission_id}/original/{page_id}"):
        assert games.desk.client.get(address(path, mixed)).status_code == 404, path
    mixed = {**games.own_ids, "line_id": games.other_ids["line_id"]}
    assert games.desk.client.get(address("/desk/{phase_id}/line/{line_id}", mixed)).status_code == 404


FIELDS = {
    "line": "line_id", "paper": "submission_id", "named": "submission_id", "page": "page_id",
    "phase": "phase_id", "review": "review", "letter": "letter_id", "player": "player_id",
    "power": "power", "game": "game_id",
}  # fmt: skip
"""Fields of forms that name something by its number."""
FILLING = {
    "why": "a reason of ten letters and more", "do": "as-read", "text": "A Ayr H", "key": "k" * 20,
    "seen": "-", "day": "2027-05-01", "hour": "07:00", "value": "yes", "name": "second_reader",
    "mail": "0@elsewhere.example", "zone": "Europe/London", "role": "coordinator", "left": "10", "top": "10",
    "right": "90", "bottom": "90", "after": "0", "words": "some words", "lines": "a line", "said": "wrong",
    "effect": "none", "found_by": "Ada", **of_features("FILLING"),
}  # fmt: skip


def test_no_form_of_ones_own_game_changes_anything_of_another(games: TwoGames) -> None:
    """Every form of the own game, with the numbers of the other one in its fields."""
    games.become("coordinator of it")
    before = games.of_other()
    sent = 0
    for path, method, description in routes(games.desk):
        if method != "post" or not WHO[path] & {"coordinator of it"} or path == "/sign-out":
            continue
        body = description.get("requestBody", {}).get("content", {})
        form = {name: str(games.other_ids[FIELDS[name]]) if name in FIELDS else FILLING.get(name, "yes")
                for name in _names(games.desk, body)}
        other = games.other_ids
        form |= {"one": f"{other['line_id']} - as-read", "line": str(other["line_id"]),
                 "place": f"{other['phase_id']} {other['power']}", "scan": str(other["scan"]),
                 "received": "2027-05-01", "hour": "07:00", "postmark": "", "version": "",
                 **({"mail": str(other["sha256"])} if path == "/quarantine/discard" else {})}
        answer = games.desk.client.post(address(path, games.own_ids), data={"csrf": CSRF, **form})
        assert answer.status_code < 500, (path, answer.text)
        sent += 1
    act = {"key": "j" * 20, "do": "not-order", "line": games.other_ids["line_id"], "seen": "-", "text": ""}
    answer = games.desk.client.post(
        address("/desk/{phase_id}/acts", games.own_ids), json={"acts": [act]},
        headers={"X-Galloper-Token": CSRF})
    assert answer.status_code < 500
    assert sent > 30
    assert games.of_other() == before


def test_the_coordinator_of_one_game_settles_its_post(games: TwoGames) -> None:
    """They had no page for it, and had to ask for each mail."""
    games.become("coordinator of it")
    own_ids, other, desk = games.own_ids, games.other_ids, games.desk
    page = desk.page("/?show=mails")
    assert str(own_ids["sha256"]) in page
    assert str(other["sha256"]) not in page
    assert "Mails held 1" in desk.text("/")
    assert f'/quarantine/{own_ids["sha256"]}' in desk.page("/log?q=orders")
    mail = f"/quarantine/{own_ids['sha256']}"
    assert desk.post(f"{mail}/discard", why="sent by mistake, says Ada").status_code == 303
    assert desk.post(f"{mail}/take-back").status_code == 303
    for settle in of_features("SETTLED_IN_ONE_GAME").values():
        settle(games)
    # Who reads lines of the game, and who has a role in none, settles nothing.
    for role in ("reader of it", "of no game"):
        games.become(role)
        assert str(own_ids["sha256"]) not in desk.page("/?show=mails") + desk.page("/log?q=orders")


def test_post_that_touches_two_games_is_for_coordinators_of_both(games: TwoGames) -> None:
    """A player of both games writes for the one: the page of their mail mentions all their seats."""
    own_ids = games.own_ids
    with games.desk.table.site.store.begin() as session:
        seat = session.get_one(SeatRow, (str(games.other_ids["game_id"]), "Hamilton"))
        seat.player_id = own_ids["player_id"]  # type: ignore[assignment]
    place = f"/quarantine/{own_ids['sha256']}"
    games.become("coordinator of it")
    assert is_refused(games.desk.client.get(place))
    assert str(own_ids["sha256"]) not in games.desk.page("/?show=mails")
    with games.desk.table.site.store.begin() as session:
        session.add(GameRoleRow(user=NAME, game_id=str(games.other_ids["game_id"]), role="second reader"))
    assert is_refused(games.desk.client.get(place))
    with games.desk.table.site.store.begin() as session:
        session.get_one(GameRoleRow, (NAME, str(games.other_ids["game_id"]))).role = "coordinator"
    assert games.desk.client.get(place).status_code == 200


@pytest.mark.parametrize(("subject", "is_theirs"), [
    ("Re: powick  BRIDGE, Argyll, Summer 1642", True), ("Marston Moor, Argyll", False), ("Hello", False),
    ("Powick Bridge and Marston Moor", False), ("", False),
])
def test_an_unproved_mail_is_for_the_game_that_its_subject_names(
    games: TwoGames, subject: str, is_theirs: bool
) -> None:
    """Most mails in quarantine are of senders who are not proved: no verdict names their game."""
    own_ids = games.own_ids
    with games.desk.table.site.store.begin() as session:
        mail = session.get_one(MailRow, own_ids["sha256"])
        mail.sender, mail.reason = None, "auth_failed"
        mail.verdict = {"subject": subject, "game": None, "power": None}
    games.become("coordinator of it")
    assert is_refused(games.desk.client.get(f"/quarantine/{own_ids['sha256']}")) is not is_theirs
    assert (str(own_ids["sha256"]) in games.desk.page("/?show=mails")) is is_theirs


def _names(desk: DeskTable, body: Mapping[str, Any]) -> list[str]:
    app = desk.client.app
    assert isinstance(app, FastAPI)
    schemas = app.openapi()["components"]["schemas"]
    return [name for content in body.values()
            for name in schemas[content["schema"]["$ref"].rpartition("/")[2]].get("properties", {})
            if "$ref" in content["schema"]]


def test_an_address_that_counts_in_two_games_is_not_for_the_coordinator_of_one(games: TwoGames) -> None:
    """Anyone who could add an address of their own to such a player would write orders for the other game."""
    store = games.desk.table.site.store
    with store.begin() as session:
        seat = session.get_one(SeatRow, (str(games.own_ids["game_id"]), "Hamilton"))
        seat.player_id = games.other_ids["player_id"]  # type: ignore[assignment]
    games.become("coordinator of it")
    game = f"/games/{games.own_ids['game_id']}"
    answers = [
        games.desk.post(f"{game}/address", power="Hamilton", mail="cheat@example.org"),
        games.desk.post(f"{game}/seat", power="Argyll", name="X", why="an exchange of players",
                        mail="0@elsewhere.example cheat@example.org"),
    ]
    assert [answer.status_code for answer in answers] == [409, 409]
    # What was typed is shown again, and no more.
    assert not [word for answer in answers for word in SEEN_OF_OTHER[:2] if word in answer.text]
    games.become("coordinator")
    assert games.desk.post(f"{game}/address", power="Hamilton", mail="new@example.org").status_code == 303


def test_roles_in_games_are_given_taken_and_entered_in_that_game_alone(games: TwoGames) -> None:
    games.become("coordinator")
    store, clock = games.desk.table.site.store, games.desk.table.site.clock
    with store.begin() as session:
        sessions.add_user(session, "Bess", "correct horse", clock.now(), "by game")
    own_game = str(games.own_ids["game_id"])

    def give(role: str, name: str = "Bess", game: str = own_game) -> int:
        return games.desk.post("/people/game-role", name=name, game=game, role=role).status_code

    assert (give("operator"), give("coordinator", game="none"), give("coordinator", NAME)) == (400, 404, 409)
    assert give("coordinator") == 303
    assert "Make Bess second reader of Powick Bridge" in games.desk.page("/people")
    assert give("") == 303
    with store() as session:
        entered = [(row.game_id, '"coordinator"' in row.body) for row in session.scalars(
            select(EntryRow).where(EntryRow.what == "person", EntryRow.fact == "Bess")
            .order_by(EntryRow.number))]
        logged = [row.game_id for row in session.scalars(
            select(EventRow).where(EventRow.what == "game_role_changed"))]
    assert [is_one for game, is_one in entered if game == own_game] == [False, True, False]
    assert [is_one for game, is_one in entered if game != own_game] == [False]
    assert logged == [own_game, own_game]
    # A role of the site takes all roles in games; no one keeps one unseen.
    give("coordinator")
    games.desk.post("/people/role", name="Bess", role="operator")
    with store() as session:
        assert session.scalars(select(GameRoleRow)).all() == []


def test_an_address_that_names_no_mail_is_refused_in_words(site: Site) -> None:
    """The fuzz of every route came upon it: a fault of ours, where the address was wrong."""
    desk = open_desk(open_table(site))
    for key in ("0", "a" * 64, "..%2f..%2fetc%2fpasswd"):
        assert desk.post(f"/quarantine/{key}/queue").status_code in {404, 409}, key
