"""Readings compared with the truth."""
