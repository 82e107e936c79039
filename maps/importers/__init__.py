"""Boards from other programs' files: tables, jDip, DPjudge. Values in, tables out; the command writes
them."""
