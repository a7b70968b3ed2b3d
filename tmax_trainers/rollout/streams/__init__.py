"""Token streams of episodes."""
