"""The page of one sheet.

Parts: `pages` (handlers), `view` (lines, versions and their differences), `acts` (choose a version, file for
another power, add a line), `changes` (a sheet that lists only changes), `picture` (a page with its lines
framed).
"""
