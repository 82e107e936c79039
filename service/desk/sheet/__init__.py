"""The page of one sheet."""
