"""Passkeys instead of the password (WebAuthn Level 2): keys that a person's device keeps and uses for this
site alone, after its own finger, face or number.

The device is asked to check its person (user verification), so a passkey needs no code of an app next to it.
Anyone who adds one shows the password again: a browser that was left behind gives no one a key of their
own. """

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.refused import NotFound, Refused
from service.store.tables import PasskeyChallengeRow, PasskeyRow
from service.web import sign_in_tries
from service.web.networks import LOOPBACK, network_of
from service.web.page import NotInstalled

LASTS = timedelta(minutes=5)
"""How long a browser has to answer."""
MOST = 20
"""Keys of one person."""
OF_A_NETWORK = 20
"""Challenges that one address may have open; of this machine, where everybody may seem to be, more."""
_OF_LOOPBACK = 400
LONGEST = 20_000
"""Characters of an answer; a real one has about a thousand."""
_LABEL = 80


NOT_HERE = ("Passkeys work at the site's own address only, which is missing in its settings. The operator "
            "sets base_url under [web]. The password works as before.")
NOT_ACCEPTED = ("This passkey was not accepted. Nothing was changed: try once more, or use your name and "
                "password.")
TOO_MANY = "Too many passkeys were requested from your address. Nothing was changed; wait five minutes."


@dataclass(frozen=True, slots=True)
class Place:
    """Where keys work: the site's host and its origin, by which a browser shows it from an imitation."""

    host: str
    origin: str
    title: str


def place_of(base_url: str, asked: str, title: str) -> Place:
    """The place of a site. `asked` is the address of the request, which counts on this machine alone: the
    name in it is the client's word. Raises Refused where the settings name no address."""
    parts = urlsplit(base_url or asked)
    if not parts.hostname or (not base_url and parts.hostname != "localhost"):
        raise Refused(NOT_HERE)
    return Place(parts.hostname, f"{parts.scheme}://{parts.netloc}", title)


def ask_for_new(session: Session, place: Place, user: str, address: str, now: datetime) -> str:
    """The request to the person's browser to make a key, as JSON. Raises Refused."""
    library = _library()
    known = own_keys(session, user)
    if len(known) >= MOST:
        raise Refused(f"Nothing was changed: {MOST} passkeys are enough. Remove one first.")
    structs = library.helpers.structs
    options = library.generate_registration_options(
        rp_id=place.host, rp_name=place.title, user_name=user, user_display_name=user,
        # A device keeps one key for each handle; it has nothing of the person.
        user_id=hashlib.sha256(f"passkeys of {user}".encode()).digest(),
        # Which make a device is of is no one's business here.
        attestation=structs.AttestationConveyancePreference.NONE,
        authenticator_selection=structs.AuthenticatorSelectionCriteria(
            resident_key=structs.ResidentKeyRequirement.REQUIRED,
            user_verification=structs.UserVerificationRequirement.REQUIRED),
        exclude_credentials=[
            structs.PublicKeyCredentialDescriptor(id=library.base64url_to_bytes(row.id)) for row in known])
    _note(session, options.challenge, user, address, now)
    return str(library.options_to_json(options))


@dataclass(frozen=True, slots=True)
class AddPasskey(Act[PasskeyRow]):
    """Keeps the public half of a key that a person's browser made in answer to `challenge`. `made_at`: by the
    clock on the wall. The outcome is its row."""

    place: Place
    challenge: bytes
    answer: str
    label: str
    made_at: datetime

    def check(self, table: ActTable) -> None:
        """Refuse what no browser answers."""
        _field(self.answer, "id")

    def change(self, table: ActTable) -> PasskeyRow:
        """Refuse an answer that is not right, and a key that is known."""
        library = _library()
        try:
            registration = library.verify_registration_response(
                credential=self.answer, expected_challenge=self.challenge,
                expected_rp_id=self.place.host, expected_origin=self.place.origin,
                require_user_verification=True)
        except _faults() as fault:
            raise Refused(NOT_ACCEPTED) from fault
        key = library.helpers.bytes_to_base64url(registration.credential_id)
        # Another person's key under this name would let them in as this one.
        if len(key) > 1400 or table.session.get(PasskeyRow, key) is not None:
            raise Refused(NOT_ACCEPTED)
        row = PasskeyRow(
            id=key, user=table.by,
            public_key=library.helpers.bytes_to_base64url(registration.credential_public_key),
            count=registration.sign_count, label=" ".join(self.label.split())[:_LABEL] or "A passkey",
            made_at=self.made_at)
        table.session.add(row)
        return row

    def event(self, table: ActTable, outcome: PasskeyRow, letters: int) -> LoggedEvent:
        """The person and the key's label."""
        return LoggedEvent(Event.PASSKEY_ADDED, None, {"person": table.by, "label": outcome.label})


@dataclass(frozen=True, slots=True)
class RemovePasskey(Act[None]):
    """Forgets one of a person's own keys, by what `form_key` gives."""

    key: str

    def change(self, table: ActTable) -> None:
        """Refuse one that is not theirs."""
        row = next((row for row in own_keys(table.session, table.by) if form_key(row) == self.key), None)
        if row is None:
            raise NotFound("Nothing was changed: you have no such passkey any more.")
        table.session.delete(row)

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The person."""
        return LoggedEvent(Event.PASSKEY_REMOVED, None, {"person": table.by})


def ask(session: Session, place: Place, address: str, now: datetime) -> str:
    """The challenge for a stranger's browser to sign in, as JSON: any key that it has for this site.
    No one learns who has one. Raises Refused."""
    library = _library()
    options = library.generate_authentication_options(
        rp_id=place.host, user_verification=library.helpers.structs.UserVerificationRequirement.REQUIRED)
    _note(session, options.challenge, None, address, now)
    return str(library.options_to_json(options))


def person_of(session: Session, place: Place, answer: str, now: datetime) -> str:
    """Who signs in with this answer. Raises Refused."""
    library = _library()
    challenge = use_challenge(session, answer, None, now)
    row = session.get(PasskeyRow, _field(answer, "id"), with_for_update=True)
    if row is None:
        raise Refused(NOT_ACCEPTED)
    try:
        used = library.verify_authentication_response(
            credential=answer, expected_challenge=challenge, expected_rp_id=place.host,
            expected_origin=place.origin, require_user_verification=True,
            credential_public_key=library.base64url_to_bytes(row.public_key),
            credential_current_sign_count=row.count)
    except _faults() as fault:
        raise Refused(NOT_ACCEPTED) from fault
    row.count, row.used_at = used.new_sign_count, now
    return row.user


def own_keys(session: Session, user: str) -> list[PasskeyRow]:
    """The keys of a person, the oldest first."""
    return list(session.scalars(
        select(PasskeyRow).where(PasskeyRow.user == user).order_by(PasskeyRow.made_at, PasskeyRow.id)))


def remove_all(session: Session, user: str) -> None:
    """Forget every key of a person, and what they were asked."""
    session.execute(delete(PasskeyRow).where(PasskeyRow.user == user))
    session.execute(delete(PasskeyChallengeRow).where(PasskeyChallengeRow.user == user))


def form_key(row: PasskeyRow) -> str:
    """A key's name in a form."""
    return _hash(row.id.encode())[:16]


def _note(session: Session, challenge: bytes, user: str | None, address: str, now: datetime) -> None:
    """Keep what was asked. Raises Refused where one address has too many open."""
    sign_in_tries.count_alone(session)
    session.execute(delete(PasskeyChallengeRow).where(PasskeyChallengeRow.made_at <= now - LASTS))
    network = network_of(address)
    network_hash = _hash(f"network {network}".encode())
    is_open = PasskeyChallengeRow.network_hash == network_hash
    count = session.scalar(select(func.count()).select_from(PasskeyChallengeRow).where(is_open)) or 0
    if count >= (_OF_LOOPBACK if network == LOOPBACK else OF_A_NETWORK):
        raise Refused(TOO_MANY)
    session.add(PasskeyChallengeRow(
        challenge_hash=_hash(challenge), network_hash=network_hash, user=user, made_at=now))


def use_challenge(session: Session, answer: str, user: str | None, now: datetime) -> bytes:
    """The challenge of an answer. It is used up by one answer, right or wrong, so the caller commits
    before the answer is looked at. Raises Refused."""
    library = _library()
    try:
        client_data = json.loads(library.base64url_to_bytes(_field(answer, "response", "clientDataJSON")))
        challenge = bytes(library.base64url_to_bytes(str(client_data["challenge"])))
    except (ValueError, KeyError, TypeError, RecursionError) as fault:
        raise Refused(NOT_ACCEPTED) from fault
    # One statement: of two answers at one moment the later finds nothing.
    used = session.execute(
        delete(PasskeyChallengeRow).where(
            PasskeyChallengeRow.challenge_hash == _hash(challenge),
            PasskeyChallengeRow.made_at > now - LASTS,
            PasskeyChallengeRow.user.is_(None) if user is None else PasskeyChallengeRow.user == user)
        .returning(PasskeyChallengeRow.challenge_hash)).all()
    if not used:
        raise Refused(NOT_ACCEPTED)
    return challenge


def _field(answer: str, *names: str) -> str:
    """A text within a browser's answer. Raises Refused for what is none of ours."""
    try:
        value: Any = json.loads(answer[:LONGEST])
        for name in names:
            value = value[name]
    except (ValueError, KeyError, TypeError, RecursionError) as fault:
        raise Refused(NOT_ACCEPTED) from fault
    if not isinstance(value, str):
        raise Refused(NOT_ACCEPTED)
    return value


def _hash(words: bytes) -> str:
    return hashlib.sha256(words).hexdigest()


def _faults() -> tuple[type[Exception], ...]:
    """The library's exceptions for a wrong answer: its own faults, and those of what it calls for
    bytes that are not CBOR, no number and no text."""
    exceptions = _library().helpers.exceptions
    return (exceptions.WebAuthnException, ValueError, KeyError, TypeError, IndexError, OverflowError)


def _library() -> Any:
    try:
        import webauthn
        import webauthn.helpers
        import webauthn.helpers.exceptions
        import webauthn.helpers.structs
    except ImportError as error:
        raise NotInstalled(
            'Passkeys need a Python package that is not installed; pip install "galloper[passkeys]"'
        ) from error
    return webauthn
