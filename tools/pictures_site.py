"""A site with every kind of page to photograph: the demo's game, two like it that have ended or wait for
approval, and three more with lines of the desk's sample."""

from __future__ import annotations

import mailbox
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy
from sqlalchemy import select, update
from sqlalchemy.orm import Session

import maps
from adjudicator.serialize import codec
from bench.desk.sample import load_sample
from bench.desk.site import NAME, PASSWORD, SETTINGS, closed_game, lay_out
from bench.servers.ports import free_port
from service.clock import SystemClock
from service.config import Settings
from service.games.approval.papers import DISCARDED
from service.games.ending import EndKind
from service.mail.sending.outbox import LETTER_LINK
from service.public import visits
from service.site_folder import FILE, opened, settings_of
from service.store.blobs import Blobs
from service.store.columns import TableBase
from service.store.tables import (
    AccessLinkRow,
    CorrespondenceRow,
    GameRow,
    IgnoredMailRow,
    LineRow,
    LineState,
    MailRow,
    MailState,
    OfferRow,
    OutboxRow,
    PageRow,
    PhaseRow,
    PhaseState,
    PlayerRow,
    ReviewRow,
    SeatRow,
    SignUpRow,
    SubmissionRow,
)
from service.web import sessions

_Row = TypeVar("_Row", bound=TableBase)


@dataclass(frozen=True, slots=True)
class Numbers:
    """What the addresses of the pages need, by the name that `tools.pictures` writes in them."""

    # Tokens: of a coordinator's sign-in, of a later one, of a player's visit, link and letter too large.
    token: str
    second_token: str
    visit: str
    link: str
    left_out: str
    # Of the page that takes photographs, and of a place on the list of a game that is to be.
    upload: str
    place: str
    # Phases: with lines to read, with all lines read, not yet open to anybody, judged, sent.
    to_read: int
    all_read: int
    sealed: int
    ready: int
    sent: int
    # Submissions: one, one of several versions, one that is sealed.
    sheet: int
    versions: int
    sealed_sheet: int
    # A letter, a mail in quarantine, a player who wrote to the coordinator, a game, a power, the
    # ordinal of sent results, a line behind an order.
    letter: int
    mail: str
    writer: int
    game: str
    power: str
    results: int
    order_line: int
    # The same game once more, at its made-up end, and a phase of it.
    ended: str
    ended_phase: int


def play(folder: Path) -> None:
    """Play the demo's game into a folder. Raises subprocess.CalledProcessError if it stops before its end."""
    subprocess.run(
        [sys.executable, "-m", "service.cli.main", "demo", "--fast", "--keep", "--dir", str(folder)],
        check=True,
        stdout=sys.stderr,
    )


def prepare(folder: Path) -> tuple[Settings, Numbers]:
    """Make a played demo's folder a site to serve, with three more games: at the desk, all read, sealed."""
    # The demo keeps the site's key in its own folder.
    settings_text = 'site_key = "site.key"\n' + SETTINGS.format(data=".", port=free_port())
    (folder / FILE).write_text(settings_text, encoding="utf-8")
    # The demo takes its mail from its own server, which is gone; the site needs some mailbox to look
    # into.
    mailbox.Maildir(str(folder / "box"), create=True)
    settings, now = settings_of(folder), SystemClock().now()
    sample, blobs = load_sample(), Blobs(folder / "blobs")
    with opened(settings) as store, store.begin() as session:
        variant = maps.load(sample.variant)
        at_desk = closed_game(session, "Roundway Down", variant, now)
        lay_out(session, sample, at_desk, blobs)
        all_read = closed_game(session, "Nantwich", variant, now)
        for line in lay_out(session, sample, all_read, blobs):
            session.get_one(LineRow, line).status = LineState.AUTO
        sealed = closed_game(session, "Cheriton", variant, now)
        lay_out(session, sample, sealed, blobs)
        sealed.state, sealed.closed_at = PhaseState.OPEN, None
        _due_again(session, sealed, now + timedelta(days=2, hours=5))
        sessions.add_user(session, NAME, PASSWORD, now)
        session.flush()
        token = sessions.sign_in(session, NAME, PASSWORD, now)
        # For the picture of a person who signed in again in another tab.
        second_token = sessions.sign_in(session, NAME, PASSWORD, now)
        assert token is not None
        assert second_token is not None
        numbers = _numbers(session, now, (token, second_token), at_desk.id, all_read.id, sealed.id)
    return settings, numbers


def speak_german(settings: Settings) -> None:
    """Have every player, and everybody on a list, read letters and pages in German from now on."""
    with opened(settings) as store, store.begin() as session:
        session.execute(update(PlayerRow).values(language="de"))
        session.execute(update(SignUpRow).values(language="de"))


def _due_again(session: Session, phase: PhaseRow, deadline: datetime) -> None:
    """Set a phase's deadline, and move every later phase of its game by as much."""
    shift = deadline - phase.deadline
    phase.deadline = deadline
    for later in session.scalars(select(PhaseRow).where(
            PhaseRow.game_id == phase.game_id, PhaseRow.ordinal > phase.ordinal)):
        later.opens_at, later.deadline = later.opens_at + shift, later.deadline + shift


def _signed_up(session: Session, now: datetime) -> str:
    """Offer a game with three people on its list, and return the secret of the first one's link."""
    session.add(OfferRow(
        id="naseby", name="Naseby", variant="w3k", dates=["2027-06-01", "2027-06-15"], made_at=now,
        made_by=NAME, note="Two letters a week, and a good deal of patience.", sealed="5" * 64,
        commitment="c" * 64))
    session.flush()
    for number, name in enumerate(("Ada", "Blaise", "Grace"), start=1):
        session.add(SignUpRow(
            offer_id="naseby", number=number, name=name, email=f"{name.lower()}@example.org", made_at=now,
            confirmed_at=now, preferences=["Montrose", "Argyll"][: number % 3],
            dates=["2027-06-01"], home=["1 High Street", "Inverness"],
            link_hash=visits.digest(f"a place {number}")))
    return "a place 1"


def _linked(
    session: Session, player: int, opens: str, secret: str, now: datetime, game: str | None = None,
    letter: int | None = None,
) -> str:
    """Store a player's link and return its secret."""
    session.add(
        AccessLinkRow(
            token_hash=visits.digest(secret),
            player_id=player,
            opens=opens,
            made_at=now,
            until=now + timedelta(days=1),
            game_id=game,
            letter_id=letter,
        )
    )
    return secret


def _ended(session: Session, played: Sequence[PhaseRow]) -> str:
    """A game like the demo's that has ended; its id. It has the demo's boards, results and sheets."""
    game = session.get_one(GameRow, played[0].game_id)
    winner = session.scalars(select(SeatRow.power).where(SeatRow.game_id == game.id)
                             .order_by(SeatRow.power)).first()
    declared = {"kind": EndKind.CONCESSION.value, "powers": [winner], "why": "All wrote so."}
    ended = _copied_game(session, game, "Edgehill", {"gazette": True, "ended": declared})
    for phase in played:
        _copy_judged(session, phase, ended)
    session.flush()
    return ended


def _judged(session: Session, played: Sequence[PhaseRow]) -> PhaseRow:
    """The last movement phase of a game like the demo's, judged and not sent; the phases after it wait."""
    game = session.get_one(GameRow, played[0].game_id)
    copied = _copied_game(session, game, "Marston Moor", {})
    last = next(phase for phase in reversed(played) if phase.kind == "movement")
    ready = None
    for phase in session.scalars(select(PhaseRow).where(PhaseRow.game_id == game.id)
                                 .order_by(PhaseRow.ordinal)).all():
        if phase.ordinal > last.ordinal:
            _copy(session, phase, game_id=copied, state=PhaseState.WAITING, position=None, resolution=None,
                  closed_at=None, judged_at=None, sent_at=None)
        else:
            ready = _copy_judged(session, phase, copied)
    assert ready is not None
    ready.state, ready.sent_at = PhaseState.READY, None
    session.flush()
    return ready


def _copied_game(session: Session, game: GameRow, name: str, options: dict[str, Any]) -> str:
    """Another game with the players of one, without its phases; its id."""
    copied = GameRow(id=name.lower().replace(" ", "-"), name=name, aliases=[], variant=game.variant,
                     options=options, created_at=game.created_at)
    session.add(copied)
    session.flush()
    for seat in session.scalars(select(SeatRow).where(SeatRow.game_id == game.id)).all():
        session.add(SeatRow(game_id=copied.id, power=seat.power, player_id=seat.player_id))
    return copied.id


def _copy_judged(session: Session, phase: PhaseRow, game: str) -> PhaseRow:
    """A phase whose results were sent once more for another game, with its sheets."""
    copied = _copy(session, phase, game_id=game, state=PhaseState.SENT)
    lines = _copy_sheets(session, phase.id, copied.id)
    copied.resolution = _with_lines(phase.resolution, lines)
    return copied


def _copy(session: Session, row: _Row, **changes: object) -> _Row:
    """A stored copy of a row, with another id and these columns changed."""
    columns = {column.key: getattr(row, column.key) for column in sqlalchemy.inspect(type(row)).column_attrs
               if column.key != "id"}
    copied = type(row)(**{**columns, **changes})
    session.add(copied)
    session.flush()
    return copied


def _copy_sheets(session: Session, phase_id: int, to_phase_id: int) -> dict[int, int]:
    """Copy the sheets of a phase for another one, as if they had come by post (a mail is one sheet alone),
    with what people decided about them. Returns the ids of the lines by those of their originals."""
    lines: dict[int, int] = {}
    for sheet in session.scalars(select(SubmissionRow).where(SubmissionRow.phase_id == phase_id)).all():
        copied = _copy(session, sheet, phase_id=to_phase_id, sha256=None)
        for page in session.scalars(select(PageRow).where(PageRow.submission_id == sheet.id)).all():
            new_page = _copy(session, page, submission_id=copied.id)
            for line in session.scalars(select(LineRow).where(LineRow.page_id == page.id)).all():
                lines[line.id] = _copy(session, line, page_id=new_page.id).id
                for review in session.scalars(select(ReviewRow).where(ReviewRow.line_id == line.id)).all():
                    _copy(session, review, line_id=lines[line.id], key=f"{review.key}-{to_phase_id}"[-60:])
    return lines


def _with_lines(judged: Any, lines: Mapping[int, int]) -> Any:
    """What was judged, as JSON, with each order on the copy of its line."""
    if isinstance(judged, list):
        return [_with_lines(part, lines) for part in judged]
    if not isinstance(judged, dict):
        return judged
    return {key: lines.get(part, part) if key == "line" and isinstance(part, int)
            else _with_lines(part, lines) for key, part in judged.items()}


def _left_out(letter: OutboxRow) -> int:
    """Leave the files of a letter out of its mail, as if they were too large; its id."""
    letter.files = [{**file, "at": None, "name": f"results-{number}.png", "type": "image/png"}
                    for number, file in enumerate(letter.files, start=1)]
    return letter.id


def _numbers(
    session: Session, now: datetime, tokens: tuple[str, str], to_read: int, all_read: int,
    sealed: int
) -> Numbers:
    played = session.scalars(
        select(PhaseRow)
        .join(GameRow, GameRow.id == PhaseRow.game_id)
        .where(PhaseRow.state == PhaseState.SENT, PhaseRow.resolution.is_not(None))
        .order_by(PhaseRow.ordinal)
    ).all()
    ended = _ended(session, played)
    # A phase that is judged and not sent, which a played game has not.
    ready = _judged(session, played)
    game = played[0].game_id
    twice = session.scalars(select(SubmissionRow).where(SubmissionRow.version == 2)).first()
    # A letter whose files are left out is not what was sent any more: its page is of another letter.
    letter, too_large, *_ = session.scalars(
        select(OutboxRow).where(OutboxRow.kind.contains("results")).order_by(OutboxRow.id))
    mail = session.scalars(select(MailRow).where(MailRow.state == MailState.QUARANTINED)).first()
    any_mail = session.scalars(select(MailRow)).first()
    assert any_mail is not None
    if mail is None:  # the demo's coordinator settles quarantine: one mail goes back there
        mail = session.scalars(
            select(MailRow).where(MailRow.state == MailState.IGNORED, MailRow.reason == DISCARDED)
            .order_by(MailRow.received_at.desc())).first() or any_mail
        mail.state = MailState.QUARANTINED
        mail.reason = str((mail.verdict or {}).get("reason") or "subject_unparsed")

    seat = session.scalars(select(SeatRow).where(
        SeatRow.game_id == game, SeatRow.player_id.is_not(None)).order_by(SeatRow.power)).first()
    assert seat is not None
    assert seat.player_id is not None
    session.add(CorrespondenceRow(
        player_id=seat.player_id, game_id=seat.game_id, sha256=any_mail.sha256, at=any_mail.received_at,
        subject="Three more days?", words="Dear coordinator,\n\ncould we have three more days, please?",
        quoted="> Orders close on Sunday.", files=["orders.docx"]))
    session.add(IgnoredMailRow(
        sha256=any_mail.sha256, player_id=seat.player_id, sender="player@example.org", reason="auto_reply",
        subject="Our orders", noted_at=any_mail.received_at))

    def submission_of(phase_id: int) -> int:
        query = select(SubmissionRow.id).where(SubmissionRow.phase_id == phase_id)
        return session.scalars(query).first() or 0

    outcomes = codec.load_resolution(played[0].resolution or {}).outcomes
    return Numbers(
        token=tokens[0],
        second_token=tokens[1],
        visit=_linked(session, seat.player_id, visits.VISIT, "a visit", now),
        link=_linked(session, seat.player_id, visits.LINK, "a link", now),
        upload=_linked(session, seat.player_id, "upload", "a link to send", now, game),
        place=_signed_up(session, now),
        left_out=_linked(session, seat.player_id, LETTER_LINK, "a letter", now, game, _left_out(too_large)),
        to_read=to_read,
        all_read=all_read,
        sealed=sealed,
        ready=ready.id,
        sent=played[0].id,
        sheet=submission_of(to_read),
        versions=twice.id if twice is not None else submission_of(to_read),
        sealed_sheet=submission_of(sealed),
        letter=letter.id,
        mail=mail.sha256,
        writer=seat.player_id,
        game=game,
        power=seat.power,
        results=played[0].ordinal,
        order_line=next(outcome.order.line for outcome in outcomes if outcome.order.line is not None),
        ended=ended,
        ended_phase=next(phase.ordinal for phase in reversed(played) if phase.kind == "movement"),
    )
