"""Facts that many rooms share, each declared once. Values only: no database, no mail, no web.

- `events`: what is logged, with its sentence, and what all players are told of.
- `options`: the options of a game, with their types, defaults and words.
- `sheets`: the fate of a sheet, and flags that people and filing put on it.

It imports nothing of `service`.
"""
