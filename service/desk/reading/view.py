"""One line as the reading page shows it: its place, its crop, its readings. Nothing of the board."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ocr.decoding.open_reasons import PHRASES, SENTENCES
from service.desk import page_data
from service.desk.queries import WorkLine
from service.desk.reading import candidates
from service.desk.reading.candidates import ShownReading
from service.desk.reading.echo import Echo, echo
from service.desk.reading.ink import LEAST_COVERED, covered, letter_width
from service.desk.reading.shape import rows_among, size, written_rows
from service.games.agreement import ReviewDecision, Stage
from service.games.lines import AGAIN, PART, ranked_readings
from service.store.tables import LineRow, LineState, PageRow
from service.web import crops
from service.web.ports import DeskPorts

MAX_OFFERS = 5
"""Most readings on the page: one for each key from 1 to 5."""
INK_LEFT_OVER = ("Ink left over", "The best reading explains only part of the ink.")
NEW_CUT, OLD_CUT = "read again, as the line is cut now", "as it was cut before"
_TWO_READERS = (Stage.SECOND, Stage.DIFFERS)
SETTLED = frozenset({LineState.READ, LineState.VOID, LineState.NOT_ORDER, LineState.AUTO})


@dataclass(frozen=True, slots=True)
class ReadingOffer:
    """One reading that may be accepted. `do` is what a form sends for it. `like`: name of the line of this
    sheet that was read so before ("line 5"), or "". `cut` shows which cut a reading belongs to, for a line
    that was cut and read again."""

    do: str
    shown: ShownReading
    like: str = ""
    cut: str = ""


@dataclass(frozen=True, slots=True)
class LineCrop:
    """The picture of a line. `trouble`: why there is none, or "". `ratio`: its width over its height.
    `rows`: rows of writing in it."""

    trouble: str
    ratio: float
    rows: int

    @property
    def pieces(self) -> int:
        """Pieces of each written row on a narrow screen, if there are several rows."""
        return crops.pieces(self.ratio, self.rows)

    def height(self, fold: int) -> int:
        """The height of the crop, folded so (0: not at all), if it is shown 1,000 pixels wide."""
        return round(1000 / (crops.folded_ratio(self.ratio, self.rows, fold) if fold else self.ratio))

    @property
    def row(self) -> float:
        """Height of one of several written rows as shown, as a share of the whole crop's."""
        return crops.row_share(self.rows)


@dataclass(frozen=True, slots=True)
class SecondReading:
    """A line that two people read. `blind`: True for a second reader, who sees the readings in another order
    and nothing of the first reader's. `differing`: the decisions of two people who read it differently.
    `awaited`: this person's own decision awaits a second."""

    blind: bool
    differing: tuple[ReviewDecision, ...]
    awaited: bool


@dataclass(frozen=True, slots=True)
class LineView:
    """The data for one line's part of the page. `below`: id of the next line of the same page, which this
    one can be joined with, or None. `submission_id`: the sheet. `leaves_ink`: the best reading explains too
    little of the ink to be sure."""

    work: WorkLine
    power: str
    offers: tuple[ReadingOffer, ...]
    crop: LineCrop
    review: SecondReading
    below: int | None
    submission_id: int
    leaves_ink: bool = False

    @property
    def first(self) -> str:
        """The first offer as one text, as `first_of` gives it."""
        return first_of(self.offers)

    @property
    def reading_awaited(self) -> bool:
        """True while the machine may still read this line: a person has cut it, and no reading of the new
        cut is there yet."""
        is_unread_part = self.work.line.kind == PART and self.work.waits
        return is_unread_part and not any(offer.cut for offer in self.offers)

    @property
    def settled(self) -> bool:
        """True if a decision, the machine's or a person's, counts."""
        return self.work.line.state in SETTLED

    @property
    def why_open(self) -> tuple[tuple[str, str], ...]:
        """The reasons for which the machine asks a person to look, each as a phrase and a sentence, the most
        telling first; none once the line is settled, and none for a second reader."""
        if self.settled or self.review.blind:
            return ()
        left_over = [INK_LEFT_OVER] if self.leaves_ink else []
        return (*left_over, *((PHRASES[reason], SENTENCES[reason]) for reason in PHRASES
                              if reason.value in self.work.line.why_open))

    @property
    def void_readings(self) -> tuple[str, ...]:
        """The two readings of a line that is void because both are equally good."""
        readings = tuple(self.work.line.text.split("\n"))
        return readings if self.work.line.state is LineState.VOID and len(readings) == 2 else ()


def _ratio(box: Sequence[Sequence[float]]) -> float:
    """The width over height of a line's crop."""
    length, height = size(box)
    return (length + 2 * crops.MARGIN * height) / (height * (1 + 2 * crops.MARGIN))


def line_crops(session: Session, line_ids: Sequence[int]) -> dict[int, LineCrop]:
    """The shapes of lines' pictures by the lines' ids, for a page that keeps their places before they come.
    Two queries, whatever the number of lines."""
    chosen = session.execute(
        select(LineRow.id, LineRow.page_id, LineRow.box).where(LineRow.id.in_(line_ids))).all()
    boxes: dict[int, list[Sequence[Sequence[float]]]] = {}
    for page_id, box in session.execute(select(LineRow.page_id, LineRow.box).where(
            LineRow.page_id.in_({page_id for _, page_id, _ in chosen}), LineRow.kind != PART)):
        boxes.setdefault(page_id, []).append(box)
    return {key: LineCrop("", _ratio(box), rows_among(box, boxes.get(page_id, ())))
            for key, page_id, box in chosen}


def line_view(
    ports: DeskPorts, session: Session, phase_id: int, lines: Sequence[WorkLine], work: WorkLine, *,
    variant: str, me: str
) -> LineView:
    """A line with all data for its part of the page. `variant` is used for the power's name only."""
    index = lines.index(work)
    below = lines[index + 1] if index + 1 < len(lines) else None
    crop = LineCrop(picture_trouble(ports, session, work), _ratio(work.line.box),
                    written_rows(session, work.line.page_id, work.line.box))
    blind = is_second_reader(work, me)
    review = SecondReading(
        blind, work.line.votes if work.line.stage is Stage.DIFFERS else (),
        work.line.stage is Stage.SECOND and not blind,
    )
    return LineView(
        work, ports.power_name(variant, work.power),
        reading_offers(ports, session, phase_id, lines, work, me=me), crop, review,
        below.line.id if below is not None and below.line.page_id == work.line.page_id else None,
        session.get_one(PageRow, work.line.page_id).submission_id,
        min(ink_covered(lines, work)[:1], default=1.0) < LEAST_COVERED,
    )


def ink_covered(lines: Sequence[WorkLine], work: WorkLine) -> list[float]:
    """The share of the ink of a line that each of its readings explains, 0..1, by the width of the letters of
    the other lines of its page."""
    width = letter_width([(other.raw, other.line.box) for other in lines
                          if other.line.page_id == work.line.page_id and other.line.id != work.line.id])
    # In place of two readings with the same words a line keeps their orders, whose length is not the ink's.
    return [1.0 if candidate["text"] == candidate["order"]
            else covered(str(candidate["text"]), work.line.box, width)
            for _, candidate in ranked_readings(work.line.candidates)]


def is_second_reader(work: WorkLine, me: str) -> bool:
    """True if another person has read this line, or asked for a second reader, and this person has not read
    it."""
    if work.asked_by and work.asked_by != me:
        return True
    return work.line.stage is Stage.SECOND and all(vote.by != me for vote in work.line.votes)


def reading_offers(
    ports: DeskPorts, session: Session, phase_id: int, lines: Sequence[WorkLine], work: WorkLine, *, me: str
) -> tuple[ReadingOffer, ...]:
    """The readings of a line in the order they are offered, at most five."""
    placed = ranked_readings(work.line.candidates)
    # After a line was cut again, old and new readings are side by side, so each shows which cut it is from.
    was_recut = any(AGAIN in item for _, item in placed)
    plain = [
        ReadingOffer(
            f"reading-{n}", item, cut="" if not was_recut else NEW_CUT if AGAIN in candidate else OLD_CUT)
        for (n, candidate), item in zip(
            placed, candidates.shown(
                [candidate for _, candidate in placed], work.raw, ink_covered(lines, work)), strict=True)
    ]
    # Shuffled, so that the order shows nothing of the first decision (desk plan, "Two-person review").
    if is_second_reader(work, me):
        return tuple(sorted(plain[:MAX_OFFERS], key=lambda item: _shuffled(work.line.id, me, item.do)))
    echoed = echo(work, [other for other in lines if other.place.sheet == work.place.sheet],
                 lambda text: page_data.typed_line(session, phase_id, ports.load, work.power, text).order)
    return tuple(_with_echo(plain, echoed)[:MAX_OFFERS])


def picture_trouble(ports: DeskPorts, session: Session, work: WorkLine) -> str:
    """Why a line's crop cannot be shown, or "". Opens and caches the page's picture, since the browser asks
    for the crop a moment later."""
    page = session.get_one(PageRow, work.line.page_id)
    if page.upright is None:
        return "There is no picture of this line. Type the line from the sheet, or skip it."
    try:
        crops.opened(ports.blobs, page.upright)
    except crops.NoPicture as fault:
        return str(fault)
    return ""


def first_of(offered: Sequence[ReadingOffer]) -> str:
    """The first offer as one text, by which the script notices a change."""
    return f"{offered[0].do} {offered[0].like} {offered[0].shown.text}" if offered else ""


def index_entry(view: Sequence[ReadingOffer], work: WorkLine, power: str) -> dict[str, Any]:
    """One line for the page's script: its place and its best reading."""
    first = view[0] if view else None
    return {
        **state_entry(work), "power": power, "name": work.place.name, "number": work.place.number,
        "numbered": work.place.numbered, "sheet": work.place.sheet,
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
        "asked": work.asked_by,
        "carried": work.carried,
        "stage": line.stage.value if line.stage in _TWO_READERS else "",
        "both": [{"by": vote.by, "text": " or ".join(vote.readings)} for vote in line.votes]
        if line.stage is Stage.DIFFERS
        else [],
    }


def _with_echo(plain: list[ReadingOffer], echoed: Echo | None) -> list[ReadingOffer]:
    if echoed is None:
        return plain
    # A reading the machine has anyway moves to the first place and keeps its number, so keys stay true.
    first = next((offer for offer in plain if offer.do == f"reading-{echoed.number}"), None)
    if first is not None:
        return [replace(first, like=echoed.like), *(offer for offer in plain if offer is not first)]
    words = tuple((word, False) for word in echoed.text.split())
    return [
        ReadingOffer("said", ShownReading(echoed.text, words, echoed.order, plain[0].shown.share),
            echoed.like),
        *plain,
    ]


def _shuffled(line_id: int, me: str, do: str) -> str:
    """Sort key of a reading for a second reader: different for each line and person, the same at each
    visit."""
    return hashlib.sha256(f"{line_id} {me} {do}".encode()).hexdigest()
