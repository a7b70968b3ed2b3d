"""Follow-ups: work on what an earlier stage of a task leaves behind, a package each."""
