"""Policies from scratch, their tokenizer, and supervised warm starts."""
