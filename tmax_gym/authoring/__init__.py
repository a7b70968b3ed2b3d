"""The writing of task texts: briefs for authors, what they send back, and checks between texts.

`brief` says what an author needs to know, `batch` reads what came back and stores what is right,
`write` asks a language model behind an endpoint, `corpus` compares texts with each other.
"""
