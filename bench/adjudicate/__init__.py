"""`galloper bench adjudicate`: the judge beside other judges."""
