"""The backend `gvisor`: sandboxes whose system calls a kernel in user space answers."""
