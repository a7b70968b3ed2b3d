"""Run the verifier of a step out of the agent's reach, and decide whether its rewards count.

The agent's processes are killed before the verifier starts, the directories of tests and rewards
are emptied, standard input is empty, and rewards are read after every process has been killed.  A
reward counts only if a test ran (`doubts.py`): otherwise the trial is ungraded, not zero.
A verifier runs beside the agent (`shared`) or in a machine of its own (`separate`).  An agent that
makes a shared one fail earns 0 (`spoilt.py`).  Only `separate` helps against an agent that replaces
programs of the verifier by others that work.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from tmax_gym.errors import HarborError, SandboxError, Ungraded, VerifierError
from tmax_gym.harbor.results.rewards import Rewards, read_rewards
from tmax_gym.harbor.run.grading import doubts, offline, spoilt, toolchain
from tmax_gym.harbor.run.machines import end_all, nodes, open_machine
from tmax_gym.harbor.run.opened import PLACE, Opened
from tmax_gym.harbor.run.settings import HarborSettings
from tmax_gym.harbor.run.times import Times
from tmax_gym.harbor.tasks.config import Artifact
from tmax_gym.harbor.tasks.directory import HarborStep, HarborTask
from tmax_gym.harbor.tasks.templates import resolve
from tmax_gym.nodes import Node, directory
from tmax_gym.sandboxes import Backend, ExecResult

LOGS = "/logs/verifier"
ARTIFACTS = "/logs/artifacts"
TESTS = "/tests"
TAIL = 600
"""Largest number of characters of a verifier's output in a message."""
ARTIFACT_BYTES = 256 << 20
_REWARDS = (f"{LOGS}/reward.json", f"{LOGS}/reward.txt", f"{LOGS}/ctrf.json")
_RAN = re.compile(rb"test session starts|\b\d+ (passed|failed|errors?|skipped|xfailed)\b")
"""Output of a pytest that has run tests: it is missing in 254 published zeros."""
_PYTEST = re.compile(r"\bpytest\b")


@dataclass(frozen=True, slots=True)
class Graded:
    """The result of one run of a verifier."""

    rewards: Rewards | None
    output: str
    """The first 4 MB of the verifier's output."""
    seconds: float
    error: VerifierError | None = None
    """Why there are no rewards: `Ungraded` if no test ran."""

    @property
    def values(self) -> dict[str, float]:
        """Return the rewards by name; empty if it was not graded."""
        return dict(self.rewards.values) if self.rewards is not None else {}

    def needed(self, name: str) -> Rewards:
        """Return the rewards.

        Raises:
            Ungraded: No test ran.
            VerifierError: The verifier failed.
        """
        if self.error is not None:
            raise type(self.error)(f"task {name} was not graded: {self.error}")
        assert self.rewards is not None
        return self.rewards


def grade(
    task: HarborTask,
    step: HarborStep,
    opened: Opened,
    *,
    backend: Backend,
    settings: HarborSettings,
    times: Times,
    last: bool,
) -> Graded:
    """Grade one step; the agent's shell must be closed.

    Args:
        task: The task of the step.
        step: The step that is graded.
        opened: The agent's machine; frozen afterwards if `last`.
        backend: The backend of a separate verifier.
        settings: The settings of the task.
        times: The limits of its parts.
        last: Whether no step follows.

    Raises:
        SandboxError: A machine failed.
    """
    for hook in step.verifier.collect:
        opened.run(["/bin/sh", "-c", hook.command], user=hook.user, timeout=hook.timeout_sec)
    if step.verifier_machine is None:
        return _beside(task, step, opened, settings=settings, times=times, last=last)
    kept = artifacts(opened, step.artifacts, last=last)
    mode = step.verifier.network_mode or step.verifier_machine.config.network_mode
    seconds = times.machine(step.verifier_machine)
    other = open_machine(
        *(task, step.verifier_machine, backend), settings=settings, mode=mode, seconds=seconds
    )
    try:
        if not step.verifier_machine.owns_tests:
            other.sandbox.put(_tests(task, step))
        other.sandbox.put(kept)
        return _verified(times, step, other, settings=settings, freeze=True)
    finally:
        other.sandbox.close()


def _beside(
    task: HarborTask,
    step: HarborStep,
    opened: Opened,
    *,
    settings: HarborSettings,
    times: Times,
    last: bool,
) -> Graded:
    """Grade one step in the agent's machine; nothing left there lets an agent escape a zero."""
    if settings.leftovers == "kill":
        end_all(opened)
    try:
        opened = _clear(opened)
        opened.sandbox.put(_tests(task, step))
    except SandboxError as error:
        if reason := spoilt.blame(spoilt.lost(opened), ""):
            return _unearned(Graded(None, "", 0.0, Ungraded(str(error))), reason)
        raise
    lost = spoilt.lost(opened)
    if "/bin/bash" in lost:  # it runs all tests, and a broken one may hang
        if last:
            opened.sandbox.freeze()
        return _unearned(Graded(None, "", 0.0, Ungraded("no test ran")), spoilt.blame(lost, ""))
    graded = _verified(times, step, opened, settings=settings, freeze=last)
    if graded.rewards is None and (reason := spoilt.blame(lost, graded.output)):
        return _unearned(graded, reason)
    if not last:
        _clear(opened)
    return graded


def _unearned(graded: Graded, reason: str) -> Graded:
    """Return reward 0 for an agent that has made its grading impossible."""
    output = f"reward 0: the agent has spoilt what grades its work: {reason}\n{graded.error}\n"
    return Graded(spoilt.ZERO, output + graded.output, graded.seconds)


def artifacts(
    opened: Opened, listed: Sequence[Artifact], *, last: bool = False
) -> tuple[Node, ...]:
    """Return the artifacts of the agent's machine, with their paths there."""
    if last:
        opened.sandbox.freeze()
    sources = sorted({ARTIFACTS, *(a.source for a in listed)})
    nodes_ = opened.sandbox.get(sources, max_bytes=ARTIFACT_BYTES, max_nodes=100_000)
    unwanted = [(a.source.rstrip("/"), pattern) for a in listed for pattern in a.exclude]
    return tuple(
        node
        for node in nodes_
        if node.kind != "other"
        and not (node.kind == "file" and node.data is None)
        and not any(_below(node.path, root, pattern) for root, pattern in unwanted)
    )


def _below(path: str, root: str, pattern: str) -> bool:
    name = path.removeprefix(f"{root}/")
    return name != path and any(fnmatchcase(part, pattern) for part in (name, *name.split("/")))


def _clear(opened: Opened) -> Opened:
    """Empty the directories of tests and rewards.

    Returns:
        The machine; tests start at its root if the agent has removed the working directory.
    """
    script = '[ -d "$1" ] || echo gone; '
    script += f"[ -d /logs ] && [ ! -L /logs ] || rm -rf /logs; rm -rf {TESTS} {LOGS} {PLACE}"
    words = ["/bin/sh", "-c", script, "-", opened.workdir]
    done = opened.sandbox.exec(words, timeout=60.0)
    if done.exit_code:
        tail = done.stderr[-200:].decode(errors="replace")
        raise SandboxError(f"{TESTS} and {LOGS} cannot be cleared: {tail}")
    if left := opened.sandbox.get([TESTS, LOGS], max_bytes=0, max_nodes=1):
        raise SandboxError(f"{left[0].path} was removed and is still there")
    opened.sandbox.put([directory(TESTS), directory(LOGS, mode=0o777)])
    return replace(opened, workdir="/") if done.stdout else opened


def _tests(task: HarborTask, step: HarborStep) -> tuple[Node, ...]:
    tests = {node.path: node for below in step.tests for node in nodes(task, below, TESTS)}
    if (script := tests.get(f"{TESTS}/{step.test_script}")) is not None:
        tests[script.path] = replace(script, mode=script.mode | 0o111)
    return tuple(tests[path] for path in sorted(tests))


def _verified(
    times: Times, step: HarborStep, opened: Opened, *, settings: HarborSettings, freeze: bool
) -> Graded:
    """Run the tests that are in place, and read their rewards after every process was killed."""
    begun = time.monotonic()
    task, seconds = times.task, times.verifier(step)
    script = f"{TESTS}/{step.test_script}"
    try:
        own = resolve(step.verifier.env, os.environ)
    except HarborError as error:
        return Graded(None, "", 0.0, VerifierError(str(error)))
    data = b"".join(node.data or b"" for node in opened.sandbox.get([script]))
    text = data.decode(errors="replace")
    env = {
        **offline.equip(opened, text),
        **own,
        **toolchain.equip(opened, text, wheels=settings.wheelhouse),
    }
    ran = opened.run(
        ["/bin/bash", "-c", f"[ -x {script} ] || chmod +x {script}; {script} 2>&1"],
        user=step.verifier.user or "root",
        env=env,
        timeout=seconds,
    )
    doubt = doubts.doubt(task, step, opened=opened, script=data, ran=ran)
    needs = bool(doubt or _PYTEST.search(text))
    if not doubt and offline.asked(opened, text, ran.stdout + ran.stderr):
        doubt = "the tests asked for a network, which this machine does not have"
        needs = needs or _promised(step, task)
    if freeze:
        opened.sandbox.freeze()
    else:
        end_all(opened)
    left = opened.sandbox.get(_REWARDS)
    took = time.monotonic() - begun
    if failure := _failure(ran, left, limit=seconds):
        return Graded(None, _output(ran), took, VerifierError(failure))
    files = {n.path: n.data for n in left if n.kind == "file"}
    return _judged(ran, files, doubt=doubt, needs=needs, seconds=took)


def _failure(ran: ExecResult, left: Sequence[Node], *, limit: float) -> str:
    """Return why the files of a verifier do not count, "" if they may."""
    if ran.timed_out:
        tail = _tail(_output(ran))
        return f"the verifier did not end within {limit:g} s and was killed{tail}"
    for node in left:
        # Such a file is not absent, so that no other may count in its place.
        if node.path in _REWARDS[:2] and (node.kind != "file" or node.data is None):
            what = "too large" if node.kind == "file" else f"no plain file but a {node.kind}"
            return f"{node.path} is {what}: write numbers into a plain file"
    return ""


def _promised(step: HarborStep, task: HarborTask) -> bool:
    """Return whether a task promises its tests a network."""
    machine = step.verifier_machine or task.machine
    mode = step.verifier.network_mode or machine.config.network_mode
    return mode != "no-network"


def _judged(
    ran: ExecResult,
    files: Mapping[str, bytes | None],
    *,
    doubt: str,
    needs: bool,
    seconds: float,
) -> Graded:
    """Return the result of a verifier that has ended, if it can be believed.

    Args:
        ran: The result of the test script.
        files: The files of rewards and reports that it left.
        doubt: Why its tests may not have run, "" if there is no sign of that.
        needs: Whether a report or the output of pytest is needed to believe that they ran.
        seconds: How long it took.
    """
    output = _output(ran)
    tail, why = _tail(output), f": {doubt}" if doubt else ""
    written, text, report = (files.get(path) for path in _REWARDS)
    if written is None and text is None:
        message = f"the verifier wrote no reward (exit {ran.exit_code}): no test ran{why}{tail}"
        return Graded(None, output, seconds, Ungraded(message))
    try:
        rewards = read_rewards(written, text)
        reward = rewards.reward
        if reward is not None:
            rewards.score()
    except HarborError as error:
        return Graded(None, output, seconds, VerifierError(f"{error}{tail}"))
    tested = report or _RAN.search(ran.stdout) or not needs
    if not tested and not any(value for _, value in rewards.values):
        message = f"the verifier wrote 0 although its tests never ran{why}{tail}"
        return Graded(None, output, seconds, Ungraded(message))
    return Graded(rewards, output, seconds)


def _output(ran: ExecResult) -> str:
    return ran.stdout.decode(errors="replace") + ran.stderr.decode(errors="replace")


def _tail(output: str) -> str:
    return f"; the end of its output: {output[-TAIL:].strip()}" if output.strip() else ""
