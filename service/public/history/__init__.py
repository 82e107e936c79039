"""What players see of a game that is over."""
