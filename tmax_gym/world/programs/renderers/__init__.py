"""Write a program tree as source text; each language has a module."""
