"""Reports of runs: pages, tables, figures, recordings, and Harbor's job directories."""
