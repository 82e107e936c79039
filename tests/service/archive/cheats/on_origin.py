"""Cheats by a stranger who read docs/record.md and not the checker: a mail that is not hers, words of lots
and of letters, a letter that never left, a sheet of another player, ink that is elsewhere (rules C2, C6, C15,
C25)."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

from sqlalchemy import select

from service.games import lots
from service.games.acts.deadlines import MoveDeadline
from service.games.acts.seats import AddAddress
from service.games.acts.sheets import RefileSheet
from service.intake import process_mail
from service.mail import message as messages
from service.store.tables import MailRow, MailState, OutboxRow, OutboxState, PhaseRow
from tests.service.archive.cheats.on_cover import in_place
from tests.service.archive.cheats.on_sheets import V2
from tests.service.archive.cheats.table import (
    AFTER,
    BEFORE,
    KEEPER,
    OPERATOR,
    Cheat,
    rewritten,
    sql,
    without_triggers,
)
from tests.support import keeper
from tests.support.acting import do
from tests.support.keeper import OTHER, SHORT, VICTIM, mailed, recognize
from tests.support.proofs import with_words
from tests.support.table import Table, address

WHY = "this is how it must be now"


def _third(table: Table) -> bytes:
    """The cheated player's third version, which she keeps."""
    raw = mailed(VICTIM, 3, 140, table.site.clock.now())
    table.sent.append(raw)
    return raw


def _in_place_of_hers(table: Table) -> None:
    """Her mail is thrown away, and a forged one is filed in its place, with a receipt."""
    _third(table)
    now = table.site.clock.now()
    assert table.take(mailed(VICTIM, 3, 201, now), now).state == MailState.USED
    recognize(table, table.submissions()[-1].id, moved=True, doubtful=False)


def _unproved_as_proved(table: Table) -> None:
    """A mail that the mail server could not prove to be hers is judged with the head of one that is."""
    now = table.site.clock.now()
    proved = mailed(VICTIM, 9, 140, now)
    unproved = proved
    for method in (b"dmarc", b"spf", b"dkim"):
        unproved = unproved.replace(method + b"=pass", method + b"=fail")
    key, usual = table.arrive(unproved, now), messages.read_head
    with in_place(process_mail, "read_head", lambda *_raw: usual(proved)):
        table.process(key)
    assert table.mail_row(key).state == MailState.USED
    recognize(table, table.submissions()[-1].id, moved=True, doubtful=False)


def _called_repeat(table: Table) -> None:
    key = table.arrive(_third(table), table.site.clock.now())
    with table.site.store.begin() as session:
        mail = session.get_one(MailRow, key)
        mail.state, mail.reason, mail.sender = MailState.IGNORED.value, "duplicate", address(VICTIM)
        mail.verdict = {"game": "Powick Bridge", "power": VICTIM}


def _refiled_for_a_friend(table: Table) -> None:
    """Her sheet is called a friend's in the database, and filed again for his power at the desk."""
    sql(f"UPDATE submissions SET player_id = (SELECT player_id FROM seats WHERE power = '{OTHER}') "
        f"WHERE id = {V2}")(table)
    do(table, RefileSheet(V2, OTHER, WHY))


_box_moved = sql(
    "UPDATE lines SET box = '[[100, 700], [700, 700], [700, 740], [100, 740]]' WHERE ordinal = 1 "
    f"AND page_id IN (SELECT id FROM pages WHERE submission_id = {V2})")


def _winter_mail(table: Table, power: str, word: str = "") -> MailRow:
    row = keeper.in_play(table)
    now = max(row.opens_at + timedelta(hours=1), table.site.clock.now())
    table.site.clock.set(now)
    mail = table.take(mailed(power, 1, 180, now, phase=keeper.phase_of_row(row), word=word), now)
    assert mail.state == MailState.USED
    recognize(table, table.submissions()[-1].id, doubtful=False)
    return mail


def _word_dropped(table: Table) -> None:
    """Her mail has a word for the lots, and the program loses it."""
    with in_place(lots, "add_word", lambda *_facts, **_more: None):
        _winter_mail(table, VICTIM, "heather")


def _word_of_a_mail_without(table: Table) -> None:
    mail, row = _winter_mail(table, SHORT), keeper.in_play(table)
    with table.site.store.begin() as session:
        phase = session.get_one(PhaseRow, row.id)
        lots.add_word(session, phase, SHORT, "heather", mail.received_at, mail=mail.sha256, by=SHORT)


def _moved_and_hers_cancelled(table: Table) -> None:
    """The deadline comes earlier, and the letter that would tell her never leaves."""
    row = keeper.in_play(table)
    day = (row.deadline - timedelta(days=2)).date().isoformat()
    do(table, MoveDeadline(table.game, row.id, day, "", WHY, later=True), circulars=keeper.broadcasts(table))
    with table.site.store.begin() as session:
        letter = session.scalars(
            select(OutboxRow).order_by(OutboxRow.id.desc())
            .where(OutboxRow.kind == "deadline_moved", OutboxRow.recipient == address(VICTIM))).first()
        assert letter is not None
        letter.state = OutboxState.CANCELLED.value


_ADDRESS = ("INSERT INTO addresses (email, player_id) "
            f"SELECT 'friend@elsewhere.example', player_id FROM seats WHERE power = '{VICTIM}'")
_LINK = ("INSERT INTO links (token_hash, player_id, opens, made_at, until, game_id) "
         f"SELECT '{'5' * 64}', player_id, 'upload', '2027-03-01 00:00:00', '2037-03-01 00:00:00', game_id "
         f"FROM seats WHERE power = '{VICTIM}'")


def _address_under_cover(table: Table) -> None:
    """While another player gets an address, as all are told, hers gets one that no letter names."""
    do(table, AddAddress(table.game, OTHER, "second@argyll.example"))
    sql(_ADDRESS)(table)


CHEATS = (
    Cheat("an address is put in", OPERATOR, BEFORE, "sheets", sql(_ADDRESS), "C13"),
    Cheat("an address is put in past the triggers", OPERATOR, BEFORE, "sheets", without_triggers(_ADDRESS),
          "C17"),
    Cheat("an address is put in while another is added", OPERATOR, BEFORE, "sheets", _address_under_cover,
          "C13"),
    Cheat("a link to send her sheets is put in", OPERATOR, BEFORE, "sheets", sql(_LINK), "C13"),
    Cheat("another mail is filed in place of hers", OPERATOR, BEFORE, "sheets", _in_place_of_hers, "C25",
          is_named=True),
    Cheat("a mail that is not proved is used", OPERATOR, BEFORE, "sheets", _unproved_as_proved, "C25"),
    Cheat("her version is called a repeat", OPERATOR, BEFORE, "sheets", _called_repeat, "C25",
          is_named=True),
    Cheat("her sheet is filed for a friend's power", OPERATOR, BEFORE, "closed", _refiled_for_a_friend, "C2"),
    Cheat("the place of a line is moved", OPERATOR, BEFORE, "closed", _box_moved, "C6"),
    Cheat("her word for the lots is dropped", OPERATOR, BEFORE, "winter", _word_dropped, "C25"),
    Cheat("a word for the lots is entered of a mail without one", OPERATOR, BEFORE, "winter",
          _word_of_a_mail_without, "C25"),
    Cheat("the deadline is moved, and her letter never leaves", KEEPER, BEFORE, "sheets",
          _moved_and_hers_cancelled, "C15"),
    Cheat("her results name another outcome", OPERATOR, AFTER, "sent",
          rewritten("final_results", partial(
              with_words, change=lambda words: words.replace("Army", "Fleet", 1))), "C25", is_named=True),
)
