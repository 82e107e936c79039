"""Seats change hands and addresses go, and who must know is written to (OUT-01, OUT-12, NON-05)."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from service.notices.broadcasts import Broadcasts
from service.store import records
from service.store.tables import AddressRow, EventRow, OutboxRow, PlayerRow
from tests.support.desk_table import DeskTable, carried, open_desk, plain
from tests.support.site import Site
from tests.support.table import ORDERS, address, open_table

WHY = "The player has moved to the colonies."
NEW = {
    "power": "Argyll", "name": "Bea", "mail": "Bea@new.example, bea@two.example", "zone": "America/New_York",
    "why": WHY,
}


@pytest.fixture
def desk(site: Site) -> DeskTable:
    return open_desk(open_table(site))


def seat(desk: DeskTable, **changes: str) -> tuple[int, str]:
    path = f"/games/{desk.table.game}/seat"
    answer = desk.post(path, **{**NEW, **changes})
    # What cannot be is refused before it is shown.
    if answer.status_code == 200:
        answer = desk.client.post(path, data=carried(answer.text, path))
    return answer.status_code, answer.headers.get("location") or plain(answer.text)


def letters(desk: DeskTable, kind: str) -> list[OutboxRow]:
    return [row for row in desk.table.letters() if row.kind == kind]


def holders(desk: DeskTable) -> dict[str, tuple[str, ...]]:
    with desk.table.site.store() as session:
        return records.addresses(session, desk.table.game)


def events(desk: DeskTable, kind: str) -> list[dict[str, Any]]:
    with desk.table.site.store() as session:
        return [row.detail for row in session.scalars(select(EventRow).where(EventRow.what == kind))]


def test_a_new_player_takes_a_power_and_is_welcomed(desk: DeskTable) -> None:
    """OUT-01."""
    assert seat(desk) == (303, f"/games/{desk.table.game}?notice=seat")
    assert holders(desk)["Argyll"] == ("bea@new.example", "bea@two.example")
    welcomes = letters(desk, "welcome")
    assert sorted(row.recipient for row in welcomes) == ["bea@new.example", "bea@two.example"]
    words = " ".join(desk.table.words(welcomes[0]).split())
    assert "You command Argyll." in words
    assert (f"Powick Bridge - Argyll - {desk.table.phase().season} {desk.table.phase().year} - Movement "
            f"Orders - v1") in words
    # Examples of orders follow, which name units too.
    _, _, rest = words.partition("YOUR UNITS ")
    units, heading, _ = rest.partition(" The powers: ")
    assert heading
    for unit in ("Army", "Fleet"):
        own_units = [placed for placed in desk.table.variant.start.units if placed.power == "Argyll"]
        assert f"{units} ".count(f"- {unit} ") == sum(
            desk.table.variant.kinds[placed.kind].name == unit for placed in own_units
        )
    assert "your time" in words
    # The map, a blank sheet of the power's own to print, and the picture of a filled one (LET-08).
    assert [part.get_filename() for part in desk.table.message(welcomes[0]).iter_attachments()] == [
        "powick-bridge-map-1642.pdf", "blank-argyll-summer-1642-movement.pdf", "filled-sheet.png",
        "record.json"]
    (event,) = events(desk, "seat_changed")
    assert (event["power"], event["why"]) == ("Argyll", WHY)
    # The log is entered in the record, which has no real name (TRU-07); the page shows it all the same.
    assert "Bea" not in str(event)
    assert "→ Bea" in desk.client.get(f"/games/{desk.table.game}").text


def test_what_came_before_still_counts_and_the_old_address_is_not_taken_any_more(desk: DeskTable) -> None:
    raw = desk.table.mail("Argyll")
    desk.table.take(raw, desk.table.site.clock.now())
    assert len(desk.table.submissions()) == 1
    seat(desk)
    assert len(desk.table.submissions()) == 1
    late = desk.table.take(desk.table.mail("Argyll", shade=40, subject=desk.table.subject("Argyll", 2)),
                           desk.table.site.clock.now())
    assert late.state != "used"
    assert len(desk.table.submissions()) == 1


def test_a_player_of_this_game_can_take_a_second_power(desk: DeskTable) -> None:
    """NON-05: a person is known by an address."""
    assert seat(desk, name="whoever", mail=address("Montrose"))[0] == 303
    assert holders(desk)["Argyll"] == holders(desk)["Montrose"]


def test_a_seat_can_be_left_empty(desk: DeskTable) -> None:
    assert seat(desk, name="", mail="") == (303, f"/games/{desk.table.game}?notice=seat-empty")
    assert "Argyll" not in holders(desk)
    assert letters(desk, "welcome") == []
    page = desk.text(f"/games/{desk.table.game}?notice=seat-empty")
    assert "→ nobody" in page
    assert WHY in page
    assert "The seat is empty now." in page
    seat(desk)
    emptied, given = events(desk, "seat_changed")
    assert emptied["to"] == given["from"] == "nobody"
    assert "nobody" not in {emptied["from"], given["to"]}


@pytest.mark.parametrize(("changes", "sentence"), [
    ({"why": "short"}, "needs a reason"), ({"mail": "nobody"}, "cannot be a player"),
    ({"mail": ORDERS}, "cannot be a player"),
    ({"name": ""}, "needs a name and a mail address"), ({"mail": ""}, "needs a name and a mail address"),
    ({"zone": "Mars/Olympus"}, "is unknown"), ({"power": "Utopia"}, "no such power"),
    ({"mail": address("Argyll")}, "this player has this power already"),
    ({"mail": f"{address('Montrose')} {address('Ormond')}"}, "for different players"),
])
def test_a_hand_over_that_cannot_be_is_refused_and_changes_nothing(
    desk: DeskTable, changes: dict[str, str], sentence: str
) -> None:
    before = holders(desk)
    status, text = seat(desk, **changes)
    assert status == 409
    assert sentence in text
    assert "Nothing was changed" in text
    assert holders(desk) == before
    with desk.table.site.store() as session:
        assert session.scalar(select(PlayerRow).where(PlayerRow.name == "Bea")) is None


def test_an_address_goes_but_never_the_last_one(desk: DeskTable) -> None:
    own_address = address("Argyll")
    where = f"/games/{desk.table.game}/address/remove"
    refused = desk.post(where, power="Argyll", mail=own_address)
    assert (refused.status_code, "this is their only address" in refused.text) == (409, True)
    desk.post(f"/games/{desk.table.game}/address", power="Argyll", mail="new@argyll.example")
    assert f"Remove {own_address}" in desk.text(f"/games/{desk.table.game}")
    assert (
        desk.post(where, power="Argyll", mail=own_address)
        .headers["location"]
        .endswith("?notice=address-removed")
    )
    assert holders(desk)["Argyll"] == ("new@argyll.example",)
    assert desk.post(where, power="Argyll", mail=address("Montrose")).status_code == 409
    assert own_address not in str(events(desk, "address_removed"))
    with desk.table.site.store() as session:
        assert session.get(AddressRow, own_address) is None


def test_a_welcome_that_cannot_be_made_leaves_the_change(
    desk: DeskTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.notices.broadcasts.control_map", lambda *_: 1 / 0)
    assert seat(desk) == (303, f"/games/{desk.table.game}?notice=seat-untold")
    assert holders(desk)["Argyll"] == ("bea@new.example", "bea@two.example")
    assert "No welcome was written" in desk.text(f"/games/{desk.table.game}?notice=seat-untold")


def test_every_player_is_told_of_a_moved_deadline(desk: DeskTable) -> None:
    """CAL-15, OUT-12: old and new instant, reason, what else shifts; a calendar update is attached."""
    phase = desk.table.phase()
    answer = desk.press_twice(
        f"/games/{desk.table.game}/move", phase=phase.id, day="2027-03-20", hour="07:00", later="yes", why=WHY
    )
    assert answer.headers["location"].endswith("?notice=moved")
    notices = letters(desk, "deadline_moved")
    assert sorted(row.recipient for row in notices) == sorted(
        address(power) for power in desk.table.variant.powers
    )
    words = " ".join(desk.table.words(notices[0]).split())
    assert f"Until now: {phase.deadline:%a %-d %b %Y, 07:00 GMT}" in words
    assert "From now on: Sat 20 Mar 2027, 07:00 GMT" in words
    assert WHY in words
    assert "THESE MOVE TOO" in words
    (calendar,) = desk.table.message(notices[0]).iter_attachments()
    entry = (
        calendar.get_content() if isinstance(calendar.get_content(), str) else calendar.get_content().decode()
    )
    assert "DTSTART:20270320T070000Z" in entry
    assert f"UID:{desk.table.game}-1@" in entry
    assert "SEQUENCE:1" in entry
    desk.press_twice(
        f"/games/{desk.table.game}/move", phase=phase.id, day="2027-03-21", hour="07:00", why=WHY)
    again = letters(desk, "deadline_moved")
    assert len(again) == 2 * len(notices)
    assert "THESE STAY" in desk.table.words(again[-1])


def test_a_refused_move_writes_to_nobody(desk: DeskTable) -> None:
    phase = desk.table.phase()
    assert (
        desk.post(f"/games/{desk.table.game}/move", phase=phase.id, day="2020-03-20", why=WHY).status_code
        == 409
    )
    assert letters(desk, "deadline_moved") == []


def test_once_a_game_is_over_there_is_no_welcome(desk: DeskTable) -> None:
    for row in desk.table.phases():
        desk.table.set_phase(row.ordinal, state="sent")
    with desk.table.site.store.begin() as session:
        assert Broadcasts(desk.table.writer).welcome(session, desk.table.game) == 0
