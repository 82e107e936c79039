"""TRU-01, TRU-05, TRU-06, TRU-08: ways to cheat, played through the program with fitting letters, are found
by the checker that players run, and by `galloper verify`, which runs it.

The list is in the folder `cheats`, by what is touched; what no checker can find is listed there with its
reason.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from tests.service.archive.cheats import (
    on_archives,
    on_clock,
    on_conduct,
    on_cover,
    on_letters,
    on_lines,
    on_lots,
    on_origin,
    on_sheets,
)
from tests.service.archive.cheats.table import EXCHANGED, Cheat
from tests.support import keeper
from tests.support.features import of_features
from tests.support.keeper import OTHER, PLAYERS, VICTIM, Checker, Evidence

CHEATS: tuple[Cheat, ...] = (
    *on_sheets.CHEATS, *on_lines.CHEATS, *on_clock.CHEATS, *on_lots.CHEATS, *on_letters.CHEATS,
    *on_archives.CHEATS, *on_conduct.CHEATS, *on_cover.CHEATS, *on_origin.CHEATS,
    *of_features("CHEATS").values())
IMPOSSIBLE = (
    *on_lines.IMPOSSIBLE, *on_clock.IMPOSSIBLE, *on_conduct.IMPOSSIBLE, *on_lots.IMPOSSIBLE)
SHOWN = {"one": (VICTIM,), "some": (VICTIM, OTHER), "all": PLAYERS}
QUICK = ("an order is called no order", "the chain is cut and goes on", "a mail in time is stamped as late",
         *of_features("QUICK_CHEATS"))
"""Cheats of the quick suite; the slow one plays all."""


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("game")
    keeper.start(folder)
    return folder


@pytest.fixture
def program() -> Iterator[None]:
    """The program as it was, after a cheat changed it."""
    whole = [(module, name, getattr(module, name)) for module, name in EXCHANGED]
    yield
    for module, name, value in whole:
        setattr(module, name, value)


def played(cheat: Cheat, saved: Path, folder: Path) -> Evidence:
    """The evidence after a cheat was played and the game went on to its next results."""
    with keeper.opened(folder / "site", saved / cheat.stage) as table:
        forge = cheat.play(table)
        keeper.go_on(table)
        if cheat.stage == "winter":
            keeper.send_sheets(table)
            keeper.go_on(table)
        evidence = keeper.evidence(table)
    return evidence if forge is None else forge(evidence)


NAMED = ("tells of it", "counts for nothing", "days later than", "do not follow it",
         "A deadline lies between", "on no sheet of this archive", "other words or files than its copy")
"""What a checker mentions a cheat that is not an alarm."""
Words = dict[tuple[str, str], str]
"""The alarms of a checker, by archive and by whose letters it was shown."""


def findings(cheat: Cheat, evidence: Evidence, check: Checker) -> Words:
    """The statement of a checker about each archive with the letters of one, some and all: alarms, and for a
    cheat that is reported to all, what it tells."""
    words: Words = {}
    for edition, archive in (("whole", evidence.whole), ("players", evidence.players)):
        for shown, powers in SHOWN.items():
            alarms, notes = check(archive, evidence.shown(powers))
            named = [line for line in notes.split("\n") if any(words in line for words in NAMED)]
            words[edition, shown] = alarms or ("\n".join(named) if cheat.is_named else "")
    return words


def is_found(cheat: Cheat, words: Words) -> bool:
    """Whether it shows in either archive with as many letters as it needs."""
    shown = "all" if cheat.needs == "pool" else "one"
    return any(words[edition, shown] for edition in ("whole", "players"))


@pytest.mark.parametrize("cheat", [cheat for cheat in CHEATS if cheat.name in QUICK],
                         ids=attrgetter("name"))
@pytest.mark.usefixtures("program")
def test_a_cheat_is_found_by_its_rule(cheat: Cheat, saved: Path, tmp_path: Path) -> None:
    a_cheat_is_found_by_its_rule(cheat, saved, tmp_path)


def a_cheat_is_found_by_its_rule(cheat: Cheat, saved: Path, tmp_path: Path) -> None:
    """By the rule that the list names. `galloper verify` runs the independent checker, which the slow test
    has all cheats to find."""
    words = findings(cheat, played(cheat, saved, tmp_path), keeper.galloper(tmp_path))
    assert is_found(cheat, words), words
    assert any(f"rule {cheat.rule})" in text or not cheat.rule.startswith("C") or cheat.is_named
               for text in words.values()), words


def cases(cheats: tuple[Cheat, ...]) -> list[ParameterSet]:
    """Cheats as cases of a test, those that are not found yet expected to fail."""
    return [pytest.param(cheat, id=cheat.name, marks=[pytest.mark.xfail(
        strict=True, raises=AssertionError, reason=cheat.open_issue)] if cheat.open_issue else [])
        for cheat in cheats]


@pytest.mark.slow
@pytest.mark.parametrize("cheat", cases(CHEATS))
@pytest.mark.usefixtures("program")
def test_every_cheat_is_found(cheat: Cheat, saved: Path, tmp_path: Path) -> None:
    words = findings(cheat, played(cheat, saved, tmp_path), keeper.independent(tmp_path / "tool"))
    assert is_found(cheat, words), words


@pytest.mark.slow
@pytest.mark.parametrize("play", cases(on_cover.HONEST))
def test_what_only_looks_like_a_cheat_is_called_none(play: Cheat, saved: Path, tmp_path: Path) -> None:
    words = findings(play, played(play, saved, tmp_path), keeper.independent(tmp_path / "tool"))
    assert {shown: text for shown, text in words.items() if text} == {}


@pytest.mark.slow
@pytest.mark.usefixtures("program")
def test_an_alarm_has_nothing_that_moves_the_cursor(saved: Path, tmp_path: Path) -> None:
    """A name from the archive is in the sentence; printed as it is, it would hide the sentence."""
    hides = next(cheat for cheat in on_cover.CHEATS if cheat.rule == "C8")
    words = findings(hides, played(hides, saved, tmp_path), keeper.independent(tmp_path / "tool"))
    for text in words.values():
        assert "did this" in text
        assert not [sign for line in text.split("\n") for sign in line if unicodedata.category(sign) == "Cc"]


def test_the_list_is_long_enough_and_says_why_something_is_impossible() -> None:
    """At least sixty ways, by four roles, before and after mailing; each once."""
    names = [cheat.name for cheat in CHEATS] + [cheat.name for cheat in IMPOSSIBLE]
    assert len(set(names)) == len(names)
    assert len(names) >= 60
    assert len(CHEATS) >= 50
    assert {cheat.when for cheat in CHEATS} == {"before mailing", "after mailing"}
    assert all(cheat.why for cheat in IMPOSSIBLE)
    assert set(QUICK) <= set(names)
