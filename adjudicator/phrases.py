"""Every sentence of the shared rules, by name. A rule set may add its own (`Ruleset.SENTENCES`).

Each is a pattern for `str.format` whose fields are units, regions, powers and numbers, which
`adjudicator.explain` spells out. The name is finer than the contract's reason ("illegal" has a dozen
grounds), and a variant's citations are by this name (`[rules.citations]`).

The record of a game holds the sentences of its judged phases, and `galloper verify` compares them: from 1.0.0
on a sentence that is changed must leave its earlier wording here.
"""

from __future__ import annotations

from collections.abc import Mapping

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
    "holder_dislodged": "dislodged by {0}",
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

CLASSIC: Mapping[str, str] = {
    **MOVEMENT, **RETREAT, **ADJUSTMENT,
    "misnamed": "{0} was written, and {1} is meant: only one unit is there",
}

REASONS = frozenset({
    "begun", "bounced", "completed", "coast_missing", "cut", "destroyed", "dislodged", "disrupted",
    "fleet_inland", "illegal", "no_build",
    "no_convoy", "no_such_unit", "no_supply", "not_a_centre", "not_a_retreat", "not_home_centre", "not_owned",
    "occupied",
    "overridden", "paradox", "struck", "too_many", "unmatched",
})
"""The contract's words for why an order failed, counted for nothing, or succeeded in a way that needs a
word."""
