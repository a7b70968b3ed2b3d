"""One episode of a Harbor task: its machine, a shell, its steps and their grading."""

from __future__ import annotations

import shlex
import time
from contextlib import ExitStack
from dataclasses import replace
from typing import Protocol

from tmax_gym.checks.verdict import Part, Verdict
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.episodes.shell_episode import ShellEpisode
from tmax_gym.errors import HarborError, SandboxError, Unbuildable, VerifierError
from tmax_gym.harbor.results.rewards import Rewards, combine
from tmax_gym.harbor.run.grading import spoilt
from tmax_gym.harbor.run.grading.doubts import refuse_scripts
from tmax_gym.harbor.run.grading.grading import Graded, grade
from tmax_gym.harbor.run.machines import end_all, make_room, nodes, obstacle, open_machine
from tmax_gym.harbor.run.opened import QUIET, Opened, named
from tmax_gym.harbor.run.settings import HarborSettings
from tmax_gym.harbor.run.times import Times
from tmax_gym.harbor.tasks.config import Healthcheck
from tmax_gym.harbor.tasks.directory import HarborStep, HarborTask
from tmax_gym.nodes import directory
from tmax_gym.sandboxes import Backend


class Trial(Protocol):
    """The part of a `TrialTask` that an episode needs."""

    @property
    def name(self) -> str:
        """Return the name of the task in runs and reports."""

    @property
    def harbor(self) -> HarborTask:
        """Return the content of its directory."""

    @property
    def settings(self) -> HarborSettings:
        """Return the settings under which it runs."""


class TrialEpisode(ShellEpisode):
    """A running episode of a Harbor task; `close` ends it, graded or not."""

    def __init__(self, trial: Trial, backend: Backend, *, limits: EpisodeLimits, seed: int) -> None:
        """Start the machine, set up the first step, start the shell.

        Raises:
            Unbuildable: This kind of sandbox cannot run the task, or its image cannot be made.
            Ungraded: The script that would grade it cannot be started on Linux.
            SandboxError: Something could not be started; nothing is left open.
        """
        super().__init__(limits, seed=seed)
        self.trial = trial
        self.graded: list[Graded] = []
        """The grades of the steps that have ended."""
        self._over = False
        """Whether the agent has made another step impossible in this machine."""
        self._backend = backend
        self._times = Times(trial.harbor, limits)
        if reason := obstacle(trial.harbor, backend.name, substitutes=trial.settings.substitutes):
            raise Unbuildable(f"task {trial.name} is unsupported: {reason}")
        refuse_scripts(trial.harbor, trial.name)
        with ExitStack() as opening:
            self.machine: Opened = self._open()
            self.sandbox = self.machine.sandbox
            opening.callback(self.sandbox.close)
            if check := trial.harbor.config.environment.healthcheck:
                await_health(self.machine, check)
            self._begin_step()
            self._opened_whole(opening)

    @property
    def step(self) -> HarborStep:
        """Return the step that runs, or the last one."""
        steps = self.trial.harbor.steps
        return steps[min(len(self.graded), len(steps) - 1)]

    @property
    def step_name(self) -> str:
        """Return the name of the step that runs."""
        return self.step.name

    def advance(self) -> str | None:
        """Grade the step that ended; return the next instruction, None if no step follows.

        Raises:
            SandboxError: The machine failed.
            VerifierError: The verifier of this step failed; also `Ungraded`.
        """
        steps = self.trial.harbor.steps
        index = len(self.graded)
        step = steps[index]
        if index == len(steps) - 1 or not self._grade(step, last=False).meets(step.min_reward):
            return None
        self.seconds = 0.0  # each step has the whole time of the agent
        self.excused_before = self.excused
        try:
            self._begin_step()
        except SandboxError as error:
            if not (reason := spoilt.blame(spoilt.lost(self.machine), "")):
                raise
            # The agent caused it in the step before: this step and later ones earn nothing.
            output = f"step {self.step.name} cannot begin: {reason}\n{error}\n"
            self.graded.append(Graded(spoilt.ZERO, output, 0.0))
            self._over = True
            return None
        return self.step.instruction

    def grade(self) -> Verdict:
        """Grade the last step that was begun; nothing runs in the sandbox afterwards.

        Steps that were not begun have no rewards.

        Raises:
            SandboxError: The machine failed.
            VerifierError: The verifier failed; also `Ungraded`.
        """
        if len(self.graded) < len(self.trial.harbor.steps) and not self._stopped():
            self._grade(self.step, last=True)
        return self.verdict()

    def verdict(self) -> Verdict:
        """Return the rewards of all steps together, as a verdict."""
        config = self.trial.harbor.config
        rewards: list[Rewards | None] = [g.rewards for g in self.graded]
        strategy = config.multi_step_reward_strategy or "mean"
        if strategy == "mean":
            # A step that was not reached has earned nothing.
            rewards += [spoilt.ZERO] * (len(self.trial.harbor.steps) - len(rewards))
        total = combine(rewards, strategy)
        if total is None:
            raise VerifierError(f"task {self.trial.name}: no step has a reward")
        try:
            reward = total.score() if total.reward is not None else _mean(total)
        except HarborError as error:
            raise VerifierError(f"task {self.trial.name}: {error}") from error
        parts = tuple(Part(name, "reward", 1.0, value) for name, value in total.values)
        return Verdict(reward, parts, sum(g.seconds for g in self.graded))

    def _stopped(self) -> bool:
        """Return whether no step may follow: one earned too little, or none can begin."""
        if self._over:
            return True
        steps = self.trial.harbor.steps
        return any(
            g.rewards is not None and not g.rewards.meets(s.min_reward)
            for g, s in zip(self.graded, steps, strict=False)
        )

    def _grade(self, step: HarborStep, *, last: bool) -> Rewards:
        self.shell.close()
        graded = grade(
            self.trial.harbor,
            step,
            self.machine,
            backend=self._backend,
            settings=self.trial.settings,
            times=self._times,
            last=last,
        )
        self.graded.append(graded)
        return graded.needed(self.trial.name)

    def _open(self) -> Opened:
        task = self.trial.harbor
        mode = task.steps[0].agent.network_mode or task.config.environment.network_mode
        return open_machine(
            *(task, task.machine, self._backend),
            settings=self.trial.settings,
            mode=mode,
            seconds=self._times.machine(task.machine),
        )

    def _begin_step(self) -> None:
        task, step, machine = self.trial.harbor, self.step, self.machine
        given = nodes(task, step.workdir, machine.workdir) if step.workdir else ()
        if self.graded:
            end_all(machine)
            make_room(machine, given)
        if step.workdir:
            machine.sandbox.put(given)
            if self._times.has_setup(step):
                seconds = self._times.setup(step)
                done = machine.run(["/bin/bash", "setup.sh"], timeout=seconds)
                if done.exit_code:
                    tail = (done.stdout + done.stderr)[-300:].decode(errors="replace")
                    raise SandboxError(f"task {task.name}: setup.sh of step {step.name}: {tail}")
        if step.healthcheck:
            await_health(machine, step.healthcheck)
        if not self.graded:
            programs = spoilt.needed(task, wheels=self.trial.settings.wheelhouse)
            working = spoilt.working(machine, programs)
            self.machine = machine = replace(machine, working=working)
        user = named(step.agent.user or machine.user)
        home = "/root"
        if user != "root":
            entry = machine.sandbox.exec(["getent", "passwd", user]).stdout
            fields = entry.decode(errors="replace").split(":")
            home = fields[5] if len(fields) > 5 else "/tmp"
            # For the reference solution; the directory of the tests stays root's.
            machine.sandbox.put([directory("/solution", mode=0o777)])
        env = {"HOME": home, **QUIET, **machine.env}
        words = " ".join(f"{name}={shlex.quote(value)}" for name, value in env.items())
        self._start_shell(machine.workdir, user=user, first=f"export {words}; ")


def _mean(rewards: Rewards) -> float:
    """Return the mean of several rewards of which none is called `reward`."""
    values = [value for _, value in rewards.values]
    if not all(0.0 <= value <= 1.0 for value in values):
        return rewards.score()  # which raises the error
    return sum(values) / len(values)


def await_health(machine: Opened, check: Healthcheck) -> None:
    """Wait until the health check of a machine succeeds.

    Raises:
        SandboxError: It failed too often.
    """
    begun = time.monotonic()
    failures = 0
    while True:
        done = machine.run(["/bin/sh", "-c", check.command], timeout=check.timeout_sec)
        if done.exit_code == 0:
            return
        starting = time.monotonic() - begun < check.start_period_sec
        failures += not starting
        if failures >= check.retries:
            tail = (done.stdout + done.stderr)[-300:].decode(errors="replace")
            raise SandboxError(
                f"the health check failed {failures} times: {check.command!r} ended with "
                f"{done.exit_code}: {tail}"
            )
        time.sleep(check.start_interval_sec if starting else check.interval_sec)
