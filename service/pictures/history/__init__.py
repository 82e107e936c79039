"""Pictures of what was played: the chart of centres, and the sheet that tells of the end."""
