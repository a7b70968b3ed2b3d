"""A runner of pipelines on a clock: its rules, their evaluator, and pipelines to try it on.

Covers workers, retries with delays, hard and soft dependencies, the effects of a failure, and the
results of an earlier run.  Does not cover real time: attempts take as long as the pipeline says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from tmax_gym.rng import Rng

ORDERS = ("low rank", "high rank", "long path", "many dependents", "low cost")
Delay = Literal["same", "more", "double"]


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that a task prescribes."""

    order: int
    """Index into `ORDERS`: which ready step starts first."""
    delay: Delay
    pause: int
    """Ticks before the first retry."""
    halt: bool
    """Whether nothing starts any more after a step has failed for good."""
    by_start: bool
    """Whether steps that end in the same tick are handled in order of start, not of name."""
    soft: bool
    """Whether a dependency may be one that only has to end, not to succeed."""
    resume: Literal["", "plain", "strict"]
    """Whether results of an earlier run are kept; strictly: only if those before are kept too."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a pipeline."""

    name: str
    cost: int
    tries: int
    rank: int
    fails: int
    """Number of its first attempts that fail."""
    needs: tuple[str, ...] = ()
    wants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Steps, workers, and results of an earlier run."""

    workers: int
    steps: tuple[Step, ...]
    kept: tuple[str, ...] = ()

    def text(self, rules: Rules) -> str:
        """Return the input."""
        lines = [f"workers {self.workers}"]
        for s in self.steps:
            wants = f" wants={','.join(s.wants) or '-'}" if rules.soft else ""
            lines.append(
                f"step {s.name} cost={s.cost} tries={s.tries} rank={s.rank} fails={s.fails} "
                f"needs={','.join(s.needs) or '-'}{wants}"
            )
        lines += [f"kept {name}" for name in self.kept]
        return "".join(f"{line}\n" for line in lines)


@dataclass(slots=True)
class _State:
    """The state of a run."""

    settled: dict[str, str] = field(default_factory=dict)
    running: dict[str, tuple[int, int]] = field(default_factory=dict)
    """End and number of the start."""
    free_at: dict[str, int] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)
    starts: int = 0
    halted: bool = False
    lines: list[str] = field(default_factory=list)


def trace(rules: Rules, pipeline: Pipeline) -> list[str]:
    """Return the events of a run."""
    steps = {s.name: s for s in pipeline.steps}
    stuck = sorted(_stuck(steps))
    if stuck:
        return ["cycle " + " ".join(stuck)]
    state, now = _State(), 0
    for name in _kept(rules, pipeline, steps):
        state.settled[name] = "kept"
        state.lines.append(f"0 kept {name}")
    urgency = _urgency(rules, steps)
    while True:
        _end(rules, steps, (state, now))
        ready = sorted(
            (name for name in steps if _ready(steps[name], state, now)),
            key=lambda name: (urgency[name], name),
        )
        for name in ready[: pipeline.workers - len(state.running)]:
            state.lines.append(f"{now} start {name}")
            state.starts += 1
            state.attempts[name] = state.attempts.get(name, 0) + 1
            state.running[name] = (now + steps[name].cost, state.starts)
        later = [end for end, _ in state.running.values()]
        if not state.halted:
            later += [at for name, at in state.free_at.items() if at > now and _idle(state, name)]
        if not later:
            break
        now = min(later)
    for name in sorted(steps.keys() - state.settled.keys()):
        state.settled[name] = "skipped"
        state.lines.append(f"{now} skipped {name}")
    count = [list(state.settled.values()).count(k) for k in ("done", "kept", "failed", "skipped")]
    state.lines.append("{} end done={} kept={} failed={} skipped={}".format(now, *count))
    return state.lines


def _idle(state: _State, name: str) -> bool:
    return name not in state.settled and name not in state.running


def _ready(step: Step, state: _State, now: int) -> bool:
    """Return whether a step may start."""
    return (
        not state.halted
        and _idle(state, step.name)
        and state.free_at.get(step.name, 0) <= now
        and all(state.settled.get(n) in ("done", "kept") for n in step.needs)
        and all(n in state.settled for n in step.wants)
    )


def _end(rules: Rules, steps: dict[str, Step], at: tuple[_State, int]) -> None:
    """Handle the attempts that end now."""
    state, now = at
    over = [n for n, (end, _) in state.running.items() if end == now]
    for name in sorted(over, key=lambda n: (state.running[n][1] if rules.by_start else 0, n)):
        del state.running[name]
        count = state.attempts[name]
        if count > steps[name].fails:
            state.settled[name] = "done"
            state.lines.append(f"{now} done {name}")
        elif count < steps[name].tries and not state.halted:
            factor = {"same": 1, "more": count, "double": 2 ** (count - 1)}[rules.delay]
            state.free_at[name] = now + rules.pause * factor
            state.lines.append(f"{now} retry {name}")
        else:
            state.settled[name] = "failed"
            state.lines.append(f"{now} failed {name}")
            state.halted |= rules.halt
            lost = set() if rules.halt else _behind(steps, name, state.settled)
            for other in sorted(lost):
                state.settled[other] = "skipped"
                state.lines.append(f"{now} skipped {other}")


def _behind(steps: dict[str, Step], name: str, settled: dict[str, str]) -> set[str]:
    """Return the open steps that need a step, directly or through open ones."""
    behind: set[str] = set()
    more = {name}
    while more:
        more = {s.name for s in steps.values() if more & set(s.needs)} - behind - settled.keys()
        behind |= more
    return behind


def _stuck(steps: dict[str, Step]) -> set[str]:
    """Return the steps that wait for themselves, and those behind them."""
    left = set(steps)
    while True:
        free = {n for n in left if not left & {*steps[n].needs, *steps[n].wants}}
        if not free:
            return left
        left -= free


def _kept(rules: Rules, pipeline: Pipeline, steps: dict[str, Step]) -> list[str]:
    """Return the steps that need not run again, by name."""
    kept = set(pipeline.kept) if rules.resume else set()
    while rules.resume == "strict":
        gone = {n for n in kept if set(steps[n].needs) - kept}
        if not gone:
            break
        kept -= gone
    return sorted(kept)


def _urgency(rules: Rules, steps: dict[str, Step]) -> dict[str, int]:
    """Return the key by which ready steps are ordered; the smallest starts first."""
    if rules.order in (0, 1, 4):
        numbers = {n: s.cost if rules.order == 4 else s.rank for n, s in steps.items()}
        return {n: -v if rules.order == 1 else v for n, v in numbers.items()}
    after: dict[str, list[str]] = {n: [] for n in steps}
    for step in steps.values():
        for name in {*step.needs, *step.wants}:
            after[name].append(step.name)
    if rules.order == 3:
        return {n: -len(others) for n, others in after.items()}
    known: dict[str, int] = {}

    def path(name: str) -> int:
        if name not in known:
            known[name] = steps[name].cost + max(map(path, after[name]), default=0)
        return known[name]

    return {n: -path(n) for n in steps}


def drawn(rng: Rng, level: float) -> Rules:
    """Return rules; the higher the level, the more of them."""
    delays: tuple[Delay, ...] = ("same", "more", "double")
    return Rules(
        order=rng.integer(0, 4),
        delay=rng.choice(delays) if level >= 0.15 else "same",
        pause=rng.integer(1, 3),
        halt=rng.chance(0.35),
        by_start=rng.chance(0.5),
        soft=level >= 0.35 and rng.chance(0.7),
        resume=rng.choice(("plain", "strict", "strict")) if level >= 0.25 else "",
    )


def mistakes(rules: Rules) -> Iterator[tuple[str, Rules]]:
    """Yield rules of which one is misread, each with a name."""
    yield "another order", replace(rules, order=(rules.order + 1) % len(ORDERS))
    yield "goes on after a failure", replace(rules, halt=not rules.halt)
    yield "ends in another order", replace(rules, by_start=not rules.by_start)
    yield "retries at once", replace(rules, pause=0)
    yield "retries evenly", replace(rules, delay="same" if rules.delay != "same" else "double")
    yield "keeps all or nothing", replace(rules, resume="" if rules.resume == "plain" else "plain")
    yield "by name only", replace(rules, order=0 if rules.order else 4)


def pipeline(rng: Rng, rules: Rules, *, names: Sequence[str], cyclic: bool) -> Pipeline:
    """Return a pipeline of steps with these names, in a random order."""
    order, steps = rng.shuffled(names), []
    for number, name in enumerate(order):
        before = order[max(0, number - 5) : number]
        needs = rng.sample(before, min(len(before), rng.integer(0, 2)))
        others = [n for n in before if n not in needs]
        wants = rng.sample(others, min(len(others), 1)) if rules.soft and rng.chance(0.4) else []
        steps.append(
            Step(
                name=name,
                cost=rng.integer(1, 4),
                tries=rng.integer(1, 3),
                rank=rng.integer(1, 3),
                fails=rng.choice((0, 0, 0, 0, 1, 1, 2)),
                needs=tuple(sorted(needs)),
                wants=tuple(wants),
            )
        )
    if cyclic:
        pairs = [(n, o.name) for n, s in enumerate(steps) for o in steps if s.name in o.needs]
        first, back = rng.choice(pairs) if pairs else (0, steps[0].name)
        steps[first] = replace(steps[first], needs=(back,))
    count = len(order) // 2 if rules.resume else 0
    kept = [n for n in order[:count] if rng.chance(0.6)]
    return Pipeline(rng.integer(1, 3), tuple(rng.shuffled(steps)), tuple(rng.shuffled(kept)))
