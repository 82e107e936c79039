"""Pages for players and for anyone: calendar, moves, map, addresses, results, a player's own file. No page
shows anything of a game that its letters have not told.

Door: the routers, which `service.bootstrap` puts into the application. Parts: `page` (renders a page),
`visits` (a player's visit by a mailed link), `game_page` (links and blank sheets of a game), `calendar`,
`game_map`, `moves` (every valid move of a board), `rules` (house rules), `lots` (draws and their proof); for
players with a link: `entry` (addresses and settings) with its acts in `entry_acts`, `acting` (performs an
act of a player), `players` (address list, envelopes), `my_file`,
`left_out` (files too large for a letter), `history` (a game that is over), `results`
and `source_line` (from an order to its ink), `archive`.
It does not import `service.desk`.
"""
