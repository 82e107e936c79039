"""One game and its lines: phases, deadlines, ballots, decisions, turns. No web, no mail."""
