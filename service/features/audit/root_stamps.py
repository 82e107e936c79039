"""Has the root of each results letter stamped by an authority outside (RFC 3161, ADR 0025).

No deadline and no letter waits for it. An authority that does not answer is asked again at the next look.
"""

from __future__ import annotations

import base64
import logging
import secrets
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.clock import Clock
from service.config import Settings
from service.facts.events import Event
from service.features.audit import time_stamps
from service.features.audit.time_stamps import FalseStamp
from service.operations.findings import Finding, FindingState, ago, counted
from service.operations.health import Check, Observation
from service.record.references import RecordReference, root_mark
from service.store import records
from service.store.digests import plain
from service.store.engine import Store
from service.store.tables import EventRow, PhaseRow, PhaseState

log = logging.getLogger(__name__)
SECONDS = 60.0
"""Between two looks."""
MOST_AT_ONCE = 100
"""Stamps asked for in one look."""
WINDOW = timedelta(days=7)
"""Results that were sent longer ago are not stamped any more: a site that begins with stamps does not ask for
years of them."""
PATIENCE = 10.0
"""Seconds that an authority has to answer."""
LONGEST_WITHOUT = timedelta(days=1)
"""Results without a stamp for longer than this are a trouble."""
NAME, AUTHORITY = "Time stamps", "authority"
"""The check of the page Health, and the test of `galloper check`."""
NO_ANSWER = "The time-stamping authority gave no stamp"


StampSource = Callable[[bytes], bytes | None]
"""An authority: its answer to a TimeStampReq, not checked; None if it gives none."""


@dataclass(frozen=True, slots=True)
class HttpAuthority:
    """An authority that is asked by HTTP (RFC 3161, 3.4)."""

    address: str

    def __call__(self, question: bytes, /) -> bytes | None:
        """Its answer, as `StampSource` has it."""
        request = urllib.request.Request(  # noqa: S310 - the settings allow http and https alone
            self.address, question, {"Content-Type": "application/timestamp-query"})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
                return bytes(answer.read(time_stamps.MOST_BYTES + 1))
        except OSError as error:
            log.info("%s: %s", NO_ANSWER, type(error).__name__)
            return None


def lacking(session: Session, since: datetime) -> list[PhaseRow]:
    """Phases whose results were sent since then and have no stamp, the oldest first."""
    stamped = {(row.game_id, row.detail.get("phase_id")): row.at for row in session.scalars(
        select(EventRow).where(EventRow.what == Event.ROOT_STAMPED, EventRow.at > since)
        .order_by(EventRow.id))}
    sent = session.scalars(
        select(PhaseRow).where(PhaseRow.state == PhaseState.SENT, PhaseRow.sent_at > since)
        .order_by(PhaseRow.sent_at, PhaseRow.id))
    # Results that were taken back and sent again have another root.
    return [row for row in sent if row.sent_at is not None
            and stamped.get((row.game_id, row.id), since) < row.sent_at]


def check_root_stamps(observation: Observation) -> Finding:
    """Is the root of each results letter stamped, where any was of late?"""
    return stamp_finding(observation.session, observation.now)


def stamp_finding(session: Session, now: datetime) -> Finding:
    """The sentence about results that wait for a stamp. A site that never had one requests none."""
    last = session.scalar(select(func.max(EventRow.at)).where(EventRow.what == Event.ROOT_STAMPED))
    if last is None:
        return Finding(NAME, FindingState.WELL,
                       "No outside authority stamps the time of this site's results.")
    late = [row for row in lacking(session, now - WINDOW)
            if row.sent_at is not None and row.sent_at < now - LONGEST_WITHOUT]
    if not late:
        return Finding(NAME, FindingState.WELL, f"Last stamp {ago(now - last)}.")
    return Finding(
        NAME, FindingState.TROUBLE,
        f"{counted(len(late), 'result')} of the last week have no stamp. Last stamp {ago(now - last)}.",
        "The authority does not answer, or its stamps do not match the settings: run galloper check. The "
        "site tries every minute, for a week.", f"{now:%G-W%V}")


CHECK = Check(
    NAME, check_root_stamps,
    "until then these roots are proved by letters only, as on a site without an authority.")


@dataclass(frozen=True, slots=True)
class RootStamps:
    """Looks for results that were sent and whose root has no stamp yet. `authorities`: certificates as PEM
    that must vouch for the stamps, or "" to take what comes."""

    store: Store
    clock: Clock
    source: StampSource
    authorities: str = ""

    def look(self) -> int:
        """Have what lacks a stamp stamped; how many were."""
        stamped = 0
        with self.store() as session:
            waiting = self._waiting(session)
        for phase_id, mark in waiting:
            # An authority that is away is asked once in a look.
            if not self._stamp(phase_id, mark):
                break
            stamped += 1
        return stamped

    def _waiting(self, session: Session) -> list[tuple[int, RecordReference]]:
        waiting = lacking(session, self.clock.now() - WINDOW)[:MOST_AT_ONCE]
        marks = [(row.id, root_mark(session, row)) for row in waiting]
        return [(phase_id, mark) for phase_id, mark in marks if mark is not None]

    def _stamp(self, phase_id: int, mark: RecordReference) -> bool:
        question = time_stamps.question(mark.digest)
        reply = self.source(question.data)
        if reply is None:
            return False
        try:
            stamp = time_stamps.stamp_of(reply, mark.digest, question.nonce)
            vouched = not self.authorities or time_stamps.is_signed(reply, mark.digest, self.authorities)
        except FalseStamp as fault:
            log.warning("%s: %s", NO_ANSWER, fault)
            return False
        if not vouched:
            log.warning("%s: no certificate of the settings covers it", NO_ANSWER)
            return False
        with self.store.begin() as session:
            phase = session.get_one(PhaseRow, phase_id)
            records.log_event(session, self.clock.now(), Event.ROOT_STAMPED, game_id=phase.game_id, detail={
                "phase_id": phase_id, "phase": phase.ordinal, "entry": mark.number, "root": mark.digest,
                "time": plain(stamp.instant), "authority": stamp.authority,
                "reply": base64.b64encode(reply).decode()})
        return True


def check_authority(settings: Settings) -> Finding:
    """Have some random digits stamped. Nothing of the site is sent. Raises ConfigError for a file of
    certificates that cannot be read."""
    if not settings.stamp_authority:
        return Finding(AUTHORITY, FindingState.WELL, "no authority stamps the roots of results "
                                                     "(stamp_authority)")
    if not time_stamps.prepare():
        return Finding(AUTHORITY, FindingState.TROUBLE, 'stamp_authority needs another package: '
                                                   'pip install "galloper[stamps]"')
    path = settings.stamp_certificates
    certificates = time_stamps.certificates_in(Path(path)) if path else ""
    return _asked(settings.stamp_authority, path, certificates)


def _asked(address: str, path: str, certificates: str) -> Finding:
    root = secrets.token_hex(32)
    question = time_stamps.question(root)
    reply = HttpAuthority(address)(question.data)
    if reply is None:
        return Finding(AUTHORITY, FindingState.TROUBLE,
                       f"{address} gave no answer; letters and deadlines do not wait for it")
    try:
        stamp = time_stamps.stamp_of(reply, root, question.nonce)
    except time_stamps.FalseStamp as fault:
        return Finding(AUTHORITY, FindingState.TROUBLE, f"{address} gave no stamp: {fault}")
    name = stamp.authority or "an authority without a name"
    if not certificates:
        return Finding(AUTHORITY, FindingState.NOTE,
                       f"{name} stamps; no certificates to trust are set (stamp_certificates)")
    if not time_stamps.is_signed(reply, root, certificates):
        return Finding(AUTHORITY, FindingState.TROUBLE, f"the certificates in {path} do not cover the "
                                                        f"stamps of {name}")
    return Finding(AUTHORITY, FindingState.WELL, f"{name} stamps, and the certificates in {path} cover it")
