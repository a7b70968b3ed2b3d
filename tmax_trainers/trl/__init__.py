"""Terminal tasks and the DPPO loss inside TRL's own trainers."""
