"""One page of ink to lines with candidates: values in, values out. No database, no board."""
