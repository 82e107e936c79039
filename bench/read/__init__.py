"""`galloper bench read`: the reader next to two public readers. Door: `run.run`."""
