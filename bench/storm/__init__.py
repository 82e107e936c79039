"""`galloper bench storm`: many mails, many games, killed processes. Door: `run.run`."""
