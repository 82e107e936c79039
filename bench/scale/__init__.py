"""`galloper bench scale`: a site of many games on PostgreSQL, as JSON lines.

`costs` measures what one game, one mail and one look cost on sites of several sizes; `closing` closes many
games at one moment, with real workers; `workers` reads with one, two and four of them; `season` plays a whole
season on a simulated clock with the costs that were measured.
"""
