"""The facts for judging a mail, read from the tables for one mail at its moment of receipt."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Text, cast, or_, select, update
from sqlalchemy.orm import Session

from adjudicator.calendar import Phase, PhaseKind
from grammar.headings.names import GameList
from grammar.headings.subject import parse_subject
from grammar.headings.values import Heading, HeadingCode, HeadingComplaint
from maps.variant import Variant
from reading.vocabulary import known_game
from service.facts.files import FileFate
from service.facts.refusals import RefusalReason
from service.games.ballots import RankedSubmission, ranked_submissions
from service.games.ending import has_ended
from service.games.options import options_of
from service.games.phases import phase_of, powers_asked
from service.intake.verdicts.context import AnnouncedPhase, GameContext, IntakeContext, SentLetter
from service.intake.verdicts.verdict import EarlierMail, Verdict, VerdictKind
from service.mail.authentication.trust import NOBODY, Trust
from service.mail.message import IncomingMail, without_pictures
from service.store import records
from service.store.tables import AddressRow, GameRow, MailRow, OutboxRow, PhaseRow, PhaseState


@dataclass(frozen=True, slots=True)
class Concern:
    """Whom a mail is from and what it names: its addresses in From, its subject, and the name of a game that
    is known from elsewhere."""

    senders: tuple[str, ...] = ()
    subject: str = ""
    game: str | None = None


LETTER = "letter"
"""The stored reason of a mail that is a plain letter to the coordinator."""

# A phase takes mail while it is open, and also after its close until its results are sent: a server may hand
# over late what it stamped in time. A judged phase is then judged again.
TAKING_STATES = (PhaseState.OPEN, PhaseState.CLOSED, PhaseState.READY)


@dataclass(frozen=True, slots=True)
class PhasesTakingMail:
    """The phases that a mail may be for by its moment of receipt. `current`: the first that takes mail and
    whose deadline the mail met, else the open one; None between phases. `announced`: those after it, in
    order: they had not opened, or not for this mail."""

    current: PhaseRow | None
    announced: tuple[PhaseRow, ...]

    def named(self, phase: Phase) -> PhaseRow:
        """The one of them that is this phase. Raises LookupError."""
        for row in self.rows:
            if phase_of(row) == phase:
                return row
        raise LookupError(f"{phase} takes no mail")

    @property
    def due(self) -> PhaseRow | None:
        """The one that a sheet without a subject is for: the open one, else the next that is announced and
        asks everybody."""
        if self.current is not None and self.current.state == PhaseState.OPEN:
            return self.current
        return next((row for row in self.announced if row.kind != PhaseKind.RETREAT), None)

    @property
    def rows(self) -> tuple[PhaseRow, ...]:
        """All of them, in order."""
        return self.announced if self.current is None else (self.current, *self.announced)


def phases_taking_mail(session: Session, game_id: str, received_at: datetime) -> PhasesTakingMail:
    """The phases of a game that a mail stamped `received_at` may be for."""
    unsent = session.scalars(
        select(PhaseRow)
        .where(PhaseRow.game_id == game_id, PhaseRow.state != PhaseState.SENT)
        .order_by(PhaseRow.ordinal)
    ).all()
    rows = [row for row in unsent if row.state in TAKING_STATES]
    in_time = [row for row in rows if received_at <= row.deadline]
    # For a mail after the deadline: it is judged against that phase, and the answer states that it was late.
    still_open = [row for row in rows if row.state == PhaseState.OPEN]
    current = next(iter([*in_time, *still_open, *rows]), None)
    # A mail that is judged late may be for a phase that opened meanwhile. It is late for none of those after
    # the current one: results that leave late move their deadlines (PHA-01).
    return PhasesTakingMail(
        current, tuple(row for row in unsent if current is None or row.ordinal > current.ordinal))


def build_context(
    session: Session, received_at: datetime, load: Callable[[str], Variant], *,
    own_addresses: Sequence[str], trust: Trust = NOBODY, about: Concern | None = None,
) -> IntakeContext:
    """The context of one mail. `load` gives a variant by its slug; without `trust` no mail is proved, which
    matters not where only the games are asked for. `about`: what the mail may be about, so that of thousands
    of games only those are loaded; the verdict is the same without it."""
    known = _NAMES.of(session, load)
    rows = select(GameRow).order_by(GameRow.name)
    if about is not None:
        # The tests of `verdicts.rules` look at the sender's own games and at those that the subject names.
        rows = rows.where(or_(GameRow.id.in_(records.games_of_senders(session, about.senders)),
                              GameRow.name.in_(_named(about, known))))
    games = tuple(_game(session, row, received_at, load(row.variant)) for row in session.scalars(rows))
    return IntakeContext(
        own_addresses=frozenset(own_addresses),
        trust=trust,
        games=games, infer_game=True, all_known=known,
    )


def _named(about: Concern, known: GameList) -> set[str]:
    """The canonical names of the games that a mail names, or may mean."""
    parsed = parse_subject(about.subject, known)
    if isinstance(parsed, HeadingComplaint):
        names = {parsed.partial.game, *parsed.candidates, about.game}
    else:
        names = {parsed.game, about.game}
    return {name for name in names if name is not None}


class _KnownNames:
    """The names of all games, folded once for as long as no game is added, renamed or removed. Safe to share
    between threads and between sites."""

    def __init__(self) -> None:
        self._kept: tuple[list[tuple[str, str, str]], dict[str, Variant], GameList] | None = None

    def of(self, session: Session, load: Callable[[str], Variant]) -> GameList:
        """The games for the parser of headings, by name."""
        # As text: to load the aliases of ten thousand games took half of a mail's time.
        rows = [(name, aliases, slug) for name, aliases, slug in session.execute(
            select(GameRow.name, cast(GameRow.aliases, Text), GameRow.variant).order_by(GameRow.name))]
        variants = {slug: load(slug) for slug in {slug for *_, slug in rows}}
        cached = self._kept
        if cached is not None and cached[0] == rows and all(
                variant is cached[1].get(slug) for slug, variant in variants.items()):
            return cached[2]
        known = GameList(
            known_game(variants[slug], name, json.loads(aliases)) for name, aliases, slug in rows)
        self._kept = (rows, variants, known)
        return known


_NAMES = _KnownNames()


MOST_ANSWERED = 20
"""Mails of an exchange that are looked for among our letters, the nearest first."""


def with_own_letters(
    session: Session, context: IntakeContext, mail: IncomingMail, load: Callable[[str], Variant]
) -> IntakeContext:
    """The context of this mail, with the letters of ours that it answers, and with its Message-ID if that is
    the one of a letter of ours."""
    # Each letter has its row before it leaves, so the outbox has every Message-ID that we ever gave out.
    row = None if mail.message_id is None else records.letter_by_message_id(
        session, [mail.message_id, mail.message_id.lower()])
    sent = context.sent_message_ids if row is None else frozenset({row.message_id})
    letters = {}
    for letter in answered_letters(session, mail):
        game = None if letter.game_id is None else session.get(GameRow, letter.game_id)
        # A letter to the coordinator leads to no seat, though the coordinator may be a player too.
        if game is None or letter.player_id is None:
            continue
        power = load(game.variant).powers.get(letter.power or "")
        letters[letter.message_id] = SentLetter(
            letter.recipient, game.name, None if power is None else power.name, letter.subject)
    return replace(context, sent_message_ids=sent, letters=letters)


def answered_letters(session: Session, mail: IncomingMail) -> list[OutboxRow]:
    """The letters of ours that a mail answers, the nearest first."""
    return records.letters_by_message_id(session, mail.references[:MOST_ANSWERED])


def without_our_files(session: Session, mail: IncomingMail) -> IncomingMail:
    """The mail without the pictures of the letters that it answers: a program that quotes a letter sends its
    map back."""
    ours = {file["blob"] for letter in answered_letters(session, mail) for file in letter.files}
    return without_pictures(mail, dict.fromkeys(ours, FileFate.OURS))


def _game(session: Session, row: GameRow, received_at: datetime, variant: Variant) -> GameContext:
    taking = phases_taking_mail(session, row.id, received_at)
    phase = taking.current
    known, options = known_game(variant, row.name, row.aliases), options_of(row)
    on_file: dict[Phase, dict[str, list[RankedSubmission]]] = {}
    for each in taking.rows:
        for sheet in ranked_submissions(session, each.id):
            by_power = on_file.setdefault(phase_of(each), {})
            by_power.setdefault(variant.powers[sheet.power].name, []).append(sheet)
    addresses_by_power = records.addresses(session, row.id)
    players = {variant.powers[power].name: group for power, group in addresses_by_power.items()}

    def asked(phase: PhaseRow) -> frozenset[str] | None:
        powers = powers_asked(phase)
        return None if powers is None else frozenset(variant.powers[power].name for power in powers)

    return GameContext(
        known=known,
        players=players,
        open_phase=None if phase is None else phase_of(phase),
        deadline=None if phase is None else phase.deadline,
        post_first=options.post_first,
        takes_typed_orders=options.typed_orders,
        takes_commands=options.mail_commands,
        first_counts=options.first_counts,
        posted_powers=frozenset()
        if phase is None
        else frozenset(variant.powers[power].name for power in records.posted(session, phase.id)),
        past_phases=frozenset(
            phase_of(past) for past in records.phases(session, row.id) if past.deadline < received_at
        ),
        is_over=has_ended(session, row.id),
        on_file=on_file,
        announced=tuple(
            AnnouncedPhase(phase_of(each), each.opens_at, asked(each),
                           is_due=each.state == PhaseState.WAITING and each.opens_at <= received_at)
            for each in taking.announced),
        asked=None if phase is None else asked(phase),
    )


def earlier_mails(session: Session, sender: str) -> list[EarlierMail]:
    """The judged mails of the same player, by any of the player's addresses, oldest first."""
    player = records.player_of(session, sender)
    player_addresses = {sender.lower()}
    # The next version may come from another address of the player.
    if player is not None:
        registered = session.scalars(select(AddressRow.email).where(AddressRow.player_id == player.id))
        player_addresses |= set(registered)
    of_player = select(MailRow).where(MailRow.sender.in_(player_addresses))
    rows = session.scalars(of_player.order_by(MailRow.received_at))
    # Two letters under one subject are two letters, and neither is a sheet that came again.
    return [_earlier(row) for row in rows if row.verdict is not None and row.reason != LETTER]


def note_sender(session: Session, key: str, sender: str) -> None:
    """Keep the proved sender of a mail. Only a proved one: a forger must not make a player's own mail look
    like a repeat."""
    session.execute(update(MailRow).where(MailRow.sha256 == key).values(sender=sender.lower()))


def dump_verdict(verdict: Verdict, mail: IncomingMail) -> dict[str, Any]:
    """The facts of a verdict for later mails and the desk, as JSON. Holds no text of the mail but its
    subject."""
    return {
        "verdict": verdict.verdict.value,
        "reason": None if verdict.reason is None else verdict.reason.value,
        "game": verdict.game, "power": verdict.power, "season": verdict.season, "year": verdict.year,
        "kind": None if verdict.kind is None else verdict.kind.value,
        "version": verdict.version, "photos": verdict.photos, "flags": sorted(verdict.flags),
        "subject": verdict.subject, "read": verdict.complaint is None, "of": verdict.duplicate_of,
        "photo_keys": list(mail.photo_keys), "message_id": mail.message_id,
        "files": [file.dump() for file in mail.outcomes], "forwarded": mail.machine.is_forwarded_only,
    }


def _earlier(row: MailRow) -> EarlierMail:
    stored = row.verdict_fields
    kind = PhaseKind(stored["kind"]) if stored["kind"] else None
    complaint = None
    # An unread subject is compared by its words (`rules._subject_key`), so that it was unread is stored too.
    if not stored["read"]:
        partial = Heading(stored["game"], stored["power"], stored["season"], stored["year"], kind)
        complaint = HeadingComplaint(HeadingCode.SUBJECT_UNPARSED, "", partial)
    verdict = Verdict(
        VerdictKind(stored["verdict"]), RefusalReason(stored["reason"]) if stored["reason"] else None,
        game=stored["game"], power=stored["power"], season=stored["season"], year=stored["year"], kind=kind,
        version=stored["version"], photos=stored["photos"], flags=frozenset(stored["flags"]),
        sender=row.sender, subject=stored["subject"], complaint=complaint,
    )
    return EarlierMail(row.sha256, row.sender or "", row.received_at, tuple(stored["photo_keys"]), verdict,
                       stored.get("message_id"))
