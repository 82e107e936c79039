"""Pages for players and anyone: the calendar, the moves, the map, addresses, one's own file. No page says
anything of a game that its letters have not told."""
