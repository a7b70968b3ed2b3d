"""Write pictures, films and sound with fixed bytes."""
