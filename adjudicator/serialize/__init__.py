"""Positions, orders and resolutions as JSON: one reader and one writer."""
