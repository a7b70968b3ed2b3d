"""The stored catalogue: ids, labels, and that every task comes back as it was stored."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest

from tmax_gym.axes import DOMAINS, FIXTURES, VERIFIERS
from tmax_gym.errors import SpecError, TaskNotFound
from tmax_gym.nodes import Node
from tmax_gym.proofs.evidence import is_current, read, stored
from tmax_gym.proofs.validate import sample
from tmax_gym.sandboxes import Backend
from tmax_gym.tasks import catalogue, planner, quotas
from tmax_gym.tasks.commands import count_commands
from tmax_gym.tasks.compose import compose
from tmax_gym.tasks.spec import from_row

DIGESTS = """
import sys
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import compose
from dataclasses import replace
for name in sys.argv[1:]:
    print(name, compose(replace(catalogue.spec(name), digest="")).digest)
"""


def test_the_catalogue_holds_every_task_of_the_plan() -> None:
    assert len(catalogue.names()) == quotas.TOTAL == 14_600


def test_every_id_is_legal_unique_and_unversioned() -> None:
    names = catalogue.names()
    assert len(set(names)) == len(names)
    assert list(names) == sorted(names)
    for name in names:
        assert re.fullmatch(r"[a-z0-9_.-]+", name)
        assert not re.search(r"-v\d+$", name)


def test_every_domain_fixture_and_verifier_occurs() -> None:
    specs = catalogue.select()
    assert {s.domain for s in specs} == set(DOMAINS)
    assert {s.fixture for s in specs} == set(FIXTURES)
    assert {s.verifier for s in specs} == set(VERIFIERS)
    families = {s.family: s.domain for s in specs}
    assert all(count >= 2 for count in Counter(families.values()).values())


def test_names_and_index_agree() -> None:
    assert [s.name for s in catalogue.select()] == list(catalogue.names())


def test_training_tasks_never_use_what_is_held_out() -> None:
    for spec in catalogue.select(split="train"):
        assert not [ref.family for ref in spec.plan if planner.held_out(ref.family)]


def test_two_processes_with_different_hash_seeds_regenerate_the_stored_digests() -> None:
    names = sample(catalogue.names(), 60, seed=1)
    stored = "".join(f"{name} {catalogue.spec(name).digest}\n" for name in names)
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", DIGESTS, *names],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == stored


def test_a_drifted_generator_is_a_hard_error() -> None:
    spec = replace(catalogue.spec(catalogue.names()[0]), digest="0" * 16)
    with pytest.raises(SpecError, match="regenerates as"):
        compose(spec)


def test_every_task_has_evidence_that_holds_today() -> None:
    rows = read(stored())
    assert not [n for n in catalogue.names() if not is_current(rows.get(n))]


def test_evidence_says_that_the_oracle_earned_one_twice_and_nothing_done_zero() -> None:
    for row in read(stored()).values():
        assert row["oracle"] == [1.0, 1.0]
        assert row["noop"] == 0.0


def test_an_unknown_name_is_answered_with_near_ones() -> None:
    name = catalogue.names()[0]
    with pytest.raises(TaskNotFound, match=re.escape(name)):
        catalogue.spec(name[:-1] + "x")


def test_a_spec_survives_its_json() -> None:
    import json

    for name in catalogue.names()[::97]:
        spec = catalogue.spec(name)
        assert from_row(json.loads(spec.to_json())) == spec


def test_planning_twice_gives_the_same_specs() -> None:
    assert list(planner.plan(per_family=3)) == list(planner.plan(per_family=3))


@pytest.mark.parametrize(
    ("commands", "count"),
    [
        (("ls",), 1),
        (("cd /a && ls | wc -l",), 3),
        (("cat > f <<'END'\na; b; c\nEND",), 1),
        (("cat > f <<'END'\na\nb | c\nEND\nchmod +x f; ./f",), 3),
        (("sed -i 's/a;b|c/d/' f", 'echo "x; y" > g'), 2),
        (("for f in *; do mv $f x; done",), 2),
        (("make > log 2>&1",), 1),
    ],
)
def test_simple_commands_are_counted_without_here_documents(
    commands: tuple[str, ...], count: int
) -> None:
    assert count_commands(commands) == count


def seen(node: Node) -> tuple[str, str, int, bytes | None, str]:
    return (node.path, node.kind, node.mode, node.data, node.target)


def test_a_machine_holds_exactly_the_world_that_was_composed(
    any_backend: Backend, image: str
) -> None:
    for name in sample(catalogue.names(), 18, seed=3):
        task = catalogue.load(name)
        with_close = any_backend.open(image, layer=task.layer)
        try:
            nodes = with_close.get(["/app"])
        finally:
            with_close.close()
        wanted = {seen(n) for n in task.nodes if n.path.startswith("/app/")}
        kept = {seen(n) for n in nodes if n.kind != "dir"}
        assert kept == {w for w in wanted if w[1] != "dir"}
