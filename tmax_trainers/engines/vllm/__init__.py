"""vLLM as the engine: a server of its own, token ids both ways, weights replaced in flight."""
