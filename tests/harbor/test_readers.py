"""Readers of other datasets: small files in their schemas, played where possible."""

import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from tests.support.harbor_directories import write_task
from tests.support.trial_tasks import wheels
from tmax_gym.envs.terminal import TerminalEnv
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.errors import HarborError
from tmax_gym.harbor.readers import drafts
from tmax_gym.harbor.readers.rows import archive
from tmax_gym.harbor.readers.sources import SOURCES, load
from tmax_gym.harbor.run.datasets import Dataset
from tmax_gym.harbor.run.settings import HarborSettings
from tmax_gym.harbor.run.task import TrialTask
from tmax_gym.sandboxes import Backend


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use another cache for drafts, but not for images."""
    monkeypatch.setattr(drafts, "cache_root", lambda: tmp_path / "cache")


DEFINITION = """\
Bootstrap: docker
From: tmax/core:latest

%post
    mkdir -p /home/user
    echo seven > /home/user/word.txt

%environment
    export COLOUR=green
"""
TEST = "def test_it():\n    assert open('/home/user/answer.txt').read() == 'SEVEN\\n'\n"
ROW: Mapping[str, Any] = {
    "task_id": "task_000001_abcdef01",
    "domain": "data_processing",
    "skill_type": "Text",
    "primitive_skills": '["tr", "cat"]',
    "task_complexity": "short task: about five commands",
    "command_complexity": "simple",
    "scenario": "a word",
    "language": "bash",
    "description": "Write the word of /home/user/word.txt in capitals to answer.txt beside it.",
    "truth": "SEVEN is the secret answer",
    "test_initial_state": "def test_nothing(): pass\n",
    "test_final_state": TEST,
    "container_def": DEFINITION,
}


def jsonl(file: Path, *rows: Mapping[str, Any]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def parquet(file: Path, *rows: Mapping[str, Any]) -> Path:
    arrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    from pyarrow import parquet as tables

    file.parent.mkdir(parents=True, exist_ok=True)
    tables.write_table(arrow.Table.from_pylist(list(rows)), file)
    return file


def tar(files: Mapping[str, str]) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as out:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            out.addfile(member, io.BytesIO(text.encode()))
    return raw.getvalue()


def write(place: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    return place


def only(dataset: Dataset) -> TrialTask:
    assert dataset.problems == ()
    (task,) = dataset.tasks
    return task


def everything(task: TrialTask) -> str:
    """Return all that could be in an image, as one text."""
    entries = task.harbor.files("environment")
    return "".join(entry.path.read_text("utf-8", errors="replace") for entry in entries)


def test_a_parquet_row_of_tmax15k_becomes_an_environment_that_grades(
    tmp_path: Path, native_backend: Backend, image: str
) -> None:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")
    file = parquet(tmp_path / "data/train-00000-of-00001.parquet", ROW)
    settings = HarborSettings(wheels=wheels(tmp_path / "wheels"))
    task = only(load("tmax15k", file, settings=settings))
    assert task.name == "tmax15k/task_000001_abcdef01"
    assert task.instruction == ROW["description"]
    assert task.harbor.config.metadata["task_complexity"] == "short"
    assert task.harbor.config.metadata["primitive_skills"] == ["tr", "cat"]
    assert dict(task.tags) == {"category": "data_processing", "difficulty": "short"}
    env: TerminalEnv = gym.make(task.name, backend=native_backend).unwrapped  # type: ignore[assignment]
    solution = "echo $COLOUR; pwd; tr a-z A-Z < word.txt > answer.txt"
    for command, reward in ((solution, 1.0), ("true", 0.0)):
        env.reset(seed=0)
        seen = env.step(command)[0]
        assert reward == 0.0 or seen.splitlines()[:2] == ["green", "/home/user"]
        assert env.step(SUBMIT)[1] == reward
    env.close()


def task_directory(name: str = "task_000002_00000002") -> dict[str, str]:
    json_row = {k: v for k, v in ROW.items() if k not in ("test_final_state", "container_def")}
    definition = DEFINITION.replace("%post", "%files\n    fixtures/in /opt/in\n\n%post")
    return {
        f"{name}/task.json": json.dumps({**json_row, "verifier_kind": "exact", "anchor": None}),
        f"{name}/test_final_state.py": TEST,
        f"{name}/test_initial_state.py": "",
        f"{name}/container.def": definition,
        f"{name}/fixtures/in/one.bin": "1",
    }


def test_tasks_zip_brings_fixtures_and_the_fields_that_rows_lack(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "tasks.zip", "w") as out:
        for name, text in task_directory().items():
            out.writestr(f"tasks/{name}", text)
        out.writestr("../outside.txt", "x")
    task = only(load("tmax15k", tmp_path / "tasks.zip"))
    assert task.harbor.config.metadata["verifier_kind"] == "exact"
    names = {entry.name for entry in task.harbor.files("environment")}
    assert "environment/_fixtures/opt/in/one.bin" in names
    assert "COPY _fixtures/ /" in everything(task)
    directory = write(tmp_path / "dirs", task_directory())
    assert only(load("tmax15k", directory, name="again")).instruction == task.instruction


def test_the_hidden_truth_is_nowhere(tmp_path: Path) -> None:
    task = only(load("tmax15k", jsonl(tmp_path / "rows.jsonl", ROW)))
    home = task.harbor.directory
    texts = [p.read_text("utf-8") for p in home.rglob("*") if p.is_file()]
    assert not any("secret answer" in text for text in texts)
    assert TEST not in everything(task)


def test_a_row_without_its_files_is_reported_and_stops_no_other(
    tmp_path: Path,
) -> None:
    lacking = {
        **ROW,
        "task_id": "lacking",
        "container_def": DEFINITION + "%files\n    fixtures/a /a\n",
    }
    bare = {**ROW, "task_id": "bare", "test_final_state": ""}
    dataset = load("tmax15k", jsonl(tmp_path / "rows.jsonl", lacking, ROW, bare, {"domain": "x"}))
    assert [task.harbor.name for task in dataset.tasks] == ["task_000001_abcdef01"]
    assert [str(p) for p in dataset.problems] == [
        "lacking: its fixtures are not here; read tasks.zip instead",
        "bare: it has no test_final_state",
        "a row: it has no task_id",
    ]


def rlvr(place: Path, *, image: str, extra: Mapping[str, str] | None = None) -> Path:
    place.mkdir()
    files = {
        "t1/instruction.md": "Do it.\n",
        "t1/tests/test.sh": "echo 1 > /logs/verifier/reward.txt\n",
        "t1/setup.sh": "echo made > /made\n",
        "t1/environment/seeds/a.txt": "a",
        **(extra or {}),
    }
    (place / "task-data.tar.gz").write_bytes(tar(files))
    config = {"env_name": "swerl_sandbox", "task_id": "t1", "image": image}
    jsonl(
        place / "rows.jsonl",
        {"messages": [], "ground_truth": "t1", "dataset": "passthrough", "env_config": config},
        {"messages": [], "ground_truth": "t2", "env_config": {"task_id": "t2"}},
    )
    return place


@pytest.mark.parametrize(("image", "base"), [("swerl:1", "swerl:1"), ("", "ubuntu:22.04")])
def test_rlvr_rows_find_their_files_in_the_tarball(tmp_path: Path, image: str, base: str) -> None:
    dataset = load("tmax15k", rlvr(tmp_path / "rlvr", image=image))
    (task,) = dataset.tasks
    assert [str(p) for p in dataset.problems] == ["t2: it is not in task-data.tar.gz"]
    assert f"FROM {base}\n" in everything(task)
    assert ("setup.sh" in everything(task)) == (image == "")
    assert "COPY seeds/ /workspace/" in everything(task)


def test_r2e_gym_takes_its_images_from_the_tarball(tmp_path: Path) -> None:
    extra = {"t1/image.txt": "r2e/final:abc\n", "t1/tests/score.py": "", "t1/tests/x.json": "{}"}
    dataset = load("r2e-gym", rlvr(tmp_path / "r2e", image="", extra=extra))
    (task,) = dataset.tasks
    assert "FROM r2e/final:abc" in everything(task)
    assert {e.name for e in task.harbor.files("tests")} >= {"tests/score.py", "tests/x.json"}


def test_the_harbor_form_needs_no_reader(tmp_path: Path) -> None:
    write_task(tmp_path, "one")
    assert only(load("tmax15k", tmp_path)).name == "tmax15k/one"


def test_endless_terminals_get_a_dockerfile_and_a_script(tmp_path: Path) -> None:
    write(tmp_path / "set/e1", {
        "instruction.md": "Do it.\n",
        "task.toml": 'version = "1.0"\n',
        "environment/container.def": DEFINITION,
        "environment/task.json": '{"truth": "secret answer"}',
        "environment/test_initial_state.py": "",
        "tests/test_final_state.py": TEST,
        "solution/solve.sh": "true\n",
    })  # fmt: skip
    task = only(load("endless-terminals", tmp_path / "set"))
    assert "FROM tmax/core:latest" in everything(task)
    assert "secret answer" not in everything(task)
    assert task.harbor.steps[0].solution == "solution"
    assert "test_final_state.py" in (task.harbor.directory / "tests/test.sh").read_text()


def test_termigen_directories_get_a_script_where_they_have_none(tmp_path: Path) -> None:
    write(tmp_path / "environments_harbor/g1", {
        "instruction.md": "Do it.\n",
        "task.toml": 'version = "1.0"\n[agent]\ntimeout_sec = 700.0\n',
        "environment/Dockerfile": "FROM base:1\n",
        "tests/test_outputs.py": TEST,
    })  # fmt: skip
    task = only(load("termigen", tmp_path))
    assert task.limits().episode_seconds == 700.0
    assert "test_outputs.py" in (task.harbor.directory / "tests/test.sh").read_text()


def test_openthoughts_rows_hold_a_packed_directory(tmp_path: Path) -> None:
    packed = tar({
        "instruction.md": "Do it.\n",
        "task.toml": 'version = "1.0"\n',
        "environment/seeds/data.txt": "d",
        "tests/test.sh": "true\n",
        "tests/expected_output.txt": "x",
        "solution/solve.sh": "true\n",
    })  # fmt: skip
    good = {"path": "tasks/o1", "task_binary": packed}
    bad = {"path": "tasks/o2", "task_binary": b"no archive"}
    dataset = load("openthoughts-agent", parquet(tmp_path / "tasks.parquet", good, bad))
    (task,) = dataset.tasks
    assert task.harbor.name == "o1"
    assert "COPY seeds/ /workspace/" in everything(task)
    assert [p.name for p in dataset.problems] == ["o2"]


TASK_YAML = """\
instruction: |-
  Make the suite pass.
difficulty: hard
category: software
tags: [a, b]
max_agent_timeout_sec: 1234
max_test_timeout_sec: 60
"""


def test_the_first_layout_of_terminal_bench_is_read_from_directories_and_rows(
    tmp_path: Path,
) -> None:
    pytest.importorskip("yaml", reason="needs PyYAML")
    write(tmp_path / "traj/t1", {
        "task.yaml": TASK_YAML,
        "Dockerfile": "FROM base:1\nCOPY data.txt /\n",
        "data.txt": "d",
        "item_info.json": "{}",
        "run-tests.sh": "pytest $TEST_DIR/test_outputs.py\n",
        "tests/test_outputs.py": TEST,
    })  # fmt: skip
    task = only(load("terminaltraj", tmp_path / "traj"))
    assert (task.instruction, task.limits().episode_seconds) == ("Make the suite pass.", 1234.0)
    assert {e.name for e in task.harbor.files("environment")} == {
        "environment/Dockerfile",
        "environment/data.txt",
    }
    row = {"task_yaml": TASK_YAML, "dockerfile": "FROM base:2\n", "run_tests": "pytest\n"}
    broken = {**row, "task_yaml": "[: :"}
    dataset = load("cli-gym", jsonl(tmp_path / "cli/rows.jsonl", row, broken))
    (other,) = dataset.tasks
    assert other.harbor.name == "cli-gym-00000"
    assert dict(other.tags) == {"category": "software", "difficulty": "hard"}
    assert [p.name for p in dataset.problems] == ["cli-gym-00001"]


def test_swe_smith_applies_its_patch_and_undoes_it_as_the_solution(tmp_path: Path) -> None:
    row = {
        "instance_id": "owner__repo.abc.func__1",
        "patch": "diff --git a/x b/x\n",
        "FAIL_TO_PASS": ["tests/test_x.py::test_a"],
        "PASS_TO_PASS": '["tests/test_x.py::test_b"]',
        "image_name": "swesmith/repo:abc",
        "repo": "owner/repo",
        "problem_statement": "",
    }
    task = only(load("swe-smith", jsonl(tmp_path / "rows.jsonl", row)))
    assert "RUN git apply /tmp/bug.patch" in everything(task)
    expected = json.loads((task.harbor.directory / "tests/expected.json").read_text())
    assert expected["pass_to_pass"] == ["tests/test_x.py::test_b"]
    assert "apply -R" in (task.harbor.directory / "solution/solve.sh").read_text()


def test_drafts_are_made_once_for_each_state_of_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = jsonl(tmp_path / "rows.jsonl", ROW)
    first = only(load("tmax15k", file)).harbor.directory
    stamp = first.stat().st_mtime_ns
    assert only(load("tmax15k", file)).harbor.directory == first
    assert first.stat().st_mtime_ns == stamp
    jsonl(file, ROW, {**ROW, "task_id": "another"})
    assert len(load("tmax15k", file).tasks) == 2


def test_a_half_made_directory_never_has_a_name(tmp_path: Path) -> None:
    def fails(place: Path) -> None:
        (place / "half").write_text("x")
        raise HarborError("broken")

    with pytest.raises(HarborError):
        drafts.kept("half", fails)
    assert list((tmp_path / "cache/drafts").iterdir()) == []
    assert (drafts.kept("half", lambda place: None)).is_dir()


def test_members_that_lead_out_of_an_archive_are_left_out() -> None:
    assert archive(tar({"a/b": "1", "../c": "2", "/d": "3"})) == {"a/b": b"1"}


def test_an_absent_source_is_reported(tmp_path: Path) -> None:
    with pytest.raises(HarborError, match="there are: cli-gym"):
        load("no-such-data", tmp_path)
    with pytest.raises(HarborError, match="does not exist"):
        load("tmax15k", tmp_path / "none")
    with pytest.raises(HarborError, match="is on no hub"):
        load("termigen")
    for source in sorted(set(SOURCES) - {"termigen"}):
        assert SOURCES[source].repository
