"""The invariants of a chaos run, from its plan, its journal and the record of what struck.

What an episode must look like is derived here from the plan and from when each fault began and
ended: nothing that the library says about its own failures is believed.
Covers rewards, witnesses of the machine's identity, time limits, and the journal as a whole.
Does not cover what is left on the host: see `chaos_host.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.chaos_agents import PROBE, nonce, plant
from benchmarks.chaos_plan import ENGINE, INSIDE, OF_MACHINE, Planned, load
from benchmarks.deadlines import Deadlines
from tmax_gym.agents.rollout import RECOVERY, pause
from tmax_gym.envs.observation import SUBMIT
from tmax_gym.sandboxes.pool.admission_rules import Breaker
from tmax_gym.trajectory import Ending, Step, Trajectory

_OF_ENGINE = {*ENGINE["docker"], *ENGINE["podman"]}
ANNOUNCED = "A new shell was started"
_EXIT = re.compile(r"\(exit_code=(\w+)\)\Z")
_PROBED = re.compile(r"^probe (\S*) (\S+) (\d+)$", re.MULTILINE)
_NO_ROOM = "No space left"
_LINGER = 2.0
"""Seconds after a fault of the host in which its effect may still reach an episode."""
_REST = Breaker.LONGEST
"""Seconds for which an engine that failed again and again is left alone, on top of that."""


@dataclass(frozen=True, slots=True)
class Touch:
    """What has reached an episode."""

    own: frozenset[str]
    """Faults of its own machine that hit something."""
    shared: frozenset[str]
    """Faults of the host while it ran."""

    @property
    def any(self) -> bool:
        """Whether anything has."""
        return bool(self.own or self.shared)

    @property
    def only_inside(self) -> bool:
        """Whether all of it could have been the agent's own doing."""
        return not self.shared and self.own <= set(INSIDE)


def touches(
    plan: Sequence[Planned],
    spans: Mapping[int, tuple[float, float]],
    faults: Iterable[Mapping[str, Any]],
) -> dict[int, Touch]:
    """Return what has reached each episode, by when it ran and when faults were there."""
    own: dict[int, set[str]] = {one.number: set() for one in plan}
    shared: dict[int, set[str]] = {one.number: set() for one in plan}
    for fault in faults:
        if not fault["hit"]:
            continue
        if fault["kind"] in (*INSIDE, *OF_MACHINE):
            begun, ended = spans.get(fault["episode"], (0.0, 0.0))
            if fault["begun"] <= ended and fault["ended"] >= begun:  # not of an earlier life
                where = "" if fault["where"] == "agent" else f" of the {fault['where']}"
                own[fault["episode"]].add(fault["kind"] + where)
            continue
        until = fault["ended"] + _LINGER + (_REST if fault["kind"] in _OF_ENGINE else 0.0)
        for number, (begun, ended) in spans.items():
            if begun <= until and ended >= fault["begun"]:
                shared[number].add(fault["kind"])
    return {n: Touch(frozenset(own[n]), frozenset(shared[n])) for n in own}


def check_journal(plan: Sequence[Planned], played: Sequence[Trajectory]) -> Iterator[str]:
    """Yield what is wrong with the journal as a whole: every episode once, none besides."""
    wanted = Counter(one.key for one in plan)
    found = Counter((one.task, one.agent, one.seed) for one in played)
    yield from (f"episode {key} is missing from the journal" for key in sorted(wanted - found))
    yield from (f"episode {key} is too many in the journal" for key in sorted(found - wanted))


def check_episode(planned: Planned, seen: Trajectory, touch: Touch) -> Iterator[str]:
    """Yield what is wrong with one episode."""
    yield from _check_verdict(planned, seen)
    yield from _check_outcome(planned, seen, touch)
    yield from _check_witnesses(planned, seen, touch)


def _check_verdict(planned: Planned, seen: Trajectory) -> Iterator[str]:
    """A reward stands for a verification, and follows from its parts."""
    masked = seen.ending in (Ending.INFRA_ERROR, Ending.VERIFIER_ERROR, Ending.AGENT_ERROR)
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
    as_known = seen.reward is not None and abs(seen.reward - planned.reward) < 1e-9
    state = f"{planned.agent} of {planned.task}: {seen.ending}, reward {seen.reward}"
    struck = f"after {sorted(touch.own | touch.shared)}"
    if not touch.any:
        if not as_known:
            yield f"{state} instead of {planned.reward}, and nothing had struck: {seen.message}"
        if seen.attempts != 1:
            yield f"{state} in {seen.attempts} attempts, and nothing had struck: {seen.faults}"
        if seen.ending is not Ending.SUBMITTED or len(seen.steps) != len(_script(planned, 1)):
            yield f"{state} in {len(seen.steps)} steps, and nothing had struck"
    elif touch.only_inside:
        if seen.reward is None or seen.attempts != 1:
            yield f"{state} in {seen.attempts} attempts {struck}: an agent could have done that"
    elif seen.reward is not None and not as_known and not _was_told(seen):
        yield f"{state} instead of {planned.reward} or none {struck}"


def _was_told(seen: Trajectory) -> bool:
    """Return whether the agent saw that something went wrong: then it could have gone on."""
    codes = [_EXIT.search(step.observation) for step in seen.steps]
    return any(code is not None and code[1] != "0" for code in codes) or any(
        ANNOUNCED in step.observation for step in seen.steps
    )


def _script(planned: Planned, attempt: int) -> list[str]:
    probed = [word for command in planned.commands for word in (command, PROBE)]
    return [plant(planned.number, attempt), PROBE, *probed, SUBMIT]


def _check_witnesses(planned: Planned, seen: Trajectory, touch: Touch) -> Iterator[str]:
    """The machine of the last attempt is one machine, and a new shell is announced."""
    actions = [step.action for step in seen.steps]
    # Attempts whose machine did not start never reached the agent, which counts the others.
    for attempt in range(1, seen.attempts + 1):
        script = _script(planned, attempt)
        if actions == script[: len(actions)]:
            word = nonce(planned.number, attempt)
            break
    else:
        yield f"the steps are not those of one attempt: {actions[:2]}"
        return
    planted = f"planted {word}" in seen.steps[0].observation if seen.steps else True
    if not planted and not (touch.any and _NO_ROOM in seen.steps[0].observation):
        yield f"planting the nonce answered {seen.steps[0].observation[-200:]!r}"
    shell, told = None, False
    for step in seen.steps:
        told |= ANNOUNCED in step.observation
        if step.action != PROBE:
            continue
        found = _PROBED.search(step.observation)
        if found is None:
            if not _excused(step, planned):
                yield f"a probe answered {step.observation[-200:]!r}"
            continue
        if found[1] != (word if planted else ""):
            yield f"the machine has nonce {found[1]!r}, not {word!r}: it was exchanged"
        if shell not in (None, found[3]) and not told:
            yield f"shell {shell} became {found[3]} without a word"
        if found[2] == "lost" and not told:
            yield "the shell's variable is lost without a word"
        if found[2] not in ("lost", word):
            yield f"the shell's variable is {found[2]!r}, not {word!r}"
        if found[3] != shell:
            shell, told = found[3], told and found[2] == "lost"


def _excused(step: Step, planned: Planned) -> bool:
    """A probe may itself be struck: then its status is no 0, and the agent sees that."""
    found = _EXIT.search(step.observation)
    return planned.fault is not None and (found is None or found[1] != "0")


def check_times(
    calls: Sequence[tuple[str, float]], limits: Deadlines, took: float
) -> Iterator[str]:
    """Yield which calls of the environment have outlasted what they wait for."""
    last = max(limits.step, limits.grade) + limits.close
    # Between a failed attempt and the next one nothing is asked of the agent.
    again = last + RECOVERY + sum(pause(n) for n in range(len(calls))) + limits.reset
    most = {"reset": again, "step": limits.step, "grade": last}
    for number, (call, seconds) in enumerate(calls):
        limit = limits.reset if number == 0 else most[call]
        if seconds > limit:
            yield f"{call} took {seconds:.1f} s of {limit:.1f} s at most"
    if took > limits.rollout:
        yield f"the episode took {took:.1f} s of {limits.rollout:.1f} s at most"
