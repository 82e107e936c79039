"""Sheets as a camera sees them."""
