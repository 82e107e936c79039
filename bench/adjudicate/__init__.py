"""`galloper bench adjudicate`: the judge next to other judges. Door: `run.run`."""
