"""Lists of games that are to be: who signs up, by page or by mail, and the letters about it (BEY-04).

A sign-up by page counts once its mailed link was pressed; one by mail counts at once, since its sender is
proved. No answer of a page shows whether an address is on a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from hashlib import sha256
from secrets import token_urlsafe
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.features.sign_up import power_lots
from service.games.create import known_zone
from service.games.names import UnknownName, power_called
from service.games.refused import Refused
from service.letters import render
from service.letters.addresses import BadAddress, address_lines
from service.letters.facts import KeyedFacts, Recipient
from service.letters.kinds import Contents, LetterKind
from service.letters.language import ENGLISH, LANGUAGES, Sentence, sentence_of
from service.mail.sending.compose import Rank
from service.notices.letter_context import LetterContext
from service.store import records
from service.store.addresses import is_address
from service.store.tables import OfferRow, OutboxRow, OutboxState, SignUpRow

PATH = "/public/sign-up/"
UNCONFIRMED = timedelta(days=7)
"""How long a sign-up by page waits for its link to be pressed."""
MOST_UNCONFIRMED = 60
"""Sign-ups of one offer that wait for that; more are not taken."""
MOST_LISTED = 200
NOBODY = "nobody@forgotten.invalid"
"""In place of the address on a letter to a person who is forgotten (RFC 2606)."""
LETTERS_A_DAY = 5
"""Letters about sign-ups to one address in a day."""
LETTER_PAUSE = timedelta(hours=20)
"""Between two letters to one address about one offer, no matter who requests them."""


@dataclass(frozen=True, slots=True)
class SignUpFacts(KeyedFacts):
    """A person's place on the list of a game that is to be (BEY-04). `number`: None until their address is
    proved; `powers` by name and `dates` in words, as they wish them; `link`: where they change it, "" on a
    site without a web address; `commitment`: digest of the seed of the lots; `key`: for this letter alone."""

    offer: str
    number: int | None
    name: str
    powers: tuple[str, ...]
    dates: tuple[date, ...]
    link: str
    commitment: str


@dataclass(frozen=True, slots=True)
class Wishes:
    """A person's entries. `powers`: as typed, best first, separated by commas or lines; `dates`: those
    of the proposed days that fit, as ISO 8601 writes them; `home`: a postal address, line by line, or ""."""

    name: str
    powers: str = ""
    dates: tuple[str, ...] = ()
    home: str = ""
    zone: str = "Europe/London"
    language: str = ENGLISH


def open_offers(session: Session) -> list[OfferRow]:
    """The games that take sign-ups, by name; also those that have begun, for their waiting list."""
    return list(session.scalars(
        select(OfferRow).where(OfferRow.ended_at.is_(None)).order_by(OfferRow.name)))


def sign_up(
    session: Session, letters: LetterContext, offer: OfferRow, email: str, wishes: Wishes, base_url: str,
    now: datetime,
) -> None:
    """Keep a wish that came by page, and mail a link. Says nothing of whether the address was on the list.
    Raises Refused for what its writer can mend."""
    address = email.strip().lower()
    values = _checked(letters, offer, wishes)
    if not is_address(address):
        raise Refused(Sentence(
            "Nothing was sent: this is not a mail address. Write it like ada@example.org."))
    _forget_old(session, now)
    row = _row(session, offer, address)
    if row is None:
        waiting = session.scalar(select(func.count()).select_from(SignUpRow).where(
            SignUpRow.offer_id == offer.id, SignUpRow.number.is_(None))) or 0
        if waiting >= MOST_UNCONFIRMED or _listed(session, offer.id) >= MOST_LISTED:
            raise Refused(Sentence(
                "Nothing was sent: too many people are signing up at this moment. Try again tomorrow, or "
                "write to the coordinator."))
        row = SignUpRow(offer_id=offer.id, email=address, made_at=now,
                        link_hash=_digest(token_urlsafe(32)), **values)
    # Else a stranger with the address could change a person's wishes, or fill the mailbox.
    elif row.mailed_at is not None and row.mailed_at > now - LETTER_PAUSE:
        return
    elif row.number is None:
        _fill(row, values)
    _mail(session, letters, offer, row, base_url, now)


def sign_up_by_mail(
    session: Session, letters: LetterContext, sender: str, game: str, name: str, powers: str, now: datetime
) -> bool:
    """Put a proved sender on a list and answer; False if no such game takes sign-ups, or the name is not a
    name: then the mail is treated as any other. Powers that the board does not have are left out, and the
    answer names those that were understood."""
    offer = next((row for row in open_offers(session) if row.name.casefold() == game.casefold()), None)
    if offer is None:
        return False
    known = letters.load(offer.variant).powers
    understood = []
    for text in powers.split(",")[:40]:
        with suppress(UnknownName):
            understood.append(power_called(known.values(), offer.variant, text.strip()[:80]).name)
    try:
        values = _checked(letters, offer, Wishes(name, ", ".join(understood)))
    except Refused:
        return False
    address = sender.lower()
    row = _row(session, offer, address)
    if row is None:
        if _listed(session, offer.id) >= MOST_LISTED:
            return False
        row = SignUpRow(offer_id=offer.id, email=address, made_at=now,
                        link_hash=_digest(token_urlsafe(32)), **values)
        session.add(row)
        session.flush()
    elif offer.drawn is None:
        # A subject names no home and no days: those entered on the page stay.
        row.name, row.preferences = str(values["name"]), list(values["preferences"])
    power_lots.confirm(session, row, now)
    _mail(session, letters, offer, row, letters.sender.base_url.rstrip("/"), now)
    return True


def holder_of(session: Session, offer_id: str, secret: str) -> SignUpRow | None:
    """Whose sign-up a link opens, or None."""
    row = session.scalar(select(SignUpRow).where(SignUpRow.link_hash == _digest(secret)))
    return row if row is not None and row.offer_id == offer_id else None


def change(letters: LetterContext, offer: OfferRow, row: SignUpRow, wishes: Wishes) -> None:
    """Change a sign-up by its own link. Raises Refused."""
    if offer.drawn is not None:
        raise Refused(Sentence(
            "Nothing was changed: the powers of this game are drawn. Write to the coordinator."))
    _fill(row, _checked(letters, offer, wishes))


def power_names(letters: LetterContext, offer: OfferRow, ids: Iterable[object]) -> tuple[str, ...]:
    """The names of powers of an offer's board."""
    powers = letters.load(offer.variant).powers
    return tuple(powers[str(power)].name for power in ids if str(power) in powers)


def days_of(dates: Sequence[object]) -> tuple[date, ...]:
    """Days as an offer or a sign-up has them, in ISO 8601."""
    return tuple(date.fromisoformat(str(day)) for day in dates)


def token_of(secret: str) -> str:
    """The token of the forms behind a link."""
    return _digest(f"form {secret}")[:32]


def _checked(letters: LetterContext, offer: OfferRow, wishes: Wishes) -> dict[str, Any]:
    name = " ".join(wishes.name.split())
    if not 1 <= len(name) <= 100 or not name.isprintable():
        raise Refused(Sentence(
            "Nothing was sent: write the name that the other players know you by."))
    powers, preferences = letters.load(offer.variant).powers, []
    for text in wishes.powers.replace("\n", ",").split(",")[:40]:
        if not text.strip():
            continue
        try:
            power = power_called(powers.values(), offer.variant, text.strip()[:80]).id
        except UnknownName as fault:
            raise Refused(_no_power(text.strip()[:80], fault)) from fault
        if power not in preferences:
            preferences.append(power)
    if not known_zone(wishes.zone):
        raise Refused(Sentence(
            "Nothing was sent: the time zone is unknown; write it like Europe/London."))
    try:
        home = list(address_lines(wishes.home)) if wishes.home.strip() else []
    except BadAddress as fault:
        raise Refused(Sentence("Nothing was sent. %(why)s", why=sentence_of(fault))) from fault
    return {
        "name": name, "preferences": preferences, "home": home, "zone": wishes.zone,
        "dates": [day for day in offer.dates if day in wishes.dates],
        "language": wishes.language if wishes.language in LANGUAGES else ENGLISH,
    }


def _no_power(text: str, fault: UnknownName) -> Sentence:
    """Why a wish is none; the page names every power of the board below the field."""
    if fault.meant:
        return Sentence("Nothing was sent: “%(text)s” may be one of these powers: %(powers)s. Write the full "
                        "name.", text=text, powers=", ".join(fault.meant))
    if fault.near:
        return Sentence("Nothing was sent: this board has no power “%(text)s”. Did you mean %(powers)s?",
                        text=text, powers=", ".join(fault.near))
    return Sentence("Nothing was sent: this board has no power “%(text)s”. All its powers are listed below "
                    "the field.", text=text)


def _fill(row: SignUpRow, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(row, name, value)


def _row(session: Session, offer: OfferRow, address: str) -> SignUpRow | None:
    return session.scalar(select(SignUpRow).where(
        SignUpRow.offer_id == offer.id, SignUpRow.email == address))


def _listed(session: Session, offer_id: str) -> int:
    return session.scalar(select(func.count()).select_from(SignUpRow).where(
        SignUpRow.offer_id == offer_id, SignUpRow.number.is_not(None))) or 0


def forget(session: Session, people: Iterable[SignUpRow]) -> None:
    """Delete sign-ups, and what the letters about them say; the letters of anyone who is a player stay."""
    for person in people:
        email = person.email
        session.delete(person)
        session.flush()
        # On another list the same address is still wanted.
        others = session.scalar(select(SignUpRow.id).where(SignUpRow.email == email).limit(1))
        if others is not None or records.player_of(session, email) is not None:
            continue
        for letter in session.scalars(select(OutboxRow).where(
                OutboxRow.kind == SIGN_UP.name, OutboxRow.recipient == email)):
            letter.recipient, letter.words, letter.files, letter.error = NOBODY, None, [], None
            letter.subject, letter.key = "", f"forgotten-{letter.id}"
            if letter.state in {OutboxState.QUEUED, OutboxState.HELD}:
                letter.state = OutboxState.CANCELLED
    session.flush()


def _forget_old(session: Session, now: datetime) -> None:
    """Sign-ups that no one confirmed go: their addresses may be those of strangers."""
    forget(session, session.scalars(select(SignUpRow).where(
        SignUpRow.number.is_(None), SignUpRow.made_at < now - UNCONFIRMED)).all())


def _mail(
    session: Session, letters: LetterContext, offer: OfferRow, row: SignUpRow, base_url: str, now: datetime
) -> None:
    since = now - timedelta(days=1)
    letters_before = session.scalar(select(func.count()).select_from(OutboxRow).where(
        OutboxRow.kind == SIGN_UP.name, OutboxRow.recipient == row.email, OutboxRow.due_at > since)) or 0
    session.add(row)
    # Two machines that answer each other stop (SEC-07).
    if letters_before >= LETTERS_A_DAY:
        return
    # A new secret in each letter: only its digest is stored, so the last letter's link is the one that works.
    secret = token_urlsafe(32)
    row.link_hash, row.mailed_at = _digest(secret), now
    session.flush()
    facts = SignUpFacts(
        f"{row.id}-{secret[-10:]}", offer.name, row.number, row.name,
        power_names(letters, offer, row.preferences), days_of(row.dates),
        f"{base_url}{PATH}{offer.id}/{secret}" if base_url else "", offer.commitment)
    letters.put(session, render.letter(
        SIGN_UP, None, Recipient(row.email, "", row.zone, row.name, row.language), facts))
    records.log_event(session, now, Event.SIGN_UP_LETTER, detail={"offer": offer.id, "number": row.number})


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


# The kinds of these letters
# --------------------------------------------------------------------------------------------------


SIGN_UP = LetterKind("sign_up", SignUpFacts, "A place on the list for a game",
    rank=Rank.ANSWER, contents=Contents.LINK, folder="features/sign_up")
"""A person's place on the list for a game that is to be. It belongs to no game."""
