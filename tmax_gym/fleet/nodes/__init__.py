"""Nodes of a fleet: the worker process, and how processes here, Ray and Slurm get to the driver."""
