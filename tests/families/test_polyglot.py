"""Tasks in C++, Go, Rust and several languages: their texts, and what happens without `poly`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from tmax_gym import TerminalEnv, families
from tmax_gym.agents.agent import ScriptedAgent
from tmax_gym.agents.rollout import rollout
from tmax_gym.axes import Language
from tmax_gym.bench.running.datasets import Selection, open_dataset
from tmax_gym.bench.running.settings import root_for
from tmax_gym.cli import prove
from tmax_gym.errors import ImageError
from tmax_gym.families.security.traversal_guard.guards import MISTAKES, SOURCE
from tmax_gym.families.shared import tricks
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.sandboxes import Backend, Sandbox, images
from tmax_gym.tasks import catalogue, planner
from tmax_gym.tasks.compose import Task, compose
from tmax_gym.tasks.spec import TaskSpec
from tmax_gym.world import toolchains
from tmax_gym.world.programs.evaluate import run
from tmax_gym.world.programs.grammars import GRAMMARS, draw
from tmax_gym.world.programs.languages import RENDERERS, render
from tmax_gym.world.programs.probes import inputs

SUFFIXES = {"cpp": ".cpp", "go": ".go", "rust": ".rs"}
CALLS = {"cpp": "g++ -O1 -std=c++17", "go": "go build", "rust": "rustc --edition=2021"}
OFFERED = [
    (slug, language)
    for slug in families.slugs()
    for language in dict.fromkeys(families.family(slug).languages)
    if language in planner.POLYGLOT
]
without_poly = pytest.mark.skipif(
    "poly" not in images.available(), reason="poly is not built: tmax images build poly"
)


@cache
def spec(slug: str, language: Language, level: float = 0.1) -> TaskSpec:
    planned = planner.single(slug, seed=4, level=level)
    return replace(planned, language=language, image="poly")


@cache
def task(slug: str, language: Language, level: float = 0.1) -> Task:
    return compose(spec(slug, language, level))


def test_every_language_has_a_name_a_suffix_and_a_renderer() -> None:
    assert set(toolchains.NAMES) == set(toolchains.SUFFIX) == set(RENDERERS)
    assert set(toolchains.NAMES) == {*toolchains.COMPILER, *toolchains.INTERPRETER}


def test_each_compiled_language_is_asked_for_by_several_families() -> None:
    for language in ("cpp", "go", "rust", "multi"):
        assert sum(offered == language for _, offered in OFFERED) >= 6


@pytest.mark.parametrize(("slug", "language"), OFFERED)
def test_a_text_names_the_call_by_which_its_solution_is_compiled(
    slug: str, language: Language
) -> None:
    composed = task(slug, language)
    compiled = [
        (CALLS[kind], path)
        for path in composed.outputs
        for kind, suffix in SUFFIXES.items()
        if path.endswith(suffix)
    ]
    assert compiled
    for call, path in compiled:
        if script := build_script(composed, call.split()[0]):
            assert any(c.startswith(script) for c in composed.oracle)
            continue
        assert f"`{call}" in composed.instruction
        assert any(c.startswith(f"{call} -o ") and path in c for c in composed.oracle)


def build_script(composed: Task, compiler: str) -> str | None:
    """Return the script of the world that calls a compiler, if the text names one."""
    return next(
        (
            node.path
            for node in composed.nodes
            if node.path in composed.instruction
            and node.data is not None
            and node.data.startswith(b"#!")
            and re.search(rf"(?m)^\s*{re.escape(compiler)} ".encode(), node.data)
        ),
        None,
    )


@pytest.mark.parametrize("slug", [slug for slug, language in OFFERED if language == "multi"])
def test_a_task_of_several_languages_wants_a_program_in_each_of_two(slug: str) -> None:
    composed = task(slug, "multi")
    suffixes = {path.rpartition(".")[2] for path in composed.outputs}
    kinds = [k for k, suffix in toolchains.SUFFIX.items() if suffix in suffixes]
    assert len(kinds) == 2
    assert set(kinds) & set(SUFFIXES)
    kinds_of_trial = ("fuzz_equivalence", "metric_threshold", "adversarial_corpus")
    run_on_unseen = [c for c in composed.checks if c.kind in kinds_of_trial]
    assert len(run_on_unseen) == 2


def test_a_mistake_of_the_guard_changes_its_source_in_every_language() -> None:
    for name, language in product(MISTAKES, SOURCE):
        for old, new in MISTAKES[name][language]:
            assert old in SOURCE[language], (name, language)
            assert old != new


@pytest.fixture
def without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that has `core` and no `poly`, and a catalogue of one task for each."""
    monkeypatch.setenv("TMAX_CACHE", str(tmp_path))
    (tmp_path / "images/core/rootfs").mkdir(parents=True)
    known = {s.name: s for s in (spec("tiny-vm", "rust"), planner.single("bulk-rename", seed=1))}
    monkeypatch.setattr(catalogue, "spec", known.__getitem__)
    monkeypatch.setattr(catalogue, "select", lambda **_: tuple(known.values()))


@pytest.mark.usefixtures("without")
def test_a_task_with_an_absent_image_is_left_out_with_a_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = prove._names((), None)
    assert [name.partition(".")[0] for name in names] == ["bulk-rename"]
    printed = capsys.readouterr().err
    assert "left out: 1 of 2 tasks need the image poly" in printed
    assert "tmax images build poly" in printed


@pytest.mark.usefixtures("without")
def test_nothing_is_left_out_where_an_image_is_given() -> None:
    assert len(prove._names((), "mine")) == 2


@pytest.mark.usefixtures("without")
def test_what_is_asked_for_by_name_is_an_error_that_says_what_to_build() -> None:
    with pytest.raises(ImageError, match="tmax images build poly"):
        prove._names((spec("tiny-vm", "rust").name,), None)


@pytest.mark.usefixtures("without")
def test_a_benchmark_leaves_out_the_same_tasks() -> None:
    dataset = open_dataset("tmax")
    assert [item.name.partition(".")[0] for item in dataset.items] == ["bulk-rename"]
    assert "tmax images build poly" in dataset.problems[0]
    with pytest.raises(ImageError, match="tmax images build poly"):
        open_dataset("tmax", Selection(include=(spec("tiny-vm", "rust").name,)))


@pytest.mark.usefixtures("without")
def test_an_environment_names_the_task_and_the_image_to_build(native_backend: Backend) -> None:
    composed = task("tiny-vm", "rust")
    with (
        closing(TerminalEnv(composed, backend=native_backend)) as env,
        pytest.raises(
            ImageError, match=rf"task {composed.name} needs the image 'poly'.*\n.*build poly"
        ),
    ):
        env.reset()


def test_a_task_beyond_core_brings_its_image_into_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMAX_CACHE", str(tmp_path))
    for name in ("core", "poly"):
        (tmp_path / f"images/{name}/rootfs").mkdir(parents=True)
    rust, plain = task("tiny-vm", "rust"), compose(planner.single("bulk-rename", seed=1))
    assert [root_for(rust, image) for image in ("core", "", "mine")] == ["poly", "poly", "mine"]
    assert [root_for(plain, image) for image in ("core", "mine")] == ["core", "mine"]


@pytest.fixture(scope="module")
def machine(native_backend: Backend) -> Iterator[Sandbox]:
    with closing(native_backend.open("poly")) as opened:
        yield opened


def built(machine: Sandbox, language: Language, source: str) -> str:
    """Return the command that runs a source, compiled if necessary."""
    path = f"/app/trial.{toolchains.SUFFIX[language]}"
    machine.put([text(path, source)])
    if words := toolchains.build(language, path, "/tmp/trial"):
        done = machine.exec(list(words), timeout=120)
        assert done.exit_code == 0, done.stderr
    return " ".join(toolchains.start(language, path, "/tmp/trial"))


def played(machine: Sandbox, command: str, stdin: bytes) -> tuple[bytes, int]:
    done = machine.exec(["bash", "-c", command], stdin=stdin, timeout=30)
    return done.stdout, done.exit_code


@without_poly
@pytest.mark.parametrize("language", sorted(toolchains.NAMES))
def test_short_programs_do_what_they_are_written_for(machine: Sandbox, language: Language) -> None:
    lines = ['one "two"', "three\\four"]
    program = built(machine, language, tricks.prints(language, lines))
    assert played(machine, program, b"x") == (b'one "two"\nthree\\four\n', 0)
    copied = built(machine, language, tricks.copies(language))
    assert played(machine, copied, b"a\n\nb") == (b"a\n\nb", 0)
    ended = built(machine, language, tricks.ends(language, 3))
    assert played(machine, ended, b"") == (b"", 3)
    started = built(machine, language, tricks.starts(language, 'tr a-z A-Z; echo "it\'s"'))
    assert played(machine, started, b"abc") == (b"ABCit's\n", 0)


@without_poly
@pytest.mark.parametrize("language", sorted(SUFFIXES))
def test_what_is_rendered_prints_what_the_evaluator_says(
    machine: Sandbox, language: Language
) -> None:
    for kind in sorted(GRAMMARS)[:3]:
        program = draw(Rng("poly", kind), 4, kind)
        call = built(machine, language, render(program, language))
        for case in inputs(program, Rng("cases", kind), 4):
            assert played(machine, call, case) == (run(program, case), 0)


@without_poly
@pytest.mark.parametrize(
    ("slug", "language"),
    [("traversal-guard", "cpp"), ("tiny-vm", "go"), ("unknown-packer", "rust"),
     ("seeded-bootstrap", "multi"), ("port-module", "multi")],
)  # fmt: skip
def test_a_solution_in_the_language_earns_one(
    native_backend: Backend, slug: str, language: Language
) -> None:
    composed = task(slug, language, 0.9)
    agent = ScriptedAgent(composed.oracle, name="oracle")
    played = rollout(composed, agent, backend=native_backend)
    assert played.reward == 1.0, played.message
