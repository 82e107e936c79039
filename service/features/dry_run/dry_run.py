"""A dry run of a deadline: which sheets would be executed, what would be judged, which letters would leave to
whom.

Nothing is sent. Only one event with digests is written; the next dry run compares with it to show what
changed. Before the deadline the sheets of a sealed phase are only counted (DESK-02, Q-14).
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from adjudicator.outcome import Resolution
from adjudicator.serialize import codec
from maps.variant import Variant
from service.clock import Clock
from service.facts.events import Event
from service.games import lots
from service.games.acts.act import Act, ActTable, LoggedEvent, perform
from service.games.approval import papers, right_sheet
from service.games.ballots import executed
from service.games.lines import lines_of
from service.games.results import ShownPower, show
from service.games.seal import sealed
from service.games.turns import NotReady, resolve_orders
from service.mail.sending.compose import Attachment, OutLetter
from service.notices.letter_context import LetterContext
from service.notices.results import ResultsAnnouncer
from service.record.references import RecordReference, root_mark
from service.store import records
from service.store.tables import (
    EventRow,
    GameRow,
    LineState,
    MailRow,
    MailState,
    PhaseRow,
    PhaseState,
    SubmissionRow,
)


@dataclass(frozen=True, slots=True)
class NoteDryRun(Act[EventRow | None]):
    """Notes that a phase was rehearsed, with `digests` of what came out. The outcome is the event of the dry
    run before."""

    phase: int
    digests: Mapping[str, Any]

    def check(self, table: ActTable) -> None:
        """Refuse a phase that there is not. One that was sent meanwhile is noted: it was rehearsed."""
        table.any_phase(self.phase)

    def change(self, table: ActTable) -> EventRow | None:
        """Change nothing."""
        return last_rehearsal(table.session, table.any_phase(self.phase))

    def event(self, table: ActTable, outcome: EventRow | None, letters: int) -> LoggedEvent:
        """Counts and digests alone: an event must hold no order and no address."""
        game = table.any_phase(self.phase).game_id
        return LoggedEvent(Event.PHASE_REHEARSED, game, {"phase_id": self.phase, **self.digests})


def last_rehearsal(session: Session, phase: PhaseRow) -> EventRow | None:
    """The event of the newest dry run of a phase."""
    rows = session.scalars(select(EventRow).where(
        EventRow.what == Event.PHASE_REHEARSED, EventRow.game_id == phase.game_id
    ).order_by(EventRow.id.desc()))
    return next((row for row in rows if row.detail.get("phase_id") == phase.id), None)


log = logging.getLogger(__name__)
MAY_BE_REHEARSED = frozenset({PhaseState.OPEN, PhaseState.CLOSED, PhaseState.READY})
NO_LETTERS = ("the letters or their pictures could not be made. Nothing was sent or lost, but sending would "
              "fail the same way; report it to the operator, whose log names the fault")


@dataclass(frozen=True, slots=True)
class DryRunSheet:
    """The sheet of one power that would be executed; `submission` is None for a power without one. `waiting`
    counts the lines that a person must read."""

    power: str
    submission: int | None = None
    version: int | None = None
    received_at: datetime | None = None
    lines: int = 0
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Leaving:
    """One letter that would leave: its kind, its reader, its subject and the names of its attachments."""

    kind: str
    power: str
    recipient: str
    subject: str
    attached: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The outcome of a dry run.

    `result` is the judged phase as canonical JSON, b"" while sealed. `obstacles` are sentences that show what
    would stop the real run now; `changes` show what differs from the dry run before, None for the first one.
    `receivers` counts the addresses that results go to. `digest` is a SHA-256 over sheets, powers, letters
    and result. `same_as_judged` compares with the stored resolution, None if there is none. `invented_lots`:
    how many lots were drawn with numbers that have nothing of the real ones.
    """

    sealed: bool
    sheets: tuple[DryRunSheet, ...]
    receivers: int
    powers: tuple[ShownPower, ...] = ()
    letters: tuple[Leaving, ...] = ()
    obstacles: tuple[str, ...] = ()
    result: bytes = b""
    same_as_judged: bool | None = None
    invented_lots: int = 0
    digest: str = ""
    before: datetime | None = None
    changes: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Drawer(LetterContext):
    """A writer that keeps its letters in a list and sends none."""

    drawer: list[OutLetter] = field(default_factory=list)

    def put(self, session: Session, letter: OutLetter, phase: PhaseRow | None = None) -> bool:
        self.drawer.append(letter)
        return True

    def prepare(
        self, session: Session, letter: OutLetter, phase: PhaseRow | None = None
    ) -> Callable[[Session], object]:
        return lambda inside: self.put(inside, letter)


@dataclass(frozen=True, slots=True)
class DryRun:
    """The dry run, with everything it needs. It takes the same steps as the real run."""

    store: sessionmaker[Session]
    clock: Clock
    writer: LetterContext

    def run(self, phase_id: int, by: str, *, drawing: bool = True) -> Rehearsal:
        """Rehearse a phase that is open, closed or judged. Raises NotReady for any other. Without `drawing`
        the pictures of the letters are only named."""
        # Drawing ten sheets and the results took the whole request, so `picture` draws each file on demand.
        with self.store() as session:
            phase = session.get_one(PhaseRow, phase_id)
            if phase.state not in MAY_BE_REHEARSED:
                raise NotReady("only a phase that is open, closed or judged can be rehearsed")
            rehearsal, digests = self._dry_run(session, phase, drawing=drawing)
        digest = _digest(json.dumps(digests, sort_keys=True))
        with self.store.begin() as session:
            note = NoteDryRun(phase_id, {"digest": digest, **digests})
            last = perform(note, ActTable(session, by, self.clock.now())).outcome
        if last is None:
            return replace(rehearsal, digest=digest)
        changes = tuple(_changes(last.detail, digests))
        return replace(rehearsal, digest=digest, before=last.at, changes=changes)

    def _dry_run(
        self, session: Session, phase: PhaseRow, *, drawing: bool
    ) -> tuple[Rehearsal, dict[str, Any]]:
        sheets = self._sheets(session, phase)
        addresses = records.addresses(session, phase.game_id)
        # The event names powers instead of their addresses.
        owners = {address: power for power, theirs in addresses.items() for address in theirs}
        receivers = sum(map(len, addresses.values()))
        digests: dict[str, Any] = {
            "sealed": sealed(phase),
            "sheets": {sheet.power: [sheet.submission, sheet.version] for sheet in sheets},
        }
        variant = self.writer.load(session.get_one(GameRow, phase.game_id).variant)
        obstacles = tuple(_obstacles(session, phase, sheets, variant))
        unjudged = Rehearsal(sealed(phase), sheets, receivers, obstacles=obstacles)
        # A sealed phase is only counted: its orders stay unread until the deadline (DESK-02, Q-14).
        if sealed(phase):
            return unjudged, digests
        try:
            resolution, _ = resolve_orders(session, phase, self.writer.load)
        except NotReady as not_ready:
            return replace(unjudged, obstacles=(*obstacles, f"{not_ready}")), digests
        dumped = codec.dump_resolution(resolution)
        result, powers = canonical_bytes(dumped), self._powers(session, phase, resolution, sheets)
        letters, trouble = self._letters(session, phase, resolution, drawing=drawing)
        root = root_mark(session, phase)
        digests |= {
            "result": hashlib.sha256(result).hexdigest(),
            "powers": {shown_power.power: _digest(repr(shown_power)) for shown_power in powers},
            "letters": {
                f"{letter.kind} {owners.get(letter.recipient, '')} {index}": _digest(
                    letter.subject + _without_names(letter, root))
                for index, letter in enumerate(letters)
            },
        }
        judged = None if phase.resolution is None else canonical_bytes(phase.resolution) == result
        return replace(
            unjudged, powers=powers, result=result, same_as_judged=judged,
            invented_lots=resolution.lots_used if lots.are_invented(session, phase) else 0,
            obstacles=(*obstacles, *trouble),
            letters=tuple(
                Leaving(letter.kind, owners.get(letter.recipient, ""), letter.recipient, letter.subject,
                        tuple(attachment.name for attachment in letter.attachments))
                for letter in letters
            )), digests

    def picture(self, phase_id: int, name: str) -> list[Attachment]:
        """One file of the letters that would leave, drawn now. Empty if there is no file of this name or the
        phase is sealed. Raises NotReady if it cannot be drawn."""
        with self.store() as session:
            phase = session.get(PhaseRow, phase_id)
            if phase is None or phase.state not in MAY_BE_REHEARSED or sealed(phase):
                return []
            resolution, _ = resolve_orders(session, phase, self.writer.load)
            return ResultsAnnouncer(self.writer).picture(session, phase, resolution, name)

    def _sheets(self, session: Session, phase: PhaseRow) -> tuple[DryRunSheet, ...]:
        chosen = executed(session, phase)
        lines = lines_of(session, list(chosen.values()))
        sheets = []
        for power in sorted(records.seats(session, phase.game_id)):
            key = chosen.get(power)
            if key is None:
                sheets.append(DryRunSheet(power))
                continue
            row = session.get_one(SubmissionRow, key)
            waiting = sum(line.needs_a_person for line in lines[key])
            orders = sum(line.needs_a_person or line.state is not LineState.NOT_ORDER for line in lines[key])
            sheets.append(DryRunSheet(power, key, row.version, row.received_at, orders, waiting))
        return tuple(sheets)

    def _powers(
        self, session: Session, phase: PhaseRow, resolution: Resolution, sheets: Sequence[DryRunSheet]
    ) -> tuple[ShownPower, ...]:
        variant = self.writer.load(session.get_one(GameRow, phase.game_id).variant)
        chosen = {sheet.power: sheet.submission for sheet in sheets if sheet.submission is not None}
        lines = lines_of(session, list(chosen.values()))
        return show(variant, resolution, {power: lines[key] for power, key in chosen.items()},
                    papers.set_aside(session, phase, variant))

    def _letters(
        self, session: Session, phase: PhaseRow, resolution: Resolution, *, drawing: bool
    ) -> tuple[list[OutLetter], tuple[str, ...]]:
        """Every letter of the results, rendered for real, and the sentences that show why there is none."""
        writer = self.writer
        drawer = _Drawer(writer.blobs, writer.clock, writer.load, writer.sender, writer.kinds)
        try:
            ResultsAnnouncer(drawer, drawing).prepare(session, phase, resolution)(session)
        except NotReady as not_ready:
            return [], (f"{not_ready}",)
        # Whatever breaks a letter here would break the real run too, and the coordinator must know before it.
        except Exception:
            log.exception("the letters of phase %s could not be rehearsed", phase.id)
            return [], (NO_LETTERS,)
        return drawer.drawer, ()


def canonical_bytes(value: Mapping[str, Any]) -> bytes:
    """A JSON value in one spelling: sorted keys, no spaces, UTF-8."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _obstacles(
    session: Session, phase: PhaseRow, sheets: Sequence[DryRunSheet], variant: Variant
) -> list[str]:
    mails = session.scalar(select(func.count()).select_from(MailRow).where(
        MailRow.state == MailState.STORED, MailRow.received_at <= phase.deadline)) or 0
    unread = session.scalar(select(func.count()).select_from(SubmissionRow).where(
        SubmissionRow.phase_id == phase.id, SubmissionRow.read_at.is_(None))) or 0
    held = len(papers.unsettled_papers(session, phase, variant))
    waiting = sum(sheet.waiting for sheet in sheets)
    counts = [
        (mails, "mail received in time is not handled yet", "mails received in time are not handled yet"),
        (unread, "sheet is not read by the machine yet", "sheets are not read by the machine yet"),
        (held, "sheet is set aside; it must be used or refused before results can be sent",
         "sheets are set aside; each must be used or refused before results can be sent"),
        (waiting, "line waits for a person; until then it gives no order",
         "lines wait for a person; until then they give no order"),
    ]
    asked = [f"{variant.powers[question.power].name}: {question.sentence} Is this the right sheet?"
             for question in right_sheet.open_questions(session, phase, variant)]
    return [*(f"{number} {singular if number == 1 else plural}"
              for number, singular, plural in counts if number), *asked]


def _changes(last: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The differences between two dry runs, in sentences; empty if there are none."""
    changes = []
    before, after = last.get("sheets", {}), now["sheets"]
    for power in sorted({*before, *after}):
        old, new = before.get(power, [None, None]), after.get(power, [None, None])
        if old != new:
            changes.append(f"{power}: {_named(old)} before, {_named(new)} now")
    # A sealed dry run has no digests of orders and letters to compare with.
    if last.get("sealed") != now["sealed"]:
        changes.append("The sheets are unsealed now, so orders are compared from now on.")
        return changes
    old_powers, new_powers = last.get("powers", {}), now.get("powers", {})
    changes += [
        f"{power}: its orders or their outcomes changed"
        for power in sorted({*old_powers, *new_powers})
        if old_powers.get(power) != new_powers.get(power)
    ]
    old_letters, new_letters = last.get("letters", {}), now.get("letters", {})
    changed = sum(old_letters.get(key) != new_letters.get(key) for key in {*old_letters, *new_letters})
    if changed:
        changes.append(f"Letters that are new, gone or different: {changed}")
    if not changes and last.get("result") != now.get("result"):
        changes.append("The judged position changed")
    return changes


def _named(sheet: Sequence[Any]) -> str:
    if sheet[0] is None:
        return "no sheet"
    return f"sheet {sheet[0]}" + ("" if sheet[1] is None else f", v{sheet[1]}")


def _without_names(letter: OutLetter, root: RecordReference | None) -> str:
    """The text of a letter as one line, without the names of its files and without its paragraphs about the
    record's root."""
    # Both would be reported as changes: the number of pages is known only after drawing, the root only after
    # judging.
    names = ", ".join(file.name for file in letter.attachments if file.media_type != "application/json")
    parts = letter.text.split("\n\n")
    # The paragraph with the root in four words, and the next, which has what they are for; a later one may
    # name entries of the record, up to its number.
    about_root = {near for index, part in enumerate(parts)
                  if root is not None and root.words in " ".join(part.split()) for near in (index, index + 1)}
    about_entries = "" if root is None else f" {root.number}: "
    other_parts = [
        part for index, part in enumerate(parts)
        if index not in about_root
        and not (about_root and index > min(about_root) and about_entries in " ".join(part.split()))
    ]
    words = " ".join(" ".join(other_parts).split())
    return words.replace(names, "") if names else words


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
