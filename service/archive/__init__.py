"""A game as one file: written, read, redacted, verified."""
