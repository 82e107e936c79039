"""The hash chain of everything that happened in a game."""
