"""Our tasks as Harbor directories: solved and graded by their own files alone."""

import ast
import io
import json
import re
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.json_schema import faults
from tests.support.tiny_tasks import sum_task
from tmax_gym.errors import HarborError
from tmax_gym.grading.verifier import verify
from tmax_gym.harbor.export.bundle import bundle
from tmax_gym.harbor.export.export import ExportOptions, export
from tmax_gym.harbor.results.rewards import Rewards, read_rewards
from tmax_gym.harbor.tasks.directory import HarborTask, read_task
from tmax_gym.nodes import Node, text
from tmax_gym.proofs.validate import sample
from tmax_gym.sandboxes import Backend, ExecResult, Sandbox
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import Task

SAMPLE = sample([spec.name for spec in catalogue.select() if spec.image == "core"], 20, 6)
"""At least one of each family."""
SHARED = ExportOptions(verifier="shared")


def put(sandbox: Sandbox, task: HarborTask, below: str, target: str) -> None:
    """Copy one of a task's directories into a sandbox, as a Harbor runner does."""
    sandbox.put(
        Node(
            f"{target}/{entry.name.removeprefix(below).lstrip('/')}",
            data=entry.path.read_bytes(),
            mode=0o755 if entry.executable else 0o644,
        )
        for entry in task.files(below)
    )


def sure(result: ExecResult) -> None:
    assert result.exit_code == 0, result.stderr[-500:].decode(errors="replace")


def build(sandbox: Sandbox, task: HarborTask) -> None:
    """Follow the Dockerfile, which has only ADD, WORKDIR and RUN in exec form."""
    for line in (task.directory / "environment/Dockerfile").read_text().splitlines():
        word, _, rest = line.partition(" ")
        if word == "ADD":
            put(sandbox, task, "environment", "/context")
            sure(sandbox.exec(["tar", "-C", "/", "-xpf", f"/context/{rest.split()[0]}"]))
            sure(sandbox.exec(["rm", "-r", "/context"]))
        elif word == "WORKDIR":
            sure(sandbox.exec(["mkdir", "-p", rest]))
        elif word == "RUN":
            sure(sandbox.exec(json.loads(rest), cwd="/app"))
        else:
            assert word in ("ARG", "FROM")


def agent_machine(backend: Backend, image: str, task: HarborTask) -> Sandbox:
    sandbox = backend.open(image)
    build(sandbox, task)
    return sandbox


def solve(sandbox: Sandbox, task: HarborTask) -> None:
    assert task.steps[0].solution is not None
    put(sandbox, task, task.steps[0].solution, "/solution")
    sure(sandbox.exec(["bash", "/solution/solve.sh"], timeout=120, cwd="/app"))


def graded(sandbox: Sandbox, task: HarborTask) -> Rewards:
    """Run the tests in a sandbox and read their rewards."""
    ran = sandbox.exec(["bash", "/tests/test.sh"], timeout=120, cwd="/app")
    files = {n.path: n.data for n in sandbox.get(["/logs/verifier/reward.json"])}
    assert files, (ran.stdout + ran.stderr)[-800:].decode(errors="replace")
    return read_rewards(files["/logs/verifier/reward.json"], None)


def grade_apart(backend: Backend, image: str, task: HarborTask, sandbox: Sandbox) -> Rewards:
    """Collect the agent's files, end its machine, and grade in a fresh one."""
    (step,) = task.steps
    for hook in step.verifier.collect:
        sure(sandbox.exec(["sh", "-c", hook.command], timeout=hook.timeout_sec))
    kept = sandbox.get([a.source for a in step.artifacts], max_bytes=64 << 20)
    sandbox.close()
    verifier = backend.open(image)
    try:
        put(verifier, task, "tests", "/tests")
        verifier.put(kept)
        return graded(verifier, task)
    finally:
        verifier.close()


@pytest.fixture(scope="session")
def core(image: str) -> str:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")
    return image


@pytest.mark.parametrize("name", SAMPLE)
def test_the_solution_earns_1_and_nothing_0_in_a_separate_verifier(
    name: str, native_backend: Backend, core: str, tmp_path: Path
) -> None:
    task = read_task(export(catalogue.load(name), tmp_path))
    assert task.steps[0].mode == "separate"
    for commands, reward in ((True, 1.0), (False, 0.0)):
        sandbox = agent_machine(native_backend, core, task)
        if commands:
            solve(sandbox, task)
        assert grade_apart(native_backend, core, task, sandbox).score() == reward


@pytest.mark.parametrize("name", SAMPLE[::7])
def test_the_solution_earns_1_and_nothing_0_in_a_shared_verifier(
    name: str, native_backend: Backend, core: str, tmp_path: Path
) -> None:
    task = read_task(export(catalogue.load(name), tmp_path, options=SHARED))
    assert task.steps[0].mode == "shared"
    for commands, reward in ((True, 1.0), (False, 0.0)):
        sandbox = agent_machine(native_backend, core, task)
        try:
            if commands:
                solve(sandbox, task)
            put(sandbox, task, "tests", "/tests")
            assert graded(sandbox, task).score() == reward
        finally:
            sandbox.close()


def attempt(
    backend: Backend, image: str, commands: Sequence[str], *, task: Task, harbor: HarborTask
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the parts of a verdict by our verifier, and by the exported one."""
    sandbox = agent_machine(backend, image, harbor)
    for command in commands:
        sandbox.exec(["bash", "-c", command], cwd="/app", timeout=60)
    theirs = dict(grade_apart(backend, image, harbor, sandbox).values)
    sandbox = agent_machine(backend, image, harbor)
    for command in commands:
        sandbox.exec(["bash", "-c", command], cwd="/app", timeout=60)
    try:
        verdict = verify(task, sandbox, backend, image=image)
    finally:
        sandbox.close()
    assert verdict.reward is not None
    return {"reward": verdict.reward, **{p.id: p.score for p in verdict.parts}}, theirs


@pytest.mark.parametrize("family", ["bulk-rename", "contract-api", "space-crisis"])
def test_a_half_right_solution_gets_the_same_parts_from_both_verifiers(
    family: str, native_backend: Backend, core: str, tmp_path: Path
) -> None:
    name = next(n for n in catalogue.names() if n.startswith(f"{family}."))
    task = catalogue.load(name)
    harbor = read_task(export(task, tmp_path))
    # As one script: later commands use variables of earlier ones.
    wrong = task.mutants[0].commands
    ours, theirs = attempt(native_backend, core, ["\n".join(wrong)], task=task, harbor=harbor)
    assert ours == theirs
    assert ours["reward"] < 1.0


@pytest.fixture
def easy(tmp_path: Path) -> HarborTask:
    name = next(n for n in catalogue.names() if n.startswith("bad-gateway."))
    return read_task(export(catalogue.load(name), tmp_path))


def test_links_fifos_and_damage_left_by_an_agent_are_graded_and_not_followed(
    easy: HarborTask, native_backend: Backend, core: str
) -> None:
    sandbox = agent_machine(native_backend, core, easy)
    hostile = "rm -r /app/*; ln -s /tests /app/t; mkfifo /app/f; ln -s / /app/root; touch /app/a"
    sure(sandbox.exec(["bash", "-c", hostile]))
    assert grade_apart(native_backend, core, easy, sandbox).score() == 0.0


DAEMON = """
mkdir -p -m 777 /logs/verifier
while :; do
  echo '{"reward": 1}' > /tmp/whole && mv /tmp/whole /logs/verifier/reward.json
  sleep 0.01
done
"""


def test_a_daemon_that_rewrites_the_reward_of_a_shared_verifier_is_ended(
    native_backend: Backend, core: str, tmp_path: Path
) -> None:
    name = next(n for n in catalogue.names() if n.startswith("bad-gateway."))
    task = read_task(export(catalogue.load(name), tmp_path, options=SHARED))
    sandbox = agent_machine(native_backend, core, task)
    try:
        sandbox.put([text("/daemon.sh", DAEMON)])
        sure(sandbox.exec(["bash", "-c", "setsid bash /daemon.sh & sleep 0.3"]))
        (seen,) = sandbox.get(["/logs/verifier/reward.json"])
        assert seen.data == b'{"reward": 1}\n'
        put(sandbox, task, "tests", "/tests")
        assert graded(sandbox, task).score() == 0.0
        sure(sandbox.exec(["sleep", "0.2"]))
        (seen,) = sandbox.get(["/logs/verifier/reward.json"])
        assert read_rewards(seen.data, None).score() == 0.0
    finally:
        sandbox.close()


def test_a_file_that_is_no_archive_yields_no_reward_at_all(
    easy: HarborTask, native_backend: Backend, core: str
) -> None:
    verifier = native_backend.open(core)
    try:
        put(verifier, easy, "tests", "/tests")
        ran = verifier.exec(["bash", "/tests/test.sh"], timeout=60)
        assert ran.exit_code != 0
        assert b"not graded: " in ran.stderr
        assert verifier.get(["/logs/verifier/reward.json"]) == ()
    finally:
        verifier.close()


def test_the_programs_that_are_graded_cannot_read_the_tests(
    easy: HarborTask, native_backend: Backend, core: str
) -> None:
    verifier = native_backend.open(core)
    try:
        put(verifier, easy, "tests", "/tests")
        verifier.exec(["bash", "/tests/test.sh"], timeout=60)
        seen = verifier.exec(["cat", "/tests/spec.json"], user="nobody")
        assert seen.exit_code != 0
    finally:
        verifier.close()


def test_the_same_task_gives_the_same_bytes(tmp_path: Path) -> None:
    task = catalogue.load(SAMPLE[0])
    one, two = export(task, tmp_path / "one"), export(task, tmp_path / "two")
    files = sorted(p.relative_to(one) for p in one.rglob("*") if p.is_file())
    assert files == sorted(p.relative_to(two) for p in two.rglob("*") if p.is_file())
    for file in files:
        assert (one / file).read_bytes() == (two / file).read_bytes(), file
    assert read_task(one).digest() == read_task(two).digest()


@pytest.mark.parametrize("options", [ExportOptions(), SHARED])
def test_the_settings_are_valid_by_harbors_schema(tmp_path: Path, options: ExportOptions) -> None:
    spec = catalogue.load(SAMPLE[1])
    home = export(spec, tmp_path, options=options)
    assert faults(tomllib.loads((home / "task.toml").read_text()), "task") == []
    task = read_task(home)
    assert task.unsupported == ""
    assert task.title == f"tmax/{spec.name}"
    assert task.config.schema_version == "1.4"
    assert task.config.metadata["difficulty"] == spec.spec.complexity
    assert task.steps[0].instruction.rstrip() == spec.instruction.rstrip()
    assert task.machine.config.network_mode == "no-network"


def test_the_world_is_packed_as_it_is(tmp_path: Path) -> None:
    spec = catalogue.load(next(n for n in catalogue.names() if n.startswith("space-crisis.")))
    home = export(spec, tmp_path)
    with tarfile.open(home / "environment/world.tar") as world:
        packed = {
            f"/{m.name}": (m.mode, m.uid, m.mtime, world.extractfile(m).read())  # type: ignore[union-attr]
            for m in world
            if m.isreg()
        }
        directories = {f"/{m.name}" for m in world if m.isdir()}
    assert packed == {
        n.path: (n.mode, n.uid, n.mtime, n.data) for n in spec.nodes if n.kind == "file"
    }
    assert "/app" in directories
    assert directories & {"/", "/etc", "/usr", "/var", "/tmp"} == set()


def test_nothing_secret_lies_where_the_agent_works(tmp_path: Path) -> None:
    spec = catalogue.load(SAMPLE[2])
    home = export(spec, tmp_path)
    seen = b"".join(p.read_bytes() for p in (home / "environment").iterdir())
    seen += (home / "instruction.md").read_bytes()
    assert str(spec.spec.seed).encode() not in seen
    assert spec.digest.encode() not in seen
    for hidden in spec.hidden:
        if len(hidden) >= 8:  # shorter ones may occur by chance
            assert hidden.encode() not in seen


def test_the_verifier_needs_the_standard_library_alone() -> None:
    for name in SAMPLE[::5]:
        with zipfile.ZipFile(io.BytesIO(bundle(catalogue.load(name)))) as packed:
            # The programs of families are not imported; they are files for an agent's machine.
            modules = [m for m in packed.namelist() if not re.search("/families/.*/programs/", m)]
            for member in modules:
                tree = ast.parse(packed.read(member))
                tops = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
                for node in tops:
                    names = (
                        [str(node.module)]
                        if isinstance(node, ast.ImportFrom)
                        else [alias.name for alias in node.names]
                    )
                    for imported in names:
                        top = imported.split(".")[0]
                        assert top in sys.stdlib_module_names or top == "tmax_gym", member
            assert not any("sandboxes/native" in m or "words/lint" in m for m in packed.namelist())


def test_a_task_of_no_family_cannot_be_exported(tmp_path: Path) -> None:
    with pytest.raises(HarborError, match="are no families"):
        export(sum_task(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_export_never_writes_over_another(tmp_path: Path) -> None:
    task = catalogue.load(SAMPLE[0])
    export(task, tmp_path)
    with pytest.raises(HarborError, match="exists already"):
        export(task, tmp_path)
