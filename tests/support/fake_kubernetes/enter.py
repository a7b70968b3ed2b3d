"""Script: runs a program in the namespaces of a process, as a container runtime does for `exec`.

`enter.py PID tty|plain CAPABILITIES GROUPS PROGRAM...`; its status is the program's.  The standard
library only, because it is started for every program.
"""

import ctypes
import fcntl
import os
import sys
import termios

NAMES = ["mnt", "uts", "ipc", "net", "pid"]
NO_NEW_PRIVS, CAPBSET_DROP, CAPBSET_READ = 38, 24, 23
"""linux/prctl.h"""
LAST_CAPABILITY = 40


def limit_rights(kept: set[int]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    for number in range(LAST_CAPABILITY + 1):
        if number not in kept and libc.prctl(CAPBSET_READ, number, 0, 0, 0) == 1:
            libc.prctl(CAPBSET_DROP, number, 0, 0, 0)
    libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0)


def main(pid: str, tty: str, capabilities: str, groups: str, *argv: str) -> int:
    for group in filter(None, groups.split(",")):
        with open(f"{group}/cgroup.procs", "w") as file:
            file.write("0")
    libc = ctypes.CDLL(None, use_errno=True)
    root = os.open(f"/proc/{pid}/root", os.O_RDONLY | os.O_DIRECTORY)
    for space in [os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY) for name in NAMES]:
        if libc.setns(space, 0):
            raise OSError(ctypes.get_errno(), "setns")
        os.close(space)
    child = os.fork()
    if not child:
        os.setsid()
        if tty == "tty":
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        os.fchdir(root)
        os.chroot(".")
        os.close(root)
        limit_rights({int(word) for word in capabilities.split(",")})
        try:
            os.execvp(argv[0], argv)
        except OSError as error:
            os.write(2, f"{argv[0]}: {error}\n".encode())
            os._exit(127)
    for fd in (0, 1, 2):
        os.close(fd)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:]))
