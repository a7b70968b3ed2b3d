"""Commands of the trainers: `tmax train`."""
