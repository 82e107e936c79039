"""Pictures of what was played: the gazette of a year."""
