"""Task families of the domain system administration."""
