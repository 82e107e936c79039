"""Text to orders: forms and names of a game, the reading of clean and of misread lines, headings, and
printing."""
