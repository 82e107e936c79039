"""Acts of the reading page, carried out the same for a form without script and for the page's script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import HTTPException
from sqlalchemy.orm import Session

from service.desk import page_data, queries
from service.desk.reading import shape
from service.games import decisions
from service.games.acts import act as games_act
from service.games.acts.lines import CloseDifferences, FileDecisions
from service.games.decisions import KEY_LENGTH, Decision, DecisionKind, ReviewAction
from service.store.tables import LineRow, LineState, PageRow, PhaseRow, SubmissionRow
from service.web.acting import or_refuse
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

_STATE_OF_ACT = {"not-order": LineState.NOT_ORDER, "skip": LineState.SKIPPED, "second": LineState.SKIPPED}
NO_READING = "This line has no such reading. Nothing was changed."
NO_WORDS = ("No words were typed. Nothing was changed: mark a line without an order “not an order”, and an "
            "illegible line “cannot be read”.")
NO_LINE = "There is no such line in this phase. Nothing was changed."
NOT_TWO = "Choose two different readings of a line, or none. Nothing was changed."
NO_BELOW = "There is no line below it on the same page to join it with. Nothing was changed."
NO_PLACE = "A line can be broken between two words, not at its end. Nothing was changed."


@dataclass(frozen=True, slots=True)
class ActRequest:
    """One request. `do`: reading-N, said, edit, not-order, void, close, skip, second, join, break, accept,
    undo, redo.

    `seen_version`: the version of the line that the person saw, None if the page did not say. `text`: what
    was typed. `kept_readings`: the two readings of a void line ("reading-2"). `cut_share`: where to break, as
    a share 0..1 of the crop's width. `others`: the lines of an accept (line, version, reading). `target`: the
    key of the act to undo or redo.
    """

    key: str
    do: str
    line: int = 0
    seen_version: str | None = None
    text: str = ""
    kept_readings: tuple[str, ...] = ()
    cut_share: float = 0.5
    others: tuple[tuple[int, str | None, str], ...] = ()
    target: str | None = None


@dataclass(frozen=True, slots=True)
class ActResult:
    """The result of a request: ids of the lines it changed, and why typed words are not an order, or ""."""

    lines: tuple[int, ...]
    complaint: str = ""


def carry_out(
    ports: DeskPorts, session: Session, phase: PhaseRow, visitor: Visitor, request: ActRequest
) -> ActResult:
    """Do what is asked, once per key. Raises HTTPException with a sentence for what the page does not offer,
    and `decisions.Overtaken` if the line was decided after it was shown."""
    act = ReviewAction(request.key[:KEY_LENGTH], phase.id, visitor.name, ports.clock.now())
    # A key that is known was delivered before: a browser repeats an act whose answer it never got.
    if decisions.known(session, act.key):
        return ActResult(())
    if request.do in {"undo", "redo"}:
        step = decisions.undo if request.do == "undo" else decisions.redo
        return ActResult(tuple(step(session, act, request.target)))
    if request.do == "accept":
        # One act for the whole list, so that one undo takes all of it back.
        return _accept(ports, session, visitor, act, request)
    row, power = line_of(session, phase.id, request.line)
    if request.do in {"join", "break"}:
        return _reshape(ports, session, act, request, row, power)
    versions = {} if request.seen_version is None else {row.id: request.seen_version}
    if request.do == "close":
        _perform(ports, session, visitor, CloseDifferences(phase.id, act.key, (row.id,), versions))
        return ActResult((row.id,))
    decision, complaint = _decision_of(ports, session, phase.id, power, row, request)
    kind = DecisionKind.ASK if request.do == "second" else DecisionKind.DECIDE
    _perform(ports, session, visitor, FileDecisions(phase.id, act.key, [decision], versions, kind))
    return ActResult((row.id,), complaint)


def _perform(ports: DeskPorts, session: Session, visitor: Visitor, act: games_act.Act[None]) -> None:
    or_refuse(lambda: games_act.perform(act, ports.act_table(session, visitor.name)), 400)


def line_of(session: Session, phase_id: int, line_id: int) -> tuple[LineRow, str]:
    """A line of this phase and the power whose sheet it is on. Raises 404 if there is none."""
    line = session.get(LineRow, line_id)
    page = None if line is None else session.get(PageRow, line.page_id)
    submission = None if page is None else session.get(SubmissionRow, page.submission_id)
    if line is None or submission is None or submission.phase_id != phase_id:
        raise HTTPException(404, NO_LINE)
    return line, submission.power


def _decision_of(
    ports: DeskPorts, session: Session, phase_id: int, power: str, row: LineRow, request: ActRequest
) -> tuple[Decision, str]:
    """A decision, and why its typed words are not an order, or "". Raises 400 with a sentence for what the
    page does not offer."""
    if request.do in _STATE_OF_ACT:
        return Decision(row.id, _STATE_OF_ACT[request.do], row.text), ""
    if request.do == "void":
        text = _two_readings(row, request.kept_readings) if request.kept_readings else row.text
        return Decision(row.id, LineState.VOID, text), ""
    if request.do in {"edit", "said"}:
        # Words that are not an order are stored as written: a legible non-order, and the unit holds (desk
        # plan, "Editing").
        words = " ".join(request.text.split())[:500]
        if not words:
            raise HTTPException(400, NO_WORDS)
        # Words left as a reading has them mean its order, also where two places share a name.
        unchanged = next((c["order"] for c in row.candidates if c["order"] and c["text"] == words), None)
        if unchanged is not None:
            return Decision(row.id, LineState.READ, words, unchanged), ""
        typed = page_data.typed_line(session, phase_id, ports.load, power, words)
        complaint = "" if typed.order else typed.complaint
        return Decision(row.id, LineState.READ, words, typed.order), complaint
    return Decision(row.id, LineState.READ, *_reading(row, request.do)), ""


def _reading(row: LineRow, do: str) -> tuple[str, str | None]:
    number = do.removeprefix("reading-")
    # isdecimal alone is also true of the digits of other scripts.
    plain = do.startswith("reading-") and number.isascii() and number.isdecimal() and len(number) < 3
    reading = decisions.from_candidate(row, int(number)) if plain else None
    if reading is None:
        raise HTTPException(400, NO_READING)
    return reading


def _two_readings(row: LineRow, choices: Sequence[str]) -> str:
    """Both readings of a line that is void because they are equally good, for the results to print (Q-01)."""
    # One reading ticked twice is one reading, and a void line needs two.
    texts = [_reading(row, do)[0] for do in dict.fromkeys(choices)]
    if len(texts) != 2:
        raise HTTPException(400, NOT_TWO)
    return "\n".join(texts)


def _accept(
    ports: DeskPorts, session: Session, visitor: Visitor, act: ReviewAction, request: ActRequest
) -> ActResult:
    accepted = [(line_of(session, act.phase_id, line)[0], version, do) for line, version,
        do in request.others]
    if not accepted:
        raise HTTPException(400, "No line was named. Nothing was changed.")
    filed = [Decision(row.id, LineState.READ, *_reading(row, do)) for row, _, do in accepted]
    version = {row.id: version for row, version, _ in accepted if version is not None}
    _perform(ports, session, visitor,
             FileDecisions(act.phase_id, act.key, filed, version, DecisionKind.ACCEPT))
    return ActResult(tuple(row.id for row, _, _ in accepted))


def _reshape(
    ports: DeskPorts, session: Session, act: ReviewAction, request: ActRequest, row: LineRow, power: str
) -> ActResult:
    def suggest(text: str) -> Sequence[dict[str, object]]:
        return page_data.suggested_readings(session, act.phase_id, ports.load, power, text)

    if request.seen_version is not None:
        # A line that a person decided meanwhile is not cut: their decision would disappear with the old line.
        decisions.check(session, {row.id: request.seen_version}, act.by)
    old: tuple[int, ...]
    new_ids: tuple[int, ...]
    if request.do == "join":
        below = _below(session, act.phase_id, row)
        joined = shape.join(session, act, row, below, suggest)
        old, new_ids = (row.id, below.id), () if joined is None else (joined,)
    else:
        try:
            old, new_ids = (row.id,), shape.split(session, act, row, request.cut_share, suggest) or ()
        except ValueError as error:
            raise HTTPException(400, NO_PLACE) from error
    for new_id in new_ids:
        # New lines have only the readings of the ink as it was cut before; a worker reads the new rectangle.
        ports.actions.read_again(session, new_id)
    return ActResult((*old, *new_ids))


def _below(session: Session, phase_id: int, row: LineRow) -> LineRow:
    """The next line on the page, as the desk lists it. Raises 400 if there is none."""
    lines = queries.work(session, session.get_one(PhaseRow, phase_id))
    # As the desk lists them: a line set aside by an earlier cut is not the neighbour.
    index = next((n for n, work in enumerate(lines) if work.line.id == row.id), len(lines))
    if index + 1 >= len(lines) or lines[index + 1].line.page_id != row.page_id:
        raise HTTPException(400, NO_BELOW)
    return session.get_one(LineRow, lines[index + 1].line.id)
