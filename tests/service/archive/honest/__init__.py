"""Honest games by chance, on every board: what a keeper and players do by right must never be called a fault.

- `game`: the game in hand, wherever its database is, and what its players keep.
- `sheets`: what players send.
- `desk`: what people decide about sheets and lines.
- `keeping`: what a coordinator does to the game itself: clock, options, seats, letters.
- `moves`: the game or its database moved.
- `play`: one whole game from a seed.
"""
