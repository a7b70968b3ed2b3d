"""Command lines and configurations of `runsc`, and the meaning of its messages.

All functions are pure.  Flags are those of release 20240729, the one in Debian 13; the form of the
configurations is that of the OCI runtime specification.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from tmax_gym.sandboxes import Limits, User
from tmax_gym.sandboxes.docker import init
from tmax_gym.sandboxes.login import BASH, INTERACTIVE_BASH, NOBODY, PATH
from tmax_gym.sandboxes.quoting import quoted

NAME = "sandbox"
"""Of each container: each has a state directory of its own, where no other is."""
CAPABILITIES = ("CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL",
                "CAP_SETGID", "CAP_SETUID", "CAP_NET_BIND_SERVICE")  # fmt: skip
"""What root needs to install, serve and hand files over."""
_GUARD = "CAP_LEASE"
"""The first process has it and no program gets it: a program that lacks a capability of a process
may not trace it, nor reach its memory (ptrace(2))."""
_TERMINAL_FD = 200
"""A descriptor of the terminal that every program in a shell inherits; far above those that scripts
choose.  gVisor's own /dev/tty refuses to be opened, so it becomes a link to this descriptor."""
PLACEHOLDER = "tmp/.tmax-start"
"""gVisor mounts a file system of its own over /tmp if /tmp is empty at the start."""
_PREPARE = f"""
rm -rf /dev/tty /dev/fuse /dev/net /{PLACEHOLDER}; ln -s /proc/self/fd/{_TERMINAL_FD} /dev/tty
"""
BOOT_LOG, PANIC_LOG, CLIENT_LOG = "boot", "panic", "client"
"""Files in the directory of logs: of gVisor's kernel, of its end by a fault, of the client."""
LOG_BYTES = 1 << 20
"""All logs together: programs inside can make gVisor write to them."""
SET_UP = r"""
set -e; cd "$1"
mount -t tmpfs -o "$2,nosuid,nodev,mode=755" tmax disk
mkdir disk/upper disk/work disk/root
chmod 755 disk/upper
mount -t overlay -o lowerdir=image,upperdir=disk/upper,workdir=disk/work,redirect_dir=on \
  overlay disk/root
mkdir -p disk/root/tmp; : >"disk/root/$3"
mount -t tmpfs -o "size=$4,nosuid,nodev,mode=700" tmax logs
echo ready; read -r _
shift 4; exec "$@" 2>logs/client
"""
"""Runs in a mount namespace of its own, which vanishes with the sandbox; waits until the host has
opened the root directory."""
_MESSAGES = (
    (r"failed to find initial working directory", 126),
    (r"no such file or directory", 127),
    (r"error finding executable", 127),
)


def flags(program: str, place: str) -> list[str]:
    """Return the program with its flags for the sandbox that has this directory."""
    return [
        program,
        f"--root={place}/state",
        # Never KVM by default: on machines that are virtual themselves it may hang.
        "--platform=systrap",
        "--network=none",
        "--ignore-cgroups",  # ours are joined before it starts
        "--overlay2=none",  # the host's overlay has a quota, and can be read after the end
        "--file-access=shared",  # the host writes files, too, and none may be lost by a kill
    ]


def run_argv(program: str, place: str) -> list[str]:
    """Return the command that makes and runs a sandbox until its first process ends."""
    logs = [f"--debug-log={place}/logs/%COMMAND%", f"--panic-log={place}/logs/{PANIC_LOG}"]
    words = ["run", "--bundle", place, "--pid-file", f"{place}/pid", NAME]
    return [*flags(program, place), *logs, *words]


def start_argv(program: str, place: str, *, disk: int, inodes: int) -> list[str]:
    """Return the command that mounts a disk of limited size, and runs a sandbox on it."""
    # 16: the directories of the overlay itself, and the placeholder.
    options = f"size={disk},nr_inodes={inodes + 16}"
    words = ["unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", SET_UP, "sh"]
    mounts = [place, options, PLACEHOLDER, str(LOG_BYTES)]
    return [*words, *mounts, *run_argv(program, place)]


def kill_argv(program: str, place: str, signal: str, *, everything: bool = False) -> list[str]:
    """Return the command that signals the first process of a sandbox, or every one."""
    return [*flags(program, place), "kill", *(["--all"] if everything else []), NAME, signal]


def exec_argv(program: str, place: str, *, process: str, pid_file: str) -> list[str]:
    """Return the command that runs one more program, described by a file, in a sandbox."""
    words = ["exec", "--process", process, "--internal-pid-file", pid_file, NAME]
    return [*flags(program, place), *words]


def bundle(place: str, limits: Limits, *, shm: int) -> str:
    """Return the configuration of a sandbox, whose first process takes requests by its input.

    Programs that are started later have its limits.
    """
    first = [*BASH, "-c", _PREPARE + init.SCRIPT, "-"]
    process = _process(first, {"PATH": PATH}, "/", user="root", extra=(_GUARD,))
    # Of each user, and of each process: gVisor enforces these itself, but not RLIMIT_DATA.
    rlimits = {"RLIMIT_NPROC": limits.pids, "RLIMIT_AS": limits.memory, "RLIMIT_CORE": 0}
    process["rlimits"] = [{"type": k, "hard": v, "soft": v} for k, v in sorted(rlimits.items())]
    quiet = ["nosuid", "noexec", "nodev"]
    spec = {
        "ociVersion": "1.0.0",
        "process": process,
        "root": {"path": f"{place}/disk/root", "readonly": False},
        "hostname": "sandbox",
        "mounts": [
            {"destination": "/proc", "type": "proc", "source": "proc", "options": quiet},
            {"destination": "/sys", "type": "sysfs", "source": "sysfs", "options": ["ro", *quiet]},
            {"destination": "/dev/shm", "type": "tmpfs", "source": "shm",
             "options": ["nosuid", "nodev", "mode=1777", f"size={shm}"]},
        ],
        "linux": {"namespaces": [{"type": t} for t in ("pid", "network", "ipc", "uts", "mount")]},
    }  # fmt: skip
    return json.dumps(spec)


def program(argv: Sequence[str], env: Mapping[str, str], cwd: str, *, user: User) -> str:
    """Return the description of a program without a terminal, for `exec_argv`."""
    return json.dumps(_process(argv, env, cwd, user=user))


def terminal(env: Mapping[str, str], cwd: str, *, user: User) -> str:
    """Return the description of an interactive bash, which prints its number inside first."""
    script = (
        f"exec {_TERMINAL_FD}<>/proc/self/fd/0; echo $$; ulimit -c 0; "
        f"{{ cd -- {quoted(cwd)} || cd /; }} 2>/dev/null; unset OLDPWD SHLVL; "
        f"exec {' '.join(INTERACTIVE_BASH)}"
    )
    return json.dumps({**_process([*BASH, "-c", script], env, "/", user=user), "terminal": True})


def _process(
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: str,
    *,
    user: User,
    extra: tuple[str, ...] = (),
) -> dict[str, object]:
    number = 0 if user == "root" else NOBODY
    held = [*CAPABILITIES, *extra] if user == "root" else []
    return {
        "user": {"uid": number, "gid": number, "umask": 0o022},
        "args": list(argv),
        "env": [f"{name}={value}" for name, value in sorted(env.items())],
        "cwd": cwd,
        "capabilities": {
            "bounding": [*CAPABILITIES, *extra],
            "effective": held,
            "permitted": held,
        },
        "noNewPrivileges": True,
    }


def parse_version(output: str) -> str:
    r"""Return the release in the output of `--version`; "" if this is another program.

    >>> parse_version("runsc version 0.0~20240729.0\nspec: 1.2.0")
    '0.0~20240729.0'
    >>> parse_version("runc version 1.1.5")
    ''
    """
    words = output.split()
    return words[2] if words[:2] == ["runsc", "version"] and len(words) > 2 else ""


def start_failure(message: str) -> int:
    """Return a shell's status for a program that could not be started.

    >>> start_failure('failed to load /bin/nope: no such file or directory')
    127
    >>> start_failure('failed to find initial working directory "/x": no such file or directory')
    126
    """
    return next((status for part, status in _MESSAGES if part in message), 126)
