"""One mail, one verdict. Pure: the mail, its receipt time, the context and the mails before it go in.

The tests run in one fixed order and the first that fails names the reason: machines, bad_from,
authentication, duplicates, subject, names, sender, phase, time, photographs. So the service does not act on a
mail, and writes to no one, before the mail is authenticated.

Whether a machine wrote a mail. A bounce that is none would lose a turn, so words alone never make a bounce
of a player's mail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import zip_longest

from adjudicator.calendar import Phase, PhaseKind
from grammar.headings.dates import is_year
from grammar.headings.subject import parse_subject
from grammar.headings.tokens import clean_line, drop_prefixes
from grammar.headings.values import Flag, Heading, HeadingComplaint
from ocr.image.formats import MOST_PAGES
from ocr.unreadable import UnreadableReason
from service.facts.files import TOO_MANY, FileFate, FileOutcome
from service.facts.refusals import RefusalReason
from service.facts.sheets import SheetFlag
from service.games.ballots import RankedSubmission, arrival, version_after
from service.intake.verdicts.context import AnnouncedPhase, GameContext, IntakeContext, SentLetter
from service.intake.verdicts.verdict import EarlierMail, Verdict, VerdictKind
from service.mail.authentication.authenticate import authenticate
from service.mail.authentication.verdict import Authentication, AuthResult
from service.mail.body.read import BodyNeed
from service.mail.message import BodyState, IncomingMail
from service.mail.reports import DeliveryReport, Evidence, ReportKind
from service.store.addresses import folded_address


def machine_reason(mail: IncomingMail, *, is_registered: bool) -> RefusalReason | None:
    """Why a mail is a machine's and is ignored: bounce, receipt or automatic answer; None for a person's.

    `is_registered`: its From is a player's address, proved or not.
    """
    if mail.report is not None and _is_believed(mail, mail.report, is_registered=is_registered):
        return RefusalReason.BOUNCE if mail.report.kind is ReportKind.BOUNCE else RefusalReason.RECEIPT
    # ARR-05: a player's rule sends on what the player wrote.
    if is_registered and mail.has_pictures and mail.machine.is_forwarded_only:
        return None
    return RefusalReason.AUTO_REPLY if mail.machine or _looks_automatic(mail) else None


def _is_believed(mail: IncomingMail, report: DeliveryReport, *, is_registered: bool) -> bool:
    if report.evidence is Evidence.FORM:
        return True
    # "Undelivered Mail" as the subject of a player's forwarded sheet is not a bounce.
    if is_registered:
        return False
    return report.evidence is Evidence.SERVER or not mail.has_pictures


def _looks_automatic(mail: IncomingMail) -> bool:
    """A vacation answer or challenge that bears no mark of RFC 3834."""
    marks = mail.machine
    if mail.has_pictures:
        # The picture below a person's name in a vacation answer is not a sheet.
        return marks.answer_subject and marks.answers_letter
    return marks.answer_subject or marks.answer_fields


MOST_PHOTOS = MOST_PAGES
MOST_BYTES = 25 * 1024 * 1024
"""Bytes of all photographs of a mail together, as files, without the transfer encoding."""
_NOT_KEPT = {RefusalReason.BAD_FROM, RefusalReason.AUTH_FAILED, RefusalReason.AUTH_UNAVAILABLE}


def judge_mail(
    mail: IncomingMail, received_at: datetime, context: IntakeContext, earlier: Sequence[EarlierMail] = (),
    *, taken_back: bool = False,
) -> Verdict:
    """Judge a mail received at `received_at` (UTC, the mailbox server's INTERNALDATE, never the Date
    header). A mail that a coordinator has `taken_back` is never ignored; everything else holds for it."""
    machine = None if taken_back else _machine(mail, context)
    if machine is not None:
        return Verdict(VerdictKind.IGNORED, machine, report=mail.report, subject=mail.subject)
    if len(mail.senders) != 1 or not mail.senders[0]:
        return Verdict(VerdictKind.REJECTED, RefusalReason.BAD_FROM, subject=mail.subject)
    sender = mail.senders[0]
    authentication = _authentication(mail, sender, context)
    if not authentication.is_proved:
        is_open = authentication.result is AuthResult.TEMPORARY
        return Verdict(
            VerdictKind.REJECTED, RefusalReason.AUTH_UNAVAILABLE if is_open else RefusalReason.AUTH_FAILED,
            sender=sender, alert=True, subject=mail.subject, authentication=authentication,
        )
    # Judged first and compared then: a mail that was refused for a reason that has passed, such as a phase
    # that was not open yet, is not a repeat when it comes again.
    fresh = replace(_settle(mail, received_at, context, earlier, sender), authentication=authentication)
    if mail.machine.is_forwarded_only and not taken_back and fresh.verdict is VerdictKind.REJECTED:
        # A rule is never answered but by the receipt of a sheet that it sent on.
        return Verdict(VerdictKind.IGNORED, RefusalReason.AUTO_REPLY, subject=mail.subject)
    repeated = None if taken_back else _repeated(mail, fresh, earlier)
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


def body_need(head: IncomingMail, context: IntakeContext) -> BodyNeed:
    """How much of a mail's body is read before it is judged, by its headers alone (BOX-05).

    The whole of a proved and registered sender's; the report of what looks like one; nothing of a stranger's.
    """
    sender = head.senders[0] if len(head.senders) == 1 else ""
    if context.registered_address(sender) and _authentication(head, sender, context).is_proved:
        return BodyNeed.WHOLE
    return BodyNeed.REPORT if head.may_be_report and not _is_own(head, context) else BodyNeed.NONE


def _authentication(mail: IncomingMail, sender: str, context: IntakeContext) -> Authentication:
    # What was not looked at may hold a second From.
    if not mail.headers.is_complete:
        return Authentication(AuthResult.FAIL, None, "The mail has more headers than a genuine mail would.")
    return mail.authentication or authenticate(mail.headers, context.trust, sender.rpartition("@")[2])


def as_earlier_mail(
    ref: str, mail: IncomingMail, received_at: datetime, verdict: Verdict
) -> EarlierMail | None:
    """The facts of this mail for later ones; None if no later mail may be compared with it."""
    # A forged copy must not make the player's own mail a duplicate.
    if verdict.verdict is VerdictKind.IGNORED or verdict.reason in _NOT_KEPT or verdict.sender is None:
        return None
    return EarlierMail(ref, verdict.sender, received_at, mail.photo_keys, verdict, mail.message_id)


def _machine(mail: IncomingMail, context: IntakeContext) -> RefusalReason | None:
    if _is_own(mail, context):
        return RefusalReason.OWN_MAIL
    is_registered = any(context.registered_address(address) for address in mail.senders)
    return machine_reason(mail, is_registered=is_registered)


def _is_own(mail: IncomingMail, context: IntakeContext) -> bool:
    # A relay may return our letter with another From. The domain alone once made every mail of Apple Mail and
    # Thunderbird our own, where players shared the site's domain (BOX-01).
    own_id = mail.message_id is not None and context.is_sent(mail.message_id)
    return own_id or any(context.is_own(address) for address in mail.senders)


def _repeated(mail: IncomingMail, fresh: Verdict, earlier: Sequence[EarlierMail]) -> EarlierMail | None:
    for previous in earlier:
        # Never by Message-ID: another photograph under the same one is another mail, and must not be lost.
        is_same_sheet = (
            folded_address(previous.sender) == folded_address(fresh.sender or "")
            and previous.photo_keys == mail.photo_keys
            and _subject_key(previous.verdict) == _subject_key(fresh)
        )
        # An accepted mail that comes again after the deadline is a duplicate, and not late. A refused one
        # that its player sends again is looked at again; a server hands over the same mail twice.
        was_accepted = previous.verdict.verdict is VerdictKind.ACCEPTED
        is_same_mail = (previous.verdict.reason is fresh.reason and previous.message_id == mail.message_id)
        if is_same_sheet and (was_accepted or is_same_mail):
            return previous
    return None


def _subject_key(verdict: Verdict) -> tuple[object, ...]:
    """The fields of the subject; if it could not be read, its words."""
    if verdict.complaint is not None:
        return (drop_prefixes(clean_line(verdict.subject)).casefold(),)
    # A number that the intake gave is not a word of the subject: the same mail would be given the next one.
    return (*verdict.sheet_key, None if Flag.VERSION_MISSING in verdict.flags else verdict.version)


def _settle(
    mail: IncomingMail, received_at: datetime, context: IntakeContext, earlier: Sequence[EarlierMail],
    sender: str
) -> Verdict:
    """The verdict of all tests after authentication, except for duplicates."""
    start = Verdict(
        VerdictKind.REJECTED,
        photos=mail.photos,
        sender=sender,
        reply_to=context.registered_address(sender),
        subject=mail.subject,
        files=mail.outcomes,
    )
    parsed, notes = _heading(mail, context, sender)
    if isinstance(parsed, HeadingComplaint):
        partial = _fields(start, parsed.partial)
        return replace(partial, reason=RefusalReason(parsed.code.value), complaint=parsed)
    game = context.game(parsed.game)
    heading, phase_notes = _with_phase(parsed, game)
    is_early = _is_early(heading, game)
    early = (SheetFlag.EARLY,) if is_early else ()
    flags = frozenset(map(str, (*heading.flags, *notes, *phase_notes, *early)))
    # The answer goes to the address as registered in this game, never to Reply-To.
    verdict = replace(
        _fields(start, heading), flags=flags, reply_to=game.registered_address(sender) or start.reply_to
    )
    reason = (
        _sender(verdict, game)
        or _phase(heading, game, is_early=is_early)
        or (None if is_early else _time(received_at, game))
        or _photographs(mail)
        or _first_by_post(heading, game, is_early=is_early)
    )
    if reason is not None:
        return replace(verdict, reason=reason, files=_within_limit(mail))
    return _accepted(verdict, mail, received_at, game, earlier)


@dataclass(frozen=True, slots=True)
class _Route:
    """The seat of the letter that a mail answers."""

    letter: SentLetter
    game: GameContext
    power: str
    phase: Phase


def _route(mail: IncomingMail, context: IntakeContext, sender: str) -> _Route | None:
    """Where the letter leads that a mail with a sheet answers (PHA-05): the nearest one that went to an
    address of a seat that is the sender's own, and there to the phase that its next sheet is for."""
    # A text is a letter to the coordinator, whatever it answers.
    for message_id in mail.references if mail.pictures else ():
        letter = context.letters.get(message_id)
        game = None if letter is None else next(
            (game for game in context.games if game.name == letter.game), None)
        if letter is None or game is None:
            continue
        # Both of them: a Message-ID is not a secret, and a seat may have changed hands since.
        own_seats = [
            power for power in game.players if letter.power in {None, power}
            and game.registered_address(sender, power) and game.registered_address(letter.to, power)
        ]
        sheet = game.next_sheet(own_seats[0]) if len(own_seats) == 1 else None
        if sheet is not None:
            return _Route(letter, game, own_seats[0], sheet.phase)
    return None


def _heading(
    mail: IncomingMail, context: IntakeContext, sender: str
) -> tuple[Heading | HeadingComplaint, tuple[SheetFlag, ...]]:
    """The heading that a mail's subject gives, with what it leaves out filled in: from the letter that the
    mail answers, else from the sender's open phase. The flags name what was filled in."""
    route = _route(mail, context, sender)
    subject = mail.subject if route is None else _own_words(mail.subject, route.letter.subject)
    parsed = _with_season(parse_subject(subject, context.known), context)
    if route is None:
        return _with_game(parsed, context, sender)
    heading = parsed.partial if isinstance(parsed, HeadingComplaint) else parsed
    is_as_answered = heading.game in {None, route.game.name} and heading.power in {None, route.power}
    notes = () if is_as_answered else (SheetFlag.NOT_AS_ANSWERED,)
    if not isinstance(parsed, HeadingComplaint):
        return parsed, notes
    return replace(
        heading, game=route.game.name, power=route.power, season=heading.season or route.phase.season,
        year=heading.year or route.phase.year, kind=heading.kind or route.phase.kind,
        flags=heading.flags if heading.version is not None else heading.flags | {Flag.VERSION_MISSING},
    ), (*notes, SheetFlag.BY_ANSWER)


def _own_words(subject: str, answered: str) -> str:
    """What a player added to the subject of the letter that is answered; the whole subject if it is another
    one. "Re: ... Summer 1642 - Final Results" names no phase: those are our words."""
    whole, ours = (drop_prefixes(clean_line(line)) for line in (subject, answered))
    return whole[len(ours):] if ours and whole[:len(ours)].casefold() == ours.casefold() else subject


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
    parsed: Heading | HeadingComplaint, context: IntakeContext, sender: str
) -> tuple[Heading | HeadingComplaint, tuple[SheetFlag, ...]]:
    """The heading with the game filled in (Q-06), if exactly one game has that power and phase for the
    sender, open or else announced; else as parsed."""
    if not (context.infer_game and isinstance(parsed, HeadingComplaint) and parsed.missing == ("game",)):
        return parsed, ()
    partial = parsed.partial
    own_games = [game for game in context.games
                 if partial.power is not None and game.registered_address(sender, partial.power)]
    fitting = [
        game.name
        for game in own_games
        if game.open_phase is not None
        and game.open_phase.season == partial.season
        and partial.year in {None, game.open_phase.year}
        and partial.kind in {None, game.open_phase.kind}
    ] or [game.name for game in own_games if _announced(partial, game) is not None]
    # Two games fit: neither is guessed, and the answer names both subjects.
    if len(fitting) != 1:
        return parsed, ()
    return replace(partial, game=fitting[0]), (SheetFlag.GAME_MISSING,)


def _with_season(
    parsed: Heading | HeadingComplaint, context: IntakeContext
) -> Heading | HeadingComplaint:
    """The heading with the season of the phase that it means, where a subject gives the kind of orders alone
    ("Retreats"); else as parsed."""
    if not (isinstance(parsed, HeadingComplaint) and parsed.missing == ("season",)):
        return parsed
    partial = parsed.partial
    game = next((game for game in context.games if game.name == partial.game), None)
    if game is None or partial.power is None or partial.kind is None:
        return parsed
    phase = game.open_phase
    if phase is None or not _fits(partial, phase):
        announced = _announced(partial, game)
        phase = None if announced is None else announced.phase
    return parsed if phase is None else replace(partial, season=phase.season, year=phase.year)


def _with_phase(heading: Heading, game: GameContext) -> tuple[Heading, tuple[SheetFlag, ...]]:
    """What a heading leaves out of its phase, filled in from the open phase if that fits, else from the
    announced one that it means (SUBJ-06, Q-74)."""
    filled = _filled(heading, game.open_phase)
    if game.open_phase is not None and _named(filled[0]) == game.open_phase:
        return filled
    announced = _announced(heading, game)
    return filled if announced is None else _filled(heading, announced.phase)


def _named(heading: Heading) -> Phase | None:
    """The phase that a heading names whole."""
    if heading.year is None or heading.season is None or heading.kind is None:
        return None
    return Phase(heading.year, heading.season, heading.kind)


def _fits(heading: Heading, phase: Phase) -> bool:
    """Whether a phase is all that a heading gives of one."""
    return (heading.season in {None, phase.season} and heading.kind in {None, phase.kind}
            and (heading.year is None or is_year(heading.year, phase.year)))


def _announced(heading: Heading, game: GameContext) -> AnnouncedPhase | None:
    """The announced phase that a heading means; None where it may mean several."""
    fitting = [announced for announced in game.announced if _fits(heading, announced.phase)]
    if len({(announced.phase.season, announced.phase.kind) for announced in fitting}) != 1:
        return None
    # "Summer Movement" that comes when Summer is judged is late, and not a year early.
    first = fitting[0]
    following = next(later for later in game.announced if later.phase.kind is first.phase.kind)
    return first if heading.year is not None or first is following else None


def _is_early(heading: Heading, game: GameContext) -> bool:
    """Whether a heading names an announced phase."""
    named = _named(heading)
    return named != game.open_phase and any(announced.phase == named for announced in game.announced)


def _filled(heading: Heading, phase: Phase | None) -> tuple[Heading, tuple[SheetFlag, ...]]:
    """A missing year, and a kind that is only "Orders", filled in from a phase if that fits (SUBJ-06)."""
    notes: list[SheetFlag] = []
    fits = phase is not None and phase.season == heading.season
    if phase is not None and heading.year is not None and is_year(heading.year, phase.year):
        heading = replace(heading, year=phase.year)
    if heading.kind is None and phase is not None and fits:
        heading = replace(heading, kind=phase.kind)
        notes.append(SheetFlag.TYPE_MISSING)
    if heading.year is None and phase is not None and fits and phase.kind is heading.kind:
        heading = replace(heading, year=phase.year)
        notes.append(SheetFlag.YEAR_MISSING)
    return heading, tuple(notes)


def _sender(verdict: Verdict, game: GameContext) -> RefusalReason | None:
    sender = verdict.sender or ""
    if game.registered_address(sender, verdict.power or ""):
        return None
    return RefusalReason.SENDER_NOT_POWER if game.registered_address(sender) else RefusalReason.UNKNOWN_SENDER


def _phase(heading: Heading, game: GameContext, *, is_early: bool) -> RefusalReason | None:
    if heading.kind is not None and (heading.season or "", heading.kind) not in game.known.steps:
        return RefusalReason.PHASE_TYPE_MISMATCH
    named = _named(heading)
    if named is None:
        return RefusalReason.WRONG_PHASE
    if named == game.open_phase or is_early:
        return None
    return RefusalReason.LATE if named in game.past_phases else RefusalReason.WRONG_PHASE


def _time(received_at: datetime, game: GameContext) -> RefusalReason | None:
    """The deadline itself is on time (Q-34)."""
    return RefusalReason.LATE if game.deadline is not None and received_at > game.deadline else None


def _photographs(mail: IncomingMail) -> RefusalReason | None:
    if mail.body is BodyState.HARMFUL:
        return RefusalReason.COULD_NOT_BE_HANDLED
    if mail.body is BodyState.UNREAD and not mail.overflow:
        raise ValueError("the body of this mail has to be read before it is judged")
    # A locked PDF next to a photograph that opens does no harm.
    if mail.encrypted and not mail.photos:
        return RefusalReason.ENCRYPTED
    if mail.overflow or mail.photos > MOST_PHOTOS or mail.photo_bytes > MOST_BYTES:
        return RefusalReason.TOO_LARGE
    if mail.photos:
        return None
    troubles = [picture.trouble for picture in mail.pictures if picture.trouble is not None]
    if any(trouble.reason is UnreadableReason.TOO_LARGE for trouble in troubles):
        return RefusalReason.TOO_LARGE
    return RefusalReason.BAD_IMAGE if mail.pictures else RefusalReason.NO_PHOTO


def _within_limit(mail: IncomingMail) -> tuple[FileOutcome, ...]:
    """The fate of each file of a refused mail: those past the limit of photographs are not read."""
    pages, outcomes = 0, []
    for outcome, picture in zip_longest(mail.outcomes, mail.pictures):
        pages += 0 if picture is None else picture.pages
        is_past = picture is not None and picture.pages > 0 and pages > MOST_PHOTOS
        outcomes.append(replace(outcome, fate=FileFate.UNOPENED, why=TOO_MANY) if is_past else outcome)
    return tuple(outcomes)


def _first_by_post(heading: Heading, game: GameContext, *, is_early: bool) -> RefusalReason | None:
    """In the strict mode of Q-04 no photograph counts before the first orders came by post (SUB-05)."""
    must_post = game.post_first and heading.kind is PhaseKind.MOVEMENT
    # The letters are those of the open phase: one for a phase that is announced cannot be logged yet.
    has_posted = heading.power in game.posted_powers and not is_early
    return RefusalReason.FIRST_BY_POST if must_post and not has_posted else None


def _accepted(
    verdict: Verdict, mail: IncomingMail, received_at: datetime, game: GameContext,
    earlier: Sequence[EarlierMail],
) -> Verdict:
    on_file = _on_file(verdict, game, earlier)
    version = verdict.version
    # Where a letter is answered the player need not know which number comes next (PHA-05).
    if version is None and SheetFlag.BY_ANSWER in verdict.flags:
        version = version_after(on_file)
    sheet = RankedSubmission(
        max((other.id for other in on_file), default=0) + 1, verdict.power or "", received_at, version)
    deadline = received_at if SheetFlag.EARLY in verdict.flags else game.deadline or received_at
    came = arrival(sheet, on_file, deadline, first=game.first_counts)
    notes = set(map(str, came.marks))
    if any(picture.fate is not FileFate.SHEET for picture in mail.pictures):
        notes.add(str(SheetFlag.PHOTO_UNREADABLE))
    notes.update(trouble for picture in mail.pictures for trouble in picture.troubles)
    return replace(
        verdict, verdict=VerdictKind.ACCEPTED, version=version, flags=verdict.flags | notes,
        before=came.before)


def _on_file(
    verdict: Verdict, game: GameContext, earlier: Sequence[EarlierMail]
) -> Sequence[RankedSubmission]:
    """The sheets on file of the verdict's power: those of the game, else by the mails before."""
    power = verdict.power or ""
    if game.on_file is not None:
        return game.on_file.get(verdict.phase, {}).get(power, ())
    # A refused mail is not on file, whatever version it names.
    return [
        RankedSubmission(number, power, previous.received_at, previous.verdict.version)
        for number, previous in enumerate(earlier)
        if previous.verdict.verdict is VerdictKind.ACCEPTED
        and previous.verdict.sheet_key == verdict.sheet_key
    ]
