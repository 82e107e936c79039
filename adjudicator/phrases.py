"""Every sentence of the shared rules, by name. A rule set may add its own (`Ruleset.SENTENCES`).

Each is a pattern for `str.format` whose fields are units, regions, powers and numbers, which
`adjudicator.explain` spells out. The name is finer than the contract's reason ("illegal" has a dozen
grounds), and a variant's citations are by this name (`[rules.citations]`).

The record of a game holds the sentences of its judged phases, and `galloper verify` compares them. So a
sentence that is changed leaves its earlier wording in `EARLIER_WORDING`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

MOVEMENT: Mapping[str, str] = {
    "holds": "holds",
    "moves": "moves to {0}",
    "moves_in": "moves to {0}, where {1} is dislodged ({2})",
    "moves_first": "moves to {0}; {1} is kept out ({2})",
    "carried": "carried to {0}",
    "carried_in": "carried to {0}, where {1} is dislodged ({2})",
    "carried_first": "carried to {0}; {1} is kept out ({2})",
    "support_given": "support given to {0}",
    "convoy_given": "convoy given to {0}",
    "dislodged": "dislodged by {0}",
    "support_cut": "support cut by {0}'s attack on {1}",
    "paradox": "disrupted: the convoy of {0} depends on a fight that {0} itself would decide",
    "paradox_holds": "stood off: the convoy of {0} and the attack on it depend on each other, so both fail",
    "own_unit_stays": "stood off: {0} is of the same power and stays",
    "bounced_off": "stood off by {0} ({1})",
    "bounced_head_on": "stood off by {0}, which comes the other way ({1})",
    "beaten_off": "beaten back by {0} ({1})",
    "beaten_head_on": "beaten by {0}, which comes the other way ({1})",
    "bounced_with": "stood off at {0} by {1}",
    "beaten_to": "kept out: {1} enters {0} with more strength",
    "no_chain": "not carried: no whole chain of fleets was ordered to convoy to {0}",
    "convoy_failed": "not carried: the convoy of {0} fails",
    "fleet_lost": "not carried: {0} was dislodged by {1}",
    "moves_away": "unmatched: this supports {0} in place, and it was ordered to move",
    "not_supported_there": "unmatched: {0} was not ordered to go to {1}",
    "not_convoyed_there": "unmatched: {0} was not ordered to go to {1}",
    "goes_over_land": "unmatched: {0} goes over land",
    "no_movement_order": "void: no such order is given in a movement season",
    "no_unit": "void: there is no {0}",
    "not_ones_own": "void: {0} does not belong to {1}",
    "under_orders": "void: {1} is under the orders of {0}",
    "ordered_already": "void: {0} has an order already",
    "two_orders": "void: two different orders were written for {0}, so it holds",
    "may_not_attack": "void: {0} may not attack",
    "there_already": "void: {0} is there already",
    "no_fleets": "void: no fleets are on a route from {0} to {1}",
    "not_enterable": "void: {0} cannot enter {1}",
    "out_of_reach": "void: {0} cannot reach {1}",
    "which_coast": "void: {0} has more than one coast and none is named",
    "wrong_coast": "void: {1} cannot reach {0}",
    "target_cannot_go": "void: {0} could not go to {1}",
    "nobody_to_support": "void: there is no unit in {0} to support",
    "supports_itself": "void: {0} cannot support itself",
    "supports_own_attacker": "void: {0} cannot support an attack on its own place",
    "support_out_of_reach": "void: {0} cannot go to {1}, so it cannot support there",
    "no_carrier": "void: {0} cannot convoy: only a fleet at sea can",
    "nobody_to_convoy": "void: there is no unit in {0} to convoy",
    "cannot_be_convoyed": "void: {0} cannot be convoyed to {1}",
    "off_the_way": "void: every route from {1} to {2} could do without {0}",
}

RETREAT: Mapping[str, str] = {
    "retreats": "retreats to {0}",
    "disbanded": "{0} is disbanded",
    "retreats_meet": "stood off: {1} retreats to {0} too, so each is disbanded",
    "no_retreat_order": "void: only retreats and disbandings are ordered now",
    "not_dislodged": "void: {1}'s {0} was not dislodged",
    "not_ones_retreat": "void: {0} does not belong to {1}",
    "owner_retreats_it": "void: {0}, who owns {1}, ordered its retreat",
    "two_retreats": "void: two different orders were written for {0}, so it is disbanded",
    "no_such_way": "void: {0} cannot go to {1}, so it is disbanded",
    "attackers_origin": ("void: {0} may not retreat to {1}, where the attack on it came from, so it is "
                         "disbanded"),
    "place_taken": "void: {0} may not retreat to {1}, where {2} is, so it is disbanded",
    "standoff_there": "void: {0} may not retreat to {1}, left empty by a standoff, so it is disbanded",
    "retreat_barred": "void: {0} may not retreat to {1}, so it is disbanded",
    "never_retreats": "void: {0} never retreats, so it is disbanded",
    "retreat_coast": ("void: {0} may retreat to more than one coast of {1} and none is named, so it is "
                      "disbanded"),
}

ADJUSTMENT: Mapping[str, str] = {
    "built": "built: {0}",
    "removed": "removed: {0}",
    "waived": "waived: no unit is built for it",
    "supply_given": "given: {0} supply to {1}",
    "no_adjustment_order": "void: no such order is given in an adjustment season",
    "send_to_another": "void: supply is sent to another power, one or more at a time",
    "sends_too_much": "void: {0} owns {1} and cannot send {2}",
    "sends_more": "void: {0} owns {1} and has sent {2}, so it cannot send {3} more",
    "no_supply_left": "void: {0} has no supply left to send",
    "less_supply_left": "void: {0} has {1} supply left and cannot send {2}",
    "nothing_to_build": "void: {0} has no supply left for another unit",
    "no_such_place": "void: there is no {0}",
    "no_centre": "void: {0} is no supply centre",
    "no_home_centre": "void: {0} is no home centre of {1}",
    "centre_not_owned": "void: {1} does not own {0}",
    "centre_occupied": "void: {1} is in {0}",
    "kind_cannot_stand": "void: {1} cannot be in {0}",
    "build_coast": "void: {1} in {0} needs one of its coasts named",
    "struck": "void: the removal of {0} is struck, because builds are listed beside it",
    "no_own_unit": "void: {0} has no {1}",
    "removed_already": "void: {0} is removed already",
    "nothing_to_remove": "void: {0} need not remove any more",
}

CLASSIC: Mapping[str, str] = {**MOVEMENT, **RETREAT, **ADJUSTMENT}

EARLIER_WORDING: Sequence[tuple[str, str]] = (
    ("lies in {0}, unseen", "nobody else sees it"),
    ("disrupted: the convoy of {0} hangs on a fight that {0} itself would decide", MOVEMENT["paradox"]),
    ("bounced: the convoy of {0} and the attack on it hang on each other, so both fail",
     MOVEMENT["paradox_holds"]),
    ("bounced off {0}: {1}", MOVEMENT["bounced_off"]),
    ("bounced off {0} coming the other way: {1}", MOVEMENT["bounced_head_on"]),
    ("bounced off {0}: {1}", MOVEMENT["beaten_off"]),
    ("bounced off {0} coming the other way: {1}", MOVEMENT["beaten_head_on"]),
    ("stood off by {0} ({1})", MOVEMENT["beaten_off"]),
    ("stood off by {0}, which comes the other way ({1})", MOVEMENT["beaten_head_on"]),
    ("bounced: the convoy of {0} and the attack on it depend on each other, so both fail",
     MOVEMENT["paradox_holds"]),
    ("bounced: {0} is of the same power and stays", MOVEMENT["own_unit_stays"]),
    ("bounced at {0} with {1}", MOVEMENT["bounced_with"]),
    ("bounced: {1} enters {0} with more strength", MOVEMENT["beaten_to"]),
    ("beaten to {0} by {1}", MOVEMENT["beaten_to"]),
    ("void: {0} is not {1}'s to order", MOVEMENT["not_ones_own"]),
    ("void: no fleets stand on a way from {0} to {1}", MOVEMENT["no_fleets"]),
    ("void: {0} cannot convoy, which only a fleet at sea can", MOVEMENT["no_carrier"]),
    ("void: {0} is on no way from {1} to {2}", MOVEMENT["off_the_way"]),
    ("void: {0} is on no route from {1} to {2}", MOVEMENT["off_the_way"]),
    ("void: {0} may not retreat to {1}, where {2} stands, so it is disbanded", RETREAT["place_taken"]),
    ("bounced: {1} retreats to {0} too, so each is disbanded", RETREAT["retreats_meet"]),
    ("void: {0} may not retreat to {1}, left empty by a bounce, so it is disbanded",
     RETREAT["standoff_there"]),
    ("void: {1} stands in {0}", ADJUSTMENT["centre_occupied"]),
    ("void: {1} cannot stand in {0}", ADJUSTMENT["kind_cannot_stand"]),
    ("void: {1} in {0} must be given a coast that it has", ADJUSTMENT["build_coast"]),
    ("moves to {0}, where {1} is dislodged", MOVEMENT["moves_in"]),
    ("carried to {0}, where {1} is dislodged", MOVEMENT["carried_in"]),
    ("moves to {0}", MOVEMENT["moves_first"]),
    ("carried to {0}", MOVEMENT["carried_first"]),
    ("void: this supports {0} in place, and it was ordered to move", MOVEMENT["moves_away"]),
    ("void: {0} was not ordered to go to {1}", MOVEMENT["not_supported_there"]),
    ("void: {0} goes over land", MOVEMENT["goes_over_land"]),
    ("void: no whole chain of fleets was ordered to convoy {1} to {0}",
     "unmatched: no whole chain of fleets was ordered to convoy {1} to {0}"),
    ("holds", "destroyed in the Straits of Dover by {0}"),
    ("void: {1} has no hidden unit in {0}", "void: there is no hidden unit of {1} in {0}"),
    ("void: {1} has no unit in {0}", "void: there is no unit of {1} in {0}"),
    ("void: {0} has lost no home centre", "void: no home centre of {0} is lost"),
    ("void: {0} has lost no home centre", "void: every lost home centre of {0} is replaced already"),
    ("void: {0} is no home centre that {1} has lost", "void: {0} is no lost home centre of {1}"),
    ("void: {0} is no home centre that {1} has lost",
     "void: another home centre is named in place of {0} already"),
    ("void: {1} does not own {0}", "void: {0} does not belong to {1}"),
    ("void: {1}'s {0} was not dislodged", "void: {0} of {1} was not dislodged"),
    # The kind was a letter then and is a name now, so it is a blank of its own.
    ("void: {0} builds no {2} in {1}", "void: no {3} is built by {0} in {1}"),
    ("void: no {2} is built by {0} in {1}", "void: no {3} is built by {0} in {1}"),
    ("void: {0} has no {1}", "void: {1} is no unit of {0}"),
    ("void: {0} has no supply left for another unit", "void: no supply of {0} is left for another unit"),
    ("void: {0} is not {1}'s to give away", "void: {0} does not belong to {1}, who cannot give it away"),
    *((RETREAT[name], RETREAT["never_retreats"]) for name in (
        "retreat_barred", "no_such_way", "place_taken", "attackers_origin", "standoff_there")),
)
"""Sentences as older versions wrote them, and as they are written now. A judged phase keeps its sentences, so
an archive that was made before is verified with both."""

CITATION = r"(?P<citation> \((?:[^()]|\([^()]*\))*\))"


_RULE = r"( \(rules? [^()]*\))?"
"""A citation of numbered rules, which older versions of some games left out."""


def is_earlier_wording(earlier: str, current: str) -> bool:
    """Whether an older version wrote `earlier` where `current` is written now. Citations are part of both; an
    older version may have had none. What `current` tells besides may be anything."""
    if earlier != current and re.fullmatch(re.escape(earlier) + _RULE, current):
        return True
    return any(re.fullmatch(pattern, current) for pattern in _current_wordings(earlier))


def _current_wordings(sentence: str) -> Iterator[str]:
    """Patterns of the sentences that are written now where `sentence` was written."""
    for earlier, current in EARLIER_WORDING:
        # The last name may end in parentheses, as "Fleet Spain (North Coast)" does, so both are tried.
        for citation in ("", CITATION):
            match = re.fullmatch(_pattern(earlier) + citation, sentence)
            if match is not None:
                # A blank that only the current sentence has is filled with something new, such as a sum.
                pieces = [
                    _filled(piece, match.groupdict()) for piece in re.split(r"(\{\d\})", current)
                ]
                yield "".join(pieces) + (re.escape(match["citation"]) if citation else _RULE)


def _filled(piece: str, parts: Mapping[str, str]) -> str:
    if not re.fullmatch(r"\{\d\}", piece):
        return re.escape(piece)
    name = f"part{piece[1]}"
    return re.escape(parts[name]) if name in parts else ".+"


@cache
def _pattern(template: str) -> str:
    pieces, seen_blanks = [], set[str]()
    for piece in re.split(r"(\{\d\})", template):
        number = piece.strip("{}")
        if not (piece.startswith("{") and number.isdigit()):
            pieces.append(re.escape(piece))
        elif piece in seen_blanks:
            pieces.append(f"(?P=part{number})")
        else:
            seen_blanks.add(piece)
            pieces.append(f"(?P<part{number}>.+?)")
    return "".join(pieces)


REASONS = frozenset({
    "begun", "bounced", "completed", "coast_missing", "cut", "destroyed", "dislodged", "disrupted",
    "fleet_inland", "illegal", "no_build",
    "no_convoy", "no_such_unit", "no_supply", "not_a_centre", "not_a_retreat", "not_home_centre", "not_owned",
    "occupied",
    "overridden", "paradox", "struck", "too_many", "unmatched",
})
"""The contract's words for why an order failed, counted for nothing, or succeeded in a way that needs a
word."""
