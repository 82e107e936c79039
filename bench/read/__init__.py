"""`galloper bench read`: the reader beside two public readers. Door: `run.run`."""
