"""Obstacles between a judged phase and its results: papers that no one settled, and sheets that may be the
wrong ones.

Doors: `approve.approve_phase` sends them; `papers.unsettled_papers` is what must be used or refused first,
`papers.set_aside` what letters say of a power none of whose sheets counts, `right_sheet.open_questions` what
a coordinator is asked once.
"""
