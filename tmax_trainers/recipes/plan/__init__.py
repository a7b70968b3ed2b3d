"""What a recipe asks of a GPU, and why it may not work, before anything is loaded."""
