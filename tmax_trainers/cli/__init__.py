"""Commands of the trainers: `tmax train`, `tmax serve`, `tmax demo`."""
