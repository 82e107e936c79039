"""What `galloper bench` measures: one module a subject, each beside a peer in the same run where there is
one."""
