"""The gazette of a game year (BEY-02): dispatches told from outcomes, gains and losses, a chart of centres,
weather and omens. Pure: judged phases, phrases and a seed in, a printed page's words out.

Every statement carries the outcome that it was told from. It tells what anybody may know of the results, and
never what somebody meant or ought to do.

`years.numbers_of` divides a game into the years that a gazette tells of, `reports.statements_of` tells a
phase, `compose.compose` puts a year into one language.
"""
