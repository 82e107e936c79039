"""Every act of a person: performed through one door, and without a trace where it is refused."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

import service
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from service.archive.copies import Copy, CopySheets
from service.archive.forget import ForgetPlayer
from service.archive.import_game import EnterImport
from service.facts.events import Event
from service.facts.roles import Role
from service.games.acts.act import Act, ActTable, LoggedEvent, ReasonedAct, ResultsCorrection, perform
from service.games.acts.boards import KeepBoard
from service.games.acts.deadlines import GoAway, MoveDeadline, MoveYear, Pause
from service.games.acts.ending import AgreeOnDraw, DeclareEnd
from service.games.acts.games import ChangeOption
from service.games.acts.lines import AddLine, CloseDifferences, FileDecisions, TakeOrdersOver
from service.games.acts.lots import DrawWithoutBeacon, DrawWithoutSeed
from service.games.acts.phases import JudgeWithoutMailbox, RollBack, Unseal
from service.games.acts.results import ChangeCoordinator, CorrectBoard, CorrectResults, TakeBackResults
from service.games.acts.seats import AddAddress, GiveSeat, Holder, RemoveAddress
from service.games.acts.sheets import (
    ChooseSheet,
    ConfirmSheet,
    LeaveToRule,
    RefileSheet,
    RefuseSheet,
    TakeRefusalBack,
)
from service.games.approval.approve import SendResults
from service.games.proof_reading import ProofRead
from service.games.refused import NoReason, Refused
from service.intake.ignored_mails import LeaveIgnored, TakeIgnoredBack
from service.intake.quarantine import DiscardMail, TakeMailBack
from service.mail.sending.hold import HoldLetters, ResumeLetters, RetryLetters
from service.notices.announcements import EndAbsence, NoteAbsence
from service.notices.postal_packs import SetAccommodation, SetReturnAddress
from service.public.entry_acts import ChangeSettings, EndPostalAddress
from service.record.game_key import ChangeKey
from service.store.records import log_event
from service.store.tables import EventRow, TableBase
from service.web.accounts import AddPerson, ChangeRole, RemovePerson, SignPersonOut
from service.web.game_roles import ChangeGameRole
from tests.support.acting import at
from tests.support.features import of_features
from tests.support.site import Site, make_site
from tests.support.table import Table, open_table

SERVICE = Path(service.__file__).parent
WHY = "The players asked for it."
POWER, NOBODY = "Montrose", "Nobody"
BOX = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
GAME, PHASE, SHEET = "powick-bridge", 1, 1
FIRST = Phase(1642, "Summer", PhaseKind.MOVEMENT)

REFUSED: dict[type[Act[Any]], Act[Any]] = {type(act): act for act in (
    MoveDeadline(GAME, PHASE, "2001-01-01", "", WHY),
    MoveYear(GAME, PHASE, "2031-01-01", WHY),
    GoAway(GAME, "2001-01-01", "2001-01-02"),
    Pause(GAME, "0", WHY),
    Unseal(PHASE + 1, WHY),
    JudgeWithoutMailbox(GAME, PHASE, WHY),
    RollBack(GAME, PHASE, WHY),
    DrawWithoutSeed(PHASE, WHY),
    DrawWithoutBeacon(PHASE, WHY, lambda *_round: None),
    ChangeOption(GAME, "typed_orders", "perhaps", WHY),
    # Before the deadline no sheet may be changed.
    ChooseSheet(SHEET, WHY), RefuseSheet(SHEET, WHY), TakeRefusalBack(SHEET), ConfirmSheet(SHEET),
    LeaveToRule(SHEET, WHY), RefileSheet(SHEET, "Argyll", WHY),
    AddLine(SHEET, 1, "key", BOX, -1, "A Perth H", None), TakeOrdersOver(SHEET, SHEET, "key", BOX, WHY),
    FileDecisions(PHASE + 999, "key", (), {}),
    CloseDifferences(PHASE, "key", (), {}),
    AddAddress(GAME, POWER, "no address"),
    RemoveAddress(GAME, POWER, "nobody@nowhere.example"),
    GiveSeat(GAME, POWER, Holder("Eve", "Nowhere/Never", ("eve@friends.example",)), WHY),
    DeclareEnd(GAME, "draw", (POWER, "Argyll"), WHY),
    AgreeOnDraw(GAME, PHASE, WHY),
    # Refused after their rows are written: no one could be told.
    TakeBackResults(PHASE, WHY), CorrectBoard(PHASE, "Nobody: Army Perth", "", WHY),
    CorrectResults(PHASE, ResultsCorrection("A.", "B.", "None.", "Ada"), "key"),
    ChangeCoordinator(GAME, "Blaise", "key"),
    NoteAbsence(GAME, NOBODY, "2031-01-01", "2031-01-02"),
    EndAbsence(GAME, 7),
    SetReturnAddress("nowhere", ("1 Castle Street",)),
    SetAccommodation(GAME, NOBODY, "By telephone."),
    CopySheets(PHASE, Copy.ARCHIVE, "no"), EnterImport("nowhere", 1, {}),
    ChangeKey("nowhere", WHY), KeepBoard(Path("no board"), "classic"), ForgetPlayer("Montrose"),
    DiscardMail(NOBODY, WHY), TakeMailBack(NOBODY), LeaveIgnored(NOBODY),
    TakeIgnoredBack(NOBODY, 1, lambda *_mail: None),
    HoldLetters("no"), ResumeLetters(), RetryLetters(),
    AddPerson("A\u200bda", "correct horse", Role.COORDINATOR), ChangeRole(NOBODY, Role.COORDINATOR),
    RemovePerson(NOBODY), SignPersonOut(NOBODY), ChangeGameRole(NOBODY, GAME, None),
    SendResults(PHASE, None, Resolution((), Position(FIRST, frozenset())), lambda _session: None),
    ProofRead(PHASE, "not a digest"), EndPostalAddress(1, 7),
    ChangeSettings(1, "Mars/Olympus", has_reminders=True),
    *of_features("REFUSED").values(),
)}
"""An act of each kind that is refused in a new game of which one sheet came; those of features are in their
`routes.py`."""


NEVER_REFUSED = {
    "BeginGame", "AddPostalAddress", "RenewFeed", "SignOutElsewhere", *of_features("NEVER_REFUSED")}
"""An act that raises ConfigError (tests/service/games/test_create.py), one that needs a full list
(tests/service/public/test_entry.py), and those that nothing hinders."""


def acts_in_source() -> set[str]:
    """The names of the classes that are acts, but for bases and for parts of others (`_Name`)."""
    return {
        node.name
        for path in SERVICE.rglob("*.py") for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and node.decorator_list
        and any(ast.unparse(base).split("[")[0] in {"Act", "ReasonedAct"} for base in node.bases)
    }


def test_every_act_is_among_those_that_are_refused_here() -> None:
    assert {kind.__name__ for kind in REFUSED} == acts_in_source() - NEVER_REFUSED


def rows(session: Session) -> dict[str, Counter[str]]:
    """Every row of every table, written out."""
    return {table.name: Counter(repr(tuple(row)) for row in session.execute(select(table)))
            for table in TableBase.metadata.sorted_tables}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    with make_site(tmp_path_factory.mktemp("acts")) as site:
        opened = open_table(site)
        assert opened.file(POWER, ["A Perth H"], heading=(POWER,)) == SHEET
        assert (opened.game, opened.phase().id) == (GAME, PHASE)
        yield opened


@pytest.mark.parametrize("kind", REFUSED, ids=lambda kind: kind.__name__)
def test_an_act_that_is_refused_leaves_every_row_as_it_was(table: Table, kind: type[Act[Any]]) -> None:
    with table.site.store() as session:
        before = rows(session)
    with pytest.raises(Refused), table.site.store.begin() as session:
        perform(REFUSED[kind], at(session, table))
    with table.site.store() as session:
        assert rows(session) == before
    # A check reads and never writes, so that a page may call it too.
    with table.site.store() as session:
        with suppress(Refused):
            REFUSED[kind].check(at(session, table))
        assert not session.new
        assert not session.dirty
        assert not session.deleted


@pytest.mark.parametrize("kind", [kind for kind in REFUSED if issubclass(kind, ReasonedAct)],
                         ids=lambda kind: kind.__name__)
def test_a_reason_is_a_sentence_whatever_the_act(table: Table, kind: type[Act[Any]]) -> None:
    with pytest.raises(NoReason), table.site.store.begin() as session:
        perform(replace(REFUSED[kind], why=" no "), at(session, table))  # type: ignore[type-var]


def test_an_event_is_entered_before_letters_unless_it_counts_them(site: Site) -> None:
    """An act done before (no event) puts no letter."""
    order: list[str] = []

    class Told(Act[bool]):
        def __init__(self, *, first: bool, is_new: bool) -> None:
            self.first, self.is_new = first, is_new

        @property
        def letters_first(self) -> bool:  # type: ignore[override]
            return self.first

        def change(self, table: ActTable) -> bool:
            order.append("change")
            return self.is_new

        def event(self, table: ActTable, outcome: bool, letters: int) -> LoggedEvent | None:
            order.append(f"event {letters}")
            return LoggedEvent(Event.GAME_PAUSED, None) if outcome else None

        def letters(self, table: ActTable, outcome: bool) -> int:
            order.append("letters")
            return 3 if outcome else 0

    acts: list[Callable[[], Told]] = [
        lambda: Told(first=False, is_new=True), lambda: Told(first=True, is_new=True),
        lambda: Told(first=False, is_new=False)]
    performed = []
    with site.store.begin() as session:
        for make in acts:
            done = perform(make(), ActTable(session, "Ada", site.clock.now() + timedelta(hours=1)))
            performed.append((done.letters, done.events != ()))
        assert order == ["change", "event 0", "letters", "change", "letters", "event 3", "change", "event 0"]
        assert performed == [(3, True), (3, True), (0, False)]
        actors = session.scalars(select(EventRow.actor).where(EventRow.what == Event.GAME_PAUSED)).all()
    assert actors == ["Ada", "Ada"]


def test_what_a_person_does_is_entered_by_perform_alone() -> None:
    """`log_event` is the machine's: it has no place for the name of a person."""
    callers = {str(path.relative_to(SERVICE)) for path in SERVICE.rglob("*.py")
               if "log_act" in path.read_text()}
    assert callers == {"store/records.py", "games/acts/act.py"}
    assert set(signature(log_event).parameters) == {"session", "instant", "kind", "game_id", "detail"}


def test_the_row_of_an_event_is_made_in_one_place() -> None:
    makers = {str(path.relative_to(SERVICE)) for path in SERVICE.rglob("*.py")
              for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
              and ast.unparse(node).startswith(("EventRow(", "insert(EventRow)"))}
    assert makers == {"store/records.py"}
