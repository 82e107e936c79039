"""The Sheet page: a whole paper, its versions, the choice of what is executed, and a line added by hand."""

from __future__ import annotations

import html
import io
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from PIL import Image
from sqlalchemy import select

from service.desk import queries
from service.desk.sheet.picture import MARKS, percent, turned
from service.desk.sheet.view import differences
from service.games import ballots
from service.games.decisions import own_lines
from service.record import live
from service.store import records
from service.store.tables import (
    EventRow,
    LineRow,
    LineState,
    PageRow,
    PhaseRow,
    PhaseState,
    PlayerRow,
    SeatRow,
    SubmissionRow,
)
from tests.support.desk_site import AFTER, DEADLINE, DeskSite, photograph

WHY = "The player asked by telephone for the earlier sheet."
BOX = [[50, 0], [800, 0], [800, 60], [50, 60]]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskSite]:
    """A desk whose Montrose sent v1 (four lines) and v2, in which Merse holds and a fleet order is
    missing."""
    desk_site = DeskSite(tmp_path)
    desk_site.sign_in()
    key = desk_site.blobs.put(photograph())
    desk_site.add(
        SubmissionRow(
            id=2, phase_id=7, power="Montrose", player_id=1, sender="james@players.example",
            received_at=DEADLINE - timedelta(minutes=30), version=2, semantic_key="y", read_at=DEADLINE,
        ),
        PageRow(id=2, submission_id=2, ordinal=0, original=key, upright=key),
        *(
            LineRow(
                id=10 + ordinal, page_id=2, ordinal=ordinal, box=BOX, kind="order", text=text, order=order,
                status="auto", confidence=0.97,
            )
            for ordinal, (text, order) in enumerate(
                (("Army Merse holds", "A Merse H"), ("Army Eskdale holds", "A Eskdale H"))
            )
        ),
    )
    yield desk_site
    desk_site.close()


def executed(desk: DeskSite) -> int | None:
    with desk.store() as session:
        return ballots.executed(session, session.get_one(PhaseRow, 7)).get("Montrose")


def events(desk: DeskSite, kind: str) -> list[EventRow]:
    with desk.store() as session:
        return list(session.scalars(select(EventRow).where(EventRow.what == kind)))


@pytest.mark.parametrize("path", ["/sheet/1/page/1.jpg", "/sheet/1/original/1"])
def test_before_the_deadline_no_page_and_no_original_is_handed_out(desk: DeskSite, path: str) -> None:
    """DESK-02, Q-14."""
    desk.change(7, state=PhaseState.OPEN)
    assert desk.client.get(path).status_code == 403
    desk.change(7, state=PhaseState.CLOSED)
    assert desk.client.get(path).status_code == 200


def test_before_the_deadline_a_sheet_is_counted_and_not_shown(desk: DeskSite) -> None:
    """DESK-02, Q-14."""
    desk.change(7, state=PhaseState.OPEN)
    for path in ("/sheet/1", "/sheets/7"):
        page_text = desk.text(path)
        assert "Sealed until Sun 14 Mar 2027, 07:00 GMT" in page_text
        assert "Merse" not in page_text
        assert "Eskdale" not in page_text


@pytest.mark.parametrize("form", ["choose", "leave", "line", "box"])
def test_before_the_deadline_nothing_about_a_sheet_can_be_changed(desk: DeskSite, form: str) -> None:
    """DESK-02."""
    desk.change(7, state=PhaseState.OPEN)
    box = {"line": "3 ", "left": 1, "top": 1, "right": 9, "bottom": 9}
    assert (
        desk.post(f"/sheet/1/{form}", why=WHY, page=1, text="Army Merse holds", key="k", **box).status_code
        == 403
    )
    assert executed(desk) == 2


def test_the_page_frames_each_line_in_the_colour_and_stroke_of_its_state(desk: DeskSite) -> None:
    """DESK-01: an unbroken frame for what the machine is sure of, a double one for a line that waits."""
    answer = desk.client.get("/sheet/1/page/1.jpg")
    with Image.open(io.BytesIO(answer.content)) as opened:
        page = opened.convert("RGB")
    # line 2 (auto) has its foot at y 160, line 3 (open) at 260; both reach from x 50 to 800
    auto = [page.getpixel((x, 160)) for x in range(200, 700, 7)]
    waits = [page.getpixel((x, 260)) for x in range(200, 700, 7)]
    assert all(isinstance(p, tuple) and p[1] > p[0] for p in auto), ("the frame of a sure line is green and "
                                                                     "unbroken")
    assert all(isinstance(p, tuple) and p[0] > 2 * p[1] for p in waits), "the frame of an open line is red"
    heading = [page.getpixel((x, 60)) for x in range(200, 700)]
    light = [p for p in heading if isinstance(p, tuple) and min(p) > 200]
    # Of 500 pixels along a dashed frame between a fifth and four fifths are paper.
    assert 100 < len(light) < 400, "the frame of what is not an order is broken"


def test_states_are_told_apart_without_colour() -> None:
    assert set(MARKS) == set(LineState)
    assert len({mark.letter for mark in MARKS.values()}) == len(LineState)
    assert len({(mark.stroke, mark.double) for mark in MARKS.values()}) == len(LineState)
    assert len({mark.colour for mark in MARKS.values()}) == len(LineState)


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_point_of_a_turned_page_goes_with_its_ink(rotation: int) -> None:
    page = Image.new("L", (40, 30), 255)
    # One dark pixel, asked for at its middle: half a pixel of error would find its neighbour.
    page.putpixel((7, 3), 0)
    turned_page = page.rotate(-rotation, expand=True)
    x, y = turned((7.5, 3.5), page.size, rotation)
    assert turned_page.getpixel((int(x), int(y))) == 0
    assert turned((x, y), turned_page.size, -rotation) == (7.5, 3.5)


def test_versions_stand_side_by_side_with_what_differs(desk: DeskSite) -> None:
    """VER-04: superseded versions are stored and shown with a difference view."""
    page_text = desk.text("/sheet/2?against=1")
    assert "v1 compared with v2" in page_text
    assert "≠ changed A Merse - Carham Castle A Merse H" in page_text
    assert "= same A Eskdale H A Eskdale H" in page_text
    assert "− only v1 F Lyme Bay H —" in page_text
    assert "replaced by a higher version" in page_text


def test_a_sheet_is_compared_by_its_orders_and_not_by_its_heading(desk: DeskSite) -> None:
    """VER-04."""
    with desk.store() as session:
        first, two = own_lines(session, 1), own_lines(session, 2)
    assert [(row.sign, row.left, row.right) for row in differences(two, first)] == [
        ("≠", "A Merse H", "A Merse - Carham Castle"), ("=", "A Eskdale H", "A Eskdale H"),
        ("+", "", "F Lyme Bay H")]


def test_the_heading_is_shown_beside_what_the_paper_is_filed_as(desk: DeskSite) -> None:
    """HEAD-03."""
    with desk.store.begin() as session:
        session.get_one(LineRow, 1).text = "Powick Bridge, Ormond, Summer 1642 Movement"
    page_text = desk.text("/sheet/1")
    assert "Power Ormond Montrose ≠ differs" in page_text
    assert "Season Summer Summer" in page_text


def test_the_version_chosen_by_hand_is_executed_and_its_reason_is_on_record(desk: DeskSite) -> None:
    """VER-04, Q-07: the ballots honour the choice; it is logged with who and why."""
    assert executed(desk) == 2
    assert desk.post("/sheet/1/choose", why=WHY).status_code == 303
    assert executed(desk) == 1
    (event,) = events(desk, "sheet_chosen")
    assert (event.actor, event.detail["power"], event.detail["why"]) == ("Ada", "Montrose", WHY)
    assert "the coordinator chose another version, with a reason on record" in desk.text("/sheet/2")
    assert desk.post("/sheet/2/leave", why="The player changed her mind again.").status_code == 303
    assert executed(desk) == 2
    assert len(events(desk, "sheet_choice_taken_back")) == 1


def test_a_second_choice_replaces_the_first(desk: DeskSite) -> None:
    desk.post("/sheet/1/choose", why=WHY)
    desk.post("/sheet/2/choose", why="No, the later one after all.")
    assert executed(desk) == 2
    with desk.store() as session:
        assert "chosen" not in session.get_one(SubmissionRow, 1).flags


@pytest.mark.parametrize("why", ["", "   ", "too short"])
def test_a_choice_without_a_reason_changes_nothing(desk: DeskSite, why: str) -> None:
    answer = desk.post("/sheet/1/choose", why=why)
    assert answer.status_code == 400
    assert "Nothing was changed" in answer.text
    assert executed(desk) == 2
    assert not events(desk, "sheet_chosen")


def test_a_held_sheet_is_released_by_choosing_it_and_held_again_by_taking_that_back(desk: DeskSite) -> None:
    """HEAD-03, Q-07: held for the desk, which settles it."""
    with desk.store.begin() as session:
        row = session.get_one(SubmissionRow, 2)
        row.fate, row.flags = "held", ["heading_disagrees"]
    assert executed(desk) == 1
    assert ("held, because the sheet's heading and the mail's subject disagree; it is not settled "
            "yet") in html.unescape(
        desk.text("/sheet/2"))
    desk.post("/sheet/2/choose", why=WHY)
    assert executed(desk) == 2
    desk.post("/sheet/2/leave", why="On a second look it is another power's.")
    assert executed(desk) == 1
    with desk.store() as session:
        row = session.get_one(SubmissionRow, 2)
        assert (row.fate, row.flags) == ("held", ["heading_disagrees"])


def test_a_heading_prevails_over_the_subject_where_its_sender_commands_that_power(desk: DeskSite) -> None:
    """Q-07, HEAD-03: held for the desk; filed by a person for the power that the heading names, and for no
    power of another person. Filed back it is held again."""
    with desk.store.begin() as session:
        row = session.get_one(SubmissionRow, 2)
        row.fate, row.flags = "held", ["heading_disagrees"]
        session.add(PlayerRow(id=2, name="Grace"))
        session.flush()
        # A power of another person: the heading alone must not give it James's sheet.
        session.add(SeatRow(game_id="powick-bridge", power="Argyll", player_id=2))
    assert executed(desk) == 1
    page = desk.page("/sheet/2")
    assert '<option value="Ormond">' in page, "James commands both"
    assert '<option value="Argyll">' not in page
    for bad in (
        {"power": "Argyll", "why": WHY}, {"power": "Montrose", "why": WHY},
        {"power": "Ormond", "why": "short"},
    ):
        assert "Nothing was changed" in desk.post("/sheet/2/refile", **bad).text
    assert (
        desk.post("/sheet/2/refile", power="Ormond", why=WHY).headers["location"] == "/sheet/2?notice=refiled"
    )
    with desk.store() as session:
        # What the desk does is in the record, and is not taken for a change of the database past it (C17).
        assert live.differences(session, "powick-bridge", frozenset()) == []
        assert ballots.executed(session, session.get_one(PhaseRow, 7)) == {"Montrose": 1, "Ormond": 2}
        assert {w.power for w in queries.work(session, session.get_one(PhaseRow, 7)) if w.line.id >= 10} == {
            "Ormond"
        }
    (event,) = events(desk, "sheet_filed_anew")
    assert (event.detail["from"], event.detail["to"], event.detail["why"]) == ("Montrose", "Ormond", WHY)
    desk.change(7, state=PhaseState.CLOSED)
    desk.post("/sheet/2/refile", power="Montrose", why="On a second look the heading is a jest.")
    with desk.store() as session:
        assert ballots.executed(session, session.get_one(PhaseRow, 7)) == {"Montrose": 1}
        assert (session.get_one(SubmissionRow, 2).fate, session.get_one(SubmissionRow, 2).flags) == (
            "held", ["heading_disagrees"],
        )


def test_a_sheet_of_only_changes_waits_and_is_read_literally_once_chosen(desk: DeskSite) -> None:
    """Q-09: a revision replaces the whole sheet. One that states it lists only changes is held and says so;
    executed by a person, it gives its own orders and none of the sheet before."""
    with desk.store.begin() as session:
        row = session.get_one(SubmissionRow, 2)
        row.fate, row.flags = "held", ["only_changes"]
    for page in ("/sheets/7", "/sheet/2"):
        page_text = desk.text(page)
        assert ("held, because the sheet gives only changes to an earlier one; it is not settled "
                "yet") in page_text
        assert "disagree" not in page_text
    assert executed(desk) == 1
    desk.post("/sheet/2/choose", why=WHY)
    with desk.store() as session:
        lines = queries.work(session, session.get_one(PhaseRow, 7))
    assert [w.line.order for w in lines] == ["A Merse H", "A Eskdale H"], ("and not the fleet of the sheet "
                                                                           "before")


def test_units_that_a_sheet_of_only_changes_leaves_out_use_the_version_it_names(desk: DeskSite) -> None:
    """Q-09: "unlisted units use the referred version if it is named, else hold". A person takes them over,
    with a reason; a unit that the sheet names keeps what the sheet states about it, and undo takes all of it
    back."""
    with desk.store.begin() as session:
        row = session.get_one(SubmissionRow, 2)
        row.fate, row.flags = "held", ["only_changes"]
        session.get_one(LineRow, 3).status, session.get_one(LineRow, 3).order = (
            "auto", "A Eskdale - Carham Castle",
        )
        session.get_one(LineRow, 4).status, session.get_one(LineRow, 4).order = "auto", "F Lyme Bay H"
    assert "Units that this sheet does not name" not in desk.text("/sheet/1")
    assert "Units that this sheet does not name" in desk.text("/sheet/2")
    desk.post("/sheet/2/choose", why=WHY)
    for bad in ({"named": 2, "why": WHY}, {"named": 99, "why": WHY}, {"named": 1, "why": "short"}):
        assert "Nothing was changed" in desk.post("/sheet/2/take-over", key="k0", **bad).text
    for _ in range(2):  # the same form delivered twice
        assert (
            desk.post("/sheet/2/take-over", key="k1", named=1, why=WHY).headers["location"]
            == "/sheet/2?notice=taken-over"
        )
    with desk.store() as session:
        lines = queries.work(session, session.get_one(PhaseRow, 7))
    # v1 has Merse, Eskdale and the fleet; v2 names Merse and Eskdale.
    assert [w.line.order for w in lines] == ["A Merse H", "A Eskdale H", "F Lyme Bay H"]
    (event,) = events(desk, "orders_taken_over")
    assert (event.actor, event.detail["lines"], event.detail["why"]) == ("Ada", 1, WHY)
    assert "names every unit" in desk.post("/sheet/2/take-over", key="k2", named=1, why=WHY).text
    desk.change(7, state=PhaseState.CLOSED)
    desk.post("/desk/7/undo")
    with desk.store() as session:
        lines = queries.work(session, session.get_one(PhaseRow, 7))
    assert [w.line.order for w in lines] == ["A Merse H", "A Eskdale H"]


@pytest.mark.parametrize(("state", "text", "refused"), [
    ("open", "Army Merse holds", True), ("void", "F Lyme Bay H\nF Lyne Bay - Carham", True),
    ("void", "nobody can read it", False)])
def test_no_unit_is_taken_over_while_a_line_may_name_it(
    desk: DeskSite, state: str, text: str, *, refused: bool
) -> None:
    """Q-09, Q-01: an open line keeps everything back; a void one the units that its two readings name."""
    with desk.store.begin() as session:
        session.get_one(SubmissionRow, 2).flags = ["only_changes"]
        for line in (1, 2, 3):
            session.get_one(LineRow, line).status = "not an order"
        session.get_one(LineRow, 4).status = "auto"
        session.get_one(LineRow, 4).order = "F Lyme Bay H"
        session.get_one(LineRow, 10).status, session.get_one(LineRow, 10).text = state, text
    page_text = desk.post("/sheet/2/take-over", key="k1", named=1, why=WHY).text
    assert ("Nothing was changed" in page_text) is refused


def test_a_sheet_that_came_late_cannot_be_chosen(desk: DeskSite) -> None:
    """SUB-13: no reason makes a late paper count."""
    with desk.store.begin() as session:
        session.get_one(SubmissionRow, 2).received_at = DEADLINE + timedelta(seconds=1)
    answer = desk.post("/sheet/2/choose", why=WHY)
    assert answer.status_code == 400
    assert "after the deadline" in answer.text
    assert executed(desk) == 1


def test_a_choice_after_judging_has_the_phase_judged_again(desk: DeskSite) -> None:
    desk.still_to_read = True
    desk.change(7, state=PhaseState.READY, judged_at=AFTER, resolution={"x": 1})
    desk.post("/sheet/1/choose", why=WHY)
    with desk.store() as session:
        phase = session.get_one(PhaseRow, 7)
        assert (phase.state, phase.resolution, phase.judged_at) == (PhaseState.CLOSED, None, None)
    assert desk.judged == [7]


def test_a_later_paper_in_time_ends_a_choice_and_says_so(desk: DeskSite) -> None:
    """VER-02: a choice was made among the sheets known then."""
    desk.post("/sheet/1/choose", why=WHY)
    # A player's later version must never lose against a choice unseen; one that came too late changes
    # nothing.
    late = {"sender": "", "phase_id": 7, "power": "Montrose"}
    with desk.store.begin() as session:
        records.add_submission(
            session, semantic_key="late", version=9, received_at=DEADLINE + timedelta(seconds=1), **late
        )
    assert executed(desk) == 1, "a paper that came late ends nothing"
    with desk.store.begin() as session:
        new = records.add_submission(session, semantic_key="new", version=3, received_at=DEADLINE, **late)
        assert new is not None
        key = new.id
    assert executed(desk) == key
    assert "a later sheet that came in time ended that choice" in desk.text("/sheet/1")
    assert "until a later sheet came in time" in desk.text("/")
    desk.post("/sheet/1/choose", why=WHY)
    assert executed(desk) == 1


def test_after_sending_nothing_about_a_sheet_can_be_changed(desk: DeskSite) -> None:
    desk.change(7, state=PhaseState.SENT)
    assert desk.post("/sheet/1/choose", why=WHY).status_code == 409
    assert desk.post("/sheet/1/line", page=1, text="Army Merse holds", key="k").status_code == 409
    assert executed(desk) == 2
    assert "cannot be changed" in desk.text("/sheet/1")


def test_a_missed_line_is_added_once_where_it_stands_and_undo_takes_it_away(desk: DeskSite) -> None:
    """SUB-08: what the recognizer missed is typed by a person, and counts like any decision."""
    for _ in range(2):  # the same form delivered twice
        answer = desk.post("/sheet/2/line", page=2, text="Army Merse holds", key="k9", after=10)
        assert (answer.status_code, answer.headers["location"]) == (303, "/sheet/2?notice=added")
    with desk.store() as session:
        lines = queries.work(session, session.get_one(PhaseRow, 7))
        assert [w.line.order for w in lines] == ["A Merse H", "A Merse H", "A Eskdale H"]
        assert lines[1].line.state is LineState.READ
        # without a box: the band below line 1, which ends at y 60
        assert lines[1].line.box == ((50, 60), (800, 60), (800, 120), (50, 120))
    # Each delivery calls the judge; the second finds nothing new to do.
    assert desk.judged == [7, 7]
    desk.change(7, state=PhaseState.CLOSED)
    desk.post("/desk/7/undo")
    with desk.store() as session:
        lines = queries.work(session, session.get_one(PhaseRow, 7))
        assert [w.line.order for w in lines] == ["A Merse H", "A Eskdale H"]
    assert "Merse holds" not in desk.text("/sheet/2").split("Eskdale")[1]


def test_a_box_set_right_opens_its_line_again_with_what_was_read_and_undo_brings_all_back(
    desk: DeskSite,
) -> None:
    """The Sheet page's "fix boxes": the ink is another now, so a person looks again; nothing of before is
    lost."""
    desk.decide(10, "void", "before")
    with desk.store() as session:
        (before,) = [line for line in own_lines(session, 2) if line.id == 10]
    wish = {"line": f"10 {before.version()}", "key": "b1", "left": 10, "top": 20, "right": 60, "bottom": 30}
    for _ in range(2):  # the same form delivered twice
        answer = desk.post("/sheet/2/box", **wish)
        assert (answer.status_code, answer.headers["location"]) == (303, "/sheet/2?notice=box-fixed")
    with desk.store() as session:
        lines = queries.work(session, session.get_one(PhaseRow, 7))
        assert [(w.line.state, w.line.text) for w in lines] == [
            (LineState.OPEN, "Army Merse holds"), (LineState.AUTO, "Army Eskdale holds")]
        assert lines[0].line.box == ((90, 140), (540, 140), (540, 210), (90, 210))  # of 900 x 700 pixels
        assert [line.id for line in own_lines(session, 2)][1:] == [11]
    assert "is cut by the new box and open again" in desk.text("/sheet/2?notice=box-fixed")
    desk.post("/desk/7/undo")
    with desk.store() as session:
        lines = queries.work(session, session.get_one(PhaseRow, 7))
        assert [(w.line.id, w.line.state) for w in lines] == [(10, LineState.VOID), (11, LineState.AUTO)]
        assert lines[0].line == before


def test_a_box_is_not_set_on_a_line_that_was_decided_meanwhile(desk: DeskSite) -> None:
    desk.decide(10, "void", "meanwhile")
    box = {"key": "b", "left": 10, "top": 20, "right": 60, "bottom": 30}
    answer = desk.post("/sheet/2/box", line="10 ", **box)
    assert answer.status_code == 409
    assert "Nothing was changed: another person decided this line" in answer.text
    for line in ("1 ", "99 ", "x"):  # of another sheet, of none, no number
        assert desk.post("/sheet/2/box", line=line, **box).status_code == 404
    assert desk.post("/sheet/2/box", line="11 ", **{**box, "right": 10}).status_code == 400
    with desk.store() as session:
        assert session.scalars(select(LineRow).where(LineRow.kind == "part")).all() == []


def test_a_box_drawn_on_a_turned_page_is_kept_in_pixels_of_the_stored_one(desk: DeskSite) -> None:
    with desk.store.begin() as session:
        session.get_one(PageRow, 2).rotation = 90
    # 900 x 700 pixels, shown as 700 x 900
    desk.post(
        "/sheet/2/line", page=2, text="Army Merse holds", key="k", after=0, left=10, top=50, right=90,
        bottom=60,
    )
    with desk.store() as session:
        row = session.scalars(select(LineRow).where(LineRow.page_id == 2, LineRow.kind == "part")).one()
        assert row.ordinal == 0
        assert row.box == [[450, 630], [450, 70], [540, 70], [540, 630]]
        assert [turned((x, y), (900, 700), 90) for x, y in row.box] == [
            (70, 450), (630, 450), (630, 540), (70, 540),
        ]
        assert percent([(x, y) for x, y in row.box], (900, 700), 90) == (10, 50, 90, 60)


def test_words_that_are_no_order_are_kept_as_written_and_said_to_be_none(desk: DeskSite) -> None:
    answer = desk.post("/sheet/2/line", page=2, text="Army dances", key="k", after=11)
    assert answer.headers["location"] == "/sheet/2?notice=added-as-written"
    assert "no order of this phase" in desk.text("/sheet/2?notice=added-as-written")
    with desk.store() as session:
        row = session.scalars(select(LineRow).where(LineRow.kind == "part")).one()
    assert (row.text, row.order) == ("Army dances", None)


def test_a_box_without_size_or_a_page_of_another_sheet_changes_nothing(desk: DeskSite) -> None:
    flat = {"left": 10, "top": 50, "right": 90, "bottom": 50}
    assert desk.post("/sheet/2/line", page=2, text="x", key="k", after=0, **flat).status_code == 400
    assert desk.post("/sheet/2/line", page=1, text="x", key="k", after=0).status_code == 404
    assert desk.post("/sheet/2/line", page=2, text="  ", key="k", after=0).status_code == 400
    with desk.store() as session:
        assert session.scalar(select(LineRow).where(LineRow.kind == "part")) is None


def test_the_original_file_comes_back_byte_for_byte_as_a_download(desk: DeskSite) -> None:
    answer = desk.client.get("/sheet/1/original/1")
    assert answer.content == photograph()
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert desk.client.get("/sheet/1/original/2").status_code == 404


def test_a_form_without_its_token_changes_nothing(desk: DeskSite) -> None:
    for form in ("choose", "leave", "line"):
        assert desk.client.post(f"/sheet/1/{form}", data={"why": WHY, "csrf": "wrong"}).status_code == 403
    assert executed(desk) == 2


@pytest.mark.parametrize("path", ["/sheet/1", "/sheets/7", "/sheet/1/page/1.jpg", "/sheet/1/original/1"])
def test_nothing_of_a_sheet_shows_without_signing_in(desk: DeskSite, path: str) -> None:
    desk.client.cookies.clear()
    assert desk.client.get(path).headers["location"] == "/sign-in"


def test_every_paper_of_a_phase_is_listed_with_what_became_of_it(desk: DeskSite) -> None:
    page_text = desk.text("/sheets/7")
    assert "✓ counts v2" in page_text
    assert "○ does not count v1" in page_text
    assert "Ormond Nothing received." in page_text
