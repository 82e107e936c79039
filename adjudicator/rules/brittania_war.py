"""Conquest and defence: who fights whom for a state, with what, and what the dice say (WSB-08 to WSB-12,
WSB-19)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adjudicator.rules.brittania_ledger import Attack, Ledger
from adjudicator.rules.brittania_realm import Battle, Fight

INDEPENDENT = 10
"""What an independent state always spends on its defence (WSB-08)."""
KINGS_WORTH = 2
"""The grain that a king is worth in an attack or a defence (WSB-14)."""
SIDES = 10


def battles(ledger: Ledger) -> tuple[Battle, ...]:
    """Every battle of the turn, by the name of the state. Dice and lots are drawn in that order: for each
    fight, in the order of the seats, the attacker's die and then the defender's."""
    return tuple(_battle(ledger, state, ledger.attacks[state]) for state in sorted(ledger.attacks))


def _battle(ledger: Ledger, state: str, attacks: Mapping[str, Attack]) -> Battle:
    powers = sorted(attacks, key=lambda power: ledger.seats[power])
    owner = ledger.owner.get(state, "")
    defence = _defence(ledger, state, owner)
    shares = _shares(ledger, defence, [attacks[power].grain for power in powers])
    once = ledger.draw(SIDES) + 1 if defence and ledger.rules.choice("defence_die") == "once" else 0
    fights = []
    for power, share in zip(powers, shares, strict=True):
        die = ledger.draw(SIDES) + 1 if defence else 0
        # A state that is defended at all is fought for, also where this attacker's share is 0 (WSB-12).
        against = once or (ledger.draw(SIDES) + 1 if defence else 0)
        king = KINGS_WORTH if attacks[power].king else 0
        fights.append(Fight(power, attacks[power].grain, king, die, share, against))
    winner, by_lot = _winner(ledger, fights)
    return Battle(state, owner, defence, tuple(fights), winner, by_lot)


def _defence(ledger: Ledger, state: str, owner: str) -> int:
    """The grain that defends a state, the king's 2 among it if he is there and with no army."""
    if not owner:
        return INDEPENDENT
    grain = sum(ledger.cost(ledger.orders[index]) for index in ledger.defences.get(state, ()))
    is_free = owner not in ledger.kings_with_armies
    king = KINGS_WORTH if ledger.kings.get(owner) == state and is_free else 0
    # Without grain for its defence anybody walks in, no matter who is there (WSB-10).
    if not grain and ledger.rules.choice("king_alone_defends") == "no":
        return 0
    return grain + king


def _shares(ledger: Ledger, defence: int, attackers: Sequence[int]) -> list[int]:
    """The defence against each attacker: as equal as can be, and what is left over against the largest; among
    largest ones of equal size a lot shows which (WSB-12)."""
    each, leftover = divmod(defence, len(attackers))
    shares = [each] * len(attackers)
    if leftover:
        largest = [index for index, grain in enumerate(attackers) if grain == max(attackers)]
        # The whole of it goes against one of the largest (docs/rulings/brittania.md, Leftover defence).
        shares[largest[ledger.draw(len(largest)) if len(largest) > 1 else 0]] += leftover
    return shares


def _winner(ledger: Ledger, fights: Sequence[Fight]) -> tuple[str, bool]:
    """Who takes the state ("" for no unit), and whether a lot decided. Of those who beat their share of the
    defence it is the one with the most grain; among equals a lot decides (Q-62)."""
    won = [fight for fight in fights if fight.won]
    # By the grain that fights alone: neither the king's 2 nor the crossing counts (docs/rulings/brittania.md,
    # Most grain).
    best = [fight for fight in won if fight.grain == max(other.grain for other in won)]
    if len(best) < 2:
        return (best[0].attacker if best else ""), False
    if ledger.rules.choice("attackers_tied") == "defender_keeps":
        return "", False
    return best[ledger.draw(len(best))].attacker, True


def figures(fight: Fight) -> str:
    """A fight as "6 + 19 = 25 against 4 + 12 = 16": the die first, a king's 2 as its own number."""
    king = f" + {fight.king}" if fight.king else ""
    attack_total, defence_total = fight.grain + fight.king + fight.die, fight.against + fight.defence_die
    defence = f"{fight.defence_die} + {fight.against} = {defence_total}"
    return f"{fight.die} + {fight.grain}{king} = {attack_total} against {defence}"


def tell(ledger: Ledger, battle: Battle) -> None:
    """Set the verdicts of the orders that met in a battle, and note it for everybody."""
    names = [ledger.words.name(fight.attacker) for fight in battle.fights]
    attackers = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    for fight in battle.fights:
        for index in ledger.attacks[battle.state][fight.attacker].lines:
            _tell_attacker(ledger, index, battle, fight)
    fought = "; ".join(f"{name}: {figures(f)}" for name, f in zip(names, battle.fights, strict=True) if f.die)
    alone = figures(battle.fights[0]) if len(battle.fights) == 1 and battle.defence else fought
    for index in ledger.defences.get(battle.state, ()):
        if battle.winner:
            ledger.fail(index, "beaten", "lost_state", battle.state, battle.winner, alone)
        else:
            ledger.succeed(index, "held", battle.state, attackers, alone)
    ledger.notes.append(("note_battle", battle.state, attackers, (alone or "Nobody defended it") + "."))


def _tell_attacker(ledger: Ledger, index: int, battle: Battle, fight: Fight) -> None:
    state, by_lot = battle.state, "_lot" if battle.drawn else ""
    if battle.winner == fight.attacker:
        lot = "_by_lot" if battle.drawn else ""
        ledger.succeed(
            index, *(("taken" + lot, state, figures(fight)) if fight.die else ("walked_in" + lot, state))
        )
    elif not fight.won:
        ledger.fail(index, "beaten", "beaten_off", state, figures(fight))
    elif not battle.winner:
        ledger.fail(index, "outbid", "tied_attackers", state, figures(fight))
    elif fight.die:
        lost_lot = by_lot if _equal(battle, fight) else ""
        ledger.fail(index, "outbid", "outbid" + lost_lot, state, figures(fight), battle.winner)
    else:
        lost_lot = by_lot if _equal(battle, fight) else ""
        ledger.fail(index, "outbid", "outbid_walk" + lost_lot, state, battle.winner)


def _equal(battle: Battle, fight: Fight) -> bool:
    return any(other.attacker == battle.winner and other.grain == fight.grain for other in battle.fights)
