"""A line is read again in the box that a person corrected; the readings are offered, and a person decides
(DESK-03, Q-01)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sqlalchemy import select

import maps
from adjudicator.calendar import PhaseKind
from grammar.nearest_orders import nearest_orders
from ocr.engines.ppocr import default_engines
from ocr.page import Box, Photo, ReadLine, Strike
from ocr.read import read
from ocr.read_line import read_line
from reading.page import PageReader
from reading.vocabulary import forms_of, lexicon_of, vocabulary_of
from service.desk import queries
from service.games.lines import ranked_readings
from service.intake.sheets.reread_line import WORK, LineReader, best_of
from service.store.tables import LineRow, LineState, PhaseRow, PhaseState
from tests.support.desk_site import DeskSite

DRAWN = {"left": 5, "top": 30, "right": 90, "bottom": 40}


@dataclass
class ScriptedRecognizer:
    """A recognizer that reads prepared texts in any box, and remembers the boxes."""

    texts: tuple[str, ...]
    boxes: list[tuple[Box, int]] = field(default_factory=list)

    def recognize_line(self, upright: bytes, box: Box, rotation: int) -> tuple[ReadLine, ...]:
        # The page's picture, as JPEG: a recognizer learns nothing of the game.
        assert upright.startswith(b"\xff\xd8")
        self.boxes.append((box, rotation))
        return tuple(ReadLine(box, (), text, 0.99, Strike()) for text in self.texts)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskSite]:
    signed_in = DeskSite(tmp_path)
    signed_in.sign_in()
    yield signed_in
    signed_in.close()


def _reader(desk: DeskSite, *texts: str) -> tuple[LineReader, ScriptedRecognizer]:
    recognizer = ScriptedRecognizer(texts)
    return LineReader(desk.store, desk.blobs, recognizer, maps.load), recognizer


def _boxed(desk: DeskSite, line: int = 3, key: str = "box-1") -> int:
    """Set the box of a line; the id of the line that it became."""
    answer = desk.post("/sheet/1/box", line=f"{line} ", key=key, **DRAWN)
    assert answer.headers["location"] == "/sheet/1?notice=box-fixed"
    return desk.asked_again[-1]


def _offers(desk: DeskSite, line: int) -> list[tuple[str, str]]:
    """What each offer sends, and what it states about the box that was read."""
    page = desk.page(f"/desk/7?line={line}")
    return [(part.partition('"')[0], part.partition('class="like">')[2].partition("<")[0])
            for part in page.split('data-offer="')[1:]]


def test_a_box_set_right_is_read_anew_and_what_stands_in_it_is_offered_first(desk: DeskSite) -> None:
    line_id = _boxed(desk)
    assert "data-awaited" in desk.page(f"/desk/7?line={line_id}")
    reader, recognizer = _reader(desk, "Army Angus moves to Carham")
    reader.read({"line": line_id})
    # DRAWN is in hundredths of the picture, which has 900 x 700 pixels.
    assert recognizer.boxes == [(Box(((45, 210), (810, 210), (810, 280), (45, 280))), 0)]
    page = desk.page(f"/desk/7?line={line_id}")
    assert "data-awaited" not in page
    fresh, *rest = _offers(desk, line_id)
    assert fresh == ("reading-3", "read again, as the line is cut now")
    assert {source for _, source in rest} <= {"read again, as the line is cut now", "as it was cut before"}
    with desk.store() as session:
        order = [number for number, _ in ranked_readings(session.get_one(LineRow, line_id).candidates)]
        # The earlier readings come last, and keep their numbers.
        assert order == [*range(3, len(order) + 1), 1, 2]
        (work,) = [w for w in queries.work(session, session.get_one(PhaseRow, 7)) if w.line.id == line_id]
    # Only a person decides.
    assert work.line.state is LineState.OPEN


def test_a_reading_keeps_its_number_for_who_looked_at_the_line_before(desk: DeskSite) -> None:
    """Two people, or a person and the machine: what was pressed is what was seen."""
    line_id = _boxed(desk)
    before = desk.client.get("/desk/7/lines").json()["lines"]
    version = next(shown_line["version"] for shown_line in before if shown_line["id"] == line_id)
    _reader(desk, "Army Angus moves to Carham")[0].read({"line": line_id})
    assert desk.act("reading-1", line_id, seen=version)["saved"]
    # The first reading as it was shown before, and not the first of the new ones.
    assert desk.reviews()[-1].order == "A Eskdale H"
    desk.act("undo")
    assert desk.act("reading-3", line_id, seen=version)["saved"]
    assert "Carham" in str(desk.reviews()[-1].order)


def test_the_page_is_told_that_a_line_was_read_anew(desk: DeskSite) -> None:
    line_id = _boxed(desk)
    _reader(desk, "Army Angus moves to Carham")[0].read({"line": line_id})
    answer = desk.acts({"key": "of-another-line", "do": "not-order", "line": 4})
    assert answer["offers"][str(line_id)] == "reading-3  A Angus - Carham Castle"


def test_it_is_read_once_never_after_sending_and_undo_brings_the_old_line_back(desk: DeskSite) -> None:
    line_id = _boxed(desk)
    reader, recognizer = _reader(desk, "Army Angus moves to Carham")
    desk.change(7, state=PhaseState.SENT)
    reader.read({"line": line_id})
    assert recognizer.boxes == []
    desk.change(7, state=PhaseState.CLOSED)
    # A job that was interrupted runs again.
    for _ in range(2):
        reader.read({"line": line_id})
    with desk.store() as session:
        first = session.get_one(LineRow, line_id).candidates
    assert len(recognizer.boxes) == 1
    desk.act("undo")
    with desk.store() as session:
        assert {w.line.id for w in queries.work(session, session.get_one(PhaseRow, 7))} == {1, 2, 3, 4}
        assert session.get_one(LineRow, line_id).candidates == first
        assert len(session.get_one(LineRow, 3).candidates) == 2


def test_a_box_set_twice_is_read_twice(desk: DeskSite) -> None:
    line_id = _boxed(desk)
    _reader(desk, "Army Angus moves to Carham")[0].read({"line": line_id})
    with desk.store() as session:
        (version,) = [
            w.version for w in queries.work(session, session.get_one(PhaseRow, 7)) if w.line.id == line_id
        ]
    desk.post("/sheet/1/box", line=f"{line_id} {version}", key="box-2", **{**DRAWN, "top": 28})
    again = desk.asked_again[-1]
    assert again != line_id
    _reader(desk, "Army Angus holds")[0].read({"line": again})
    with desk.store() as session:
        numbered = ranked_readings(session.get_one(LineRow, again).candidates)
    assert "Angus" in str(numbered[0][1]["order"])
    assert str(numbered[0][1]["order"]).endswith("H")


def test_lines_joined_or_broken_are_read_anew_too(desk: DeskSite) -> None:
    desk.act("join", 3)
    joined = list(desk.asked_again)
    assert len(joined) == 1
    desk.act("break", joined[0], at=0.5)
    assert len(desk.asked_again) == 3


def test_where_the_machine_sees_nothing_what_was_read_before_is_offered(desk: DeskSite) -> None:
    line_id = _boxed(desk)
    _reader(desk)[0].read({"line": line_id})
    assert [do for do, _ in _offers(desk, line_id)] == ["reading-1", "reading-2"]


def test_it_is_read_by_words_alone_whatever_stands_on_the_board(desk: DeskSite) -> None:
    """NON-03: the candidates are what the grammar reads in those words."""
    words = "Army Angus moves to Carham"
    new_candidates = []
    # The same box reads the same with and without a position.
    positions: tuple[dict[str, object] | None, ...] = (None, {"units": []})
    for position in positions:
        desk.change(7, position=position)
        line_id = _boxed(desk, key=f"box {position}")
        _reader(desk, words)[0].read({"line": line_id})
        with desk.store() as session:
            candidates = session.get_one(LineRow, line_id).candidates
            new_candidates.append([candidate for candidate in candidates if "again" in candidate])
        desk.act("undo")
    assert new_candidates[0] == new_candidates[1]
    variant = maps.load("w3k")
    named = nearest_orders(
        words, lexicon=lexicon_of(variant), forms=forms_of(variant, PhaseKind.MOVEMENT), power=""
    ).candidates[0]
    assert len(new_candidates[0][0]["order"]) > 0
    assert named.orders


def test_the_likeliest_of_the_ways_to_take_rows_comes_first_and_each_order_once() -> None:
    likely, likelier, repeated = (
        {"text": order, "order": order, "score": score}
        for order, score in (("A", 0.4), ("B", 0.9), ("A", 0.2))
    )
    assert best_of([[likely], [likelier, repeated]]) == [likelier, likely]
    assert best_of([]) == []
    # Two readings that are not an order are two.
    words = [{"text": text, "order": None, "score": 0.5} for text in ("smear", "blot")]
    assert best_of([words]) == words


WHOLE = {
    "Army Middlesex to Kinsale": "A Middlesex - Kinsale",
    "Army Wicklow to Buckinghamshire": "A Wicklow - Buckinghamshire",
}
"""Two lines of the sheet s006 as its `truth.json` has them, as canonical orders."""


@pytest.mark.slow
def test_real_ink_in_a_box_that_was_cut_short_is_read_whole_once_the_box_is_right() -> None:
    """A box that cuts off the destination is corrected by hand: then the order is read from its ink."""
    data = Path("tests/data/sheets/s006.jpg").read_bytes()
    with Image.open(io.BytesIO(data)) as opened:
        picture = np.asarray(opened.convert("RGB"))
    (page,) = read(Photo(data, "s006.jpg"), default_engines()).pages
    variant = maps.load("w3k")
    reader = PageReader(vocabulary_of(variant, PhaseKind.MOVEMENT))
    for text, order in WHOLE.items():
        # The line whose words differ least from the text.
        line = min(page.lines, key=lambda read_line: _unlike(read_line.text, text))
        a, b, c, d = (np.array(corner) for corner in line.box.corners)
        # Shares of the line's width: 0.55 cuts the destination off, 1.03 has a little margin.
        for share, reads_all in ((0.55, False), (1.03, True)):
            box = _box(a, a + (b - a) * share, d + (c - d) * share, d)
            candidates = best_of(
                [
                    reader.read_line(alternative).candidates
                    for alternative in read_line(picture, box, page.rotation, default_engines())
                ]
            )
            assert (bool(candidates) and candidates[0]["order"] == order) is reads_all


def _box(*corners: np.ndarray) -> Box:
    a, b, c, d = ((float(x), float(y)) for x, y in corners)
    return Box((a, b, c, d))


def _unlike(left: str, right: str) -> int:
    return len(set(left.split()) ^ set(right.split()))


def test_a_box_on_bare_paper_is_no_line() -> None:
    blank = np.full((400, 800, 3), 245, dtype=np.uint8)
    assert read_line(blank, Box(((100, 100), (700, 100), (700, 150), (100, 150))), 0, default_engines()) == ()


def test_work_is_asked_for_under_a_key_of_its_own_in_the_act_itself(desk: DeskSite) -> None:
    """A box that was refused requests nothing."""
    # The name is stored with waiting jobs, so it may not change.
    assert WORK == "read line"
    desk.post("/sheet/1/box", line="99 ", key="no-such-line", **DRAWN)
    assert desk.asked_again == []
    with desk.store() as session:
        assert session.scalars(select(LineRow).where(LineRow.kind == "part")).all() == []
