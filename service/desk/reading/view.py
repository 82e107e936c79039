"""One line as the reading page shows it: its place, its crop, its readings. Nothing of the board."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy.orm import Session

from service.desk import page_data
from service.desk.queries import WorkLine
from service.desk.reading import candidates
from service.desk.reading.candidates import ShownReading
from service.desk.reading.echo import Echo, echo
from service.desk.reading.shape import size, written_rows
from service.games.agreement import ReviewDecision, Stage
from service.games.decisions import PART
from service.games.lines import AGAIN, arranged
from service.store.tables import LineState, PageRow
from service.web import crops
from service.web.ports import DeskPorts

MOST = 5
"""Most readings on the page: one for each key from 1 to 5."""
NOW, BEFORE = "read again, as the line is cut now", "as it was cut before"
_HALF = (Stage.SECOND, Stage.DIFFERS)
SETTLED = frozenset({LineState.READ, LineState.VOID, LineState.NOT_ORDER, LineState.AUTO})


@dataclass(frozen=True, slots=True)
class Offer:
    """One reading that may be accepted. `do` is what a form sends for it. `like`: number of the line of this
    sheet that was read so before, or 0. `made` says which cut a reading belongs to, for a line that was cut
    and read again."""

    do: str
    shown: ShownReading
    like: int = 0
    made: str = ""


@dataclass(frozen=True, slots=True)
class LineView:
    """The data for one line's part of the page.

    `trouble`: why there is no picture, or "". `ratio`: the crop's width over its height. `rows`: rows of
    writing in it. `blind`: True for a second reader, who sees the readings in another order and nothing of
    the first reader's. `both`: the decisions of two people who read the line differently. `mine`: this
    person's own decision awaits a second. `below`: the next line of the same page, which this one can be
    joined with, or None. `paper`: the sheet's id.
    """

    work: WorkLine
    power: str
    offers: tuple[Offer, ...]
    trouble: str
    ratio: float
    blind: bool
    below: int | None
    both: tuple[ReviewDecision, ...] = ()
    mine: bool = False
    rows: int = 1
    paper: int = 0

    @property
    def pieces(self) -> int:
        """Pieces of each written row on a narrow screen, if there are several rows."""
        return crops.pieces(self.ratio, self.rows)

    @property
    def row(self) -> float:
        """Height of one of several written rows as shown, as a share of the whole crop's."""
        return crops.row_share(self.rows)

    @property
    def first(self) -> str:
        """The first offer as one text, as `first_of` gives it."""
        return first_of(self.offers)

    @property
    def awaited(self) -> bool:
        """True while the machine may still read this line: a person has cut it, and no reading of the new
        cut is there yet."""
        return (
            self.work.line.kind == PART and self.work.waits and not any(offer.made for offer in self.offers)
        )

    @property
    def settled(self) -> bool:
        """True if a decision, the machine's or a person's, counts."""
        return self.work.line.state in SETTLED

    @property
    def kept(self) -> tuple[str, ...]:
        """The two readings of a line that is void because both are equally good."""
        two = tuple(self.work.line.text.split("\n"))
        return two if self.work.line.state is LineState.VOID and len(two) == 2 else ()


def line_view(
    ports: DeskPorts, session: Session, phase_id: int, lines: Sequence[WorkLine], work: WorkLine, *,
    variant: str, me: str
) -> LineView:
    """A line with all data for its part of the page. `variant` is used for the power's name only."""
    index = lines.index(work)
    below = lines[index + 1] if index + 1 < len(lines) else None
    wide, high = size(work.line.box)
    awaits = work.line.stage is Stage.SECOND
    return LineView(
        work, ports.power_name(variant, work.power),
        offers(ports, session, phase_id, lines, work, me=me), picture_trouble(ports, session, work),
        (wide + 2 * crops.MARGIN * high) / (high * (1 + 2 * crops.MARGIN)), second(work, me),
        below.line.id if below is not None and below.line.page_id == work.line.page_id else None,
        work.line.votes if work.line.stage is Stage.DIFFERS else (), awaits and not second(work, me),
        written_rows(session, work.line.page_id, work.line.box),
        session.get_one(PageRow, work.line.page_id).submission_id,
    )


def second(work: WorkLine, me: str) -> bool:
    """True if somebody else has read this line, or asked for a second reader, and this person has not read
    it."""
    if work.asked and work.asked != me:
        return True
    return work.line.stage is Stage.SECOND and all(vote.by != me for vote in work.line.votes)


def offers(
    ports: DeskPorts, session: Session, phase_id: int, lines: Sequence[WorkLine], work: WorkLine, *, me: str
) -> tuple[Offer, ...]:
    """The readings of a line in the order they are offered, at most five."""
    placed = arranged(work.line.candidates)
    # After a line was cut again, old and new readings stand side by side, so each says which cut it is from.
    anew = any(AGAIN in item for _, item in placed)
    plain = [
        Offer(f"reading-{n}", item, made="" if not anew else NOW if AGAIN in candidate else BEFORE)
        for (n, candidate), item in zip(
            placed, candidates.shown([candidate for _, candidate in placed]), strict=True
        )
    ]
    if second(work, me):
        return tuple(sorted(plain[:MOST], key=lambda item: _shuffled(work.line.id, me, item.do)))
    echoed = echo(work, [w for w in lines if w.sheet == work.sheet],
                 lambda text: page_data.typed_line(session, phase_id, ports.load, work.power, text).order)
    return tuple(_with_echo(plain, echoed)[:MOST])


def picture_trouble(ports: DeskPorts, session: Session, work: WorkLine) -> str:
    """Why a line's crop cannot be shown, or "". Opens and caches the page's picture, since the browser asks
    for the crop a moment later."""
    page = session.get_one(PageRow, work.line.page_id)
    if page.upright is None:
        return "There is no picture of this line. Type what the sheet says, or skip it."
    try:
        crops.opened(ports.blobs, page.upright)
    except crops.NoPicture as fault:
        return str(fault)
    return ""


def first_of(offered: Sequence[Offer]) -> str:
    """The first offer as one text, by which the script notices a change."""
    return f"{offered[0].do} {offered[0].like} {offered[0].shown.text}" if offered else ""


def index_entry(view: Sequence[Offer], work: WorkLine, power: str) -> dict[str, Any]:
    """One line for the page's script: its place and its best reading."""
    first = view[0] if view else None
    return {
        **state_entry(work), "power": power, "number": work.number, "sheet": work.sheet,
        "page": work.line.page_id,
        "first": None if first is None else {
            "do": first.do, "text": first.shown.text, "order": first.shown.order, "sure": first.shown.sure,
            "share": round(first.shown.share, 3)},
    }


def state_entry(work: WorkLine) -> dict[str, Any]:
    """The state of one line: what changes while people read."""
    line = work.line
    return {
        "id": line.id,
        "state": line.state.value,
        "version": work.version,
        "text": line.text,
        "order": line.order,
        "by": line.by,
        "asked": work.asked,
        "carried": work.carried,
        "stage": line.stage.value if line.stage in _HALF else "",
        "both": [{"by": vote.by, "text": " or ".join(vote.kept)} for vote in line.votes]
        if line.stage is Stage.DIFFERS
        else [],
    }


def _with_echo(plain: list[Offer], echoed: Echo | None) -> list[Offer]:
    if echoed is None:
        return plain
    first = next((offer for offer in plain if offer.do == f"reading-{echoed.number}"), None)
    if first is not None:
        return [replace(first, like=echoed.like), *(offer for offer in plain if offer is not first)]
    words = tuple((word, False) for word in echoed.text.split())
    return [
        Offer("said", ShownReading(echoed.text, words, echoed.order, plain[0].shown.share), echoed.like),
        *plain,
    ]


def _shuffled(line_id: int, me: str, do: str) -> str:
    """Sort key of a reading for a second reader: different for each line and person, the same at each
    visit."""
    return hashlib.sha256(f"{line_id} {me} {do}".encode()).hexdigest()
