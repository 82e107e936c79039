"""INK-05: a player's own hand is learnt from certain lines of that player's sheets, reads that player's
sheets alone, is named in the record, can be forgotten, and is off by a setting."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

import maps
from ocr.engines import finetuned
from ocr.engines.hand import Hand
from ocr.page import Reading, Status
from service.config import ReaderSettings
from service.feature import FeatureWork
from service.features.player_hand import FEATURE
from service.features.player_hand.hand import HandLearner, hand_of
from service.games import decisions
from service.games.acts.act import ActTable
from service.games.decisions import Decision, ReviewAction
from service.intake.sheets.read_submission import SubmissionReader
from service.intake.sheets.recognizer import LessonPage, RecognizedPage
from service.record import chain
from service.store.tables import (
    GameRow,
    HandRow,
    LineRow,
    LineState,
    PageRow,
    PhaseRow,
    PhaseState,
    PlayerRow,
    SubmissionRow,
)
from tests.support.desk_site import AFTER, NO_LOTS, PHASE, DeskSite
from tests.support.site import MemoryJobs


class NoLetters:
    """In place of the letters about a reading, which are tested elsewhere."""

    def unusable(self, *_: object) -> None: ...

    def held(self, *_: object) -> None: ...

    def read(self, *_: object) -> None: ...

    def unread(self, *_: object) -> None: ...


@dataclass
class Pupil:
    """A recognizer that remembers its lessons and with which hand it reads; no network is needed."""

    lessons: list[LessonPage] = field(default_factory=list)
    read_with: list[str | None] = field(default_factory=list)
    hand: Hand | None = None
    teacher: Pupil | None = None

    def learn(self, pages: Sequence[LessonPage]) -> Hand | None:
        self.lessons = list(pages)
        return Hand(json.dumps([page.texts for page in pages]).encode(), finetuned.SHA256)

    def with_hand(self, hand: Hand) -> Pupil:
        return Pupil(hand=hand, teacher=self)

    def recognize(self, data: bytes, name: str) -> tuple[RecognizedPage, ...]:
        (self.teacher or self).read_with.append(self.hand.digest if self.hand is not None else None)
        return (RecognizedPage(data, Reading(Status.UNUSABLE)),)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskSite]:
    """Montrose's sheet: one line surely read, two that a person decided; its results are sent."""
    site = DeskSite(tmp_path)
    with site.store.begin() as session:
        session.get_one(LineRow, 2).confidence = 0.99
        decisions.file(session, ReviewAction("act", PHASE, "Ada", AFTER), [
            Decision(3, LineState.READ, "Army Eskdale holds", "A Eskdale H"),
            Decision(4, LineState.VOID, "F Lyne Bay H", None),
        ])
        session.get_one(PhaseRow, PHASE).state = PhaseState.SENT
        session.add(PlayerRow(id=2, name="Flora"))
    yield site
    site.close()


def _learner(desk: DeskSite, pupil: Pupil) -> HandLearner:
    return HandLearner(desk.store, desk.blobs, desk.clock, pupil)


def _hands(desk: DeskSite) -> list[HandRow]:
    with desk.store() as session:
        return list(session.scalars(select(HandRow).order_by(HandRow.player_id, HandRow.version)))


def _next_sheet(desk: DeskSite, player: int, key: int = 50) -> int:
    """A sheet of a later phase that waits to be read, with the photograph of the first."""
    with desk.store.begin() as session:
        first = session.get_one(PageRow, 1)
        if session.get(PhaseRow, 8) is None:
            session.add(PhaseRow(
                id=8, game_id="powick-bridge", ordinal=2, year=1642, season="Autumn", kind="movement",
                opens_at=AFTER, deadline=AFTER + timedelta(days=9), state=PhaseState.OPEN, **NO_LOTS))
            session.flush()
        session.add(SubmissionRow(
            id=key, phase_id=8, power="Montrose", player_id=player, sender="x@players.example",
            received_at=AFTER + timedelta(days=key - 49), version=key, semantic_key=str(key)))
        session.flush()
        session.add(PageRow(submission_id=key, ordinal=0, original=first.original))
    return key


def _read(desk: DeskSite, pupil: Pupil, key: int) -> str | None:
    reader = SubmissionReader(
        store=desk.store, blobs=desk.blobs, clock=desk.clock, recognizer=pupil, load=maps.load,
        replies=NoLetters(), on_read=lambda _phase: None, hand_of=hand_of,
    )
    reader.read({"submission": key})
    with desk.store() as session:
        return session.get_one(SubmissionRow, key).hand


def test_what_is_certain_teaches_and_nothing_else(desk: DeskSite) -> None:
    pupil = Pupil()
    _learner(desk, pupil).learn({"player": 1, "phase": PHASE})
    (page,) = pupil.lessons
    # Line 1 is a heading, line 4 was void; line 2 is automatic beyond doubt and line 3 a person's.
    assert page.line_ids == (2, 3)
    assert page.texts == ("Army Merse moves to Carham", "Army Eskdale holds")
    assert page.upright == desk.blobs.read(_original(desk))
    (hand,) = _hands(desk)
    assert (hand.player_id, hand.version, hand.lines) == (1, 1, [2, 3])
    assert hand.digest == Hand(base64.b64decode(hand.layer or ""), hand.base).digest


def _original(desk: DeskSite) -> str:
    with desk.store() as session:
        return session.get_one(PageRow, 1).upright or ""


def test_a_line_that_the_machine_doubted_a_little_teaches_nothing(desk: DeskSite) -> None:
    with desk.store.begin() as session:
        session.get_one(LineRow, 2).confidence = 0.97
    pupil = Pupil()
    _learner(desk, pupil).learn({"player": 1, "phase": PHASE})
    assert [page.line_ids for page in pupil.lessons] == [(3,)]


def test_nothing_is_learnt_before_the_results_are_sent(desk: DeskSite) -> None:
    with desk.store.begin() as session:
        session.get_one(PhaseRow, PHASE).state = PhaseState.READY
    _learner(desk, Pupil()).learn({"player": 1, "phase": PHASE})
    assert _hands(desk) == []


def test_nothing_is_learnt_of_a_rehearsal(desk: DeskSite) -> None:
    with desk.store.begin() as session:
        game = session.get_one(GameRow, "powick-bridge")
        game.options = {**game.options, "start": "2027-03-01T07:00:00+00:00", "rehearsal_hours": 3}
    _learner(desk, Pupil()).learn({"player": 1, "phase": PHASE})
    assert _hands(desk) == []


def test_the_same_lines_make_no_second_version_and_new_ones_do(desk: DeskSite) -> None:
    learner = _learner(desk, Pupil())
    learner.learn({"player": 1, "phase": PHASE})
    learner.learn({"player": 1, "phase": PHASE})
    assert [hand.version for hand in _hands(desk)] == [1]
    with desk.store.begin() as session:
        decisions.file(session, ReviewAction("more", PHASE, "Ada", AFTER), [
            Decision(4, LineState.READ, "F Lyme Bay H", "F Lyme Bay H")])
    learner.learn({"player": 1, "phase": PHASE})
    assert [hand.version for hand in _hands(desk)] == [1, 2]


def test_the_players_next_sheet_is_read_with_it_and_the_record_names_it(desk: DeskSite) -> None:
    pupil = Pupil()
    _learner(desk, pupil).learn({"player": 1, "phase": PHASE})
    (hand,) = _hands(desk)
    assert _read(desk, pupil, _next_sheet(desk, 1)) == hand.digest
    assert pupil.read_with == [hand.digest]
    with desk.store() as session:
        entries = [json.loads(row.body)["tells"] for row in chain.entries(session, "powick-bridge")
                   if row.what == "reading"]
    assert [entry["hand"] for entry in entries if entry["sheet"] == 50] == [hand.digest]
    assert all("hand" not in entry for entry in entries if entry["sheet"] != 50)


def test_a_hand_never_reads_another_players_sheet(desk: DeskSite) -> None:
    """The power is the same; the person is not."""
    pupil = Pupil()
    _learner(desk, pupil).learn({"player": 1, "phase": PHASE})
    assert _read(desk, pupil, _next_sheet(desk, 2)) is None
    assert pupil.read_with == [None]
    # Nor does it teach another's.
    _learner(desk, pupil).learn({"player": 2, "phase": PHASE})
    assert {hand.player_id for hand in _hands(desk)} == {1}


def _work(desk: DeskSite, jobs: MemoryJobs, *, is_on: bool) -> FeatureWork:
    """What a site with this setting has of the feature."""
    site: Any = SimpleNamespace(
        store=desk.store, blobs=desk.blobs, clock=desk.clock, recognizer=Pupil(), jobs=jobs,
        settings=SimpleNamespace(reader=ReaderSettings(players_hands=is_on)))
    return FEATURE.work(site)


@pytest.mark.parametrize("is_on", [True, False])
def test_the_setting_turns_off_both_learning_and_reading(desk: DeskSite, is_on: bool) -> None:
    jobs = MemoryJobs()
    work = _work(desk, jobs, is_on=is_on)
    with desk.store.begin() as session:
        work.after_approval(session, PHASE)
    asked = [payload for _, _, payload in jobs.queue]
    assert asked == ([{"player": 1, "phase": PHASE}] if is_on else [])
    (kind,) = work.jobs
    kind.step({"player": 1, "phase": PHASE})
    assert len(_hands(desk)) == is_on
    _learner(desk, Pupil()).learn({"player": 1, "phase": PHASE})
    with desk.store() as session:
        assert (work.hand_of(session, 1) is not None) == is_on
        assert work.hand_of(session, 2) is None


def test_who_is_forgotten_has_no_hand(desk: DeskSite) -> None:
    _learner(desk, Pupil()).learn({"player": 1, "phase": PHASE})
    with desk.store.begin() as session:
        FEATURE.forget_player(ActTable(session, "Bess", AFTER), 1)
    (hand,) = _hands(desk)
    assert (hand.layer, hand.forgotten_by) == (None, "Bess")


def test_a_hand_of_an_older_network_reads_nothing(desk: DeskSite) -> None:
    pupil = Pupil()
    _learner(desk, pupil).learn({"player": 1, "phase": PHASE})
    with desk.store.begin() as session:
        session.scalars(select(HandRow)).one().base = "0" * 64
    assert _read(desk, pupil, _next_sheet(desk, 1)) is None


def test_a_forgotten_hand_is_gone_and_not_learnt_again_from_the_same_sheets(desk: DeskSite) -> None:
    pupil = Pupil()
    learner = _learner(desk, pupil)
    learner.learn({"player": 1, "phase": PHASE})
    desk.sign_in()
    page = desk.text("/hands")
    assert "James version 1, of 2 lines" in page
    assert "0 sheets read with it" in page
    assert desk.post("/hands/forget", player=1).headers["location"] == "/hands?notice=hand-forgotten"
    assert "No handwriting was learnt yet." in desk.text("/hands?notice=hand-forgotten")
    assert desk.post("/hands/forget", player=1).status_code == 404
    (hand,) = _hands(desk)
    assert (hand.layer, hand.forgotten_by) == (None, "Ada")
    learner.learn({"player": 1, "phase": PHASE})
    assert len(_hands(desk)) == 1
    assert _read(desk, pupil, _next_sheet(desk, 1)) is None


def test_a_recognizer_that_cannot_learn_changes_nothing(desk: DeskSite) -> None:
    class Plain:
        def recognize(self, data: bytes, name: str) -> tuple[RecognizedPage, ...]:
            return (RecognizedPage(data, Reading(Status.UNUSABLE)),)

    HandLearner(desk.store, desk.blobs, desk.clock, Plain()).learn({"player": 1, "phase": PHASE})
    assert _hands(desk) == []


def test_lines_lie_where_they_were_read(desk: DeskSite) -> None:
    pupil = Pupil()
    _learner(desk, pupil).learn({"player": 1, "phase": PHASE})
    boxes = np.array([box.corners for box in pupil.lessons[0].boxes])
    assert boxes[0].tolist() == [[50, 100], [800, 100], [800, 160], [50, 160]]
