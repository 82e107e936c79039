"""The page where a person reads lines."""
