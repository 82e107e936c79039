"""One mail, one verdict. Pure: the mail, its receipt time, what is known, and the mails before it go in.

The tests run in one fixed order and the first that fails names the reason: machines, bad_from,
authentication, duplicates, subject, names, sender, phase, time, photographs. So nothing a mail says is acted
on, and nobody is written to, before it is authenticated. Duplicates are looked for with the fresh judgement
at hand: a mail that was refused once for a reason that has passed (its phase was not open yet) is no repeat
when it comes again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from adjudicator.calendar import Phase, PhaseKind
from grammar.headings.subject import parse_subject
from grammar.headings.tokens import clean_line, drop_prefixes
from grammar.headings.values import Heading, HeadingComplaint
from service.intake.context import GameContext, IntakeContext
from service.intake.verdict import EarlierMail, Note, RefusalReason, Verdict, VerdictKind
from service.mail.authentication import AuthResult, authenticate
from service.mail.image_types import PictureState
from service.mail.message import IncomingMail
from service.mail.reports import ReportKind

MOST_PHOTOS = 20
MOST_BYTES = 25 * 1024 * 1024
"""Bytes of all photographs of a mail together, as files, before the transfer encoding."""
_NOT_KEPT = {RefusalReason.BAD_FROM, RefusalReason.AUTH_FAILED}


def judge_mail(
    mail: IncomingMail, received_at: datetime, context: IntakeContext, earlier: Sequence[EarlierMail] = ()
) -> Verdict:
    """Judge a mail received at `received_at` (UTC, the mailbox server's INTERNALDATE, never the Date
    header)."""
    machine = _machine(mail, context)
    if machine is not None:
        return Verdict(VerdictKind.IGNORED, machine, report=mail.report, subject=mail.subject)
    if len(mail.senders) != 1 or not mail.senders[0]:
        return Verdict(VerdictKind.REJECTED, RefusalReason.BAD_FROM, subject=mail.subject)
    sender = mail.senders[0]
    domain = sender.rpartition("@")[2]
    if authenticate(mail.stamps, context.trusted_authserv_id, domain) is not AuthResult.PASS:
        return Verdict(
            VerdictKind.REJECTED, RefusalReason.AUTH_FAILED, sender=sender, alert=True, subject=mail.subject
        )
    fresh = _settle(mail, received_at, context, earlier, sender)
    repeated = _repeated(mail, fresh, earlier)
    if repeated is not None:
        return replace(
            fresh,
            verdict=VerdictKind.IGNORED,
            reason=RefusalReason.DUPLICATE,
            flags=frozenset(),
            reply_to=None,
            duplicate_of=repeated.ref,
        )
    return fresh


def as_earlier_mail(
    ref: str, mail: IncomingMail, received_at: datetime, verdict: Verdict
) -> EarlierMail | None:
    """What later mails must know of this one; None for mails that no later one may be compared with."""
    if verdict.verdict is VerdictKind.IGNORED or verdict.reason in _NOT_KEPT or verdict.sender is None:
        return None
    return EarlierMail(ref, verdict.sender, received_at, mail.photo_keys, verdict)


def _machine(mail: IncomingMail, context: IntakeContext) -> RefusalReason | None:
    own_id = mail.message_id is not None and (
        mail.message_id.rstrip(">").rpartition("@")[2].casefold() == context.own_domain.casefold()
    )
    if own_id or any(context.is_own(address) for address in mail.senders):
        return RefusalReason.OWN_MAIL
    if mail.report is not None:
        return RefusalReason.BOUNCE if mail.report.kind is ReportKind.BOUNCE else RefusalReason.RECEIPT
    return RefusalReason.AUTO_REPLY if mail.machine else None


def _repeated(mail: IncomingMail, fresh: Verdict, earlier: Sequence[EarlierMail]) -> EarlierMail | None:
    for one in earlier:
        same = (
            one.sender.casefold() == (fresh.sender or "").casefold()
            and one.photo_keys == mail.photo_keys
            and _subject_key(one.verdict) == _subject_key(fresh)
        )
        if same and (one.verdict.verdict is VerdictKind.ACCEPTED or one.verdict.reason is fresh.reason):
            return one
    return None


def _subject_key(verdict: Verdict) -> tuple[object, ...]:
    """The fields of the subject; where it could not be read, its words."""
    if verdict.complaint is not None:
        return (drop_prefixes(clean_line(verdict.subject)).casefold(),)
    return (*verdict.sheet_key, verdict.version)


def _settle(
    mail: IncomingMail, received_at: datetime, context: IntakeContext, earlier: Sequence[EarlierMail],
    sender: str
) -> Verdict:
    """Everything after authentication, duplicates aside."""
    start = Verdict(
        VerdictKind.REJECTED,
        photos=mail.photos,
        sender=sender,
        reply_to=context.registered_address(sender),
        subject=mail.subject,
    )
    found, notes = _with_game(parse_subject(mail.subject, context.known), context, sender)
    if isinstance(found, HeadingComplaint):
        partial = _fields(start, found.partial)
        return replace(partial, reason=RefusalReason(found.code.value), complaint=found)
    game = context.game(found.game or "")
    heading, more = _with_phase(found, game.open_phase)
    flags = frozenset(map(str, (*heading.flags, *notes, *more)))
    verdict = replace(
        _fields(start, heading), flags=flags, reply_to=game.registered_address(sender) or start.reply_to
    )
    reason = (
        _sender(verdict, game)
        or _phase(heading, game)
        or _time(received_at, game)
        or _photographs(mail)
        or _first_by_post(heading, game)
    )
    if reason is not None:
        return replace(verdict, reason=reason)
    return _accepted(verdict, mail, earlier, first_counts=game.first_counts)


def _fields(verdict: Verdict, heading: Heading) -> Verdict:
    return replace(
        verdict,
        game=heading.game,
        power=heading.power,
        season=heading.season,
        year=heading.year,
        kind=heading.kind,
        version=heading.version,
        flags=frozenset(map(str, heading.flags)),
        trailing=heading.trailing,
    )


def _with_game(
    found: Heading | HeadingComplaint, context: IntakeContext, sender: str
) -> tuple[Heading | HeadingComplaint, tuple[Note, ...]]:
    """Q-06: no game written, and exactly one open game where the sender has that power and phase."""
    if not (context.infer_game and isinstance(found, HeadingComplaint) and found.missing == ("game",)):
        return found, ()
    wanted = found.partial
    fitting = [
        game.name
        for game in context.games
        if game.open_phase is not None
        and wanted.power is not None
        and game.registered_address(sender, wanted.power)
        and game.open_phase.season == wanted.season
        and wanted.year in {None, game.open_phase.year}
        and wanted.kind in {None, game.open_phase.kind}
    ]
    if len(fitting) != 1:
        return found, ()
    return replace(wanted, game=fitting[0]), (Note.GAME_MISSING,)


def _with_phase(heading: Heading, phase: Phase | None) -> tuple[Heading, tuple[Note, ...]]:
    """A missing year, and a kind written only as "Orders", taken from the open phase where it fits
    (SUBJ-06)."""
    notes: list[Note] = []
    fits = phase is not None and phase.season == heading.season
    if heading.kind is None and phase is not None and fits:
        heading = replace(heading, kind=phase.kind)
        notes.append(Note.TYPE_MISSING)
    if heading.year is None and phase is not None and fits and phase.kind is heading.kind:
        heading = replace(heading, year=phase.year)
        notes.append(Note.YEAR_MISSING)
    return heading, tuple(notes)


def _sender(verdict: Verdict, game: GameContext) -> RefusalReason | None:
    sender = verdict.sender or ""
    if game.registered_address(sender, verdict.power or ""):
        return None
    return RefusalReason.SENDER_NOT_POWER if game.registered_address(sender) else RefusalReason.UNKNOWN_SENDER


def _phase(heading: Heading, game: GameContext) -> RefusalReason | None:
    kind, season = heading.kind, heading.season or ""
    if kind is not None and (season, kind) not in game.known.steps:
        return RefusalReason.PHASE_TYPE_MISMATCH
    if kind is None or heading.year is None:
        return RefusalReason.WRONG_PHASE
    named = Phase(heading.year, season, kind)
    if named == game.open_phase:
        return None
    return RefusalReason.LATE if named in game.past_phases else RefusalReason.WRONG_PHASE


def _time(received_at: datetime, game: GameContext) -> RefusalReason | None:
    """Received at the deadline itself is on time (Q-34)."""
    return RefusalReason.LATE if game.deadline is not None and received_at > game.deadline else None


def _photographs(mail: IncomingMail) -> RefusalReason | None:
    if mail.encrypted and not mail.photos:
        return RefusalReason.ENCRYPTED
    if mail.overflow or mail.photos > MOST_PHOTOS or mail.photo_bytes > MOST_BYTES:
        return RefusalReason.TOO_LARGE
    if mail.photos:
        return None
    return RefusalReason.BAD_IMAGE if mail.pictures else RefusalReason.NO_PHOTO


def _first_by_post(heading: Heading, game: GameContext) -> RefusalReason | None:
    """The strict mode of Q-04: no photograph counts before the first orders have come by post (SUB-05)."""
    strict = game.post_first and heading.kind is PhaseKind.MOVEMENT
    return RefusalReason.FIRST_BY_POST if strict and heading.power not in game.posted_powers else None


def _accepted(
    verdict: Verdict, mail: IncomingMail, earlier: Sequence[EarlierMail], *, first_counts: bool
) -> Verdict:
    same_paper = [
        one
        for one in earlier
        if one.verdict.verdict is VerdictKind.ACCEPTED and one.verdict.sheet_key == verdict.sheet_key
    ]
    on_file = max(
        (one.verdict.version for one in same_paper if one.verdict.version is not None), default=None
    )
    notes: set[str] = set()
    if any(picture.state is not PictureState.GOOD for picture in mail.pictures):
        notes.add(str(Note.PHOTO_UNREADABLE))
    if first_counts:
        notes.update([str(Note.NOT_FIRST)] if same_paper else [])
    elif verdict.version is not None:
        if any(
            one.verdict.version == verdict.version and one.photo_keys != mail.photo_keys for one in same_paper
        ):
            notes.add(str(Note.VERSION_CONFLICT))
        if on_file is not None and verdict.version < on_file:
            notes.add(str(Note.SUPERSEDED))
    return replace(
        verdict, verdict=VerdictKind.ACCEPTED, flags=verdict.flags | notes, version_on_file=on_file
    )
