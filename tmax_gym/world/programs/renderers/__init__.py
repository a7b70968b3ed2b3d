"""Renderers: a program tree as source text, one module a language."""
