"""A line and what people decided about it, as one value. Readings are never rewritten: a decision lies beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.store.tables import LineRow, LineState, PageRow, ReviewRow


@dataclass(frozen=True, slots=True)
class SettledLine:
    """One line with its latest decision laid over its reading.

    `state` is the desk's word; `text` and `order` (canonical, or None) are the decision's where there is one, else
    the eye's. `by` names the person who decided, or None. `candidates` are the eye's, best first. `box` is four
    corners in pixels of the page's upright picture.
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

    @property
    def needs_a_person(self) -> bool:
        return self.state in {LineState.OPEN, LineState.SKIPPED}


def settle(line: LineRow, reviews: Iterable[ReviewRow]) -> SettledLine:
    """The line as it now stands: the newest decision that is not undone counts."""
    standing = [r for r in reviews if r.undone_at is None]
    last = max(standing, key=lambda r: r.id, default=None)
    return SettledLine(
        id=line.id, page_id=line.page_id, ordinal=line.ordinal, kind=line.kind,
        state=LineState(line.status if last is None else last.decision),
        text=line.text if last is None else last.text,
        order=line.order if last is None else last.order,
        by=None if last is None else last.by,
        confidence=line.confidence, struck=line.struck,
        candidates=tuple(line.candidates),
        box=tuple((float(x), float(y)) for x, y in line.box),
    )


def lines_of(session: Session, submission_ids: Sequence[int]) -> dict[int, list[SettledLine]]:
    """Every line of the given submissions, by submission, in the order of pages and rows."""
    found: dict[int, list[SettledLine]] = {key: [] for key in submission_ids}
    rows = session.execute(
        select(PageRow.submission_id, LineRow)
        .join(LineRow, LineRow.page_id == PageRow.id)
        .where(PageRow.submission_id.in_(submission_ids))
        .order_by(PageRow.submission_id, PageRow.ordinal, LineRow.ordinal)
    ).all()
    reviews: dict[int, list[ReviewRow]] = {}
    ids = [line.id for _, line in rows]
    for review in session.scalars(select(ReviewRow).where(ReviewRow.line_id.in_(ids))):
        reviews.setdefault(review.line_id, []).append(review)
    for submission_id, line in rows:
        found[submission_id].append(settle(line, reviews.get(line.id, [])))
    return found
