"""All kinds of letters of the core, in the order of a game. A kind is declared next to what sends it; this is
the one place that puts them together. `service.bootstrap` adds those of features."""

from __future__ import annotations

from service.letters.kinds import AnyKind
from service.notices.announcements import ANNOUNCEMENT
from service.notices.answers.receipts import RECEIPT, RECEIPT_LATE
from service.notices.answers.replies import HELD, REJECTION
from service.notices.broadcasts import CORRECTION, DEADLINE_MOVED, WELCOME
from service.notices.coordinator_notices import COORDINATOR_NOTICE
from service.notices.ending import GAME_OVER
from service.notices.links import LINK
from service.notices.phase_letters.requests import ADJUSTMENT, RETREAT_REQUEST
from service.notices.postal_packs import POSTAL_PACK
from service.notices.reminders import REMINDER
from service.notices.results_facts import DRAFT_RESULTS, FINAL_RESULTS, YEAR_END_RESULTS

CORE: tuple[AnyKind, ...] = (
    RECEIPT, RECEIPT_LATE, REJECTION, HELD,
    COORDINATOR_NOTICE, REMINDER, DRAFT_RESULTS, RETREAT_REQUEST, FINAL_RESULTS, ADJUSTMENT, YEAR_END_RESULTS,
    POSTAL_PACK, DEADLINE_MOVED, GAME_OVER, CORRECTION, WELCOME, ANNOUNCEMENT, LINK,
)
