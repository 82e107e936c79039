"""Rules C21 and C23 in part: how a phase draws its lots is fixed when it is planned, and the key of receipts
when it is made; both change only by an act."""

from __future__ import annotations

from service.archive.conduct.facts import Facts
from service.games.sealed_lots import BEACON, GIVEN_UP, LOST


def check_keys(facts: Facts) -> None:
    """C21 in part: a key on record stays, and another one comes by an act that all are told of."""
    for before, after in facts.changes("key"):
        facts.wrong("C21", after.number, f"the key of entry {before.number} was changed.")
    for fact in facts.of("key"):
        if fact.tells["number"] > 1 and not facts.act(fact, "key_changed"):
            facts.wrong("C21", fact.number, "receipts got another key without an act on record.")


def check_plans(facts: Facts) -> None:
    """C23: the rule and the beacon of a phase stay, and no phase is planned by an older rule than one before
    it."""
    is_new, known = False, set()
    options = {fact.number: fact.tells["options"] for fact in facts.of("game")}
    for fact in facts.of("phase"):
        plan, phase = fact.tells.get("draw"), fact.tells["phase"]
        if phase in known:
            continue
        known.add(phase)
        if plan is None and is_new:
            facts.wrong("C23", fact.number, f"phase {phase} is planned by an older rule for its lots than "
                                            "the phases before it.")
        is_new = is_new or plan is not None
        named = next((game_options.get(BEACON) for number, game_options in reversed(options.items())
                      if number < fact.number), None)
        if plan is not None and (plan[BEACON] is None) != (named is None):
            facts.wrong("C23", fact.number, f"phase {phase} does not draw with the beacon that the game "
                                            "names.")
    for before, after in facts.changes("phase"):
        old, new = before.tells.get("draw"), after.tells.get("draw")
        if old == new:
            continue
        name = f"phase {after.tells['phase']}"
        is_same = old is not None and new is not None and all(
            old.get(part) == new.get(part) for part in ("rule", BEACON))
        acts = [part for part in (LOST, GIVEN_UP) if (old or {}).get(part) != (new or {}).get(part)]
        if not is_same or not all(facts.act(after, act) for act in acts):
            facts.wrong("C23", after.number, f"how the lots of {name} are drawn was changed without an act "
                                             "on record.")
