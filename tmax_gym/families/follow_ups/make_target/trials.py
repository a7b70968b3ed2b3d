"""How a make file is tried: a sequence of calls of make, each with other files.

Each call that shows that something stays or goes must also make something right, so that a make
file that does nothing earns nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tmax_gym.checks import exact
from tmax_gym.checks.check import Case, Evidence, Outcome, Program, fraction, prints
from tmax_gym.families.follow_ups.make_target.plan import Input, Plant
from tmax_gym.families.shared.program_runs import endless
from tmax_gym.nodes import Node

MAKE = Program("/usr/bin/make", "any")
PATIENCE = 20.0
"""Seconds for one call of make, which may compile the program and run it on all inputs."""
MARK = b"this output is newer than its input\n"
JOBS = "3"


def standing(evidence: Evidence, plant: Plant) -> float:
    """Return how many of the files that make should have left are there, and right (F1)."""
    folder = f"{plant.home}/{plant.target}"
    left = [node for node in evidence.tree(folder) if node.kind != "dir"]
    if plant.joined:
        left += evidence.tree(f"{plant.home}/{plant.joined}")
    files = {node.path: exact.reached(evidence, node).data or b"" for node in left}
    hits = sum(_outputs_right(files, plant, plant.standing))
    wanted = len(plant.standing)
    if plant.joined:
        hits += _joined_right(files, plant, plant.standing)
        wanted += 1
    return fraction(2 * hits, len(files) + wanted)


def renewed(evidence: Evidence, plant: Plant, source: str) -> float:
    """Return how far make renews what it should, keeps what it should, and cleans."""
    evidence.read(plant.makefile)
    program = Node(source, data=evidence.read(source), mode=0o755)
    first, second, *_ = plant.standing
    now = (Input(first.name, plant.changed), *plant.standing[1:], *plant.later)
    outputs = tuple(plant.output(one.name) for one in now)
    if plant.joined:
        outputs = (*outputs, f"{plant.home}/{plant.joined}")
    given = tuple(plant.input(one.name) for one in now)
    mark = Node(plant.output(second.name), data=MARK)
    added, changed, watched, cleaned, again = evidence.run(
        MAKE,
        [
            _call(plant, nodes=_inputs(plant, plant.later), collect=outputs),
            _call(plant, nodes=(*_inputs(plant, now[:1]), mark), collect=outputs),
            _call(plant, nodes=(program,), collect=outputs),
            _call(plant, "clean", collect=(*outputs, *given)),
            _call(plant, *(("-j", JOBS) if plant.parallel else ()), collect=outputs),
        ],
        timeout=PATIENCE,
        chained=5,
    )
    kept = dict(changed.files).get(mark.path) == MARK
    clean = set(dict(cleaned.files)) == set(given)
    return (
        0.25 * _share(added, plant, plant.later, joins=(*plant.standing, *plant.later))
        + 0.25 * (_share(changed, plant, now[:1]) if kept else 0.0)
        + 0.2 * _share(watched, plant, now[1:2])
        + 0.3 * (_share(again, plant, now, joins=now) if clean else 0.0)
    )


def _call(
    plant: Plant, *words: str, nodes: Sequence[Node] = (), collect: Sequence[str] = ()
) -> Case:
    return Case(("-C", plant.home, *words), nodes=tuple(nodes), collect=tuple(collect))


def _inputs(plant: Plant, inputs: Iterable[Input]) -> tuple[Node, ...]:
    return tuple(Node(plant.input(one.name), data=one.case.stdin) for one in inputs)


def _share(
    outcome: Outcome, plant: Plant, inputs: Sequence[Input], *, joins: Sequence[Input] = ()
) -> float:
    """Return the share of these outputs that are right after a call, the joined file included."""
    files = dict(outcome.files)
    right = _outputs_right(files, plant, inputs)
    if joins and plant.joined:
        right.append(_joined_right(files, plant, joins))
    return fraction(sum(right), len(right))


def _outputs_right(files: Mapping[str, bytes], plant: Plant, inputs: Sequence[Input]) -> list[bool]:
    pairs = [(files.get(plant.output(one.name)), one.case.stdout) for one in inputs]
    return [data is not None and prints(data, wanted) for data, wanted in pairs]


def _joined_right(files: Mapping[str, bytes], plant: Plant, inputs: Sequence[Input]) -> bool:
    ordered = sorted(inputs, key=lambda one: one.name)
    forms = zip(*(endless(one.case.stdout) for one in ordered), strict=True)
    data = files.get(f"{plant.home}/{plant.joined}")
    return data is not None and any(prints(data, b"".join(form)) for form in forms)
