"""The mails of a turn: delivered, and each named again once it is clear what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import select

from demo.mail_server import DemoMailServer
from demo.story import Story, StoryMail
from demo.teller import Teller
from demo.waiting import Patience, meanwhile
from reading.status import LineState
from service.clock import SimulatedClock
from service.store.engine import Store
from service.store.tables import LineRow, MailRow, MailState, PageRow, PhaseRow, SubmissionRow

ORDERS = "orders@galloper.example"

_ENDS = {
    MailState.REFUSED: "refused; its sender gets the reason",
    MailState.QUARANTINED: "set aside for the coordinator",
    MailState.IGNORED: "no orders and no question: not answered",
}


@dataclass(slots=True)
class Arrivals:
    """Delivers the mails of the story and shows what comes of each. `waiting`: by the instant of receipt,
    those of which nothing is known yet."""

    story: Story
    store: Store
    clock: SimulatedClock
    server: DemoMailServer
    teller: Teller
    patience: Patience
    waiting: dict[datetime, StoryMail] = field(default_factory=dict)

    def deliver(self, title: str, phase: PhaseRow) -> None:
        """Send the phase's mails, spread evenly between its opening and its deadline, and wait until each is
        judged and its sheet read."""
        mails = self.story.mails_of(title)
        # The hours before the first and after the last mail keep both away from the edges of the phase.
        begin = max(phase.opens_at, self.clock.now()) + timedelta(hours=3)
        step = (phase.deadline - begin - timedelta(hours=2)) / max(1, len(mails))
        for index, mail in enumerate(mails):
            received_at = (begin + index * step).replace(microsecond=0)
            self.clock.set(max(received_at, self.clock.now()))
            raw = mail.to_bytes(ORDERS, received_at)
            self.waiting[received_at] = mail
            meanwhile(self.teller, f"delivering mail {index + 1} of {len(mails)}",
                      partial(self.server.append, raw, received_at))
            self._tell_ends()
        self.patience.until("the sheets to be read", self._are_all_over, lambda: self._doing(len(mails)))

    def _doing(self, count: int) -> str:
        return f"reading the sheets: {count - len(self.waiting)} of {count} mails dealt with"

    def _are_all_over(self) -> bool:
        self._tell_ends()
        return not self.waiting

    def _tell_ends(self) -> None:
        """Say what came of each mail that is dealt with and not yet named."""
        with self.store() as session:
            rows = session.execute(
                select(MailRow, SubmissionRow)
                .outerjoin(SubmissionRow, SubmissionRow.sha256 == MailRow.sha256)
                .where(MailRow.received_at.in_(list(self.waiting)), MailRow.state != MailState.STORED)
                .order_by(MailRow.received_at)
            ).all()
            ends = []
            for mail_row, submission in rows:
                if submission is not None and submission.read_at is None:
                    continue
                states = () if submission is None else session.execute(
                    select(LineRow.kind, LineRow.status).join(PageRow, PageRow.id == LineRow.page_id)
                    .where(PageRow.submission_id == submission.id)
                ).all()
                lines = [(str(kind), str(status)) for kind, status in states]
                ends.append((mail_row.received_at, mail_row.state, lines))
        for received_at, state, lines in ends:
            mail = self.waiting.pop(received_at)
            end = _ENDS.get(MailState(state)) or _of_sheet(mail, lines)
            sender = mail.sender.partition("@")[0]
            self.teller.say(f"{received_at:%d %b %H:%M}  {sender}: “{mail.subject}”: {end}", indent=2,
                            hang=14)


def _of_sheet(mail: StoryMail, lines: list[tuple[str, str]]) -> str:
    orders = sum(kind == "order" for kind, _ in lines)
    doubtful = sum(status == LineState.OPEN for _, status in lines)
    if mail.files and not lines:
        return "no sheet in the photograph; its sender gets an answer"
    read = f"{'sheet' if mail.files else 'typed orders'} read, {orders} line{'' if orders == 1 else 's'}"
    sure = f"{doubtful} in doubt" if doubtful else "none in doubt"
    later = "; a later version will replace it" if mail.fate == "superseded" else ""
    return f"{read}, {sure}{later}"
