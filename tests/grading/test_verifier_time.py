"""The time of a verifier: programs that hang share it, and our own machines cost none of it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from tests.support.tiny_tasks import equals, tiny_task
from tmax_gym.agents.agent import ScriptedAgent
from tmax_gym.agents.rollout import rollout
from tmax_gym.checks.check import Case, Check, Evidence, Exchange, Program
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.sandboxes import Backend, Layer, Limits, Sandbox
from tmax_gym.trajectory import Ending

MANY = 12
HANGS = "printf '#!/bin/bash\\nsleep 600\\n' > /app/program; chmod +x /app/program"
WORKS = "printf '#!/bin/bash\\necho yes\\n' > /app/program; chmod +x /app/program"
PROGRAM = Program("/app/program", "any")


def says_yes(number: int, *, timeout: float = 1.0) -> Check:
    """Return a check with a driver of its own."""

    def score(evidence: Evidence) -> float:
        (seen,) = evidence.run(PROGRAM, [Case()], timeout=timeout)
        return float(seen.stdout.strip() == b"yes" and not seen.timed_out)

    return replace(equals("/app/program", ""), id=f"run{number}", score=score)


def many(name: str, checks: list[Check]) -> Any:
    return tiny_task(name, "Write a program.", checks=checks)


def test_programs_that_hang_share_one_time_and_get_a_zero(native_backend: Backend) -> None:
    task = many("hangs.plain-1", [says_yes(n) for n in range(MANY)])
    limits = EpisodeLimits(verify_timeout=2.0)
    begun = time.monotonic()
    seen = rollout(task, ScriptedAgent([HANGS]), backend=native_backend, limits=limits, retries=0)
    # One second for each of them would be twelve.
    assert time.monotonic() - begun < 2.0 + 10.0
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 0.0)


def test_conversations_that_hang_share_one_time_and_get_a_zero(native_backend: Backend) -> None:
    def score(evidence: Evidence) -> float:
        (seen,) = evidence.talk("/app/program", [Exchange("a", "tcp", 8123, b"x")])
        return float(seen.body == b"yes")

    checks = [replace(says_yes(n), score=score) for n in range(MANY)]
    limits = EpisodeLimits(verify_timeout=2.0)
    begun = time.monotonic()
    task = many("talks.plain-1", checks)
    seen = rollout(task, ScriptedAgent([HANGS]), backend=native_backend, limits=limits, retries=0)
    assert time.monotonic() - begun < 2.0 + 10.0
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 0.0)


class Slow:
    """A real backend whose machines take long to start."""

    def __init__(self, inner: Backend, seconds: float) -> None:
        self.inner = inner
        self.name = inner.name
        self.problem = inner.problem
        self.capabilities = inner.capabilities
        self._seconds = seconds

    def open(
        self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
    ) -> Sandbox:
        time.sleep(self._seconds)
        return self.inner.open(image, limits=limits, layer=layer)


def test_machines_that_start_slowly_take_no_time_from_programs(native_backend: Backend) -> None:
    task = many("works.plain-1", [says_yes(n) for n in range(4)])
    slow: Any = Slow(native_backend, 1.0)
    limits = EpisodeLimits(verify_timeout=2.0)
    seen = rollout(task, ScriptedAgent([WORKS]), backend=slow, limits=limits, retries=0)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 1.0)


def test_what_works_is_seen_to_work_after_the_time_of_all_is_over(native_backend: Backend) -> None:
    def sleeps(evidence: Evidence) -> float:
        time.sleep(2.5)
        return 1.0

    first = replace(says_yes(99), score=sleeps)
    task = many("works.plain-2", [first, *(says_yes(n) for n in range(MANY))])
    limits = EpisodeLimits(verify_timeout=1.0)
    seen = rollout(task, ScriptedAgent([WORKS]), backend=native_backend, limits=limits, retries=0)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 1.0)
