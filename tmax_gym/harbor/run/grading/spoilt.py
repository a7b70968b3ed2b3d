"""What an agent may have spoilt in its own machine, so that its work cannot be graded there.

A verifier beside the agent needs programs of the machine: shells, what its first line names, what
it calls.  Those that work before the agent begins are noted, and looked at again before the tests
run.  Where one of them does not work any more and the trial would end without a reward, that is
the agent's own doing, and its reward is 0.  As an error it would be a way out of every zero.

Covers programs that are gone, may not be executed, are no programs, lack their libraries, or do
nothing; and a disk that the agent has filled, where the sandbox limits it.  What a verifier itself
does to its machine comes later and is never looked at.  Does not cover a program that works and
spoils the tests alone.
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
"""What an agent has earned that has made its grading impossible."""
_REMOVES = 'echo > "$1"; rm -rf "$1"; [ -e "$1" ] || echo works'
_SAYS: Mapping[str, tuple[str, ...]] = {
    "python": ("-c", 'print("works")'),
    "perl": ("-e", 'print "works"'),
    "ruby": ("-e", 'print "works"'),
    "node": ("-e", 'console.log("works")'),
    "env": ("/bin/sh", "-c", "echo works"),
    **{shell: ("-c", "echo works") for shell in ("sh", "bash", "dash", "ksh", "zsh")},
}
"""How a program is told to print one word; others are asked for their version."""
_FOUND = '[ -x "$(command -v "$1")" ] && echo works'
_ALWAYS = ("/bin/sh", "/bin/bash", "rm")
"""What we ourselves start before the tests."""
_CALLED = re.compile(r"(?<![\w./-])(python3?|perl|ruby|node)(?![\w-])")
_FETCHERS = re.compile(r"(?<![\w./-])(curl|wget|uvx?|pip3?|apt-get|apt|pytest)(?![\w-])")
"""Programs that tests may do without: they count where the verifier says that one is absent."""
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
"""What engines say of a program; whatever else they say, they say of themselves."""
_KILLED = 137
_SECONDS = 10.0
"""For a program to print one word: 0.01 are usual, 0.5 on a machine that is busy everywhere."""
_ROOM = "room on the disk"
_ROOM_BYTES, _ROOM_FILES = 16 << 20, 200
"""What tests need at least."""
_STAND_INS = "python3 (it runs the stand-ins for a network)"
_TAIL = 200


def needed(task: HarborTask, *, wheels: Path) -> tuple[str, ...]:
    """Return the programs that verifiers in the agent's machine, and later steps, start there.

    Args:
        task: What is graded.
        wheels: Where the wheels are that tests get in place of a network.
    """
    shared = [step for step in task.steps if step.verifier_machine is None]
    if not shared and len(task.steps) == 1:
        return ()
    found = dict.fromkeys(_ALWAYS)
    for step in shared:
        for below in step.tests:
            for entry in task.files(below):
                if entry.name == f"{below}/{step.test_script}":
                    with entry.path.open("rb") as file:
                        script = file.read(scripts.READ_BYTES)
                    found |= dict.fromkeys(_named(script))
                    if toolchain.wanted(script.decode(errors="replace"), wheels):
                        found[_STAND_INS] = None
    return tuple(found)


def _named(script: bytes) -> Iterator[str]:
    """Yield what a test script names: in its first line, and in its commands."""
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
    """Return which programs work; asked before an agent begins, in a machine that is the image's.

    Raises:
        SandboxError: The machine failed.
    """
    listed = tuple(programs)
    if not listed:
        return frozenset()
    found = _screened(opened, listed)
    return found if _full(opened) else found | {_ROOM}


def lost(opened: Opened) -> Mapping[str, str]:
    """Return what has worked and does not any more, each with what is seen of it.

    Raises:
        SandboxError: The machine failed.
    """
    noted = opened.working
    if not noted:
        return {}
    screened = _screened(opened, tuple(sorted(noted - {_ROOM})))
    found: dict[str, str] = {}
    late: dict[str, str] = {}
    fine = bool(screened)
    for name in sorted(noted - {_ROOM} - screened):
        done = opened.run(_probe(name), user="root", timeout=_SECONDS, cwd="/")
        if done.timed_out:
            late[name] = "it does not end"
        elif not done.exit_code and done.stdout.strip():
            fine = True
        elif not _unclear(_probe(name)[0], done):
            said = (done.stderr or done.stdout)[-_TAIL:].decode(errors="replace").strip()
            found[name] = said or f"it prints nothing and ends with {done.exit_code}"
    if fine:  # or else the whole machine may be slow
        found |= late
    if _ROOM in noted and _full(opened):
        found[_ROOM] = "the disk is full"
    return found


def blame(lost: Mapping[str, str], output: str) -> str:
    """Return why a verifier gave no reward, "" where the agent is not seen to have caused it."""
    for name, said in lost.items():
        if _decides(name, output):
            what = "worked" if name != _ROOM else "was there"
            return f"{name} {what} before the agent began, and not afterwards: {said}"
    return ""


def _screened(opened: Opened, names: tuple[str, ...]) -> frozenset[str]:
    """Return which programs work by what the machine's own shell says: one start for all."""
    script = 'for p; do [ "$(eval "$p" 2> /dev/null < /dev/null)" ] && echo 1 || echo 0; done'
    probes = [shlex.join(_probe(name)) for name in names]
    words = ["/bin/bash", "-c", script, "-", *probes]
    done = opened.run(words, user="root", timeout=_SECONDS, cwd="/")
    said = done.stdout.split()
    if done.exit_code or len(said) != len(names):
        return frozenset()
    return frozenset(name for name, one in zip(names, said, strict=True) if one == b"1")


def _probe(name: str) -> list[str]:
    """Return a command that prints something where a program works."""
    if name == "rm":
        return ["/bin/sh", "-c", _REMOVES, "-", "/tmp/.works"]
    if _FETCHERS.fullmatch(name):
        return ["/bin/sh", "-c", _FOUND, "-", name]
    name = name.partition(" ")[0]
    kind = re.sub(r"[\d.]+$", "", PurePosixPath(name).name)
    return [name, *_SAYS.get(kind, ("--version",))]


def _decides(name: str, output: str) -> bool:
    """Return whether tests cannot run without a program, or what they printed says so."""
    if name in (*_ALWAYS, _ROOM, _STAND_INS) or name.startswith("/"):
        return True
    if _missed(name, output):
        return True
    # What tests call may have been removed for good reason, and a network be what they lack.
    return not _FETCHERS.fullmatch(name) and not offline.UNREACHED.search(output.encode())


def _missed(name: str, output: str) -> bool:
    """Return whether a verifier said that it could not start a program."""
    said = _NOT_STARTED.replace("%s", re.escape(name))
    return bool(re.search(said, output, re.IGNORECASE | re.MULTILINE))


def _unclear(program: str, done: ExecResult) -> bool:
    """Return whether something else than the program itself may have failed."""
    said = done.stderr or done.stdout
    refused = done.exit_code in (126, 127) and _REFUSED.search(said)
    named = _OF_A_PROGRAM.search(said) and program.encode() in said
    return done.exit_code == _KILLED or bool(refused and not named)


def _full(opened: Opened) -> bool:
    """Return whether the machine's own disk is full; that of an engine's host is no agent's."""
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
        opened.sandbox.exec(["rm", "-rf", PLACE], timeout=60.0)  # no agent is to see it
    return False
