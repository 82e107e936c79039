"""The Games and People pages: begin a game, move a deadline, roll back, options with history, who may do
what."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from sqlalchemy import select

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.orders import Move
from reading.review import ReviewLimits
from reading.vocabulary import parse_typed
from service.facts.events import Event
from service.games import mailbox_waits
from service.games.options import options_of
from service.games.rulings import as_written
from service.intake.sheets.read_submission import limits_of
from service.store import records
from service.store.tables import EventRow, GameRow, PhaseState, ReviewRow, SessionRow, UserRow
from service.web import sessions
from tests.support.desk_table import CSRF, NAME, DeskTable, open_desk, plain
from tests.support.site import Site
from tests.support.table import ORDERS, address, open_table

WHY = "The post office is on strike this week."


@pytest.fixture
def desk(site: Site) -> DeskTable:
    return open_desk(open_table(site))


def events(desk: DeskTable, kind: str) -> list[EventRow]:
    with desk.table.site.store() as session:
        return list(session.scalars(select(EventRow).where(EventRow.what == kind)))


def new_game(**changes: str) -> dict[str, str]:
    """A form that begins a game, with some of its fields changed."""
    form = {
        "variant": "w3k", "name": "Second Match", "start": "2028-03-01", "zone": "Europe/London",
        "post_first": "yes",
    }
    for power in maps.load("w3k").powers:
        form[f"player:{power}"] = f"Player {power}"
        form[f"mail:{power}"] = f"second-{address(power)}"
    return {**form, **changes}


def begin(desk: DeskTable, **changes: str) -> tuple[int, str]:
    answer = desk.client.post("/games/new", data={"csrf": CSRF, **new_game(**changes)})
    return answer.status_code, plain(answer.text)


def game(desk: DeskTable, game_id: str = "second-match") -> GameRow | None:
    with desk.table.site.store() as session:
        return session.get(GameRow, game_id)


@pytest.mark.slow
def test_a_game_begun_by_the_form_has_players_addresses_options_and_its_calendar(desk: DeskTable) -> None:
    assert begin(desk, **{"mail:Argyll": "One@argyll.example, two@argyll.example"})[0] == 303
    row = game(desk)
    assert row is not None
    assert row.options == {
        "post_first": True, "start": "2028-03-01", "house_rules": {"supply_sent": "surplus"}}
    with desk.table.site.store() as session:
        rows = records.phases(session, row.id)
        addresses = records.addresses(session, row.id)
    # the handbook's season: 13 days from T+0, and the day ends at 07:00 GMT on the day after
    assert (rows[0].state, rows[0].deadline.isoformat()) == (PhaseState.OPEN, "2028-03-14T07:00:00+00:00")
    assert all(row.state == PhaseState.WAITING for row in rows[1:])
    assert len(rows) > 4
    assert addresses["Argyll"] == ("one@argyll.example", "two@argyll.example")
    assert set(addresses) == set(maps.load("w3k").powers)
    assert "second-" in desk.text("/games/second-match")
    assert [event.actor for event in events(desk, "game_created") if event.game_id == row.id] == [NAME]
    assert "The game was created" in desk.text("/games/second-match"), "the page's history"


@pytest.mark.parametrize(("changes", "sentence"), [
    ({"name": " "}, "needs a name"), ({"start": "soon"}, "The first day is written like"),
    ({"start": "2020-01-01"}, "is past"), ({"zone": "Europe/Atlantis"}, "unknown"),
    ({"player:Argyll": ""}, "has no player"), ({"mail:Argyll": ""}, "has no mail address"),
    ({"mail:Argyll": "Argyll <a@b.example>"}, "is not a mail address"),
    ({"mail:Argyll": ORDERS}, "own address"),
    ({"mail:Argyll": "x@y.example", "mail:Montrose": "x@y.example"}, "is given to both"),
    ({"name": "Powick Bridge"}, "exists already"), ({"variant": "atlantis"}, "no such board"),
])
def test_a_form_with_a_fault_creates_nothing_and_says_what_is_wrong(
    desk: DeskTable, changes: dict[str, str], sentence: str
) -> None:
    status, page = begin(desk, **changes)
    assert status == 400
    assert "No game was created" in page
    assert sentence in page
    with desk.table.site.store() as session:
        assert [row.name for row in records.games(session)] == ["Powick Bridge"]


def test_a_deadline_is_moved_with_a_reason_and_everything_behind_it_moves_along(desk: DeskTable) -> None:
    """CAL-14, CAL-15."""
    before = [row.deadline for row in desk.table.phases()]
    day = (before[0] + timedelta(days=2)).strftime("%Y-%m-%d")
    form = {"phase": desk.table.phase().id, "day": day, "hour": "07:00", "later": "yes"}
    assert desk.post(f"/games/{desk.table.game}/move", **form, why="short").status_code == 409
    assert [row.deadline for row in desk.table.phases()] == before
    assert desk.press_twice(f"/games/{desk.table.game}/move", **form, why=WHY).status_code == 303
    assert [row.deadline for row in desk.table.phases()] == [
        deadline + timedelta(days=2) for deadline in before
    ]
    (event,) = events(desk, "deadline_moved")
    assert (event.actor, event.detail["reason"]) == (NAME, WHY)
    assert WHY in desk.text(f"/games/{desk.table.game}")


@pytest.mark.parametrize(
    ("day", "hour"), [("2027-01-01", "07:00"), ("tomorrow", "07:00"), ("2027-03-20", "late")]
)
def test_a_deadline_that_cannot_be_is_refused_with_a_sentence(desk: DeskTable, day: str, hour: str) -> None:
    before = desk.table.phase().deadline
    answer = desk.post(
        f"/games/{desk.table.game}/move", phase=desk.table.phase().id, day=day, hour=hour, why=WHY, later="y"
    )
    assert answer.status_code == 409
    assert "Nothing was changed" in answer.text
    assert desk.table.phase().deadline == before


def test_a_judged_phase_is_rolled_back_with_its_decisions_kept_and_judged_again(site: Site) -> None:
    table = open_table(site)
    table.file("Montrose", ["A Aberdeen H"])
    table.site.clock.set(table.phase().deadline)
    with table.site.store.begin() as session:
        session.add(
            ReviewRow(
                line_id=1, key="k", decision="read", text="Army Aberdeen holds", order="A Aberdeen H",
                by="Ada", at=table.site.clock.now(),
            )
        )
    table.close_phase(table.phase().id)
    assert table.phase().state == PhaseState.READY
    judged = table.phase().resolution
    desk = open_desk(table)
    path = f"/games/{table.game}/roll-back"
    assert desk.post(path, phase=table.phase().id, why="").status_code == 409
    assert desk.post(path, phase=table.phase().id, why=WHY).status_code == 303
    assert (table.phase().state, table.phase().resolution) == (PhaseState.CLOSED, None)
    with table.site.store() as session:
        assert session.scalars(select(ReviewRow.text)).all() == ["Army Aberdeen holds"]
    assert events(desk, "phase_rolled_back")[0].detail["why"] == WHY
    assert table.letters() == []
    assert table.judge_when_read(table.phase().id)
    assert table.phase().resolution == judged


def test_a_phase_that_waits_for_the_mailbox_says_so_and_is_let_go_with_a_reason(desk: DeskTable) -> None:
    """BOX-07: on Today, on the game's page and on the public calendar; a person decides, and it is logged."""
    table, path = desk.table, f"/games/{desk.table.game}"
    without = {"phase": table.phase().id, "why": WHY}
    assert desk.post(f"{path}/judge-without", **without).status_code == 409
    # The person stays signed in for hours and not for weeks, so the deadline moves and not the clock.
    table.set_phase(1, deadline=table.site.clock.now() - timedelta(minutes=1))
    with table.site.store.begin() as session:
        why = "The mailbox could not be emptied at the deadline. Nothing answers."
        assert mailbox_waits.waits(session, table.phase(), why, table.site.clock.now())
    for page in (path, "/"):
        assert "Waiting" in desk.text(page)
        assert why in desk.text(page)
    public = desk.text(f"/public/{table.game}/calendar")
    assert "Movement Orders: waiting." in public
    # Players hear nothing of servers and their troubles.
    assert why not in public
    assert desk.post(f"{path}/judge-without", phase=table.phase().id, why="short").status_code == 409
    assert desk.post(f"{path}/judge-without", **without).status_code == 303
    assert desk.post(f"{path}/judge-without", **without).status_code == 409
    (event,) = events(desk, Event.JUDGED_WITHOUT_MAILBOX)
    assert (event.actor, event.detail["why"]) == (NAME, WHY)
    assert WHY in desk.text(path)


def test_what_was_sent_is_not_rolled_back(desk: DeskTable) -> None:
    desk.table.set_phase(state=PhaseState.SENT)
    answer = desk.post(f"/games/{desk.table.game}/roll-back", phase=desk.table.phase().id, why=WHY)
    assert answer.status_code == 409
    assert "Sent results stay" in answer.text
    assert desk.table.phase().state == PhaseState.SENT


def test_an_option_is_changed_with_its_history(desk: DeskTable) -> None:
    path = f"/games/{desk.table.game}"
    assert desk.post(f"{path}/options", on="post_first", why=WHY).status_code == 303
    row = game(desk, desk.table.game)
    assert row is not None
    assert row.options["post_first"] is True
    assert row.options["mail_commands"] is False, "the form shows every option, and this one is off there"
    assert desk.post(f"{path}/options", on="post_first", why=WHY).status_code == 409
    # One that is not there keeps all of them from being changed.
    answer = desk.client.post(f"{path}/options", data={
        "csrf": CSRF, "on": ["mail_commands", "god_mode"], "threshold": "0.99", "why": WHY})
    assert answer.status_code == 409
    assert game(desk, desk.table.game).options == row.options  # type: ignore[union-attr]
    details = {event.detail["option"]: event.detail for event in events(desk, "option_changed")}
    assert details == {
        "post_first": {"option": "post_first", "from": False, "to": True, "why": WHY},
        "mail_commands": {"option": "mail_commands", "from": True, "to": False, "why": WHY}}
    assert "An option was changed: post first: yes" in desk.text(path)


def test_an_address_is_added_to_one_player_only(desk: DeskTable) -> None:
    path = f"/games/{desk.table.game}/address"
    assert desk.post(path, power="Montrose", mail="New@montrose.example").status_code == 303
    with desk.table.site.store() as session:
        assert "new@montrose.example" in records.addresses(session, desk.table.game)["Montrose"]
    for mail in (address("Argyll"), "nonsense", ORDERS):
        answer = desk.post(path, power="Montrose", mail=mail)
        assert answer.status_code == 409
        assert "Nothing was changed" in answer.text
    assert "@" not in str(events(desk, "address_added")[0].detail)


def test_the_pages_hold_a_second_reader_to_that(site: Site) -> None:
    desk = open_desk(open_table(site), role="second reader")
    assert desk.client.get("/").status_code == 200
    assert desk.client.get(f"/desk/{desk.table.phase().id}").status_code == 200
    for path in ("/letters", "/games", "/people", "/quarantine", f"/results/{desk.table.phase().id}"):
        assert "coordinator&#39;s" in desk.page(path, 403)
        assert f'href="{path}"' not in desk.page("/")
    assert desk.post(f"/results/{desk.table.phase().id}/approve").status_code == 403
    assert desk.post("/people/role", name=NAME, role="coordinator").status_code == 403
    with site.store() as session:
        assert session.get_one(UserRow, NAME).role == "second reader"


def test_people_are_added_and_given_roles_and_one_coordinator_stays(desk: DeskTable) -> None:
    grace = {"name": "Grace", "password": "long enough words", "role": "second reader"}
    assert desk.post("/people/add", **{**grace, "password": "short"}).status_code == 400
    assert desk.post("/people/add", **{**grace, "role": "king"}).status_code == 400
    assert desk.post("/people/add", **grace).status_code == 303
    assert desk.post("/people/add", **grace).status_code == 409
    assert desk.post("/people/role", name=NAME, role="second reader").status_code == 409
    assert desk.post("/people/role", name="Grace", role="coordinator").status_code == 303
    assert desk.post("/people/role", name=NAME, role="second reader").status_code == 303
    with desk.table.site.store() as session:
        assert {row.name: row.role for row in session.scalars(select(UserRow))} == {
            "Grace": "coordinator", NAME: "second reader"}
    assert [event.detail["person"] for event in events(desk, "role_changed")] == ["Grace", NAME]
    assert "long enough words" not in str(events(desk, "person_added")[0].detail)


def test_a_person_is_signed_out_everywhere_or_removed(desk: DeskTable) -> None:
    """LET-15: people can be removed and their sessions ended; the last coordinator stays."""
    desk.post("/people/add", name="Grace", password="long enough words", role="coordinator")
    with desk.table.site.store.begin() as session:
        token = sessions.sign_in(session, "Grace", "long enough words", desk.table.site.clock.now())
    assert "Sign Grace out everywhere" in desk.text("/people")
    assert desk.post("/people/sign-out", name="Grace").status_code == 303
    with desk.table.site.store.begin() as session:
        assert sessions.visitor(session, token, desk.table.site.clock.now()) is None
        assert sessions.sign_in(session, "Grace", "long enough words", desk.table.site.clock.now())
    assert desk.post("/people/remove", name="Grace").status_code == 303
    with desk.table.site.store.begin() as session:
        assert session.get(UserRow, "Grace") is None
        assert session.scalars(select(SessionRow).where(SessionRow.user == "Grace")).all() == []
    assert desk.post("/people/remove", name=NAME).status_code == 409
    assert desk.post("/people/remove", name="Nobody").status_code == 404
    log = desk.text("/log")
    assert "Grace can no longer sign in" in log
    assert "Grace was signed out everywhere" in log


def test_a_form_without_its_token_changes_nothing(desk: DeskTable) -> None:
    path = f"/games/{desk.table.game}"
    for form_address in (
        "/games/new", f"{path}/move", f"{path}/roll-back", f"{path}/options", f"{path}/address",
        "/people/add", "/people/role", "/people/remove", "/people/sign-out",
    ):
        assert desk.client.post(form_address, data={**new_game(), "csrf": "wrong"}).status_code == 403
    assert game(desk) is None


def test_how_sure_the_machine_must_be_is_an_option_of_the_game_with_its_history(desk: DeskTable) -> None:
    """The desk plan: a line is "auto" only where its confidence reaches the game's threshold."""
    page = f"/games/{desk.table.game}"
    assert 'value="" selected>As sure as the site requires' in desk.page(page)
    for value, why, sentence in (
        ("0.5", WHY, "no such threshold"), ("", WHY, "has this value already"), ("0.95", "short", "reason"),
    ):
        assert sentence in desk.post(f"{page}/options", on="mail_commands", threshold=value, why=why).text
    assert desk.post(f"{page}/options", on="mail_commands", threshold="0.95", why=WHY).status_code == 303
    assert 'value="0.95" selected>At least 95 per cent sure' in desk.page(page)
    assert f"lines without a look: at least 95 per cent sure “{WHY}”" in desk.text(page)
    row = game(desk, desk.table.game)
    assert row is not None
    assert limits_of(options_of(row), ReviewLimits()).score == 0.95
    assert limits_of(options_of(row), ReviewLimits(0.97)).score == 0.97, "never below the site's own"
    desk.post(f"{page}/options", on="mail_commands", threshold="", why=WHY)
    row = game(desk, desk.table.game)
    assert row is not None
    assert limits_of(options_of(row), ReviewLimits()) == ReviewLimits()
    (event, _) = events(desk, "option_changed")
    assert (event.actor, event.detail["from"], event.detail["to"]) == (
        NAME, "as sure as the site requires", "at least 95 per cent sure",
    )


@pytest.mark.slow
def test_a_game_may_begin_with_order_words_of_other_languages(desk: DeskTable) -> None:
    """WRD-07: settled when the game begins, shown on its page, and every player is informed with examples."""
    assert begin(desk, **{"language:german": "yes", "language:klingon": "yes"})[0] == 303
    row = game(desk)
    assert row is not None
    assert row.options["order_languages"] == ["german"]
    assert "The words of orders may be German too." in desk.text("/games/second-match")
    assert "The words of orders may be" not in desk.text(f"/games/{desk.table.game}"), "another game has none"
    first, *_ = (desk.table.words(row) for row in desk.table.letters("welcome"))
    assert "The words of an order may be German too." in first
    example = re.findall(r"- (Armee \w+ nach \w+)", first)[0]
    variant = as_written(maps.load("w3k"), options_of(row))
    (order,) = parse_typed(variant, PhaseKind.MOVEMENT, "Montrose", example).orders
    assert isinstance(order, Move)
    assert not parse_typed(maps.load("w3k"), PhaseKind.MOVEMENT, "Montrose", example).orders


def test_a_game_may_begin_with_its_threshold(desk: DeskTable) -> None:
    assert begin(desk, threshold="2")[0] == 303
    row = game(desk)
    assert row is not None
    assert limits_of(options_of(row), ReviewLimits()).score > 1, "nobody is that sure"
    assert begin(desk, name="Third Match", threshold="x")[0] == 400


def test_the_page_of_a_game_has_one_form_for_each_act_and_folds_them_by_task(desk: DeskTable) -> None:
    """DSK-02: what moves a deadline was there once for each phase."""
    path = f"/games/{desk.table.game}"
    page = desk.page(path)
    actions = re.findall(r'<form method="post" action="([^"]+)"', page)
    assert len(desk.table.phases()) > 5
    assert actions.count(f"{path}/move") == actions.count(f"{path}/options") == 1
    assert page.count('<details class="task"') == 5
    assert 'id="players" open' not in page
    assert 'id="players" open' in desk.page(f"{path}?task=players")
    now = plain(page.partition("Now</h2>")[2].partition('<div class="tasks">')[0])
    assert "takes orders until Sun 14 Mar, 07:00 GMT" in now
    assert "Nothing came from" in now
