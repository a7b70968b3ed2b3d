"""Find out why the tests of a task cannot have run, from the task's own files.

A verifier that could not work may still have written 0.  Then the trial is ungraded, with the
reason: a script that Linux cannot run, a syntax error, an absent interpreter.  The output of a
verifier counts only together with a fault in the task's files, because an agent can print anything.
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
"""Messages of bash up to 5.1, and of later versions."""
_STARTED = re.compile(
    rb"(?:^|[;&|(!]|\b(?:if|then|do|else|elif|while|until|exec|time))[ \t]*/tests/([\w./-]+)", re.M
)
"""Commands of a test script that start files of the task."""
_RUNS = (
    rb"(?:^|[;&|(!`]|\b(?:if|then|do|else|elif|while|until|exec|time|source|bash|sh|dash)\s|\s\.\s)"
    rb"[ \t]*(?:-\w+[ \t]+)*(?:\"?\$\(dirname[^)]*\)|[^\s;|&])*"
)
"""Text before the name of a script that is run, or read by a shell."""
_NOT_RUN = re.compile(rb"\\r|\^M|\r['\xe2]|bad interpreter|cannot execute|required file not found")


def refuse_scripts(task: HarborTask, name: str) -> None:
    """Refuse a task that cannot be set up or graded, before an agent begins.

    Raises:
        Unbuildable: Linux cannot run a step's `setup.sh` as it is written.
        Ungraded: Linux cannot start the test script of a step.
    """
    for step in task.steps:
        for path, data in _scripts(task, step.workdir) if step.workdir else ():
            if path == f"{step.workdir}/setup.sh" and (reason := scripts.fault(data, path)):
                raise Unbuildable(f"task {name}: {path} {reason}")
        script = _test_script(task, step)
        if script and (reason := scripts.unstartable(script[1])):
            raise Ungraded(f"task {name} cannot be graded: {script[0]} {reason}")


def unsolvable(task: HarborTask, step: HarborStep) -> str:
    """Return why a step's reference solution cannot run on Linux, "" if it can."""
    for path, data in _scripts(task, step.solution) if step.solution else ():
        started = path == f"{step.solution}/solve.sh"
        if (started or scripts.is_shell(data, path)) and (reason := scripts.fault(data, path)):
            return f"{path} {reason}"
    return ""


def doubt(
    task: HarborTask, step: HarborStep, *, opened: Opened, script: bytes, ran: ExecResult
) -> str:
    """Return why the tests of a step cannot have run, "" if there is no sign of that.

    Args:
        task: The task of the step.
        step: The step that is graded.
        opened: The verifier's machine, not frozen yet.
        script: The test script in that machine.
        ran: The result of the test script.
    """
    if step.verifier_machine and step.verifier_machine.owns_tests:
        # Its image may have changed the task's files.
        reason = scripts.unstartable(script)
        return f"/tests/{step.test_script} of its image {reason}" if reason else ""
    files = {path: data for below in step.tests for path, data in _scripts(task, below)}
    output = ran.stdout + ran.stderr
    for path, data in files.items():
        if (reason := scripts.fault(data, path)) and _mattered(step, path, script, output):
            return f"{path} {reason}"
    if reason := _absent(step, files, output):
        return reason
    own = _test_script(task, step)
    if own is None:
        return ""
    path, data = own
    if scripts.is_empty(data):
        return f"{path} has no command"
    if reason := _unexecutable(task, step, path, data):
        return reason
    if ran.exit_code and b"syntax error" in output and scripts.is_shell(data, path):
        check = opened.run(["/bin/bash", "-n", f"/tests/{step.test_script}"], user="root")
        if check.exit_code:
            lines = check.stderr.decode(errors="replace").strip().splitlines()
            return f"{path} has a syntax error: {lines[0] if lines else ''}"
    return ""


def _mattered(step: HarborStep, path: str, script: bytes, output: bytes) -> bool:
    """Return whether a script with a fault was meant to run: some scripts are data of tests."""
    name = PurePosixPath(path).name
    if name == step.test_script or _NOT_RUN.search(output):
        return True
    return bool(re.search(_RUNS + re.escape(name.encode()) + rb"\b", script, re.MULTILINE))


def _unexecutable(task: HarborTask, step: HarborStep, path: str, data: bytes) -> str:
    """Return the message about a file that the test script starts and that is not executable."""
    if not scripts.is_shell(data, path) or b"chmod" in data:
        return ""
    started = {match[1].decode() for match in _STARTED.finditer(data)}
    for below in step.tests:
        for entry in task.files(below):
            if not entry.executable and entry.name.removeprefix(f"{below}/") in started:
                return f"{path} starts {entry.name}, which is not executable: chmod +x it"
    return ""


def _absent(step: HarborStep, files: dict[str, bytes], output: bytes) -> str:
    """Return the message about a script whose interpreter the machine lacks."""
    for match in _ABSENT.finditer(output):
        name = match[1].decode(errors="replace")
        for below in step.tests:
            data = files.get(f"{below}/{name}", b"")
            named = scripts.interpreter(data)
            # These two are there: one of them started the tests.
            if named and PurePosixPath(named).name not in ("sh", "bash"):
                return f"{below}/{name} needs {named}, which this machine does not have"
    return ""


def _test_script(task: HarborTask, step: HarborStep) -> tuple[str, bytes] | None:
    """Return the test script of a step, None if it comes with the verifier's machine."""
    if step.verifier_machine and step.verifier_machine.owns_tests:
        return None
    scripts_ = ((below, one) for below in step.tests for one in _scripts(task, below))
    own = [one for below, one in scripts_ if one[0] == f"{below}/{step.test_script}"]
    return own[-1] if own else None


def _scripts(task: HarborTask, below: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a directory that may be run, with their beginning."""
    for entry in task.files(below):
        with entry.path.open("rb") as file:
            data = file.read(2)
            if entry.name.endswith(".sh") or entry.executable or data == b"#!":
                yield entry.name, data + file.read(scripts.READ_BYTES)
