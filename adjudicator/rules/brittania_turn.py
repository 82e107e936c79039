"""One turn of Brittania from start to finish. All orders are simultaneous; their effects come in these steps:
kings move, investments are made, battles are fought, states are swapped, kings flee, alliances end and begin,
capitals are picked, the harvest is added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adjudicator.context import Context
from adjudicator.geo import LAND, Region
from adjudicator.lots import Lots
from adjudicator.orders import Order
from adjudicator.outcome import Outcome, Resolution, make_outcome
from adjudicator.position import Position
from adjudicator.rules import brittania_court as court, brittania_war as war
from adjudicator.rules.brittania_ledger import Ledger
from adjudicator.rules.brittania_realm import KING, YIELD, Battle, Chronicle, Realm
from adjudicator.ruleset import Ruleset
from adjudicator.units import Unit

KINGDOM = "kingdom"
"""The mark of a kingdom-type state in the tables of the board."""
NEIGHBOURS = 3
"""States next to a kingdom-type state that make a kingdom with it (WSB-05)."""
BONUS = 5
PER_YIELD = 5
"""Grain invested that makes one more (WSB-09)."""
EIGHT = 8


def resolve(
    context: Context, rules: Ruleset, position: Position, orders: Sequence[Order], lots: Lots
) -> Resolution:
    """Judge a turn. A position without a `Realm` is the opening one. Raises IndexError when the tape of lots
    is too short."""
    if not isinstance(position.own, Realm):
        position = rules.opening_position(position, context.board)
    assert isinstance(position.own, Realm)
    turn = BrittaniaTurn(Ledger(context, rules, position, position.own, orders, lots))
    return turn.resolve(position)


class BrittaniaTurn:
    """What a turn changes: who holds what afterwards, what it yields, which kings live."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.after = dict(ledger.owner)
        self.output = {state: ledger.realm.yields(state) for state in ledger.context.board.centres()}
        self.choice = ledger.rules.choice

    def resolve(self, before: Position) -> Resolution:
        """The whole turn."""
        ledger = self.ledger
        ledger.read()
        fought = war.battles(ledger)
        # Before the battles are carried out: under `halved_with_it` a lost state's investment is halved with
        # it.
        self._invest(fought)
        for battle in fought:
            war.tell(ledger, battle)
            if battle.winner:
                self._conquer(battle)
        self._leave_idle_defences()
        court.swap(ledger, self.after)
        dead = court.flee(ledger, self.after)
        alliances = court.alliances(ledger, fought, dead)
        picked = self._pick()
        fallen = set(ledger.holds) - set(self.after.values())
        for power in sorted(fallen, key=ledger.seats.__getitem__):
            ledger.notes.append(("note_fallen", power))
            ledger.kings.pop(power, None)
        capitals = {p: s for p, s in ledger.realm.capitals.items() if p not in fallen} | picked
        held = self._held()
        self._heirs(capitals, held, set(picked))
        realm = Realm(
            grain=self._harvest(held, picked),
            output={state: grain for state, grain in self.output.items() if grain != YIELD},
            capitals=capitals,
            kingdoms=(ledger.realm.kingdoms - fallen) | self._new_kingdoms(held),
            # A power without a state loses king, kingdom, alliances and grain (docs/rulings/brittania.md,
            # Falling).
            alliances=frozenset(two for two in alliances if not fallen & set(two)),
        )
        return self._resolution(before, realm, held, fought)

    def _resolution(
        self, before: Position, realm: Realm, held: Mapping[str, frozenset[str]], fought: tuple[Battle, ...]
    ) -> Resolution:
        ledger = self.ledger
        winner, joint = self._victory(realm, held)
        kings = frozenset(Unit(power, KING, Region(state)) for power, state in ledger.kings.items())
        phase = ledger.context.calendar.phase_after(before.phase)
        return Resolution(
            outcomes=tuple(self._outcome(index) for index in range(len(ledger.orders))),
            position=Position(phase, kings, held, own=realm),
            lots_used=ledger.lots.used,
            winner=winner,
            notes=tuple(ledger.words.text(note) for note in ledger.notes),
            joint=joint,
            report=Chronicle(fought),
        )

    def _outcome(self, index: int) -> Outcome:
        verdict = self.ledger.verdicts[index]
        assert verdict is not None, f"order {index} was given no verdict"
        result, reason, sentence = verdict
        return make_outcome(
            self.ledger.orders[index], result, reason, None, (self.ledger.words, *sentence), False
        )

    # Grain

    def _invest(self, fought: Sequence[Battle]) -> None:
        """A state yields 1 more for each 5 grain invested, all lines together (WSB-09)."""
        lost = {battle.state: battle.winner for battle in fought if battle.winner}
        for state, lines in self.ledger.investments.items():
            total = sum(self.ledger.cost(self.ledger.orders[index]) for index in lines)
            yield_gained = total // PER_YIELD
            # `_conquer` halves the yield afterwards, so what is added here is halved with it.
            if state not in lost or self.choice("invested_and_lost") == "halved_with_it":
                self.output[state] += yield_gained
            for index in lines:
                if state in lost:
                    self.ledger.fail(index, "beaten", "invested_lost", state, total, lost[state])
                elif yield_gained:
                    self.ledger.succeed(index, "invested", state, total, self.output[state], yield_gained)
                else:
                    self.ledger.fail(index, "too_little", "invested_nothing", state, total)

    def _conquer(self, battle: Battle) -> None:
        """The state changes hands and yields half (WSB-13, Q-62). The king enters where the rules say so."""
        ledger, state = self.ledger, battle.state
        self.after[state] = battle.winner
        rounds_up = self.choice("halved_odd") == "up"
        # 15 becomes 7, or 8 with `up`.
        self.output[state] = (self.output[state] + rounds_up) // 2
        if ledger.attacks[state][battle.winner].king and self.choice("king_after_conquest") == "enters":
            ledger.kings[battle.winner] = state
            ledger.notes.append(("note_king_enters", battle.winner, state))

    def _leave_idle_defences(self) -> None:
        for state, lines in self.ledger.defences.items():
            for index in lines:
                if self.ledger.verdicts[index] is None:
                    order = self.ledger.orders[index]
                    # Grain for a state that no unit attacked is spent all the same.
                    self.ledger.succeed(index, "unneeded", state, self.ledger.cost(order))

    def _harvest(self, held: Mapping[str, frozenset[str]], picked: Mapping[str, str]) -> dict[str, int]:
        """Grain of each power for the next turn: what is left, what its states yield, 5 for a kingdom, and
        gifts."""
        ledger = self.ledger
        keeps = self.choice("unspent_grain") == "carries_over"
        grain = {}
        for power, states in held.items():
            if power in picked:
                # A power that picks a capital begins with 10 grain, and harvests nothing yet.
                grain[power] = YIELD
                continue
            kingdom = power in ledger.realm.kingdoms or power in self._new_kingdoms(held)
            left = ledger.left[power] if keeps else 0
            grain[power] = left + sum(self.output[state] for state in states) + BONUS * kingdom
        for index, arrives in ledger.gifts:
            to_power = getattr(ledger.orders[index], "to_power", "")
            if to_power in grain and to_power not in picked:
                grain[to_power] += arrives
            else:
                ledger.fail(index, "lost", "sent_to_fallen", arrives, to_power)
        return grain

    # Power

    def _held(self) -> dict[str, frozenset[str]]:
        states_by_power: dict[str, set[str]] = {}
        for state, power in self.after.items():
            states_by_power.setdefault(power, set()).add(state)
        return {power: frozenset(states_by_power[power]) for power in sorted(states_by_power)}

    def _pick(self) -> dict[str, str]:
        """The capitals picked, by power. If two pick one state a lot decides; a state that was conquered this
        turn cannot be picked (WSB-01)."""
        ledger = self.ledger
        rivals: dict[str, list[str]] = {}
        for power, index in ledger.claims.items():
            rivals.setdefault(getattr(ledger.orders[index], "state").province, []).append(power)  # noqa: B009
        picked = {}
        for state in sorted(rivals):
            powers = sorted(rivals[state], key=ledger.seats.__getitem__)
            if state in self.after:
                for power in powers:
                    ledger.void(ledger.claims[power], "illegal", "pick_conquered", state, self.after[state])
                continue
            chosen = powers[ledger.draw(len(powers)) if len(powers) > 1 else 0]
            for power in powers:
                if power == chosen:
                    ledger.succeed(ledger.claims[power], "picked", state, power)
                else:
                    ledger.void(ledger.claims[power], "illegal", "pick_lot", state, chosen)
            picked[chosen] = state
            self.after[state] = chosen
            ledger.kings[chosen] = state
        return picked

    def _heirs(
        self, capitals: Mapping[str, str], held: Mapping[str, frozenset[str]], picked: set[str]
    ) -> None:
        """A power without a king that holds its capital has one there when the next turn begins (WSB-15)."""
        for power in sorted(held, key=self.ledger.seats.__getitem__):
            if power not in self.ledger.kings and power not in picked and capitals.get(power) in held[power]:
                self.ledger.kings[power] = capitals[power]
                self.ledger.notes.append(("note_heir", power, capitals[power]))

    def _new_kingdoms(self, held: Mapping[str, frozenset[str]]) -> frozenset[str]:
        """Powers that hold a kingdom-type state and three next to it for the first time (WSB-05)."""
        board = self.ledger.context.board
        return frozenset(
            power
            for power, states in held.items()
            if power not in self.ledger.realm.kingdoms
            and any(
                KINGDOM in board.provinces[state].marks
                and len(board.near(state, LAND) & states) >= NEIGHBOURS
                for state in states
            )
        )

    def _victory(
        self, realm: Realm, held: Mapping[str, frozenset[str]]
    ) -> tuple[str | None, tuple[str, ...]]:
        """The winner, or the two who win together. An empire wins: a kingdom with seven kingdom-type states
        and no gap (WSB-06). So do two allies who hold every kingdom-type state without gaps (WSB-07)."""
        ledger = self.ledger
        for power in sorted(realm.kingdoms - ledger.realm.kingdoms, key=ledger.seats.__getitem__):
            ledger.notes.append(("note_kingdom", power))
        kingdoms = {p.id for p in ledger.context.board.provinces.values() if KINGDOM in p.marks}
        # An empire goes before a joint victory (docs/rulings/brittania.md, Q-61).
        for power in sorted(realm.kingdoms, key=ledger.seats.__getitem__):
            states = held.get(power, frozenset())
            if len(states & kingdoms) >= ledger.context.victory and court.continuous(ledger, states):
                ledger.notes.append(("note_empire", power))
                return power, ()
        enough = EIGHT if self.choice("joint_kingdom_states") == "eight" else len(kingdoms)
        for allies in sorted(realm.alliances):
            together = {state for power in allies for state in held.get(power, frozenset())}
            if len(together & kingdoms) >= enough and all(
                court.continuous(ledger, held[ally]) for ally in allies
            ):
                ledger.notes.append(("note_joint", *allies))
                return None, allies
        return None, ()


