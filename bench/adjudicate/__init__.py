"""`galloper bench adjudicate`: the judge beside other judges. Door: `run.run`."""
