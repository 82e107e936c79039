"""The inbox: one list of what waits for a person, from which every number of it is made (DSK-01)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest
from sqlalchemy import event

from service.desk.inbox import inbox
from service.facts.inbox import InboxEntry, InboxKind, NextAct, Urgency
from service.facts.roles import Role
from service.operations.findings import Finding, FindingState
from service.store.tables import MailRow, MailState, OutboxRow, OutboxState, PhaseState, SendHoldRow
from service.web.page import BAR
from service.web.sessions import Visitor
from tests.support.desk_table import CSRF, NAME, DeskTable, open_desk
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.table import SERVER, Table, address

DAY = timedelta(days=1)
TROUBLE = Finding("Disk", FindingState.TROUBLE, "0.1 GB free.", "Make room.")
PAGES = ("/", "/?show=mails", "/games", "/games/powick-bridge", "/letters", "/log", "/health", "/account")


def number_in_bar(page: str) -> int:
    match = re.search(r'<a href="/"[^>]*>Inbox(?: <span class="badge">(\d+)</span>)?</a>', page)
    assert match is not None
    return int(match[1] or 0)


def held_mail(table: Table, name: str, received_at: datetime, subject: str) -> None:
    with table.site.store.begin() as session:
        session.add(MailRow(
            sha256=name * 64, size=9, received_at=received_at, stored_at=received_at,
            state=MailState.QUARANTINED, reason="unknown_sender",
            verdict={"subject": subject, "game": "Powick Bridge", "power": "Montrose"}))


@pytest.fixture
def desk(table: Table) -> DeskTable:
    """One entry of nearly every kind: a held sheet, two mails held, an ignored mail, a failed letter, letters
    that are held back and a disk that is full."""
    deadline = table.phase().deadline
    sender = address("Montrose")
    table.take(mail(table.subject("Montrose"), sender, headers=["Auto-Submitted: auto-replied"],
                    parts=[text("x"), part(picture())],
                    stamps=[stamp(sender.rpartition("@")[2], server=SERVER)]), deadline - 3 * DAY)
    held_mail(table, "a", deadline - DAY, "came in time")
    held_mail(table, "b", deadline + DAY, "came late")
    with table.site.store.begin() as session:
        session.add(SendHoldRow(name="letters", by="Ada", why="The provider asks for it.", at=deadline))
        session.add(OutboxRow(
            key="x", kind="receipt", game_id=table.game, recipient=address("Montrose"), player_id=1,
            power="Montrose", subject="A receipt", message="f" * 64, words="x", message_id="<x@x.example>",
            state=OutboxState.FAILED, due_at=deadline, error="the mail server answered 550 5.1.1"))
    return open_desk(table, health=lambda: (TROUBLE,))


def entries(desk: DeskTable, role: Role = Role.COORDINATOR) -> tuple[InboxEntry, ...]:
    ports = desk.client.app.state.ports  # type: ignore[attr-defined]
    with ports.sessions() as session:
        return inbox(ports, session, Visitor(NAME, role, CSRF, site_role=role)).entries


def test_the_number_in_the_bar_is_that_of_the_list_on_every_page(desk: DeskTable) -> None:
    waiting = entries(desk)
    assert {InboxKind.SITE, InboxKind.MAILS, InboxKind.IGNORED, InboxKind.ADDRESSES} <= {
        entry.kind for entry in waiting}
    for path in PAGES:
        assert number_in_bar(desk.page(path)) == len(waiting), path
    page = desk.page("/")
    assert page.count('<li class="entry') == len(waiting)
    for kind in InboxKind:
        number = sum(entry.kind == kind for entry in waiting)
        assert desk.page(f"/?show={kind}").count('<li class="entry') == number
        if number:
            assert f'{kind.words} <span class="badge">{number}</span>' in page
    desk.post(f"/quarantine/{'b' * 64}/discard", why="It is an advertisement.")
    assert number_in_bar(desk.page("/games")) == len(waiting) - 1


def test_what_keeps_results_back_comes_before_what_does_not(desk: DeskTable) -> None:
    """Alarms first, then what results wait for, then players, then what may be left."""
    before = entries(desk)
    assert [entry.urgency for entry in before] == sorted(entry.urgency for entry in before)
    in_time = next(entry for entry in before if entry.title == "came in time")
    assert (in_time.urgency, in_time.due) == (Urgency.ANSWER, desk.table.phase().deadline)
    desk.table.set_phase(state=PhaseState.CLOSED)
    after = entries(desk)
    assert next(entry for entry in after if entry.title == "came in time").urgency == Urgency.RESULTS
    assert next(entry for entry in after if entry.title == "came late").urgency == Urgency.ANSWER
    assert [entry.urgency for entry in after][:2] == [Urgency.ALARM, Urgency.ALARM]
    assert after[-1].kind == InboxKind.IGNORED


def test_the_nearest_deadline_comes_first_among_equals() -> None:
    at = datetime.fromisoformat("2027-03-14T07:00:00+00:00")
    act = (NextAct("Decide", "/"),)
    kinds = [
        InboxEntry(InboxKind.MAILS, Urgency.ANSWER, title, "", "", act, due=due, since=since)
        for title, due, since in (
            ("late", None, at), ("early", None, at - timedelta(days=9)), ("far", at + timedelta(days=9), at),
            ("near", at, at))
    ]
    assert [entry.title for entry in sorted(kinds, key=lambda entry: entry.rank)] == [
        "near", "far", "early", "late"]


def test_each_entry_has_one_next_act_and_the_first_nine_have_a_key(desk: DeskTable) -> None:
    page = desk.page("/")
    waiting = entries(desk)
    assert page.count("data-step") == len(waiting)
    assert page.count("data-go") == 1
    assert re.findall(r'data-key="(\d)"', page) == [str(n) for n in range(2, min(len(waiting), 9) + 1)]
    for entry in waiting:
        act = entry.acts[0]
        assert (f'action="{act.address}"' if act.is_form else f'href="{act.address}"') in page
        if not act.is_form:
            assert desk.client.get(act.address).status_code == 200, act


def test_a_second_reader_has_lines_alone_and_an_operator_no_inbox(table: Table) -> None:
    table.file("Manchester", ("A Lindsey - Kesteven & Holland",))
    held_mail(table, "a", table.phase().opens_at + DAY, "of a stranger")
    table.set_phase(state=PhaseState.CLOSED)
    reader = open_desk(table, "second reader", health=lambda: (TROUBLE,))
    assert {entry.kind for entry in entries(reader, Role.SECOND_READER)} <= {InboxKind.LINES}
    page = reader.text("/")
    assert "of a stranger" not in page
    assert "Filters" not in page
    assert "0.1 GB" not in page


def test_an_operator_has_no_inbox(table: Table) -> None:
    operator = open_desk(table, "operator", health=lambda: (TROUBLE,))
    assert operator.client.get("/").status_code == 403
    assert "Inbox" not in operator.text("/health")


def test_the_bar_has_at_most_five_entries() -> None:
    assert len(BAR) <= 5


@pytest.mark.parametrize(("old", "new"), [
    ("/quarantine", "/?show=mails"), ("/search?q=ada%26bo", "/log?q=ada%26bo")])
def test_an_old_address_leads_to_the_page_that_took_its_place(desk: DeskTable, old: str, new: str) -> None:
    answer = desk.client.get(old)
    assert (answer.status_code, answer.headers["location"]) == (301, new)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_holds_one_connection_at_a_time(desk: DeskTable, path: str) -> None:
    """A page with two would wait for those of the others: the tabs of a browser that starts again."""
    held, most = 0, 0

    def taken(*_: object) -> None:
        nonlocal held, most
        held += 1
        most = max(most, held)

    def given_back(*_: object) -> None:
        nonlocal held
        held -= 1

    event.listen(desk.table.site.engine, "checkout", taken)
    event.listen(desk.table.site.engine, "checkin", given_back)
    assert number_in_bar(desk.client.get(path, headers={"accept": "text/html"}).text)
    assert (most, held) == (1, 0)
