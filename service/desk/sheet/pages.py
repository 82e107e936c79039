"""The Sheet page: a whole sheet with its lines framed, its versions, the choice of what is executed, a
missed line."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.orm import Session

from service.desk import page_data
from service.desk.queries import phase_view
from service.desk.reading import shape
from service.desk.sheet import picture as sheet_picture, view
from service.desk.sheet.picture import MARKS, turned
from service.facts.sheets import SheetFlag
from service.games import decisions
from service.games.acts.act import Act
from service.games.acts.lines import AddLine, TakeOrdersOver
from service.games.acts.sheets import (
    NO_SHEET,
    SEALED,
    ChooseSheet,
    ConfirmSheet,
    FiledSheet as ChangeableSheet,
    LeaveToRule,
    RefileSheet,
    RefuseSheet,
    TakeRefusalBack,
    filed_sheet,
    other_powers,
)
from service.games.approval.papers import refusal_of
from service.games.approval.right_sheet import open_questions
from service.games.decisions import KEY_LENGTH
from service.games.lines import SettledLine
from service.games.phases import phase_title
from service.games.refused import Refused
from service.games.seal import at_the_desk, sealed
from service.games.turns import NotReady
from service.notices.answers.files import every_file, files_of
from service.notices.results_facts import concerned
from service.store import records
from service.store.blobs import BlobError
from service.store.tables import (
    GameRow,
    LineRow,
    MailRow,
    PageRow,
    PhaseRow,
    PhaseState,
    SeatRow,
    SubmissionRow,
)
from service.web.access import COORDINATOR
from service.web.acting import performed, phase_row, refusal
from service.web.crops import NoPicture
from service.web.page import require_token, require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

log = logging.getLogger(__name__)
router = APIRouter(dependencies=[COORDINATOR])
SignedIn = Annotated[Visitor, Depends(require_visitor)]
Trusted = Annotated[Visitor, Depends(require_token)]
LEAST_BOX = 1.0
"""Least length of a side of a drawn box, in percent of the page."""


@dataclass(frozen=True, slots=True)
class FiledSheet:
    """A sheet with its phase and game."""

    submission: SubmissionRow
    phase: PhaseRow
    game: GameRow


@router.get("/sheets/{phase_id}")
def sheets(request: Request, visitor: SignedIn, phase_id: int, notice: str = "") -> Response:
    """Every sheet of a phase by power: counts and times only, so that it may be shown before the deadline."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        phase = phase_row(session, phase_id)
        game = session.get_one(GameRow, phase.game_id)
        powers = session.query(SeatRow.power).where(SeatRow.game_id == game.id).order_by(SeatRow.power)
        powers_shown = [
            (ports.power_name(game.variant, power), view.versions(session, phase, power))
            for (power,) in powers
        ]
        counts = phase_view(session, phase, game)
        owing = concerned(phase, ports.load(game.variant)) if phase.position else None
        return show(request, "sheets.html", visitor=visitor, notice=notice, phase=phase, game=game.name,
                    powers=powers_shown, owing=owing, phase_title=phase_title(phase), sealed=sealed(phase),
                    view=counts, quarantined={ports.power_name(game.variant, power)
                                              for power in counts.sheets.quarantined})


@router.get("/sheet/{submission_id}")
def sheet(
    request: Request, visitor: SignedIn, submission_id: int, against: int | None = None, notice: str = ""
) -> Response:
    """One sheet. `against`: the version it is compared with. `notice`: one of the page's own sentences."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        filed = _filed(session, submission_id)
        phase, submission = filed.phase, filed.submission
        power_versions = view.versions(session, phase, submission.power)
        values: dict[str, Any] = {
            "visitor": visitor, "phase": phase, "submission": submission, "game": filed.game.name,
            "notice": notice, "phase_title": phase_title(phase), "versions": power_versions,
            "version": next(version for version in power_versions if version.id == submission.id),
            "power": ports.power_name(filed.game.variant, submission.power),
            "pages": records.pages(session, submission.id),
            "proof": _proof(session, submission),
            "files": every_file(files_of(session, submission)),
        }
        # DESK-02: before the deadline the page has times and counts only.
        if sealed(phase):
            return show(request, "sheet_sealed.html", **values)
        lines = decisions.own_lines(session, submission.id)
        other = _other(power_versions, submission.id, against)
        rows = [] if other is None else view.differences(decisions.own_lines(session, other.id), lines)
        return show(
            request,
            "sheet.html",
            lines=view.numbered(session, submission.id),
            marks=MARKS,
            other=other,
            rows=rows,
            boxes=_boxes(ports, values["pages"], lines),
            open_to_change=at_the_desk(phase),
            key=secrets.token_urlsafe(16),
            others=[
                (power_id, ports.power_name(filed.game.variant, power_id))
                for power_id in other_powers(session, phase, submission)
            ],
            chosen=any(SheetFlag.CHOSEN in version.submission.flags for version in power_versions),
            sent=phase.state == PhaseState.SENT, refusal=refusal_of(submission.flags),
            questions=[question for question in open_questions(session, phase,
                       ports.load(filed.game.variant)) if question.submission == submission.id],
            fields=view.heading_fields(session, phase, submission, lines, ports.power_name),
            **values,
        )


def _proof(session: Session, submission: SubmissionRow) -> str:
    """Who proved the sender of its mail, in a sentence; "" for a letter and for older mails."""
    mail = None if submission.sha256 is None else session.get(MailRow, submission.sha256)
    return "" if mail is None or mail.proof is None else str(mail.proof["reason"])


@router.get("/sheet/{submission_id}/page/{page_id}.jpg")
def picture(request: Request, submission_id: int, page_id: int) -> Response:
    """A page with every line framed, once it is unsealed."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        page = _page(session, submission_id, page_id)
        if page.upright is None:
            raise HTTPException(404, ("This page could not be opened as a picture. Its original file can be "
                                      "downloaded."))
        lines = [(number, line) for number, line in view.numbered(session, submission_id)
                 if line.page_id == page_id]
        framed_picture = sheet_picture.framed(ports.blobs, page.upright, page.rotation, lines)
    return Response(framed_picture, media_type="image/jpeg")


@router.get("/sheet/{submission_id}/original/{page_id}")
def original(request: Request, submission_id: int, page_id: int) -> Response:
    """The file as it came, byte for byte, as a download only."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        key = _page(session, submission_id, page_id).original
    try:
        # SUB-15: the original bytes, unaltered; every picture elsewhere is derived from them.
        data = ports.blobs.read(key)
    except BlobError as fault:
        raise HTTPException(503, (f"This file cannot be downloaded: {fault}. Everything else is "
                                  f"safe.")) from fault
    return Response(data, media_type="application/octet-stream", headers={
        "Content-Disposition": f'attachment; filename="sheet-{submission_id}-{key[:12]}.bin"'})


@router.post("/sheet/{submission_id}/choose")
def choose(
    request: Request, visitor: Trusted, submission_id: int, why: Annotated[str, Form()] = ""
) -> Response:
    """Execute this version, with a logged reason."""
    return _carry_out(request, visitor, submission_id, ChooseSheet(submission_id, why), "chosen")


@router.post("/sheet/{submission_id}/refuse")
def refuse(
    request: Request, visitor: Trusted, submission_id: int, why: Annotated[str, Form()] = ""
) -> Response:
    """Refuse a sheet, with a reason that the results print (LET-01, LET-03)."""
    return _carry_out(request, visitor, submission_id, RefuseSheet(submission_id, why), "sheet-refused")


@router.post("/sheet/{submission_id}/unrefuse")
def take_refusal_back(request: Request, visitor: Trusted, submission_id: int) -> Response:
    """Take the refusal of a sheet back."""
    return _carry_out(request, visitor, submission_id, TakeRefusalBack(submission_id), "refusal-back")


@router.post("/sheet/{submission_id}/right")
def is_right(request: Request, visitor: Trusted, submission_id: int) -> Response:
    """Answer the question whether this is the right sheet with yes (LET-03)."""
    done = performed(request.app.state.ports, visitor, ConfirmSheet(submission_id), refused=400)
    phase_id = done.events[0].detail["phase_id"]
    return RedirectResponse(f"/results/{phase_id}?notice=right-sheet", status_code=303)


@router.post("/sheet/{submission_id}/leave")
def leave(
    request: Request, visitor: Trusted, submission_id: int, why: Annotated[str, Form()] = ""
) -> Response:
    """Let the rule of versions decide again."""
    return _carry_out(request, visitor, submission_id, LeaveToRule(submission_id, why), "left")


@router.post("/sheet/{submission_id}/refile")
def refile(request: Request, visitor: Trusted, submission_id: int, power: Annotated[str, Form()],
           why: Annotated[str, Form()] = "") -> Response:
    """File the sheet for another power of its sender, as its heading states (Q-07)."""
    return _carry_out(request, visitor, submission_id, RefileSheet(submission_id, power, why), "refiled")


@router.post("/sheet/{submission_id}/take-over")
def take_over(
    request: Request, visitor: Trusted, submission_id: int, other_id: Annotated[int, Form(alias="named")],
    key: Annotated[str, Form()], why: Annotated[str, Form()] = "",
) -> Response:
    """For a sheet that lists only changes: take the orders of the units it does not name over from the
    version that it names (Q-09)."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        _changeable(session, submission_id)
        page = records.pages(session, submission_id)[-1]
        lines = decisions.own_lines(session, submission_id)
        above = next((line for line in reversed(lines) if line.page_id == page.id), None)
        box = _box(ports, page, above, (None,) * 4)
    return _carry_out(request, visitor, submission_id,
                      TakeOrdersOver(submission_id, other_id, key, box, why), "taken-over")


@router.post("/sheet/{submission_id}/line")
def add_line(
    request: Request, visitor: Trusted, submission_id: int, page: Annotated[int, Form()],
    text: Annotated[str, Form()], key: Annotated[str, Form()], after: Annotated[int, Form()] = 0,
    left: Annotated[float | None, Form()] = None,
    top: Annotated[float | None, Form()] = None, right: Annotated[float | None, Form()] = None,
    bottom: Annotated[float | None, Form()] = None,
) -> Response:
    """Add a line that the machine missed: below the line with id `after` (0: at the top of the page). Its
    box is in percent of the page as shown; without a box it is the band below that line."""
    ports: DeskPorts = request.app.state.ports
    words = " ".join(text.split())[:500]
    if not words:
        raise HTTPException(400, "Nothing was changed: type the words of the line.")
    with ports.sessions() as session:
        filed = _changeable(session, submission_id)
        row = _page(session, submission_id, page)
        above = next((line for line in decisions.own_lines(session, submission_id) if line.id == after), None)
        # Its box is in other pixels; and the line went to the top of the page that was chosen, unasked.
        if above is not None and above.page_id != page:
            raise HTTPException(400, "Nothing was changed: that line is not on the page that you chose. "
                                     "Choose the page and a line of that page.")
        box = _box(ports, row, above, (left, top, right, bottom))
        typed = page_data.typed_line(session, filed.phase.id, ports.load, filed.row.power, words)
    act = AddLine(submission_id, page, key, box, -1 if above is None else above.ordinal, words, typed.order)
    return _carry_out(request, visitor, submission_id, act, "added" if typed.order else "added-as-written")


@router.post("/sheet/{submission_id}/box")
def fix_box(
    request: Request, visitor: Trusted, submission_id: int, line: Annotated[str, Form()],
    key: Annotated[str, Form()],
    left: Annotated[float, Form()], top: Annotated[float, Form()], right: Annotated[float, Form()],
    bottom: Annotated[float, Form()],
) -> Response:
    """Correct the box of a line, in percent of its page as shown. `line` is "ID VERSION", the version being
    the one that was shown."""
    ports: DeskPorts = request.app.state.ports
    line_id, _, version = line.partition(" ")
    with ports.sessions.begin() as session:
        filed = _changeable(session, submission_id)
        act = decisions.ReviewAction(key[:KEY_LENGTH], filed.phase.id, visitor.name, ports.clock.now())
        # The line in the form is gone after the first delivery, so a repeated form is answered before it is
        # looked for.
        if decisions.known(session, act.key):
            return _to_sheet(submission_id, "box-fixed")
        lines = {str(settled.id): settled for settled in decisions.own_lines(session, submission_id)}
        settled = lines.get(line_id)
        if settled is None:
            raise HTTPException(404, "Nothing was changed: this sheet has no such line now. Reload the page.")
        box = _box(ports, _page(session, submission_id, settled.page_id), None, (left, top, right, bottom))
        _checked(session, {settled.id: version}, visitor.name)
        new_id = shape.rebox(session, act, session.get_one(LineRow, settled.id), box)
        if new_id is not None:
            ports.actions.read_again(session, new_id)
    return _to_sheet(submission_id, "box-fixed")


def _boxes(
    ports: DeskPorts, pages: Sequence[PageRow], lines: Sequence[SettledLine]
) -> dict[int, tuple[float, ...]]:
    """The box of each line in percent of its page as shown, without lines of pages that have no picture."""
    boxes: dict[int, tuple[float, ...]] = {}
    for page in pages:
        if page.upright is None:
            continue
        try:
            size = sheet_picture.measure(ports.blobs, page.upright)
        except NoPicture:
            continue  # the page's own picture says so
        boxes |= {
            line.id: sheet_picture.percent(line.box, size, page.rotation)
            for line in lines
            if line.page_id == page.id
        }
    return boxes


def _checked(session: Session, versions: dict[int, str], me: str) -> None:
    try:
        decisions.check(session, versions, me)
    except decisions.Overtaken as fault:
        raise HTTPException(
            409,
            "Nothing was changed: another person decided this line after it was shown to you. Reload the "
            "page, and set the box if it is still wrong.",
        ) from fault


def _box(
    ports: DeskPorts, page: PageRow, above: SettledLine | None, percents: Sequence[float | None]
) -> list[list[float]]:
    """Four corners in pixels of the upright picture, clockwise from the top left of the writing."""
    if page.upright is None:
        return [[0, 0], [1, 0], [1, 1], [0, 1]]
    size = sheet_picture.measure(ports.blobs, page.upright)
    # Percents are of the page as shown; boxes are stored in pixels of the upright picture before it is
    # turned.
    shown_size = size if page.rotation % 180 == 0 else (size[1], size[0])
    if all(side is not None for side in percents):
        sides = [min(100.0, max(0.0, float(side or 0))) for side in percents]
        if sides[2] - sides[0] < LEAST_BOX or sides[3] - sides[1] < LEAST_BOX:
            raise HTTPException(
                400,
                "Nothing was changed: the box has no size. Left must be less than right, and top less than "
                "bottom, in percent of the page.",
            )
        left, top, right, bottom = (side / 100 * shown_size[index % 2] for index, side in enumerate(sides))
    else:
        left, top, right, bottom = _below(above, size, shown_size, page.rotation)
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return [
        [round(x, 1), round(y, 1)]
        for x, y in (turned(point, shown_size, -page.rotation) for point in corners)
    ]


def _below(
    above: SettledLine | None, size: tuple[int, int], shown_size: tuple[int, int], rotation: int
) -> tuple[float, float, float, float]:
    if above is None:
        # Without a line above: a band one twentieth of the page high at its top, with margins as wide.
        return (0.05 * shown_size[0], 0.0, 0.95 * shown_size[0], 0.05 * shown_size[1])
    xs, ys = zip(*(turned(point, size, rotation) for point in above.box), strict=True)
    high = max(ys) - min(ys)
    # Below the last line of a page at least half a line's height is left of the band.
    foot = min(max(ys), shown_size[1] - 0.5 * high)
    return (min(xs), foot, max(xs), min(float(shown_size[1]), foot + high))


def _other(power_versions: Sequence[view.Version], submission_id: int,
        against: int | None) -> view.Version | None:
    """The version a sheet is compared with: the requested one, else the executed one, else the latest other
    one."""
    rest = [version for version in power_versions if version.id != submission_id]
    # A version of another phase or power is not in the list, whatever the address requests.
    requested = [version for version in rest if version.id == against]
    counting = [version for version in rest if version.executed]
    return next(iter([*requested, *counting, *rest[::-1]]), None)


def _filed(session: Session, submission_id: int) -> FiledSheet:
    submission = session.get(SubmissionRow, submission_id)
    if submission is None:
        raise HTTPException(404, NO_SHEET)
    phase = session.get_one(PhaseRow, submission.phase_id)
    return FiledSheet(submission, phase, session.get_one(GameRow, phase.game_id))


def _changeable(session: Session, submission_id: int) -> ChangeableSheet:
    try:
        return filed_sheet(session, submission_id)
    except Refused as fault:
        raise refusal(fault) from fault


def _page(session: Session, submission_id: int, page_id: int) -> PageRow:
    if sealed(_filed(session, submission_id).phase):
        raise HTTPException(403, SEALED)
    page = session.get(PageRow, page_id)
    if page is None or page.submission_id != submission_id:
        raise HTTPException(404, NO_SHEET)
    return page


def _carry_out(
    request: Request, visitor: Visitor, submission_id: int, act: Act[Any], notice: str
) -> Response:
    """Perform an act on a sheet, judge its phase if nothing waits any more, and show the sheet."""
    ports: DeskPorts = request.app.state.ports
    performed(ports, visitor, act, refused=400)
    with ports.sessions() as session:
        phase_id = session.get_one(SubmissionRow, submission_id).phase_id
    _judge(ports, phase_id)
    return _to_sheet(submission_id, notice)


def _judge(ports: DeskPorts, phase_id: int) -> None:
    """Judge the phase if nothing waits any more. The act is committed, so a failure of the judge loses
    nothing."""
    try:
        ports.actions.judge_when_read(phase_id)
    except NotReady:
        return  # another person moved the phase on
    except Exception:
        log.exception("phase %s could not be judged", phase_id)


def _to_sheet(submission_id: int, notice: str) -> Response:
    return RedirectResponse(f"/sheet/{submission_id}?notice={notice}", status_code=303)
