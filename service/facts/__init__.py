"""Facts that many rooms share, each declared once. Values only: no database, no mail, no web.

- `options`: the options of a game, with their types, defaults and words.

It imports nothing of `service`.
"""
