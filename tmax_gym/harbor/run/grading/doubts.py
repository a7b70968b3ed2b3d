"""Why the tests of a task cannot have run: read in the task's own files, not in what agents wrote.

A verifier that could not do its work may still have written 0.  Such a zero is nobody's: the
trial is ungraded, with the reason.  Covers scripts that Linux cannot run, syntax errors and
interpreters that are absent.  What a verifier printed counts only together with a fault in the
task's files: an agent may print everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from tmax_gym.errors import Unbuildable, Ungraded
from tmax_gym.harbor.run.opened import Opened
from tmax_gym.harbor.tasks import scripts
from tmax_gym.harbor.tasks.directory import HarborStep, HarborTask
from tmax_gym.sandboxes import ExecResult

_ABSENT = re.compile(
    rb"/tests/(\S+): (?:(\S+): bad interpreter|cannot execute: required file not found)"
)
"""Bash 5.1 and before, and after."""
_STARTED = re.compile(
    rb"(?:^|[;&|(!]|\b(?:if|then|do|else|elif|while|until|exec|time))[ \t]*/tests/([\w./-]+)", re.M
)
"""Commands of a test script that are files of the task."""
_RUNS = (
    rb"(?:^|[;&|(!`]|\b(?:if|then|do|else|elif|while|until|exec|time|source|bash|sh|dash)\s|\s\.\s)"
    rb"[ \t]*(?:-\w+[ \t]+)*(?:\"?\$\(dirname[^)]*\)|[^\s;|&])*"
)
"""What stands before the name of a script that is run, or read by a shell."""
_NOT_RUN = re.compile(rb"\\r|\^M|\r['\xe2]|bad interpreter|cannot execute|required file not found")


def refuse_scripts(task: HarborTask, name: str) -> None:
    """Refuse a task that cannot be set up or graded, before an agent works on it.

    Raises:
        Unbuildable: A step's `setup.sh` would do something else than it says.
        Ungraded: Linux cannot start the test script of a step.
    """
    for step in task.steps:
        for path, data in _scripts(task, step.workdir) if step.workdir else ():
            if path == f"{step.workdir}/setup.sh" and (reason := scripts.fault(data, path)):
                raise Unbuildable(f"task {name}: {path} {reason}")
        found = _test_script(task, step)
        if found and (reason := scripts.unstartable(found[1])):
            raise Ungraded(f"task {name} cannot be graded: {found[0]} {reason}")


def unsolvable(task: HarborTask, step: HarborStep) -> str:
    """Return why a step's reference solution cannot run on Linux, "" where it can."""
    for path, data in _scripts(task, step.solution) if step.solution else ():
        started = path == f"{step.solution}/solve.sh"
        if (started or scripts.is_shell(data, path)) and (reason := scripts.fault(data, path)):
            return f"{path} {reason}"
    return ""


def doubt(
    task: HarborTask, step: HarborStep, *, opened: Opened, script: bytes, ran: ExecResult
) -> str:
    """Return why the tests of a step cannot have run, "" where nothing speaks for that.

    Args:
        task: What it belongs to.
        step: What is graded.
        opened: The verifier's machine, not frozen yet.
        script: The test script, as it lies there.
        ran: How it ended.
    """
    if step.verifier_machine and step.verifier_machine.owns_tests:
        # Its image may have made other files of the task's.
        reason = scripts.unstartable(script)
        return f"/tests/{step.test_script} of its image {reason}" if reason else ""
    files = {path: data for below in step.tests for path, data in _scripts(task, below)}
    output = ran.stdout + ran.stderr
    for path, data in files.items():
        if (reason := scripts.fault(data, path)) and _mattered(step, path, script, output):
            return f"{path} {reason}"
    if reason := _absent(step, files, output):
        return reason
    found = _test_script(task, step)
    if found is None:
        return ""
    path, data = found
    if scripts.is_empty(data):
        return f"{path} has no command"
    if reason := _unexecutable(task, step, path, data):
        return reason
    if ran.exit_code and b"syntax error" in output and scripts.is_shell(data, path):
        seen = opened.run(["/bin/bash", "-n", f"/tests/{step.test_script}"], user="root")
        if seen.exit_code:
            said = seen.stderr.decode(errors="replace").strip().splitlines()
            return f"{path} has a syntax error: {said[0] if said else ''}"
    return ""


def _mattered(step: HarborStep, path: str, script: bytes, output: bytes) -> bool:
    """Return whether a script with a fault was to be run: tests may hold others as data."""
    name = PurePosixPath(path).name
    if name == step.test_script or _NOT_RUN.search(output):
        return True
    return bool(re.search(_RUNS + re.escape(name.encode()) + rb"\b", script, re.MULTILINE))


def _unexecutable(task: HarborTask, step: HarborStep, path: str, data: bytes) -> str:
    """Return which file the test script starts that may not be executed."""
    if not scripts.is_shell(data, path) or b"chmod" in data:
        return ""
    started = {match[1].decode() for match in _STARTED.finditer(data)}
    for below in step.tests:
        for entry in task.files(below):
            if not entry.executable and entry.name.removeprefix(f"{below}/") in started:
                return f"{path} starts {entry.name}, which is not executable: chmod +x it"
    return ""


def _absent(step: HarborStep, files: dict[str, bytes], output: bytes) -> str:
    """Return which of the task's scripts names an interpreter that the machine lacks."""
    for match in _ABSENT.finditer(output):
        name = match[1].decode(errors="replace")
        for below in step.tests:
            data = files.get(f"{below}/{name}", b"")
            named = scripts.interpreter(data)
            # These are there: what started the tests is one of them.
            if named and PurePosixPath(named).name not in ("sh", "bash"):
                return f"{below}/{name} needs {named}, which this machine does not have"
    return ""


def _test_script(task: HarborTask, step: HarborStep) -> tuple[str, bytes] | None:
    """Return the script that grades a step, None where it comes with the verifier's machine."""
    if step.verifier_machine and step.verifier_machine.owns_tests:
        return None
    found = None
    for below in step.tests:
        for path, data in _scripts(task, below):
            if path == f"{below}/{step.test_script}":
                found = path, data
    return found


def _scripts(task: HarborTask, below: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a directory that are run or may be, with their beginning."""
    for entry in task.files(below):
        with entry.path.open("rb") as file:
            data = file.read(2)
            if entry.name.endswith(".sh") or entry.executable or data == b"#!":
                yield entry.name, data + file.read(scripts.READ_BYTES)
