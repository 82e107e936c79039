"""`galloper bench read`: the reader beside its peers."""
