"""How each player writes, learnt from their sheets (README.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from service.feature import Feature, FeatureWork, JobKind, Slot

if TYPE_CHECKING:
    from fastapi import APIRouter

    from service.bootstrap import Site
    from service.games.acts.act import ActTable


def _routers() -> Sequence[APIRouter]:
    from service.features.player_hand import pages

    return (pages.router,)


def _work(site: Site) -> FeatureWork:
    from service.features.player_hand import hand

    # Also where it is turned off: jobs of before still lie in the queue.
    is_on = site.settings.reader.players_hands
    learner = hand.HandLearner(site.store, site.blobs, site.clock, site.recognizer, is_on)
    jobs = (JobKind(hand.WORK, learner.learn),)
    if not is_on:
        return FeatureWork(jobs=jobs)
    return FeatureWork(
        jobs=jobs, after_approval=lambda session, phase_id: hand.enqueue(site.jobs, session, phase_id),
        hand_of=hand.hand_of)


def _forget_player(table: ActTable, player_id: int) -> None:
    from service.features.player_hand.hand import ForgetHand
    from service.games.acts.act import perform

    perform(ForgetHand(player_id), table)


FEATURE = Feature(
    "player_hand", routers=_routers, slots={Slot.GAMES: "player_hand/games_link.html"}, work=_work,
    forget_player=_forget_player, tables=("hands",))
