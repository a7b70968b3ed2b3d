"""What a Harbor trial leaves behind: rewards, trajectories (ATIF), results and job directories."""
