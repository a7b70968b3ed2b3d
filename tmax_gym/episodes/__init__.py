"""Episodes: the protocols `Task` and `Episode`, limits, observations, and the agent's shell."""
