"""Letters that answer one mail: its receipt, its refusal, what a command asked for, whom to tell of it."""
