"""A dry run of a deadline: nothing is sent, only its digests are written, and it shows what the real run will
do."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from service import pictures
from service.facts.events import Event
from service.features.dry_run.dry_run import DryRun, Rehearsal, canonical_bytes
from service.games.acts.phases import Unseal
from service.games.turns import NotReady
from service.notices.results import ResultsAnnouncer
from service.store.tables import EventRow, LineRow, LineState, PhaseState, TableBase
from service.store.tables_record import EntryRow
from tests.support.acting import do
from tests.support.desk_table import DeskTable, open_desk, plain
from tests.support.site import Site
from tests.support.table import Table, autumn_1642, open_table

ATTACK = ("A Lindsey - Kesteven & Holland", "A Norfolk S A Lindsey - Kesteven & Holland")
WORDS = ("Lindsey", "Norfolk", "Kesteven")


@pytest.fixture
def table(site: Site) -> Table:
    """The demo's Autumn 1642 with one attack of Manchester on file, its results really drawn and written."""
    opened = open_table(site, position=autumn_1642())
    opened.announce = ResultsAnnouncer(opened.writer)
    opened.file("Manchester", ATTACK)
    return opened


def rehearser(table: Table) -> DryRun:
    return DryRun(table.site.store, table.site.clock, table.writer)


def rehearse(table: Table) -> Rehearsal:
    return rehearser(table).run(table.phase().id, "Ada")


def unseal(table: Table) -> None:
    do(table, Unseal(table.phase().id, "The rehearsal of a test needs it."))


def close(table: Table) -> None:
    table.site.clock.set(table.phase().deadline)
    table.close_phase(table.phase().id)


def everything(table: Table) -> dict[str, list[Any]]:
    """All rows of all tables except the log and the record."""
    with table.site.store() as session:
        return {
            name: [tuple(row)
                   for row in session.execute(select(rows_of).order_by(*rows_of.primary_key.columns))]
            for name, rows_of in TableBase.metadata.tables.items()
            # The one event of a dry run, and its entry in the record, are counted below.
            if name not in {"events", "record", "record_heads"}
        }


def files(table: Table) -> set[str]:
    return {str(path) for path in table.site.blobs.root.rglob("*")}


def events(table: Table) -> list[EventRow]:
    with table.site.store() as session:
        return list(
            session.scalars(select(EventRow).where(EventRow.what == Event.PHASE_REHEARSED)
                            .order_by(EventRow.id)))


def entries(table: Table) -> list[EntryRow]:
    with table.site.store() as session:
        return list(session.scalars(select(EntryRow)))


def test_what_was_rehearsed_is_byte_for_byte_what_is_judged_when_nothing_changed(table: Table) -> None:
    """The rehearsal shows what the deadline will do, but for the lots: before the deadline no one knows
    them, not even anyone who has opened the sheets (TRU-02)."""
    unseal(table)
    rehearsal = rehearse(table)
    assert rehearsal.result
    table.set_phase(1, state=PhaseState.CLOSED)
    rehearsal = rehearse(table)
    table.judge_phase(table.phase().id)
    assert table.phase().state == PhaseState.READY
    assert canonical_bytes(table.phase().resolution or {}) == rehearsal.result
    assert table.outcomes()["Manchester", "A Lindsey - Kesteven & Holland"]
    again = rehearse(table)
    assert again.result == rehearsal.result
    assert again.same_as_judged is True
    assert again.changes == ()


@pytest.mark.slow
def test_a_changed_sheet_gives_another_result_and_is_named(table: Table) -> None:
    unseal(table)
    first = rehearse(table)
    assert first.changes is None
    next_day = table.phase().opens_at + timedelta(days=1)
    table.file("Manchester", ["A Lindsey H", "A Norfolk H"], version=2, received_at=next_day)
    second = rehearse(table)
    assert second.result != first.result
    assert second.changes is not None
    assert second.changes[0].startswith("Manchester: sheet ")
    assert "v1 before" in second.changes[0]
    assert "v2 now" in second.changes[0]
    assert any("its orders or their outcomes changed" in change for change in second.changes)
    assert rehearse(table).changes == ()


def test_the_letters_of_a_rehearsal_are_those_that_leave(table: Table) -> None:
    unseal(table)
    rehearsal = rehearse(table)
    assert table.letters() == []
    close(table)
    table.approve_phase(table.phase().id, "Ada")
    assert [(letter.kind, letter.recipient, letter.subject) for letter in rehearsal.letters] == [
        (row.kind, row.recipient, row.subject) for row in table.letters()]
    assert rehearsal.letters
    for letter, row in zip(rehearsal.letters, table.letters(), strict=True):
        names = [part.get_filename() for part in table.message(row).iter_attachments()]
        # The record's root is there once the phase is judged.
        assert [*letter.attached, *(["record.json"] if "results" in row.kind else [])] == names


def test_a_rehearsal_writes_nothing_but_one_event(table: Table) -> None:
    unseal(table)
    rows, files_before, entered = everything(table), files(table), len(entries(table))
    rehearse(table)
    assert everything(table) == rows
    assert files(table) == files_before
    assert len(events(table)) == 1
    # No one can rehearse in secret: the record has an entry for each.
    assert len(entries(table)) == entered + 1


def test_before_the_deadline_a_rehearsal_counts_and_shows_no_order(table: Table) -> None:
    """DESK-02, Q-14."""
    desk = open_desk(table)
    page = plain(desk.post(f"/rehearsal/{table.phase().id}").text)
    assert "Sealed until" in page
    assert "Manchester v1" in page
    assert not [word for word in WORDS if word in page]
    rehearsal = rehearse(table)
    assert (rehearsal.sealed, rehearsal.result, rehearsal.powers, rehearsal.letters) == (True, b"", (), ())
    # No digest of powers or letters: guesses could be tried on it before the deadline.
    assert set(events(table)[0].detail) == {"phase_id", "digest", "sealed", "sheets"}


def test_the_log_of_a_rehearsal_holds_no_order_and_no_address(table: Table) -> None:
    unseal(table)
    rehearse(table)
    detail = str(events(table)[0].detail)
    assert "@" not in detail
    assert not [word for word in WORDS if word in detail]


def test_the_page_shows_sheets_orders_and_letters(table: Table) -> None:
    unseal(table)
    desk: DeskTable = open_desk(table)
    path = f"/rehearsal/{table.phase().id}"
    assert "Not rehearsed yet" in desk.text(path)
    page = plain(desk.post(path).text)
    assert "This is the first rehearsal" in page
    assert "Army Lindsey moves to Kesteven" in page
    assert "letters would leave" in page
    assert "Nothing has changed" in plain(desk.post(path).text)
    assert "Last rehearsed" in desk.text(path)


@pytest.mark.slow
def test_lines_that_wait_are_named_and_give_no_order(table: Table) -> None:
    with table.site.store.begin() as session:
        session.scalars(select(LineRow).order_by(LineRow.id)).all()[0].status = LineState.OPEN
    close(table)
    assert table.phase().state == PhaseState.CLOSED
    rehearsal = rehearse(table)
    assert "1 line waits for a person; until then it gives no order" in rehearsal.obstacles
    orders = {order.text for power in rehearsal.powers for order in power.orders}
    assert not any("Army Lindsey moves" in text for text in orders)
    assert rehearsal.result


def test_what_keeps_letters_from_being_made_is_told_before_the_real_run(table: Table) -> None:
    unseal(table)
    for path in list(table.site.blobs.root.rglob("*")):
        if path.is_file():
            path.write_bytes(b"damaged")
    rehearsal = rehearse(table)
    assert rehearsal.letters == ()
    assert any("cannot be copied" in obstacle for obstacle in rehearsal.obstacles)
    assert rehearsal.result


def test_a_phase_that_is_not_open_yet_or_sent_cannot_be_rehearsed(table: Table) -> None:
    desk = open_desk(table)
    with pytest.raises(NotReady):
        rehearser(table).run(table.phase(2).id, "Ada")
    table.set_phase(state=PhaseState.SENT)
    answer = desk.post(f"/rehearsal/{table.phase().id}")
    assert answer.status_code == 409
    assert "Nothing was rehearsed" in answer.text
    assert desk.client.get("/rehearsal/999").status_code == 404
    assert desk.client.post(f"/rehearsal/{table.phase().id}", data={"csrf": "x"}).status_code == 403
    assert events(table) == []


# Pictures when they are looked at
# ---------------------------------------------------------------------------------------


def test_pictures_are_drawn_when_they_are_looked_at(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dry run names every file that the real run attaches and draws none; the file's address gives the same
    bytes."""
    unseal(table)
    drawn_pictures: list[str] = []
    real = pictures.results_pictures

    def noted(*arguments: Any, **options: Any) -> list[bytes]:
        drawn_pictures.append("results")
        return real(*arguments, **options)

    monkeypatch.setattr(pictures, "results_pictures", noted)
    desk = open_desk(table)
    path = f"/rehearsal/{table.phase().id}"
    page = desk.post(path).text
    assert drawn_pictures == []
    names = re.findall(rf'href="{path}/picture/([^"]+)"', page)
    answers = {name: desk.client.get(f"{path}/picture/{name}") for name in names}
    close(table)
    table.approve_phase(table.phase().id, "Ada")
    real_files = {str(part.get_filename()): part.get_content()
                  for row in table.letters() for part in table.message(row).iter_attachments()}
    assert [name for name in real_files
            if not name.startswith("results-") and name != "record.json"] == names[1:]
    assert {name: answer.content for name, answer in answers.items()}.items() <= real_files.items()
    assert answers["results-1.png"].headers["content-type"] == "image/png"


def test_a_rehearsal_with_pictures_and_one_without_find_no_difference(table: Table) -> None:
    unseal(table)
    rehearser(table).run(table.phase().id, "Ada", drawing=False)
    assert rehearser(table).run(table.phase().id, "Ada", drawing=True).changes == ()


def test_a_picture_that_cannot_be_drawn_says_so_and_that_nothing_left(table: Table) -> None:
    unseal(table)
    for blob in list(table.site.blobs.root.rglob("*")):
        if blob.is_file():
            blob.write_bytes(b"damaged")
    desk = open_desk(table)
    path = f"/rehearsal/{table.phase().id}"
    assert "cannot be copied" not in desk.post(path).text
    assert "cannot be copied" in desk.post(path, pictures="yes").text
    answer = desk.client.get(f"{path}/picture/sheet-manchester-1.png")
    assert answer.status_code == 409
    assert "Nothing was sent or changed" in answer.text


def test_no_picture_of_a_sealed_phase_is_drawn(table: Table) -> None:
    """DESK-02."""
    desk = open_desk(table)
    for name in ("results-1.png", "sheet-manchester-1.png"):
        assert desk.client.get(f"/rehearsal/{table.phase().id}/picture/{name}").status_code == 404


def test_the_reading_page_leads_to_the_rehearsal(table: Table) -> None:
    """The desk plan: "All 143 lines read ... Rehearse results"."""
    close(table)
    desk = open_desk(table)
    assert f'href="/rehearsal/{table.phase().id}"' in desk.page(f"/desk/{table.phase().id}")
    assert f'href="/rehearsal/{table.phase().id}"' in desk.page(f"/results/{table.phase().id}")
