"""What a mail says: its text, its quotation, its pictures."""
