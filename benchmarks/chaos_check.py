"""Check the invariants of a chaos run against its plan, its journal and the record of faults.

The expected result of an episode is derived here from the plan and from the times of each fault,
not from what the library reports about its own failures.
Covers rewards, replaced sandboxes and shells, time limits, and the journal as a whole.
Does not cover leftovers on the host: see `chaos_host.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.chaos_agent import PROBE, nonce, script
from benchmarks.chaos_plan import ENGINE, INSIDE, OF_MACHINE, Planned, key_of, load
from benchmarks.deadlines import Deadlines
from tmax_gym.agents.rollout import RECOVERY, pause
from tmax_gym.sandboxes.pool.admission_rules import Breaker
from tmax_gym.trajectory import Ending, Step, Trajectory

_OF_ENGINE = {*ENGINE["docker"], *ENGINE["podman"]}
ANNOUNCED = "A new shell was started"
_EXIT = re.compile(r"\(exit_code=(\w+)\)\Z")
_PROBED = re.compile(r"^probe (\S*) (\S+) (\d+)$", re.MULTILINE)
_NO_ROOM = "No space left"
_LINGER = 2.0
"""Seconds after a fault of the host in which it may still affect an episode."""
_REST = Breaker.LONGEST
"""Further seconds in which an engine that failed repeatedly is not called."""


@dataclass(frozen=True, slots=True)
class Touch:
    """The faults that may have affected an episode."""

    own: frozenset[str]
    """Faults of its own sandbox that hit something."""
    shared: frozenset[str]
    """Faults of the host while it ran."""

    @property
    def any(self) -> bool:
        """Whether there is any."""
        return bool(self.own or self.shared)

    @property
    def only_inside(self) -> bool:
        """Whether the agent itself could have caused them all."""
        return not self.shared and self.own <= set(INSIDE)


def touches(
    plan: Sequence[Planned],
    spans: Mapping[int, tuple[float, float]],
    faults: Iterable[Mapping[str, Any]],
) -> dict[int, Touch]:
    """Return the faults that may have affected each episode, by the times of both."""
    own_faults: dict[int, set[str]] = {planned.number: set() for planned in plan}
    shared_faults: dict[int, set[str]] = {planned.number: set() for planned in plan}
    for fault in faults:
        if not fault["hit"]:
            continue
        if fault["kind"] in (*INSIDE, *OF_MACHINE):
            begun, ended = spans.get(fault["episode"], (0.0, 0.0))
            if fault["begun"] <= ended and fault["ended"] >= begun:  # in this player
                where = "" if fault["where"] == "agent" else f" of the {fault['where']}"
                own_faults[fault["episode"]].add(fault["kind"] + where)
            continue
        until = fault["ended"] + _LINGER + (_REST if fault["kind"] in _OF_ENGINE else 0.0)
        for number, (begun, ended) in spans.items():
            if begun <= until and ended >= fault["begun"]:
                shared_faults[number].add(fault["kind"])
    return {n: Touch(frozenset(own_faults[n]), frozenset(shared_faults[n])) for n in own_faults}


def check_journal(plan: Sequence[Planned], played: Sequence[Trajectory]) -> Iterator[str]:
    """Yield the errors of the journal: it must have every episode once, and no other."""
    wanted = Counter(planned.key for planned in plan)
    actual = Counter(key_of(trajectory) for trajectory in played)
    yield from (f"episode {key} is missing from the journal" for key in sorted(wanted - actual))
    yield from (f"episode {key} is too many in the journal" for key in sorted(actual - wanted))


def check_episode(planned: Planned, seen: Trajectory, touch: Touch) -> Iterator[str]:
    """Yield the errors of one episode."""
    yield from _check_verdict(planned, seen)
    yield from _check_outcome(planned, seen, touch)
    yield from _check_witnesses(planned, seen, touch)


def _check_verdict(planned: Planned, seen: Trajectory) -> Iterator[str]:
    """Yield errors unless the reward comes from a verification and follows from its parts."""
    masked = not seen.ending.graded
    if masked != (seen.reward is None):
        yield f"{seen.ending} has reward {seen.reward}"
    if masked:
        if seen.parts or not seen.message:
            yield f"{seen.ending} with parts {seen.parts} and message {seen.message!r}"
        if seen.ending is not Ending.INFRA_ERROR:
            yield f"a fault of the host became {seen.ending}: {seen.message}"
        return
    task = load(planned.task)
    names = [*(gate.id for gate in task.gates), *(check.id for check in task.checks)]
    if [name for name, _ in seen.parts] != names:
        yield f"reward {seen.reward} with parts {seen.parts}: not those of the task"
        return
    scores = dict(seen.parts)
    total = sum(check.weight for check in task.checks)
    reward = sum(check.weight * scores[check.id] for check in task.checks) / total
    for gate in task.gates:
        reward *= scores[gate.id]
    if seen.reward is None or abs(reward - seen.reward) > 1e-9:
        yield f"reward {seen.reward}, but its parts make {reward}"


def _check_outcome(planned: Planned, seen: Trajectory, touch: Touch) -> Iterator[str]:
    as_expected = seen.reward is not None and abs(seen.reward - planned.reward) < 1e-9
    state = f"{planned.agent} of {planned.task}: {seen.ending}, reward {seen.reward}"
    length = len(script(planned.commands, planned.number, 1))
    struck = f"after {sorted(touch.own | touch.shared)}"
    if not touch.any:
        if not as_expected:
            yield f"{state} instead of {planned.reward}, and nothing had struck: {seen.message}"
        if seen.attempts != 1:
            yield f"{state} in {seen.attempts} attempts, and nothing had struck: {seen.faults}"
        if seen.ending is not Ending.SUBMITTED or len(seen.steps) != length:
            yield f"{state} in {len(seen.steps)} steps, and nothing had struck"
    elif touch.only_inside:
        if seen.reward is None or seen.attempts != 1:
            yield f"{state} in {seen.attempts} attempts {struck}: an agent could have done that"
    elif seen.reward is not None and not as_expected and not _was_visible(seen):
        yield f"{state} instead of {planned.reward} or none {struck}"


def _was_visible(seen: Trajectory) -> bool:
    """Return whether the agent saw that something went wrong: it could have reacted."""
    codes = [_EXIT.search(step.observation) for step in seen.steps]
    return any(code is not None and code[1] != "0" for code in codes) or any(
        ANNOUNCED in step.observation for step in seen.steps
    )


def _check_witnesses(planned: Planned, seen: Trajectory, touch: Touch) -> Iterator[str]:
    """Yield errors unless the last attempt had one sandbox, and every new shell was announced."""
    actions = [step.action for step in seen.steps]
    # The agent does not count attempts whose sandbox did not start.
    for attempt in range(1, seen.attempts + 1):
        expected = script(planned.commands, planned.number, attempt)
        if actions == expected[: len(actions)]:
            word = nonce(planned.number, attempt)
            break
    else:
        yield f"the steps are not those of one attempt: {actions[:2]}"
        return
    planted = f"planted {word}" in seen.steps[0].observation if seen.steps else True
    if not planted and not (touch.any and _NO_ROOM in seen.steps[0].observation):
        yield f"planting the nonce answered {seen.steps[0].observation[-200:]!r}"
    shell, announced = None, False
    for step in seen.steps:
        announced |= ANNOUNCED in step.observation
        if step.action != PROBE:
            continue
        probe = _PROBED.search(step.observation)
        if probe is None:
            if not _excused(step, planned):
                yield f"a probe answered {step.observation[-200:]!r}"
            continue
        nonce_in_file, nonce_in_shell, pid = probe.groups()
        if nonce_in_file != (word if planted else ""):
            yield f"the sandbox has nonce {nonce_in_file!r}, not {word!r}: it was replaced"
        if shell not in (None, pid) and not announced:
            yield f"shell {shell} became {pid} without an announcement"
        if nonce_in_shell == "lost" and not announced:
            yield "the shell's variable is lost without an announcement"
        if nonce_in_shell not in ("lost", word):
            yield f"the shell's variable is {nonce_in_shell!r}, not {word!r}"
        if pid != shell:
            shell, announced = pid, announced and nonce_in_shell == "lost"


def _excused(step: Step, planned: Planned) -> bool:
    """Return whether a fault hit the probe itself: its status is not 0, and the agent sees that."""
    code = _EXIT.search(step.observation)
    return planned.fault is not None and (code is None or code[1] != "0")


def check_times(
    calls: Sequence[tuple[str, float]], limits: Deadlines, duration: float
) -> Iterator[str]:
    """Yield the calls of the environment that took longer than their limits."""
    last = max(limits.step, limits.grade) + limits.close
    # Between a failed attempt and the next one the agent is not called.
    again = last + RECOVERY + sum(pause(n) for n in range(len(calls))) + limits.reset
    most = {"reset": again, "step": limits.step, "grade": last}
    for number, (call, seconds) in enumerate(calls):
        limit = limits.reset if number == 0 else most[call]
        if seconds > limit:
            yield f"{call} took {seconds:.1f} s of {limit:.1f} s at most"
    if duration > limits.rollout:
        yield f"the episode took {duration:.1f} s of {limits.rollout:.1f} s at most"
