"""The contents of a mail: its text, its quotation, its pictures."""
