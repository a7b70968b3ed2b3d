"""DPPO: the trainer, its options, batches, checkpoints and the loss."""
