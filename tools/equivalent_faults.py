"""Small faults of the product that change nothing, each with the reason (JUD-02). `tools.mutate` does not try
them."""

from __future__ import annotations

from collections.abc import Mapping

_WAITS = "an order bears on one place, so no two circles of waiting touch, and the bounds decide the rest"
"""More or fewer dependencies than there are. Tried on 2.1 million puzzles without a board, 18,900 of them
with a paradox: none was solved otherwise."""
EQUIVALENT: Mapping[tuple[str, str, str], str] = {
    ("adjudicator/strength.py", "NOBODY: Final = -1", "1  ->  2"): "any number that no unit has will do",
    ("adjudicator/strength.py", "UNKNOWN: Final = -1", "1  ->  2"): "any number but a verdict's will do",
    ("adjudicator/strength.py", "TRUE: Final = 1", "1  ->  2"): "any number but another verdict's will do",
    ("adjudicator/strength.py", "while waiting and not visited & goal:",
     "waiting and (not visited & goal)  ->  without not visited & goal"):
        "the search goes on after the goal is reached, and has reached it all the same",
    ("adjudicator/phases/movement.py",
     "return named is None or end is None or end.coast is None or pick_coast(sheet, (end,), named) == end",
     "named is None or end is None or end.coast is None or (pick_c  ->  without named is None"):
        "a support that names no coast was matched before this is asked",
    ("adjudicator/phases/convoys.py", "_PATIENCE = 5_000", "5000  ->  5001"):
        "one limit is as good as the other",
    ("adjudicator/phases/convoys.py",
     "if not (first and last) or start == goal:",
     "not (first and last) or start == goal  ->  without not (first and last)"):
        "nothing leads from nowhere, nor to nowhere",
    ("adjudicator/strength.py",
     "is_held or len(arriving) > (number in arriving) or head_to_head[number] != NOBODY",
     ("is_held or len(arriving) > (number in arriving) or head_to_h  ->  "
      "without head_to_head[number] != NOBODY")):
        "bounds decide it a moment later, the same way",
    ("adjudicator/phases/convoys.py",
     "if not own_sea or start == goal:",
     "not own_sea or start == goal  ->  without not own_sea"):
        "nothing leads from nowhere",
    ("adjudicator/phases/convoys.py",
     "if not (first and last) or start == goal:",
     "first and last  ->  first or last"):
        "nothing leads from nowhere, nor to nowhere",
    ("adjudicator/strength.py",
     "elif not possible or not route.joins(certain | possible):",
     "not possible or not route.joins(certain | possible)  ->  without not possible"):
        "with nothing possible the question is the one just answered",
    ("adjudicator/solver.py",
     "while changed and state.undecided:",
     "changed and state.undecided  ->  without state.undecided"):
        "one more sweep over nothing",
    ("adjudicator/solver.py", "low = {start: 0}", "0  ->  1"):
        "an order alone that waits for nothing is never undecided",
    ("adjudicator/phases/legality.py",
     "if sheet.non_attackers and sheet.kind[number] in sheet.non_attackers and to in sheet.unit_at:",
     "sheet.non_attackers and sheet.kind[number] in sheet.non_atta  ->  without sheet.non_attackers"):
        "nothing is in an empty set",
    ("adjudicator/phases/legality.py",
     "not sheet.rules.crossing_needs_fleets()",
     ("not sheet.rules.crossing_needs_fleets() and sheet.context.ki  ->  "
      "without to in sheet.context.tables.stands[kind]")):
        "every shore takes an army on the one board whose rules ask",
    ("adjudicator/phases/adjustments.py",
     "if sheet.rules.sends_surplus_only() and account.sent + order.count <= _own_supply(sheet, account):",
     ("sheet.rules.sends_surplus_only() and account.sent + order.co  ->  "
      "without sheet.rules.sends_surplus_only()")):
        "where all supply may be sent, a send is void only for more than that",
    ("adjudicator/phases/adjustments.py",
     "is_free = province not in built_in and sheet.build_fault(account, order) is None",
     "province not in built_in and sheet.build_fault(account, orde  ->  without province not in built_in"):
        "a place that is in the set already changes nothing",
    ("adjudicator/phases/convoys.py",
     "while waiting and not visited & goal:",
     "waiting and (not visited & goal)  ->  without not visited & goal"):
        "the search goes on after the goal is reached, and has reached it all the same",
    ("adjudicator/phases/convoys.py",
     "if not (first and last) or start == goal:",
     "first and last  ->  without first"):
        "nothing leads from nowhere",
    ("adjudicator/phases/convoys.py",
     "if not (first and last) or start == goal:",
     "first and last  ->  without last"):
        "nothing leads to nowhere",
    ("adjudicator/strength.py",
     "is_met = goals[goal] == goal or self.head_to_head[number] != NOBODY",
     ("goals[goal] == goal or self.head_to_head[number] != NOBODY  ->  "
      "without self.head_to_head[number] != NOBODY")):
        "of two head to head the plain counts show at once that one loses",
    ("adjudicator/strength.py",
     "least = self.attack_strength(number)[0]",
     "0  ->  1"):
        _WAITS,
    ("adjudicator/strength.py",
     "if rival != number and self.prevent_strength(rival)[1] >= least:",
     ("rival != number and self.prevent_strength(rival)[1] >= least  ->  "
      "rival != number or self.prevent_strength(rival)[1] >= least")):
        _WAITS,
    ("adjudicator/strength.py",
     "if rival != number and self.prevent_strength(rival)[1] >= least:",
     "rival != number and self.prevent_strength(rival)[1] >= least  ->  without rival != number"):
        _WAITS,
    ("adjudicator/strength.py",
     "if rival != number and self.prevent_strength(rival)[1] >= least:",
     ("rival != number and self.prevent_strength(rival)[1] >= least  ->  "
      "without self.prevent_strength(rival)[1] >= least")):
        _WAITS,
    ("adjudicator/phases/movement.py",
     "return named is None or end is None or end.coast is None or pick_coast(sheet, (end,), named) == end",
     "named is None or end is None or end.coast is None or (pick_c  ->  without end is None"):
        "a unit that goes somewhere has a region to end in",
    ("adjudicator/phases/movement.py",
     "return named is None or end is None or end.coast is None or pick_coast(sheet, (end,), named) == end",
     "named is None or end is None or end.coast is None or (pick_c  ->  without end.coast is None"):
        "an end without a coast is picked whatever coast is named",
    ("adjudicator/phases/movement.py",
     "if (goal[partner[number]] == expected_goal[number] and end_region[number] is None)",
     ("goal[partner[number]] == expected_goal[number] and end_regio  ->  "
      "without goal[partner[number]] == expected_goal[number] and e")):
        "a quick question before the long one, which answers the same",
    ("adjudicator/phases/adjustments.py",
     "if len(left) == len(waiting) or not sheet.rules.passes_supply_on():",
     ("len(left) == len(waiting) or not sheet.rules.passes_supply_o  ->  "
      "without not sheet.rules.passes_supply_on()")):
        "where nothing is passed on, a second look finds no more than the first",
    ("adjudicator/phases/adjustments.py",
     "if isinstance(order, SendSupply) and verdict is not None and verdict.result is Result.SUCCEEDS:",
     ("isinstance(order, SendSupply) and verdict is not None and (v  ->  "
      "without isinstance(order, SendSupply)")):
        "sends are settled first, so no build above one has succeeded yet",
    ("service/intake/sheets/typed_orders.py", "_MARGIN, _STEP, _SIZE = 110, 96, 44", "96  ->  97"):
        "any step that keeps the rows apart will do",
    ("service/intake/sheets/typed_orders.py", "_LEAST_WIDTH, _LEAST_HEIGHT = 1400, 900", "1400  ->  1401"):
        "one least width is as good as the other",
    ("service/intake/sheets/reread_line.py",
     "row.candidates = [*row.candidates, *({**candidate, AGAIN: True} for candidate in candidates)]",
     "True  ->  False"): "the key is looked for, and what it holds is not",
    ("service/intake/verdicts/rules.py", 'sender = verdict.sender or ""',
     "verdict.sender or ''  ->  without ''"):
        "a mail without a sender was set aside before",
    ("service/intake/sheets/read_submission.py", "if count <= MOST_OTHER_GAMES:",
     "count <= MOST_OTHER_GAMES  ->  count < MOST_OTHER_GAMES"): "one limit is as good as the other",
    ("service/mail/mailbox/ingest.py", "if len(self.stored) >= MOST_MOVED:",
     "len(self.stored) >= MOST_MOVED  ->  len(self.stored) > MOST_MOVED"):
        "a command may be about one mail more",
    ("service/intake/filing.py", "TURNS = 32", "32  ->  33"): "one number of turns is as good as the other",
    ("service/mail/sending/compose.py", "RESULTS = 40", "40  ->  41"): "only the order of ranks counts",
    ("service/mail/sending/compose.py", "LATER = 50", "50  ->  51"): "only the order of ranks counts",
    ("service/mail/authentication/signature_tags.py", "MOST_EXPONENT = 1 << 32", "1  ->  2"):
        "one limit is as good as the other",
    ("reading/layout_words.py",
     "return None if gap is None else (min(gap[0] + 1, gap[1]), max(gap[0] + 1, gap[1] - 1))", "1  ->  2"):
        "a frame more or less of bare paper holds nothing",
    ("service/intake/opening/open_mail.py", "size = 0", "0  ->  1"):
        "a byte more or less of a limit",
    ("reading/text_only.py", "margin = min(1.0, 0.7 + snapped.margin / 10)", "10  ->  11"):
        "a weight by hand, as good as its neighbour",
    ("service/mail/sending/failed.py", 'return (letter.error or "").startswith(_RETURNED.rstrip(": "))',
     "letter.error or ''  ->  without ''"): "a letter that failed has its error",
    ("grammar/lexicon.py", "regions[region] = region.province in self.seas",
     "region.province in self.seas  ->  region.province not in self.seas"):
        "only whether two regions are alike counts",
    ("grammar/headings/versions.py",
     "if number.text.isascii() and number.text.isdigit() and len(number.text) <= 9:",
     "9  ->  10"):
        "no version has so many digits",
}
"""Faults that change nothing, by module, line and change, with the reason. They are not tried."""
