"""The requests to each power after a phase: retreats, with where each unit was beaten from and which places
are barred; builds and removals, and no more of them than there are.
"""

from __future__ import annotations

from dataclasses import dataclass

from adjudicator.calendar import PhaseKind
from adjudicator.geo import Region
from adjudicator.orders import Build, Disband, Retreat, SendSupply
from adjudicator.outcome import Resolution
from adjudicator.phases.adjustment_sheet import AdjustmentSheet
from adjudicator.position import Dislodgement, Position
from adjudicator.units import Unit, UnitRef
from maps.variant import Variant
from service.games.results import order_text, redacted_for, unit_text
from service.letters.facts import Closing, LetterFacts
from service.letters.kinds import LetterKind, Occasion, Sample
from service.letters.language import Sentence
from service.mail.sending.compose import Addressee, Rank
from service.notices.previews import Previews


@dataclass(frozen=True, slots=True)
class RetreatUnit:
    """A unit, in words, that must retreat or disband. `beaten_from`: the place the attack came from, "" where
    the rules hide it; `barred`: sentences about places that it may not enter; `examples`: lines to write."""

    words: str
    beaten_from: str = ""
    barred: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RetreatFacts(LetterFacts):
    """Units that must retreat or disband, when their orders close, and the subject to copy (OUT-05)."""

    units: tuple[RetreatUnit, ...]
    closing: Closing
    subject: str


@dataclass(frozen=True, slots=True)
class AdjustmentFacts(LetterFacts):
    """A power's offer (`count` above 0) or demand (below 0) for the Winter, before transfers (OUT-07).
    `lots_may_decide`: removals that no one orders are drawn by lot; `separate_sheets`: builds and removals
    must not be on one sheet. `places`: in how many places the power may build, None if they are enough.
    `may_receive_supply`: another power may send it supply, with which it may build or keep a unit."""

    count: int
    closing: Closing
    subject: str
    may_send_supply: bool = True
    lots_may_decide: bool = True
    separate_sheets: bool = True
    places: int | None = None
    may_receive_supply: bool = False

    @property
    def is_due(self) -> bool:
        """Whether the power may or must send anything at all."""
        return self.count != 0 or self.may_send_supply or self.may_receive_supply


def units_to_retreat(variant: Variant, resolution: Resolution, power: str) -> list[RetreatUnit]:
    """The dislodged units that a power may order to retreat: its own, and those that it holds in proxy."""
    # owner and proxy may both order the retreat, so both are asked. Which places are left is not listed
    # (RET-04, Q-19): only what the results leave to be worked out, why a place is barred.
    proxies = dict(resolution.position.memory.proxies)
    visible = redacted_for(variant, resolution, power)[0]
    known = {dislodgement.unit: dislodgement for dislodgement in visible.position.dislodged}
    contested = visible.position.contested
    units = []
    for retreat in resolution.position.dislodged:
        unit = retreat.unit
        if unit.power != power and proxies.get(unit.region.province) != power:
            continue
        words: str = unit_text(variant, unit)
        if unit.power != power:
            words = Sentence("%(unit)s (%(power)s's, given to you in proxy)", unit=words,
                             power=variant.powers[unit.power].name)
        if unit in known:
            units.append(retreat_unit(variant, known[unit], contested, power, words))
        else:
            units.append(RetreatUnit(words, examples=_examples(variant, unit, power)))
    own_units = [unit for unit in units if not isinstance(unit.words, Sentence)]
    return own_units + [unit for unit in units if isinstance(unit.words, Sentence)]


def retreat_unit(
    variant: Variant, dislodgement: Dislodgement, contested: frozenset[str], power: str = "", words: str = "",
) -> RetreatUnit:
    """The request to a power about a dislodged unit. `power` is by default the unit's own, `words` its
    name."""
    unit = dislodgement.unit
    return RetreatUnit(
        words or unit_text(variant, unit), variant.board.provinces[dislodgement.attacker_from].name,
        _barred(variant, dislodgement, contested), _examples(variant, unit, power or unit.power))


def attackers_of(variant: Variant, unit: Unit) -> tuple[str, ...]:
    """The provinces next to a unit from which one of its kind could attack it, by name."""
    beside = {region.province for movement in variant.kinds[unit.kind].moves
              for region in variant.board.neighbours(unit.region, movement)}
    return tuple(sorted(beside, key=lambda province: variant.board.provinces[province].name))


def _barred(variant: Variant, dislodgement: Dislodgement, contested: frozenset[str]) -> tuple[Sentence, ...]:
    """The places next to a unit that it may not enter for another reason than a unit that is there."""
    board, unit = variant.board, dislodgement.unit
    beside = {region.province for movement in variant.kinds[unit.kind].moves
              for region in board.neighbours(unit.region, movement)}
    allowed = {region.province for region in dislodgement.may_retreat}
    origin = dislodgement.attacker_from
    sentences = []
    if origin in beside - allowed:
        sentences.append(Sentence("%(place)s is barred: the attack came from there.",
                                  place=board.provinces[origin].name))
    sentences += [
        Sentence("%(place)s is barred: units stood each other off there this season.",
                 place=board.provinces[place].name)
        for place in sorted(contested & beside - allowed - {origin})]
    return tuple(sentences)


_PLACE = "..."
"""Stands in an example for the place that the player chooses."""


def _examples(variant: Variant, unit: Unit, power: str) -> tuple[str, ...]:
    """The lines that a player may write for a unit, in the game's own words."""
    meant, to = UnitRef(unit.kind, unit.region), Region(unit.region.province)
    forms = variant.rules.ORDERS[PhaseKind.RETREAT]
    examples = []
    if Retreat in forms:
        text = order_text(variant, Retreat(power=power, unit=meant, to=to))
        # The unit's own place is in for the one to come, and only its last mention is that.
        head, _, tail = text.rpartition(variant.board.region_text(to))
        examples.append(f"{head}{_PLACE}{tail}")
    if Disband in forms:
        examples.append(order_text(variant, Disband(power=power, unit=meant)))
    return tuple(examples)


def adjustment_facts(
    variant: Variant, count: int, closing: Closing, subject: str, power: str = "",
    position: Position | None = None,
) -> AdjustmentFacts:
    """The facts of a power's offer to build or demand to remove, by the rules of its game (OUT-07). With
    `position` an offer is no larger than the places in which the power may build."""
    rules = variant.rules
    sends = receives = SendSupply in rules.ORDERS[PhaseKind.ADJUSTMENT]
    places = None
    if position is not None:
        supply = len(position.centres.get(power, ()))
        sends = sends and supply > 0 and (count > 0 or not rules.sends_surplus_only())
        # Supply that is sent may still come, so where it can the whole count is dislodgement.
        places = _free_places(variant, position, power) if count > 0 else None
    return AdjustmentFacts(
        count, closing, subject, sends, rules.removes_by_lot(), rules.builds_strike_removals(),
        places if places is not None and places < count else None, receives)


def _free_places(variant: Variant, position: Position, power: str) -> int:
    """In how many provinces a power may build at once."""
    sheet = AdjustmentSheet(variant.context(), variant.rules, position, ())
    account = sheet.accounts[power]
    stands = variant.context().tables.stands

    def is_free(province: str) -> bool:
        return any(
            sheet.build_fault(account, Build(power=power, kind=kind, region=region)) is None
            for kind in variant.kinds for region in stands[kind].get(province, ()))

    return sum(map(is_free, variant.board.provinces))


# The kinds of these letters
# --------------------------------------------------------------------------------------------------


def _retreat_request_sample(seat: Previews) -> Sample[RetreatFacts]:
    closing = seat.coming(PhaseKind.RETREAT)
    units = sorted((unit for unit in seat.position().units if unit.power == seat.power),
                   key=lambda unit: unit_text(seat.variant, unit))
    # From the first neighbour by name, that an attack can come from.
    variant = seat.variant
    asked = [retreat_unit(variant, Dislodgement(unit, attackers_of(variant, unit)[0]), frozenset())
             for unit in units[:1]]
    facts = RetreatFacts(tuple(asked), closing, seat.subject(closing.phase))
    return Sample(facts, "As if the first of this power’s units had been dislodged.", closing.phase)


def _adjustment_sample(seat: Previews) -> Sample[AdjustmentFacts]:
    closing = seat.coming(PhaseKind.ADJUSTMENT)
    _, resolution = seat.judged(PhaseKind.ADJUSTMENT)
    count = 1 if resolution is None else resolution.adjust.get(seat.power, 1)
    facts = adjustment_facts(seat.variant, count, closing, seat.subject(closing.phase))
    return Sample(facts, "As if one unit were offered.", closing.phase)


RETREAT_REQUEST = LetterKind(
    "retreat_request", RetreatFacts, "Request for retreats",
    Occasion("owners of dislodged units", "with the draft results", _retreat_request_sample,
             PhaseKind.RETREAT),
    rank=Rank.URGENT, addressee=Addressee.SEAT)
"""Asks the owner of dislodged units for their retreats (OUT-05)."""

ADJUSTMENT = LetterKind(
    "adjustment", AdjustmentFacts, "Builds and removals that are due",
    Occasion("all players, each with their own letter", "with the results before builds and removals",
             _adjustment_sample, PhaseKind.ADJUSTMENT),
    rank=Rank.REMINDER, addressee=Addressee.SEAT)
"""A power's own offer to build or demand to remove (OUT-07)."""
