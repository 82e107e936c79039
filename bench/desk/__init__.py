"""`galloper bench desk`: the desk's pages and their times."""
