"""Letters that answer one mail: its receipt, its refusal, whom to mention it."""
