"""Expands a spec into a task: instruction, files, reference solution, checks and digest."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Unpack

from tmax_gym.checks.check import Check, Gate
from tmax_gym.episodes.limits import Deadlines, EpisodeLimits, LimitOptions
from tmax_gym.errors import SpecError
from tmax_gym.families.contract import Attempt
from tmax_gym.later import Later
from tmax_gym.nodes import PROSE, Node, digest
from tmax_gym.rng import Rng
from tmax_gym.sandboxes import Backend, Layer
from tmax_gym.tasks import folder
from tmax_gym.tasks.spec import TaskSpec
from tmax_gym.tasks.stages import Stage, build_stages
from tmax_gym.texts import store
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.plain import documented, plain_text
from tmax_gym.texts.store import PLAIN
from tmax_gym.world.toolchains import programs

if TYPE_CHECKING:  # an exported verifier has no shell
    from tmax_gym.episodes.composed import ComposedEpisode
    from tmax_gym.episodes.task import Ground, Script, Solution

GENERATOR = 2
"""Incremented when a change alters the task of any (plan, seed); evidence is keyed by it."""


@dataclass(frozen=True, slots=True)
class Task:
    """One task, ready to be staged, attempted and graded."""

    spec: TaskSpec
    instruction: str
    author: str
    """Who wrote the instruction; see `texts.store`."""
    nodes: tuple[Node, ...]
    """The files that exist before the first command."""
    setup: tuple[str, ...]
    oracle: tuple[str, ...]
    checks: Sequence[Check]
    gates: Sequence[Gate]
    """Checks and gates are built when they are first read: a reset needs neither."""
    outputs: tuple[str, ...]
    hidden: tuple[str, ...]
    volatile: tuple[str, ...]
    tools: tuple[str, ...]
    obligations: tuple[Obligation, ...]
    """What the instruction must say."""
    stages: tuple[Stage, ...] = ()
    document: Node | None = None
    """The file that holds rules in words, if the instruction only points to it."""
    digest: str = ""

    @property
    def name(self) -> str:
        """Return the id without its namespace."""
        return self.spec.name

    @property
    def image(self) -> str:
        """Return which image it needs."""
        return self.spec.image

    @property
    def world_nodes(self) -> tuple[Node, ...]:
        """Return the files without the document, whose words prove nothing."""
        return tuple(node for node in self.nodes if node != self.document)

    @property
    def layer(self) -> Layer:
        """Return the files as a layer that all episodes of this task may share."""
        documents = [
            replace(node, canonical=None)
            for node in self.nodes
            if node == self.document or node.canonical == PROSE
        ]
        words = f"-{digest(documents)}" if documents else ""
        return Layer(f"task-{self.digest}{words}", self.nodes)

    @property
    def roots(self) -> tuple[str, ...]:
        """Return the outermost directories that hold everything that its checks look at."""
        paths = (*self.outputs, *(node.path for node in self.nodes))
        return _outermost(["/app", *(path if path == "/app" else _tree(path) for path in paths)])

    def limits(self, **given: Unpack[LimitOptions]) -> EpisodeLimits:
        """Return the limits of an episode; the task has none of its own."""
        return EpisodeLimits(**given)

    def deadlines(self, limits: EpisodeLimits) -> Deadlines:
        """Return when its start and its grading are overdue."""
        return limits.deadlines()

    def open(
        self, backend: Backend, *, limits: EpisodeLimits, seed: int, image: str | None = None
    ) -> ComposedEpisode:
        """Start an episode; see `episodes.task.Task.open`."""
        from tmax_gym.episodes.composed import ComposedEpisode

        return ComposedEpisode(self, backend, limits=limits, seed=seed, image=image)

    def solution(self) -> Solution:
        """Return the reference solution."""

        def script(ground: Ground | None) -> Script:
            for command in self.oracle:
                _ = yield command

        return script

    @property
    def mutants(self) -> tuple[Attempt, ...]:
        """Return wrong solutions: one stage has a mistake, all other stages are right."""
        return tuple(
            Attempt(f"s{i}.{attempt.name}", _solution(self.stages, i, attempt.commands))
            for i, s in enumerate(self.stages)
            for attempt in s.family.mutants(s.ctx, s.world)
        )

    @property
    def exploits(self) -> tuple[Attempt, ...]:
        """Return the attempts to cheat in each stage."""
        return tuple(
            Attempt(f"s{i}.{attempt.name}", attempt.commands)
            for i, s in enumerate(self.stages)
            for attempt in s.family.exploits(s.ctx, s.world)
        )

    @property
    def alternative(self) -> tuple[str, ...] | None:
        """Return a second solution if any stage has one; the other stages keep their first."""
        others = [s.family.alternative(s.ctx, s.world) for s in self.stages]
        if all(other is None for other in others):
            return None
        return tuple(
            command
            for s, other in zip(self.stages, others, strict=True)
            for command in (s.family.oracle(s.ctx, s.world) if other is None else other)
        )


def compose(spec: TaskSpec) -> Task:
    """Return the task of a spec.

    Raises `SpecError` if the spec has another digest than the task, because the generator has
    changed since the catalogue was written.
    """
    stages = build_stages(spec)
    obligations: tuple[Obligation, ...] = tuple(one for s in stages for one in s.obligations())
    document = None
    if spec.voice == "short":
        obligations, document = documented(obligations, Rng(spec.seed, "document"))
    text, author = _text(spec, stages, obligations)
    nodes = _merge([*(n for s in stages for n in s.world.nodes), *([document] if document else [])])
    grading = functools.cache(lambda: _grading(stages))
    oracle = _solution(stages)
    task = Task(
        spec=spec,
        instruction=text,
        author=author,
        nodes=nodes,
        setup=tuple(c for s in stages for c in s.world.setup),
        oracle=oracle,
        checks=Later(lambda: grading()[0]),
        gates=Later(lambda: grading()[1]),
        outputs=tuple(p for s in stages for p in s.world.outputs),
        hidden=tuple(h for s in stages for h in s.world.hidden),
        volatile=tuple(v for s in stages for v in s.world.volatile),
        tools=tuple(sorted({t for s in stages for t in s.family.tools} | programs(spec.language))),
        obligations=obligations,
        stages=stages,
        document=document,
    )
    return _sealed(task)


def _text(
    spec: TaskSpec, stages: Sequence[Stage], obligations: Sequence[Obligation]
) -> tuple[str, str]:
    """Return the stored text if it fits, else the plain one, and its author."""
    stored = store.read(store.path(folder.texts(), spec.family)).get(spec.name)
    if stored and stored.author != PLAIN and stored.obligations == store.digest(obligations):
        return stored.text, stored.author
    own = [[o for o in obligations if o.id.startswith(f"s{s.ctx.index}.")] for s in stages]
    own[-1] += [o for o in obligations if not any(o in part for part in own)]
    return plain_text(own), PLAIN


def _merge(nodes: Sequence[Node]) -> tuple[Node, ...]:
    merged: dict[str, Node] = {}
    for node in nodes:
        if node.path in merged and merged[node.path] != node:
            raise SpecError(f"two stages write different entries at {node.path}")
        merged[node.path] = node
    return tuple(merged[path] for path in sorted(merged))


def _grading(stages: Sequence[Stage]) -> tuple[tuple[Check, ...], tuple[Gate, ...]]:
    """Return the checks of all stages, the first stage heaviest, and the gates."""
    checks: list[Check] = []
    gates: list[Gate] = []
    total = sum(range(1, len(stages) + 1))
    for rank, stage in zip(range(len(stages), 0, -1), stages, strict=True):
        items = stage.family.checks(stage.ctx, stage.world)
        scored = [c for c in items if isinstance(c, Check)]
        weight = sum(c.weight for c in scored)
        if not scored or weight <= 0:
            raise SpecError(f"family {stage.family.slug} grades nothing")
        for item in items:
            name = f"s{stage.ctx.index}.{item.id}"
            if isinstance(item, Check):
                share = item.weight / weight * rank / total
                checks.append(replace(item, id=name, weight=share))
            else:
                gates.append(replace(item, id=name))
    return tuple(checks), tuple(gates)


def _solution(
    stages: Sequence[Stage], swap: int = -1, other: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the whole reference solution, with `other` as the commands of stage `swap`."""
    return tuple(
        command
        for i, s in enumerate(stages)
        for command in (other if i == swap else s.family.oracle(s.ctx, s.world))
    )


def _tree(path: str) -> str:
    """Return the directory that must be kept for one path."""
    parent = str(PurePosixPath(path).parent)
    return path if parent == "/" else parent


def _outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the directories that lie in no other one.

    >>> _outermost(["/app", "/app/x", "/srv/www", "/application"])
    ('/app', '/application', '/srv/www')
    """
    kept: list[str] = []
    for path in sorted(set(paths), key=lambda p: (p.count("/"), p)):
        if not any(path.startswith(f"{outer}/") or path == outer for outer in kept):
            kept.append(path)
    return tuple(sorted(kept))


def _sealed(task: Task) -> Task:
    total = hashlib.blake2b(digest_size=8)
    for part in (digest(task.world_nodes), *task.setup, *task.oracle):
        total.update(hashlib.blake2b(part.encode(), digest_size=16).digest())
    seal = total.hexdigest()
    if task.spec.digest and task.spec.digest != seal:
        raise SpecError(
            f"task {task.name} regenerates as {seal}, the catalogue has {task.spec.digest}.\n"
            "The generator changed: rebuild the catalogue with: tmax catalogue build"
        )
    return replace(task, digest=seal, spec=replace(task.spec, digest=seal))
