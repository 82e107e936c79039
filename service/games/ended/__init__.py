"""A game that is over (BEY-03): how it ended (`ending`), and what would have come of one line read otherwise
(`otherwise`)."""
