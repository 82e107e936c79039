"""What is ordered against the rules of Bretwalda, 1066, 1648 and Brittania, from the sheet on file to the
letter that its sender reads: the outcome that the document gives or that was decided, and its sentence (issue
9, "Bad input")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.position import Extension, Memory, Position
from adjudicator.rules.brittania_realm import Realm
from adjudicator.units import Unit
from service.games.ballots import executed
from service.notices.results import ResultsAnnouncer
from service.store.tables import PhaseRow
from tests.support.mail_builder import mail, stamp, text
from tests.support.site import Site
from tests.support.table import SERVER, Table, address, open_table


@dataclass(frozen=True)
class Bad:
    """A board, the sheets of a phase, what a power reads, and units that there are afterwards."""

    slug: str
    phase: Phase
    board: tuple[str, ...]
    sheets: Mapping[str, list[str]]
    reader: str
    sentences: tuple[str, ...]
    units: tuple[str, ...] = ()
    centres: Mapping[str, frozenset[str]] = field(default_factory=dict)
    memory: Memory = field(default_factory=Memory)
    extension: Extension | None = None


def _owned(**powers: str) -> dict[str, frozenset[str]]:
    return {power.replace("_", " "): frozenset(places.split()) for power, places in powers.items()}


def _realm(allied: bool = False, **grain: int) -> Realm:
    """Who has how much grain; Red has its capital in Essex and Gold in Kent."""
    return Realm(grain=grain, capitals={"Red": "Essex", "Gold": "Kent"},
                 alliances=frozenset({("Gold", "Red")} if allied else ()))


def _loan(*words: str) -> Memory:
    return Memory(notes=frozenset({("loan", *words)}))


COURT = _owned(Red="Essex Cambridge", Gold="Kent Norfolk")
BAD = {
    "BRE-14: a bunch ordered inland where it cannot go stands and keeps its boats": Bad(
        "bretwalda", Phase(621, "Spring", PhaseKind.MOVEMENT), ("Gwynedd B Den",),
        {"Gwynedd": ["B Denbigh - Tamworth"]}, "Gwynedd",
        ("✗ Boat Bunch Denbigh moves to Tamworth: void, ",), units=("Gwynedd B Den",)),
    "BRE-12: one ordered inland where it can go leaves them": Bad(
        "bretwalda", Phase(621, "Spring", PhaseKind.MOVEMENT), ("Gwynedd B Den",),
        {"Gwynedd": ["B Denbigh - Powys"]}, "Gwynedd",
        ("✓ Boat Bunch Denbigh moves to Powys; its boats are left behind. (rules, Boat bunches)",),
        units=("Gwynedd A Pow",)),
    "TYW-14: who has a loan lends nothing": Bad(
        "war1648", Phase(1619, "June", PhaseKind.ADJUSTMENT), (), {"France": ["Lend Paris to England"]},
        "France",
        ("✗ Lend Paris to England: void, France has a loan itself, and cannot lend. (rule 13)",),
        centres=_owned(Spain="Naples", France="Paris", England="London"),
        memory=_loan("Naples", "Spain", "France")),
    "TYW-12, Q-51: the ice of December keeps fleets from being built, not armies": Bad(
        "war1648", Phase(1618, "December", PhaseKind.ADJUSTMENT), (),
        {"Russia": ["Build F Kargopol", "Build A Kargopol"]}, "Russia",
        (("✗ Build a Fleet in Kargopol: void, Kargopol is frozen in December, and no fleet is built there. "
          "(rule 10)"), "✓ Build an Army in Kargopol. "),
        units=("Russia A Kargopol",), centres=_owned(Russia="Kargopol")),
    "TYW-12, Q-52: and an army built there cannot go on into the next frozen land": Bad(
        "war1648", Phase(1619, "January", PhaseKind.MOVEMENT), ("Russia A Kargopol",),
        {"Russia": ["A Kargopol - Olenets"]}, "Russia",
        (("✗ Army Kargopol moves to Olenets: void, Army Kargopol cannot go to Olenets, which is frozen in "
          "January. (rule 10)"),),
        units=("Russia A Kargopol",)),
    "WSB-04: of seven grain that five are there for, the line that would spend too much is void": Bad(
        "brittania", Phase(602, "Harvest", PhaseKind.TURN), ("Red K Essex", "Gold K Kent"),
        {"Red": ["4 Grain for Defense of Essex", "3 Grain for Investing of Essex"]}, "Red",
        ("✓ 4 Grain for Defense of Essex: 4 grain for Essex, which nobody attacked.",
         "✗ 3 Grain for Investing of Essex: void, Red has 1 grain left of 5 and cannot spend 3."),
        centres=COURT, extension=_realm(Red=5, Gold=5)),
    "WSB-17: a swap that only one of two allies asks for is none": Bad(
        "brittania", Phase(602, "Harvest", PhaseKind.TURN), ("Red K Essex", "Gold K Kent"),
        {"Red": ["10 Grain for Swap of Cambridge for Norfolk"], "Gold": ["5 Grain for Defense of Kent"]},
        "Red",
        (("✗ 10 Grain for Swap of Cambridge for Norfolk: void, Gold did not ask for the same swap this "
          "turn."),), centres=COURT,
        extension=_realm(Red=20, Gold=20, allied=True)),
    "D66-14: an order for a unit of the hidden fleet is an order for nobody": Bad(
        "britain1066", Phase(1066, "March", PhaseKind.MOVEMENT),
        ("Harald Hardrada A/F HG1", "The Northern Earls A Dun"),
        {"The Northern Earls": ["A/F Hidden Germanicus 1 - Clyveland", ("A Dunholm S A/F Hidden Germanicus 1 "
                                                                        "- Clyveland")]},
        "The Northern Earls",
        (("✗ Army/Fleet Hidden Germanicus 1 moves to Clyveland: void, there is no Army/Fleet Hidden "
          "Germanicus 1."),
         ("✗ Army Dunholm supports Army/Fleet Hidden Germanicus 1 to Clyveland: void, there is no unit in "
          "Hidden Germanicus 1 to support.")),
        units=("Harald Hardrada A/F HG1", "The Northern Earls A Dun")),
}


def _unit(text: str) -> Unit:
    power, kind, place = text.rsplit(" ", 2)
    return Unit(power, kind, Region.of(place))


def _table(site: Site, bad: Bad) -> Table:
    position = Position(
        bad.phase, frozenset(map(_unit, bad.board)), dict(bad.centres), memory=bad.memory, own=bad.extension
    )
    table = open_table(site, slug=bad.slug, position=position)
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    return table


QUICK = ("D66-14", "WSB-17")
"""Looked at whenever tests run; what the judge states about the others is in the cases of their boards, and
all are in the slow run."""


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(bad, id=name, marks=() if name.startswith(QUICK) else pytest.mark.slow)
        for name, bad in BAD.items()
    ],
)
def test_a_bad_order_has_its_outcome_and_its_sentence_in_the_letter(site: Site, bad: Bad) -> None:
    table = _table(site, bad)
    for power, lines in bad.sheets.items():
        table.file(power, lines)
    phase = table.phase()
    site.clock.set(phase.deadline + timedelta(minutes=1))
    table.close_phase(phase.id)
    table.approve_phase(phase.id, "ada")
    words = " ".join(table.words(row) for row in table.letters()
                     if row.recipient == address(bad.reader) and row.kind.endswith("_results"))
    assert [sentence for sentence in bad.sentences if sentence not in words] == [], words
    standing = {str(unit) for unit in table.resolution().position.units}
    assert standing >= set(bad.units)


def test_a_second_typed_mail_is_answered_and_the_first_counts(site: Site) -> None:
    """WSB-02, Q-60: by mail with bold words; what comes later is stored, answered as such, and not judged."""
    table = open_table(site, slug="brittania")
    noon = table.phase().opens_at + timedelta(hours=5)
    for hour, capital in enumerate(("Essex", "York")):
        raw = mail(table.subject("Red", hour + 1, Phase(601, "Harvest", PhaseKind.TURN)), address("Red"),
                   parts=[text(f"My turn:\n**Capital {capital}**")],
                   stamps=[stamp(address("Red").rpartition("@")[2], "pass", SERVER)])
        assert table.take(raw, noon + timedelta(hours=hour)).state == "used"
    first, second = (table.words(row) for row in table.letters("receipt"))
    assert "nothing you send later replaces it" in first
    assert ("one of yours was received before. This one is stored, and counts only if the first cannot be "
            "read.") in second
    ids_by_version = {submission.version: submission.id for submission in table.submissions()}
    with site.store() as session:
        counts = executed(session, session.get_one(PhaseRow, table.phase().id))
    assert counts == {"Red": ids_by_version[1]}
