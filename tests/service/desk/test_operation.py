"""The Log and Health pages."""

from __future__ import annotations

import hashlib
import json
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from service.desk import log_words
from service.desk.operation import AT_ONCE, details
from service.facts.events import Event
from service.mail.sending import outbox
from service.operations import health
from service.operations.findings import Finding, FindingState, ago
from service.operations.health import Health
from service.operations.mailbox_status import MailboxStatus
from service.record import chain
from service.store import records
from service.store.tables import (
    EntryRow,
    EventRow,
    MailRow,
    MailState,
    OutboxRow,
    OutboxState,
    SubmissionRow,
    WorkerRow,
)
from tests.support.acting import enter
from tests.support.desk_table import DeskTable, open_desk
from tests.support.site import Site
from tests.support.table import Table, address, open_table


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def look(
    table: Table, pulse: MailboxStatus | None = None, folder: Path = Path(), *, loaded: bool = False
) -> dict[str, Finding]:
    clock = table.site.clock
    findings = Health(
        table.site.store, clock, pulse or MailboxStatus(clock), folder, lambda: loaded
    ).findings()
    return {fact.name: fact for fact in findings}


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def log(table: Table, kind: str, actor: str = records.MACHINE, **values: Any) -> None:
    with table.site.store.begin() as session:
        enter(session, table.site.clock.now(), actor, kind, **values)


def test_the_log_says_what_happened_by_whom_and_is_filtered_by_game(table: Table) -> None:
    desk: DeskTable = open_desk(table)
    log(
        table, "sheet_chosen", game_id=table.game, actor="Grace",
        detail={"power": "Montrose", "why": "By telephone."},
    )
    log(table, "mail_discarded", actor="Ada", detail={"mail": "0123456789ab"})
    full_log, game_log = desk.text("/log"), desk.text(f"/log?game={table.game}")
    assert "A sheet of Montrose was chosen to count Powick Bridge why: By telephone. Grace" in full_log
    discarded = "A mail from an unknown sender: discarded, from quarantine"
    assert discarded in full_log
    assert "A sheet of Montrose was chosen" in game_log
    assert discarded not in game_log
    assert full_log.index(discarded) < full_log.index("A sheet of Montrose"), "the newest stands first"


def test_the_log_says_in_words_whose_mail_it_was(table: Table) -> None:
    """LET-15: "mail from Manchester's player, used"; who wrote under another's name is not called that."""
    desk, now = open_desk(table), table.site.clock.now()
    senders = {"a" * 64: address("Manchester"), "b" * 64: address("Argyll"),
               "c" * 64: "mallory@elsewhere.example"}
    with table.site.store.begin() as session:
        for key, sender in senders.items():
            records.add_mail(session, key, 10, now, now)
            row = session.get_one(MailRow, key)
            row.sender, row.verdict = sender, {"power": "Manchester"}
            row.reason = "unknown_sender" if "mallory" in sender else None
            records.log_event(session, now, Event.MAIL_USED, detail={"mail": key[:12], "reason": None})
        argyll = records.player_of(session, address("Argyll"))
        assert argyll is not None
        name = argyll.name
    words = desk.text("/log")
    assert "Mail from Manchester's player: used".replace("'", "&#39;") in words
    assert f"Mail from {name} under the name of Manchester: used" in words
    assert "Mail under the name of Manchester, from a stranger: used" in words
    assert "@" not in words


def test_the_log_shows_an_entry_of_every_kind_whatever_its_details(table: Table) -> None:
    """An offer, an absence or a pause made the whole page fail: their sentences name details that only the
    others' were filled with."""
    desk = open_desk(table)
    for kind in log_words.SENTENCES:
        log(table, kind, game_id=table.game)
    assert "The powers of ? were drawn" in desk.text("/log")
    full = {"game_offered": ({"offer": "edgehill"}, "Sign-up for a game was opened: edgehill Ada"),
            "sign_up_removed": ({"offer": "edgehill", "number": 3},
                                "Number 3 was taken off the list of edgehill Ada"),
            "absence_announced": ({"power": "Montrose", "first": "2027-06-01", "last": "2027-06-05"},
                                  "The player of Montrose is away from 2027-06-01 to 2027-06-05 Ada"),
            "game_paused": ({"days": 7, "why": "Snow."}, "The game pauses for 7 days why: Snow. Ada")}
    for kind, (detail, _) in full.items():
        log(table, kind, actor="Ada", detail=detail)
    words = desk.text("/log")
    for _, sentence in full.values():
        assert sentence in words


def test_the_front_page_has_work_disk_and_whatever_else_needs_a_look(table: Table) -> None:
    """DSK-01: jobs failing, disk, each with what to do; not to a second reader."""
    facts = (
        Finding("Mailbox", FindingState.TROUBLE, "It does not answer.", "Wait."),
        Finding("Workers", FindingState.WELL, "Alive."),
        Finding("Queue", FindingState.TROUBLE, "work failed 2 times.", "See the log."),
        Finding("Letters", FindingState.TROUBLE, "1 failed."),
        Finding("Disk", FindingState.WELL, "9.0 GB free."),
    )
    page_text = open_desk(table, health=lambda: facts).text("/")
    assert "Mailbox needs attention Alarms It does not answer. Wait." in page_text
    assert "Queue needs attention Alarms work failed 2 times. See the log." in page_text
    assert page_text.count("work failed 2 times") == 1
    assert "The site Disk 9.0 GB free." in page_text
    assert "Alive" not in page_text
    # Each failed address is its own entry, so the finding is not repeated.
    assert "1 failed." not in page_text


def test_the_inbox_of_a_second_reader_has_nothing_of_the_site(table: Table) -> None:
    desk = open_desk(
        table, "second reader", health=lambda: (Finding("Disk", FindingState.TROUBLE, "0.1 GB free."),)
    )
    assert "GB free" not in desk.text("/")


def test_a_digest_that_was_kept_is_looked_for_in_the_record(table: Table) -> None:
    """The hand-over letter promises that anybody can check by it: a record that was altered since is
    reported."""
    desk: DeskTable = open_desk(table)
    log(table, "sheet_chosen", game_id=table.game, actor="Grace", detail={"why": "By telephone."})
    with table.site.store() as session:
        root = chain.root(session, table.game)
        first = session.get_one(EntryRow, (table.game, 1)).leaf
    log(table, "option_changed", game_id=table.game)
    # As a person copies it from a letter: a blank in front, and in capitals.
    path = f"/log?game={table.game}&digest=%20{root.link.upper()}"
    assert (f"This is the fingerprint of this record up to entry {root.number}. No earlier "
            f"entry") in desk.text(path)
    assert ("This is the fingerprint of entry 1 of this "
            "record.") in desk.text(f"/log?game={table.game}&digest={first}")
    with table.site.store.begin() as session:
        row = session.get_one(EntryRow, (table.game, root.number))
        # As by hand in the database.
        row.body = row.body.replace("By telephone.", "By letter.")
    assert "This record does not have that fingerprint." in desk.text(path)
    assert "Check a fingerprint" not in desk.text("/log")
    assert "Check a fingerprint" not in desk.text("/log?game=nowhere")


def test_the_log_is_exported_whole_with_a_chain_that_can_be_checked_without_the_site(table: Table) -> None:
    """HOU-06: the log's file and the archive show one chain. It is worked out here again from the file alone,
    as docs/record.md states."""
    desk: DeskTable = open_desk(table)
    log(table, "mail_discarded", actor="Ada", detail={"mail": "0123456789ab"})
    for number in range(AT_ONCE + 5):
        log(
            table,
            f"event_{number:03}",
            game_id=table.game,
            actor="Señora Ñ",
            detail={"why": "“Ålesund” & <b>", "b": 1, "a": [2]},
        )
    answer = desk.client.get("/log/export")
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert answer.headers["content-disposition"].startswith('attachment; filename="log-all-')
    lines = [json.loads(line) for line in answer.text.splitlines()]
    events = [line for line in lines if "id" in line]
    closed = [line for line in lines if "id" not in line]
    assert lines == events + closed
    assert len(events) > AT_ONCE, "the export is whole, not a page of it"
    assert [line["id"] for line in events] == sorted(line["id"] for line in events)
    assert any(line["game"] is None for line in events)
    assert not any({"n", "leaf", "link"} & set(line) for line in events if line["game"] is None)
    of_game = [line for line in lines if line["game"] is not None]
    # The chain is computed here from the file alone and not by our own code.
    digest = sha(f"galloper record 2\n{table.game}")
    for number, line in enumerate(sorted(of_game, key=lambda line: line["n"]), start=1):
        assert line["n"] == number
        digest = sha(f"{digest}\n{number}\n{line['leaf']}")
        assert line["link"] == digest
    for line in closed:
        assert set(line) == {"game", "n", "leaf", "link"}, "nothing but digests of what is not an event"
    for line in of_game[: -len(closed)]:
        body = json.dumps(line["body"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        # An event names no phase, so its head is "event -" (docs/record.md, "An entry").
        assert line["leaf"] == sha("event -\n" + sha(f"{line['salt']}\n{body}"))
        tells = line["body"]["tells"]
        assert (tells["event"], tells["by"], tells["detail"]) == (line["what"], line["actor"], line["detail"])
    game_lines = [
        json.loads(line) for line in desk.client.get(f"/log/export?game={table.game}").text.splitlines()
    ]
    assert game_lines == of_game
    with table.site.store() as session:
        assert chain.root(session, table.game).link == digest
    assert "up to entry" in desk.text(f"/log?game={table.game}&digest={events[-1]['link']}")
    assert f'href="/log/export?game={table.game}"' in desk.page(f"/log?game={table.game}")
    assert desk.client.get("/log/export?game=nowhere").status_code == 404


def test_an_event_that_was_changed_or_taken_away_leaves_its_entry_in_the_exported_log(table: Table) -> None:
    desk: DeskTable = open_desk(table)
    for kind in ("deadline_moved", "option_changed"):
        log(table, kind, game_id=table.game, actor="Ada")
    with table.site.store.begin() as session:
        moved, changed = session.scalars(
            select(EventRow).where(EventRow.game_id == table.game).order_by(EventRow.id.desc()).limit(2)
        ).all()[::-1]
        moved.actor = "Grace"
        session.delete(changed)
    lines = [
        json.loads(line) for line in desk.client.get(f"/log/export?game={table.game}").text.splitlines()
    ]
    with table.site.store() as session:
        numbers = [row.number for row in chain.entries(session, table.game)]
    assert sorted(line["n"] for line in lines) == numbers, "no entry is left out"
    entry = next(line for line in lines if line.get("what") == "deadline_moved")
    assert (entry["actor"], entry["body"]["tells"]["by"]) == ("Grace", "Ada")
    assert "option_changed" not in [line.get("what") for line in lines]


def test_a_second_reader_exports_nothing(table: Table) -> None:
    assert open_desk(table, "second reader").client.get("/log/export").status_code == 403


def test_a_long_log_goes_on_behind_its_last_entry(table: Table) -> None:
    desk = open_desk(table)
    for number in range(AT_ONCE + 5):
        log(table, f"event_{number:03}")
    first = desk.page("/log")
    assert f"event {AT_ONCE + 4:03}" in first
    assert "event 004" not in first
    older = "/log?before=" + first.split('href="/log?before=')[1].split('"')[0]
    assert "event 004" in desk.page(older)


def test_no_address_and_no_digest_of_orders_is_shown_in_the_log() -> None:
    """The page of the log."""
    # An event never holds one; should one slip in, the page leaves it out all the same.
    shown_details = dict(details({"why": ("he wrote from james@players.example "
                                          "today"), "result": "abc", "digest": "x", "power": "Ormond",
                                  "reason": None, "received": "2027-03-03T19:33:45+00:00",
                                  "moved": [{"phase": "Summer", "to": "June"}]}))
    assert shown_details == {"why": ("he wrote from (an address) "
                                     "today"), "power": "Ormond", "received": "Wed 3 Mar 2027, 19:33 GMT",
                             "moved": "phase Summer, to June"}


def test_a_mailbox_that_was_never_asked_is_not_called_well(table: Table) -> None:
    assert look(table)["Mailbox"].state is FindingState.UNKNOWN


def test_a_mailbox_tells_its_last_good_answer_and_its_trouble(table: Table) -> None:
    clock = table.site.clock
    pulse, reports = MailboxStatus(clock), list[str]()
    report = pulse.recording(reports.append)
    report("")
    clock.advance(timedelta(minutes=5))
    fact = look(table, pulse)["Mailbox"]
    assert (fact.state, fact.sentence) == (FindingState.WELL, "Last checked 5 minutes ago.")
    report("The mail server refuses the password.")
    fact = look(table, pulse)["Mailbox"]
    assert fact.state is FindingState.TROUBLE
    assert fact.sentence == "The mail server refuses the password. Last good answer: 5 minutes ago."
    assert "Nothing is lost" in fact.advice
    assert reports == ["", "The mail server refuses the password."]
    report("")
    # A mailbox that has given no good answer for half an hour is trouble, though nothing failed.
    clock.advance(timedelta(minutes=31))
    assert look(table, pulse)["Mailbox"].state is FindingState.TROUBLE


def test_a_worker_that_rests_too_long_is_named(table: Table) -> None:
    now = table.site.clock.now()
    assert look(table)["Workers"].state is FindingState.UNKNOWN
    with table.site.store.begin() as session:
        session.add(WorkerRow(executor="one", seen_at=now))
    assert look(table)["Workers"].state is FindingState.WELL
    table.site.clock.advance(timedelta(minutes=4))
    assert look(table)["Workers"].state is FindingState.TROUBLE


def test_the_queue_counts_what_waits_and_what_failed_today(table: Table) -> None:
    table.file("Montrose", ["A Aberdeen H"], read=False)
    table.arrive(table.mail("Argyll"), table.phase().opens_at)
    assert look(table)["Queue"] == Finding("Queue", FindingState.WELL, "1 mail to handle, 1 sheet to read.")
    log(table, "work_failed", detail={"work": "read"})
    assert "work failed 1 time in" in look(table)["Queue"].sentence
    table.site.clock.advance(timedelta(hours=25))
    # that failure is of yesterday; the mail that waits since then is a trouble of today
    stuck = look(table)["Queue"]
    assert stuck.state is FindingState.TROUBLE
    assert "a mail that was stored 1 day ago is not handled yet" in stuck.sentence
    assert "failed" not in stuck.sentence


def test_a_failed_letter_is_named(table: Table) -> None:
    assert look(table)["Letters"].state is FindingState.WELL
    with table.site.store.begin() as session:
        session.add(OutboxRow(key="k", kind="receipt", recipient="a@b.example", subject="s", message="0" * 64,
                              message_id="<x>", state=OutboxState.FAILED, due_at=table.site.clock.now()))
    fact = look(table)["Letters"]
    assert (fact.state, fact.sentence) == (
        FindingState.TROUBLE,
        "0 waiting, 1 failed. A reader who is not a player: 1 letter did not arrive: no reason is known.")


@pytest.mark.parametrize(("ahead", "state"), [(-5, "well"), (30, "well"), (3600, FindingState.TROUBLE)])
def test_a_clock_behind_the_mail_servers_is_told_by_its_stamps(table: Table, ahead: int, state: str) -> None:
    assert look(table)["Clock"].state is FindingState.UNKNOWN
    now = table.site.clock.now()
    with table.site.store.begin() as session:
        session.add(
            MailRow(
                sha256="a" * 64, size=1, received_at=now + timedelta(seconds=ahead), stored_at=now,
                state=MailState.USED,
            )
        )
    assert look(table)["Clock"].state == state


def test_the_free_disk_is_measured_and_too_little_is_told(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = shutil.disk_usage(tmp_path).free
    assert abs(float(look(table, folder=tmp_path)["Disk"].sentence.split(" ")[0]) - free / 1e9) < 1
    monkeypatch.setattr(health, "FEWEST_FREE_BYTES", free * 10)
    assert look(table, folder=tmp_path)["Disk"].state is FindingState.TROUBLE
    assert look(table, folder=tmp_path / "nowhere")["Disk"].state is FindingState.TROUBLE


def test_sheets_that_could_not_be_read_make_the_reading_engine_worth_a_look(table: Table) -> None:
    assert look(table, loaded=True)["Reading engine"].sentence == "At work. No sheet was read yet."
    log(table, "reading_failed", detail={"submission": 1})
    assert look(table)["Reading engine"].state is FindingState.TROUBLE


def test_the_page_tells_every_fact_in_words_and_signs(table: Table) -> None:
    clock = table.site.clock
    desk = open_desk(
        table, health=Health(table.site.store, clock, MailboxStatus(clock), Path(), lambda: False).findings
    )
    page_text = desk.text("/health")
    for name in ("Mailbox", "Workers", "Queue", "Letters", "Reading engine", "Disk", "Clock"):
        assert name in page_text
    assert "Letters ✓ well 0 waiting, 0 failed." in page_text


def test_ages_are_told_in_their_largest_unit() -> None:
    assert [ago(timedelta(seconds=seconds)) for seconds in (-3, 1, 59, 60, 7200, 90_000)] == [
        "just now", "1 second ago", "59 seconds ago", "1 minute ago", "2 hours ago", "1 day ago"]


@pytest.mark.parametrize("path", ["/log", "/health", "/log/export"])
def test_nothing_shows_without_signing_in(table: Table, path: str) -> None:
    desk = open_desk(table)
    desk.client.cookies.clear()
    assert desk.client.get(path).headers["location"] == "/sign-in"


WHY = "The mail provider asks us to wait."


def letter(table: Table, number: int, state: OutboxState, *, twice: bool = False) -> None:
    now = table.site.clock.now()
    with table.site.store.begin() as session:
        session.add(OutboxRow(
            id=number, key=f"k{number}", kind="receipt", recipient="x@players.example", subject="A receipt",
            state=state,
            message=table.site.blobs.put(b"Subject: A receipt\r\n\r\nWords.\r\n"), message_id=f"<{number}@x>",
            due_at=now,
            possibly_twice=twice, error="refused" if state is OutboxState.FAILED else None))


def states(table: Table) -> dict[int, str]:
    with table.site.store() as session:
        return {row.id: row.state for row in session.scalars(select(OutboxRow))}


def send(table: Table, folder: Path) -> outbox.SendCounts:
    return outbox.send_due(
        table.site.store, table.site.blobs, outbox.FolderTransport(folder), table.site.clock,
        sender="orders@galloper.example",
    )


def test_letters_held_back_wait_and_leave_once_when_let_go(table: Table, tmp_path: Path) -> None:
    desk = open_desk(table)
    letter(table, 1, OutboxState.QUEUED)
    assert desk.post("/health/pause", why=WHY).headers["location"] == "/health?notice=paused"
    letter(table, 2, OutboxState.QUEUED)
    assert send(table, tmp_path).sent == 0
    assert set(states(table).values()) == {"queued"}
    for page in ("/", "/health?notice=paused"):
        page_text = desk.text(page)
        assert "Letters are held back" in page_text
        assert WHY in page_text
    table.site.clock.advance(timedelta(hours=11))
    assert desk.post("/health/resume").headers["location"] == "/health?notice=resumed"
    assert send(table, tmp_path).sent == 2
    assert send(table, tmp_path).sent == 0
    assert "Letters are held back" not in desk.text("/")
    assert "Letters are held back" in desk.text("/log")
    assert "Letters leave again waiting: 2" in desk.text("/log")


def test_health_says_who_holds_letters_back(table: Table) -> None:
    letter(table, 1, OutboxState.QUEUED)
    open_desk(table).post("/health/pause", why=WHY)
    fact = look(table)["Letters"]
    assert fact.state is FindingState.TROUBLE
    assert fact.sentence.startswith("Held back by Ada since ")
    assert "1 waiting" in fact.sentence


@pytest.mark.parametrize(("path", "status"), [("pause", 400), ("resume", 409), ("retry", 409)])
def test_what_cannot_be_done_about_letters_changes_nothing(table: Table, path: str, status: int) -> None:
    desk = open_desk(table)
    answer = desk.post(f"/health/{path}", why="short")
    assert answer.status_code == status
    assert "Nothing was changed" in answer.text
    desk.post("/health/pause", why=WHY)
    assert desk.post("/health/pause", why=WHY).status_code == 409


def test_failed_letters_are_tried_again_but_not_those_that_may_have_arrived(
    table: Table, tmp_path: Path
) -> None:
    desk = open_desk(table)
    letter(table, 1, OutboxState.FAILED)
    letter(table, 2, OutboxState.FAILED, twice=True)
    assert "Try 1 failed letter again" in desk.text("/health")
    assert desk.post("/health/retry").headers["location"] == "/health?notice=retried"
    # Letter 2 may have arrived: a player is asked first, so it is sent again only by its own button.
    assert states(table) == {1: "queued", 2: "failed"}
    assert "It may have arrived already: ask the player first." in desk.text("/letters/2")
    desk.post("/health/retry", letter=2)
    assert send(table, tmp_path).sent == 2
    assert "Send this letter again" not in desk.text("/letters/1")


def test_a_second_reader_sends_and_holds_back_nothing(table: Table) -> None:
    desk = open_desk(table, role="second reader")
    assert [desk.post(f"/health/{path}", why=WHY).status_code for path in ("pause", "resume", "retry")] == [
        403, 403, 403,
    ]


def test_reading_that_falls_behind_its_deadlines_shows_on_health(table: Table) -> None:
    """(SCA-03) Backpressure is reported before a deadline, with what to do."""
    phase, clock = table.phase(), table.site.clock
    assert not look(table)["Reading pace"].is_trouble
    papers = [table.file("Montrose", [f"A Perth H {number}"], read=False, version=number)
              for number in range(1, health.FEWEST_WAITING + 1)]
    clock.set(phase.deadline - timedelta(hours=2))
    pace = look(table)["Reading pace"]
    assert pace.is_trouble
    assert pace.sentence == (
        f"{health.FEWEST_WAITING} sheets wait to be read, 0 were read in the last hour. "
        "The nearest of their deadlines is in 2 hours.")
    with table.site.store.begin() as session:
        for submission in papers[:health.FEWEST_WAITING // 2]:
            session.get_one(SubmissionRow, submission).read_at = clock.now()
    assert not look(table)["Reading pace"].is_trouble


def test_the_log_calls_no_proved_player_a_stranger(table: Table) -> None:
    """PHA-11: a repeat that is ignored keeps no sender, and neither does a question to the machine."""
    desk, now = open_desk(table), table.site.clock.now()
    table.take(table.mail("Montrose"), table.phase().opens_at)
    table.take(table.mail("Montrose", note="In case the first was lost."), table.phase().opens_at)
    rows = {"c": ("used", "command", None, "mail_command"), "d": ("quarantined", "auth_failed", None, ""),
            "e": ("quarantined", "wrong_phase", "gone@montrose.example", "")}
    with table.site.store.begin() as session:
        for letter, (state, reason, sender, kind) in rows.items():
            records.add_mail(session, letter * 64, 10, now, now)
            row = session.get_one(MailRow, letter * 64)
            row.state, row.reason, row.sender, row.verdict = state, reason, sender, {"power": "Montrose"}
            event = Event[(kind or "mail_quarantined").upper()]
            records.log_event(session, now, event, detail={"mail": letter * 12})
    words = desk.text("/log").replace("&#39;", "'")
    assert "Mail from Montrose's player: ignored" in words
    assert "Mail from Montrose's player: a command, answered by the machine" in words
    assert "Mail under the name of Montrose, its sender not proved: set aside in quarantine" in words
    assert "from an address that is no longer a player's: set aside in quarantine" in words
    assert "stranger" not in words
