"""The judge: a position and everybody's orders in, a resolution out. Chance comes in as a tape of lots.

Doors: `judge.judge` (one phase), `rules.load` (a rule set by name), `serialize` (JSON there and back).
Values: `position.Position`, `orders.Order` and its classes, `outcome.Resolution`.

- `geo`, `units`, `calendar`, `context`: the board, the kinds of units, the phases, and all of one variant.
- `reach_tables`, `strength`, `solver`: board and orders as numbers, and the decisions of DATC chapter 5.B.
- `phases`: what happens in one phase, a file a step.
- `ruleset`, `rules`: the classic answers, and what each game overrides, a file or package a game.
- `phrases`, `explain`: every sentence that players read, and its words with the board's names.

Imports the standard library only.
"""
