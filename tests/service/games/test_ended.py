"""BEY-03: a game ends by what its players agreed on, and is counted."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.orders import Hold, Move, Proxy, SupportMove
from adjudicator.outcome import Outcome, Resolution, Result
from adjudicator.units import Unit, UnitRef
from service.archive import export
from service.games.acts.act import perform
from service.games.acts.ending import DeclareEnd
from service.games.ending import EndKind, GameEnd, end_of, verdict
from service.games.phases import JudgedPhase
from service.games.refused import Refused
from service.letters.statistics import statistics_of
from service.notices.broadcasts import Broadcasts
from service.notices.results import ResultsAnnouncer
from service.store.tables import GameRow, LineState, PhaseState
from tests.service.desk.games.test_table import open_draw
from tests.support.acting import at, do
from tests.support.checks import print_check
from tests.support.site import Site
from tests.support.story_table import play_story
from tests.support.table import Table, open_table

DRAW = GameEnd(EndKind.DRAW, ("The Crown", "Argyll"), "All ten wrote so on their Autumn sheets.")


def _end(table: Table, end: GameEnd) -> None:
    do(table, DeclareEnd(table.game, end.kind, end.powers, end.why or DRAW.why))


def test_nothing_ends_before_results_nor_while_a_phase_is_at_the_desk(site: Site) -> None:
    table = open_table(site)
    with pytest.raises(Refused, match="no results were sent yet"):
        _end(table, DRAW)
    phase = table.phase()
    site.clock.set(phase.deadline)
    table.close_phase(phase.id)
    table.judge_when_read(phase.id)
    table.approve_phase(phase.id, "Ada")
    table.set_phase(3, state=PhaseState.CLOSED)
    with pytest.raises(Refused, match="at the desk"):
        _end(table, DRAW)
    table.set_phase(3, state=PhaseState.OPEN)
    for wrong in (GameEnd(EndKind.VICTORY, ("Argyll",)), GameEnd(EndKind.DRAW, ()),
                  GameEnd(EndKind.CONCESSION, ("Argyll", "Ormond")), GameEnd(EndKind.DRAW, ("Nobody",))):
        with pytest.raises(Refused, match="Nothing was changed"):
            _end(table, wrong)
    with site.store() as session:
        assert end_of(session, session.get_one(GameRow, table.game), table.variant) is None
    _end(table, DRAW)
    with site.store() as session:
        assert end_of(session, session.get_one(GameRow, table.game), table.variant) == DRAW
    with pytest.raises(Refused, match="over already"):
        _end(table, DRAW)


def test_a_victory_is_the_judges_verdict(site: Site) -> None:
    _, table = play_story(site, "brittania")
    resolution = table.resolution(3)
    assert verdict(table.variant, resolution) is None
    assert verdict(table.variant, replace(resolution, winner="Red")) == GameEnd(EndKind.VICTORY, ("Red",))
    assert verdict(table.variant, replace(resolution, joint=("Red", "Cyan"))) == GameEnd(
        EndKind.JOINT_VICTORY, ("Red", "Cyan"))


def test_a_draw_by_paper_is_told_and_shared(site: Site) -> None:
    """DRW-01, Q-30: what all survivors asked for on their sheets ends the game with the results, and the
    letter names who shares it."""
    desk = open_draw(site)
    table = desk.table
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    for power in ("Argyll", "Ormond"):
        table.file(power, [("I vote for the draw", LineState.NOT_ORDER)])
    phase = table.phase()
    site.clock.set(phase.deadline + timedelta(minutes=1))
    table.close_phase(phase.id)
    desk.press_twice(f"/games/{table.game}/draw", phase=phase.id, why="Both have asked for it")
    table.approve_phase(phase.id, "ada")
    with site.store() as session:
        end = end_of(session, session.get_one(GameRow, table.game), table.variant)
    assert end == GameEnd(EndKind.DRAW, ("Argyll", "Ormond"))
    words = table.words(table.letters("game_over")[0])
    assert ("The war ends in a draw between Argyll and Ormond. All of them asked for it on their sheets. "
            "THE STANDINGS") in words


STANDARD = maps.load("standard")
PAR, MAR, GAS = (Unit("FRANCE", "A", Region("PAR")), Unit("FRANCE", "A", Region("MAR")),
                 Unit("GERMANY", "A", Region("GAS")))
BEFORE = replace(STANDARD.start, units=frozenset({PAR, MAR, GAS}),
                 phase=Phase(1901, "Spring", PhaseKind.MOVEMENT))
ORDERS = (
    Move(power="FRANCE", unit=UnitRef("A", MAR.region), to=GAS.region),
    SupportMove(power="FRANCE", unit=UnitRef("A", PAR.region), target=UnitRef("A", MAR.region),
                to=GAS.region),
    Hold(power="GERMANY", unit=UnitRef("A", GAS.region)))


def test_who_attacked_whom() -> None:
    """An attack counts whether it succeeds or not; France attacked Germany once, with one support given."""
    resolution = judge(STANDARD.context(), STANDARD.rules, BEFORE, ORDERS)
    statistics = statistics_of(STANDARD, [JudgedPhase(1, BEFORE.phase, BEFORE, resolution)])
    assert statistics.attacks == (("France", "Germany", 1),)
    france = next(counts for counts in statistics.counts if counts.power == "France")
    assert (france.orders, france.moves, france.supports, france.cut, france.bounced) == (2, 1, 1, 0, 0)
    assert next(counts.beaten for counts in statistics.counts if counts.power == "Germany") == 1


def test_units_lent_are_counted_kept_and_turned_against_their_lender() -> None:
    """By hand: Germany lends Gascony and Munich to France, which leads one against Paris, its own, and one
    against Berlin, Germany's; Kiel is lent and gets no order, and Ruhr's proxy is void."""
    units = [Unit(power, "A", Region(place)) for power, place in (
        ("FRANCE", "PAR"), ("FRANCE", "BUR"), ("GERMANY", "GAS"), ("GERMANY", "MUN"), ("GERMANY", "KIE"),
        ("GERMANY", "RUH"), ("GERMANY", "BER"))]
    before = replace(BEFORE, units=frozenset(units))

    def army(place: str) -> UnitRef:
        return UnitRef("A", Region(place))

    def lent(place: str, result: Result) -> Outcome:
        return Outcome(Proxy(power="GERMANY", unit=army(place), to_power="FRANCE"), result)

    def moved(power: str, place: str, to: str) -> Outcome:
        return Outcome(Move(power=power, unit=army(place), to=Region(to)), Result.FAILS, "bounced")

    outcomes = (
        lent("GAS", Result.SUCCEEDS), lent("MUN", Result.SUCCEEDS), lent("KIE", Result.SUCCEEDS),
        lent("RUH", Result.VOID),
        moved("FRANCE", "GAS", "PAR"), moved("FRANCE", "MUN", "BER"),
        # Germany's own order to a unit that it lent, and France's to one that it was not lent.
        moved("GERMANY", "KIE", "BER"), moved("FRANCE", "BUR", "RUH"))
    resolution = Resolution(outcomes, before)
    counts = {each.power: each for each in statistics_of(
        STANDARD, [JudgedPhase(1, BEFORE.phase, before, resolution)]).counts}
    germany, france = counts["Germany"], counts["France"]
    assert (germany.lent, germany.kept, germany.broken, germany.void) == (3, 2, 1, 1)
    assert (france.lent, france.kept, france.broken) == (0, 0, 0)
    assert (france.moves, france.bounced) == (3, 3)


@pytest.mark.slow
def test_the_record_says_who_ended_the_game_and_verifies(site: Site, tmp_path: Path) -> None:
    """TRU-01: an act with its reason, known to the checker; the whole archive is as it should be."""
    _, table = play_story(site, "brittania", letters=True, receipts=True)
    with site.store.begin() as session:
        done = perform(DeclareEnd(table.game, "draw", ("Red", "Cyan"), "All of them wrote so."),
                       at(session, table, circulars=Broadcasts(table.writer)))
    assert done.letters == len(table.variant.powers)
    archive, out = tmp_path / "game.zip", io.StringIO()
    with site.store() as session, archive.open("w+b") as file:
        export.write_archive(session, site.blobs, table.game, export.Edition.WHOLE, site.clock.now(), "1",
                             file)
    code = print_check(archive, [], out)
    wrong = [line for line in out.getvalue().splitlines() if line.startswith("NOT AS")]
    assert (code, wrong) == (0, [])
