"""Command lines inside a pod: what prepares it, starts programs in it, and reads its files.

All functions are pure.  A pod's first container copies a few programs of the image into a volume
that the agent's container cannot write, so that neither a replaced `tar` nor an emptied disk keeps
the first process and the reader of files from working.  They need an image of glibc with bash,
GNU tar and find, and util-linux.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tmax_gym.sandboxes import User
from tmax_gym.sandboxes.login import BASH, NOBODY
from tmax_gym.sandboxes.quoting import quoted

TOOLS = "/run/tmax"
"""Where the volume is mounted."""
_NOWHERE = "/run/tmax/.preload"
_PRELOAD = "/etc/ld.so.preload"
"""A list of libraries that the loader of glibc loads into every program; the agent may write it.
The copied loader reads another file in its place, which nobody can make.  Both names have the same
length, as they replace each other in a program."""
PREPARE = rf"""
set -e; cd {TOOLS}; export LC_ALL=C
loader=
for l in /lib64/ld-linux-*.so.* /lib/ld-linux-*.so.*; do [[ -e $l ]] && loader=$l && break; done
[[ $loader ]] || {{ echo "no loader of glibc in this image" >&2; exit 1; }}
for program in bash tar find head setpriv; do
  path=$(type -P $program) || {{ echo "no $program in this image" >&2; exit 1; }}
  cp -L "$path" $program
  while read -r line; do
    [[ $line = *' => /'* ]] && line=${{line#*=> }} && cp -nL "${{line%% (*}}" .
  done < <("$loader" --list "$path")
done
sed 's|{_PRELOAD}|{_NOWHERE}|g' "$loader" >loader
chmod 755 loader; chmod a+rX . *
"""
_LOADED = (f"{TOOLS}/loader", "--inhibit-cache", "--library-path", TOOLS)
_BASH = (*_LOADED, f"{TOOLS}/bash", *BASH[1:])
_RUN = " ".join(_LOADED)
READ = 'LC_ALL=C; read -r size; IFS= read -r -N "$size" script; eval "$script"'
"""Runs the script that comes by the input, behind its length: command lines are seen by whoever may
read the audit log of the cluster, and proxies limit them."""
_CLEAN = "unset $(compgen -e); "
"""A pod's environment names the cluster's services, whatever its manifest says."""
_REFUSED = 77
"""The status of a script that was given a path which leads through a link or a file."""


def bash(script: str) -> list[str]:
    """Return the command of a bash that the agent cannot replace."""
    return [*_BASH, "-c", script]


def sent(script: str, stdin: bytes = b"") -> bytes:
    """Return what `READ` reads: a script in ASCII, and then the input of its program."""
    return f"{len(script)}\n{script}".encode("ascii") + stdin


def enter(argv: Sequence[str], env: Mapping[str, str], *, user: User) -> str:
    """Return a script that becomes a program, without the right that only process 1 has.

    Process 1 keeps SETPCAP: a program may trace a process, and use its open files, only if it has
    all the capabilities of that process (ptrace(2)).
    """
    exports = "".join(f"export {quoted(f'{name}={value}')}; " for name, value in env.items())
    rights = "--bounding-set=-setpcap --inh-caps=-all"
    if user == "nobody":
        rights = f"--reuid {NOBODY} --regid {NOBODY} --clear-groups --bounding-set=-all"
        rights += " --inh-caps=-all"
    words = " ".join(map(quoted, argv))
    return f"{_CLEAN}{exports}ulimit -c 0; exec {_RUN} {TOOLS}/setpriv {rights} -- {words}"


def program(argv: Sequence[str], env: Mapping[str, str], cwd: str, *, user: User, size: int) -> str:
    """Return a script that prints its number on its errors and becomes a program.

    Args:
        argv: The program's words.
        env: Its whole environment.
        cwd: Its directory; status 126 if it is not there.
        user: Whose rights it has.
        size: Bytes of input, which come behind the script.
    """
    # `head` belongs to nobody: it is no child that the program would have to wait for.
    feed = f"exec 9<&0; exec < <({_RUN} {TOOLS}/head -c {size} <&9 &); exec 9<&-; "
    return (
        f"echo $$ >&2; cd -- {quoted(cwd)} || exit 126; "
        f"{feed if size else 'exec </dev/null; '}{enter(argv, env, user=user)}"
    )


def write(parents: Iterable[str], size: int) -> str:
    """Return a script that unpacks a tar of so many bytes, unless a parent is no directory."""
    checks = "".join(
        f'p={quoted(path)}; [[ -L $p || ( -e $p && ! -d $p ) ]] && printf %s "$p" >&2 && '
        f"exit {_REFUSED}; "
        for path in parents
    )
    return f"{checks}{_RUN} {TOOLS}/head -c {size} | {_RUN} {TOOLS}/tar -xpf - -C / --numeric-owner"


def refused(status: int) -> bool:
    """Return whether a status is that of `write` for a path which cannot be written."""
    return status == _REFUSED


def read(paths: Mapping[str, Sequence[str]], *, max_bytes: int, max_nodes: int) -> str:
    """Return a script that prints a tar, and on its errors the entries that are too large.

    Args:
        paths: What to read, with all directories above each; absent ones are left out.
        max_bytes: Files beyond this are described, not sent: see `LARGE`.
        max_nodes: Most entries.
    """
    checks = "".join(
        f"p={quoted(path)}; "
        + "".join(f"[[ -d {quoted(up)} && ! -L {quoted(up)} ]] && " for up in above)
        + '[[ -e $p || -L $p ]] && at+=("$p"); '
        for path, above in paths.items()
    )
    large = f"-type f -size +{max_bytes}c -fprintf /proc/self/fd/3 {quoted(LARGE)}"
    return (
        f"exec 3>&2 2>/dev/null; at=(); {checks}((${{#at[@]}})) || exit 0; "
        f'{_RUN} {TOOLS}/find "${{at[@]}}" -xdev \\( {large} -o -print0 \\) | '
        f"{_RUN} {TOOLS}/head -z -n {max_nodes} | "
        f"{_RUN} {TOOLS}/tar -cPSf - --format=gnu --numeric-owner --no-recursion --null "
        "--verbatim-files-from -T -; exit 0"
    )


LARGE = r"%m %U %G %s %T@ %i %p\0"
"""A file that is not sent, as find(1) prints it: mode, owner, group, size, time, inode, path."""
