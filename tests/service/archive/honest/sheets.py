"""What players send: sheets by mail and by post, versions, late ones, unreadable ones, words for the lots."""

from __future__ import annotations

import email.utils
from datetime import datetime, timedelta

from adjudicator.calendar import PhaseKind
from grammar.print import canonical
from reading import vocabulary
from service.facts.refusals import RefusalReason
from service.games import lots
from service.intake.verdicts.explanations import canonical_subject
from service.notices.answers.replies import Replies
from service.store import records
from service.store.tables import LineRow, LineState, PhaseRow, PhaseState, SubmissionRow
from tests.service.archive.honest.game import HonestGame, named_phase
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.table import SERVER


def canonical_order(game: HonestGame, power: str, words: str) -> str:
    """An order of movement as the program writes it: a name may be longer there."""
    variant = game.table.variant
    orders = vocabulary.orders_of(variant, PhaseKind.MOVEMENT, power, words, 0)
    return "; ".join(canonical(order, variant.board) for order in orders)


def recognize(game: HonestGame, number: int, *, blank: bool = False) -> None:
    """What the recognizer would have made of a sheet: headings, orders, a line crossed out, doubtful lines;
    of a `blank` one nothing. A sheet may be held by its reading, or ask for another version."""
    chance = game.chance
    with game.site.store.begin() as session:
        sheet = session.get_one(SubmissionRow, number)
        # First, as the reader claims its sheet: a held sheet that nothing was read on is entered after it.
        sheet.read_at = game.now
        session.flush()
        phase = session.get_one(PhaseRow, sheet.phase_id)
        units = [] if phase.position is None else sorted(
            unit for unit in game.table.position(phase.ordinal).units if unit.power == sheet.power)
        rows: list[tuple[str, str, str | None, LineState, bool]] = [
            ("heading", "Sheet of 12 Church Lane", None, LineState.NOT_ORDER, False)]
        if phase.kind == PhaseKind.MOVEMENT:
            for unit in units[:chance.randrange(6)]:
                words = f"{unit.kind} {unit.region} H"
                read = canonical_order(game, sheet.power, words)
                rows.append(("order", words, read, LineState.AUTO, False))
        rows += [("order", "A Nowhere H", None, LineState.NOT_ORDER, True)]
        rows += [("order", "A Nowh?re H", None, LineState.OPEN, False)] * chance.randrange(3)
        page = records.pages(session, sheet.id)[0]
        page.upright = page.original
        if blank:
            rows, page.note = [], "nothing could be read"
        for ordinal, (kind, words, order, state, struck) in enumerate(rows):
            top = 100 + 60 * ordinal
            session.add(LineRow(
                page_id=page.id, ordinal=ordinal, kind=kind, text=words, order=order, struck=struck,
                confidence=0.9, box=[[100, top], [700, top], [700, top + 40], [100, top + 40]], candidates=[],
                status=state.value))
        if chance.random() < 0.08:
            sheet.fate, sheet.flags = "held", [*sheet.flags, "heading_disagrees"]
        elif chance.random() < 0.05 and sheet.version in {None, 1}:
            # VER-02: a sheet that was filed with a number requests no other.
            sheet.instruction = 1
        # A receipt that waited for the reading leaves now, where the game has that option.
        replies = Replies(game.table.writer)
        if sheet.fate == "held":
            replies.held(session, sheet, phase, RefusalReason.HEADING_DISAGREES)
        else:
            replies.read(session, sheet, phase)


def read_all(game: HonestGame) -> None:
    """Every sheet that waits for the reader is read."""
    for row in game.table.phases():
        for sheet in game.submissions(row.id):
            if sheet.read_at is None:
                recognize(game, sheet.id, blank=game.chance.random() < 0.05)


def send(
    game: HonestGame, power: str, stamped: datetime, *, proved: bool = True, word: str = "",
    version: int | None = None
) -> None:
    """A sheet by mail, stamped at a moment, with the mail server's own line."""
    row = game.phase()
    sender = game.powers().get(power)
    if row is None or sender is None:
        return
    held = [sheet.version or 0 for sheet in game.submissions(row.id) if sheet.power == power]
    number = version if version is not None else 1 + max(held, default=0)
    with game.site.store() as session:
        name = game.table.context_of(session, stamped).games[0].name
    subject = canonical_subject(name, game.table.variant.powers[power].name, named_phase(row), number)
    line = f"Received: from mx.example by {SERVER} with ESMTPS id {game.new_shade()}; "
    raw = mail(
        subject + (f", lots: {word}" if word else ""), sender,
        headers=[line + email.utils.format_datetime(stamped)],
        parts=[text("See the sheet."), part(picture(game.shade))],
        stamps=[stamp(sender.rpartition("@")[2], "pass" if proved else "fail", SERVER)])
    game.table.sent.append(raw)
    game.letters_kept.setdefault(sender, {})[f"sent-{len(game.table.sent):03}.eml"] = raw
    game.table.take(raw, stamped)
    read_all(game)


def everybody_sends(game: HonestGame) -> None:
    """Most powers send a sheet, some two, in the order of chance, while the phase is open."""
    row = game.phase()
    if row is None or row.state != PhaseState.OPEN or game.now >= row.deadline:
        return
    left = row.deadline - game.now
    powers = [power for power in game.powers() if game.chance.random() < 0.6]
    for turn, power in enumerate(powers, start=1):
        moment = row.deadline - left * (len(powers) + 1 - turn) / (len(powers) + 1)
        game.site.clock.set(moment.replace(microsecond=0))
        send(game, power, game.now, word="clover" if game.chance.random() < 0.15 else "",
             proved=game.chance.random() < 0.93)


def sends_again(game: HonestGame) -> None:
    row = game.phase()
    if row is not None and row.opens_at <= game.now < row.deadline:
        send(game, game.chance.choice(sorted(game.powers())), game.now)


def sends_without_a_number(game: HonestGame) -> None:
    row = game.phase()
    if row is not None and row.opens_at <= game.now < row.deadline:
        send(game, game.chance.choice(sorted(game.powers())), game.now, version=game.chance.randrange(1, 9))


def sends_late(game: HonestGame) -> None:
    row = game.phase()
    if row is not None and row.state in {PhaseState.OPEN, PhaseState.CLOSED}:
        game.site.clock.set(max(game.now, row.deadline) + timedelta(minutes=game.chance.randrange(1, 90)))
        send(game, game.chance.choice(sorted(game.powers())), game.now)


def sends_unproved(game: HonestGame) -> None:
    """A mail that its server did not vouch for: it waits in quarantine."""
    row = game.phase()
    if row is not None and row.opens_at <= game.now < row.deadline:
        send(game, game.chance.choice(sorted(game.powers())), game.now, proved=False)


def adds_a_word(game: HonestGame) -> None:
    row = game.phase()
    if row is not None and row.state == PhaseState.OPEN and game.now < row.deadline:
        with game.site.store.begin() as session:
            phase = session.get_one(PhaseRow, row.id)
            lots.add_word(session, phase, game.chance.choice(sorted(game.powers())), "heather", game.now,
                          mail=None, by="Ada")

