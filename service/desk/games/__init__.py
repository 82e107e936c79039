"""The pages of games and their seats."""
