"""The backend `native`: sandboxes made by system calls, without a container engine."""
