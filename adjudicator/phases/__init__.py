"""What happens in one phase. Each kind of phase has a function `resolve`, which `adjudicator.judge` calls.

- `movement`: deploy, read orders (`legality`), solve, word the outcomes (`order_outcomes`),
  list the dislodged (`dislodgements`). All of it on one `movement_sheet`.
- `retreats` and `adjustments`: each with its own sheet; `civil_disorder` names the units that go unasked.
- `year_end`: what follows a phase, and who owns what and has won after the year's last retreats.
- `convoys`, `home_centres`: questions that phases and rule sets share.

A phase has a Protocol with what it needs from the rules (`MovementRules`, `RetreatRules`, `AdjustmentRules`,
`YearEndRules`). It does not import `adjudicator.ruleset`, which is above and has the defaults.
"""
