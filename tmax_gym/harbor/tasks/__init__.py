"""One Harbor task directory: `task.toml`, instruction, files, and whether it can run here."""
