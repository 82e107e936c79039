"""One game and its lines, from its first phase to its last. No web, no mail and no record.

Doors: `turns.open_phase`, `close_phase`, `judge_phase` and `approve_phase` take a phase one step on;
`ballots.executed` shows which sheets count; `deadlines.schedule` gives the calendar; `decisions.file` files
what a person decided.

- `create`: a new game from a file; `options`: reads and writes a game's options.
- `phases`: a phase as the judge's value and in words, those in play, those judged; `phase_summary`: what it
  leaves besides its orders.
- `deadlines`: the calendar of a game, pure. `acts`: every act of a person, each as one value; `refused`: the
  exception of an act that is not done.
- `ballots`: which sheet counts; `seal`: no one reads before the deadline.
- `lines`: a line with its decisions; `decisions`: acts of the desk; `agreement`: review by two people.
- `lots`: seeds, words of players and draws.
- `results`: a resolution in words; `rulings`: the house rules that it cites.

It imports `store`, `config`, `clock`, `facts`, and the packages below `service`.
"""
