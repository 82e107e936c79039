"""The inbox: everything that waits for a person, in one list. The front page, its filters and the number in
the bar of every page are made from it (DSK-01)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fastapi import Request
from sqlalchemy.orm import Session

from service.desk import queries
from service.desk.queries import PhaseView
from service.facts.inbox import InboxEntry, InboxKind, NextAct, Urgency
from service.facts.roles import Role
from service.facts.sheets import held_because
from service.feature import features
from service.games import mailbox_waits
from service.games.approval.papers import unsettled_papers
from service.intake import ignored_mails
from service.mail.sending import hold
from service.mail.sending.failed import failed_addresses
from service.operations import clock_check
from service.operations.findings import Finding
from service.store import records
from service.store.tables import MailboxWaitRow, MailRow, PhaseState, PlayerRow
from service.web.mail_games import is_within_mail
from service.web.ports import DeskPorts
from service.web.sessions import Visitor
from service.web.wording import count, reason

ELSEWHERE = frozenset({"Letters", "Clock", "Results"})
"""Parts of the site's health of which the inbox has its own entries."""
_AT_THE_DESK = (PhaseState.CLOSED, PhaseState.READY)
TO_HEALTH = NextAct("Look at Health", "/health")


@dataclass(frozen=True, slots=True)
class Inbox:
    """The entries for one person, the most urgent first, with the phases and findings that they are made of.

    `views`: the phases in play, the nearest deadline first, then those that open next.
    """

    entries: tuple[InboxEntry, ...]
    views: tuple[PhaseView, ...]
    findings: tuple[Finding, ...]

    def of(self, kind: str) -> tuple[InboxEntry, ...]:
        """The entries of one kind; all of them for ""."""
        return tuple(entry for entry in self.entries if not kind or entry.kind == kind)

    def counts(self) -> dict[InboxKind, int]:
        """How many entries each kind has."""
        return {kind: len(self.of(kind)) for kind in InboxKind}


def inbox_of(request: Request, visitor: Visitor) -> Inbox:
    """The inbox of the person of this request, made once for it."""
    cached: Inbox | None = getattr(request.state, "inbox", None)
    if cached is None:
        ports: DeskPorts = request.app.state.ports
        with ports.sessions() as session:
            cached = inbox(ports, session, visitor)
        request.state.inbox = cached
    return cached


def waiting_for(request: Request, visitor: Visitor) -> int:
    """How many entries wait for the person of this request: the number in the bar. An operator has no
    inbox."""
    return 0 if visitor.site_role == Role.OPERATOR else len(inbox_of(request, visitor).entries)


def inbox(ports: DeskPorts, session: Session, visitor: Visitor) -> Inbox:
    """Everything that waits for one person: a second reader has lines alone, and the site's troubles are for
    coordinators of the whole site."""
    coordinates = visitor.coordinates
    views = tuple(
        queries.with_names(view, ports.power_name)
        for view in (*queries.phases_now(session, visitor.sees),
                     *queries.phases_between(session, visitor.sees)))
    coordinated = [view for view in views if visitor.site_role != Role.SECOND_READER
                   and (coordinates is None or view.game.id in coordinates)]
    entries = [entry for view in views for entry in _lines(view)]
    findings: tuple[Finding, ...] = ()
    if coordinated or visitor.site_role == Role.COORDINATOR or coordinates:
        waits = {phase.id: wait for phase, wait in mailbox_waits.all_standing(session)}
        papers = {
            view.phase.id: unsettled_papers(session, view.phase, ports.load(view.game.variant))
            for view in coordinated if view.phase.state in _AT_THE_DESK}
        entries += [entry for view in coordinated
                    for entry in _of_phase(view, waits, len(papers.get(view.phase.id, ())))]
        blocking = {paper.mail for each in papers.values() for paper in each}
        entries += _mails(session, views, blocking, coordinates)
        entries += _ignored(session, coordinates)
        entries += _addresses(ports, session, coordinates)
        entries += [entry for feature in features() for entry in feature.inbox(session, coordinates)]
    if visitor.site_role == Role.COORDINATOR:
        findings = tuple(ports.checks.health())
        entries += _site(session, findings)
    return Inbox(tuple(sorted(entries, key=lambda entry: entry.rank)), views, findings)


def _about(view: PhaseView) -> str:
    return f"{view.game.name}, {view.title}"


def _lines(view: PhaseView) -> Iterator[InboxEntry]:
    phase, lines = view.phase, view.lines
    if phase.state not in _AT_THE_DESK or not lines.doubtful:
        return
    is_again = phase.state == PhaseState.READY
    noun = "line" if is_again else "doubtful line"
    parts = ["Before the results can be approved."] if is_again else []
    if lines.second:
        parts.append(f"{lines.second} {'waits' if lines.second == 1 else 'wait'} for a second reader.")
    if lines.differing:
        parts.append(f"{lines.differing} {'is' if lines.differing == 1 else 'are'} read differently by two "
                     "people.")
    yield InboxEntry(
        InboxKind.LINES, Urgency.RESULTS, f"Read {count(lines.doubtful, noun)}", _about(view),
        " ".join(parts), (NextAct("Read", f"/desk/{phase.id}"),),
        since=phase.deadline)


def _of_phase(
    view: PhaseView, waits: Mapping[int, MailboxWaitRow], papers: int
) -> Iterator[InboxEntry]:
    """Of one phase: a deadline that waits, a turn to judge, results to approve, sheets on hold. `papers`: how
    many keep its results from being approved."""
    phase, about = view.phase, _about(view)
    wait = waits.get(phase.id)
    if wait is not None and wait.waived_at is None:
        yield InboxEntry(
            InboxKind.RESULTS, Urgency.ALARM, "A deadline waits", about,
            f"{wait.why} It continues by itself after that.",
            (NextAct("Decide", f"/games/{view.game.id}"),), since=wait.since)
    if not view.lines.doubtful and phase.state == PhaseState.READY:
        yield InboxEntry(
            InboxKind.RESULTS, Urgency.RESULTS, "Approve the results", about,
            f"{count(papers, 'paper')} must be settled first; the page lists them." if papers else "",
            (NextAct("See the results", f"/results/{phase.id}"),), since=phase.deadline)
    is_read = not view.lines.doubtful and not view.sheets.unread
    if is_read and phase.state == PhaseState.CLOSED and view.beacon_round is None:
        yield InboxEntry(
            InboxKind.RESULTS, Urgency.RESULTS, "Judge the turn", about, "Every line is read.",
            (NextAct("To the desk", f"/desk/{phase.id}"),), since=phase.deadline)
    is_closed = phase.state in _AT_THE_DESK
    for held in view.sheets.held:
        yield InboxEntry(
            InboxKind.SHEETS, Urgency.RESULTS if is_closed else Urgency.ANSWER,
            f"A sheet of {held.power} is set aside", about, _sentence(held_because(list(held.flags))),
            (NextAct("Look at the sheet", f"/sheet/{held.submission}"),),
            due=None if is_closed else phase.deadline, since=held.received_at)


def _mails(
    session: Session, views: Sequence[PhaseView], blocking: Collection[str | None],
    coordinates: frozenset[str] | None,
) -> Iterator[InboxEntry]:
    """The mails that no rule could route. `blocking`: SHA-256 of those that keep results back; another that
    came for an open phase is due by its deadline."""
    sealed_phases = [view for view in views if view.phase.state == PhaseState.OPEN]
    for mail in queries.quarantine(session):
        if not is_within_mail(session, mail, coordinates):
            continue
        named = mail.verdict_fields.get("game")
        played = () if named or not mail.sender else records.games_of_senders(session, [mail.sender])
        due = next((view.phase.deadline for view in sealed_phases
                    if view.game.name == named or view.game.id in played), None)
        is_blocking = mail.sha256 in blocking
        yield InboxEntry(
            InboxKind.MAILS, Urgency.RESULTS if is_blocking else Urgency.ANSWER, _subject(mail),
            mail.sender or "sender unknown", _sentence(reason(mail.reason)),
            (NextAct("Decide", f"/quarantine/{mail.sha256}"),), due=None if is_blocking else due,
            since=mail.received_at, mail=mail.sha256)


def _ignored(session: Session, coordinates: frozenset[str] | None) -> Iterator[InboxEntry]:
    for row in ignored_mails.waiting(session):
        mail = session.get_one(MailRow, row.sha256)
        if not is_within_mail(session, mail, coordinates):
            continue
        player = session.get_one(PlayerRow, row.player_id)
        yield InboxEntry(
            InboxKind.IGNORED, Urgency.LOOK, row.subject or "(no subject)", f"{player.name}, {row.sender}",
            f"{_sentence(reason(row.reason))} It seems to have an attachment. Its sender is not proved, so "
            "it does not count.",
            (NextAct("Take back into the queue", f"/quarantine/{row.sha256}/queue", is_form=True),
             NextAct("Leave it", f"/quarantine/{row.sha256}/leave", is_form=True)),
            since=mail.received_at)


def _addresses(
    ports: DeskPorts, session: Session, coordinates: frozenset[str] | None
) -> Iterator[InboxEntry]:
    for failed in failed_addresses(session, coordinates, ports.load):
        letter = NextAct("See the letter" if failed.letters == 1 else "See the newest",
                         f"/letters/{failed.newest}")
        add = () if failed.game is None else (
            NextAct("Add an address", f"/games/{failed.game}?task=players#players"),)
        yield InboxEntry(
            InboxKind.ADDRESSES, Urgency.ANSWER, f"{failed.number} did not arrive", "",
            f"{failed.sentence} Ask the player for a new address in another way, add it, and send the "
            "letter again.", (*add, letter))


def _site(session: Session, findings: Sequence[Finding]) -> Iterator[InboxEntry]:
    warning = clock_check.standing_warning(session)
    if warning:
        yield InboxEntry(
            InboxKind.SITE, Urgency.ALARM, "Nothing is closed or judged now", "clock",
            f"{warning} Incoming mail is stored, and the mail server's stamps decide what is in time. Once "
            "the clock is correct, work continues by itself.", (TO_HEALTH,))
    held = hold.current_hold(session)
    if held is not None:
        yield InboxEntry(
            InboxKind.SITE, Urgency.ALARM, "Letters are held back", f"by {held.by}", held.why,
            (NextAct("Let them leave", "/health"),), since=held.at)
    for finding in findings:
        if finding.is_trouble and finding.name not in ELSEWHERE:
            yield InboxEntry(
                InboxKind.SITE, Urgency.ALARM, f"{finding.name} needs attention", "",
                f"{finding.sentence} {finding.advice}".strip(), (TO_HEALTH,))


def _subject(mail: MailRow) -> str:
    return str(mail.verdict_fields.get("subject") or "(no subject)")


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:].rstrip(".") + "."
