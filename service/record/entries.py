"""The statement of an entry of the record about each kind of fact, read from the tables at the end of the
transaction.

Each function takes the key of a row and yields the games it concerns, each with the entry's content
(docs/record.md, "What is entered"). No entry has a player's address, but only its digest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.roles import Role
from service.games.approval.papers import DISCARDED
from service.games.names import pseudonym
from service.record.judged_entry import judged
from service.store import records
from service.store.digests import canonical, digest, plain
from service.store.tables import (
    AccessLinkRow,
    AddressRow,
    CorrectionRow,
    EntryRow,
    EventRow,
    GameKeyRow,
    GameRoleRow,
    GameRow,
    LineRow,
    LineState,
    LotContributionRow,
    MailRow,
    MailState,
    OutboxRow,
    OutboxState,
    PageRow,
    PhaseRow,
    PlayerRow,
    PostalOriginalRow,
    ReviewRow,
    SeatRow,
    SubmissionRow,
    UserRow,
)

GameEntry = tuple[str, dict[str, Any]]
"""A game's id and the content of an entry for it."""


def _game(session: Session, key: str) -> Iterator[GameEntry]:
    row = session.get(GameRow, key)
    if row is not None:
        yield (
            row.id,
            {"name": row.name, "aliases": row.aliases, "variant": row.variant, "options": row.options},
        )


def _seat(session: Session, key: str) -> Iterator[GameEntry]:
    game, _, power = key.partition(":")
    row = session.get(SeatRow, (game, power))
    if row is not None:
        player = None if row.player_id is None else session.get(PlayerRow, row.player_id)
        yield game, {"power": power, "player": None if player is None else pseudonym(player)}


def _addresses(session: Session, key: str) -> Iterator[GameEntry]:
    """By which addresses and links a player may send sheets, in each game in which they have a seat."""
    player = session.get(PlayerRow, int(key))
    if player is None:
        return
    emails = session.scalars(select(AddressRow.email).where(AddressRow.player_id == player.id)).all()
    for game in sorted({game for game, _ in records.seats_of(session, player.id)}):
        links = session.execute(select(AccessLinkRow.token_hash, AccessLinkRow.until).where(
            AccessLinkRow.player_id == player.id, AccessLinkRow.game_id == game))
        yield game, addresses_content(player, emails, links)


def addresses_content(
    player: PlayerRow, emails: Iterable[str], links: Iterable[Sequence[Any]]
) -> dict[str, Any]:
    """The digests of a player's addresses, and the `links` of one game: each its digest and its end."""
    return {"player": pseudonym(player), "addresses": sorted(map(digest, emails)),
            "links": sorted(map(list, links))}


def _phase(session: Session, key: str) -> Iterator[GameEntry]:
    row = session.get(PhaseRow, int(key))
    if row is not None:
        yield row.game_id, phase_content(row)


def phase_content(row: PhaseRow) -> dict[str, Any]:
    """The clock of a phase, the digest of its position, and that of the seed its lots are drawn from."""
    unsealed = None if row.unsealed_at is None else {
        "at": row.unsealed_at, "by": row.unsealed_by, "why": row.unsealed_why}
    return {
        "phase": row.ordinal, "year": row.year, "season": row.season, "kind": row.kind, "opens": row.opens_at,
        "deadline": row.deadline, "state": row.state, "review": row.review, "unsealed": unsealed,
        "position": None if row.position is None else digest(canonical(plain(row.position))),
        "lots": row.commitment, "draw": row.draw,
    }


def _judged(session: Session, key: str) -> Iterator[GameEntry]:
    row = session.get(PhaseRow, int(key))
    if row is not None:
        yield row.game_id, judged(session, row)


def _mail(session: Session, key: str) -> Iterator[GameEntry]:
    row = session.get(MailRow, key)
    # A mail is entered once it has its end: until then its game is unknown.
    if row is None or row.state == MailState.STORED:
        return
    for game in records.games_of_mail(session, row):
        if _has_room(session, game, row):
            yield game, mail_content(row)


MOST_OF_STRANGERS = 50
"""Mails of strangers that the record of one game enters in a day, counted by when they were stored."""


def _has_room(session: Session, game: str, row: MailRow) -> bool:
    """Whether a mail has a place in the record of a game. Anybody can write a game's name into a subject, so
    mails that no player is proved to have sent are entered up to a number a day, and beyond it only once
    a person acts on them."""
    is_strangers = not row.sender or records.player_of(session, row.sender) is None
    if not is_strangers or row.state not in {MailState.QUARANTINED, MailState.IGNORED} or (
            row.reason == DISCARDED):
        return True
    entered = select(EntryRow.fact).where(EntryRow.game_id == game, EntryRow.what == "mail")
    if session.scalar(entered.where(EntryRow.fact == row.sha256).limit(1)) is not None:
        return True
    of_the_day = select(MailRow.sha256).where(
        MailRow.stored_at > row.stored_at - timedelta(days=1), MailRow.sha256.in_(entered),
        MailRow.state.in_([MailState.QUARANTINED, MailState.IGNORED])).limit(MOST_OF_STRANGERS)
    return len(session.scalars(of_the_day).all()) < MOST_OF_STRANGERS


def mail_content(row: MailRow) -> dict[str, Any]:
    """When a mail came, and what became of it."""
    # Not its size: an archive of players shows this entry, and how long orders are must not show what a game
    # hides. The digest covers it.
    return {
        "mail": row.sha256,
        "stamped": row.received_at,
        "stored": row.stored_at,
        "became": row.state,
        "reason": row.reason,
    }


def _sheet(session: Session, key: str) -> Iterator[GameEntry]:
    row = session.get(SubmissionRow, int(key))
    if row is not None:
        phase = session.get_one(PhaseRow, row.phase_id)
        yield phase.game_id, sheet_content(row, phase, records.pages(session, row.id))


def sheet_content(row: SubmissionRow, phase: PhaseRow, pages: Sequence[PageRow]) -> dict[str, Any]:
    """What a sheet is and when it came, with the photographs of its `pages`, in their order."""
    return {
        "sheet": row.id, "phase": phase.ordinal, "power": row.power, "version": row.version,
        "asks": row.instruction, "fate": row.fate, "flags": sorted(map(str, row.flags)),
        "received": row.received_at,
        "mail": row.sha256, "photographs": list(dict.fromkeys(page.original for page in pages)),
    }


# Other lines may name a sender or a home. Their words are in an entry of their own, `aside`, which
# players' archives never open.
ORDERS = frozenset({"order", "part"})
"""Kinds of lines whose words are in the entry of a reading."""


def _reading(session: Session, key: str) -> Iterator[GameEntry]:
    row = session.get(SubmissionRow, int(key))
    if row is None or row.read_at is None:
        return
    phase = session.get_one(PhaseRow, row.phase_id)
    pages = records.pages(session, row.id)
    yield phase.game_id, reading_content(row, phase, pages, _lines(session, [page.id for page in pages]))


def reading_content(
    row: SubmissionRow, phase: PhaseRow, pages: Sequence[PageRow], lines: Iterable[LineRow]
) -> dict[str, Any]:
    """What was read on a sheet's `pages`; `lines` are all of theirs, each page's in their order."""
    by_page: dict[int, list[dict[str, Any]]] = {page.id: [] for page in pages}
    for line in lines:
        by_page[line.page_id].append(_line(line))
    return {
        "sheet": row.id,
        "phase": phase.ordinal,
        "power": row.power,
        "read": row.read_at,
        "pages": [
            {
                "page": page.ordinal,
                "photograph": page.original,
                "upright": page.upright,
                "turned": page.rotation,
                "note": page.note,
                # Named only on a printed sheet whose code was read.
                **({} if page.code is None else {"code": page.code}),
                "lines": by_page[page.id],
            }
            for page in pages
        ],
        # Named only where there is one: readings by the common reader stay as they were.
        **({} if row.hand is None else {"hand": row.hand}),
    }


def _aside(session: Session, key: str) -> Iterator[GameEntry]:
    row = session.get(SubmissionRow, int(key))
    if row is None or row.read_at is None:
        return
    phase = session.get_one(PhaseRow, row.phase_id)
    pages = [page.id for page in records.pages(session, row.id)]
    content = aside_content(row, phase, _lines(session, pages))
    if content is not None:
        yield phase.game_id, content


def aside_content(row: SubmissionRow, phase: PhaseRow, lines: Iterable[LineRow]) -> dict[str, Any] | None:
    """The words on a sheet that are not orders, by page and line; None where there are none."""
    # A separate entry, not a part of the reading: an entry is open as a whole or closed.
    other_lines = [[line.id, line.text] for line in lines if line.kind not in ORDERS]
    # All of them are empty once their player was forgotten.
    if not any(words for _, words in other_lines):
        return None
    return {"sheet": row.id, "phase": phase.ordinal, "power": row.power, "lines": other_lines}


def _lines(session: Session, pages: Sequence[int]) -> Iterable[LineRow]:
    return session.scalars(
        select(LineRow).where(LineRow.page_id.in_(pages)).order_by(LineRow.page_id, LineRow.ordinal)
    )


def _line(line: LineRow) -> dict[str, Any]:
    is_order = line.kind in ORDERS
    return {
        "line": line.id, "kind": line.kind, "struck": line.struck, "text": line.text if is_order else None,
        "order": line.order,
        "state": line.status, "per_mille_sure": round(line.confidence * 1000),
        "box": [[round(x), round(y)] for x, y in line.box],
        "candidates": [[reading.get("text"), reading.get("order")] for reading in line.candidates]
        if is_order else [],
    }


_WORDED = frozenset({LineState.READ, LineState.VOID})


def _decision(session: Session, key: str) -> Iterator[GameEntry]:
    joined = session.execute(
        select(ReviewRow, SubmissionRow.id, PhaseRow.game_id, PhaseRow.ordinal)
        .join(LineRow, LineRow.id == ReviewRow.line_id)
        .join(PageRow, PageRow.id == LineRow.page_id)
        .join(SubmissionRow, SubmissionRow.id == PageRow.submission_id)
        .join(PhaseRow, PhaseRow.id == SubmissionRow.phase_id)
        .where(ReviewRow.id == int(key))
    ).first()
    if joined is not None:
        row, sheet, game, ordinal = joined
        yield game, {
            "decision": row.id, "line": row.line_id, "sheet": sheet, "phase": ordinal, "says": row.decision,
            "text": row.text if row.decision in _WORDED else None, "order": row.order, "by": row.by,
            "at": row.at, "settles": row.settles,
            "taken_back": row.undone_at,
        }


def _posted(session: Session, key: str) -> Iterator[GameEntry]:
    row = session.get(PostalOriginalRow, int(key))
    if row is not None:
        phase = session.get_one(PhaseRow, row.phase_id)
        yield phase.game_id, {
            "phase": phase.ordinal, "power": row.power, "postmark": row.postmark, "came": row.received,
            "sheet": row.submission_id, "by": row.made_by, "taken_back": row.ended_at,
        }


def _word(session: Session, key: str) -> Iterator[GameEntry]:
    row = session.get(LotContributionRow, int(key))
    if row is not None:
        phase = session.get_one(PhaseRow, row.phase_id)
        yield (
            phase.game_id,
            {
                "phase": phase.ordinal,
                "power": row.power,
                "word": row.word,
                "received": row.received_at,
                "mail": row.mail,
                "by": row.made_by,
            },
        )


_ENDED = frozenset({OutboxState.SENT, OutboxState.FAILED, OutboxState.CANCELLED})


def _letter(session: Session, key: str) -> Iterator[GameEntry]:
    row = session.get(OutboxRow, int(key))
    if row is None:
        return
    phase = None if row.phase_id is None else session.get_one(PhaseRow, row.phase_id)
    game = row.game_id or (None if phase is None else phase.game_id)
    if game is None:
        return
    powers = [power for power, group in records.addresses(session, game).items() if row.recipient in group]
    yield game, letter_content(row, phase) | {"to": sorted(powers)}


def letter_content(row: OutboxRow, phase: PhaseRow | None) -> dict[str, Any]:
    """What a letter is and what became of it, without whom it went to: addresses may change later."""
    # Tries and claims in between have nothing to a player, and would make an entry each.
    state = OutboxState.SENT if row.state == OutboxState.DELAYED else row.state
    return {
        "letter": row.id, "kind": row.kind, "phase": None if phase is None else phase.ordinal,
        "message": row.message, "became": state if state in _ENDED else "written", "sent": row.sent_at,
    }


def _correction(session: Session, key: str) -> Iterator[GameEntry]:
    row = session.get(CorrectionRow, int(key))
    if row is not None:
        phase = session.get_one(PhaseRow, row.phase_id)
        yield (
            phase.game_id,
            {
                "phase": phase.ordinal,
                "said": row.said,
                "right": row.right,
                "effect": row.effect,
                "found_by": row.found_by,
                "by": row.by,
                "at": row.at,
            },
        )


def _event(session: Session, key: str) -> Iterator[GameEntry]:
    row = session.get(EventRow, int(key))
    if row is not None and row.game_id is not None:
        yield row.game_id, {"event": row.what, "by": row.actor, "at": row.at, "detail": row.detail}


def _person(session: Session, key: str) -> Iterator[GameEntry]:
    """Who may sign in at the desk, in each game's record; the role is None of one who may no longer, and of
    anyone who has roles in other games alone."""
    site_role, by_game = _roles(session, key)
    for game in session.scalars(select(GameRow.id).order_by(GameRow.id)):
        yield game, {"name": key, "role": by_game.get(game, site_role)}


def person_content(session: Session, key: str, game_id: str) -> dict[str, Any]:
    """The role of a person in one game: what `FACTS` states of them there, without the site's other games."""
    site_role, by_game = _roles(session, key)
    return {"name": key, "role": by_game.get(game_id, site_role)}


def _roles(session: Session, key: str) -> tuple[str | None, dict[str, str]]:
    """The role of a person on the whole site, and those in single games."""
    row = session.get(UserRow, key, populate_existing=True)
    if row is None or row.role != Role.BY_GAME:
        return None if row is None else row.role, {}
    of_person = select(GameRoleRow).where(GameRoleRow.user == key)
    return None, {each.game_id: each.role for each in session.scalars(of_person)}


def _key(session: Session, key: str) -> Iterator[GameEntry]:
    """A public key that receipts are signed with."""
    game, _, number = key.rpartition(":")
    row = session.get(GameKeyRow, (game, int(number)), populate_existing=True)
    if row is not None:
        yield game, {"number": row.number, "public": row.public}


def _gone(session: Session, key: str) -> Iterator[GameEntry]:
    """A row that was deleted, in the record of each game that mentions it."""
    kind, _, fact = key.partition(":")
    games = select(EntryRow.game_id).where(EntryRow.what == kind, EntryRow.fact == fact).distinct()
    for game in session.scalars(games.order_by(EntryRow.game_id)):
        yield game, {"of": kind, "which": fact}


FACTS: Mapping[str, Callable[[Session, str], Iterator[GameEntry]]] = {
    "game": _game, "seat": _seat, "addresses": _addresses, "phase": _phase, "judged": _judged,
    "mail": _mail, "sheet": _sheet, "reading": _reading, "aside": _aside, "decision": _decision,
    "posted": _posted, "word": _word, "letter": _letter, "correction": _correction, "event": _event,
    "person": _person, "key": _key, "gone": _gone,
}
"""Every kind of fact that is entered, by the name that the triggers use (`service.store.record_triggers`)."""
BESIDE: Mapping[str, tuple[str, ...]] = {"reading": ("aside",)}
"""Facts that are entered too, in entries of their own, when a fact of this kind was written."""
