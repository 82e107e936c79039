"""A dry run of a deadline: which sheets would be executed, what would be judged, which letters would leave to
whom.

Nothing leaves and nothing is written but one event with digests, by which the next rehearsal tells what
changed. Before the deadline a sealed phase is only counted (DESK-02, Q-14).
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from adjudicator.outcome import Resolution
from adjudicator.serialize import codec
from service.clock import Clock
from service.games.ballots import executed
from service.games.lines import lines_of
from service.games.results import ShownPower, show
from service.games.seal import sealed
from service.games.turns import NotReady, resolve_orders
from service.mail.compose import Attachment, OutLetter
from service.notices.replies import LetterContext
from service.notices.results import ResultsAnnouncer
from service.record.references import RecordReference, root_mark
from service.store import records
from service.store.tables import EventRow, GameRow, MailRow, MailState, PhaseRow, PhaseState, SubmissionRow

log = logging.getLogger(__name__)
WHAT = "phase_rehearsed"
REHEARSED = frozenset({PhaseState.OPEN, PhaseState.CLOSED, PhaseState.READY})
NO_LETTERS = ("the letters or their pictures could not be made. Nothing left and nothing is lost, but "
              "sending would fail the "
              "same way; tell the operator, whose log names the fault")


@dataclass(frozen=True, slots=True)
class DryRunSheet:
    """The sheet of one power that would be executed; None for one that has none. `waiting`: lines for a
    person."""

    power: str
    submission: int | None = None
    version: int | None = None
    received_at: datetime | None = None
    lines: int = 0
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Leaving:
    """One letter that would leave: its kind, whom it is for, its subject and the names of its attachments."""

    kind: str
    power: str
    recipient: str
    subject: str
    attached: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What a dry run found.

    `result` is the judged phase as canonical JSON, b"" while sealed. `obstacles` are sentences that say what
    would keep the real run from happening now, `changes` what differs from the rehearsal before, None for the
    first one. `receivers` counts addresses that results go to. `digest` is of everything else.
    """

    sealed: bool
    sheets: tuple[DryRunSheet, ...]
    receivers: int
    powers: tuple[ShownPower, ...] = ()
    letters: tuple[Leaving, ...] = ()
    obstacles: tuple[str, ...] = ()
    result: bytes = b""
    same_as_judged: bool | None = None
    digest: str = ""
    before: datetime | None = None
    changes: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Drawer(LetterContext):
    """A writer whose letters stay in a drawer."""

    drawer: list[OutLetter] = field(default_factory=list)

    def put(self, session: Session, letter: OutLetter, phase: PhaseRow | None = None) -> bool:
        self.drawer.append(letter)
        return True


@dataclass(frozen=True, slots=True)
class DryRun:
    """The dry run, with everything it needs: the very steps of the real one, and the writer of its
    letters."""

    store: sessionmaker[Session]
    clock: Clock
    writer: LetterContext

    def run(self, phase_id: int, by: str, *, drawing: bool = True) -> Rehearsal:
        """Rehearse a phase that is open, closed or judged. Raises NotReady for any other. Without `drawing`
        the pictures of the letters are only named: `picture` draws one when somebody looks at it."""
        with self.store() as session:
            phase = session.get_one(PhaseRow, phase_id)
            if phase.state not in REHEARSED:
                raise NotReady("only a phase that is open, closed or judged can be rehearsed")
            found, marks = self._dry_run(session, phase, drawing=drawing)
            last = last_rehearsal(session, phase)
        digest = _digest(json.dumps(marks, sort_keys=True))
        with self.store.begin() as session:
            records.log_event(session, self.clock.now(), WHAT, game_id=phase.game_id, actor=by,
                              detail={"phase_id": phase_id, "digest": digest, **marks})
        if last is None:
            return replace(found, digest=digest)
        return replace(found, digest=digest, before=last.at, changes=tuple(_changes(last.detail, marks)))

    def _dry_run(
        self, session: Session, phase: PhaseRow, *, drawing: bool
    ) -> tuple[Rehearsal, dict[str, Any]]:
        sheets = self._sheets(session, phase)
        addresses = records.addresses(session, phase.game_id)
        receivers = sum(len(own) for own in addresses.values())
        marks: dict[str, Any] = {
            "sealed": sealed(phase), "sheets": {one.power: [one.submission, one.version] for one in sheets}}
        plain = Rehearsal(
            sealed(phase), sheets, receivers, obstacles=tuple(_obstacles(session, phase, sheets))
        )
        if sealed(phase):
            return plain, marks
        try:
            resolution, _ = resolve_orders(session, phase, self.writer.load)
        except NotReady as why:
            return replace(plain, obstacles=(*plain.obstacles, f"{why}")), marks
        dumped = codec.dump_resolution(resolution)
        result, powers = canonical_bytes(dumped), self._powers(session, phase, resolution, sheets)
        letters, trouble = self._letters(session, phase, resolution, drawing=drawing)
        owners = {address: power for power, own in addresses.items() for address in own}
        root = root_mark(session, phase)
        marks |= {
            "result": hashlib.sha256(result).hexdigest(),
            "powers": {one.power: _digest(repr(one)) for one in powers},
            "letters": {(f"{one.kind} {owners.get(one.recipient, '')} "
                         f"{at}"): _digest(one.subject + _without_names(one, root))
                        for at, one in enumerate(letters)},
        }
        judged = None if phase.resolution is None else canonical_bytes(phase.resolution) == result
        return replace(
            plain, powers=powers, result=result, same_as_judged=judged,
            obstacles=(*plain.obstacles, *trouble),
            letters=tuple(Leaving(one.kind, owners.get(one.recipient, ""), one.recipient, one.subject,
                                  tuple(a.name for a in one.attachments)) for one in letters)), marks

    def picture(self, phase_id: int, name: str) -> list[Attachment]:
        """One file of the letters that would leave, drawn now. Empty where there is none of this name or the
        phase is sealed; NotReady where it cannot be drawn."""
        with self.store() as session:
            phase = session.get(PhaseRow, phase_id)
            if phase is None or phase.state not in REHEARSED or sealed(phase):
                return []
            resolution, _ = resolve_orders(session, phase, self.writer.load)
            return ResultsAnnouncer(self.writer).picture(session, phase, resolution, name)

    def _sheets(self, session: Session, phase: PhaseRow) -> tuple[DryRunSheet, ...]:
        chosen = executed(session, phase)
        lines = lines_of(session, list(chosen.values()))
        found = []
        for power in sorted(records.seats(session, phase.game_id)):
            key = chosen.get(power)
            if key is None:
                found.append(DryRunSheet(power))
                continue
            row = session.get_one(SubmissionRow, key)
            found.append(DryRunSheet(power, key, row.version, row.received_at, len(lines[key]),
                               sum(line.needs_a_person for line in lines[key])))
        return tuple(found)

    def _powers(
        self, session: Session, phase: PhaseRow, resolution: Resolution, sheets: Sequence[DryRunSheet]
    ) -> tuple[ShownPower, ...]:
        variant = self.writer.load(session.get_one(GameRow, phase.game_id).variant)
        chosen = {one.power: one.submission for one in sheets if one.submission is not None}
        lines = lines_of(session, list(chosen.values()))
        return show(variant, resolution, {power: lines[key] for power, key in chosen.items()})

    def _letters(
        self, session: Session, phase: PhaseRow, resolution: Resolution, *, drawing: bool
    ) -> tuple[list[OutLetter], tuple[str, ...]]:
        """Every letter of the results, rendered for real, and what kept them from being made."""
        writer = self.writer
        drawer = _Drawer(writer.blobs, writer.clock, writer.load, writer.sender)
        try:
            ResultsAnnouncer(drawer, drawing).prepare(session, phase, resolution)(session)
        except NotReady as why:
            return [], (f"{why}",)
        except Exception:
            log.exception("the letters of phase %s could not be rehearsed", phase.id)
            return [], (NO_LETTERS,)
        return drawer.drawer, ()


def last_rehearsal(session: Session, phase: PhaseRow) -> EventRow | None:
    """The newest rehearsal of a phase."""
    rows = session.scalars(select(EventRow).where(EventRow.what == WHAT, EventRow.game_id == phase.game_id)
                           .order_by(EventRow.id.desc()))
    return next((row for row in rows if row.detail.get("phase_id") == phase.id), None)


def canonical_bytes(value: Mapping[str, Any]) -> bytes:
    """One spelling of a JSON value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _obstacles(session: Session, phase: PhaseRow, sheets: Sequence[DryRunSheet]) -> list[str]:
    mails = session.scalar(select(func.count()).select_from(MailRow).where(
        MailRow.state == MailState.STORED, MailRow.received_at <= phase.deadline)) or 0
    unread = session.scalar(select(func.count()).select_from(SubmissionRow).where(
        SubmissionRow.phase_id == phase.id, SubmissionRow.read_at.is_(None))) or 0
    held = session.scalar(select(func.count()).select_from(SubmissionRow).where(
        SubmissionRow.phase_id == phase.id, SubmissionRow.fate == "held")) or 0
    waiting = sum(one.waiting for one in sheets)
    found = [
        (mails, "mails received in time are not judged yet"),
        (unread, "sheets are not read by the machine yet"),
        (held, "papers are set aside and do not count until you settle them"),
        (waiting, "lines wait for a person; until then they give no order"),
    ]
    return [f"{number} {words}" for number, words in found if number]


def _changes(last: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What differs between two rehearsals, in sentences; empty where nothing does."""
    found = []
    before, after = last.get("sheets", {}), now["sheets"]
    for power in sorted({*before, *after}):
        old, new = before.get(power, [None, None]), after.get(power, [None, None])
        if old != new:
            found.append(f"{power}: {_named(old)} before, {_named(new)} now")
    if last.get("sealed") != now["sealed"]:
        found.append("The seal is off now, so orders are compared from here on.")
        return found
    old_powers, new_powers = last.get("powers", {}), now.get("powers", {})
    found += [
        f"{power}: its orders or what becomes of them changed"
        for power in sorted({*old_powers, *new_powers})
        if old_powers.get(power) != new_powers.get(power)
    ]
    old_letters, new_letters = last.get("letters", {}), now.get("letters", {})
    changed = sum(old_letters.get(key) != new_letters.get(key) for key in {*old_letters, *new_letters})
    if changed:
        found.append(f"Letters that are new, gone or say something else: {changed}")
    if not found and last.get("result") != now.get("result"):
        found.append("The judged position changed")
    return found


def _named(sheet: Sequence[Any]) -> str:
    if sheet[0] is None:
        return "no sheet"
    return f"sheet {sheet[0]}" + ("" if sheet[1] is None else f", v{sheet[1]}")


def _without_names(letter: OutLetter, root: RecordReference | None) -> str:
    """The words of a letter without the names of its files, since how many pages the results have is known
    once they are drawn, and without what it tells of the record, whose root is known once the phase is
    judged."""
    names = ", ".join(one.name for one in letter.attachments)
    parts = letter.text.split("\n\n")
    told = {at for at, part in enumerate(parts) if root is not None and root.digest in part}
    # The paragraph before the digest says whose it is, the one behind it what it is good for.
    words = " ".join(
        " ".join(part for at, part in enumerate(parts) if not told & {at - 1, at, at + 1}).split()
    )
    return words.replace(names, "") if names else words


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
