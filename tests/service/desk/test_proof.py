"""Proof reading in a glance: crops next to words, the doubtful first, a wrong one back at the desk, and "Read
by two" in the letters (DSK-03)."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from adjudicator.serialize import codec
from service.desk.proof import AT_ONCE, KEYS
from service.games.lines import SettledLine
from service.games.proof_reading import chance_wrong, proof_of
from service.notices.results_facts import results_facts
from service.store.tables import LineRow, LineState, PhaseRow, PhaseState, ReviewRow
from tests.support.desk_table import DeskTable, open_desk, plain
from tests.support.table import Table


def line(
    order: str | None, by: str | None, *scores: tuple[str, float], confidence: float = 0.9
) -> SettledLine:
    readings = tuple({"text": text.lower(), "order": text, "score": score} for text, score in scores)
    return SettledLine(1, 1, 0, "order", LineState.READ if by else LineState.AUTO, "x", order, by, confidence,
                       False, readings, ())


def test_the_chance_is_what_the_machine_gives_to_other_readings() -> None:
    assert chance_wrong(line("A", None, ("A", 0.99), ("B", 0.01))) == pytest.approx(0.01)
    assert chance_wrong(line("B", "Ada", ("A", 0.99), ("B", 0.01))) == pytest.approx(0.99)
    assert chance_wrong(line("C", "Ada", ("A", 0.99))) == 1.0
    assert chance_wrong(line("A", None, confidence=0.95)) == pytest.approx(0.05)


def test_forty_lines_have_forty_keys() -> None:
    assert (AT_ONCE, len(set(KEYS))) == (40, 40)


ORDERS = ("A Lindsey - Kesteven & Holland", "A Kesteven & Holland H", "F Humber Mouth H")


@pytest.fixture
def desk(table: Table) -> DeskTable:
    """A closed phase of three lines, of which the second is the least sure."""
    table.file("Manchester", ORDERS)
    with table.site.store.begin() as session:
        rows = session.query(LineRow).order_by(LineRow.ordinal).all()
        for row, score in zip(rows, (0.999, 0.91, 0.98), strict=True):
            row.candidates = [{"text": row.text, "order": row.order, "score": score}]
    table.site.clock.set(table.phase().deadline + timedelta(minutes=1))
    table.close_phase(table.phase().id)
    return open_desk(table)


def shown(page: str) -> list[str]:
    return [plain(words) for words in re.findall(r'<span class="words">(.*?) <span class="dim whose">', page)]


def field(page: str, name: str) -> str:
    match = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert match is not None
    return match[1]


def phase_id(desk: DeskTable) -> int:
    return desk.table.phases()[0].id


def proof_person(desk: DeskTable) -> str | None:
    with desk.table.site.store() as session:
        proof = proof_of(session, session.get_one(PhaseRow, phase_id(desk)))
        return None if proof is None else proof.person


def test_the_line_most_likely_wrong_comes_first_and_one_press_sends_it_to_the_queue(desk: DeskTable) -> None:
    address = f"/proof/{phase_id(desk)}"
    page = desk.page(address)
    assert len(shown(page)) == 3
    assert shown(page)[0] == "A Kesteven &amp; Holland H"
    assert page.count('data-key="1"') == 1
    form = re.search(r'<form method="post" action="[^"]+/wrong">.*?</form>', page)
    assert form is not None
    values = {name: field(form[0], name) for name in ("line", "seen", "page", "key")}
    assert desk.post(f"{address}/wrong", **values).status_code == 303
    page = desk.page(address)
    assert len(shown(page)) == 2
    assert "1 line at the desk" in plain(page)
    assert "Read 1 doubtful line" in desk.text("/") or "Read 1 line" in desk.text("/")
    # It is like any other decision: what was seen is out of date, and the desk takes it back.
    assert desk.post(f"{address}/wrong", **{**values, "key": "another-key-of-it"}).status_code == 409
    assert desk.post(f"/desk/{phase_id(desk)}/undo").status_code == 303
    assert len(shown(desk.page(address))) == 3


def test_a_proof_holds_while_no_line_changes_and_the_letters_say_so(desk: DeskTable) -> None:
    address = f"/proof/{phase_id(desk)}"
    page = desk.page(address)
    assert "all 3 lines" in plain(page)
    assert proof_person(desk) is None
    assert desk.post(f"{address}/done", seen="0" * 64).status_code == 409
    digest = re.findall(r'name="seen" value="([0-9a-f]{64})"', page)[0]
    assert desk.post(f"{address}/done", seen=digest).status_code == 303
    assert proof_person(desk) == "Ada"
    assert "Read by two: Ada compared 3 lines" in desk.text(address)
    assert remark_of(desk) == (
        "Read by two: before these results were sent, Ada compared every line with its ink (3 in all). The "
        "machine or another person had read each of them before.")
    line_id = int(field(page, "line"))
    assert desk.post(f"{address}/wrong", line=line_id, seen="-", key="a-key-of-ten").status_code == 303
    assert proof_person(desk) is None
    desk.post(f"/desk/{phase_id(desk)}/undo")
    assert proof_person(desk) == "Ada", "the lines are again those that were compared"
    assert "compared with its ink" in desk.text("/log")


def test_a_line_that_the_machine_passed_as_no_order_is_none_to_compare(desk: DeskTable) -> None:
    with desk.table.site.store.begin() as session:
        session.query(LineRow).filter_by(text=ORDERS[2]).one().order = None
    assert ORDERS[2] not in shown(desk.page(f"/proof/{phase_id(desk)}"))
    assert len(shown(desk.page(f"/proof/{phase_id(desk)}"))) == 2


def remark_of(desk: DeskTable) -> str:
    with desk.table.site.store() as session:
        phase = session.get_one(PhaseRow, phase_id(desk))
        (remark,) = results_facts(session, phase, codec.load_resolution(phase.resolution or {}),
                                  desk.table.variant, "").remarks
        return str(remark)


def test_who_compares_lines_that_he_alone_decided_has_read_them_again(desk: DeskTable) -> None:
    """Two persons are two, and one person who looks twice is one."""
    address = f"/proof/{phase_id(desk)}"
    with desk.table.site.store.begin() as session:
        first = session.query(LineRow).order_by(LineRow.ordinal).first()
        assert first is not None
        session.add(ReviewRow(
            key="a-key-of-the-line", line_id=first.id, by="Ada", decision=LineState.READ, text=first.text,
            order=first.order, at=desk.table.site.clock.now()))
    page = desk.page(address)
    assert "have the note “Read again”. 1 line was decided by you alone" in plain(page)
    digest = re.findall(r'name="seen" value="([0-9a-f]{64})"', page)[0]
    assert desk.post(f"{address}/done", seen=digest).status_code == 303
    assert "Read again: Ada compared 3 lines" in desk.text(address)
    assert remark_of(desk) == (
        "Read again: before these results were sent, Ada compared every line with its ink once more (3 in "
        "all). Lines that only Ada had decided before: 1.")
    with desk.table.site.store.begin() as session:
        session.query(ReviewRow).update({"by": "Blaise"})
    assert remark_of(desk).startswith("Read by two: before these results were sent, Ada compared")


def test_nothing_is_shown_before_the_deadline_and_nothing_is_marked_after_sending(table: Table) -> None:
    """DESK-02."""
    table.file("Manchester", ORDERS)
    desk = open_desk(table)
    address = f"/proof/{table.phase().id}"
    assert desk.client.get(address).headers["location"] == f"/desk/{table.phase().id}"
    assert desk.post(f"{address}/wrong", line=1, key="a-key-of-ten").status_code == 409
    assert desk.post(f"{address}/done", seen="0" * 64).status_code == 409
    table.set_phase(state=PhaseState.SENT)
    page = desk.page(address)
    assert f'href="/results/{table.phases()[0].id}/line/' in page
    assert "/wrong" not in page
    assert desk.client.get("/proof/99").status_code == 404
