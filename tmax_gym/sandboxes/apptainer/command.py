"""Command lines of Apptainer and Singularity, and the meaning of their output.

All functions are pure.  Variables for a program never become part of a command line, as everybody
on a cluster can see those.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tmax_gym.sandboxes import Limits, User
from tmax_gym.sandboxes.login import BASH, HOMES, INTERACTIVE_BASH, NOBODY, PATH
from tmax_gym.sandboxes.quoting import is_utf8, quoted

OLDEST: Mapping[str, tuple[int, ...]] = {"apptainer": (1, 1), "singularity": (3, 10)}
"""Without set-uid programs since Apptainer 1.1; `--no-eval` and limits since Singularity 3.10."""
CAPABILITIES = ("CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL",
                "CAP_SETGID", "CAP_SETUID", "CAP_NET_BIND_SERVICE")  # fmt: skip
"""What root needs to install, serve and hand files over."""
_GUARD = "CAP_LEASE"
"""The first process has it and no program gets it: a program that lacks a capability of a process
may not trace it, nor reach its memory, descriptors or executable (ptrace(2))."""
_HIDDEN_DIRECTORIES = ("/proc/1/fd", "/proc/1/task", "/proc/1/map_files")
_HIDDEN_FILES = ("/proc/1/environ", "/proc/1/mem", "/proc/1/oom_score_adj", "/proc/1/oom_adj")
"""Without root the first process has no more rights than the agent, and its environment has paths
of the host; with a raised score it would be killed first."""
BEGAN = b"tmax-began\n"
"""A program's wrapper writes this to its error output first; text before it is Apptainer's."""
_CARRIED = "TMAX_CARRIED_"
"""Extra variables are passed on under such names, which no program treats specially."""
_VERSION = re.compile(r"version (\d+(?:\.\d+)*)")
_TROUBLE = re.compile(r"(?:FATAL|ERROR)[^:]{0,8}:\s+(?:\x1b\[[\d;]*m)?\s*(.+)")
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_REMEDIES = (
    (r"user namespace|userns|clone_newuser|newuidmap",
     "Allow unprivileged user namespaces (sysctl user.max_user_namespaces), or run as root."),
    (r"no instance found|instance .*not exist", "It has ended; open another."),
    (r"overlay", "Let TMPDIR lie on a local disk (ext4, xfs): network disks carry no overlay."),
    (r"network", "Let apptainer.conf allow networks of the type none."),
    (r"cgroup", "Delegate cgroups to this user, or unset the limit."),
    (r"seccomp", "Install a build of it that has seccomp."),
    (r"no such file|doesn't exist|not a valid", "Is the image built?  tmax images build core"),
)  # fmt: skip
# `set --` and `exec` only: a wrapper must not fork where the agent has used up all processes.
_ENTER = r"""
printf 'tmax-began\n' >&2; ulimit -c 0
[[ $1 = - ]] || ulimit -f "$1"; [[ $2 = - ]] || ulimit -v "$2"; [[ $3 = - ]] || ulimit -u "$3"
unset "${!APPTAINER@}" "${!SINGULARITY@}" PROMPT_COMMAND LD_LIBRARY_PATH PS1 OLDPWD SHLVL
cd -- "$4" || exit 126
export PATH=$5 HOME=$6 USER=$7 LOGNAME=$7 SHELL=/bin/bash TERM=dumb LANG=C.UTF-8
for word in "${!TMAX_CARRIED_@}"; do export "${!word}"; unset "$word"; done
unset word; export -n PWD OLDPWD SHLVL; umask 022; shift 7; exec "$@"
"""
_ENTER_SHELL = r"""
echo $$; { echo 500 >/proc/self/oom_score_adj; } 2>/dev/null; ulimit -c 0
[[ $1 = - ]] || ulimit -f "$1"; [[ $2 = - ]] || ulimit -v "$2"; [[ $3 = - ]] || ulimit -u "$3"
unset "${!APPTAINER@}" "${!SINGULARITY@}" PROMPT_COMMAND LD_LIBRARY_PATH PS1 SHLVL
{ cd -- "$4" || cd /; } 2>/dev/null; unset OLDPWD; umask 022
export PATH=$5 HOME=$6 USER=$7 LOGNAME=$7 SHELL=/bin/bash TERM=dumb LANG=C.UTF-8
shift 7; exec "$@"
"""
_HOST = r"""
count=$1; shift
while [ "$count" -gt 0 ]; do
  echo 0 >"$1/cgroup.procs" || exit 125; shift; count=$((count - 1))
done
if [ "$1" = - ]; then shift; exec "$@"; fi
shift; exec "$@" <>/proc/self/fd/0 >&0 2>&1
"""


@dataclass(frozen=True, slots=True)
class Program:
    """An installed Apptainer or Singularity."""

    path: str
    flavour: Literal["apptainer", "singularity"]
    """Whose flags it takes; either may be installed under the other's name."""
    version: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ceilings:
    """Limits for a shell's `ulimit`, if there is no cgroup; None sets none."""

    file: int | None = None
    """Bytes of one file."""
    memory: int | None = None
    """Bytes of one process's address space."""
    processes: int | None = None
    """Of this user in this user namespace."""

    def words(self) -> list[str]:
        """Return the first three arguments of a wrapper: `ulimit` counts in kibibytes."""
        sizes = [None if n is None else max(1, n >> 10) for n in (self.file, self.memory)]
        return ["-" if value is None else str(value) for value in (*sizes, self.processes)]


@dataclass(frozen=True, slots=True)
class Start:
    """The options of one instance."""

    image: str
    """Directory of a root file system."""
    overlay: str
    """Directory with `upper` and `work`."""
    name: str
    pid_file: str
    empty: str
    """An empty directory, bound over directories that are hidden."""
    seccomp: str
    """A profile's file, "" for none."""
    rootless: bool
    frozen: tuple[str, ...] = ()
    """Host paths below /proc that are bound over themselves, read-only."""
    limits: Limits | None = None
    """Limits that Apptainer itself is to set; it needs systemd and cgroup version 2 for that."""
    hidden_files: tuple[str, ...] = ()
    """Files below /proc that tell about the host."""
    hidden_directories: tuple[str, ...] = ()
    empty_file: str = "/dev/null"
    """Bound over hidden files: without root no device can be opened there."""


def start_argv(program: Program, start: Start) -> list[str]:
    """Return the command that starts an instance."""
    words = [program.path, "--quiet", "instance", "start"]
    words += ["--containall", "--no-home", "--cleanenv", "--no-umask", "--no-eval"]
    words += ["--no-mount", "tmp,home,cwd,bind-paths,hostfs,sys"]
    words += ["--overlay", start.overlay, "--hostname", "sandbox", "--net", "--network", "none"]
    if start.rootless:
        words.append("--fakeroot")
        if program.flavour == "apptainer":  # one id is mapped, the same on every host
            words += ["--ignore-subuid", "--ignore-fakeroot-command"]
    guard = () if start.rootless else (_GUARD,)
    words += _confined(start.seccomp, (*CAPABILITIES, *guard))
    bound = [(path, path) for path in start.frozen]  # first: they bring back what is below them
    bound += [(start.empty, path) for path in (*_HIDDEN_DIRECTORIES, *start.hidden_directories)]
    bound += [("/dev/null", path) for path in _HIDDEN_FILES]
    bound += [(start.empty_file, path) for path in start.hidden_files]
    for source, path in bound:
        words += ["--mount", f"type=bind,source={source},destination={path},ro"]
    words += ["--mount", "type=bind,source=/dev/full,destination=/dev/full"]
    if start.limits:
        words += _limit_flags(start.limits)
    return [*words, "--pid-file", start.pid_file, start.image, start.name]


def _confined(seccomp: str, capabilities: Sequence[str]) -> list[str]:
    words = ["--no-privs"]
    if capabilities:
        words += ["--add-caps", ",".join(capabilities)]
    return words + (["--security", f"seccomp:{seccomp}"] if seccomp else [])


def _limit_flags(limits: Limits) -> list[str]:
    memory = str(limits.memory)
    words = ["--memory", memory, "--memory-swap", memory, "--pids-limit", str(limits.pids)]
    return [*words, "--cpus", f"{limits.cpus:g}"]


def exec_argv(program: Program, start: Start, argv: Sequence[str], *, user: User) -> list[str]:
    """Return the command that runs a program in an instance."""
    words = [program.path, "--silent", "exec", "--cleanenv", "--no-eval", "--pwd", "/"]
    if not start.rootless:  # without root it takes over the instance's own, and refuses others
        nobody = user == "nobody"
        words += _confined(start.seccomp, () if nobody else CAPABILITIES)
        if nobody:
            words += ["--security", f"uid:{NOBODY}", "--security", f"gid:{NOBODY}"]
    return [*words, f"instance://{start.name}", *argv]


def shell_in(cwd: str) -> tuple[Sequence[str], str]:
    """Return a command that becomes a shell in a directory, and the directory to start it in."""
    if is_utf8((cwd,)):
        return INTERACTIVE_BASH, cwd
    script = f"{{ cd -- {quoted(cwd)} || cd /; }} 2>/dev/null; unset OLDPWD; exec "
    return [*BASH, "-c", script + " ".join(INTERACTIVE_BASH)], "/"


def wrapped(
    argv: Sequence[str], *, user: User, cwd: str, ceilings: Ceilings, shell: bool = False
) -> list[str]:
    """Return a bash that sets limits, directory and a clean environment, and runs a program."""
    enter = [*BASH, "-c", _ENTER_SHELL if shell else _ENTER, "bash"]
    return [*enter, *ceilings.words(), cwd, PATH, HOMES[user], user, *argv]


def hosted(argv: Sequence[str], *, groups: Sequence[str] = (), tty: bool = False) -> list[str]:
    """Return a command that first joins cgroups; with `tty`, its input becomes its terminal."""
    script = ["/bin/sh", "-c", _HOST, "sh"]
    return [*script, str(len(groups)), *groups, "tty" if tty else "-", *argv]


def client_environment(program: Program, extra: Mapping[str, str], *, home: str) -> dict[str, str]:
    """Return the environment of a client; `extra` is for the program in the sandbox."""
    prefix = "APPTAINERENV_" if program.flavour == "apptainer" else "SINGULARITYENV_"
    own = {"PATH": PATH, "HOME": home, "LC_ALL": "C.UTF-8"}
    variables = enumerate(sorted(extra.items()))
    return own | {f"{prefix}{_CARRIED}{n}": f"{key}={value}" for n, (key, value) in variables}


def parse_version(output: str) -> Program | None:
    """Return flavour and version from the output of `--version`; None if it is neither program.

    >>> parse_version("apptainer version 1.4.5-2").version
    (1, 4, 5)
    >>> parse_version("singularity-ce version 4.1.5+ds4-1").flavour
    'singularity'
    """
    match = _VERSION.search(output)
    name = (output.split() or [""])[0]
    flavour: Literal["apptainer", "singularity"] = (
        "apptainer" if name == "apptainer" else "singularity"
    )
    if not match or not name.startswith(flavour):
        return None
    return Program("", flavour, tuple(int(part) for part in match[1].split(".")))


def explain(output: bytes) -> str:
    """Return the failure in the output of a client, with a remedy if one is known.

    >>> explain(b"FATAL:   no instance found with name x")
    'no instance found with name x. It has ended; open another.'
    """
    text = output.decode(errors="replace")
    errors = [_COLOUR.sub("", line).strip() for line in _TROUBLE.findall(text)]
    # The first one is the cause; these follow from it.
    followers = ("while executing starter", "cleanup failed")
    cause = next((line for line in errors if not any(f in line for f in followers)), "")
    cause = cause or " ".join(_COLOUR.sub("", text).split())[-500:] or "it printed nothing"
    for pattern, remedy in _REMEDIES:
        if re.search(pattern, cause.lower()):
            return f"{cause.rstrip('.')}. {remedy}"
    return cause


def split_output(stderr: bytes) -> tuple[bool, bytes]:
    r"""Return whether the wrapper began, and the program's own error output.

    >>> split_output(b"WARNING: x\ntmax-began\nhello")
    (True, b'hello')
    """
    at = 0 if stderr.startswith(BEGAN) else stderr.find(b"\n" + BEGAN) + 1
    if at == 0 and not stderr.startswith(BEGAN):
        return False, stderr
    return True, stderr[at + len(BEGAN) :]
