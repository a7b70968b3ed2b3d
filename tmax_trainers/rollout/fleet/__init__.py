"""Episodes of a run on the nodes of a fleet; the policy is sampled where the trainer is."""
