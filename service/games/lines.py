"""A line and what people decided about it, as one value. Readings are never rewritten: a decision is filed
next to them.

If a game requests two readers, a line stays open until two people have decided alike
(`service.games.agreement`).

The number of each line of a sheet: one numbering for the desk, the receipt, the player's pages and the
sheet's own page, so that "line 5" is the same line wherever a person reads it.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.options import ReviewMode
from service.games.agreement import ReviewDecision, Stage, needs_two, say_the_same, stage, votes
from service.store.tables import LineRow, LineState, PageRow, PhaseRow, ReviewRow, SubmissionRow

HEADING, PART = "heading", "part"
"""Kinds of lines: what the machine takes for a part of the sheet's heading, and what a person cut out of
others."""
AGAIN = "again"
"""The mark of a reading that the machine made of a line after a person had cut it again."""


@dataclass(frozen=True, slots=True)
class SettledLine:
    """One line with its latest decision in place of its reading.

    `state` is the desk's word; `text` and `order` (canonical, or None) are the decision's where there is one,
    else the machine's. `by` names the person who decided, or None. `candidates` are the machine's as stored.
    `box` is four corners in pixels of the page's upright picture. `standing` are the decisions that are not
    undone, oldest first, `stage` how far two people are with a line that both must read; until they agree it
    is open and has the machine's text. `machine_text` and `machine_order` are what the machine read, whatever
    was decided. `why_open`: the machine's reasons for which a person must look, as words of
    `ocr.decoding.open_reasons`.
    """

    id: int
    page_id: int
    ordinal: int
    kind: str
    state: LineState
    text: str
    order: str | None
    by: str | None
    confidence: float
    struck: bool
    candidates: tuple[dict[str, Any], ...]
    box: tuple[tuple[float, float], ...]
    standing: tuple[ReviewDecision, ...] = ()
    stage: Stage = Stage.ONE
    machine_text: str = ""
    machine_order: str | None = None
    why_open: tuple[str, ...] = ()

    @property
    def needs_a_person(self) -> bool:
        """Whether it keeps its phase from being judged."""
        return self.state in {LineState.OPEN, LineState.SKIPPED}

    @property
    def votes(self) -> tuple[ReviewDecision, ...]:
        """The newest decision of each person who has read it, oldest first."""
        return votes(self.standing)

    @property
    def blind(self) -> bool:
        """Whether what one person decided must not be shown to another yet."""
        return self.stage in {Stage.FIRST, Stage.SECOND}

    def version(self, me: str = "") -> str:
        """The key of the newest standing decision that `me` may know of, or ""."""
        # While a line is read blind, the decision of another person must not change the version: a second
        # reader would read "overtaken" and so learn that a first one was quicker.
        known = [decision for decision in self.standing
                 if not self.blind or not me or decision.by == me or decision.state is LineState.OPEN]
        return known[-1].key if known else ""


def ranked_readings(candidates: Sequence[dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    """The readings of a line, best first, each with its number on file from 1."""
    # Of a line that was cut again, the readings of the new picture come first. Those from before are of other
    # ink, so their score is 0; they keep their numbers, by which decisions name them.
    numbered = list(enumerate(candidates, start=1))
    fresh = [(number, reading) for number, reading in numbered if AGAIN in reading]
    known = {reading["order"] or reading["text"] for _, reading in fresh}
    before = [
        (number, reading)
        for number, reading in numbered
        if AGAIN not in reading and (reading["order"] or reading["text"]) not in known
    ]
    if not fresh:
        return numbered
    return [*fresh, *((number, {**reading, "score": 0.0}) for number, reading in before)]


def shown_to(line: SettledLine, me: str) -> SettledLine:
    """The line as one of two readers sees it: their own decision while the other is awaited, else open."""
    # If the two differ, the one who did not decide last is asked again.
    if line.stage not in {Stage.FIRST, Stage.SECOND, Stage.DIFFERS}:
        return line
    own_decision = next((decision for decision in reversed(line.standing)
                         if decision.by == me and decision.state is not LineState.OPEN), None)
    if own_decision is None or (
        line.stage is Stage.DIFFERS and line.votes[-1].by != me
        and own_decision.state is not LineState.SKIPPED
    ):
        return replace(line, state=LineState.OPEN)
    return replace(line, state=own_decision.state, text=own_decision.text, order=own_decision.order, by=me)


def settle(line: LineRow, reviews: Iterable[ReviewRow], mode: ReviewMode = ReviewMode.NONE) -> SettledLine:
    """The line with its decisions: the newest that is not undone counts, or, if two people must agree, the
    newest that another person's agrees with."""
    return _settled(SettledLine(
        id=line.id, page_id=line.page_id, ordinal=line.ordinal, kind=line.kind, state=LineState(line.status),
        text=line.text, order=line.order, by=None, confidence=line.confidence, struck=line.struck,
        candidates=tuple(line.candidates), box=tuple((float(x), float(y)) for x, y in line.box),
        machine_text=line.text, machine_order=line.order, why_open=tuple(line.why_open or ())), reviews, mode)


def _settled(plain: SettledLine, reviews: Iterable[ReviewRow], mode: ReviewMode) -> SettledLine:
    standing = tuple(
        ReviewDecision(r.key, r.by, LineState(r.decision), r.text, r.order, r.settles)
        for r in sorted(reviews, key=lambda r: r.id) if r.undone_at is None
    )
    # Copied only if needed: for pages of many phases the copies cost more than everything else here.
    plain = replace(plain, standing=standing) if standing else plain
    if needs_two(mode, plain.state, standing):
        return _by_two(plain)
    return _decided(plain, standing[-1], standing[-1].by) if standing else plain


def _decided(line: SettledLine, decision: ReviewDecision, by: str) -> SettledLine:
    return replace(line, state=decision.state, text=decision.text, order=decision.order, by=by)


def _by_two(line: SettledLine) -> SettledLine:
    cast = votes(line.standing)
    review_stage = stage(cast)
    if review_stage is Stage.AGREED:
        readers = sorted({decision.by for decision in cast
                          if decision is cast[-1] or say_the_same(decision, cast[-1])})
        return replace(_decided(line, cast[-1], " and ".join(readers)), stage=review_stage)
    by = line.standing[-1].by if line.standing else None
    put_off = not cast and any(decision.state is LineState.SKIPPED for decision in line.standing)
    return replace(line, state=LineState.SKIPPED if put_off else LineState.OPEN, by=by, stage=review_stage)


def lines_of(session: Session, submission_ids: Sequence[int]) -> dict[int, list[SettledLine]]:
    """Every line of the given submissions, by submission, in the order of pages and rows."""
    lines_by_submission: dict[int, list[SettledLine]] = {key: [] for key in submission_ids}
    rows = session.execute(
        select(PageRow.submission_id, PhaseRow.review, LineRow)
        .join(LineRow, LineRow.page_id == PageRow.id)
        .join(SubmissionRow, SubmissionRow.id == PageRow.submission_id)
        .join(PhaseRow, PhaseRow.id == SubmissionRow.phase_id)
        .where(PageRow.submission_id.in_(submission_ids))
        .order_by(PageRow.submission_id, PageRow.ordinal, LineRow.ordinal)
    ).all()
    reviews = _reviews_of(session, submission_ids)
    for submission_id, review, line in rows:
        settled = settle(line, reviews.get(line.id, ()), ReviewMode(review))
        lines_by_submission[submission_id].append(settled)
    return lines_by_submission


def line_states_of(session: Session, submission_ids: Sequence[int]) -> dict[int, list[SettledLine]]:
    """The state of every line of the given submissions, by submission, to be counted: without texts, readings
    and boxes."""
    # Those are most of the bytes of a line. Counting like this, and loading no boards, took the front page
    # from 259 ms of processor time to 99, with 845 phases.
    lines_by_submission: dict[int, list[SettledLine]] = {key: [] for key in submission_ids}
    rows = session.execute(
        select(
            PageRow.submission_id,
            LineRow.id,
            LineRow.page_id,
            LineRow.ordinal,
            LineRow.kind,
            LineRow.status,
            LineRow.confidence,
            LineRow.struck,
        )
        .join(LineRow, LineRow.page_id == PageRow.id)
        .where(PageRow.submission_id.in_(submission_ids))
    ).all()
    modes = _modes(session, submission_ids)
    reviews = _reviews_of(session, submission_ids)
    for submission, line, page, ordinal, kind, status, confidence, struck in rows:
        plain = SettledLine(
            line, page, ordinal, kind, LineState(status), "", None, None, confidence, struck, (), ()
        )
        lines_by_submission[submission].append(_settled(plain, reviews.get(line, ()), modes[submission]))
    return lines_by_submission


def lines_by_id(session: Session, line_ids: Sequence[int]) -> dict[int, SettledLine]:
    """The lines with these ids, with their decisions."""
    rows = session.execute(
        select(PageRow.submission_id, LineRow)
        .join(LineRow, LineRow.page_id == PageRow.id)
        .where(LineRow.id.in_(line_ids))
    ).all()
    modes = _modes(session, list({submission for submission, _ in rows}))
    reviews = _reviews(session, line_ids)
    return {line.id: settle(line, reviews.get(line.id, []), modes[submission]) for submission, line in rows}


def _modes(session: Session, submission_ids: Sequence[int]) -> dict[int, ReviewMode]:
    rows = session.execute(
        select(SubmissionRow.id, PhaseRow.review).join(PhaseRow, PhaseRow.id == SubmissionRow.phase_id)
        .where(SubmissionRow.id.in_(submission_ids)))
    return {submission: ReviewMode(review) for submission, review in rows}


def _reviews(session: Session, line_ids: Sequence[int]) -> dict[int, list[ReviewRow]]:
    reviews: dict[int, list[ReviewRow]] = {}
    for review in session.scalars(select(ReviewRow).where(ReviewRow.line_id.in_(line_ids))):
        reviews.setdefault(review.line_id, []).append(review)
    return reviews


def _reviews_of(session: Session, submission_ids: Sequence[int]) -> dict[int, list[ReviewRow]]:
    """The decisions about lines of some submissions, by line."""
    # By submission: a statement with a number for each line costs more than what it finds.
    reviews: dict[int, list[ReviewRow]] = {}
    for review in session.scalars(
        select(ReviewRow)
        .join(LineRow, LineRow.id == ReviewRow.line_id)
        .join(PageRow, PageRow.id == LineRow.page_id)
        .where(PageRow.submission_id.in_(submission_ids))
    ):
        reviews.setdefault(review.line_id, []).append(review)
    return reviews


def line_numbers(lines: Sequence[SettledLine]) -> dict[int, str]:
    """The numbers of a sheet's lines by their ids. `lines`: every line of one sheet, in the order of pages
    and rows.

    The machine's lines are counted from 1, whatever was decided about them, and the heading is left out: no
    decision changes the number of a line, and the player counts the same on the paper. A line that a person
    added, or cut out of others, has the number of the line above it and a letter ("5a"), and so has a line of
    the heading that is an order after all. Lines without a number: the heading, and parts whose cut was taken
    back.
    """
    numbers: dict[int, str] = {}
    number = extra = 0
    for line in lines:
        if line.kind not in {PART, HEADING}:
            number, extra = number + 1, 0
            numbers[line.id] = str(number)
        elif line.by is not None if line.kind == PART else _is_order(line):
            letters = string.ascii_lowercase
            numbers[line.id] = f"{number}{letters[extra % len(letters)] * (extra // len(letters) + 1)}"
            extra += 1
    return numbers


def _is_order(line: SettledLine) -> bool:
    return line.needs_a_person or line.state is not LineState.NOT_ORDER
