"""The map of a game."""
