"""Facts that many rooms share, each declared once. Values only: no database, no mail, no web.

- `events`: what is logged, with its sentence, and what all players are informed of.
- `options`: the options of a game, with their types, defaults and words.
- `refusals`: why a mail is refused or a sheet held, with all words of each reason.
- `roles`: the roles of people who sign in.
- `sheets`: the fate of a sheet, and the flags on it.

It imports nothing of `service`.
"""
