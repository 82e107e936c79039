"""Games, players, mails, letters and lines that have some words, for the page Log."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, String, and_, cast, func, or_, select, true
from sqlalchemy.orm import InstrumentedAttribute, Session

from service.games.phases import phase_title
from service.store.tables import (
    AddressRow,
    GameRow,
    LineRow,
    MailRow,
    OutboxRow,
    PageRow,
    PhaseRow,
    PhaseState,
    PlayerRow,
    ReviewRow,
    SeatRow,
    SubmissionRow,
)
from service.web.mail_games import is_within_mail
from service.web.ports import DeskPorts

SHORTEST, LONGEST = 2, 100
"""Letters of what is searched for: less would be on every page, more is not a name."""
MOST = 30
"""Finds of one kind that are shown, the newest first."""
MOST_LOOKED_AT = 1_000
"""Mails with the words, the newest first, among which those of one's own games are looked for."""


@dataclass(frozen=True, slots=True)
class Find:
    """One thing that has all the words: what to call it, the page where it is, or "", and what it belongs
    to."""

    title: str
    address: str
    about: str


def typed_words(typed: str) -> str:
    """The query: the typed text without repeated blanks, cut to `LONGEST` letters."""
    return " ".join(typed.split())[:LONGEST]


def finds(
    session: Session, ports: DeskPorts, words: str, games: frozenset[str] | None
) -> list[tuple[str, list[Find]]]:
    """The finds that have all the words, by kind; empty for less than `SHORTEST` letters. Nothing of a sheet
    before its deadline, and with `games` nothing of another game."""
    if len(words) < SHORTEST:
        return []
    of_kinds = [
        ("Games", _games(session, words, games)), ("Players", _players(session, ports, words, games)),
        ("Mails", _mails(session, words, games)), ("Letters", _letters(session, words, games)),
        ("Lines", _lines(session, ports, words, games)),
    ]
    return [(kind, of_kind) for kind, of_kind in of_kinds if of_kind]


def has_words(words: str, *columns: InstrumentedAttribute[Any] | ColumnElement[Any]) -> ColumnElement[bool]:
    """Each word is in one of these columns, whatever its case."""
    return and_(*(
        or_(*(func.lower(cast(column, String)).contains(word.lower(), autoescape=True) for column in columns))
        for word in words.split()))


def _of(game: InstrumentedAttribute[Any], games: frozenset[str] | None) -> ColumnElement[bool]:
    """The column of a game's id names one of these games; None represents all."""
    return true() if games is None else game.in_(games)


def _games(session: Session, words: str, games: frozenset[str] | None) -> list[Find]:
    rows = session.scalars(
        select(GameRow)
        .where(_of(GameRow.id, games), has_words(words, GameRow.name, GameRow.id, GameRow.variant))
        .order_by(GameRow.created_at.desc()).limit(MOST))
    return [Find(game.name, f"/games/{game.id}", game.variant) for game in rows]


def _players(
    session: Session, ports: DeskPorts, words: str, games: frozenset[str] | None
) -> list[Find]:
    rows = session.execute(
        select(PlayerRow.id, PlayerRow.name, GameRow.id, GameRow.name, GameRow.variant, SeatRow.power)
        .distinct()
        .outerjoin(AddressRow, AddressRow.player_id == PlayerRow.id)
        .outerjoin(SeatRow, SeatRow.player_id == PlayerRow.id)
        .outerjoin(GameRow, GameRow.id == SeatRow.game_id)
        .where(_of(SeatRow.game_id, games), has_words(words, PlayerRow.name, AddressRow.email, SeatRow.power))
        .order_by(PlayerRow.id.desc()).limit(MOST))
    return [
        Find(name, "" if game_id is None else f"/games/{game_id}",
             "no game now" if game_id is None else f"{ports.power_name(variant, power)} in {game_name}")
        for _, name, game_id, game_name, variant, power in rows
    ]


def _mails(session: Session, words: str, games: frozenset[str] | None) -> list[Find]:
    subject = MailRow.verdict["subject"].as_string()
    newest = session.scalars(
        select(MailRow).where(has_words(words, MailRow.sender, MailRow.sha256, subject))
        .order_by(MailRow.received_at.desc()).limit(MOST if games is None else MOST_LOOKED_AT))
    rows = list(islice((mail for mail in newest if is_within_mail(session, mail, games)), MOST))
    sheets = {row.sha256: row.id for row in session.execute(
        select(SubmissionRow.sha256, SubmissionRow.id)
        .where(SubmissionRow.sha256.in_([mail.sha256 for mail in rows])))}
    return [
        Find(str(mail.verdict_fields.get("subject") or "(no subject)"),
             f"/sheet/{sheets[mail.sha256]}" if mail.sha256 in sheets
             else f"/quarantine/{mail.sha256}" if mail.state == "quarantined" else "",
             f"{mail.sender or 'sender unknown'}, {mail.received_at:%a %-d %b %Y, %H:%M} GMT; {mail.state}")
        for mail in rows
    ]


def _letters(session: Session, words: str, games: frozenset[str] | None) -> list[Find]:
    rows = session.scalars(
        select(OutboxRow)
        .where(_of(OutboxRow.game_id, games), has_words(words, OutboxRow.subject, OutboxRow.recipient))
        .order_by(OutboxRow.id.desc()).limit(MOST))
    return [Find(letter.subject, f"/letters/{letter.id}", f"to {letter.recipient}; {letter.state}")
            for letter in rows]


def _lines(session: Session, ports: DeskPorts, words: str, games: frozenset[str] | None) -> list[Find]:
    """Lines by what the machine read or a person decided, of phases whose sheets may be read."""
    decided = select(ReviewRow.line_id).where(
        ReviewRow.undone_at.is_(None), has_words(words, ReviewRow.text, ReviewRow.order))
    # Sealed until the deadline: not even that a sheet has a word may be learnt (DESK-02).
    open_to_readers = or_(PhaseRow.state.in_([PhaseState.CLOSED, PhaseState.READY, PhaseState.SENT]),
                          PhaseRow.unsealed_at.is_not(None))
    rows = session.execute(
        select(LineRow, SubmissionRow, PhaseRow, GameRow)
        .join(PageRow, PageRow.id == LineRow.page_id)
        .join(SubmissionRow, SubmissionRow.id == PageRow.submission_id)
        .join(PhaseRow, PhaseRow.id == SubmissionRow.phase_id).join(GameRow, GameRow.id == PhaseRow.game_id)
        .where(_of(GameRow.id, games), open_to_readers,
               or_(has_words(words, LineRow.text, LineRow.order), LineRow.id.in_(decided)))
        .order_by(LineRow.id.desc()).limit(MOST))
    return [
        Find(line.text or "(nothing)", f"/sheet/{submission.id}",
             f"{ports.power_name(game.variant, submission.power)}, {phase_title(phase)}, {game.name}")
        for line, submission, phase, game in rows
    ]
