"""Facts to text: every letter, from values to a subject, a text and an HTML part.

Door: `render.letter`. Parts: `kinds` is what there is to say of a kind of letter; `facts` are the values a
letter is written from; `addresses` shows where the post reaches a player on a day; `language` has the
words of a reader's language, and what a game states in its own words; `calendar_feed` writes deadlines as
iCalendar. The words of the letters are in `templates/mail`. It imports no database session and draws nothing.
"""
