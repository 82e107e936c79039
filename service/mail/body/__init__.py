"""What a mail states: its text, its quotation, its pictures."""
