"""Pictures, films and sound with fixed bytes."""
