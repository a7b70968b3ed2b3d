"""Datasets of task directories, good ones and every kind of bad one."""

import json
import os
import shutil
import socket
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest
from gymnasium.envs.registration import parse_env_id
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.harbor_directories import MINIMAL, write_task
from tmax_gym.errors import HarborError
from tmax_gym.harbor.datasets.dataset import read_dataset
from tmax_gym.harbor.tasks import trees
from tmax_gym.harbor.tasks.config import EnvironmentConfig
from tmax_gym.harbor.tasks.directory import read_task, strip_canary
from tmax_gym.harbor.tasks.names import gym_id, shown_name, unspelt
from tmax_gym.harbor.tasks.support import CAPABILITIES, limits, services
from tmax_gym.sandboxes import Limits


def test_a_directory_of_tasks_is_a_dataset(tmp_path: Path) -> None:
    for name in ("b", "a"):
        write_task(tmp_path, name)
    (tmp_path / "README.md").write_text("about")
    (tmp_path / "scripts").mkdir()
    write_task(tmp_path, ".hidden")
    found = read_dataset(tmp_path, name="mine")
    assert (found.name, [t.name for t in found.tasks], found.problems) == ("mine", ["a", "b"], ())
    assert found.tasks[1].directory == (tmp_path / "b").resolve()


def test_a_task_of_its_own_is_a_dataset_of_one(tmp_path: Path) -> None:
    home = write_task(tmp_path)
    assert [t.name for t in read_dataset(home).tasks] == ["hello"]


def test_tasks_in_groups_belong_to_the_dataset_by_their_paths(tmp_path: Path) -> None:
    for name in ("alone", "one/same", "two/same", "two/deep/er/task", "tests/inner"):
        write_task(tmp_path, name)
    write_task(tmp_path, "two/broken", {"task.toml": None})
    write_task(tmp_path, "no-task-within", {"task.toml": None})
    (tmp_path / "empty/below").mkdir(parents=True)
    (tmp_path / "two/again").symlink_to(tmp_path)
    found = read_dataset(tmp_path)
    assert [t.name for t in found.tasks] == [
        "alone", "one/same", "tests/inner", "two/deep/er/task", "two/same",
    ]  # fmt: skip
    assert list(map(str, found.problems)) == [
        "no-task-within: task.toml is missing",
        "two/broken: task.toml is missing",
    ]
    assert found.tasks[4].directory == (tmp_path / "two/same").resolve()


def test_a_group_that_may_not_be_read_stops_nobody(tmp_path: Path) -> None:
    write_task(tmp_path, "good")
    (tmp_path / "loop").symlink_to("loop/inner")
    (tmp_path / "dangling").symlink_to("nowhere")
    assert [t.name for t in read_dataset(tmp_path).tasks] == ["good"]


ODD_NAMES = (
    "two words", "größe", "e\u0301", "\u00e9", "日本語", "a.b", "a+b", "a@b", "-rf", "--help",
    "CASE", "case", "a:b", "a[1]", "*", "$(x)",
    "a'b\"c", "x" * 200, "bell\x07", "two\nlines", "\udcff.raw",
    "_x0020_", "\U0001f600", "a\u200bb", " edge ", "a\\b", "v1-v2",
)  # fmt: skip


def test_every_directory_name_is_a_task_of_its_own_name(tmp_path: Path) -> None:
    for name in ODD_NAMES:
        write_task(tmp_path, name)
    dataset = read_dataset(tmp_path)
    names = [t.name for t in dataset.tasks]
    assert dataset.problems == ()
    assert sorted(map(unspelt, names)) == sorted(ODD_NAMES)
    assert {"two words", "größe", "日本語", "bell_x0007_", "_xDCFF_.raw"} < set(names)
    assert all(name.isprintable() and name.encode() for name in names)


@given(st.text(st.characters(codec=None), min_size=1), st.text(min_size=1))
def test_names_are_spelt_so_that_gymnasium_takes_them_and_read_back(name: str, space: str) -> None:
    spelt = gym_id(space, name)
    assert [unspelt(part) for part in spelt.split("/")] == [space, name]
    assert parse_env_id(spelt)[0] == spelt.split("/")[0]
    assert unspelt(shown_name(name)) == name
    assert shown_name(name).encode() and shown_name(name).isprintable()


@pytest.mark.parametrize("name", ["hello", "a.b-c_d", "größe", "x_xyz", "日本語", "a-v1"])
def test_a_name_that_gymnasium_takes_is_its_own_spelling(name: str) -> None:
    assert gym_id("set", name) == f"set/{name}"


def test_a_minimal_task_is_read(tmp_path: Path) -> None:
    task = read_task(write_task(tmp_path))
    (step,) = task.steps
    assert task.title == "hello"
    assert task.unsupported == ""
    assert (task.machine.recipe, step.mode, step.name) == ("dockerfile", "shared", "")
    assert step.instruction == "Write hello to /app/hello.txt.\n"
    assert (step.tests, step.test_script, step.solution) == (("tests",), "test.sh", "solution")
    assert step.agent.timeout_sec == 900.0
    assert [e.name for e in task.files("tests")] == ["tests/test.sh"]


def test_a_task_without_a_solution_is_read(tmp_path: Path) -> None:
    task = read_task(write_task(tmp_path, files={"solution/solve.sh": None}))
    assert task.steps[0].solution is None


def test_an_image_stands_in_for_a_dockerfile(tmp_path: Path) -> None:
    files = {
        "environment/Dockerfile": None,
        "task.toml": '[environment]\ndocker_image = "a:1"\n',
    }
    task = read_task(write_task(tmp_path, files=files))
    assert (task.machine.recipe, task.machine.context) == ("image", None)


def test_canary_lines_are_stripped_from_the_instruction_only_at_its_head(tmp_path: Path) -> None:
    text = "<!-- harbor-canary GUID 1 -->\r\n# CANARY x\n \n\nDo it.\n# canary stays\n"
    task = read_task(write_task(tmp_path, files={"instruction.md": text}))
    assert task.steps[0].instruction == "Do it.\n# canary stays\n"
    assert strip_canary("# Title\n# canary") == "# Title\n# canary"


HAZARDS: dict[str, tuple[dict[str, str | bytes | None], str]] = {
    "no-test": ({"tests/test.sh": None, "tests/x.py": ""}, "tests/test.sh is missing"),
    "no-tests": ({"tests/test.sh": None}, "tests/test.sh is missing"),
    "no-toml": ({"task.toml": None}, "task.toml is missing"),
    "syntax": ({"task.toml": "[agent\ntimeout_sec=1"}, "task.toml is not TOML"),
    "latin1": ({"task.toml": b'source = "\xe9"'}, "task.toml is not UTF-8"),
    "latin1-text": ({"instruction.md": b"caf\xe9"}, "instruction.md is not UTF-8"),
    "no-text": ({"instruction.md": None}, "instruction.md is missing"),
    "empty-text": ({"instruction.md": "<!-- canary -->\n\n"}, "instruction.md is empty"),
    "future": ({"task.toml": 'schema_version = "9.0"'}, "schema_version is '9.0', not known"),
    "nan": ({"task.toml": "[verifier]\ntimeout_sec = nan"}, "not a finite number"),
    "no-image": ({"environment/Dockerfile": None}, "environment/ is missing"),
    "no-dockerfile": (
        {"environment/Dockerfile": None, "environment/data": ""},
        "environment/ has no Dockerfile",
    ),
    "huge": ({"task.toml": "#" * (5 << 20)}, "task.toml is larger than"),
    "no-step": (
        {"task.toml": '[[steps]]\nname = "one"'},
        "steps/one/ is missing",
    ),
    "ignored-test": ({"tests/.harborignore": "test.sh\n"}, "tests/test.sh is missing"),
}


def test_bad_directories_get_one_line_each_and_stop_nobody(tmp_path: Path) -> None:
    write_task(tmp_path, "good")
    for name, (files, _) in HAZARDS.items():
        write_task(tmp_path, name, files)
    dataset = read_dataset(tmp_path)
    assert [t.name for t in dataset.tasks] == ["good"]
    messages = {p.name: p.message for p in dataset.problems}
    assert set(messages) == set(HAZARDS)
    for name, (_, message) in HAZARDS.items():
        assert message in messages[name], name
        assert "\n" not in messages[name]
        assert str(tmp_path) not in messages[name]


def _link(home: Path) -> None:
    (home / "tests/passwd").symlink_to("/etc/passwd")


def _deep_link(home: Path) -> None:
    (home / "environment/data").mkdir()
    (home / "environment/data/up").symlink_to("../../..")


def _circle(home: Path) -> None:
    (home / "tests/again").symlink_to(".")


def _dangling(home: Path) -> None:
    (home / "solution/gone").symlink_to("nowhere")


def _fifo(home: Path) -> None:
    os.mkfifo(home / "environment/pipe")


def _fifo_toml(home: Path) -> None:
    (home / "task.toml").unlink()
    os.mkfifo(home / "task.toml")


def _directory_toml(home: Path) -> None:
    (home / "task.toml").unlink()
    (home / "task.toml").mkdir()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_link, "tests/passwd is a link out of the task"),
        (_deep_link, "environment/data/up is a link out of the task"),
        (_circle, "tests/again is a link that leads in a circle"),
        (_dangling, "gone leads nowhere"),
        (_fifo, "environment/pipe is neither a file nor a directory"),
        (_fifo_toml, "task.toml is no regular file"),
        (_directory_toml, "task.toml is no regular file"),
    ],
)
def test_entries_that_are_no_plain_files_are_refused(tmp_path: Path, spoil, message) -> None:  # type: ignore[no-untyped-def]
    write_task(tmp_path, "good")
    spoil(write_task(tmp_path, "bad"))
    dataset = read_dataset(tmp_path)
    assert [t.name for t in dataset.tasks] == ["good"]
    assert message in dataset.problems[0].message


def test_names_that_no_terminal_takes_do_not_spoil_the_report(tmp_path: Path) -> None:
    home = write_task(tmp_path, "two\nlines \udcff")
    (home / "tests/\x1b[2J\n\udc80").symlink_to("/etc")
    (problem,) = read_dataset(tmp_path).problems
    assert str(problem).encode() == (
        rb"two lines \udcff: tests/\x1b[2J \udc80 is a link out of the task"
    )


FILES = ("task.toml", "instruction.md", "environment/docker-compose.yaml", "tests/.harborignore")


@settings(max_examples=50)
@given(contents=st.lists(st.one_of(st.none(), st.binary(), st.text()), min_size=4, max_size=4))
def test_no_content_makes_the_reader_fail_in_another_way(
    tmp_path_factory: pytest.TempPathFactory, contents: list[bytes | str | None]
) -> None:
    place = tmp_path_factory.mktemp("fuzz")
    changed = {
        name: content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        for name, content in zip(FILES, contents, strict=True)
    }
    write_task(place, files={k: v for k, v in changed.items() if v is not None})
    dataset = read_dataset(place)
    assert len(dataset.tasks) + len(dataset.problems) == 1
    assert all("\n" not in str(problem) for problem in dataset.problems)
    shutil.rmtree(place)


def test_an_image_that_cannot_be_pulled_may_be_built(tmp_path: Path) -> None:
    toml = '[environment]\ndocker_image = "a:1"\n'
    machine = read_task(write_task(tmp_path, files={"task.toml": toml})).machine
    assert (machine.recipe, machine.dockerfile) == (
        "image",
        tmp_path.resolve() / "hello/environment/Dockerfile",
    )


def test_a_compose_file_of_another_name_is_a_file_like_others(tmp_path: Path) -> None:
    files = {"environment/docker-compose.yml": "services:\n  a:\n"}
    assert read_task(write_task(tmp_path, files=files)).unsupported == ""


def test_a_link_within_a_task_is_followed(tmp_path: Path) -> None:
    home = write_task(tmp_path)
    (home / "tests/data").symlink_to("../environment")
    assert [e.name for e in read_task(home).files("tests")] == [
        "tests/data/Dockerfile",
        "tests/test.sh",
    ]


def test_a_machine_gets_links_modes_and_empty_directories(tmp_path: Path) -> None:
    home = write_task(tmp_path, files={"environment/d/a": "x", "tests/d/b": "y"})
    for name, target in (("abs", "/etc/passwd"), ("gone", "nowhere"), ("up", "../Dockerfile")):
        (home / "environment/d" / name).symlink_to(target)
    (home / "environment/d/self").symlink_to("self")
    (home / "tests/link").symlink_to("d/b")
    (home / "environment/void").mkdir(mode=0o711)
    for name, mode in (
        ("environment/d/a", 0o4755),
        ("environment/d", 0o1777),
        ("tests/d/b", 0o600),
    ):
        (home / name).chmod(mode)
    task = read_task(home)
    entries = {e.name: (e.kind, oct(e.mode), e.target) for e in task.entries("environment")}
    entries.pop("environment/Dockerfile")
    assert entries == {
        "environment/d": ("dir", "0o1777", ""),
        "environment/d/a": ("file", "0o4755", ""),
        "environment/d/abs": ("link", "0o777", "/etc/passwd"),
        "environment/d/gone": ("link", "0o777", "nowhere"),
        "environment/d/self": ("link", "0o777", "self"),
        "environment/d/up": ("link", "0o777", "../Dockerfile"),
        "environment/void": ("dir", "0o711", ""),
    }
    tests = {e.name: (e.kind, oct(e.mode), e.target) for e in task.entries("tests")}
    assert tests["tests/link"] == ("link", "0o777", "d/b")
    assert tests["tests/d/b"] == ("file", "0o600", "")


def test_a_link_out_of_the_tests_brings_what_it_leads_to(tmp_path: Path) -> None:
    home = write_task(tmp_path, files={"environment/data/x": "x"})
    (home / "tests/data").symlink_to("../environment/data")
    kinds = {e.name: e.kind for e in read_task(home).entries("tests")}
    assert kinds == {"tests/data": "dir", "tests/data/x": "file", "tests/test.sh": "file"}


def test_a_socket_and_a_loop_of_directories_are_reported(tmp_path: Path) -> None:
    home = write_task(tmp_path)
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(home / "environment/s"))
    with pytest.raises(HarborError, match="environment/s is neither a file nor a directory"):
        read_task(home)
    (home / "environment/s").unlink()
    (home / "solution/a").mkdir()
    (home / "solution/a/b").symlink_to("../a")
    with pytest.raises(HarborError, match="solution/a/b is a link that leads in a circle"):
        read_task(home).files("solution")


def test_a_dataset_may_be_made_of_links_to_tasks(tmp_path: Path) -> None:
    home = write_task(tmp_path / "pool", "real")
    (tmp_path / "set").mkdir()
    (tmp_path / "set/alias").symlink_to(home)
    assert [t.name for t in read_dataset(tmp_path / "set").tasks] == ["alias"]


STEPS = {
    "task.toml": """
multi_step_reward_strategy = "final"
artifacts = ["/all"]
[agent]
timeout_sec = 5
user = "u"
[verifier]
env = { A = "1", B = "2" }
[[verifier.collect]]
command = "x"
[[steps]]
name = "one"
min_reward = 0.5
artifacts = ["/one"]
[[steps]]
name = "two"
[steps.agent]
timeout_sec = 7
[steps.verifier]
env = { B = "3" }
[steps.verifier.environment]
docker_image = "v:1"
""",
    "instruction.md": None,
    "solution/solve.sh": None,
    "steps/one/instruction.md": "# canary\nFirst.",
    "steps/one/tests/test.sh": "exit 0",
    "steps/one/solution/solve.sh": "true",
    "steps/one/workdir/setup.sh": "true",
    "steps/two/instruction.md": "Second.",
    "steps/two/trajectory.json": "{}",
}


def test_steps_inherit_from_their_task(tmp_path: Path) -> None:
    task = read_task(write_task(tmp_path, files=STEPS))
    one, two = task.steps
    assert (one.name, one.instruction, one.min_reward) == ("one", "First.", (("reward", 0.5),))
    assert (one.agent.timeout_sec, one.agent.user) == (5.0, "u")
    assert (two.agent.timeout_sec, two.agent.user) == (7.0, "u")
    assert one.tests == ("tests", "steps/one/tests")
    assert two.tests == ("tests",)
    assert (one.solution, two.solution) == ("steps/one/solution", None)
    assert (one.workdir, two.workdir) == ("steps/one/workdir", None)
    assert (one.trajectory, two.trajectory is not None) == (None, True)
    assert [a.source for a in one.artifacts] == ["/all", "/one"]
    assert dict(two.verifier.env) == {"A": "1", "B": "3"}
    assert [c.command for c in two.verifier.collect] == ["x"]
    assert (one.mode, two.mode) == ("shared", "separate")
    assert two.verifier_machine is not None
    assert (two.verifier_machine.recipe, two.verifier_machine.owns_tests) == ("image", True)


@pytest.mark.parametrize(
    ("toml", "files", "machine"),
    [
        ("", {}, None),
        ('environment_mode = "shared"', {"tests/Dockerfile": "FROM x"}, None),
        ('environment_mode = "separate"', {}, ("dockerfile", False)),
        ('environment_mode = "separate"', {"tests/Dockerfile": "FROM x"}, ("dockerfile", True)),
        ("environment = { cpus = 2 }", {}, ("dockerfile", False)),
        ('environment = { docker_image = "v" }', {"tests/test.sh": None}, ("image", True)),
        ("", {"tests/Dockerfile": "FROM x"}, None),
    ],
)
def test_where_the_verifier_runs_is_known(
    tmp_path: Path,
    toml: str,
    files: dict[str, str | bytes | None],
    machine: tuple[str, bool] | None,
) -> None:
    task = read_task(write_task(tmp_path, files={"task.toml": f"[verifier]\n{toml}", **files}))
    verifier_machine = task.steps[0].verifier_machine
    assert (verifier_machine and (verifier_machine.recipe, verifier_machine.owns_tests)) == machine


def test_a_separate_verifier_has_its_own_resources(tmp_path: Path) -> None:
    toml = "[environment]\ncpus = 1\n[verifier.environment]\ncpus = 4"
    task = read_task(write_task(tmp_path, files={"task.toml": toml}))
    assert task.steps[0].verifier_machine is not None
    assert (task.machine.config.cpus, task.steps[0].verifier_machine.config.cpus) == (1.0, 4.0)


COMPOSE = (
    "services:\n  main:\n    build: .\n  db:\n    image: redis\n    environment:\n      A: b\n"
)


@pytest.mark.parametrize(
    ("toml", "compose", "need", "message"),
    [
        ("", COMPOSE, "compose", "docker-compose.yaml: main, db"),
        ("", COMPOSE + "    privileged: true\n", "privileged", "asks for privileges"),
        ("[environment]\ngpus = 2\ngpu_types = ['H100']", "", "gpu", "2 GPUs (H100)"),
        ("[environment]\ntpu = {type = 'v4', topology = '2x2'}", "", "tpu", "TPU (v4, 2x2)"),
        ("[environment]\nos = 'windows'", "", "windows", "Windows"),
        (
            "[environment]\nmcp_servers = [{name = 's', url = 'u'}]",
            "",
            "mcp",
            "tool servers: s",
        ),
        (
            "[agent]\nnetwork_mode = 'allowlist'\nallowed_hosts = ['a.b']",
            "",
            "allowlist",
            "some hosts only",
        ),
        (
            "[[verifier.collect]]\ncommand = 'x'\nservice = 'db'",
            "",
            "compose",
            "the services db",
        ),
    ],
)
def test_what_a_sandbox_cannot_do_is_known_before_anything_runs(
    tmp_path: Path, toml: str, compose: str, need: str, message: str
) -> None:
    files = {"task.toml": toml, "environment/docker-compose.yaml": compose or None}
    home = write_task(tmp_path, files=files)
    assert message in read_task(home).unsupported
    assert message not in read_task(home, can={need}).unsupported
    assert read_task(home, can=set(CAPABILITIES)).unsupported == ""


def test_services_of_compose_files_are_found_in_block_style_only() -> None:
    assert services(
        "version: '3'\nservices: # all\n  a:\n    image: x\n\n  'b':\n\nvolumes:\n  v:\n"
    ) == (
        "a",
        "b",
    )
    assert services("services: {a: {image: x}}") == ()
    assert services("") == ()


def test_resources_become_limits() -> None:
    limited = limits(EnvironmentConfig(cpus=2.0, memory_mb=1024), Limits(disk=7, pids=9))
    assert (limited.cpus, limited.memory, limited.disk, limited.pids) == (2.0, 1 << 30, 7, 9)


def _digest(files: dict[str, bytes]) -> str:
    lines = "".join(f"{n}\0{sha256(files[n]).hexdigest()}\n" for n in sorted(files))
    return f"sha256:{sha256(lines.encode()).hexdigest()}"


def test_the_digest_is_harbors(tmp_path: Path) -> None:
    home = write_task(tmp_path, files={"notes.txt": "not published", "tests/x.pyc": "cache"})
    assert read_task(home).digest() == _digest({k: v.encode() for k, v in MINIMAL.items()})


def test_the_digest_has_the_files_behind_links_and_follows_no_directory(tmp_path: Path) -> None:
    # As harbor 0.25's Packager.collect_files: is_file() of every entry, no walk through links.
    home = write_task(tmp_path, files={"environment/d/a": "x"})
    (home / "environment/file").symlink_to("d/a")
    (home / "environment/directory").symlink_to("d")
    (home / "environment/gone").symlink_to("nowhere")
    (home / "tests/data").symlink_to("../environment/d")
    (home / "environment/void").mkdir()
    before = _digest(
        {k: v.encode() for k, v in MINIMAL.items()}
        | {"environment/d/a": b"x", "environment/file": b"x"}
    )
    assert read_task(home).digest() == before


def _manifest(tmp_path: Path, *rows: tuple[str, str]) -> None:
    tasks = "".join(f'[[tasks]]\nname = "{n}"\ndigest = "{d}"\n' for n, d in rows)
    text = f'[dataset]\nname = "org/set"\nversion = "3"\ndescription = "d"\n{tasks}'
    (tmp_path / "dataset.toml").write_text(text)


def test_a_manifest_says_what_belongs_to_a_dataset(tmp_path: Path) -> None:
    kept = read_task(write_task(tmp_path, "kept"))
    titled = write_task(tmp_path, "dir", {"task.toml": '[task]\nname = "org/titled"'})
    write_task(tmp_path, "extra")
    write_task(tmp_path, "broken", {"task.toml": "["})
    zeros = f"sha256:{'0' * 64}"
    _manifest(
        tmp_path,
        ("org/kept", kept.digest()),
        ("org/titled", zeros),
        ("org/gone", zeros),
        ("org/broken", zeros),
    )
    for path in (tmp_path, tmp_path / "dataset.toml"):
        dataset = read_dataset(path)
        assert (dataset.name, dataset.version, dataset.description) == ("set", "3", "d")
        assert [t.name for t in dataset.tasks] == ["dir", "kept"]
        messages = {p.name: p.message for p in dataset.problems}
        assert messages["org/gone"] == "listed in dataset.toml, and not here"
        assert messages["extra"] == "not listed in dataset.toml"
        assert messages["dir"].startswith(f"its content is {read_task(titled).digest()[:15]}")
        assert set(messages) == {"org/gone", "extra", "dir", "broken"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[dataset]",
        '[dataset]\nname = "x"',
        "[[tasks]]",
        'tasks=[{name="a/b",digest="md5"}]\n[dataset]\nname="a/b"',
    ],
)
def test_an_invalid_manifest_is_an_error_of_its_own(tmp_path: Path, text: str) -> None:
    write_task(tmp_path)
    (tmp_path / "dataset.toml").write_text(text)
    with pytest.raises(HarborError, match=r"dataset\.toml"):
        read_dataset(tmp_path)


REGISTRY = """[
 {"name": "one", "version": "1.0", "description": "", "metrics": [{"type": "mean"}], "tasks": [
  {"name": "a", "path": "tasks/a"},
  {"name": "b", "git_url": "https://x/y.git", "git_commit_id": "0123456789abcdef", "path": "b"}]},
 {"name": "one", "version": "2.0", "description": "", "tasks": []}
]"""


def test_a_registry_lists_tasks_here_and_in_repositories(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "a")
    (tmp_path / "registry.json").write_text(REGISTRY)
    dataset = read_dataset(tmp_path / "registry.json", name="one@1.0")
    assert [t.name for t in dataset.tasks] == ["a"]
    assert [str(p) for p in dataset.problems] == [
        "b: lies in https://x/y.git at 0123456789ab: clone it and give its place in `checkouts`"
    ]
    clone = write_task(tmp_path / "clone", "b").parent
    again = read_dataset(
        tmp_path / "registry.json", name="one@1.0", checkouts={"https://x/y.git": clone}
    )
    assert [t.name for t in again.tasks] == ["a", "b"]
    assert [m.type for m in again.metrics] == ["mean"]
    with pytest.raises(HarborError, match=r"name one of: one@1\.0, one@2\.0"):
        read_dataset(tmp_path / "registry.json", name="one")
    with pytest.raises(HarborError, match="has no dataset 'two'"):
        read_dataset(tmp_path / "registry.json", name="two")


def test_a_registry_may_list_tasks_of_the_same_name_in_two_places(tmp_path: Path) -> None:
    for name in ("one/same", "two/same", "other"):
        write_task(tmp_path, name)
    rows = [{"name": str(n), "path": p} for n, p in enumerate(("one/same", "./two/same", "other"))]
    text = json.dumps([{"name": "set", "version": "1", "tasks": rows}])
    (tmp_path / "registry.json").write_text(text)
    dataset = read_dataset(tmp_path / "registry.json")
    assert [t.name for t in dataset.tasks] == ["one/same", "other", "two/same"]
    assert dataset.problems == ()


def test_a_manifest_finds_tasks_in_groups_and_names_without_an_organisation(
    tmp_path: Path,
) -> None:
    toml = MINIMAL["task.toml"]
    bare = write_task(tmp_path, "one/same")
    other = write_task(tmp_path, "two/same", {"instruction.md": "Another.\n"})
    named = write_task(tmp_path, "three", {"task.toml": f'{toml}[task]\nname = "plain"\n'})
    rows = [("org/same", other), ("org/plain", named)]
    text = '[dataset]\nname = "org/set"\n'
    for name, place in rows:
        text += f'[[tasks]]\nname = "{name}"\ndigest = "{read_task(place).digest()}"\n'
    (tmp_path / "dataset.toml").write_text(text)
    dataset = read_dataset(tmp_path)
    assert [t.name for t in dataset.tasks] == ["three", "two/same"]
    assert list(map(str, dataset.problems)) == ["one/same: not listed in dataset.toml"]
    assert bare.is_dir()


@pytest.mark.parametrize(
    "text", ["{}", "[", '[{"name": 1}]', '[{"name":"a","version":"1","tasks":[{}]}]']
)
def test_an_invalid_registry_is_an_error_of_its_own(tmp_path: Path, text: str) -> None:
    (tmp_path / "registry.json").write_text(text)
    with pytest.raises(HarborError, match=r"registry\.json"):
        read_dataset(tmp_path / "registry.json")


def test_an_absent_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(HarborError, match="neither a directory"):
        read_dataset(tmp_path / "absent")


def test_ignored_tests_are_left_out(tmp_path: Path) -> None:
    files = {
        "tests/.harborignore": "*.log\n!keep.log\ncache/\n",
        "tests/a.log": "",
        "tests/keep.log": "",
        "tests/cache/x": "",
        "environment/b.log": "",
    }
    task = read_task(write_task(tmp_path, files=files))
    assert [e.name for e in task.files("tests")] == ["tests/keep.log", "tests/test.sh"]
    assert [e.name for e in task.files("environment")] == [
        "environment/Dockerfile",
        "environment/b.log",
    ]


pieces = st.sampled_from(["a", "b", "ab", "*", "?", "**", "/", "[ab]", ".x", "\\*", "#"])


def is_documented(pattern: str) -> bool:
    """Return whether `**` stands alone; elsewhere git's documentation does not define it."""
    return all("**" not in part or part == "**" for part in pattern.split("/"))


pattern = st.lists(pieces, min_size=1, max_size=5).map("".join).filter(is_documented)
patterns = st.lists(pattern, min_size=1, max_size=3)
TREE = ("a", "b", "ab", "d/a", "d/b.x", "d/ab/a", "d/ab/b", "ab.x/a/b", "z", "#a", "q/*")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the `tests` of a task in its own repository."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    place = tmp_path_factory.mktemp("task") / "tests"
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    for name in TREE:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("")
    return place


@settings(max_examples=100)
@given(patterns=patterns)
def test_ignore_rules_without_negation_are_gits(repository: Path, patterns: list[str]) -> None:
    for file in (".gitignore", ".harborignore"):
        (repository / file).write_text("\n".join(patterns) + "\n")
    command = ["git", "-C", str(repository), "check-ignore", "--no-index", "-z", "--stdin"]
    seen = subprocess.run(command, input="\0".join(TREE).encode(), capture_output=True)
    theirs = set(seen.stdout.decode().split("\0")) - {""}
    listed = {
        entry.name.removeprefix("tests/") for entry in trees.files(repository.parent, "tests")
    }
    assert set(TREE) - listed == theirs


@pytest.mark.parametrize(
    ("rules", "kept"),
    [("a[!a]\n", "tests/d/b/a"), ("!*\na\n", "tests/d/a/b")],
    ids=["negated-class", "negated-rule"],
)
def test_negations_mean_what_they_mean_in_harbor(tmp_path: Path, rules: str, kept: str) -> None:
    """Git answers differently; these are the answers of Harbor 0.26's packager."""
    task = {"tests/.harborignore": rules, "tests/d/a/b": "", "tests/d/b/a": ""}
    home = write_task(tmp_path, files=task)
    assert {entry.name for entry in trees.files(home, "tests")} == {"tests/test.sh", kept}


@pytest.mark.parametrize("line", ["!", "\\", "a\\", "[z-a]"])
def test_a_malformed_ignore_rule_is_skipped(tmp_path: Path, line: str) -> None:
    rules = f"{line}\n*.log\n"
    task = {"tests/.harborignore": rules, "tests/x.log": "", ".gitignore": rules}
    home = write_task(tmp_path, "a", files=MINIMAL | task)
    assert "tests/x.log" not in {entry.name for entry in trees.files(home, "tests")}
    assert read_task(home).digest() == _digest({k: v.encode() for k, v in MINIMAL.items()})


def test_a_digest_has_a_file_that_gitignore_brings_back_below_an_excluded_directory(
    tmp_path: Path,
) -> None:
    kept = MINIMAL | {"tests/data/keep": "1"}
    rules = {".gitignore": "data/\n!keep\n", "tests/data/drop": "2"}
    home = write_task(tmp_path, "a", files=kept | rules)
    assert read_task(home).digest() == _digest({k: v.encode() for k, v in kept.items()})
