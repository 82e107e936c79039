"""What the calendar brings to players at the end of a season and of a year, held against the tables of the
requirements: CAL-05, CAL-07, OUT-05, OUT-07, OUT-08. Numbers are worked out by hand from the opening position
of the board's own file."""

from __future__ import annotations

import io
from dataclasses import replace
from email.message import EmailMessage

import pypdfium2
import pytest
from PIL import Image

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.position import Position
from adjudicator.units import Unit
from service.notices.attachments import results_heading
from service.notices.current_map import control
from service.notices.results import ResultsAnnouncer
from service.store.tables import OutboxRow
from tests.support.site import Site
from tests.support.table import Table, address, autumn_1642, open_table, utc

AUTUMN = ("A Lindsey - Kesteven & Holland", "A Norfolk S A Lindsey - Kesteven & Holland")
HEADING = ("Manchester", "Powick Bridge", "Autumn 1642 Movement Orders")


def finish(table: Table, number: int) -> list[OutboxRow]:
    """Close and approve a phase at its deadline; the letters it brought."""
    before = {row.id for row in table.letters()}
    phase = table.phase(number)
    table.site.clock.set(phase.deadline)
    table.close_phase(phase.id)
    table.approve_phase(phase.id, "ada")
    return [row for row in table.letters() if row.id not in before]


def files(message: EmailMessage) -> dict[str, bytes]:
    return {str(part.get_filename()): part.get_content() for part in message.iter_attachments()}


def everyone(table: Table) -> set[str]:
    return {address(power) for power in table.variant.powers}


@pytest.fixture
def autumn(site: Site) -> Table:
    """Autumn 1642 as a game's first phase, so that day T+12 ends on Sunday 14 March 2027 at 07:00 GMT.
    Manchester's two armies beat Newcastle's in Kesteven & Holland. Pictures of results are only named."""
    table = open_table(site, position=autumn_1642())
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    table.file("Manchester", AUTUMN, heading=HEADING)
    return table


def test_whoever_must_retreat_is_asked_at_the_same_moment_as_all_have_the_draft(autumn: Table) -> None:
    """OUT-05: only the power with a dislodged unit is asked, with its units and the closing time, together
    with the draft results."""
    autumn.announce = ResultsAnnouncer(autumn.writer)
    letters = finish(autumn, 1)
    drafts = [letter for letter in letters if letter.kind == "draft_results"]
    (request,) = [letter for letter in letters if letter.kind == "retreat_request"]
    assert {letter.recipient for letter in drafts} == everyone(autumn)
    assert {letter.due_at for letter in letters} == {utc("2027-03-14 07:00")}
    assert request.recipient == address("Newcastle")
    words = autumn.words(request)
    assert "One unit of Newcastle must retreat." in words
    assert "Army Kesteven & Holland" in words
    assert "Tue 16 Mar 2027, 07:00 GMT" in words  # CAL-04: day T+14 ends then
    attached = files(autumn.message(request))
    (blank,) = attached.values()
    page = pypdfium2.PdfDocument(io.BytesIO(blank))[0].get_textpage().get_text_range()
    assert "Newcastle" in page
    assert "Autumn 1642 Retreat Orders" in page


def test_whoever_holds_a_beaten_unit_in_proxy_is_asked_too(autumn: Table) -> None:
    """Q-25: owner and proxy are both asked, and no one else; a retreat that the proxy writes counts."""
    autumn.file("Newcastle", [("A Kesteven & Holland proxy "
                               "Montrose")], heading=("Newcastle", "Autumn 1642 Movement Orders"))
    words_by_recipient = {letter.recipient: autumn.words(letter) for letter in finish(autumn, 1)
                          if letter.kind == "retreat_request"}
    assert set(words_by_recipient) == {address("Newcastle"), address("Montrose")}
    assert "- Army Kesteven & Holland. It was" in words_by_recipient[address("Newcastle")]
    assert ("- Army Kesteven & Holland (Newcastle's, given to you in proxy). "
            "It was dislodged by the attack from Lindsey.") in words_by_recipient[address("Montrose")]
    autumn.file(
        "Montrose",
        ["A Kesteven & Holland R Newark"],
        number=2,
        heading=("Montrose", "Autumn 1642 Retreat Orders"),
    )
    final = next(letter for letter in finish(autumn, 2) if letter.kind == "final_results")
    assert "✓ Army Kesteven & Holland retreats to Newark." in autumn.words(final)


def test_the_picture_of_a_draft_says_that_it_is_one(autumn: Table) -> None:
    """OUT-04, OUT-13: the picture has the heading of its letter; results after the retreats have another."""
    finish(autumn, 1)
    phase, resolution = autumn.phase(1), autumn.resolution(1)
    assert results_heading(phase, resolution) == "Autumn 1642 Movement: draft results before retreats"
    final = replace(resolution, position=replace(resolution.position, dislodged=()))
    assert results_heading(phase, final) == "Autumn 1642 Movement: results"


def test_a_beaten_unit_given_in_proxy_is_told_of_once(autumn: Table) -> None:
    """Its proxy wrote nothing: the unit was handed over and is dislodged. "It holds" would contradict
    both."""
    autumn.file("Newcastle", [("A Kesteven & Holland proxy "
                               "Montrose")], heading=("Newcastle", "Autumn 1642 Movement Orders"))
    words = next(autumn.words(letter) for letter in finish(autumn, 1) if letter.kind == "draft_results")
    assert "handed over, dislodged." in words
    assert "Army Kesteven & Holland had no order" not in words


def test_a_unit_that_is_beaten_without_an_order_is_not_said_to_hold(autumn: Table) -> None:
    words = next(autumn.words(letter) for letter in finish(autumn, 1) if letter.kind == "draft_results")
    assert "Army Kesteven & Holland had no order and is dislodged." in words
    # Eight powers sent nothing and each has several units; Manchester has three units next to its orders.
    assert words.count("had no order and hold.") == 10


@pytest.mark.slow
def test_final_results_follow_the_retreats_with_a_picture_and_copies_of_the_retreat_orders(
    autumn: Table,
) -> None:
    """CAL-05: to all players, when the retreats are judged and before day T+15 ends on Wednesday 17 March at
    07:00 GMT."""
    finish(autumn, 1)
    autumn.announce = ResultsAnnouncer(autumn.writer)
    autumn.file(
        "Newcastle",
        ["A Kesteven & Holland R Newark"],
        number=2,
        heading=("Newcastle", "Autumn 1642 Retreat Orders"),
    )
    letters = [letter for letter in finish(autumn, 2) if letter.kind == "final_results"]
    assert {letter.recipient for letter in letters} == everyone(autumn)
    assert all(letter.due_at <= utc("2027-03-17 07:00") for letter in letters)
    for letter in letters:
        attached = files(autumn.message(letter))
        assert attached.pop("record.json")
        assert sorted(attached) == ["results-1.png", "sheet-newcastle-1.png"]
        for data in attached.values():
            with Image.open(io.BytesIO(data)) as opened:
                opened.load()
        assert "✓ Army Kesteven & Holland retreats to Newark." in autumn.words(letter)


def test_powers_without_a_beaten_unit_are_not_said_to_have_sent_no_retreat_sheet(autumn: Table) -> None:
    """OUT-06: they owed no orders; a power with a dislodged unit and no sheet is named."""
    finish(autumn, 1)
    letters = [letter for letter in finish(autumn, 2) if letter.kind == "final_results"]
    words = autumn.words(letters[0])
    assert words.count("No sheet was received.") == 1
    assert "NEWCASTLE - No sheet was received." in words
    assert "Left the board: Army Kesteven & Holland." in words


def test_the_autumns_final_results_tell_all_players_every_powers_offer_or_demand(autumn: Table) -> None:
    """OUT-07, CAL-06. Each power began with six centres and six units; units are in four more at the end of
    the Autumn: Newcastle's in Northumberland, Manchester's in Kesteven & Holland and Suffolk, Montrose's in
    The Mearns. Newcastle loses the dislodged army, for which no retreat is ordered."""
    finish(autumn, 1)
    letters = finish(autumn, 2)
    offers = {"Newcastle": 7 - 5, "Manchester": 8 - 6, "Montrose": 7 - 6}
    centres = {"Newcastle": 7, "Manchester": 8, "Montrose": 7}
    for letter in letters:
        if letter.kind != "final_results":
            continue
        words = autumn.words(letter)
        for power in autumn.variant.powers.values():
            units = 5 if power.id == "Newcastle" else 6
            section = words.partition(f"- {power.name}: {centres.get(power.id, 6)} centres, {units} "
                                      f"units.")[2].partition(" - ")[0]
            assert (
                (("May build one unit." if offers[power.id] == 1 else
                  f"May build {offers[power.id]} units.") in section) if power.id in offers
                else "May build" not in section
            ), power.id
            assert "Must remove" not in section
    adjustments = {letter.recipient: autumn.words(letter) for letter in letters
                   if letter.kind == "adjustment"}
    assert set(adjustments) == everyone(autumn)
    for power in autumn.variant.powers.values():
        expected_text = (
            f"may build {'one unit in' if offers[power.id] == 1 else f'{offers[power.id]} units in'}"
            if power.id in offers
            else "You have nothing to build and nothing to remove."
        )
        assert expected_text in adjustments[address(power.id)], power.id


@pytest.fixture
def winter(site: Site) -> Table:
    """Winter 1643, which is open three days. Manchester owns two centres more than it has units; The Crown
    two fewer."""
    opening = autumn_1642()
    crown = sorted(opening.centres["The Crown"])
    centres = {
        **opening.centres, "The Crown": frozenset(crown[2:]),
        "Manchester": opening.centres["Manchester"] | {crown[0], crown[1]},
    }
    units = frozenset(
        unit for unit in opening.units if unit.power != "Manchester" or unit.region.province != "London"
    )
    table = open_table(site, position=Position(Phase(1643, "Winter", PhaseKind.ADJUSTMENT), units, centres))
    table.announce = ResultsAnnouncer(table.writer)
    return table


def test_a_winter_executes_builds_enforces_removals_and_leaves_with_picture_and_map(winter: Table) -> None:
    """OUT-08, CAL-07: Manchester builds in London, which is its own and empty; The Crown has two units too
    many and sends no sheet, so two are drawn by lot. The map is attached as PDF and is online."""
    before = winter.position(1)
    assert "London" in before.centres["Manchester"]
    winter.file("Manchester", ["Build A London"], heading=("Manchester", "Winter 1643 Adjustment Orders"))
    letters = [letter for letter in finish(winter, 1) if letter.kind == "year_end_results"]
    assert {letter.recipient for letter in letters} == everyone(winter)
    words = winter.words(letters[0])
    assert "BUILT - Army London" in words
    lot = words.partition("REMOVED BY LOT, IN THE ORDER DRAWN")[2].partition("WHO HOLDS WHAT")[0]
    assert lot.count(" - ") == 2
    crown_units = {f"{winter.variant.kinds[unit.kind].name} {unit.region.province}"
                   for unit in before.units if unit.power == "The Crown"}
    assert sum(unit in lot for unit in crown_units) == 2
    assert "- The Crown: 4 centres, 4 units." in words
    attached = files(winter.message(letters[0]))
    assert "results-1.png" in attached
    assert "sheet-manchester-1.png" in attached
    chart = pypdfium2.PdfDocument(io.BytesIO(attached["powick-bridge-map-1643.pdf"]))
    assert chart[0].get_size() == pytest.approx((841.89, 1190.55), abs=0.5)  # A3 in points
    with winter.site.store() as session:
        online = control(session, winter.game)
    assert online is not None
    assert len(online.centres["The Crown"]) == 4
    assert online.when == "at the beginning of 1643"


def test_a_unit_without_a_place_to_go_is_lost_with_the_season_s_own_results(site: Site) -> None:
    """WOR-07: no one is asked for a retreat, the results are final, and Winter's phase is next."""
    board = autumn_1642()
    island = Unit("Newcastle", "A", Region("Isle of Man"))
    fleets = [Unit("Manchester", "F", Region(sea)) for sea in ("Irish Sea", "Solway Firth")]
    table = open_table(site, position=replace(board, units=frozenset([island, *fleets])))
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    table.file("Manchester", ("F Irish Sea - Isle of Man", "F Solway Firth S F Irish Sea - Isle of Man"),
               heading=HEADING)
    letters = finish(table, 1)
    assert {letter.kind for letter in letters} == {"final_results", "adjustment"}
    assert [str(unit) for unit in table.resolution(1).disbanded] == ["Newcastle A Isle of Man"]
    # The row of the retreats stays in the calendar, and has no board to be judged on.
    assert [bool(phase.position) for phase in table.phases()[1:3]] == [False, True]
    words = {letter.recipient: table.words(letter) for letter in letters if letter.kind == "final_results"}
    lost = "You lost ground: Army Isle of Man had no place to go and left the board."
    assert lost in " ".join(words[address("Newcastle")].split())
    for text in words.values():
        assert "must retreat" not in text
        assert "Left the board: Army Isle of Man" in " ".join(text.split())
