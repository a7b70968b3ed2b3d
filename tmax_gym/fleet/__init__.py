"""Many machines that play episodes and validate tasks for one driver.

A node has one worker process, which holds the machine's own pool of sandboxes (`nodes/worker.py`).
The driver (`driver.py`) gives out leases and writes each result once (`leases.py`); a node that is
lost costs time, and never a result or a reward.  Nodes are processes of this machine
(`nodes/local.py`), actors of a Ray cluster (`nodes/ray_cluster.py`), or processes that connect to
the driver, such as a Slurm job's (`nodes/connected.py`).
"""
