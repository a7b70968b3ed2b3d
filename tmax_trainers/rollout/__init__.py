"""From episodes to batches: token streams, groups, TRL's worker protocol."""
