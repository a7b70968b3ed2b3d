"""Proofs: what they find in broken tasks, and evidence that survives interruption."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.tiny_tasks import sum_task
from tmax_gym.errors import SpecError
from tmax_gym.families.contract import Attempt
from tmax_gym.nodes import Node, text
from tmax_gym.proofs import hostile
from tmax_gym.proofs.evidence import add, carry, differing, is_current, read
from tmax_gym.proofs.fingerprint import ran
from tmax_gym.proofs.validate import Depth, Proof, deepen, shard
from tmax_gym.tasks import catalogue, folder, planner
from tmax_gym.tasks.compose import GENERATOR, Task, compose
from tmax_gym.texts import store
from tmax_gym.texts.store import Text


def proof(name: str, **changes: object) -> Proof:
    original = Proof(name, "d" * 16, GENERATOR, "native", (1.0, 1.0), 0.0, (), 0.1, ())
    return replace(original, **changes)  # type: ignore[arg-type]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(catalogue, "names", lambda: ("a", "b", "c"))
    return tmp_path / "evidence.jsonl.gz"


def test_evidence_is_merged(file: Path) -> None:
    add(file, [proof("a"), proof("b")])
    add(file, [proof("c"), proof("a", seconds=9.0)])
    stored = read(file)
    assert sorted(stored) == ["a", "b", "c"]
    assert stored["a"]["seconds"] == 9.0


def test_what_is_not_proven_is_not_stored(file: Path) -> None:
    add(file, [proof("a", problems=("oracle earns 0.5, not 1",)), proof("b")])
    assert sorted(read(file)) == ["b"]


def test_what_is_no_task_any_more_is_forgotten(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add(file, [proof("a"), proof("b")])
    monkeypatch.setattr(catalogue, "names", lambda: ("b", "c"))
    add(file, [proof("c")])
    assert sorted(read(file)) == ["b", "c"]


def test_a_plain_proof_keeps_the_cheats_of_an_earlier_one(file: Path) -> None:
    add(file, [proof("a", attempts=(("touch", 0.0),), levels=(0.0, 1.0), necessary=2)])
    add(file, [proof("a", seconds=2.0)])
    row = read(file)["a"]
    assert (row["attempts"], row["levels"], row["necessary"]) == ([["touch", 0.0]], [0.0, 1.0], 2)
    add(file, [proof("a", digest="e" * 16)])
    assert read(file)["a"]["attempts"] == []


def test_evidence_is_replaced_whole_and_leaves_nothing_beside_it(file: Path) -> None:
    add(file, [proof("a")])
    inode = file.stat().st_ino
    add(file, [proof("b")])
    assert file.stat().st_ino != inode
    assert {p.name for p in file.parent.iterdir()} == {file.name, f".{file.name}.lock"}
    with gzip.open(file, "rt") as lines:
        assert [json.loads(line)["name"] for line in lines] == ["a", "b"]


def test_evidence_holds_for_one_generator_and_one_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = planner.single("bulk-rename", seed=1)
    monkeypatch.setattr(catalogue, "spec", lambda _: replace(spec, digest="d" * 16))
    row = json.loads(proof("a").to_json())
    assert is_current(row)
    assert not is_current(row, depth=Depth(cheats=True))
    assert not is_current(row, depth=Depth(deep=True))
    assert not is_current({**row, "generator": GENERATOR - 1})
    assert not is_current({**row, "digest": "e" * 16})
    assert not is_current({**row, "problems": ["no-op earns 1.0, not 0"]})
    assert not is_current(None)


def test_a_proof_is_carried_to_new_words_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "evidence.jsonl.gz"
    slugs = ("bulk-rename", "regime-shift", "weak-cipher")
    tasks = {t.name: t for t in (compose(planner.single(slug, seed=1)) for slug in slugs)}
    specs = [task.spec for task in tasks.values()]
    monkeypatch.setattr(catalogue, "names", lambda: tuple(tasks))
    monkeypatch.setattr(catalogue, "spec", lambda name: tasks[name].spec)
    monkeypatch.setattr(folder, "texts", lambda: tmp_path / "texts")
    for task in tasks.values():
        own = Text(task.name, store.digest(task.obligations), task.instruction, store.PLAIN)
        store.write(store.path(tmp_path / "texts", task.spec.family), [own])
    known = {name: ran(task) for name, task in tasks.items()}
    *same, other = tasks
    known[other] = "f" * 16
    add(file, [proof(name, ran=value) for name, value in known.items()])
    assert carry(file, jobs=1) == 2
    assert [n for n, row in read(file).items() if is_current(row)] == same
    assert differing(specs, read(file), jobs=1) == ()
    add(file, [proof(same[0], digest=tasks[same[0]].digest, ran="e" * 16)])
    (line,) = differing(specs, read(file), jobs=1)
    assert same[0] in line


def test_shards_cover_everything_once() -> None:
    names = [f"t{n}" for n in range(11)]
    parts = [shard(names, f"{n}/3") for n in (1, 2, 3)]
    assert sorted(name for part in parts for name in part) == sorted(names)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize("part", ["0/3", "4/3", "3", "x/2", ""])
def test_what_is_no_part_is_refused(part: str) -> None:
    with pytest.raises(SpecError, match="1/4"):
        shard(["a"], part)


def test_only_failing_machines_leave_a_task_undecided() -> None:
    assert proof("a", problems=("machine: oracle: infra_error: gone",)).undecided
    assert not proof("a", problems=("machine: x", "oracle earns 0.5, not 1")).undecided
    assert not proof("a").undecided


def play(
    task: Task, earned: dict[tuple[str, ...], float]
) -> tuple[tuple[float, ...], int, list[str]]:
    problems: list[str] = []
    levels, needed = deepen(task, lambda attempt: earned[attempt.commands], problems)
    return levels, needed, problems


def test_a_deep_proof_counts_levels_and_necessary_commands() -> None:
    task = replace(sum_task(), oracle=("a | b", "c", "d"))
    earned = {("a | b",): 0.25, ("a | b", "c"): 0.25}
    earned |= {("c", "d"): 0.0, ("a | b", "d"): 1.0}
    assert play(task, earned) == ((0.0, 0.25, 1.0), 3, [])


def test_a_reward_that_falls_along_the_solution_is_a_problem() -> None:
    task = replace(sum_task(), oracle=("a", "b", "c"))
    earned = {("a",): 0.5, ("a", "b"): 0.25, ("b", "c"): 0.0, ("a", "c"): 0.0}
    assert play(task, earned)[2] == ["the reward falls from 0.5 to 0.25"]


HIDDEN = "kestrel-4471"


@pytest.mark.parametrize(
    ("data", "how"),
    [
        (b"x kestrel-4471 y", "in plain sight"),
        (HIDDEN.encode().hex().upper().encode(), "in hexadecimal"),
        (b"eHhrZXN0cmVsLTQ0NzE=", "in base64"),
        (gzip.compress(b"aa kestrel-4471 " * 9, mtime=0), "under gzip"),
        (b"kestrel 4471", ""),
    ],
)
def test_a_hidden_value_is_found_in_the_world_in_any_of_four_forms(data: bytes, how: str) -> None:
    task = replace(sum_task(), hidden=(HIDDEN, "12"), nodes=(Node("/app/f", data=data),))
    problems = list(hostile.exposed(task))
    assert problems == ([f"/app/f shows the hidden value {HIDDEN!r} {how}"] if how else [])


def named(task: Task) -> dict[str, Attempt]:
    return {attempt.name: attempt for attempt in hostile.attempts(task)}


def test_every_kind_of_hostile_agent_is_there() -> None:
    task = compose(planner.single("clone-blackbox", seed=3, level=0.5))
    wanted = {
        "noop", "touch", "echo 0", "copy first input", "copy binary", "wrap binary", "delete",
        "reward files", "replace interpreters", "hijack start-up files", "daemon", "directory",
        "fifo", "link to shadow", "link to proc", "sparse 2 GB", "invalid utf-8", "random answer",
        "visible tests by heart",
    }  # fmt: skip
    assert wanted <= set(named(task))


def test_a_program_that_knows_the_samples_prints_them() -> None:
    sample = text("/app/samples.txt", "in 1 'quoted'\n")
    task = replace(sum_task(), nodes=(sample,), outputs=("/app/x.py",))
    (_, command) = named(task)["visible tests by heart"].commands
    assert repr("in 1 'quoted'\n") in command


def test_a_random_answer_has_the_form_that_the_text_asks_for() -> None:
    task = replace(
        sum_task(),
        instruction="Write `/app/a.json` with `north` and `south`, and a CSV under `id,size`.",
        outputs=("/app/a.json", "/app/b.csv"),
    )
    commands = named(task)["random answer"].commands
    body = commands[1].split("'")[3]
    assert set(json.loads(body)) == {"north", "south"}
    assert "id,size\n" in commands[3]
