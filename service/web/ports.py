"""What the desk needs from the rest of the service, as one value handed in by `service.bootstrap`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy.orm import Session, sessionmaker

from reading.completions import Completions
from service.clock import Clock, SystemClock
from service.games.phase_summary import Aftermath
from service.games.phases import power_name
from service.games.results import ShownPower
from service.intake.postal_mail import PostalMail
from service.notices.quarantine import Quarantine
from service.operations.findings import Finding

if TYPE_CHECKING:
    from service.notices.broadcasts import Broadcasts
    from service.notices.dry_run import DryRun


class BlobReader(Protocol):
    """Where photographs and finished mails lie, by SHA-256."""

    def read(self, key: str) -> bytes:
        """The bytes; raises `service.store.blobs.BlobError` when they are missing or damaged."""
        ...

    def __hash__(self) -> int:
        """Two doors to the same place are equal, so that pictures cut from it may be kept."""
        ...


@dataclass(frozen=True, slots=True)
class Understood:
    """What a typed line means: canonical text, or a sentence that says why it means nothing."""

    order: str | None
    complaint: str = ""


def _no_suggestion(_session: Session, _phase: int, _power: str, _text: str) -> Sequence[dict[str, Any]]:
    return ()


def _no_words(_session: Session, _phase: int) -> Completions:
    return Completions()


def _not_again(_session: Session, _line: int) -> None:
    return None


@dataclass(frozen=True, slots=True)
class DeskPorts:
    """Doors of the desk.

    `understand(session, phase_id, power, text)` parses a typed line, by words alone. `settled(phase_id)` is
    called when the last doubtful line of a phase is decided and judges it; False says that something is still
    to be read. `suggest(session, phase_id, power, text)` gives readings of a misread text by words alone, as
    a line keeps them, and `words(session, phase_id)` the words that the edit box completes.
    `approve(phase_id, by)` sends what was judged, or raises `service.games.turns.NotReady`.
    `power_name(variant, power)` is the name people use. `shown(phase_id)` is what was judged, in words, and
    `aftermath(phase_id)` what that leaves behind. `map_pdf(game_id)` gives the current public map. `wall` is
    the clock by which people stay signed in, also where the game's clock is simulated. `title` heads every
    page; `base_url` is the address at which players reach the site. `quarantine` handles mails that no rule
    could route; without one they are only listed. `rehearse` makes dry runs of a deadline. `health()` looks
    at the parts of the site; `metrics()` gives them as numbers to whoever shows `metrics_token`, which is
    nobody while it is empty; `post` logs letters that came by post; `circulars` writes to all players of a
    game. Without it nobody is written to, and the pages say so. `read_again(session, line_id)` has the
    machine read a line that a person cut anew, once that transaction is committed.
    """

    sessions: sessionmaker[Session]
    blobs: BlobReader
    clock: Clock
    understand: Callable[[Session, int, str, str], Understood]
    settled: Callable[[int], object]
    approve: Callable[[int, str], None]
    shown: Callable[[int], Sequence[ShownPower]]
    map_pdf: Callable[[str], bytes | None]
    power_name: Callable[[str, str], str] = power_name
    suggest: Callable[[Session, int, str, str], Sequence[dict[str, Any]]] = _no_suggestion
    words: Callable[[Session, int], Completions] = _no_words
    quarantine: Quarantine | None = None
    rehearse: DryRun | None = None
    health: Callable[[], Sequence[Finding]] | None = None
    metrics: Callable[[], bytes] | None = None
    metrics_token: str = ""
    post: PostalMail | None = None
    circulars: Broadcasts | None = None
    read_again: Callable[[Session, int], None] = _not_again
    aftermath: Callable[[int], Aftermath] = lambda _phase: Aftermath()
    wall: Clock = field(default_factory=SystemClock)
    title: str = "Galloper"
    base_url: str = ""
    secure_cookies: bool = True
