"""Detect that an agent has broken programs in its machine that grading needs there.

A verifier beside the agent needs programs of the machine: shells, its interpreter, the programs
that it calls.  The programs that work before the agent begins are checked again before the tests
run.  If one has stopped working and the trial would end without a reward, the agent caused that,
and its reward is 0: as an error it would be a way to escape every zero.

A program has stopped working if it is gone, not executable, no program, without its libraries, or
without any effect; a full disk counts too if the sandbox limits it.  A program that works and
spoils only the tests is not detected.
"""

from __future__ import annotations

import errno
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from tmax_gym.errors import SandboxError
from tmax_gym.harbor.results.rewards import KEY, Rewards
from tmax_gym.harbor.run.grading import offline, toolchain
from tmax_gym.harbor.run.opened import PLACE, Opened
from tmax_gym.harbor.tasks import scripts
from tmax_gym.harbor.tasks.directory import HarborTask
from tmax_gym.nodes import Node, text
from tmax_gym.sandboxes import ExecResult

ZERO = Rewards(((KEY, 0.0),))
"""The reward of an agent that has made its grading impossible."""
_REMOVES = 'echo > "$1"; rm -rf "$1"; [ -e "$1" ] || echo works'
_SAYS: Mapping[str, tuple[str, ...]] = {
    "python": ("-c", 'print("works")'),
    "perl": ("-e", 'print "works"'),
    "ruby": ("-e", 'print "works"'),
    "node": ("-e", 'console.log("works")'),
    "env": ("/bin/sh", "-c", "echo works"),
    **{shell: ("-c", "echo works") for shell in ("sh", "bash", "dash", "ksh", "zsh")},
}
"""Arguments with which a program prints one word; other programs print their version."""
_FOUND = '[ -x "$(command -v "$1")" ] && echo works'
_ALWAYS = ("/bin/sh", "/bin/bash", "rm")
"""Programs that we start before the tests."""
_CALLED = re.compile(r"(?<![\w./-])(python3?|perl|ruby|node)(?![\w-])")
_FETCHERS = re.compile(r"(?<![\w./-])(curl|wget|uvx?|pip3?|apt-get|apt|pytest)(?![\w-])")
"""Programs that tests may not need: they count only if the verifier reports one as absent."""
_NOT_STARTED = (
    r"(?:^|[\s/'\"])%s['\"]?: (?:command not found|not found|no such file|permission denied|"
    r"cannot execute|bad interpreter|error while loading|required file)"
    r"|no module named '?%s\b"
)
_REFUSED = re.compile(rb"\A(OCI runtime exec failed|Error: |crun: |no process could be started)")
_OF_A_PROGRAM = re.compile(
    rb"executable file not found|no such file|permission denied|exec format error|"
    rb"not a directory|is a directory|too many levels of symbolic links",
    re.IGNORECASE,
)
"""Errors of engines about a program; their other errors are about themselves."""
_KILLED = 137
_SECONDS = 10.0
"""Limit for a program to print one word: usual are 0.01 s, and 0.5 s on a busy machine."""
_ROOM = "room on the disk"
_ROOM_BYTES, _ROOM_FILES = 16 << 20, 200
"""Bytes and files that tests need at least."""
_STAND_INS = "python3 (it runs the stand-ins for a network)"
_TAIL = 200


def needed(task: HarborTask, *, wheels: Path) -> tuple[str, ...]:
    """Return the programs that verifiers and later steps need in the agent's machine.

    Args:
        task: The task that is graded.
        wheels: The directory of wheels for tests without a network.
    """
    shared = [step for step in task.steps if step.verifier_machine is None]
    if not shared and len(task.steps) == 1:
        return ()
    programs = dict.fromkeys(_ALWAYS)
    for step in shared:
        for below in step.tests:
            for entry in task.files(below):
                if entry.name == f"{below}/{step.test_script}":
                    with entry.path.open("rb") as file:
                        script = file.read(scripts.READ_BYTES)
                    programs |= dict.fromkeys(_named(script))
                    if toolchain.wanted(script.decode(errors="replace"), wheels):
                        programs[_STAND_INS] = None
    return tuple(programs)


def _named(script: bytes) -> Iterator[str]:
    """Yield the programs that a test script names in its first line and its commands."""
    first = script.split(b"\n", 1)[0].decode(errors="replace")
    words = first[2:].split() if first.startswith("#!") and "\0" not in first else []
    if words:
        yield words[0]
        if named := scripts.interpreter(script):
            yield named
    code = re.sub(r"^\s*#.*$", "", script.decode(errors="replace"), flags=re.MULTILINE)
    yield from (match[1] for match in _CALLED.finditer(code))
    yield from (match[1] for match in _FETCHERS.finditer(code))


def working(opened: Opened, programs: Iterable[str]) -> frozenset[str]:
    """Return which programs work, in a machine in which no agent has begun.

    Raises:
        SandboxError: The machine failed.
    """
    listed = tuple(programs)
    if not listed:
        return frozenset()
    room = () if _full(opened) else (_ROOM,)
    return _screened(opened, listed).union(room)


def lost(opened: Opened) -> Mapping[str, str]:
    """Return the programs that have stopped working, each with what was seen.

    Raises:
        SandboxError: The machine failed.
    """
    noted = opened.working
    if not noted:
        return {}
    screened = _screened(opened, tuple(sorted(noted - {_ROOM})))
    broken: dict[str, str] = {}
    late: dict[str, str] = {}
    fine = bool(screened)
    for name in sorted(noted - {_ROOM} - screened):
        done = opened.run(_probe(name), user="root", timeout=_SECONDS, cwd="/")
        if done.timed_out:
            late[name] = "it does not end"
        elif not done.exit_code and done.stdout.strip():
            fine = True
        elif not _unclear(_probe(name)[0], done):
            output = (done.stderr or done.stdout)[-_TAIL:].decode(errors="replace").strip()
            broken[name] = output or f"it prints nothing and ends with {done.exit_code}"
    if fine:  # else the whole machine may be slow
        broken |= late
    if _ROOM in noted and _full(opened):
        broken[_ROOM] = "the disk is full"
    return broken


def blame(lost: Mapping[str, str], output: str) -> str:
    """Return how the agent has kept a verifier from a reward, "" if nothing shows that."""
    for name, reason in lost.items():
        if _decides(name, output):
            what = "worked" if name != _ROOM else "was there"
            return f"{name} {what} before the agent began, and not afterwards: {reason}"
    return ""


def _screened(opened: Opened, names: tuple[str, ...]) -> frozenset[str]:
    """Return which programs work, tried by one shell of the machine for all of them."""
    script = 'for p; do [ "$(eval "$p" 2> /dev/null < /dev/null)" ] && echo 1 || echo 0; done'
    probes = [shlex.join(_probe(name)) for name in names]
    words = ["/bin/bash", "-c", script, "-", *probes]
    done = opened.run(words, user="root", timeout=_SECONDS, cwd="/")
    marks = done.stdout.split()
    if done.exit_code or len(marks) != len(names):
        return frozenset()
    return frozenset(name for name, mark in zip(names, marks, strict=True) if mark == b"1")


def _probe(name: str) -> list[str]:
    """Return a command that prints something if a program works."""
    if name == "rm":
        return ["/bin/sh", "-c", _REMOVES, "-", "/tmp/.works"]
    if _FETCHERS.fullmatch(name):
        return ["/bin/sh", "-c", _FOUND, "-", name]
    name = name.partition(" ")[0]
    kind = re.sub(r"[\d.]+$", "", PurePosixPath(name).name)
    return [name, *_SAYS.get(kind, ("--version",))]


def _decides(name: str, output: str) -> bool:
    """Return whether tests cannot run without a program, or their output shows that."""
    if name in (*_ALWAYS, _ROOM, _STAND_INS) or name.startswith("/"):
        return True
    if _missed(name, output):
        return True
    # A program may have been removed for good reason, and the tests may only lack a network.
    return not _FETCHERS.fullmatch(name) and not offline.UNREACHED.search(output.encode())


def _missed(name: str, output: str) -> bool:
    """Return whether the output says that a program could not be started."""
    message = _NOT_STARTED.replace("%s", re.escape(name))
    return bool(re.search(message, output, re.IGNORECASE | re.MULTILINE))


def _unclear(program: str, done: ExecResult) -> bool:
    """Return whether something else than the program may have failed."""
    output = done.stderr or done.stdout
    refused = done.exit_code in (126, 127) and _REFUSED.search(output)
    named = _OF_A_PROGRAM.search(output) and program.encode() in output
    return done.exit_code == _KILLED or bool(refused and not named)


def _full(opened: Opened) -> bool:
    """Return whether the machine's own disk is full; False for containers, which share a disk."""
    from tmax_gym.sandboxes.docker.sandbox import DockerSandbox

    if isinstance(opened.sandbox, DockerSandbox):
        return False
    nodes = [Node(f"{PLACE}/room", data=bytes(_ROOM_BYTES))]
    nodes += [text(f"{PLACE}/room.{index}", "") for index in range(_ROOM_FILES)]
    try:
        opened.sandbox.put(nodes)
    except SandboxError as error:
        cause = error.__cause__
        return isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT)
    finally:
        opened.sandbox.exec(["rm", "-rf", PLACE], timeout=60.0)  # so that no agent sees it
    return False
