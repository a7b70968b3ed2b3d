"""Task families of the domain data science."""
