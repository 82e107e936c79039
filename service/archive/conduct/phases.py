"""Rules C9 to C14, C17 and C19: the clock, the board, the seed, the options and the seats of a game."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from service.archive.conduct.facts import SLACK, Fact, Facts, instant
from service.store.digests import canonical

ORDER = ("waiting", "open", "closed", "ready", "sent")
TAKES_BACK = ("phase_rolled_back", "sheet_chosen", "sheet_refused", "sheet_refusal_taken_back",
              "sheet_choice_taken_back", "sheet_filed_anew", "orders_taken_over", "differences_closed")
MOVES = ("deadline_moved", "year_moved")
CHANGES_GAME = ("option_changed", "coordinator_changed", "return_address_changed")


def check_phases(facts: Facts) -> None:
    """C9 to C12: what was entered of each phase changes as the clock says, and by acts on record."""
    for before, after in facts.changes("phase"):
        _check_state(facts, before, after)
        _check_clock(facts, before, after)
        old, new, name = before.tells, after.tells, f"phase {after.tells['phase']}"
        if old["position"] is not None and new["position"] != old["position"]:
            facts.wrong("C11", after.number, f"the board of {name} was changed.")
        if old["lots"] != new["lots"]:
            facts.wrong("C12", after.number, f"the seed of {name} is another than the one committed.")
        if old["review"] != new["review"] and not facts.act(after, "option_changed"):
            facts.wrong("C13", after.number, f"how lines of {name} are read was changed without an act on "
                                             "record.")
        if old["unsealed"] != new["unsealed"] and not (
            old["unsealed"] is None and facts.act(after, "phase_unsealed")
        ):
            facts.wrong("C9", after.number, f"{name} was unsealed without an act on record.")


def _check_state(facts: Facts, before: Fact, after: Fact) -> None:
    old, new, name = before.tells["state"], after.tells["state"], f"phase {after.tells['phase']}"
    if old == new:
        return
    if old == "sent":
        facts.wrong("C9", after.number, f"{name} was opened again after its results were sent.")
    elif ORDER.index(new) < ORDER.index(old) and not (
        (old, new) == ("ready", "closed") and facts.act(after, *TAKES_BACK)
    ):
        facts.wrong("C9", after.number, f"{name} went from {old} back to {new} without an act on record.")
    elif new == "sent" and old == "ready" and not facts.act_at(after, "results_approved"):
        facts.wrong("C9", after.number, f"the results of {name} were sent without an approval on record.")
    elif new == "closed" and old == "open" and not facts.act_at(after, "phase_closed"):
        facts.wrong("C9", after.number, f"{name} was closed without an act on record.")
    elif new == "closed" and old == "open" and after.entered < instant(after.tells["deadline"]) - SLACK:
        facts.wrong("C9", after.number, f"{name} was closed before its deadline.")


def _check_clock(facts: Facts, before: Fact, after: Fact) -> None:
    old, new, name = before.tells, after.tells, f"phase {after.tells['phase']}"
    if (old["opens"], old["deadline"]) == (new["opens"], new["deadline"]):
        return
    act = facts.act(after, *MOVES)
    if act is None:
        facts.wrong("C10", after.number, f"the deadline of {name} was moved without an act on record.")
    elif after.entered > instant(old["deadline"]) + SLACK or instant(new["deadline"]) < after.entered - SLACK:
        facts.wrong("C10", after.number, f"the deadline of {name} was moved once it had passed, or into the "
                                         "past.")
    elif not any(letter.tells["kind"] == "deadline_moved" and letter.number > after.number - 40
                 for letter in facts.of("letter")) and facts.archive.is_whole:
        facts.wrong("C10", after.number, f"no letter says that the deadline of {name} was moved.")


def check_judgings(facts: Facts) -> None:
    """C9 and C11 of what was judged: after the deadline, never after the results, on the board that was
    left."""
    left: Mapping[str, Any] | None = None
    last: dict[int, Fact] = {}
    for judged in facts.of("judged"):
        phase = judged.tells["phase"]
        clock = [fact for fact in facts.of("phase")
                 if fact.number < judged.number and fact.tells["phase"] == phase]
        if clock:
            _check_judging(facts, judged, clock[-1])
        last[phase] = judged
    for fact in facts.of("phase"):
        if fact.tells["state"] == "sent" and "taken_back" in (
            last[fact.tells["phase"]].tells if fact.tells["phase"] in last else ()
        ):
            facts.wrong("C9", last[fact.tells["phase"]].number, "the judging of phase "
                                                                f"{fact.tells['phase']} was taken back, "
                                                                "and its results were sent.")
            break
    boards = {fact.tells["phase"]: fact for fact in facts.of("phase") if fact.tells["position"] is not None}
    for phase, judged in sorted(last.items()):
        if "taken_back" in judged.tells:
            continue
        board_fact = boards.get(phase)
        if board_fact is not None and _digest(judged.tells["position"]) != board_fact.tells["position"]:
            facts.wrong("C11", judged.number, f"phase {phase} was judged on another board than entry "
                                              f"{board_fact.number} says.")
        following = min((number for number in boards if number > phase), default=None)
        left = judged.tells["resolution"]
        assert left is not None
        document = {"format": left["format"], "position": left["resolution"]["position"]}
        if following is not None and following not in last and (
            _digest(document) != boards[following].tells["position"]
        ) and facts.archive.is_whole:
            facts.wrong("C11", boards[following].number, f"phase {following} does not begin on the board "
                                                         f"that phase {phase} left.")


def _check_judging(facts: Facts, judged: Fact, clock: Fact) -> None:
    phase, state = judged.tells["phase"], clock.tells["state"]
    if state == "sent":
        facts.wrong("C9", judged.number, f"phase {phase} was judged again, or its judging taken back, after "
                                         "its results were sent.")
    elif "taken_back" in judged.tells:
        if not facts.act(judged, *TAKES_BACK):
            facts.wrong("C9", judged.number, f"the judging of phase {phase} was taken back without an act "
                                             "on record.")
    elif state not in {"closed", "ready"} or judged.entered < instant(clock.tells["deadline"]) - SLACK:
        facts.wrong("C9", judged.number, f"phase {phase} was judged before its deadline.")
    elif facts.archive.is_whole and not facts.act(judged, "phase_judged"):
        facts.wrong("C9", judged.number, f"what was judged of phase {phase} was changed without a judging.")


def _digest(document: Any) -> str:
    return hashlib.sha256(canonical(document).encode()).hexdigest()


def check_game(facts: Facts) -> None:
    """C13: options and seats change only by an act on record."""
    for before, after in facts.changes("game"):
        if before.tells != after.tells and not facts.act(after, *CHANGES_GAME):
            facts.wrong("C13", after.number, "an option of the game was changed without an act on record.")
        if before.tells["variant"] != after.tells["variant"]:
            facts.wrong("C13", after.number, "the game is played by other rules than it began with.")
    for before, after in facts.changes("seat"):
        if before.tells != after.tells and not facts.act(after, "seat_changed"):
            facts.wrong("C13", after.number, f"{after.tells['power']} got another player without an act on "
                                             "record.")


def check_times(facts: Facts) -> None:
    """C14 and C17: entries are made in the order of time, acts when they say, and nothing is deleted."""
    latest: Fact | None = None
    for fact in facts.facts:
        if latest is not None and fact.entered < latest.entered - SLACK:
            facts.wrong("C14", fact.number, f"it was entered earlier than entry {latest.number} before it.")
        latest = fact if latest is None or fact.entered > latest.entered else latest
        if fact.kind in {"event", "correction"} and abs(instant(fact.tells["at"]) - fact.entered) > SLACK:
            facts.wrong("C14", fact.number, "it names another time than the one at which it was entered.")
        if fact.kind == "gone":
            facts.wrong("C17", fact.number, f"a {fact.tells['of']} was deleted from the database.")
        if fact.kind == "event" and fact.tells["event"] == "changed_by_hand":
            facts.wrong("C17", fact.number, "rows were changed in the database past the record.")
    for kind in ("event", "correction", "posted", "word"):
        for before, after in facts.changes(kind):
            is_untick = kind == "posted" and {**before.tells, "taken_back": None} == {
                **after.tells, "taken_back": None} and facts.act(after, "letter_taken_back")
            if before.tells != after.tells and not is_untick:
                facts.wrong("C17", after.number, f"the {kind} of entry {before.number} was changed.")


def check_words(facts: Facts, judged: Fact, deadline: str) -> None:
    """C19: words for the lots count only if they were entered in time, by mail before the phase was closed
    and by hand before the deadline."""
    phase = judged.tells["phase"]
    closed = next((fact.number for fact in facts.of("phase")
                   if fact.tells["phase"] == phase and fact.tells["state"] == "closed"), judged.number)
    stamps = {fact.tells["mail"]: fact.tells["stamped"] for fact in facts.of("mail")}
    for word in facts.of("word"):
        tells = word.tells
        if tells["phase"] != phase:
            continue
        by_hand = tells["mail"] is None
        if word.number > closed or (by_hand and word.entered > instant(deadline)):
            facts.wrong("C19", word.number, f"a word of {tells['power']} for the lots was entered after the "
                                            "deadline.")
        if not by_hand and stamps.get(tells["mail"]) != tells["received"]:
            facts.wrong("C19", word.number, f"a word of {tells['power']} came with no mail of that time.")
