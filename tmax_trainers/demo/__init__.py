"""`tmax demo`: a tiny policy that learns terminal tasks in minutes, with a report."""
