"""The letters that leave when a phase is approved: which letter, to whom, with which pictures; and what must
never be in it."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage

import numpy as np
import pytest
from PIL import Image
from sqlalchemy import update

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.position import Position
from adjudicator.serialize import codec
from adjudicator.units import Unit
from ocr.image.formats import PictureFormat
from service.facts.files import FileFate
from service.games.acts.phases import Unseal
from service.games.options import with_options
from service.games.turns import NotReady
from service.notices.results import ResultsAnnouncer
from service.notices.results_facts import concerned
from service.store.tables import GameRow, OutboxRow, PageRow, PhaseRow, PhaseState, PlayerRow
from tests.support.acting import do
from tests.support.desk_table import open_desk
from tests.support.opening import above_mark, own_probe
from tests.support.site import Site
from tests.support.table import COORDINATOR, Table, address, autumn_1642, open_table, sheet_picture

HEADING = ("Dov Quill", "Manchester", "Powick Bridge", "Autumn 1642 Movement Orders", "v1")
ATTACK = ("A Lindsey - Kesteven & Holland", "A Norfolk S A Lindsey - Kesteven & Holland")
MASK = (85, 85, 85)
PAPER = (255, 255, 255)


def results_table(site: Site, position: Position | None = None) -> Table:
    """A game whose results are really written; their pictures are only named, unless it is `drawn`."""
    table = open_table(site, position=position)
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    return table


def drawn(table: Table) -> Table:
    """The same game, whose results are drawn too."""
    table.announce = ResultsAnnouncer(table.writer)
    return table


def finish(table: Table, number: int = 1) -> list[OutboxRow]:
    """Close and approve a phase; the letters it brought."""
    before = {row.id for row in table.letters()}
    phase = table.phase(number)
    table.site.clock.set(max(phase.deadline, table.site.clock.now()))
    table.close_phase(phase.id)
    table.approve_phase(phase.id, "ada")
    return [row for row in table.letters() if row.id not in before]


def kinds(letters: list[OutboxRow]) -> dict[str, list[str]]:
    """Kind of letter to its recipients, sorted."""
    recipients: dict[str, list[str]] = {}
    for row in letters:
        recipients.setdefault(row.kind, []).append(row.recipient)
    return {kind: sorted(addresses) for kind, addresses in recipients.items()}


def everyone(table: Table) -> list[str]:
    return sorted(address(power) for power in table.variant.powers)


def files(message: EmailMessage) -> dict[str, bytes]:
    return {str(part.get_filename()): part.get_content() for part in message.iter_attachments()}


@pytest.fixture
def dislodged(site: Site) -> Table:
    """Autumn 1642, where Manchester beats Newcastle's army."""
    table = results_table(site, autumn_1642())
    table.file("Manchester", ATTACK, heading=HEADING)
    return table


# Which letter, to whom
# ----------------------------------------------------------------------------------------------


def test_with_a_beaten_unit_everyone_gets_a_draft_and_its_owner_a_request(dislodged: Table) -> None:
    letters = finish(dislodged)
    assert kinds(letters) == {"draft_results": everyone(dislodged), "retreat_request": [address("Newcastle")]}
    words = dislodged.words(next(row for row in letters if row.kind == "retreat_request"))
    assert "Army Kesteven & Holland" in words
    assert f"{dislodged.phase(2).deadline:%a %-d %b %Y, 07:00 GMT}" in words
    assert "Powick Bridge - Newcastle - Autumn 1642 - Retreat Orders - v1" in words
    assert "Newark" not in words  # units only, never where they may go (RET-04, Q-19)


def test_after_the_retreats_results_are_final_and_every_power_gets_its_offer_or_demand(
    dislodged: Table,
) -> None:
    finish(dislodged)
    dislodged.file("Newcastle", ["A Kesteven & Holland R Newark"], number=2,
                   heading=("Newcastle", "Autumn 1642 Retreat Orders"))  # fmt: skip
    letters = finish(dislodged, 2)
    assert kinds(letters) == {"final_results": everyone(dislodged), "adjustment": everyone(dislodged)}
    result = next(row for row in letters if row.kind == "final_results")
    attached = files(dislodged.message(result))
    assert "sheet-newcastle-1.png" in attached  # copies of the retreat orders (OUT-06) ...
    assert "sheet-manchester-1.png" not in attached  # ... and not those of the movement once more
    # By hand: seven centres each at the start (supply for six units and one); Manchester has taken Kesteven &
    # Holland and is on Suffolk, so two are to be built; the board file shows who begins with how many.
    before = dislodged.variant.start.centres["Manchester"]
    after = before | {"Kesteven & Holland", "Suffolk"}
    offer = len(after) - 6
    letter = next(r for r in letters if r.kind == "adjustment" and r.recipient == address("Manchester"))
    assert offer == 2
    assert "2" in dislodged.words(letter)
    assert dislodged.resolution(2).adjust["Manchester"] == offer


def test_without_a_beaten_unit_results_are_final_at_once(site: Site) -> None:
    table = results_table(site)
    assert kinds(finish(table)) == {"final_results": everyone(table)}


def test_dates_to_come_leave_out_retreats_that_nobody_has_to_make(site: Site) -> None:
    table = results_table(site)
    words = table.words(finish(table)[0])
    assert "Summer 1642 retreat orders close" not in words
    assert f"Autumn 1642 movement orders close: {table.phase(3).deadline:%a %-d %b %Y, 07:00 GMT}" in words
    assert "Autumn 1642 retreat orders close" in words


@pytest.mark.slow
def test_a_winter_ends_with_the_map_of_control(site: Site) -> None:
    opening = autumn_1642()
    winter = Position(Phase(1643, "Winter", PhaseKind.ADJUSTMENT), opening.units, opening.centres)
    table = drawn(results_table(site, winter))
    letters = finish(table)
    assert kinds(letters) == {"year_end_results": everyone(table), "postal_pack": [COORDINATOR]}
    attached = files(table.message(letters[0]))
    maps_sent = {name: data for name, data in attached.items() if name.endswith(".pdf")}
    assert list(maps_sent) == ["powick-bridge-map-1643.pdf"]
    assert maps_sent["powick-bridge-map-1643.pdf"].startswith(b"%PDF-")
    with table.site.store() as session:
        public = ResultsAnnouncer(table.writer).map_pdf(session, table.game)
    assert public is not None
    assert public.startswith(b"%PDF-")


def test_two_powers_of_one_player_get_a_letter_each_and_two_addresses_of_one_player_both(site: Site) -> None:
    """POST-04: one person may command two powers; a player may have two addresses."""
    table = open_table(site, players={
        "Manchester": ("both@players.example",), "Newcastle": ("both@players.example",),
        "Argyll": ("hugo@players.example", "hugo@work.example"),
    })  # fmt: skip
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    letters = finish(table)
    assert sorted(row.recipient for row in letters) == [
        "both@players.example", "both@players.example", "hugo@players.example", "hugo@work.example",
    ]  # fmt: skip
    assert len({row.key for row in letters}) == 4


# What must never be in a letter
# -------------------------------------------------------------------------------------


def test_no_letter_names_an_address_but_its_readers_own(dislodged: Table) -> None:
    dislodged.file("Newcastle", ["A Kesteven & Holland H"], heading=("Newcastle",))
    for row in finish(dislodged):
        message = dislodged.message(row)
        texts = [str(value) for value in message.values()]
        texts += [part.get_content() for part in message.walk() if part.get_content_maintype() == "text"]
        all_text = "\n".join(texts)
        others = [other for other in everyone(dislodged) if other != row.recipient]
        assert not [other for other in others if other in all_text]
        assert row.recipient in message["To"]


def test_the_real_name_on_a_sheet_is_masked_and_the_orders_are_not(dislodged: Table) -> None:
    """Q-37. The sheet's lines are at 100, 160, 220 ... pixels; the first is a name, not part of the
    heading."""
    copy = files(dislodged.message(finish(drawn(dislodged))[0]))["sheet-manchester-1.png"]
    with Image.open(io.BytesIO(copy)) as picture:
        pixels = np.asarray(above_mark(picture.convert("RGB"))).astype(int)
        assert not picture.getexif()
    masked = np.abs(pixels - MASK).max(axis=2) < 30
    rows, columns = np.nonzero(masked)
    assert 38 <= rows.max() - rows.min() + 1 <= 44  # one line of forty pixels ...
    assert 595 <= columns.max() - columns.min() + 1 <= 610  # ... and six hundred
    assert rows.min() < 40  # at the top of the copy
    assert (np.abs(pixels[rows.max() + 5 :] - PAPER).max(axis=2) < 30).all()
    assert not np.array_equal(pixels.shape[:2], (1000, 800))  # cut to heading and orders


@pytest.mark.slow
def test_a_sheet_that_was_replaced_is_never_sent_to_anyone(dislodged: Table) -> None:
    """VER-04."""
    dislodged.file("Manchester", [*ATTACK, "A Surrey - London"], version=2, heading=HEADING[1:4])
    letter = finish(drawn(dislodged))[0]
    attached = files(dislodged.message(letter))
    assert [name for name in attached if name.startswith("sheet-")] == ["sheet-manchester-1.png"]
    words = dislodged.words(letter)
    assert "Manchester, version 2" in words
    assert "Manchester, version 1" not in words
    assert "✓ Army Surrey moves to London." in words
    with Image.open(io.BytesIO(attached["sheet-manchester-1.png"])) as picture:
        pixels = np.asarray(above_mark(picture.convert("RGB"))).astype(int)
        assert not (np.abs(pixels - MASK).max(axis=2) < 30).any()


def test_a_page_on_which_nothing_was_written_is_not_copied(dislodged: Table) -> None:
    with dislodged.site.store.begin() as session:
        first = session.get_one(PageRow, 1)
        session.add(PageRow(submission_id=first.submission_id, ordinal=1, original=first.original,
                            upright=first.upright))  # fmt: skip
    attached = files(dislodged.message(finish(dislodged)[0]))
    assert [name for name in attached if name.startswith("sheet-")] == ["sheet-manchester-1.png"]


# All or nothing, and once
# -------------------------------------------------------------------------------------------


def test_a_page_that_cannot_be_copied_stops_every_letter(dislodged: Table) -> None:
    with dislodged.site.store.begin() as session:
        page = session.get_one(PageRow, 1)
        page.upright = dislodged.site.blobs.put(b"no picture at all")
    with pytest.raises(NotReady, match="the sheet of Manchester cannot be copied"):
        finish(drawn(dislodged))
    assert dislodged.letters() == []
    assert dislodged.phase().state == PhaseState.READY


def test_drawing_results_does_not_make_half_a_photograph_pass_as_whole(dislodged: Table) -> None:
    """WeasyPrint sets a switch of Pillow's for the whole process when it is imported."""
    finish(drawn(dislodged))
    intact = sheet_picture()
    assert own_probe().probe(intact, PictureFormat.JPEG).fate is FileFate.SHEET
    assert own_probe().probe(intact[: len(intact) // 2], PictureFormat.JPEG).fate is FileFate.UNOPENED


def test_every_letter_is_written_once_for_its_key(dislodged: Table) -> None:
    letters = finish(dislodged)
    assert len({row.key for row in letters}) == len(letters)
    assert len({row.message_id for row in letters}) == len(letters)
    with dislodged.site.store() as session:
        phase = dislodged.phase()
        announcer = ResultsAnnouncer(dislodged.writer, drawing=False)
        put_letters = announcer.prepare(session, phase, dislodged.resolution())
    with dislodged.site.store.begin() as session:
        put_letters(session)
    assert [row.id for row in dislodged.letters()] == [row.id for row in letters]


def test_every_player_reads_the_same_results(dislodged: Table) -> None:
    letters = [row for row in finish(drawn(dislodged)) if row.kind == "draft_results"]
    # A letter greets its reader, shows how their own orders went, has their power first and names their next
    # sheet; every other line is the same for all (LET-07).
    personal_starts = ("Dear Player ", "Your one order", "All ", "Of your ", "You lost ground: ",
                       "Your next sheet ", "Powick Bridge - ", "Powick Bridge, ", "No Autumn ",
                       "If Winter ", "For a blank ")
    texts = set()
    for row in letters:
        body = dislodged.message(row).get_body(("plain",))
        assert body is not None
        blocks = [" ".join(block.split()) for block in re.split(r"(?:\r?\n){2}", body.get_content())]
        assert blocks[0].startswith("Dear Player ")
        texts.add(tuple(sorted(block for block in blocks if not block.startswith(personal_starts))))
    assert len(texts) == 1
    words = " ".join(texts.pop())
    assert ("✓ Army Lindsey moves to Kesteven & Holland, where Army Kesteven & Holland is dislodged "
            "(2 against 1).") in words
    assert words.count("No sheet was received.") == 9
    pictures = [files(dislodged.message(row)) for row in letters]
    assert pictures[0]["results-1.png"]
    assert all(picture == pictures[0] for picture in pictures)


@pytest.mark.parametrize(("kind", "names"), [
    (PhaseKind.MOVEMENT, {"Argyll", "Montrose"}), (PhaseKind.ADJUSTMENT, {"Montrose", "Ormond"})])
def test_only_who_owed_orders_is_said_to_have_sent_none(
    site: Site, kind: PhaseKind, names: set[str]
) -> None:
    """LET-01, LET-07: who was told to send nothing in a Winter, or has no unit left, read in bold that no
    sheet came. Argyll supplies its one unit, Montrose none of its two, and Ormond has centres alone."""
    variant = open_table(site).variant
    homes = {power: sorted(variant.start.centres[power]) for power in ("Argyll", "Ormond")}
    armies = [unit for unit in sorted(variant.start.units) if unit.kind == "A"]
    units = [replace(unit, power="Argyll") for unit in armies[:1]] + [
        replace(unit, power="Montrose") for unit in armies[1:3]]
    position = Position(Phase(1643, "Winter", kind), frozenset(units), {
        "Argyll": frozenset(homes["Argyll"][:1]), "Ormond": frozenset(homes["Ormond"])})
    row = PhaseRow(kind=kind.value, position=codec.dump_position(position))
    assert concerned(row, variant) == names


def test_a_disbanded_army_is_named_in_the_final_results(dislodged: Table) -> None:
    """RET: a unit without a retreat order leaves the board."""
    finish(dislodged)
    letters = finish(dislodged, 2)
    result = next(row for row in letters if row.kind == "final_results")
    assert dislodged.resolution(2).disbanded == (Unit("Newcastle", "A", Region("Kesteven & Holland")),)
    assert "Army Kesteven & Holland" in dislodged.words(result)


# What is reported of the desk
# ---------------------------------------------------------------------------------------------


def unseal(table: Table, number: int, why: str) -> None:
    do(table, Unseal(table.phase(number).id, why))


def test_an_unsealing_is_printed_in_the_next_results_and_only_there(dislodged: Table) -> None:
    """DESK-02: in words, in HTML and in the picture; the results after those have nothing of it."""
    unseal(dislodged, 1, "A page of Manchester was missing.")
    letters = [row for row in finish(dislodged) if row.kind == "draft_results"]
    for row in letters:
        message = dislodged.message(row)
        for kind in ("plain", "html"):
            body = message.get_body((kind,))
            assert body is not None
            words = " ".join(body.get_content().split())
            assert "Autumn 1642 Movement: Ada opened the sheets before the deadline," in words
            assert "Reason given: A page of Manchester was missing." in words
    unseal(dislodged, 2, "A second reason that is a sentence.")
    retreats = " ".join(dislodged.words(finish(dislodged, 2)[0]).split())
    assert "Autumn 1642 Retreat: Ada opened" in retreats
    assert "missing" not in retreats


def test_an_unsealing_is_printed_in_the_readers_language(dislodged: Table) -> None:
    """PHA-11: German results had the sentence in English."""
    with dislodged.site.store.begin() as session:
        session.execute(update(PlayerRow).values(language="de"))
    unseal(dislodged, 1, "Eine Seite fehlte im Umschlag.")
    words = dislodged.words(finish(dislodged)[0])
    assert "Autumn 1642 Movement: Ada hat die Blätter vor der Frist geöffnet, am " in words
    assert "Angegebener Grund: Eine Seite fehlte im Umschlag." in words
    assert "opened" not in words


def test_nothing_is_called_missing_of_a_power_that_owes_nothing(dislodged: Table) -> None:
    """PHA-11: nine of ten powers have no unit to retreat, and the desk read "Nothing received" of each."""
    finish(dislodged)
    dislodged.site.clock.set(dislodged.phase(2).deadline)
    dislodged.close_phase(dislodged.phase(2).id)
    # Signed in after the clock was moved, or the session would have ended.
    desk = open_desk(dislodged)
    sheets = desk.text(f"/sheets/{dislodged.phase(2).id}")
    owing = {retreat.unit.power for retreat in dislodged.position(2).dislodged}
    assert sheets.count("Nothing received.") == len(owing)
    others = len(dislodged.variant.powers) - len(owing)
    assert sheets.count("Nothing is due from it in this phase.") == others
    results = desk.text(f"/results/{dislodged.phase(2).id}")
    assert results.count("Nothing received.") == len(owing)


def test_the_longest_reason_of_an_unsealing_is_printed_whole(site: Site) -> None:
    """DESK-02."""
    table = results_table(site)
    unseal(table, 1, "because " * 60 + "the end of it was cut off")
    (row, *_) = finish(table)
    assert table.phase().unsealed_why is not None
    assert f"Reason given: {table.phase().unsealed_why}" in " ".join(table.words(row).split())


def test_results_name_the_readers_next_sheet_with_its_subject(dislodged: Table) -> None:
    """PHA-07: anyone who is asked by no letter of its own copies the subject from the results, and reads from
    when the sheet counts."""
    table, letters = dislodged, finish(dislodged)
    subject = "Powick Bridge - {} - Spring 1643 - Movement Orders - v1"
    draft = {row.recipient: table.words(row) for row in letters if row.kind == "draft_results"}
    opens = f"{table.phase(4).opens_at:%d %b %Y}"
    assert table.phase(4).season == "Spring"
    assert subject.format("Montrose") in draft[address("Montrose")]
    assert "It counts from" in draft[address("Montrose")]
    assert opens in draft[address("Montrose")]
    # Newcastle's army must retreat, and a letter of its own requests that.
    assert "Spring 1643 - Movement Orders" not in draft[address("Newcastle")]
    raw = table.mail_of(next(row for row in letters if row.recipient == address("Montrose")))
    html = message_from_bytes(raw, policy=policy.default).get_body(("html",))
    assert html is not None
    link = "mailto:orders@galloper.example?subject=Powick%20Bridge%20-%20Montrose%20-%20Spring"
    assert link in html.get_content()


def test_who_holds_nothing_reads_of_the_next_sheet_where_everybody_writes_one(site: Site) -> None:
    """PHA-07: who got no capital must pick one in the next turn, and was the only one to read of no
    next sheet."""
    table = open_table(site, slug="brittania")
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    for row in finish(table):
        if row.kind == "final_results" and row.power is not None:
            assert table.subject(row.power, 1, Phase(602, "Harvest", PhaseKind.TURN)) in table.words(row)
    assert len(table.letters("final_results")) == len(table.variant.powers)


def told(table: Table, letters: list[OutboxRow], power: str, kind: str) -> str:
    """The words of a power's letter of a kind, blanks run together."""
    row = next(row for row in letters if (row.kind, row.recipient) == (kind, address(power)))
    return " ".join(table.words(row).split())


def test_who_owes_nothing_is_told_so_and_how_to_get_a_sheet(dislodged: Table) -> None:
    """PHA-07: nothing to retreat, and no blank sheet with it; whether a Winter requests anything is not known
    before the retreats."""
    words = told(dislodged, finish(dislodged), "Montrose", "draft_results")
    assert "No Autumn 1642 Retreat Orders are due from you." in words
    assert "If Winter 1643 Adjustment Orders are due from you, another letter" in words
    assert ("For a blank sheet to print, send a mail with this subject: "
            "Powick Bridge, Montrose, SHEET") in words


def test_a_winter_without_builds_brings_no_blank_sheet(dislodged: Table) -> None:
    """PHA-07: "nothing to build" came with a sheet to write it on. Argyll has neither won nor lost a
    centre, and supplies the units that it has; Manchester may build."""
    finish(dislodged)
    dislodged.file("Newcastle", ["A Kesteven & Holland R Newark"], number=2,
                   heading=("Newcastle", "Autumn 1642 Retreat Orders"))  # fmt: skip
    letters = finish(dislodged, 2)
    assert dislodged.resolution(2).adjust.get("Argyll", 0) == 0
    asked = {row.recipient: files(dislodged.message(row)) for row in letters if row.kind == "adjustment"}
    assert list(asked[address("Manchester")]) == ["blank-manchester-winter-1643-adjustment.pdf"]
    assert asked[address("Argyll")] == {}
    assert "No Winter 1643 Adjustment Orders are due from you." in told(
        dislodged, letters, "Argyll", "final_results")
    assert "are due from you" not in told(dislodged, letters, "Manchester", "final_results")


def test_a_sheet_that_came_early_is_named_and_the_next_version_proposed(dislodged: Table) -> None:
    """PHA-07: the results letter once asked for a v1 that was on file."""
    dislodged.file("Montrose", ["A Aberdeen H"], number=4)
    words = told(dislodged, finish(dislodged), "Montrose", "draft_results")
    assert "Your sheet for the Spring 1643 Movement Orders is kept: version 1, received " in words
    assert "Powick Bridge - Montrose - Spring 1643 - Movement Orders - v2" in words
    assert "Montrose - Spring 1643 - Movement Orders - v1" not in words


def test_where_the_first_sheet_counts_no_other_is_asked_for(dislodged: Table) -> None:
    """Q-60, PHA-07."""
    with dislodged.site.store.begin() as session:
        game = session.get_one(GameRow, dislodged.game)
        game.options = with_options(game, first_counts=True, mail_commands=False)
    dislodged.file("Montrose", ["A Aberdeen H"], number=4)
    letters = finish(dislodged)
    words = told(dislodged, letters, "Montrose", "draft_results")
    assert "The first sheet counts in this game, so send no other." in words
    assert "Montrose - Spring 1643 - Movement Orders" not in words
    other = told(dislodged, letters, "Argyll", "draft_results")
    assert "Argyll - Spring 1643 - Movement Orders - v1" in other
    assert "SHEET" not in other, "the game takes no commands"


@pytest.mark.parametrize("is_on", [False, True])
def test_the_readers_own_units_are_listed_where_the_game_asks_for_it(
    dislodged: Table, *, is_on: bool
) -> None:
    """PHA-07, Q-80: w3k's players keep track themselves. Manchester's army has left Lindsey; Newcastle's that
    was beaten is on no list until it has retreated."""
    with dislodged.site.store.begin() as session:
        game = session.get_one(GameRow, dislodged.game)
        game.options = with_options(game, units_in_results=True) if is_on else game.options
    letters = finish(dislodged)
    lists = {power: re.findall(r"Your units now: ([^.]*)\.", told(dislodged, letters, power, "draft_results"))
             for power in ("Manchester", "Newcastle")}
    if not is_on:
        assert lists == {"Manchester": [], "Newcastle": []}
        return
    manchesters = [unit for unit in dislodged.position(1).units if unit.power == "Manchester"]
    (manchester,), (newcastle,) = lists.values()
    assert "Army Kesteven & Holland" in manchester
    assert "Lindsey" not in manchester
    assert len(re.split(", | and (?=Army|Fleet)", manchester)) == len(manchesters)
    assert "Kesteven" not in newcastle
