"""Facts to text: every letter, from values to a subject, a text and an HTML part."""
