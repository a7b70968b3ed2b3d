"""Task families of the domain data querying."""
