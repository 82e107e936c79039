"""Rows to values and back: the small queries of the service. No rule of a game or
of mail is decided here.

Every function takes the caller's session and never commits, so several of them make one transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from sqlalchemy import ColumnElement, CursorResult, func, insert, inspect, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.facts.sheets import Fate, SheetFlag
from service.store.addresses import author_mark, folded_address, provider_of
from service.store.columns import Instant
from service.store.tables import (
    AddressRow,
    EventRow,
    GameRoleRow,
    GameRow,
    MailboxLocationRow,
    MailRow,
    MailState,
    OutboxRow,
    OutboxState,
    PageRow,
    PhaseRow,
    PhaseState,
    PlayerRow,
    PostalOriginalRow,
    RecordPendingRow,
    SeatRow,
    SubmissionRow,
    TableBase,
)

_AT_ONCE = 500
"""Values in one list of a statement."""


class PlaceLike(Protocol):
    """Where a mail was seen (`service.mail.mailbox.source.MailboxLocation`)."""

    @property
    def account(self) -> str: ...
    @property
    def folder(self) -> str: ...
    @property
    def uidvalidity(self) -> str: ...
    @property
    def uid(self) -> str: ...


# Claims
# ----------------------------------------------------------------------------------------------------------


def insert_once(session: Session, table: type[TableBase], **values: Any) -> bool:
    """Add a row unless one of its unique keys is taken; whether it was added. Leaves the transaction
    usable."""
    on_postgresql = session.get_bind().dialect.name == "postgresql"
    keys = inspect(table).primary_key
    statement: Any = (postgresql.insert if on_postgresql else sqlite.insert)(table).values(**values)
    session.flush()
    # The count of rows is not an answer here: psycopg gives -1 for an insert.
    added = session.execute(statement.on_conflict_do_nothing().returning(*keys)).first()
    return added is not None


def claim(session: Session, table: type[TableBase], *where: ColumnElement[bool], **values: Any) -> bool:
    """Change a row that is still as `where` states; False when another person was first.

    Names the state it expects: `claim(s, PhaseRow, PhaseRow.id == 7, PhaseRow.state == "open",
    state="closed")`.
    """
    session.flush()
    statement = update(table).where(*where).values(**values)
    result = session.execute(statement, execution_options={"synchronize_session": False})
    # Rows that are loaded are read again, so that what the caller holds is what the database states.
    session.expire_all()
    return isinstance(result, CursorResult) and result.rowcount > 0


def database_now(session: Session) -> datetime:
    """The time (UTC) by the database server's clock, which all machines of a site share: theirs differ, and
    what one notes another compares. SQLite has no clock of its own, and one machine."""
    if session.get_bind().dialect.name != "postgresql":
        return datetime.now(UTC)
    return session.scalars(select(func.clock_timestamp(type_=Instant()))).one()


# Mail
# ----------------------------------------------------------------------------------------------------------


def place_known(session: Session, place: PlaceLike) -> bool:
    """Whether this place's mail was committed before."""
    return (
        session.get(MailboxLocationRow, (place.account, place.folder, place.uidvalidity, place.uid))
        is not None
    )


def places_known(session: Session, places: Sequence[PlaceLike]) -> set[PlaceLike]:
    """Those of some places, all of one account, whose mails were committed before."""
    known: set[PlaceLike] = set()
    for start in range(0, len(places), _AT_ONCE):
        some = {(place.folder, place.uidvalidity, place.uid): place
                for place in places[start : start + _AT_ONCE]}
        rows = session.execute(
            select(MailboxLocationRow.folder, MailboxLocationRow.uidvalidity, MailboxLocationRow.uid).where(
                MailboxLocationRow.account == places[0].account,
                MailboxLocationRow.uid.in_({uid for _, _, uid in some})))
        known |= {some[key] for row in rows if (key := (row.folder, row.uidvalidity, row.uid)) in some}
    return known


def player_marks(session: Session) -> set[str]:
    """The marks of all registered addresses (`MailRow.author`)."""
    return set(map(author_mark, session.scalars(select(AddressRow.email))))


def add_mail(
    session: Session,
    sha256: str,
    size: int,
    received_at: datetime,
    stored_at: datetime,
    *,
    reason: str | None = None,
    author: str | None = None,
    proof: dict[str, Any] | None = None,
) -> bool:
    """A raw mail by the hash of its bytes; False when the same bytes are known. `proof`: who proved its
    sender, where that is known before it is judged (`service.intake.waiting_proof`)."""
    return insert_once(
        session,
        MailRow,
        sha256=sha256,
        size=size,
        received_at=received_at,
        stored_at=stored_at,
        state=MailState.STORED,
        reason=reason,
        author=author,
        proof=proof,
        tries=0,
    )


def add_place(session: Session, place: PlaceLike, sha256: str) -> bool:
    """Where these bytes were seen."""
    return insert_once(
        session,
        MailboxLocationRow,
        account=place.account,
        folder=place.folder,
        uidvalidity=place.uidvalidity,
        uid=place.uid,
        sha256=sha256,
    )


def add_moved_place(session: Session, old: PlaceLike, new: PlaceLike, moved_at: datetime) -> None:
    """Where this site moved a mail to."""
    row = session.get(MailboxLocationRow, (old.account, old.folder, old.uidvalidity, old.uid))
    if row is not None:
        insert_once(session, MailboxLocationRow, account=new.account, folder=new.folder,
                    uidvalidity=new.uidvalidity, uid=new.uid, sha256=row.sha256, moved_at=moved_at)


def mark_moved(session: Session, place: PlaceLike, moved_at: datetime) -> None:
    """Note that the mail was moved away on the server."""
    claim(
        session,
        MailboxLocationRow,
        MailboxLocationRow.account == place.account,
        MailboxLocationRow.folder == place.folder,
        MailboxLocationRow.uidvalidity == place.uidvalidity,
        MailboxLocationRow.uid == place.uid,
        MailboxLocationRow.moved_at.is_(None),
        moved_at=moved_at,
    )


def end_mail(
    session: Session,
    sha256: str,
    state: MailState,
    reason: str | None = None,
    verdict: dict[str, Any] | None = None,
) -> bool:
    """Give a stored mail its end; False when it has one already."""
    return claim(
        session,
        MailRow,
        MailRow.sha256 == sha256,
        MailRow.state == MailState.STORED,
        state=state,
        reason=reason,
        verdict=verdict,
    )


def unfinished_mails(session: Session) -> list[MailRow]:
    """Mails that have no end yet, in the order of their receipt."""
    return list(
        session.scalars(
            select(MailRow)
            .where(MailRow.state == MailState.STORED)
            .order_by(MailRow.received_at, MailRow.sha256)
        )
    )


def unjudged_mails(session: Session, game_id: str, received_until: datetime) -> list[str]:
    """Hashes of the stored mails without an end that came in time and may be of a player of a game, in the
    order of their receipt."""
    # A mail counts for only the player whose address is in From, proved; whose is not known is
    # everybody's.
    marks = [author_mark(email) for email in game_emails(session, game_id)]
    return list(session.scalars(
        select(MailRow.sha256)
        .where(MailRow.state == MailState.STORED, MailRow.received_at <= received_until,
               or_(MailRow.author.is_(None), MailRow.author.in_(marks)))
        .order_by(MailRow.received_at, MailRow.sha256)))


def mails_to_try_again(session: Session, now: datetime, limit: int = 200) -> list[tuple[str, int]]:
    """Hashes of stored mails that wait for DNS and are due, each with its tries so far."""
    rows = session.execute(
        select(MailRow.sha256, MailRow.tries)
        .where(MailRow.state == MailState.STORED, MailRow.try_again_at <= now)
        .order_by(MailRow.received_at, MailRow.sha256).limit(limit))
    return [(key, tries) for key, tries in rows]


# Games and people
# ---------------------------------------------------------------------------------------------------


def games(session: Session) -> list[GameRow]:
    """Every game, by name."""
    return list(session.scalars(select(GameRow).order_by(GameRow.name)))


def seats(session: Session, game_id: str) -> dict[str, int | None]:
    """Power to player id; None for a seat no one holds."""
    return {s.power: s.player_id for s in session.scalars(select(SeatRow).where(SeatRow.game_id == game_id))}


def roles_in_games(session: Session) -> Mapping[str, Mapping[str, str]]:
    """Each person's roles in games, by name and game."""
    roles: dict[str, dict[str, str]] = {}
    for row in session.scalars(select(GameRoleRow).order_by(GameRoleRow.user, GameRoleRow.game_id)):
        roles.setdefault(row.user, {})[row.game_id] = row.role
    return roles


def addresses(session: Session, game_id: str) -> dict[str, tuple[str, ...]]:
    """Mail addresses of each power of a game, sorted; a power without any is left out."""
    rows = session.execute(
        select(SeatRow.power, AddressRow.email)
        .join(AddressRow, AddressRow.player_id == SeatRow.player_id)
        .where(SeatRow.game_id == game_id)
        .order_by(SeatRow.power, AddressRow.email)
    )
    emails: dict[str, tuple[str, ...]] = {}
    for power, email in rows:
        emails[power] = (*emails.get(power, ()), email)
    return emails


def game_emails(session: Session, game_id: str) -> list[str]:
    """Every mail address of a game's players."""
    return list(session.scalars(
        select(AddressRow.email).join(SeatRow, SeatRow.player_id == AddressRow.player_id)
        .where(SeatRow.game_id == game_id).distinct()))


def games_of_senders(session: Session, senders: Collection[str]) -> list[str]:
    """The games in which one of these addresses, however it is written, has a seat."""
    emails = [email for sender in senders if sender for email in _registered_spellings(session, sender)]
    return sorted(session.scalars(
        select(SeatRow.game_id).join(AddressRow, AddressRow.player_id == SeatRow.player_id)
        .where(AddressRow.email.in_(emails)).distinct())) if emails else []


def _registered_spellings(session: Session, sender: str) -> list[str]:
    """The spellings under which an address may be registered."""
    folded, provider = folded_address(sender), provider_of(sender)
    if provider is not None:
        endings = or_(*(AddressRow.email.endswith(f"@{domain}", autoescape=True)
                        for domain in sorted(provider.domains)))
        return [email for email in session.scalars(select(AddressRow.email).where(endings))
                if folded_address(email) == folded]
    if not sender.isascii() or "xn--" in folded:
        # The domain may be registered in another script: those that fold to the same are picked out here.
        return [email for email in session.scalars(select(AddressRow.email))
                if folded_address(email) == folded]
    return [sender.lower(), folded, f"{folded}."]


def games_of_mail(session: Session, mail: MailRow) -> list[str]:
    """The game that a mail names, or else every game in which its sender has a seat, or whose name is in its
    subject: of a mail whose sender was not proved nothing else is known. None for a stranger's mail that
    names no game, which no record could hold."""
    verdict = mail.verdict_fields
    if verdict.get("game"):
        return list(session.scalars(select(GameRow.id).where(GameRow.name == verdict["game"])))
    player = player_of(session, mail.sender) if mail.sender else None
    if player is not None:
        return sorted({game for game, _ in seats_of(session, player.id)})
    subject = str(verdict.get("subject", "")).casefold()
    return sorted(game.id for game in games(session) if game.name.casefold() in subject)


def seats_of(session: Session, player_id: int) -> list[tuple[str, str]]:
    """The seats of a player: game and power, sorted."""
    rows = session.execute(select(SeatRow.game_id, SeatRow.power).where(SeatRow.player_id == player_id))
    return sorted((game, power) for game, power in rows)


def registered_address(session: Session, email: str) -> AddressRow | None:
    """The address under which a mailbox is registered, however it is spelled here: this spelling, else the
    first by the alphabet. Letters go to it, and to no other spelling."""
    written = email.strip().lower()
    spellings = _registered_spellings(session, written) if written else []
    rows = session.scalars(select(AddressRow).where(AddressRow.email.in_([written, *spellings]))
                           .order_by(AddressRow.email != written, AddressRow.email))
    return rows.first()


def player_of(session: Session, email: str) -> PlayerRow | None:
    """Whose mailbox this is, however it is spelled."""
    address = registered_address(session, email)
    return None if address is None else session.get_one(PlayerRow, address.player_id)


# Phases
# ----------------------------------------------------------------------------------------------------------


def phases(session: Session, game_id: str) -> list[PhaseRow]:
    """All phases of a game in their order."""
    return list(
        session.scalars(select(PhaseRow).where(PhaseRow.game_id == game_id).order_by(PhaseRow.ordinal))
    )


def open_phase(session: Session, game_id: str) -> PhaseRow | None:
    """The phase that takes orders, if one does."""
    return session.scalar(
        select(PhaseRow)
        .where(PhaseRow.game_id == game_id, PhaseRow.state == PhaseState.OPEN)
        .order_by(PhaseRow.ordinal)
        .limit(1)
    )


def claim_phase(session: Session, phase_id: int, expected: PhaseState, to: PhaseState, **values: Any) -> bool:
    """Take a phase one step on; False when it was not in the expected state."""
    return claim(session, PhaseRow, PhaseRow.id == phase_id, PhaseRow.state == expected, state=to, **values)


# Submissions
# --------------------------------------------------------------------------------------------------------


def submissions(session: Session, phase_id: int, power: str | None = None) -> list[SubmissionRow]:
    """Submissions of a phase, or of one power in it, in order of receipt."""
    conditions = [SubmissionRow.phase_id == phase_id]
    if power is not None:
        conditions.append(SubmissionRow.power == power)
    return list(
        session.scalars(
            select(SubmissionRow).where(*conditions).order_by(SubmissionRow.received_at, SubmissionRow.id)
        )
    )


def add_submission(session: Session, **values: Any) -> SubmissionRow | None:
    """File a submission; None when the same mail, or the same sheet mailed again, is filed already."""
    if not insert_once(session, SubmissionRow, **{"flags": [], "fate": Fate.COUNTS, **values}):
        return None
    # The coordinator chose among the sheets known then. Without this a player's later version would lose
    # against that choice unseen (VER-02).
    if values["received_at"] <= session.get_one(PhaseRow, values["phase_id"]).deadline:
        end_choice(session, values["phase_id"], values["power"], SheetFlag.CHOICE_ENDED)
    return session.scalars(
        select(SubmissionRow).where(
            SubmissionRow.phase_id == values["phase_id"],
            SubmissionRow.power == values["power"],
            SubmissionRow.semantic_key == values["semantic_key"],
        )
    ).one()


def end_choice(session: Session, phase_id: int, power: str, *marks: str) -> bool:
    """Take a coordinator's choice of a submission back and add `marks` to its flags; False if there is
    none."""
    chosen_papers = [row for row in submissions(session, phase_id, power) if SheetFlag.CHOSEN in row.flags]
    for row in chosen_papers:
        row.fate = Fate.HELD if SheetFlag.RELEASED in row.flags else row.fate
        others = [flag for flag in row.flags if flag not in {SheetFlag.CHOSEN, SheetFlag.RELEASED}]
        row.flags = [*others, *marks]
    session.flush()
    return bool(chosen_papers)


def pages(session: Session, submission_id: int) -> list[PageRow]:
    """Pages of a submission in their order."""
    return list(
        session.scalars(
            select(PageRow).where(PageRow.submission_id == submission_id).order_by(PageRow.ordinal)
        )
    )


def posted(session: Session, phase_id: int) -> frozenset[str]:
    """The powers whose letter for a phase came by post (Q-04)."""
    return frozenset(
        session.scalars(
            select(PostalOriginalRow.power).where(
                PostalOriginalRow.phase_id == phase_id, PostalOriginalRow.ended_at.is_(None)
            )
        )
    )


# Letters and events
# -------------------------------------------------------------------------------------------------


def next_letter(session: Session, now: datetime) -> int | None:
    """The id of the letter that goes next: of those whose time has come the lowest rank, then the first
    written; None if no letter is due. Others that look at the same time get others."""
    query = (
        select(OutboxRow.id).where(OutboxRow.state == OutboxState.QUEUED, OutboxRow.due_at <= now)
        .order_by(OutboxRow.rank, OutboxRow.id).limit(1))
    # Only here and not in the claim: a row that another sender holds is passed by, and not waited for.
    return session.scalar(query.with_for_update(skip_locked=True))


def letters_with_dead_claims(session: Session, now: datetime) -> list[OutboxRow]:
    """Letters whose sender did not come back."""
    return list(
        session.scalars(
            select(OutboxRow)
            .where(OutboxRow.state == OutboxState.SENDING, OutboxRow.claimed_until <= now)
            .order_by(OutboxRow.id)
        )
    )


def letters_to_send(session: Session, now: datetime, limit: int = 100) -> list[int]:
    """Ids of letters whose time has come, the longest due first; without any, of those whose sender did not
    come back."""
    due = select(OutboxRow.id).where(OutboxRow.state == OutboxState.QUEUED, OutboxRow.due_at <= now)
    ids = session.scalars(due.order_by(OutboxRow.due_at, OutboxRow.id).limit(limit)).all()
    if ids:
        return list(ids)
    dead = select(OutboxRow.id).where(
        OutboxRow.state == OutboxState.SENDING, OutboxRow.claimed_until <= now)
    return list(session.scalars(dead.order_by(OutboxRow.claimed_until, OutboxRow.id).limit(limit)))


def letters_by_message_id(session: Session, message_ids: Sequence[str]) -> list[OutboxRow]:
    """The letters that these Message-IDs belong to, in their order."""
    if not message_ids:
        return []
    rows = session.scalars(select(OutboxRow).where(OutboxRow.message_id.in_(message_ids)))
    return sorted(rows, key=lambda row: message_ids.index(row.message_id))


def letter_by_message_id(session: Session, message_ids: Sequence[str]) -> OutboxRow | None:
    """The first of them: what a bounce speaks of."""
    return next(iter(letters_by_message_id(session, message_ids)), None)


def note_reading(session: Session, submission_id: int) -> None:
    """Have the record enter the reading of a sheet again, which names the power that the sheet is filed for
    now."""
    session.execute(insert(RecordPendingRow).values(what="reading", fact=str(submission_id)))


MACHINE = "galloper"
"""Whose events are no one's doing."""


def log_event(
    session: Session,
    instant: datetime,
    kind: Event,
    *,
    game_id: str | None = None,
    detail: dict[str, Any] | None = None,
) -> None:
    """Note what the machine did. `detail` never holds order text or addresses."""
    log_act(session, instant, MACHINE, kind, game_id=game_id, detail=detail or {})


def log_act(
    session: Session, instant: datetime, by: str, kind: Event, *, game_id: str | None, detail: dict[str, Any]
) -> None:
    """Note what a person did. For `service.games.acts.act.perform` alone."""
    session.execute(insert(EventRow).values(at=instant, game_id=game_id, actor=by, what=kind, detail=detail))
