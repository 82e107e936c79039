"""One honest game from a seed, and what the checkers say of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import timedelta
from pathlib import Path

import maps
from service.games.refused import Refused
from service.games.turns import NotReady
from service.store.tables import PhaseState
from tests.service.archive.honest import desk, keeping, moves, sheets
from tests.service.archive.honest.game import HonestGame, begin_game
from tests.support import keeper
from tests.support.features import of_features
from tests.support.site import make_site

Act = Callable[[HonestGame], None]
REFUSALS = (NotReady, Refused)
"""The program's own "no": nothing was changed."""
WHILE_OPEN: tuple[Act, ...] = (
    sheets.sends_again, sheets.sends_without_a_number, sheets.sends_unproved, sheets.adds_a_word,
    keeping.moves_the_deadline, desk.unseals, keeping.reminds,
    *of_features("HONEST_ACTS_WHILE_OPEN").values())
AT_THE_DESK: tuple[Act, ...] = (
    *desk.ON_SHEETS, desk.decides_a_sure_line, desk.undoes, desk.adds_a_line, sheets.sends_late,
    *of_features("HONEST_ACTS").values(), *of_features("HONEST_ACTS_WHILE_OPEN").values())
ONCE_JUDGED: tuple[Act, ...] = (desk.rolls_back, *desk.ON_SHEETS[:3], *of_features("HONEST_ACTS").values())
ANY_TIME: tuple[Act, ...] = (
    keeping.changes_an_option, keeping.changes_who_reads, keeping.changes_the_threshold,
    keeping.replaces_a_player, keeping.changes_addresses, keeping.corrects, keeping.hands_over,
    keeping.welcomes, keeping.changes_who_may_sign_in, keeping.letters_leave, keeping.looks)
AFTER_RESULTS: tuple[Act, ...] = tuple(of_features("AFTER_RESULTS").values())
"""What features do once results were sent, in every second game."""
AROUND_A_STEP: tuple[Callable[[HonestGame, Act], None], ...] = tuple(of_features("AROUND_A_STEP").values())
"""What features do before and after a step, which they play."""
BOARDS = maps.variants()


def _act(game: HonestGame, act: Act) -> None:
    game.done.append(act.__name__)
    with suppress(*REFUSALS):
        act(game)


def _some(game: HonestGame, acts: tuple[Act, ...], most: int) -> None:
    for act in game.chance.choices((*acts, *ANY_TIME), k=game.chance.randrange(most + 1)):
        game.wait(timedelta(minutes=game.chance.randrange(1, 100)))
        _act(game, act)


def _open_and_send(game: HonestGame) -> None:
    row = game.phase()
    if row is None:
        return
    if row.state == PhaseState.WAITING:
        game.site.clock.set(max(row.opens_at, game.now))
        game.table.open_phase(row.id)
    _some(game, WHILE_OPEN, 3)
    _act(game, sheets.everybody_sends)
    row = game.phase()
    if row is not None and game.now < row.deadline - timedelta(days=1):
        _some(game, WHILE_OPEN, 2)


def _close(game: HonestGame) -> None:
    row = game.phase()
    if row is None or row.state != PhaseState.OPEN:
        return
    if game.chance.random() < 0.2:
        _act(game, sheets.sends_late)
    game.site.clock.set(max(game.now, row.deadline) + timedelta(minutes=game.chance.randrange(1, 30)))
    game.table.close_phase(row.id)


def _judge_and_send(game: HonestGame) -> None:
    """Judge the phase that is closed, and approve its results."""
    _some(game, AT_THE_DESK, 3)
    for turn in range(4):
        row = game.phase()
        if row is None or row.state not in {PhaseState.CLOSED, PhaseState.READY}:
            return
        _act(game, desk.settle_papers)
        sheets.read_all(game)
        _act(game, desk.decide_open_lines)
        game.wait(timedelta(minutes=3))
        with suppress(*REFUSALS):
            game.table.judge_when_read(row.id)
        if turn == 0:
            _some(game, ONCE_JUDGED, 1)
            _act(game, desk.decide_open_lines)
            game.table.judge_when_read(row.id)
        with suppress(*REFUSALS):
            game.wait(timedelta(minutes=2))
            game.table.approve_phase(row.id, "Ada")
            return
    game.done.append("not sent")


def one_phase(game: HonestGame) -> None:
    """Play the phase in play to its results, from whatever state it is in."""
    steps: list[Act] = [_open_and_send, _close, _judge_and_send]
    moved = game.chance.random()
    if moved < 0.25:
        split = game.chance.randrange(3)
        for step in steps[:split]:
            step(game)
        between = steps[split] if game.chance.random() < 0.7 else one_phase_quietly
        for around in AROUND_A_STEP:
            game.done.append(around.__name__)
            around(game, between)
        if not AROUND_A_STEP:
            between(game)
        steps = steps if game.chance.random() < 0.5 else steps[split:]
    elif moved < 0.31:
        _act(game, moves.imports)
    elif 0.4 <= moved < 0.46:
        for move in of_features("HONEST_MOVES").values():
            _act(game, move)
    elif moved < 0.4:
        _act(game, moves.moves_to_postgresql)
    for step in steps:
        step(game)


def one_phase_quietly(game: HonestGame) -> None:
    for step in (_open_and_send, _close, _judge_and_send):
        step(game)


def play(seed: int, folder: Path, database: Callable[[], str] | None = None) -> tuple[HonestGame, list[str]]:
    """The game of a seed, and what its keeper is accused of: by both checkers, on both archives, with the
    letters of one player, of some and of all."""
    chance = random.Random(seed)
    slug = BOARDS[seed % len(BOARDS)]
    with ExitStack() as sites:
        site = sites.enter_context(make_site(folder / "site-0"))
        game = HonestGame(begin_game(site, slug, chance), folder, chance, sites, database)
        try:
            if chance.random() < 0.7:
                _act(game, keeping.welcomes)
            for _ in range(chance.randrange(1, 4)):
                if game.phase() is not None:
                    one_phase(game)
                for act in AFTER_RESULTS if seed % 2 else ():
                    _act(game, act)
            if chance.random() < 0.2:
                _act(game, moves.ends_and_forgets)
            elif chance.random() < 0.3:
                _open_and_send(game)
            shown, players = game.evidence()
        except Exception as fault:
            fault.add_note(f"seed {seed}, {slug}: {', '.join(game.done)}")
            raise
    checkers = {"galloper": keeper.galloper(folder / "galloper"),
                "independent": keeper.independent(folder / "tool")}
    groups: tuple[tuple[str, ...], ...] = (
        tuple(players), tuple(chance.sample(players, k=chance.randrange(len(players)))))
    accusations = []
    for edition, archive in (("whole", shown.whole), ("players", shown.players)):
        for group in groups:
            for name, check in checkers.items():
                alarm = check(archive, shown.shown(group))[0]
                if alarm:
                    accusations.append(f"seed {seed}, {slug}, {edition}, {name}, letters of {len(group)}: "
                                       f"{alarm} [{', '.join(game.done)}]")
    return game, accusations
