"""Sheets, copies and envelopes on paper."""
