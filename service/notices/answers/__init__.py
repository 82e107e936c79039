"""Letters that answer one mail: its receipt, its refusal, whom to tell of it."""
