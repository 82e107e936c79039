"""The Games pages: begin a game, move deadlines, change options, seats and addresses.

Parts: `pages` and `seats` (forms), `acts` and `seat_acts` (what they do, without HTTP), `carry_out` (runs an
act for a form); `boards` (tables as a form), `ahead` (every deadline ahead, and its usual work),
`own_wording` (a game's letters in the coordinator's words).
"""
