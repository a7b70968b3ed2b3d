"""The fingerprint of what a task's runs depend on."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from types import ModuleType

import pytest

from tmax_gym.checks.check import Case, Program, fuzz_equivalence
from tmax_gym.proofs.fingerprint import of, ran
from tmax_gym.proofs.validate import sample
from tmax_gym.tasks import catalogue, planner
from tmax_gym.tasks.compose import Task, compose

PRINT = """
import sys
from tmax_gym.tasks import catalogue
from tmax_gym.proofs.fingerprint import ran
for name in sys.argv[1:]:
    print(name, ran(catalogue.load(name)))
"""


@pytest.fixture(scope="module")
def task() -> Task:
    """One whose rules stand in a document."""
    return compose(replace(planner.single("regime-shift", seed=3), voice="short"))


def test_two_processes_with_different_hash_seeds_agree() -> None:
    names = sample(catalogue.names(), 90, seed=5)
    printed = [
        subprocess.run(
            [sys.executable, "-c", PRINT, *names],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert printed[0] == printed[1]
    assert len(set(re.findall(r" (\w{16})$", printed[0], re.MULTILINE))) == len(names)


def test_words_have_no_part_in_it(task: Task) -> None:
    assert task.document
    other = replace(task.document, data=b"Other words.\n")
    nodes = tuple(other if node == task.document else node for node in task.nodes)
    reworded = replace(task, instruction="Other words.", nodes=nodes, document=other)
    assert ran(reworded) == ran(task)


@pytest.mark.parametrize("change", ["nodes", "setup", "oracle", "checks", "gates"])
def test_everything_that_runs_has_a_part_in_it(task: Task, change: str) -> None:
    changed = {
        "nodes": (*task.nodes, replace(task.nodes[0], path="/app/one-more")),
        "setup": (*task.setup, "true"),
        "oracle": (*task.oracle, "true"),
        "checks": (replace(task.checks[0], weight=0.123), *task.checks[1:]),
        "gates": task.gates[1:],
    }
    assert ran(replace(task, **{change: changed[change]})) != ran(task)  # type: ignore[arg-type]


def test_a_hidden_case_has_a_part_in_it() -> None:
    def check(hidden: bytes) -> object:
        cases = [Case(stdin=b"1"), Case(stdin=hidden)]
        return fuzz_equivalence("f", Program("/app/f", "any"), cases=cases, expected=[b"1", b"2"])

    assert of(check(b"2")) == of(check(b"2"))
    assert of(check(b"2")) != of(check(b"3"))


def test_sets_and_mappings_have_no_order_and_sequences_do() -> None:
    assert of({"a": 1, "b": {3, 4}}) == of({"b": {4, 3}, "a": 1})
    assert of((1, "a")) != of(("a", 1))
    assert of((1, 2)) != of([1, 2])


def test_a_bool_is_no_number_and_text_no_bytes() -> None:
    assert len({of(v) for v in (1, True, 1.0, "1", b"1", ("1",), None)}) == 7


def test_what_cannot_be_read_is_refused() -> None:
    @dataclass
    class Holder:
        what: object

    with pytest.raises(TypeError, match="iterator"):
        of(Holder(iter([1])))


def _module(name: str, variable: str, value: str) -> ModuleType:
    """Return a module with a class, a plain function and a maker of functions."""
    module = ModuleType(name)
    source = f"""
class Limit: ...
def twice(x): return x + x
def check({variable}): return lambda output: {variable} in output
held = check({value})
"""
    exec(source, module.__dict__)
    return module


@pytest.mark.parametrize("value", ["held", "twice", "Limit"])
def test_a_module_of_ours_can_move(value: str) -> None:
    before, after = (_module(name, "x", "7") for name in ("tmax_gym.exact", "tmax_gym.checks.a"))
    assert of(getattr(before, value)) == of(getattr(after, value))


def test_a_closed_over_variable_can_be_renamed_and_its_value_counts() -> None:
    first, renamed = _module("tmax_gym.a", "found", "7"), _module("tmax_gym.a", "rows", "7")
    assert of(first.held) == of(renamed.held)
    assert of(first.held) != of(_module("tmax_gym.a", "found", "8").held)


def test_code_of_others_counts_with_its_module() -> None:
    assert of(_module("json.decoder", "x", "7").twice) != of(_module("other", "x", "7").twice)
    assert of(os.path.join) != of(os.path.split)
