"""A terminal in a container: the engine's stream of frames as a pseudo-terminal."""
