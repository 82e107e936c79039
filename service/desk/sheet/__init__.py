"""The page of one sheet.

Parts: `pages` (handlers; what they do is in `service.games.acts`), `view` (lines, versions and their
differences), `picture` (a page with its lines framed).
"""
