"""The pages that follow a turn: Desk and Results."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from adjudicator.serialize import codec
from service.desk import page_data, queries
from service.desk.page_data import grouped, totals
from service.desk.queries import PhaseView, WorkLine
from service.desk.reading import keys, late, view as reading_view
from service.desk.reading.view import ReadingOffer
from service.games.agreement import Stage
from service.games.approval.approve import LATE, time_to_answer
from service.games.approval.papers import unsettled_papers
from service.games.approval.right_sheet import open_questions
from service.games.phases import phase_title
from service.games.seal import sealed
from service.games.taken_back import differences, replaced
from service.notices.broadcasts import corrections
from service.notices.phase_letters.approval import is_drawing
from service.notices.results_facts import concerned, unsealing_note as unsealed
from service.store.tables import ApprovalRow, GameRow, LineState, PhaseRow, PhaseState, ReviewRow, UserRow
from service.web.access import COORDINATOR, READER
from service.web.acting import phase_row
from service.web.page import require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter()
SignedIn = Annotated[Visitor, Depends(require_visitor)]


@dataclass(frozen=True, slots=True)
class Done:
    """A decision in the list at the foot of the desk, with its line."""

    review: ReviewRow
    line: WorkLine


@router.get("/desk/{phase_id}", dependencies=[READER])
def desk(
    request: Request, visitor: SignedIn, phase_id: int, line: int | None = None, after: int | None = None,
    complained_line: Annotated[int | None, Query(alias="kept")] = None, notice: str = "",
) -> Response:
    """One line to read: its crop and its readings, and nothing of the board.

    `line` requests one line, `after` for the next open one after that line. `complained_line` is the id of
    a typed line whose complaint is shown; `notice` names one of the page's own sentences.
    """
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        phase, view, values = _phase_values(ports, session, phase_id)
        values |= {"visitor": visitor, "notice": notice}
        # Checked before any line is read from the tables (DESK-02).
        if sealed(phase):
            return show(request, "sealed.html", waiting=phase.state == PhaseState.WAITING, **values)
        lines = queries.work(session, phase, visitor.name)
        chosen = _chosen_line(phase, lines, line, after, visitor.name)
        values |= {"complaint": _complaint(ports, session, phase_id, lines, complained_line), "lines": lines,
                   "recent": _recent(session, lines, visitor.name), "counts": _counts(lines),
                   "unsealed": unsealed(phase),
                   "late": [] if phase.state == PhaseState.SENT else late.late_versions(session, phase),
                   "unusable": queries.unusable_pages(session, phase), "actions": keys.ACTIONS,
                   "keys": _keys(session, visitor), "name_of": partial(ports.power_name, view.game.variant),
                   "key": secrets.token_urlsafe(16)}
        if chosen is None:
            values |= _done_values(session, phase, lines, visitor.name)
            return show(request, "desk_done.html", **values)
        line_view = reading_view.line_view(
            ports, session, phase_id, lines, chosen, variant=view.game.variant, me=visitor.name)
        values |= _line_values(ports, session, phase_id, lines, chosen, visitor.name)
        return show(request, "desk.html", line=line_view, **values)


def _chosen_line(
    phase: PhaseRow, lines: Sequence[WorkLine], line_id: int | None, after: int | None, me: str
) -> WorkLine | None:
    """The line that was asked for, else the next open one; None if there is nothing to read."""
    # After the results are sent the page is for reading only.
    if phase.state == PhaseState.SENT:
        return None
    requested_line = next((work for work in lines if work.line.id == line_id), None)
    return requested_line or queries.next_open(lines, after, me)


def _done_values(session: Session, phase: PhaseRow, lines: Sequence[WorkLine], me: str) -> dict[str, Any]:
    """The desk's view when no line is left to read."""
    return {
        "stale": queries.changed_since_judged(session, phase, lines), "mode": phase.review,
        "waiting": sum(work.waits for work in lines), "mine": _count_read_by(lines, me),
        "differing": [work for work in lines if work.line.stage is Stage.DIFFERS],
    }


def _line_values(
    ports: DeskPorts, session: Session, phase_id: int, lines: Sequence[WorkLine], chosen: WorkLine, me: str
) -> dict[str, Any]:
    """The desk's view next to the line that is read."""
    others = [work for work in lines if work is not chosen]
    return {
        # The browser fetches its crop while this line is read: at most 100 ms from a decision to the next
        # line on the screen (desk plan, "Targets").
        "ahead": queries.next_open(others, _line_above(lines, chosen), me),
        "sure": _sure_lines(ports, session, phase_id, lines, chosen, me),
        "open_lines": sum(work.line.needs_a_person for work in lines),
        "written": page_data.words_to_complete(session, phase_id, ports.load).written,
    }


@router.get("/results/{phase_id}", dependencies=[COORDINATOR])
def results(request: Request, visitor: SignedIn, phase_id: int, notice: str = "") -> Response:
    """The judged orders, each with its sentence and its ink. The results are approved and sent from
    here."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        phase, _, values = _phase_values(ports, session, phase_id)
        # An open phase has a results page too; it states only that nothing is judged yet.
        lines = [] if sealed(phase) else queries.work(session, phase)
        open_lines = sum(work.line.needs_a_person for work in lines)
        stale = queries.changed_since_judged(session, phase, lines)
        values |= {"corrections": corrections(session, phase_id), "notice": notice}
        judged = phase.state in {PhaseState.READY, PhaseState.SENT}
        powers = page_data.judged_powers(session, phase_id, ports.load) if judged else ()
        values["after"] = page_data.aftermath(session, phase_id, ports.load) if judged else None
        values |= _in_the_way(ports, session, phase)
        values |= _instead_of(ports, session, phase)
        values["crops"] = reading_view.line_crops(session, [
            line_id for power in powers
            for line_id in (*(order.line_id for order in power.orders), *(line for line, _ in power.void))
            if line_id is not None])
    return show(
        request, "results.html", visitor=visitor, powers=[grouped(power) for power in powers],
        totals=totals(powers), open_lines=open_lines, stale=stale, **values,
    )


def _in_the_way(ports: DeskPorts, session: Session, phase: PhaseRow) -> dict[str, Any]:
    """Papers to settle before the results can be approved, and how far an approval is."""
    variant = ports.load(session.get_one(GameRow, phase.game_id).variant)
    ready = phase.state == PhaseState.READY
    now = ports.clock.now()
    papers = unsettled_papers(session, phase, variant) if ready else []
    return {
        "owing": concerned(phase, variant) if phase.position else None,
        "papers": [(variant.powers[paper.power].name, paper) for paper in papers],
        "questions": [(variant.powers[question.power].name, question)
                      for question in open_questions(session, phase, variant)],
        "late": late.late_versions(session, phase) if ready else [],
        "approval": session.get(ApprovalRow, phase.id), "drawing": is_drawing(session, phase),
        "name_of": partial(ports.power_name, variant.slug), "title_of": phase_title,
        "late_reason": LATE,
        "answer": time_to_answer(session, phase, ports.load, now) if ready and phase.resolution else None,
    }


def _instead_of(ports: DeskPorts, session: Session, phase: PhaseRow) -> dict[str, Any]:
    """The results that were taken back before these were judged, and what is different."""
    before = replaced(session, phase) if phase.state == PhaseState.READY else None
    if before is None or phase.resolution is None:
        return {"replaced": None}
    variant = ports.load(session.get_one(GameRow, phase.game_id).variant)
    now = codec.load_resolution(phase.resolution)
    return {"replaced": before, "differences": differences(variant, before.sent, now)}


def _phase_values(ports: DeskPorts, session: Session, phase_id: int) -> tuple[PhaseRow, PhaseView,
        dict[str, Any]]:
    """A phase, its counts, and the values that each of its pages shows. Raises 404 if there is none."""
    phase = phase_row(session, phase_id)
    view = queries.with_names(
        queries.phase_view(session, phase, session.get_one(GameRow, phase.game_id)), ports.power_name)
    return phase, view, {"phase": phase, "view": view, "game": view.game.name, "phase_title": view.title}


def _sure_lines(
    ports: DeskPorts, session: Session, phase_id: int, lines: Sequence[WorkLine], chosen: WorkLine, me: str
) -> list[tuple[WorkLine, ReadingOffer]]:
    """Open lines of this sheet whose best reading is sure, each with that reading: one key may accept them
    together."""
    # The second reader of a line gets its readings in shuffled order, so there is no best one to accept.
    undecided = [
        work for work in lines
        if work.place.sheet == chosen.place.sheet and work.line.state is LineState.OPEN
        and not work.asked_by and work.line.stage is not Stage.SECOND]
    offered = []
    for work in undecided:
        first = next(iter(reading_view.reading_offers(ports, session, phase_id, lines, work, me=me)), None)
        if first is not None and first.shown.sure == "sure" and first.do != "said" and first.shown.order:
            offered.append((work, first))
    return offered


def _keys(session: Session, visitor: Visitor) -> dict[str, str]:
    return keys.keys_of(session.get_one(UserRow, visitor.name).keys)


def _complaint(
    ports: DeskPorts, session: Session, phase_id: int, lines: Sequence[WorkLine], line_id: int | None
) -> str:
    """Why the words typed for a line are not an order; "" if they are one, or if nothing was typed there."""
    work = next((work for work in lines if work.line.id == line_id), None)
    # The id comes from the address, and another person may have decided the line since.
    if work is None or work.line.state is not LineState.READ or work.line.order is not None:
        return ""
    return page_data.typed_line(session, phase_id, ports.load, work.power, work.line.text).complaint


def _recent(session: Session, lines: Sequence[WorkLine], me: str) -> list[Done]:
    known = {work.line.id: work for work in lines}
    return [Done(review, known[review.line_id]) for review in queries.last_reviews(session, lines, me)]


def _line_above(lines: Sequence[WorkLine], chosen: WorkLine) -> int | None:
    """The id of the line above the chosen one, from which the search for the next open line starts."""
    return lines[chosen.place.index - 1].line.id if chosen.place.index else None


def _count_read_by(lines: Sequence[WorkLine], me: str) -> int:
    """Number of lines that count as this person read them, alone or together with another reader."""
    return sum(
        work.line.state is LineState.READ and me in {work.line.by, *(work.line.by or "").split(" and ")}
        for work in lines)


def _counts(lines: Sequence[WorkLine]) -> dict[str, int]:
    states = [work.line.state for work in lines]
    return {state.value: states.count(state) for state in LineState}
