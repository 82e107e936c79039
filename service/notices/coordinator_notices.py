"""Notices to the coordinator: about a mail, whose it is and what it is about; about a letter that came back,
or that goes to no one. Each shows what follows if nothing is done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.refusals import RefusalReason
from service.facts.sheets import because
from service.games.names import seats_in_words
from service.games.phases import phase_of
from service.intake.verdicts.verdict import Verdict
from service.letters import render
from service.letters.facts import Closing, KeyedFacts, Recipient
from service.letters.kinds import LetterKind, Occasion, Sample
from service.mail.sending import failed
from service.mail.sending.compose import Addressee, Rank
from service.notices.letter_context import LetterContext
from service.notices.previews import Previews
from service.store import records
from service.store.tables import (
    GameRow,
    IgnoredMailRow,
    MailRow,
    OutboxRow,
    OutboxState,
    PhaseRow,
    PlayerRow,
    SubmissionRow,
)

_UNPROVED = {RefusalReason.BAD_FROM, RefusalReason.AUTH_FAILED}


@dataclass(frozen=True, slots=True)
class NoticedMail:
    """The mail that a notice is about, for the coordinator alone. `sender` as its From field states, "" if
    that cannot be read; `is_proved` whether the mail server confirms it; `player` their name, "" if no one
    has the address; `about` names game and power in words; `closing` is that game's open phase, or None."""

    sender: str
    is_proved: bool
    subject: str
    player: str = ""
    about: str = ""
    closing: Closing | None = None


@dataclass(frozen=True, slots=True)
class NoticeFacts(KeyedFacts):
    """Something the coordinator should look at: where, since when, what happens if they do nothing, and the
    mail that it is about, or None. `items`: what it lists, a line each."""

    event: str
    link: str
    since: datetime
    consequence: str
    mail: NoticedMail | None = None
    items: tuple[str, ...] = ()


def notify(
    session: Session, letters: LetterContext, game: GameRow | None, facts: NoticeFacts,
    phase: PhaseRow | None = None, *, mark: str = "",
) -> None:
    """Put a notice into the outbox, once for its key. `mark`: the first line of one that names no game."""
    info = None if game is None else letters.game_info(game)
    to = Recipient(letters.sender.coordinator, notice=mark)
    letters.put(session, render.letter(COORDINATOR_NOTICE, info, to, facts), phase)


def about_verdict(session: Session, letters: LetterContext, verdict: Verdict) -> NoticedMail | None:
    """The mail of a verdict, as a notice names it. None if its header was not read."""
    if verdict.sender is None and not verdict.subject and verdict.reason is None:
        return None
    sender = verdict.sender or ""
    is_proved = verdict.sender is not None and verdict.reason not in _UNPROVED
    player = records.player_of(session, sender) if sender else None
    game = None if verdict.game is None else session.scalar(
        select(GameRow).where(GameRow.name == verdict.game))
    named = ", ".join(part for part in (verdict.game, verdict.power) if part)
    return NoticedMail(
        sender, is_proved, verdict.subject, "" if player is None else player.name,
        named or _seats(session, letters, player), closing_of(session, game))


def about_sheet(
    session: Session, subject: str, submission: SubmissionRow, game: GameRow, power: str
) -> NoticedMail:
    """The mail that brought a sheet, as a notice names it."""
    player = records.player_of(session, submission.sender)
    return NoticedMail(submission.sender, True, subject, "" if player is None else player.name,
                       f"{game.name}, {power}", closing_of(session, game))


def _seats(session: Session, letters: LetterContext, player: PlayerRow | None) -> str:
    return "" if player is None else seats_in_words(session, player, load=letters.load)


def closing_of(session: Session, game: GameRow | None) -> Closing | None:
    """The open phase of a game and its deadline; None if no phase is open."""
    phase = None if game is None else records.open_phase(session, game.id)
    return None if phase is None else Closing(phase_of(phase), phase.deadline)


def about_ignored_mail(session: Session, letters: LetterContext, row: IgnoredMailRow) -> NoticeFacts:
    """An ignored mail with an attachment (BOX-01)."""
    mail = session.get_one(MailRow, row.sha256)
    player = session.get_one(PlayerRow, row.player_id)
    why = because(row.reason, "one of the site's rules ignores it")
    base = letters.sender.base_url.rstrip("/")
    return NoticeFacts(
        key=f"ignored-mail-{row.sha256}",
        event=f"A mail under a player's address was ignored: {why}. It seems to have an attachment.",
        since=mail.received_at, link=f"{base}/?show=ignored" if base else "",
        consequence="it does not count, and no answer is sent. If it is a sheet, take it back at the desk: "
        "then it is handled like any other mail, by the time at which it was received.",
        mail=NoticedMail(row.sender, False, row.subject, player.name,
                         _seats(session, letters, player)))


def older_mails(count: int, folder: str, now: datetime) -> NoticeFacts:
    """Mails that lay in the mailbox before there was a site."""
    return NoticeFacts(
        key="older-mails", since=now, link="",
        event=f"{count} mail{'s' if count > 1 else ''} in {folder} came before this site was set up.",
        consequence="they stay where they are, unanswered and uncounted. If one of them is a sheet, ask its "
        "sender to send it again. You need not do anything else.")


def report_failed(letters: LetterContext, session: Session, row: OutboxRow) -> None:
    """Put a notice about a letter that failed, or that has no reader now, into the outbox: whose it is and
    why, without an address (PHA-09). One a day for each address; the desk lists every letter."""
    # A notice that fails would bring a notice that fails, for ever.
    if row.recipient == letters.sender.coordinator or letters.kinds.addressees.get(
            row.kind) is Addressee.COORDINATOR:
        return
    game = None if row.game_id is None else session.get_one(GameRow, row.game_id)
    base, now = letters.sender.base_url.rstrip("/"), letters.clock.now()
    reader = failed.reader_in_words(session, row, load=letters.load)
    cause = failed.cause_in_words(row)
    link = f"{base}/letters/{row.id}" if base else ""
    if row.state == OutboxState.CANCELLED:
        facts = NoticeFacts(
            key=f"unsent-{row.id}", since=now, link=link,
            event=f"A letter was not sent: {row.subject}. The reason: {cause}.",
            consequence="its reader does not get it. It is stored under Letters, where you can read and "
            "print it.")
    else:
        became = "came back as undeliverable" if failed.came_back(row) else "could not be sent"
        address = sha256(row.recipient.lower().encode()).hexdigest()[:12]
        facts = NoticeFacts(
            # By the address too, so that a new one which fails on the same day is reported.
            key=f"failed-{row.player_id or 0}-{address}-{now:%Y-%m-%d}", since=now, link=link,
            event=f"A letter to {reader} {became}: {row.subject}",
            consequence=f"its reader does not have it, because {cause}. Ask them for another address in "
                        "some other way, add it on the game's page, and send the letter again from Health: "
                        "it goes to the new address. You can also print it from Letters and post it. "
                        "Further letters to this address that fail today bring no notice of their own; the "
                        "inbox counts them.")
    notify(session, letters, game, facts)


def about_returned_mail_of(player: PlayerRow, now: datetime, base_url: str) -> NoticeFacts:
    """Some letter to a player came back, and the report does not show which."""
    return NoticeFacts(
        # Once a day: anybody can write such a report.
        key=f"bounce-player-{player.id}-{now:%Y-%m-%d}",
        event=f"A letter to {player.name} came back as undeliverable; the report does not name the letter",
        since=now,
        link=f"{base_url}/letters" if base_url else "",
        consequence="letters to this player are still sent. If more come back, ask the player for another "
        "address in some other way.",
    )  # fmt: skip


# The kinds of these letters
# --------------------------------------------------------------------------------------------------


def _coordinator_notice_sample(seat: Previews) -> Sample[NoticeFacts]:
    base = seat.letters.sender.base_url.rstrip("/")
    facts = NoticeFacts(
        "preview", f"A mail needs you: {RefusalReason.UNKNOWN_SENDER.because}.",
        f"{base}/?show=mails" if base else "", seat.letters.clock.now(),
        "it does not count. The mail stays in quarantine, unchanged.")
    return Sample(facts, "As if a stranger had sent a mail.")


COORDINATOR_NOTICE = LetterKind(
    "coordinator_notice", NoticeFacts, "Notice to the coordinator",
    Occasion("you", "something waits for a person", _coordinator_notice_sample),
    rank=Rank.URGENT, addressee=Addressee.COORDINATOR)
"""Informs the coordinator that something waits for a person."""
