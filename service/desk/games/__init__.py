"""The Games pages: begin a game, move deadlines, change options, seats and addresses.

Parts: `pages` and `seats` (forms; what they do is in `service.games.acts`), `acts` (begin a game, change its
options), `seat_acts` (waiting lists, links and welcomes); `boards` (tables as a form), `ahead` (every
deadline ahead, and its usual work), `letters` (a game's letters, its paper, and its hand-over).
"""
