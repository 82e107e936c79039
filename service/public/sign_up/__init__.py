"""Pages on which people sign up for a game that is to be (BEY-04)."""
